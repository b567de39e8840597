"""Drawing reflections from facts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.engine import Engine
from memory.facts.ageing import age
from memory.facts.fact import AI_DISCLOSURE, Fact
from memory.reflections.reflection import EPISODE, PATTERN, PENDING, STATE
from memory.reflections.synthesize import synthesize
from tests.fakes import MORNING, FixedClock
from tests.memory.mind_world import NAMES, fact, happened, momo, put, reflection

DAY = timedelta(days=1)


def liked(number: int, thing: str, *days: int, **more: object) -> Fact:
    """That Lin likes something, said on these days."""
    times = [MORNING + day * DAY for day in days]
    return fact(
        f"fact_{number}", f"Lin likes {thing}.", times[0], repeated_at=tuple(times[1:]), slot="preference",
        object=thing, sources=(f"turn_{number}",), **more,
    )  # fmt: skip


OTHERS = tuple(liked(number, thing, 0) for number, thing in enumerate(("opera", "chess", "snow", "jazz"), start=90))


async def test_three_sayings_on_two_days_make_a_reflection(engine: Engine, clock: FixedClock) -> None:
    clock.advance(3 * 86_400)
    async with momo(engine) as space:
        await put(space, liked(1, "jasmine tea", 0, 1), liked(2, "green tea", 2), *OTHERS)
        drawn = await synthesize(space, NAMES)
        assert drawn is not None
        assert drawn.text == (
            "Lin has mentioned this several times (3 times over 2 days): Lin likes jasmine tea; Lin likes green tea."
        )
        assert (drawn.status, drawn.entity, drawn.relation_type) == (PENDING, "master", "preference")
        assert (drawn.method, drawn.needs_model, drawn.sources) == ("rules/v1", True, ("turn_1", "turn_2"))
        assert drawn.evidence.reinforcement == 0.2  # its weightiest fact is worth 7
        assert space.reflections.get(drawn.id) == drawn


async def test_only_the_facts_used_are_absorbed(engine: Engine, clock: FixedClock) -> None:
    clock.advance(3 * 86_400)
    async with momo(engine) as space:
        await put(space, liked(1, "jasmine tea", 0, 1, 2), *OTHERS)
        await synthesize(space, NAMES)
        assert [one.id for one in space.facts if one.absorbed] == ["fact_1"]


async def test_the_same_thing_in_chinese(engine: Engine, clock: FixedClock) -> None:
    clock.advance(3 * 86_400)
    tea = fact(
        "fact_1", "Lin喜欢茉莉花茶。", MORNING, repeated_at=(MORNING + DAY, MORNING + 2 * DAY), slot="preference",
        object="茉莉花茶",
    )  # fmt: skip
    async with momo(engine) as space:
        await put(space, tea, *OTHERS)
        drawn = await synthesize(space, NAMES)
        assert drawn is not None
        assert drawn.text == "Lin多次提到（共3次，前后2天）：Lin喜欢茉莉花茶。"
        assert drawn.statement == "Lin喜欢茉莉花茶。"


@pytest.mark.parametrize(
    "facts",
    [
        [liked(1, "jasmine tea", 0, 0, 0), *OTHERS],                       # one day
        [liked(1, "jasmine tea", 0, 5), *OTHERS],                          # twice
        [liked(1, "jasmine tea", 0, 1, 2), *OTHERS[:3]],                   # not five facts yet
        [liked(1, "jasmine tea", 0, 1, 2, importance=4), *OTHERS],         # not worth it
        [liked(1, "jasmine tea", 0, 1, 2, superseded_by="fact_9"), *OTHERS],
        [liked(1, "jasmine tea", 0, 1, 2, denied_in="turn_9"), *OTHERS],
        [liked(1, "jasmine tea", 0, 1, 2, source=AI_DISCLOSURE), *OTHERS],
        [liked(1, "jasmine tea", 0), liked(2, "green tea", 1, negated=True), liked(3, "rock music", 2), *OTHERS],
    ],
)
async def test_too_little_makes_none(engine: Engine, clock: FixedClock, facts: list[Fact]) -> None:
    clock.advance(9 * 86_400)
    async with momo(engine) as space:
        await put(space, *facts)
        assert await synthesize(space, NAMES) is None
        assert len(space.reflections) == 0


async def test_five_times_in_one_day_are_enough(engine: Engine, clock: FixedClock) -> None:
    clock.advance(86_400)
    async with momo(engine) as space:
        await put(space, liked(1, "jasmine tea", 0, 0, 0, 0, 0), *OTHERS)
        drawn = await synthesize(space, NAMES)
        assert drawn is not None
        assert "(5 times)" in drawn.text


@pytest.mark.parametrize(
    ("slot", "days", "scope"),
    [
        ("preference", (0, 1, 2), PATTERN),      # a taste holds until it is taken back
        ("state", (0, 1, 2), STATE),
        ("state", (0, 0, 0, 0, 0), EPISODE),
        ("state", (0, 7, 14), PATTERN),          # said again and again over two weeks
        ("event", (0, 1, 2), EPISODE),
    ],
)
async def test_how_long_it_holds_follows_from_what_it_is_and_how_often_it_was_said(
    engine: Engine, clock: FixedClock, slot: str, days: tuple[int, ...], scope: str
) -> None:
    clock.advance((days[-1] + 1) * 86_400)
    told = fact(
        "fact_1", "Lin feels stressed.", MORNING, repeated_at=tuple(MORNING + day * DAY for day in days[1:]),
        slot=slot, object="stressed",
    )  # fmt: skip
    async with momo(engine) as space:
        await put(space, told, *OTHERS)
        drawn = await synthesize(space, NAMES)
        assert drawn is not None
        assert drawn.temporal_scope == scope
        assert (drawn.event_end_at is None) == (scope == PATTERN)


async def test_a_fact_on_a_living_reflection_joins_it_and_speaks_for_it(engine: Engine, clock: FixedClock) -> None:
    clock.advance(3 * 86_400)
    async with momo(engine) as space:
        await put(space, liked(1, "jasmine tea", 0, 1, 2), *OTHERS)
        drawn = await synthesize(space, NAMES)
        assert drawn is not None
        clock.advance(86_400)
        await put(space, liked(2, "jasmine tea with honey", 4))
        assert await synthesize(space, NAMES) is None
        grown = space.reflections.get(drawn.id)
        assert grown is not None
        assert grown.source_fact_ids == ("fact_1", "fact_2")
        assert "4 times over 4 days" in grown.text
        assert grown.evidence.reinforcement == 0.45
        assert space.facts.get("fact_2").absorbed  # type: ignore[union-attr]


async def test_a_reflection_says_how_often_it_was_told_by_now(engine: Engine, clock: FixedClock) -> None:
    clock.advance(3 * 86_400)
    async with momo(engine) as space:
        await put(space, liked(1, "jasmine tea", 0, 1, 2), *OTHERS)
        drawn = await synthesize(space, NAMES)
        assert drawn is not None
        again = liked(1, "jasmine tea", 0, 1, 2, 3, absorbed=True)
        await put(space, replace(again, sources=("turn_1", "turn_5")))
        await synthesize(space, NAMES)
        told = space.reflections.get(drawn.id)
        assert told is not None
        assert "4 times over 3 days" in told.text
        before = space.journal.seq
        await synthesize(space, NAMES)
        assert space.journal.seq == before  # nothing new, nothing written


async def test_the_event_names_its_rule_and_turn(engine: Engine, clock: FixedClock) -> None:
    clock.advance(3 * 86_400)
    async with momo(engine) as space:
        await put(space, liked(1, "jasmine tea", 0, 1, 2), *OTHERS)
        await synthesize(space, NAMES)
        told = await happened(space, "reflection.synthesized")
        assert [(data["rule"], data["turn"]) for data in told] == [("told_often", "turn_1")]


async def test_the_same_facts_are_never_drawn_twice(engine: Engine, clock: FixedClock) -> None:
    clock.advance(3 * 86_400)
    tea = liked(1, "jasmine tea", 0, 1, 2)
    async with momo(engine) as space:
        await put(space, tea, *OTHERS)
        first = await synthesize(space, NAMES)
        await put(space, tea)  # its mark is lost
        assert await synthesize(space, NAMES) is None
        assert first is not None
        assert [one.id for one in space.reflections] == [first.id]
        assert space.facts.get("fact_1").absorbed  # type: ignore[union-attr]


async def test_absorbed_facts_move_to_the_archive_after_a_week(engine: Engine, clock: FixedClock) -> None:
    async with momo(engine) as space:
        await put(
            space,
            fact("fact_1", "old and used", MORNING - 8 * DAY, absorbed=True, signal_processed=True),
            fact("fact_2", "used but said again", MORNING - 8 * DAY, absorbed=True, signal_processed=True,
                 repeated_at=(MORNING,)),
            fact("fact_3", "old but unused", MORNING - 80 * DAY, signal_processed=True),
            fact("fact_4", "replaced long ago", MORNING - 40 * DAY, superseded_by="fact_3", signal_processed=True),
            fact("fact_5", "used but not weighed", MORNING - 8 * DAY, absorbed=True),
        )  # fmt: skip
        assert await age(space) == 2
        assert [one.id for one in space.views.facts_archive] == ["fact_1", "fact_4"]
        assert await age(space) == 0


async def test_what_was_over_before_anybody_thought_of_it_is_let_be(engine: Engine, clock: FixedClock) -> None:
    told = fact("fact_1", "Lin felt ill.", MORNING, repeated_at=(MORNING + DAY, MORNING + 2 * DAY), slot="state",
                object="ill")  # fmt: skip
    clock.advance(60 * 86_400)
    async with momo(engine) as space:
        await put(space, told, *OTHERS)
        assert await synthesize(space, NAMES) is None
        assert not any(one.absorbed for one in space.facts)


async def test_nothing_is_written_where_nothing_is_due(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, reflection("ref_1", "made by a model", MORNING), *OTHERS)
        before = space.journal.seq
        assert await synthesize(space, NAMES) is None
        assert space.journal.seq == before


