"""From pending to confirmed to held for good; and what stands in the way."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.engine import Engine
from memory.persona import mind
from memory.persona.entry import Entry
from memory.persona.promote import promote
from memory.reflections.evidence import Evidence
from memory.reflections.reflection import CONFIRMED, DENIED, EPISODE, MERGED, PENDING, PROMOTED, STATE, Reflection
from tests.fakes import MORNING, FixedClock
from tests.memory.mind_world import NAMES, confirmed, entry, happened, momo, put, reflection

DAY = timedelta(days=1)
TEA = reflection("ref_tea", "Lin has mentioned this (3 times): Lin likes tea.", MORNING, statement="Lin likes tea.",
                 slot="preference", object="tea", source_fact_ids=("fact_1",))  # fmt: skip


def with_trust(one: Reflection, amount: float, against: float = 0.0) -> Reflection:
    evidence = Evidence(reinforcement=amount, reinforced_at=MORNING, disputation=against, disputed_at=MORNING)
    return replace(one, evidence=evidence)


async def after(engine: Engine, *things: Reflection | Entry, powerful: bool = True) -> Reflection:
    async with momo(engine) as space:
        await put(space, *things)
        await promote(space, NAMES, powerful=powerful)
        found = space.reflections.get("ref_tea")
        assert found is not None
        return found


async def test_a_score_of_one_confirms(engine: Engine) -> None:
    held = await after(engine, with_trust(TEA, 1.0))
    assert (held.status, held.entered[CONFIRMED]) == (CONFIRMED, MORNING)
    async with momo(engine) as space:
        [data] = await happened(space, "reflection.state_changed")
        assert (data["from"], data["to"], data["rule"]) == (PENDING, CONFIRMED, "score")


async def test_a_week_unopposed_confirms(engine: Engine, clock: FixedClock) -> None:
    clock.advance(7 * 86_400)
    held = await after(engine, with_trust(TEA, 0.2))
    assert held.status == CONFIRMED
    assert held.extra["auto_confirmed"] is True


@pytest.mark.parametrize(
    "held",
    [
        with_trust(TEA, 0.0),                                   # silence confirms nothing
        with_trust(TEA, 0.5, against=1.0),
        replace(with_trust(TEA, 0.2), temporal_scope=STATE, event_end_at=MORNING - 2 * DAY),
    ],
)
async def test_a_week_is_not_enough_for_what_has_no_trust_left_or_is_over(
    engine: Engine, clock: FixedClock, held: Reflection
) -> None:
    clock.advance(7 * 86_400)
    assert (await after(engine, held)).status == PENDING


async def test_a_score_of_two_promotes(engine: Engine) -> None:
    held = await after(engine, confirmed(TEA, MORNING, 2.0))
    assert held.status == PROMOTED
    async with momo(engine) as space:
        new = space.persona.get("master", "prom_ref_tea")
        assert new is not None
        assert (new.text, new.source, new.source_id) == ("Lin likes tea.", "reflection", "ref_tea")
        assert (new.evidence.reinforcement, new.slot, new.source_fact_ids) == (2.0, "preference", ("fact_1",))
        assert [data["rule"] for data in await happened(space, "persona.fact_added")] == ["fresh_by_score"]


async def test_a_week_as_confirmed_promotes_a_pattern(engine: Engine, clock: FixedClock) -> None:
    clock.advance(7 * 86_400)
    held = await after(engine, confirmed(TEA, MORNING, 0.3))
    assert held.status == PROMOTED
    async with momo(engine) as space:
        new = space.persona.get("master", "prom_ref_tea")
        assert new is not None
        assert new.source == "reflection_time_driven"


@pytest.mark.parametrize("scope", [STATE, EPISODE])
async def test_what_passes_is_never_held_for_good_by_age(engine: Engine, clock: FixedClock, scope: str) -> None:
    clock.advance(7 * 86_400)
    lasting = replace(confirmed(TEA, MORNING, 0.3), temporal_scope=scope, event_end_at=MORNING + 6 * DAY)
    assert (await after(engine, lasting)).status == CONFIRMED


async def test_without_powerful_memory_only_age_counts(engine: Engine, clock: FixedClock) -> None:
    assert (await after(engine, with_trust(TEA, 5.0), powerful=False)).status == PENDING
    clock.advance(7 * 86_400)
    async with momo(engine) as space:
        await promote(space, NAMES, powerful=False)
        assert (space.reflections.get("ref_tea") or TEA).status == CONFIRMED


async def test_resetting_the_age_keeps_what_is_confirmed_from_being_promoted_at_once(
    engine: Engine, clock: FixedClock
) -> None:
    async with momo(engine) as space:
        await put(space, confirmed(TEA, MORNING, 0.5), reflection("ref_other", "pending", MORNING))
        clock.advance(7 * 86_400)
        assert await mind.reset_confirmed(space) == 1
        await promote(space, NAMES, powerful=False)
        assert (space.reflections.get("ref_tea") or TEA).status == CONFIRMED
        clock.advance(7 * 86_400)
        await promote(space, NAMES, powerful=False)
        assert (space.reflections.get("ref_tea") or TEA).status == PROMOTED
        assert await mind.reset_confirmed(space) == 0


async def test_it_becomes_part_of_an_entry_that_says_the_same(engine: Engine) -> None:
    known = entry("prom_old", "Lin likes tea", MORNING, slot="preference", object="tea", source_fact_ids=("fact_0",))
    held = await after(engine, known, confirmed(TEA, MORNING, 2.0))
    assert (held.status, held.absorbed_into) == (MERGED, "prom_old")
    async with momo(engine) as space:
        assert [one.id for one in space.persona] == ["prom_old"]
        merged = space.persona.get("master", "prom_old")
        assert merged is not None
        assert merged.text == "Lin likes tea."                      # the fuller wording
        assert merged.versions[0]["text"] == "Lin likes tea"
        assert merged.evidence.reinforcement == 2.0                 # the larger, not the sum
        assert merged.merged_from_ids == ("ref_tea",)
        assert merged.source_fact_ids == ("fact_0", "fact_1")


async def test_a_merge_that_changes_no_word_is_no_rewriting(engine: Engine) -> None:
    known = entry("prom_old", "Lin likes tea.", MORNING, slot="preference", object="tea")
    await after(engine, known, confirmed(TEA, MORNING, 2.0))
    async with momo(engine) as space:
        assert await happened(space, "persona.entry_updated") == []


async def test_what_the_card_says_otherwise_is_denied(engine: Engine) -> None:
    card = entry("card_1", "年龄: 24", MORNING, protected=True, source="character_card")
    age = replace(confirmed(TEA, MORNING, 2.0), slot="age", object="30", statement="Lin is 30.")
    held = await after(engine, card, age)
    assert (held.status, held.extra["denied_reason"]) == (DENIED, "rejected_by_persona_add:rejected_card")


@pytest.mark.parametrize("text", ["职业: 护士", "爱好: 喝茶", "Lin likes coffee with tea"])
async def test_sharing_words_with_the_card_is_no_contradiction(engine: Engine, text: str) -> None:
    card = entry("card_1", text, MORNING, protected=True, source="character_card")
    assert (await after(engine, card, confirmed(TEA, MORNING, 2.0))).status == PROMOTED


async def test_a_cat_and_a_dog_do_not_contradict_each_other(engine: Engine) -> None:
    cat = entry("prom_cat", "Lin养了一只猫。", MORNING, slot="pet", object="猫")
    dog = replace(confirmed(TEA, MORNING, 2.0), statement="Lin养了一只狗。", slot="pet", object="狗")
    assert (await after(engine, cat, dog)).status == PROMOTED


async def test_a_contradiction_of_a_trusted_entry_is_queued_once_and_waits(engine: Engine) -> None:
    known = entry("prom_old", "Lin hates tea.", MORNING, slot="preference", object="tea", negated=True)
    held = await after(engine, known, confirmed(TEA, MORNING, 2.0))
    assert held.status == CONFIRMED
    async with momo(engine) as space:
        before = space.journal.seq
        await promote(space, NAMES)
        assert space.journal.seq == before  # asked once, no loop
        queued = list(space.views.corrections)
        assert [(one.reflection_id, one.entry_id) for one in queued] == [("ref_tea", "prom_old")]
        assert len(space.persona) == 1


async def test_an_entry_that_is_doubted_already_stands_in_nobodys_way(engine: Engine) -> None:
    known = entry(
        "prom_old", "Lin hates tea.", MORNING, slot="preference", object="tea", negated=True,
        evidence=Evidence(disputation=1.0, disputed_at=MORNING),
    )  # fmt: skip
    assert (await after(engine, known, confirmed(TEA, MORNING, 2.0))).status == PROMOTED


@pytest.mark.parametrize("powerful", [True, False])
async def test_what_a_model_drew_waits_for_evidence_while_memory_is_powerful(
    engine: Engine, clock: FixedClock, powerful: bool
) -> None:
    clock.advance(9 * 86_400)
    drawn = replace(confirmed(TEA, MORNING, 0.5), method=None)
    held = await after(engine, drawn, powerful=powerful)
    assert held.status == (CONFIRMED if powerful else PROMOTED)


async def test_what_is_about_a_group_is_left_alone(engine: Engine, clock: FixedClock) -> None:
    clock.advance(9 * 86_400)
    of_group = replace(confirmed(TEA, MORNING, 5.0), extra={"subject_kind": "group_chat", "subject_id": "1"})
    assert (await after(engine, of_group)).status == CONFIRMED


async def test_reflect_answers_with_what_it_drew_or_nothing(engine: Engine) -> None:
    async with momo(engine) as space:
        assert await mind.reflect(space, NAMES) is None
