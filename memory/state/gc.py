"""Removing what is kept for a time only: digests behind the latest, and reminders that are over.

Facts live in the registry and events stay, so nothing that is known is lost with them.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from memory.space import MemorySpace
from memory.state import digests, reminders

log = logging.getLogger(__name__)

_AT_ONCE = 500      # ids in one journal line


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """How much was removed."""

    digests: int = 0
    reminders: int = 0


async def collect(space: MemorySpace) -> Collected:
    """Remove every digest but the latest after 90 days, and what became of reminders 90 days after they were over."""
    async with space.journal.write() as batch:
        now = space.clock.now()
        latest = space.views.digests.latest
        old = [
            one.id for one in space.views.digests if one is not latest and now - one.created_at >= digests.KEPT
        ]
        over = [
            one.id for one in space.views.reminders if (at := reminders.over_at(one)) is not None and at <= now
        ]
        for type_, ids in (("digest.removed", old), ("reminder.removed", over)):
            for start in range(0, len(ids), _AT_ONCE):
                batch.add(type_, {"ids": ids[start : start + _AT_ONCE]})
    if old or over:
        log.info("%s: removed %d digests and %d reminders for their age", space.name, len(old), len(over))
    return Collected(digests=len(old), reminders=len(over))
