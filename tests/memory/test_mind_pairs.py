"""Facts that may say the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.engine import Engine
from memory.facts.dedup import compare_new, decide, resolve_pairs
from memory.facts.memory import Memory, from_transcript
from memory.facts.pairs import Pair
from memory.persona import mind
from tests.fakes import MORNING
from tests.memory.mind_world import fact, happened, momo, put, talk

OLD = fact("fact_old", "Lin works nights at the city hospital.", MORNING, signal_processed=True, sources=("turn_1",))
LATER = MORNING + timedelta(hours=1)


def pair(**more: object) -> Pair:
    known: dict[str, object] = {
        "candidate_id": "fact_new", "existing_id": "fact_old", "candidate_text": "", "existing_text": "",
        "entity": "master", "similarity": 0.9, "queued_at": MORNING,
    }  # fmt: skip
    return Pair(**{**known, **more})  # type: ignore[arg-type]


async def test_the_same_text_in_other_clothes_is_merged_and_weighs_more(engine: Engine) -> None:
    new = fact("fact_new", "lin works nights at THE city hospital", LATER, sources=("turn_2",))
    async with momo(engine) as space:
        await put(space, OLD, new)
        await compare_new(space)
        [kept] = list(space.facts)
        assert (kept.id, kept.importance, kept.extra["merged_from_ids"]) == ("fact_old", 8, ["fact_new"])
        assert kept.sources == ("turn_2", "turn_1")
        assert kept.repeated_at == (LATER,)


async def test_two_facts_that_only_resemble_each_other_are_queued_and_stay(engine: Engine) -> None:
    new = fact("fact_new", "Lin works late at the city hospital.", LATER)
    async with momo(engine) as space:
        await put(space, OLD, new)
        await compare_new(space)
        await compare_new(space)
        [queued] = list(space.views.pending_pairs)
        assert (queued.candidate_id, queued.existing_id, queued.needs_model) == ("fact_new", "fact_old", True)
        assert len(space.facts) == 2
        for _ in range(10):
            await resolve_pairs(space)
        assert mind.undecided(space)["fact_pairs"] == 1


@pytest.mark.parametrize("new", [
    fact("fact_new", "Lin has a boat.", LATER),
    fact("fact_new", "Momo works nights at the city hospital.", LATER, entity="neko"),
])  # fmt: skip
async def test_other_facts_are_not_compared(engine: Engine, new: object) -> None:
    async with momo(engine) as space:
        await put(space, OLD, new)  # type: ignore[arg-type]
        await compare_new(space)
        assert len(space.views.pending_pairs) == 0
        assert len(space.facts) == 2


async def test_what_somebody_stored_under_a_key_is_never_merged(engine: Engine) -> None:
    kept = Memory(category="events", importance=0.7, boundary=from_transcript("events")[1])
    stored = replace(fact("fact_new", OLD.text, LATER), memory=kept)
    async with momo(engine) as space:
        await put(space, OLD, stored)
        await compare_new(space)
        assert len(space.facts) == 2


@pytest.mark.parametrize(("candidate", "existing", "action"), [
    ({"text": "Lin likes tea."}, {"text": "lin likes tea"}, "merge"),
    ({"text": "Lin likes tea", "negated": True}, {"text": "lin likes tea"}, None),
    ({"text": "Lin has a cat", "slot": "pet", "object": "cat"},
     {"text": "Lin has a dog", "slot": "pet", "object": "dog"}, "keep_both"),
    ({"text": "Lin really likes tea", "slot": "preference", "object": "tea"},
     {"text": "really likes tea", "slot": "preference", "object": "tea"}, "replace"),
    ({"text": "likes tea", "slot": "preference", "object": "tea"},
     {"text": "Lin likes tea", "slot": "preference", "object": "tea"}, "merge"),
    ({"text": "我养了猫"}, {"text": "我养了狗"}, None),
])  # fmt: skip
def test_rules_decide_only_what_is_certain(
    candidate: dict[str, object], existing: dict[str, object], action: str | None
) -> None:
    one = fact("a", str(candidate.pop("text")), LATER, **candidate)
    other = fact("b", str(existing.pop("text")), MORNING, **existing)
    assert decide(one, other)[0] == action


async def test_a_queue_of_another_program_is_worked_off(engine: Engine) -> None:
    new = fact("fact_new", "Lin works nights at the city hospital!", LATER, signal_processed=True)
    async with momo(engine) as space:
        await put(space, OLD, new)
        async with space.journal.write() as batch:
            for one in (pair(), pair(candidate_id="fact_gone")):
                batch.add("pair.queued", {"pair": space.views.pending_pairs.to_row(one)})
        assert await resolve_pairs(space) == 1
        assert await resolve_pairs(space) == 1
        assert [(data["action"], data["rule"]) for data in await happened(space, "pair.resolved")] == [
            ("merge", "same_text"), ("gone", "one_is_gone"),
        ]  # fmt: skip
        assert len(space.views.pending_pairs) == 0


async def test_what_is_said_again_is_kept_once_with_its_occasions(engine: Engine) -> None:
    await talk(engine, ("I live in Porto.", ""), ("I live in Porto!", ""))
    async with momo(engine) as space:
        kept = list(space.facts)
        assert [(one.sources, len(one.repeated_at)) for one in kept] == [(("turn_1", "turn_2"), 1)]
        assert [data["reason"] for data in await happened(space, "fact.dropped")] == ["repeat"]


async def test_what_is_said_again_after_it_was_archived_stays_there(engine: Engine) -> None:
    await talk(engine, ("I live in Porto.", ""))
    async with momo(engine) as space, space.journal.write() as batch:
        batch.add("fact.archived", {"facts": await happened(space, "fact.added")})
    await talk(engine, ("I live in Porto.", ""))
    async with momo(engine) as space:
        assert len(space.facts) == 0
        assert [len(one.repeated_at) for one in space.views.facts_archive] == [1]


async def test_a_new_value_supersedes_an_archived_one_too(engine: Engine) -> None:
    await talk(engine, ("I live in Porto.", ""))
    async with momo(engine) as space, space.journal.write() as batch:
        batch.add("fact.archived", {"facts": await happened(space, "fact.added")})
    await talk(engine, ("Actually I moved to Rome.", ""))
    async with momo(engine) as space:
        [old], [new] = list(space.views.facts_archive), list(space.facts)
        assert old.superseded_by == new.id
