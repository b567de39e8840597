"""Putting a question to a space."""

from __future__ import annotations

import asyncio

from memory.people import Names
from memory.recall.document import TURN
from memory.recall.query import Answer, Query, answer
from memory.space import MemorySpace

_LARGE = 20_000  # documents above which a search leaves the event loop alone


async def search(space: MemorySpace, query: Query, names: Names) -> Answer:
    """The answer of this moment's memory; changes nothing that is remembered.

    What was answered is noted, so that a user's repeating it is not taken for news.
    """
    snapshots = await space.library.snapshots(query.tiers, names)
    now = space.clock.now()
    if sum(map(len, snapshots)) > _LARGE:
        found = await asyncio.to_thread(answer, snapshots, query, now=now, clock=space.clock)
    else:
        found = answer(snapshots, query, now=now, clock=space.clock)
    space.shown.extend(hit.document.text for hit in found.hits if hit.document.tier != TURN)
    return found
