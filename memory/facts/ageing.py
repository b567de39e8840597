"""Facts that did their part and grew old move to the archive, where recall still finds them."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta

from memory.facts.fact import Fact
from memory.facts.record import to_record
from memory.space import MemorySpace

log = logging.getLogger(__name__)

ABSORBED_STAYS = timedelta(days=7)          # after a reflection was drawn from it
REPLACED_STAYS = timedelta(days=30)         # after it was said, for what no longer holds
_AT_ONCE = 500
_SLICE = 1_000      # facts looked at before others have their turn


async def age(space: MemorySpace) -> int:
    """Archive what is due. Returns how many facts were."""
    waiting = []
    for number, fact in enumerate(list(space.facts)):
        if _is_due(fact, space.clock.now()):
            waiting.append(fact.id)
        if len(waiting) == _AT_ONCE:
            break
        if number % _SLICE == 0:
            await asyncio.sleep(0)
    if not waiting:
        return 0
    async with space.journal.write() as batch:
        now = space.clock.now()
        due = [found for one in waiting if (found := space.facts.get(one)) is not None and _is_due(found, now)]
        if due:
            ids = [fact.id for fact in due]
            batch.add("fact.archived", {"facts": [to_record(fact) for fact in due]}, {"fact_ids": ids})
    log.info("%s: %d facts archived", space.name, len(due))
    return len(due)


def _is_due(fact: Fact, now: datetime) -> bool:
    said = fact.repeated_at[-1] if fact.repeated_at else fact.created_at
    if not fact.signal_processed or fact.memory is not None:  # what somebody stored stays where they put it
        return False
    if fact.absorbed:
        return now - said > ABSORBED_STAYS
    return (fact.superseded_by is not None or fact.denied_in is not None) and now - said > REPLACED_STAYS
