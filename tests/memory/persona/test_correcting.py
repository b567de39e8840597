"""Settling what contradicts the persona."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.engine import Engine
from memory.facts.fact import Fact
from memory.persona import mind
from memory.persona.correct import resolve_corrections
from memory.persona.corrections import Correction
from memory.persona.entry import Entry
from memory.reflections.reflection import CONFIRMED, MERGED, PROMOTED
from tests.fakes import MORNING, FixedClock
from tests.memory.mind_world import NAMES, confirmed, entry, fact, happened, momo, put, reflection

LATER = MORNING + timedelta(days=9)
PORTO = entry("prom_home", "Lin lives in Porto.", MORNING, slot="home", object="porto")
TEA = entry("prom_tea", "Lin likes tea.", MORNING, slot="preference", object="tea")


def against(held: Entry, newer: Fact) -> Correction:
    return Correction(old_text=held.text, new_text=newer.text, entity="master", created_at=LATER, fact_id=newer.id,
                      entry_id=held.id)  # fmt: skip


async def settled(engine: Engine, clock: FixedClock, held: Entry, newer: Fact) -> Entry | None:
    clock.advance(10 * 86_400)
    async with momo(engine) as space:
        await put(space, held, newer)
        async with space.journal.write() as batch:
            row = space.views.corrections.to_row(against(held, newer))
            batch.add("correction.queued", {"correction": row})
        await resolve_corrections(space, NAMES)
        return space.persona.get("master", held.id)


async def actions(engine: Engine) -> list[tuple[str, str]]:
    async with momo(engine) as space:
        return [(data["action"], data["rule"]) for data in await happened(space, "correction.resolved")]


async def test_a_newer_value_replaces_the_old_one_which_stays_in_the_history(engine: Engine, clock: FixedClock) -> None:
    rome = fact("fact_1", "Lin lives in Rome.", LATER, slot="home", object="rome", importance=9)
    held = await settled(engine, clock, PORTO, rome)
    assert held is not None
    assert (held.text, held.object, held.source_fact_ids) == ("Lin lives in Rome.", "rome", ("fact_1",))
    assert [(one["text"], one["reason"], one["source_fact_id"]) for one in held.versions] == [
        ("Lin lives in Porto.", "correction", "fact_1")
    ]
    assert (held.evidence.reinforcement, held.evidence.disputation) == (0.6, 0.0)  # as a fact worth 9 begins
    assert await actions(engine) == [("keep_new", "newer_value")]
    async with momo(engine) as space:
        assert len(space.views.corrections) == 0
        assert len(await happened(space, "persona.entry_updated")) == 1


async def test_a_change_of_mind_replaces_too(engine: Engine, clock: FixedClock) -> None:
    off = fact("fact_1", "Lin doesn't like tea anymore.", LATER, slot="preference", object="tea", negated=True,
               correction=True)  # fmt: skip
    held = await settled(engine, clock, TEA, off)
    assert held is not None
    assert (held.text, held.negated) == ("Lin doesn't like tea anymore.", True)
    assert await actions(engine) == [("keep_new", "change_of_mind")]


async def test_the_opposite_without_a_cue_of_change_is_left_to_a_model_for_as_long_as_it_takes(
    engine: Engine, clock: FixedClock
) -> None:
    held = await settled(engine, clock, TEA, fact("fact_1", "Lin dislikes tea.", LATER, slot="preference", object="tea",
                                                  negated=True))  # fmt: skip
    assert held == TEA
    async with momo(engine) as space:
        assert [one.needs_model for one in space.views.corrections] == [True]
        assert mind.undecided(space)["corrections"] == 1
        before = space.journal.seq
        for _ in range(10):
            await resolve_corrections(space, NAMES)
        assert space.journal.seq == before


async def test_an_older_value_does_not_replace(engine: Engine, clock: FixedClock) -> None:
    old = fact("fact_1", "Lin lives in Rome.", MORNING - timedelta(days=1), slot="home", object="rome")
    held = await settled(engine, clock, PORTO, old)
    assert held == PORTO


async def test_a_fuller_wording_is_taken_over(engine: Engine, clock: FixedClock) -> None:
    fuller = fact("fact_1", "Lin likes tea. A lot", LATER)
    held = await settled(engine, clock, TEA, fuller)
    assert held is not None
    assert held.text == "Lin likes tea. A lot"
    assert await actions(engine) == [("merge", "contained")]


async def test_a_question_of_another_program_about_an_entry_that_is_gone_adds_the_new_sentence(engine: Engine) -> None:
    async with momo(engine) as space:
        row = {"old_text": "gone", "new_text": "Lin sings.", "entity": "master", "created_at": "2026-04-01T08:00:00"}
        async with space.journal.write() as batch:
            batch.add("correction.queued", {"correction": row})
        await resolve_corrections(space, NAMES)
        added = list(space.persona)
        assert [one.text for one in added] == ["Lin sings."]
        assert added[0].id.startswith("manual_20260504100000_")


@pytest.mark.parametrize(("new", "status", "entries"), [
    ({"slot": "preference", "object": "jazz", "text": "Lin likes jazz."}, PROMOTED, 2),
    ({"slot": "preference", "object": "tea", "text": "Lin likes tea."}, MERGED, 1),
])  # fmt: skip
async def test_the_reflection_that_asked_is_settled_with_it(
    engine: Engine, new: dict[str, str], status: str, entries: int
) -> None:
    text = new["text"]
    one = replace(
        confirmed(reflection("ref_1", text, MORNING), MORNING, 2.0), slot=new["slot"], object=new["object"]
    )
    asked = Correction(old_text=TEA.text, new_text=text, entity="master", created_at=LATER, reflection_id="ref_1",
                       entry_id="prom_tea")  # fmt: skip
    async with momo(engine) as space:
        await put(space, TEA, one)
        async with space.journal.write() as batch:
            batch.add("correction.queued", {"correction": space.views.corrections.to_row(asked)})
        assert (space.reflections.get("ref_1") or one).status == CONFIRMED
        await resolve_corrections(space, NAMES)
        assert (space.reflections.get("ref_1") or one).status == status
        assert len(space.persona) == entries
        assert all(known.id for known in space.persona)
