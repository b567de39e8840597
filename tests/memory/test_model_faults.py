"""A day with a provider that fails in every way that providers do, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from benchmarks.scripted_model import ScriptedModel
from memory.engine import Engine
from memory.facts.windows import CURSOR
from memory.models.chat import Tier
from memory.models.chat_http import HttpChat
from memory.models.tiers import ModelSettings, TierSettings
from memory_server.service import Service
from tests.conftest import OpenEngine, client_of
from tests.fakes import FixedClock
from tests.memory.mind_world import MOMO, fact, hear, momo, put, reflection, talk, texts

TICK = 300.0            # seconds between two rounds
DAY = 86_400.0
# What is said, and what a model's word for it makes of it.
LEARNT = {
    "My nursing shifts at the hospital are always nights": (
        "The user's nursing shifts at the hospital are always nights."
    ),
    "My cousin breeds alpacas up in the hills": "The user's cousin breeds alpacas up in the hills.",
    "My harbour office at work closed with half the street": (
        "The user's harbour office at work closed with half the street."
    ),
}
TOLD = list(LEARNT)
POISONED = ("criminal", "hunter2", "SYSTEM")


@asynccontextmanager
async def living(open_engine: OpenEngine, clock: FixedClock, mode: str) -> AsyncIterator[tuple[Engine, ScriptedModel]]:
    """An engine whose every tier is a scripted model's."""
    async with ScriptedModel(mode, late=0.02).serving() as model:
        tier = TierSettings(model="scripted", base_url=model.address, timeout=0.1 if mode == "hang" else 5.0)
        settings = ModelSettings(tiers=dict.fromkeys(Tier, tier))
        chat = HttpChat(lambda: settings, clock)
        try:
            yield await open_engine(chat=chat), model
        finally:
            await chat.close()


async def live(engine: Engine, clock: FixedClock, seconds: float) -> None:
    """Let the rounds go round."""
    for _ in range(int(seconds / TICK)):
        clock.advance(TICK)
        await engine.rounds.tick()
        await engine.thoughts.tick()
        async with momo(engine) as space:
            await engine.worker.perform_all(space)


@pytest.mark.parametrize("mode", ["broken", "429", "500", "hang", "nothing"])
async def test_after_a_day_without_a_model_nothing_is_lost_and_little_was_asked(
    open_engine: OpenEngine, clock: FixedClock, mode: str
) -> None:
    async with living(open_engine, clock, mode) as (engine, model):
        for said in TOLD:
            await talk(engine, (said, "I see."), ("I live in Porto.", "Nice."))
            await live(engine, clock, DAY / 3)
        # 288 rounds went by. What does not answer is left alone, what answers badly is asked less and less.
        assert model.total <= 150
        async with momo(engine) as space:
            assert texts(space.facts) == ["The user lives in Porto."]      # rules went on
            assert space.turns.last_row == 12
        model.mode = "good"
        await live(engine, clock, DAY / 2)
        async with momo(engine) as space:
            assert set(texts(space.facts)) >= set(LEARNT.values())
            assert space.views.cursors.row(CURSOR) == 12
            assert space.views.tries.dead() == []


async def test_a_late_model_is_as_good_as_a_prompt_one(open_engine: OpenEngine, clock: FixedClock) -> None:
    async with living(open_engine, clock, "late") as (engine, model):
        await talk(engine, *[(said, "I see.") for said in TOLD])
        await live(engine, clock, 1_800)
        async with momo(engine) as space:
            assert texts(space.facts) == list(LEARNT.values())
        assert model.calls["extraction"] == 1


async def test_a_poisoned_model_costs_no_memory_and_adds_none(open_engine: OpenEngine, clock: FixedClock) -> None:
    async with living(open_engine, clock, "injected") as (engine, _model):
        await talk(engine, *[(said, "I see.") for said in TOLD], ("I live in Porto.", "Nice."))
        async with momo(engine) as space:
            held = reflection("ref_1", "Lin likes the sea.", clock.now())
            await put(space, held, *(fact(f"fact_x{n}", f"Lin saw whale {n}.", clock.now()) for n in range(6)))
        await live(engine, clock, DAY / 2)
        async with momo(engine) as space:
            known = [*texts(space.facts), *texts(space.reflections), *texts(space.persona)]
            assert not [text for text in known for word in POISONED if word in text]
            assert "The user lives in Porto." in known
            one = space.reflections.get("ref_1")
            assert one is not None
            assert one.status != "denied"
            assert [entry.text for entry in space.recent.entries if entry.kind == "human"][:3] == TOLD


async def test_what_a_dead_model_owes_stops_no_request(open_engine: OpenEngine, clock: FixedClock) -> None:
    async with living(open_engine, clock, "hang") as (engine, model):
        await talk(engine, *[(said, "I see.") for said in TOLD])
        thinking = asyncio.create_task(live(engine, clock, 600))
        while not model.total:  # noqa: ASYNC110 - the server counts, and wakes nobody
            await asyncio.sleep(0)
        async with client_of(Service(instance_id="i", engine=engine)) as client:
            body = {"input_history": '[{"role": "user", "content": "are you there?"}]'}
            cached = await client.post(f"/cache/{MOMO}", json=body)
            opened = await client.get(f"/new_dialog/{MOMO}")
        assert (cached.json()["status"], opened.status_code) == ("cached", 200)
        await thinking


async def test_health_says_by_whom_each_job_is_done(open_engine: OpenEngine, clock: FixedClock) -> None:
    async def jobs(client: httpx2.AsyncClient) -> dict[str, dict[str, object]]:
        found: dict[str, dict[str, object]] = (await client.get("/health")).json()["models"]["jobs"]
        return found

    async with living(open_engine, clock, "good") as (engine, model):
        await hear(engine, ("human", TOLD[0]))
        async with client_of(Service(instance_id="i", engine=engine)) as client:
            clock.advance(60)
            extraction = (await jobs(client))["extraction"]
            assert (extraction["done_by"], extraction["backlog"], extraction["oldest_age_seconds"]) == ("model", 1, 60)
            model.mode = "500"
            await live(engine, clock, 2 * 3_600)
            extraction = (await jobs(client))["extraction"]
            assert extraction["done_by"] in ("rules", "model")
            model.mode = "good"
            await live(engine, clock, 2 * 3_600)
            told = (await client.get("/health")).json()["models"]
            assert told["jobs"]["extraction"]["backlog"] == 0
            assert told["jobs"]["extraction"]["breaker"] == "closed"
            assert told["tokens_today"] > 0


async def test_without_a_model_rules_do_everything(engine: Engine) -> None:
    await talk(engine, (TOLD[0], ""))
    assert {state.done_by for state in engine.jobs()} == {"rules"}
    assert {state.breaker for state in engine.jobs()} == {None}
