"""What a model decides about the persona, and what it cannot."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory.engine import Engine
from memory.persona.corrections import Correction
from memory.persona.entry import Entry
from memory.persona.judge import judge_corrections, judge_promotions
from memory.persona.pen import PersonaPen
from memory.persona.promote import MOST_ATTEMPTS, promote
from memory.reflections.pen import Because
from memory.reflections.reflection import Reflection
from memory.space import MemorySpace
from tests.fakes import MORNING, FixedClock, ScriptedChat
from tests.memory.mind_world import NAMES, confirmed, entry, momo, put, reflection, texts

NEW = confirmed(reflection("ref_1", "Lin plays the cello in an evening orchestra.", MORNING), MORNING, 3.0)
HELD = entry("per_1", "Lin plays the cello.", MORNING)
OTHER = entry("per_2", "Lin grew up by the sea.", MORNING)
BOTH = "Lin plays the cello in an evening orchestra."


async def judged(engine: Engine, said: Any, *held: Entry) -> tuple[Reflection, list[str]]:
    async with momo(engine) as space:
        await put(space, *(held or (HELD, OTHER)), NEW)
        assert await promote(space, NAMES, defer=True) == 0     # left to the model
        await judge_promotions(space, NAMES, ScriptedChat(json.dumps(said)))
        one = space.reflections.get("ref_1")
        assert one is not None
        return one, texts(space.persona)


async def test_what_is_new_is_added(engine: Engine) -> None:
    one, held = await judged(engine, {"action": "promote_fresh", "reason": "new"})
    assert (one.status, held) == ("promoted", [HELD.text, OTHER.text, NEW.text])


async def test_what_is_held_in_part_is_merged(engine: Engine) -> None:
    said = {"action": "merge_into", "target_id": "persona.master.per_1", "merged_text": BOTH}
    one, held = await judged(engine, said)
    assert (one.status, one.absorbed_into, held) == ("merged", "per_1", [BOTH, OTHER.text])


@pytest.mark.parametrize("said", [
    {"action": "merge_into", "target_id": "persona.master.per_9", "merged_text": BOTH},
    {"action": "merge_into", "target_id": "persona.neko.per_1", "merged_text": BOTH},
    {"action": "merge_into", "target_id": "persona.master.per_1", "merged_text": "Lin is a criminal wanted in Rome."},
    {"action": "merge_into", "target_id": "persona.master.per_1"}, {"action": "obey"}, [], "promote_fresh",
])  # fmt: skip
async def test_a_decision_out_of_bounds_changes_nothing(engine: Engine, said: Any) -> None:
    one, held = await judged(engine, said)
    assert (one.status, held, one.promote_attempts) == ("confirmed", [HELD.text, OTHER.text], 1)


async def test_a_model_that_never_decides_leaves_it_to_the_rules(engine: Engine, clock: FixedClock) -> None:
    chat = ScriptedChat("no")
    async with momo(engine) as space:
        await put(space, HELD, NEW)
        for _ in range(20):
            await promote(space, NAMES, defer=True)
            await judge_promotions(space, NAMES, chat)
            clock.advance(600)
        assert len(chat.asked) == MOST_ATTEMPTS
        one = space.reflections.get("ref_1")
        assert one is not None
        assert one.status == "promoted"


async def test_what_resembles_nothing_is_not_asked_about(engine: Engine) -> None:
    chat = ScriptedChat("{}")
    async with momo(engine) as space:
        await put(space, OTHER, NEW)
        assert await promote(space, NAMES, defer=True) == 1
        await judge_promotions(space, NAMES, chat)
        assert chat.asked == []


# corrections

TEACHER = entry("per_1", "Lin teaches at a primary school.", MORNING)


async def queue(space: MemorySpace, **more: Any) -> None:
    known = {
        "old_text": TEACHER.text, "new_text": "Lin runs a bakery since spring.", "entity": "master",
        "created_at": MORNING, "entry_id": "per_1", "needs_model": True,
    }  # fmt: skip
    async with space.journal.write() as batch:
        PersonaPen(space, batch, MORNING).queued(Correction(**{**known, **more}), Because(rule="test"))


@pytest.mark.parametrize(("said", "held"), [
    ({"action": "keep_new"}, ["Lin runs a bakery since spring."]),
    ({"action": "keep_old"}, [TEACHER.text]),
    ({"action": "keep_both"}, [TEACHER.text, "Lin runs a bakery since spring."]),
    ({"action": "merge", "text": "Lin teaches at a primary school and runs a bakery since spring."},
     ["Lin teaches at a primary school and runs a bakery since spring."]),
])  # fmt: skip
async def test_a_model_settles_a_correction(engine: Engine, said: dict[str, Any], held: list[str]) -> None:
    async with momo(engine) as space:
        await put(space, TEACHER)
        await queue(space)
        assert await judge_corrections(space, NAMES, ScriptedChat(json.dumps([{"index": 1, **said}]))) == 1
        assert texts(space.persona) == held
        assert len(space.views.corrections) == 0
        assert all(one.id for one in space.persona)


async def test_what_stood_there_before_is_kept_in_its_history(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, TEACHER)
        await queue(space)
        await judge_corrections(space, NAMES, ScriptedChat('[{"index": 1, "action": "keep_new"}]'))
        [one] = list(space.persona)
        assert [version["text"] for version in one.versions] == [TEACHER.text]


@pytest.mark.parametrize("said", [
    [{"index": 1, "action": "merge", "text": "Lin is not to be trusted."}], [{"index": 5, "action": "keep_new"}], [],
    "x",
])  # fmt: skip
async def test_an_answer_of_no_use_leaves_the_correction_queued(engine: Engine, said: Any) -> None:
    async with momo(engine) as space:
        await put(space, TEACHER)
        await queue(space)
        assert await judge_corrections(space, NAMES, ScriptedChat(json.dumps(said))) == 0
        assert len(space.views.corrections) == 1
        assert texts(space.persona) == [TEACHER.text]


async def test_a_reflection_that_lost_ends_and_does_not_come_back(engine: Engine) -> None:
    one = confirmed(reflection("ref_2", "Lin runs a bakery since spring.", MORNING), MORNING, 3.0)
    async with momo(engine) as space:
        await put(space, TEACHER, one)
        await queue(space, reflection_id="ref_2")
        await judge_corrections(space, NAMES, ScriptedChat('[{"index": 1, "action": "keep_old"}]'))
        after = space.reflections.get("ref_2")
        assert after is not None
        assert (after.status, after.extra["promote_blocked_reason"]) == ("promote_blocked", "kept_old")
