"""Asking a model on behalf of a space: what happens when it fails, and what is remembered of that."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from memory.dead_letters import letters, retry
from memory.engine import Engine
from memory.errors import ModelFailed, NotAsked
from memory.models.chat import Tier
from memory.models.jobs import DEDUP, EXTRACT
from memory.space import MemorySpace
from memory.store import layout
from memory.store.files import read
from memory.thinking import Answer, Unfit, choose, is_due, nothing_follows, think, worked
from memory.tries import BAD_MOST, HEALS_AFTER, SILENT_MOST, Try
from tests.conftest import OpenEngine
from tests.fakes import FixedClock, ScriptedChat
from tests.memory.mind_world import momo, talk

MESSAGES = [{"role": "user", "content": "?"}]
DOWN = ModelFailed(Tier.SUMMARY, "down", retryable=True)


def number(value: Any) -> int:
    if not isinstance(value, dict) or not isinstance(value.get("n"), int):
        raise Unfit("no number")
    return int(value["n"])


async def ask(space: MemorySpace, chat: ScriptedChat, *ids: str) -> Answer[int] | None:
    return await think(space, chat, EXTRACT, ids or ("a", "b"), MESSAGES, number)


async def fail(space: MemorySpace, clock: FixedClock, chat: ScriptedChat, times: int) -> None:
    for _ in range(times):
        assert await ask(space, chat) is None
        clock.advance(3_600)


async def test_an_answer_is_marked_with_tier_and_model(engine: Engine) -> None:
    async with momo(engine) as space:
        answer = await ask(space, ScriptedChat('{"n": 3}'))
        assert answer is not None
        assert (answer.value, answer.method) == (3, "model:summary:scripted")


@pytest.mark.parametrize("bad", ["nonsense", '{"n": "three"}', "[]", '{"n": null}'])
async def test_an_answer_in_another_form_is_a_failure_and_not_an_empty_answer(engine: Engine, bad: str) -> None:
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        assert await ask(space, ScriptedChat(bad)) is None
        [one] = space.views.tries.of(EXTRACT.name)
        assert (one.bad, one.silent, one.about) == (1, 0, ("a", "b"))


async def test_the_same_is_asked_ever_more_rarely_and_something_else_at_once(engine: Engine, clock: FixedClock) -> None:
    await talk(engine, ("hi", ""))
    chat = ScriptedChat(DOWN)
    async with momo(engine) as space:
        for _ in range(3_600):
            await ask(space, chat)
            clock.advance(1)
        assert len(chat.asked) == 4         # after 0, 60, 360 and 1260 seconds; then after an hour each
        await ask(space, chat, "c")
        assert len(chat.asked) == 5


async def test_the_order_of_ids_makes_no_other_question(engine: Engine) -> None:
    await talk(engine, ("hi", ""))
    chat = ScriptedChat(DOWN)
    async with momo(engine) as space:
        await ask(space, chat, "a", "b")
        await ask(space, chat, "b", "a")
        assert len(chat.asked) == 1


async def test_after_five_bad_answers_it_is_a_dead_letter_that_a_person_can_read(
    engine: Engine, clock: FixedClock
) -> None:
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        await fail(space, clock, ScriptedChat("nonsense"), BAD_MOST)
        [letter] = await letters(space)
        assert (letter.job, letter.attempts, letter.about) == ("extraction", 5, ("a", "b"))
        [line] = (read(space.directory / layout.DEAD_LETTERS) or b"").splitlines()
        assert orjson.loads(line)["type"] == "model:extraction"


async def test_a_provider_that_is_away_makes_no_dead_letter_that_soon(engine: Engine, clock: FixedClock) -> None:
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        await fail(space, clock, ScriptedChat(DOWN), SILENT_MOST - 1)
        assert await letters(space) == []
        await fail(space, clock, ScriptedChat(DOWN), 1)
        assert len(await letters(space)) == 1


async def test_a_dead_letter_is_probed_once_in_five_hours_and_heals_by_itself(
    engine: Engine, clock: FixedClock
) -> None:
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        await fail(space, clock, ScriptedChat("nonsense"), BAD_MOST)
        chat = ScriptedChat("nonsense", '{"n": 1}')
        for _ in range(10 * 60):
            if (answer := await ask(space, chat)) is not None:
                async with space.journal.write() as batch:
                    worked(space, batch, answer)
                break
            clock.advance(60)
        assert len(chat.asked) == 2
        assert len(space.views.tries) == 0


async def test_a_dead_letter_is_retried_at_once_on_request(engine: Engine, clock: FixedClock) -> None:
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        await fail(space, clock, ScriptedChat("nonsense"), BAD_MOST)
        assert await retry(space, ["another"]) == 0
        assert await retry(space) == 1
        assert await letters(space) == []
        assert await ask(space, ScriptedChat('{"n": 1}')) is not None


async def test_a_job_that_was_given_up_is_owed_anew_on_request(engine: Engine) -> None:
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        async with space.journal.write() as batch:
            batch.owe("a job", {"number": 3})
        op = space.outbox.of_kind("a job")
        assert op is not None
        await space.outbox.bury(op, "broken")
        async with space.journal.write() as batch:
            batch.finish(op.id)
        assert [letter.reason for letter in await letters(space)] == ["broken"]
        assert await retry(space) == 1
        again = space.outbox.of_kind("a job")
        assert again is not None
        assert again.payload == {"number": 3}
        assert await letters(space) == []


async def test_failures_survive_a_restart(open_engine: OpenEngine, clock: FixedClock) -> None:
    engine = await open_engine()
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        await ask(space, ScriptedChat(DOWN))
    await engine.close()
    chat = ScriptedChat('{"n": 1}')
    async with momo(await open_engine()) as space:
        assert await ask(space, chat) is None
        clock.advance(60)
        assert await ask(space, chat) is not None


async def test_what_was_not_asked_is_no_failure(engine: Engine) -> None:
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        assert await ask(space, ScriptedChat(NotAsked(Tier.SUMMARY, "no budget", retryable=True))) is None
        assert await ask(space, ScriptedChat('{"n": 1}', tiers=[Tier.EMOTION])) is None
        assert len(space.views.tries) == 0


async def test_a_space_that_is_wanted_back_calls_the_question_off(engine: Engine) -> None:
    chat = ScriptedChat('{"n": 1}', gate=asyncio.Event())
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        asking = asyncio.create_task(ask(space, chat))
        await chat.waiting.wait()
        space.wanted_back.set()
        assert await asking is None
        assert not is_due(space, chat, EXTRACT, ["c"])
        assert len(space.views.tries) == 0
        space.wanted_back.clear()


async def test_nothing_is_held_while_a_model_thinks(engine: Engine) -> None:
    chat = ScriptedChat('{"n": 1}', gate=asyncio.Event())
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        asking = asyncio.create_task(ask(space, chat))
        await chat.waiting.wait()
        await talk(engine, ("I live in Porto.", ""))
        assert [fact.text for fact in space.facts] == ["The user lives in Porto."]
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


async def test_that_nothing_follows_is_settled_until_the_input_changes(engine: Engine, clock: FixedClock) -> None:
    chat = ScriptedChat('{"n": 0}')
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        answer = await ask(space, chat)
        assert answer is not None
        await nothing_follows(space, answer, ["a", "b"])
        clock.advance(86_400)
        assert await ask(space, chat) is None
        assert await ask(space, chat, "a", "b", "c") is not None
        assert await letters(space) == []


async def test_a_queue_that_is_a_dead_letter_as_a_whole_is_asked_one_by_one(engine: Engine, clock: FixedClock) -> None:
    chat = ScriptedChat("nonsense")
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        assert choose(space, chat, DEDUP, ["a", "b"], str) == ["a", "b"]
        for _ in range(BAD_MOST):
            await think(space, chat, DEDUP, ["a", "b"], MESSAGES, number)
            clock.advance(3_600)
        assert choose(space, chat, DEDUP, ["a", "b"], str) == ["a"]


async def test_no_text_is_kept_of_a_failure(engine: Engine) -> None:
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        await ask(space, ScriptedChat("the secret words {"))
        await space.save()
        kept = (read(space.directory / layout.MODEL_TRIES) or b"") + (read(space.directory / layout.EVENTS) or b"")
        assert b"secret words" not in kept


def test_a_failure_from_the_future_does_not_rest(clock: FixedClock) -> None:
    one = Try(job="j", key="k", at=clock.now() + HEALS_AFTER, bad=BAD_MOST)
    assert not one.rests_at(clock.now())


async def answered_for(space: MemorySpace, *ids: str) -> None:
    answer = await ask(space, ScriptedChat('{"n": 3}'), *ids)
    assert answer is not None
    async with space.journal.write() as batch:
        worked(space, batch, answer)


async def test_once_a_model_is_well_what_failed_while_it_was_not_is_due_at_once(
    engine: Engine, clock: FixedClock
) -> None:
    await talk(engine, ("hi", ""))
    async with momo(engine) as space:
        for _ in range(BAD_MOST):
            for one in "abcd":
                await ask(space, ScriptedChat("nonsense"), one)
            clock.advance(3_600)
        assert len(space.views.tries.dead()) == 4
        clock.advance(HEALS_AFTER.total_seconds())
        await answered_for(space, "a")
        assert space.views.tries.dead() == []
        assert all(is_due(space, ScriptedChat(), EXTRACT, [one]) for one in "bcd")


async def test_what_fails_while_others_do_not_is_given_one_new_start_at_most(
    engine: Engine, clock: FixedClock
) -> None:
    await talk(engine, ("hi", ""))
    bad = ScriptedChat("nonsense")
    async with momo(engine) as space:
        for hour in range(48):
            for one in "abc":
                await ask(space, bad, one)
            await answered_for(space, f"other {hour}")
            clock.advance(3_600)
        assert len(space.views.tries.dead()) == 3
        # A first failure each, five after the new start, and from then on a probe every five hours.
        assert len(bad.asked) <= 3 * (1 + BAD_MOST + 48 // 5)
