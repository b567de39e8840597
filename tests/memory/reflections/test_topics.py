"""Topics worth raising, and noting which were."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from memory.engine import Engine
from memory.persona import mind
from memory.reflections.evidence import Evidence
from memory.reflections.mentions import Mentions
from memory.reflections.reflection import CONFIRMED, STATE, Reflection
from tests.fakes import MORNING, FixedClock
from tests.memory.mind_world import momo, put, reflection

TEA = reflection("ref_tea", "Lin likes tea", MORNING)


async def offered(engine: Engine, *known: Reflection) -> list[str]:
    async with momo(engine) as space:
        await put(space, *known)
        return [row["id"] for row in mind.active_topics(space, engine.clock.now(), Random(1))]


async def test_a_pending_reflection_is_offered_without_vectors(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, replace(TEA, extra={"embedding": "zThmOg=="}))
        rows = mind.active_topics(space, MORNING, Random(1))
    assert [(row["id"], row["text"], "embedding" in row) for row in rows] == [("ref_tea", "Lin likes tea", False)]


@pytest.mark.parametrize(
    "held",
    [
        replace(TEA, status=CONFIRMED),
        replace(TEA, next_eligible_at=MORNING + timedelta(minutes=1)),
        replace(TEA, evidence=Evidence(disputation=0.5, disputed_at=MORNING)),
        replace(TEA, mentions=Mentions(resting=True, since=MORNING)),
        replace(TEA, temporal_scope=STATE, created_at=MORNING - timedelta(days=8)),     # it is over
        replace(TEA, text="  "),
    ],
)
async def test_what_should_rest_or_is_over_is_not(engine: Engine, held: Reflection) -> None:
    assert await offered(engine, held) == []


async def test_being_passed_over_keeps_nothing_from_being_offered_again(engine: Engine) -> None:
    # another program counted silence against it
    silent = Evidence(reinforcement=-0.2, reinforced_at=MORNING)
    assert await offered(engine, replace(TEA, evidence=silent)) == ["ref_tea"]


async def test_one_topic_is_offered_once_however_it_is_spaced(engine: Engine) -> None:
    assert await offered(engine, TEA, reflection("ref_again", "Lin  likes\ntea", MORNING)) == ["ref_tea"]


async def test_three_are_offered_at_most_and_the_trusted_ones_more_often(engine: Engine) -> None:
    trusted = replace(TEA, evidence=Evidence(reinforcement=0.9, reinforced_at=MORNING))
    others = [reflection(f"ref_{number}", f"thing {number}", MORNING) for number in range(7)]
    async with momo(engine) as space:
        await put(space, trusted, *others)
        seen = Counter(
            row["id"] for seed in range(400) for row in mind.active_topics(space, MORNING, Random(seed))
        )
    assert sum(seen.values()) == 3 * 400
    # weight 1.4 against 0.5: well above every other, and none is left out
    assert min(seen.values()) > 0
    assert seen["ref_tea"] > 1.5 * max(count for known, count in seen.items() if known != "ref_tea")


async def test_a_topic_that_was_offered_rests_for_half_an_hour(engine: Engine, clock: FixedClock) -> None:
    async with momo(engine) as space:
        await put(space, TEA)
        await mind.record_surfaced(space, ["ref_tea"])
        assert mind.active_topics(space, clock.now(), Random(1)) == []
        clock.advance(30 * 60)
        assert len(mind.active_topics(space, clock.now(), Random(1))) == 1
        kept = space.views.surfaced.get("ref_tea")
        assert kept is not None
        assert (kept.text, kept.feedback, kept.surfaced_at) == ("Lin likes tea", None, MORNING)


async def test_unknown_topics_are_passed_over(engine: Engine) -> None:
    async with momo(engine) as space:
        before = space.journal.seq
        await mind.record_surfaced(space, ["ref_nobody", ""])
        await mind.record_surfaced(space, [])
        assert space.journal.seq == before
        assert len(space.views.surfaced) == 0


async def test_asking_for_topics_writes_nothing(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, TEA)
        before = space.journal.seq
        mind.active_topics(space, MORNING, Random(1))
        assert space.journal.seq == before
