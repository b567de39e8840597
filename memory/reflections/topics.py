"""Topics worth raising: which reflections to offer, and noting which were."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from random import Random

from memory.reflections import evidence
from memory.reflections.record import to_record
from memory.reflections.reflection import COOLDOWN, Reflection, is_topic
from memory.reflections.surfaced import Surfaced
from memory.space import MemorySpace

OFFERED = 3
_BASE_WEIGHT = 0.5
_SAME_FOR = 120     # characters of two texts that make them one topic


def topics(space: MemorySpace, now: datetime, random: Random) -> list[Reflection]:
    """At most three reflections that may be raised now; better trusted ones come more often. Changes nothing."""
    distinct: dict[str, Reflection] = {}
    for one in space.reflections:
        if is_topic(one, now):
            distinct.setdefault(" ".join(one.text.split())[:_SAME_FOR], one)
    found = list(distinct.values())
    if len(found) <= OFFERED:
        return found
    keyed = [(_draw(one, now, random), one) for one in found]
    keyed.sort(key=lambda pair: (-pair[0], pair[1].id))
    return [one for _, one in keyed[:OFFERED]]


def _draw(one: Reflection, now: datetime, random: Random) -> float:
    """A key such that the largest ones are a weighted sample without replacement."""
    weight = max(evidence.score(one.evidence, now), 0.0) + _BASE_WEIGHT
    return math.log(1.0 - random.random()) / weight


async def record_surfaced(space: MemorySpace, ids: Sequence[str]) -> int:
    """Note that these reflections were offered, and let them rest. Unknown ids are passed over.

    Whether the character really spoke of them is found out from what it says next. Returns how
    many were known.
    """
    wanted = [one for known_id in dict.fromkeys(ids) if (one := space.reflections.get(known_id)) is not None]
    if not wanted:
        return 0
    async with space.journal.write() as batch:
        now = space.clock.now()
        for known in wanted:
            one = space.reflections.get(known.id)
            if one is None:
                continue
            rested = replace(one, next_eligible_at=now + COOLDOWN)
            offered = Surfaced(
                reflection_id=one.id, text=one.text, surfaced_at=now, after_row=space.turns.last_row
            )  # fmt: skip
            batch.add(
                "reflection.surfaced",
                {"reflection": to_record(rested), "surfaced": space.views.surfaced.to_row(offered)},
                {"reflection_id": one.id},
            )
    return len(wanted)
