"""Ending and renewing a conversation."""

from __future__ import annotations

from memory.history import record
from memory.history.compress import compress
from memory.history.record import COMPRESS, Incoming, owe_once
from memory.models.chat import Chat, Tier
from memory.people import Names
from memory.space import MemorySpace


async def process(space: MemorySpace, names: Names, chat: Chat, incoming: Incoming) -> None:
    """Take in messages and keep the window short.

    Excerpts are made at once; where a model could do better, the compression is owed instead, so
    that nobody waits for it. Raises KeyReused.
    """
    await record.add(space, incoming)
    if len(space.recent.entries) <= space.settings.recent_trigger:
        return
    if chat.configured(Tier.SUMMARY):
        async with space.journal.write() as batch:
            owe_once(space, batch, COMPRESS)
    else:
        await compress(space, names)


async def settle(space: MemorySpace, names: Names, chat: Chat, incoming: Incoming) -> None:
    """Take in what was not cached yet and settle the window, under the settle lock.

    Serves a renewed session too. Bounded: a model has ``summary_wait`` seconds, after which the
    excerpts stand and its summary is owed. Raises KeyReused.
    """
    async with space.settling:
        await record.add(space, incoming)
        await compress(space, names, chat=chat, wait=space.settings.summary_wait)
