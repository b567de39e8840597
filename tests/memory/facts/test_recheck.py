"""Facts of the first schema, which knew no times."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from memory.engine import Engine
from memory.errors import ModelFailed
from memory.facts.fact import Fact
from memory.facts.recheck import place_fact_in_time, recheck_facts
from memory.facts.record import to_record
from memory.models.chat import Tier
from tests.fakes import MORNING, ScriptedChat
from tests.memory.mind_world import fact, momo, put

LONG_AGO = MORNING - timedelta(days=50)


def old(id_: str, text: str, at: datetime = LONG_AGO, **more: Any) -> Fact:
    return fact(id_, text, at, extra={"schema_version": 1}, **more)


async def read_again(engine: Engine, one: Fact, chat: ScriptedChat | None = None) -> dict[str, Any]:
    async with momo(engine) as space:
        await put(space, one)
        if chat is None:
            assert await recheck_facts(space) == 1
        else:
            await place_fact_in_time(space, chat)
        placed = space.facts.get(one.id)
        assert placed is not None
        return to_record(placed)


async def test_a_row_that_knows_of_no_schema_is_of_the_first(engine: Engine) -> None:
    row = {"id": "fact_1", "text": "Lin plays chess.", "created_at": "2026-04-01T10:00:00"}
    async with momo(engine) as space:
        async with space.journal.write() as batch:
            batch.add("facts.adopted", {"reset": False, "facts": [row]})
        assert [one.id for one in space.facts.first_schema(99)] == ["fact_1"]
        assert to_record(next(iter(space.facts)))["schema_version"] == 1


async def test_what_the_words_say_of_the_time_is_read_from_when_it_was_written_down(engine: Engine) -> None:
    row = await read_again(engine, old("fact_1", "Lin met an old friend yesterday."))
    assert row["event_when_raw"] == {"start": {"offset": -1, "unit": "day"}, "end": None}
    assert row["event_start_at"] == (LONG_AGO - timedelta(days=1)).replace(tzinfo=None).isoformat()
    assert row["schema_version"] == 2


async def test_where_they_say_nothing_it_is_the_time_of_learning(engine: Engine) -> None:
    row = await read_again(engine, old("fact_1", "Lin plays chess."))
    assert (row["event_when_raw"], row["event_start_at"]) == (None, LONG_AGO.replace(tzinfo=None).isoformat())


async def test_what_another_program_knew_of_the_time_stays(engine: Engine) -> None:
    start = LONG_AGO - timedelta(days=9)
    row = await read_again(engine, old("fact_1", "Lin met an old friend yesterday.", event_start_at=start))
    assert row["event_start_at"] == start.replace(tzinfo=None).isoformat()


async def test_a_model_is_asked_only_where_words_may_tell_a_time_that_no_rule_reads(engine: Engine) -> None:
    chat = ScriptedChat('{"event_when": {"start": {"offset": -20, "unit": "year"}, "end": null}}')
    async with momo(engine) as space:
        await put(space, old("fact_1", "Lin plays chess."), old("fact_2", "Lin met a friend yesterday."))
        assert await place_fact_in_time(space, chat)
        assert chat.asked == []
        assert await recheck_facts(space, plain_only=True) == 2
    row = await read_again(engine, old("fact_3", "Lin broke a leg during childhood."), chat)
    assert row["event_when_raw"] == {"start": {"offset": -20, "unit": "year"}, "end": None}
    assert (row["schema_version"], row["time_method"]) == (2, "model:summary:scripted")
    [(tier, _)] = chat.asked
    assert tier == Tier.SUMMARY


async def test_a_model_that_sees_no_time_leaves_none(engine: Engine) -> None:
    row = await read_again(engine, old("fact_1", "Lin once sang in 3 choirs."), ScriptedChat('{"event_when": null}'))
    assert (row["event_when_raw"], row["schema_version"], "time_method" in row) == (None, 2, False)


@pytest.mark.parametrize("said", ["no", "{}", "[]", json.dumps({"when": "yesterday"})])
async def test_an_answer_of_no_use_leaves_the_fact_to_rules(engine: Engine, said: str) -> None:
    async with momo(engine) as space:
        await put(space, old("fact_1", "Lin once sang in 3 choirs."))
        assert not await place_fact_in_time(space, ScriptedChat(said))
        assert await recheck_facts(space) == 1
        assert space.facts.first_schema(99) == []


async def test_what_was_erased_while_the_model_thought_stays_away(engine: Engine) -> None:
    gate = asyncio.Event()
    chat = ScriptedChat('{"event_when": null}', gate=gate)
    async with momo(engine) as space:
        await put(space, old("fact_1", "Lin once sang in 3 choirs."))
        asking = asyncio.create_task(place_fact_in_time(space, chat))
        await chat.waiting.wait()
        async with space.journal.write() as batch:
            batch.add("fact.erased", {"ids": ["fact_1"]})
        gate.set()
        assert await asking
        assert space.facts.get("fact_1") is None


async def test_while_no_model_answers_a_fact_waits_for_rules(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, old("fact_1", "Lin once sang in 3 choirs."))
        down = ScriptedChat(ModelFailed(Tier.SUMMARY, "down", retryable=True))
        assert not await place_fact_in_time(space, down)
        assert [one.id for one in space.facts.first_schema(99)] == ["fact_1"]


async def test_what_came_first_is_read_first_and_not_too_many_at_once(engine: Engine) -> None:
    async with momo(engine) as space:
        facts = [old(f"fact_{day}", "Lin plays chess.", LONG_AGO + timedelta(days=day)) for day in range(60)]
        await put(space, *facts)
        assert await recheck_facts(space) == 50
        assert [one.id for one in space.facts.first_schema(99)] == [f"fact_{day}" for day in range(50, 60)]
