"""Duplicates become one, and what is of the first schema is read again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.engine import Engine
from memory.persona.refine import refine
from memory.reflections.evidence import Evidence
from memory.reflections.recheck import recheck
from memory.reflections.reflection import EPISODE, MERGED, PATTERN, PENDING, STATE, fits_ontology
from tests.fakes import MORNING
from tests.memory.mind_world import entry, happened, momo, put, reflection

TEA = reflection("ref_1", "Lin likes tea.", MORNING, slot="preference", object="tea")


async def test_the_older_of_two_equal_reflections_stays_with_the_larger_trust(engine: Engine) -> None:
    again = replace(TEA, id="ref_2", evidence=Evidence(reinforcement=0.8, reinforced_at=MORNING))
    async with momo(engine) as space:
        await put(space, TEA, again)
        assert await refine(space) == 1
        kept, gone = space.reflections.get("ref_1"), space.reflections.get("ref_2")
        assert kept is not None
        assert gone is not None
        assert (kept.status, kept.evidence.reinforcement) == (PENDING, 0.8)
        assert (gone.status, gone.absorbed_into) == (MERGED, "ref_1")
        assert await refine(space) == 0


async def test_the_fuller_of_two_entries_gives_the_wording(engine: Engine) -> None:
    one = entry("e1", "Lin likes tea", MORNING, slot="preference", object="tea", source_fact_ids=("f1",))
    other = entry("e2", "Every day Lin likes tea", MORNING, slot="preference", object="tea", source_fact_ids=("f2",))
    async with momo(engine) as space:
        await put(space, one, other)
        assert await refine(space) == 1
        [kept] = list(space.persona)
        assert (kept.id, kept.text, kept.merged_from_ids, kept.source_fact_ids) == (
            "e1", "Every day Lin likes tea", ("e2",), ("f1", "f2"),
        )  # fmt: skip
        assert len(await happened(space, "persona.entry_removed")) == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(TEA, id="ref_2", text="Lin hates tea.", statement="Lin hates tea.", negated=True),
        replace(TEA, id="ref_2", text="Momo likes tea.", statement="Momo likes tea.", entity="neko"),
        replace(TEA, id="ref_2", text="Lin likes teapots.", statement="Lin likes teapots.", object="teapots"),
    ],
)
async def test_what_only_resembles_it_is_left_alone(engine: Engine, other: object) -> None:
    async with momo(engine) as space:
        await put(space, TEA, other)  # type: ignore[arg-type]
        assert await refine(space) == 0


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("Lin drinks tea every day.", PATTERN), ("小林喜欢喝茶", PATTERN), ("Lin is stressed lately.", STATE),
        ("小林最近压力很大", STATE), ("Lin met an old friend yesterday.", EPISODE), ("Lin is tall.", PATTERN),
    ],
)  # fmt: skip
async def test_a_reflection_of_the_first_schema_gets_its_scope_from_its_words(
    engine: Engine, text: str, scope: str
) -> None:
    async with momo(engine) as space:
        await put(space, reflection("ref_1", text, MORNING, temporal_scope=None, schema_version=1))
        assert await recheck(space)
        read = space.reflections.get("ref_1")
        assert read is not None
        assert (read.schema_version, read.temporal_scope) == (2, scope)
        assert not await recheck(space)


async def test_yesterday_is_the_day_before_it_was_said(engine: Engine) -> None:
    text = "Lin met an old friend yesterday."
    async with momo(engine) as space:
        await put(space, reflection("ref_1", text, MORNING - timedelta(days=50), temporal_scope=None, schema_version=1))
        await recheck(space)
        read = space.reflections.get("ref_1")
        assert read is not None
        assert read.event_start_at == MORNING - timedelta(days=51)


async def test_one_at_a_time_the_oldest_first(engine: Engine) -> None:
    old = reflection("ref_old", "Lin is tall.", MORNING - timedelta(days=9), schema_version=1)
    async with momo(engine) as space:
        await put(space, replace(old, id="ref_new", created_at=MORNING), old)
        await recheck(space)
        assert {one.id: one.schema_version for one in space.reflections} == {"ref_new": 1, "ref_old": 2}


@pytest.mark.parametrize(
    ("entity", "relation", "scope", "fits"),
    [
        ("master", "preference", "pattern", True), ("master", "role_note", "pattern", False),
        ("neko", "role_note", "ongoing", True), ("relationship", "milestone", "state", True),
        ("relationship", "habit", "state", False), ("master", "habit", "always", False),
        ("nobody", "habit", "state", False), ("master", None, "state", False),
    ],
)  # fmt: skip
def test_each_entity_has_relations_of_its_own(entity: str, relation: str | None, scope: str, fits: bool) -> None:
    assert fits_ontology(entity, relation, scope) == fits
