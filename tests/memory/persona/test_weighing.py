"""What a fact of the user's own does to what is held."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.engine import Engine
from memory.facts.fact import AI_DISCLOSURE, Fact
from memory.persona.weigh import weigh
from memory.reflections.reflection import Reflection
from tests.fakes import MORNING, FixedClock
from tests.memory.mind_world import NAMES, entry, fact, happened, momo, put, reflection

DAY = timedelta(days=1)
NOW = MORNING + 9 * DAY
TEA = reflection("ref_tea", "Lin likes tea.", MORNING, slot="preference", object="tea", source_fact_ids=("fact_tea",))
SOURCE = fact("fact_tea", "Lin likes tea.", MORNING - DAY, slot="preference", object="tea", signal_processed=True)
HOME = entry("prom_home", "Lin lives in Porto.", MORNING, slot="home", object="porto")


def told(text: str, **more: object) -> Fact:
    return fact("fact_new", text, NOW, **{"sources": ("turn_7",), **more})


async def weighed(engine: Engine, clock: FixedClock, new: Fact, *held: Reflection) -> Reflection:
    clock.advance(9 * 86_400)
    async with momo(engine) as space:
        await put(space, SOURCE, *(held or (TEA,)), new)
        await weigh(space, NAMES)
        assert not space.facts.unweighed(1)
        found = space.reflections.get("ref_tea")
        assert found is not None
        return found


async def test_the_same_statement_speaks_for_it(engine: Engine, clock: FixedClock) -> None:
    held = await weighed(engine, clock, told("Lin really likes tea.", slot="preference", object="tea"))
    assert (held.evidence.reinforcement, held.evidence.user_facts) == (0.25, 1)
    assert held.evidence.reinforced_at == NOW
    async with momo(engine) as space:
        data = (await happened(space, "reflection.evidence_updated"))[0]
        assert (data["rule"], data["turn"], data["fact"]) == ("same_statement", "turn_7", "fact_new")


async def test_the_opposite_speaks_against_it(engine: Engine, clock: FixedClock) -> None:
    held = await weighed(engine, clock, told("Lin dislikes tea.", slot="preference", object="tea", negated=True))
    assert held.evidence.disputation == 0.5


async def test_said_as_a_change_it_weighs_more(engine: Engine, clock: FixedClock) -> None:
    gone_off = told("Lin doesn't like tea anymore.", slot="preference", object="tea", negated=True, correction=True)
    assert (await weighed(engine, clock, gone_off)).evidence.disputation == 1.0


async def test_no_longer_doing_it_takes_back_liking_it(engine: Engine, clock: FixedClock) -> None:
    stopped = told("Lin doesn't drink tea anymore.", slot="diet", object="tea", negated=True, correction=True)
    assert (await weighed(engine, clock, stopped)).evidence.disputation == 1.0


@pytest.mark.parametrize(
    "new",
    [
        told("Lin likes coffee.", slot="preference", object="coffee"),
        told("Lin has a tea pot.", slot="possession", object="tea pot"),
        told("Momo likes tea.", slot="preference", object="tea", entity="neko"),
        told("Lin likes tea.", slot="preference", object="tea", source=AI_DISCLOSURE),
        told("Lin likes tea.", slot="preference", object="tea", superseded_by="fact_9"),
    ],
)
async def test_other_facts_leave_it_alone(engine: Engine, clock: FixedClock, new: Fact) -> None:
    assert (await weighed(engine, clock, new)).evidence == TEA.evidence


async def test_without_slots_only_nearly_the_same_words_speak_for_it(engine: Engine, clock: FixedClock) -> None:
    by_model = replace(TEA, text="Lin often drinks strong black tea", slot=None, object=None, source_fact_ids=())
    same = await weighed(engine, clock, told("Lin often drinks black tea, strong."), by_model)
    assert same.evidence.reinforcement == 0.25


@pytest.mark.parametrize(
    "text", ["Lin never drinks strong black tea.", "Lin drinks 3 strong black teas.", "Lin drinks."]
)
async def test_likeness_alone_never_speaks_against_it(engine: Engine, clock: FixedClock, text: str) -> None:
    by_model = replace(TEA, text="Lin often drinks strong black tea", slot=None, object=None, source_fact_ids=())
    assert (await weighed(engine, clock, told(text), by_model)).evidence == TEA.evidence


async def test_the_fact_it_was_drawn_from_counts_only_when_it_is_said_again(engine: Engine, clock: FixedClock) -> None:
    clock.advance(9 * 86_400)
    async with momo(engine) as space:
        await put(space, TEA, replace(SOURCE, signal_processed=False))
        await weigh(space, NAMES)
        assert (space.reflections.get("ref_tea") or TEA).evidence.reinforcement == 0.0
        await put(space, replace(SOURCE, signal_processed=False, repeated_at=(NOW,)))
        await weigh(space, NAMES)
        assert (space.reflections.get("ref_tea") or TEA).evidence.reinforcement == 0.25


async def test_saying_it_over_and_over_in_one_day_counts_once(engine: Engine, clock: FixedClock) -> None:
    clock.advance(9 * 86_400)
    async with momo(engine) as space:
        await put(space, TEA, SOURCE)
        for minute in range(5):
            again = replace(SOURCE, signal_processed=False, repeated_at=(NOW + timedelta(minutes=minute),))
            clock.advance(60)
            await put(space, again)
            await weigh(space, NAMES)
        assert (space.reflections.get("ref_tea") or TEA).evidence.reinforcement == 0.25


async def test_the_weightiest_facts_come_first_twenty_at_a_time(engine: Engine, clock: FixedClock) -> None:
    async with momo(engine) as space:
        await put(space, *(fact(f"fact_{n}", f"thing {n}", MORNING, importance=1 + n % 10) for n in range(25)))
        await weigh(space, NAMES)
        drained = [data["ids"] for data in await happened(space, "fact.weighed")]
    assert [len(ids) for ids in drained] == [20, 5]
    # 25 facts, importance 1…10: the five left over are those of the lowest
    assert {1 + int(known.removeprefix("fact_")) % 10 for known in drained[1]} == {1, 2}


async def test_another_value_questions_an_entry_of_the_persona(engine: Engine, clock: FixedClock) -> None:
    clock.advance(9 * 86_400)
    async with momo(engine) as space:
        await put(space, HOME, told("Lin lives in Rome.", slot="home", object="rome"))
        await weigh(space, NAMES)
        held = space.persona.get("master", "prom_home")
        assert held is not None
        assert held.evidence.disputation == 0.5
        queued = list(space.views.corrections)
        assert [(one.old_text, one.new_text, one.fact_id) for one in queued] == [
            ("Lin lives in Porto.", "Lin lives in Rome.", "fact_new")
        ]


async def test_an_unsure_fact_questions_nothing(engine: Engine, clock: FixedClock) -> None:
    clock.advance(9 * 86_400)
    async with momo(engine) as space:
        await put(space, HOME, told("Lin lives in Rome.", slot="home", object="rome", confidence=0.5))
        await weigh(space, NAMES)
        assert len(space.views.corrections) == 0


async def test_what_is_protected_is_beyond_doubt(engine: Engine, clock: FixedClock) -> None:
    clock.advance(9 * 86_400)
    async with momo(engine) as space:
        await put(space, replace(HOME, protected=True), told("Lin lives in Rome.", slot="home", object="rome"))
        before = space.persona.get("master", "prom_home")
        await weigh(space, NAMES)
        assert space.persona.get("master", "prom_home") == before
