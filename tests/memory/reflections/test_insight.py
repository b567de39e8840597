"""Reflections that a model draws, words or places in time."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from memory.engine import Engine
from memory.facts.fact import Fact
from memory.reflections.insight import draw
from memory.reflections.reflection import Reflection
from memory.reflections.reword import place_in_time, reword
from memory.reflections.synthesize import synthesize
from tests.fakes import MORNING, FixedClock, ScriptedChat
from tests.memory.mind_world import NAMES, fact, momo, put, reflection

FACTS = tuple(
    fact(f"fact_{number}", text, MORNING + timedelta(hours=number), signal_processed=True, sources=(f"turn_{number}",))
    for number, text in enumerate(
        (
            "Lin takes the night bus to the harbour.", "Lin sketches ships at the harbour.", "Lin owns a raincoat.",
            "Lin collects old sea charts.", "Lin sold the car.",
        ),
        start=1,
    )
)  # fmt: skip
TEXT = "Lin goes to the harbour by night bus and sketches ships and collects sea charts."
ANSWER = {
    "reflection": TEXT, "facts": [1, 2, 4], "entity": "relationship", "relation_type": "habit",
    "temporal_scope": "pattern", "event_when": None,
}  # fmt: skip


async def drawn(engine: Engine, said: Any, *facts: Fact) -> Reflection | None:
    async with momo(engine) as space:
        await put(space, *(facts or FACTS))
        return await draw(space, NAMES, ScriptedChat(json.dumps(said)))


async def test_only_the_facts_it_rests_on_are_used_up(engine: Engine) -> None:
    one = await drawn(engine, {**ANSWER, "facts": [4, 2, 1, 2, 99]})
    assert one is not None
    # The numbers are those of the prompt: by weight, then by age.
    assert one.source_fact_ids == ("fact_1", "fact_2", "fact_4")
    assert (one.method, one.needs_model) == ("model:summary:scripted", False)
    async with momo(engine) as space:
        assert [each.id for each in space.facts if each.absorbed] == ["fact_1", "fact_2", "fact_4"]


async def test_its_subject_is_that_of_its_facts_whatever_the_model_says(engine: Engine) -> None:
    one = await drawn(engine, ANSWER)
    assert one is not None
    assert (one.entity, one.relation_type, one.temporal_scope) == ("master", "habit", "pattern")


async def test_a_relation_its_subject_cannot_have_is_left_out(engine: Engine) -> None:
    one = await drawn(engine, {**ANSWER, "relation_type": "role_note"})
    assert one is not None
    assert (one.relation_type, one.temporal_scope, one.text) == (None, None, TEXT)


@pytest.mark.parametrize("said", [
    {**ANSWER, "facts": [1]}, {**ANSWER, "facts": []}, {**ANSWER, "facts": ["fact_1", "fact_2"]},
    {**ANSWER, "reflection": "Lin secretly plans to rob a bank on Friday."}, {**ANSWER, "reflection": "x " * 500},
    {**ANSWER, "reflection": ""}, {**ANSWER, "reflection": 7}, [], {},
])  # fmt: skip
async def test_an_answer_the_facts_do_not_carry_is_a_failure(engine: Engine, said: Any) -> None:
    assert await drawn(engine, said) is None
    async with momo(engine) as space:
        assert [one.job for one in space.views.tries] == ["synthesis"]
        assert not any(each.absorbed for each in space.facts)


async def test_where_there_is_nothing_to_see_the_same_facts_are_not_shown_again(
    engine: Engine, clock: FixedClock
) -> None:
    assert await drawn(engine, {"reflection": None}) is None
    chat = ScriptedChat(json.dumps(ANSWER))
    async with momo(engine) as space:
        clock.advance(7 * 86_400)
        assert await draw(space, NAMES, chat) is None
        assert chat.asked == []
        await put(space, fact("fact_6", "Lin waits for the tide.", clock.now(), signal_processed=True))
        assert await draw(space, NAMES, chat) is not None


async def test_less_than_five_facts_are_not_worth_a_call(engine: Engine) -> None:
    chat = ScriptedChat(json.dumps(ANSWER))
    async with momo(engine) as space:
        await put(space, *FACTS[:4])
        assert await draw(space, NAMES, chat) is None
        assert chat.asked == []


# words

DAY = timedelta(days=1)
TEA = fact(
    "fact_tea", "Lin likes jasmine tea.", MORNING, repeated_at=(MORNING + DAY, MORNING + 2 * DAY), slot="preference",
    object="jasmine tea", sources=("turn_1",), signal_processed=True,
)  # fmt: skip


async def worded(engine: Engine, clock: FixedClock, text: str) -> tuple[Reflection, Reflection]:
    """What rules drew, before and after a model was asked to say it better."""
    clock.advance(3 * 86_400)
    async with momo(engine) as space:
        await put(space, TEA, *FACTS)
        before = await synthesize(space, NAMES)
        assert before is not None
        assert before.needs_model
        await reword(space, NAMES, ScriptedChat(json.dumps({"reflection": text})))
        after = space.reflections.get(before.id)
        assert after is not None
        return before, after


async def test_a_model_words_what_rules_drew_and_nothing_else_changes(engine: Engine, clock: FixedClock) -> None:
    before, after = await worded(engine, clock, "Lin likes jasmine tea.")
    assert after.text == "Lin likes jasmine tea."
    assert (after.id, after.evidence, after.source_fact_ids, after.method) == (
        before.id, before.evidence, before.source_fact_ids, before.method,
    )  # fmt: skip
    assert not after.needs_model
    assert after.extra["text_method"] == "model:summary:scripted"
    assert after.extra["modification_history"][0]["text"] == before.text


@pytest.mark.parametrize(
    "text", ["Lin dislikes coffee and hates mornings.", "Lin does not like jasmine tea.", "", "x " * 400]
)
async def test_a_wording_the_facts_do_not_carry_is_not_taken(engine: Engine, clock: FixedClock, text: str) -> None:
    before, after = await worded(engine, clock, text)
    assert after == before


async def test_what_is_told_again_is_worded_again(engine: Engine, clock: FixedClock) -> None:
    _, after = await worded(engine, clock, "Lin likes jasmine tea.")
    async with momo(engine) as space:
        again = fact(
            "fact_tea2", "Lin likes jasmine tea a lot.", clock.now(), slot="preference", object="jasmine tea",
            sources=("turn_9",), signal_processed=True,
        )  # fmt: skip
        await put(space, again)
        await synthesize(space, NAMES)
        told = space.reflections.get(after.id)
        assert told is not None
        assert told.needs_model


# times


async def test_a_model_places_a_reflection_of_the_first_schema_in_time(engine: Engine) -> None:
    old = reflection("ref_old", "Lin sprained an ankle.", MORNING, schema_version=1, temporal_scope=None)
    when = {"temporal_scope": "episode", "event_when": {"start": {"offset": -2, "unit": "day"}, "end": None}}
    async with momo(engine) as space:
        await put(space, old)
        assert await place_in_time(space, ScriptedChat(json.dumps(when)))
        placed = space.reflections.get("ref_old")
        assert placed is not None
        assert (placed.schema_version, placed.temporal_scope) == (2, "episode")
        assert placed.event_start_at == MORNING - 2 * DAY


async def test_where_a_model_does_not_say_rules_may(engine: Engine) -> None:
    old = reflection("ref_old", "Lin sprained an ankle.", MORNING, schema_version=1, temporal_scope=None)
    async with momo(engine) as space:
        await put(space, old)
        assert not await place_in_time(space, ScriptedChat('{"temporal_scope": "eternal"}'))
