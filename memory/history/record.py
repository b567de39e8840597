"""Making turns durable."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import orjson

from memory.errors import KeyReused
from memory.history.turn import AI, CONNECTOR_STAMP, Message, Turn
from memory.history.turns_db import Kept
from memory.space import MemorySpace
from memory.store.journal import Batch

log = logging.getLogger(__name__)

POST_TURN = "post_turn"
COMPRESS = "compress_recent"
UPDATE_WORKING = "working_memory"

_PER_EVENT = 500  # turns in one journal line


@dataclass(frozen=True, slots=True)
class RequestKey:
    """An idempotency key and its body, both as hashes."""

    key: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A checked history request."""

    messages: Sequence[Message]
    key: RequestKey | None = None
    language: str | None = None    # only if the caller really sent it


async def cache(space: MemorySpace, incoming: Incoming) -> int:
    """Make the messages durable and owe the work that follows from them.

    Returns the length of the batch once it would survive a power cut, whether or not a part of it
    was already there. No model is consulted. Raises KeyReused.
    """
    if not incoming.messages and incoming.key is None:
        return 0
    async with space.journal.write() as batch:
        if (answer := _answered(space, incoming.key)) is not None:
            return answer
        record(space, batch, incoming)
        if len(space.recent.entries) + len(incoming.messages) > space.settings.recent_owe:
            owe_once(space, batch, COMPRESS)
    return len(incoming.messages)


async def add(space: MemorySpace, incoming: Incoming) -> None:
    """The same for a caller that compresses afterwards by itself. Raises KeyReused."""
    if not incoming.messages and incoming.key is None:
        return
    async with space.journal.write() as batch:
        if _answered(space, incoming.key) is None:
            record(space, batch, incoming)


def record(space: MemorySpace, batch: Batch, incoming: Incoming) -> None:
    """Add the messages to a batch, apart from a resent prefix."""
    now = space.clock.now()
    messages = incoming.messages
    if incoming.key is None:
        skip = resent(messages, list(space.turns.tail), now, space.settings.resend_window)
        if skip:
            log.info("%s: %d messages were resent and are already kept", space.name, skip)
            messages = messages[skip:]
    else:
        batch.key = {"key": incoming.key.key, "body": incoming.key.body, "answer": len(incoming.messages)}
    session = space.ids.new("session")
    row = space.turns.last_row
    turns = [
        Turn(
            id=space.ids.new("turn"),
            row=row + place,
            kind=message.kind,
            content=message.content,
            at=min(message.said_at, now) if message.said_at is not None else now,
            session=session,
            speaker=message.speaker,
        ).to_json()
        for place, message in enumerate(messages, start=1)
    ]
    for start in range(0, len(turns), _PER_EVENT):
        batch.add("turns.added", {"turns": turns[start : start + _PER_EVENT], "language": incoming.language})
    if turns:
        owe_once(space, batch, POST_TURN)
        if not space.views.working.empty:       # it follows the conversation from the first turn through that door on
            owe_once(space, batch, UPDATE_WORKING)


def owe_once(space: MemorySpace, batch: Batch, kind: str) -> None:
    """Owe a job that deals with everything there is, unless it is owed already."""
    if space.outbox.of_kind(kind) is None and not any(one.kind == kind for one in batch.owed):
        batch.owe(kind, {})


def _answered(space: MemorySpace, key: RequestKey | None) -> int | None:
    if key is None:
        return None
    before = space.views.keys.accepted.get(key.key)
    if before is None:
        return None
    if before.body != key.body:
        raise KeyReused
    return before.answer


def resent(messages: Sequence[Message], tail: Sequence[Kept], now: datetime, window_seconds: float) -> int:
    """How many messages at the head of the batch are the stored tail, sent again.

    A caller without keys keeps what it could not see acknowledged and sends it before what is
    new. Two people may well say the same thing twice, so only a prefix counts that ends the
    stored conversation, contains an assistant message with the connector's time stamp (which
    tells one minute from the next), and arrived within the window.
    """
    for length in range(min(len(messages), len(tail)), 0, -1):
        stored = tail[len(tail) - length :]
        if (now - stored[0].received).total_seconds() > window_seconds:
            continue
        if not any(kept.turn.kind == AI and CONNECTOR_STAMP.match(kept.turn.text) for kept in stored):
            continue
        if all(
            message.kind == kept.turn.kind and _same(message.content, kept.turn.content)
            for message, kept in zip(messages, stored, strict=False)
        ):
            return length
    return 0


def _same(one: object, other: object) -> bool:
    return one == other or orjson.dumps(one) == orjson.dumps(other)
