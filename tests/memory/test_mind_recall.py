"""What recall finds of reflections and persona."""

from __future__ import annotations

from dataclasses import replace

from memory.engine import Engine
from memory.recall.document import DEFAULT_TIERS, PERSONA
from memory.recall.query import Query
from memory.reflections.evidence import Evidence
from memory.reflections.mentions import Mentions
from memory.reflections.reflection import DENIED
from memory.search import search
from tests.fakes import MORNING, FixedClock
from tests.memory.mind_world import NAMES, confirmed, entry, fact, momo, put, reflection

TEA = reflection("ref_tea", "Lin likes jasmine tea.", MORNING, source_fact_ids=("fact_1",))


async def found(engine: Engine, *tiers: str) -> list[tuple[str, str]]:
    async with momo(engine) as space:
        answer = await search(space, Query(text="jasmine tea", tiers=tiers or DEFAULT_TIERS), NAMES)
        return [(hit.document.tier, hit.document.id) for hit in answer.hits]


async def test_pending_and_confirmed_reflections_are_found(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, TEA, confirmed(replace(TEA, id="ref_2", text="Lin buys jasmine tea in Lisbon."), MORNING))
    assert sorted(await found(engine)) == [("reflection", "ref_2"), ("reflection", "ref_tea")]


async def test_ended_and_resting_ones_are_not(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, TEA)
    assert await found(engine)
    async with momo(engine) as space:
        await put(space, replace(TEA, status=DENIED))
        await put(space, replace(TEA, id="ref_2", mentions=Mentions(resting=True, since=MORNING)))
    assert await found(engine) == []


async def test_one_that_grows_doubtful_as_its_trust_fades_is_hidden(engine: Engine, clock: FixedClock) -> None:
    # 1.0 · 0.5^(age/30) falls below 0.8 · 0.5^(age/180) after twelve days
    trust = Evidence(reinforcement=1.0, reinforced_at=MORNING, disputation=0.8, disputed_at=MORNING)
    async with momo(engine) as space:
        await put(space, replace(TEA, evidence=trust))
    assert await found(engine) == [("reflection", "ref_tea")]
    clock.advance(20 * 86_400)
    assert await found(engine) == []


async def test_silence_hides_nothing(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, replace(TEA, evidence=Evidence(reinforcement=-0.2, reinforced_at=MORNING)))
    assert await found(engine) == [("reflection", "ref_tea")]


async def test_a_rest_that_is_over_shows_it_again(engine: Engine, clock: FixedClock) -> None:
    async with momo(engine) as space:
        await put(space, replace(TEA, mentions=Mentions(resting=True, since=MORNING)))
    assert await found(engine) == []
    clock.advance(5 * 3_600)
    assert await found(engine) == [("reflection", "ref_tea")]


async def test_the_persona_is_found_only_where_it_is_asked_for(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, entry("prom_tea", "Lin likes jasmine tea.", MORNING))
        await put(space, entry("card_1", "爱好: jasmine tea", MORNING, protected=True))
    assert await found(engine) == []
    assert await found(engine, PERSONA) == [("persona", "persona.master.prom_tea")]


async def test_a_fact_that_was_denied_ranks_behind_one_that_stands(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(
            space,
            fact("fact_1", "Lin likes jasmine tea.", MORNING, denied_in="turn_9"),
            fact("fact_2", "Lin bought jasmine tea in Lisbon.", MORNING),
        )
    assert [known for _, known in await found(engine)] == ["fact_2", "fact_1"]
