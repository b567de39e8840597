"""Work that another program owed when its directory became ours."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from memory.facts.learn import CURSOR
from memory.history.recent import Entry
from memory.history.record import POST_TURN, owe_once
from memory.space import MemorySpace
from memory.store.outbox import OutboxOp

EXTRACT = "extract_facts"   # the companion's name for what follows a turn


async def take_over(space: MemorySpace, op: OutboxOp) -> None:
    """Learn from the turns that the companion had not got round to; its own job is then done.

    The turns are in the database already. Those it had dealt with are not read again.
    """
    messages = op.payload.get("messages")
    wanted = {
        orjson.dumps([entry.kind, entry.content])
        for message in (messages if isinstance(messages, list) else ())
        if isinstance(message, Mapping)
        for entry in [Entry.from_json(message)]
    }
    rows = [
        kept.turn.row for kept in space.turns.tail if orjson.dumps([kept.turn.kind, kept.turn.content]) in wanted
    ]
    async with space.journal.write() as batch:
        batch.finish(op.id)
        if rows and space.views.cursors.row(CURSOR) >= min(rows):
            batch.add("cursor.moved", {"name": CURSOR, "to": min(rows) - 1})
            owe_once(space, batch, POST_TURN)
