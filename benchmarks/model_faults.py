"""What a model that fails costs: ``python -m benchmarks.model_faults [--hours 24]``. Prints one JSON object.

For each way of failing: a simulated time of talk and rounds with a scripted provider that behaves so, over real HTTP,
and then a healthy one. ``calls`` is how often it was asked meanwhile, by job; ``recovery_minutes`` how long after it
is well again everything said has been read (simulated); ``lost`` how many statements never were; ``latency`` the
median of /cache and /new_dialog while a question hangs, over that without a model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import httpx2

from benchmarks.scripted_model import MODES, ScriptedModel
from memory.engine import Engine
from memory.history.record import Incoming, cache
from memory.history.turn import AI, HUMAN, Message
from memory.models.chat import Chat, NoChat, Tier
from memory.models.chat_http import HttpChat
from memory.models.tiers import ModelSettings, TierSettings
from memory.settings import Settings
from memory_server.app import create_app
from memory_server.service import Service

CHARACTER = "Momo"
TICK, TALK_EVERY = 60.0, 3_600.0        # seconds, simulated
REQUESTS = 200
TOPICS = ("lighthouse", "orchard", "tramline", "cellar", "meadow", "quarry", "chapel", "market")
DEEDS = ("flooded over", "closed for the winter", "changed hands twice", "caught fire once more")


class Clock:
    """Goes on when it is told to."""

    def __init__(self) -> None:
        self._now = datetime(2026, 5, 4, 10, 0, tzinfo=timezone(timedelta(hours=2)))
        self._monotonic = 0.0

    def now(self) -> datetime:
        return self._now

    def local(self, moment: datetime) -> datetime:
        return moment.replace(tzinfo=self._now.tzinfo) if moment.tzinfo is None else moment.astimezone(self._now.tzinfo)

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds


def told(number: int) -> str:
    """A statement that rules cannot read and that no other resembles."""
    place, deed = TOPICS[number % len(TOPICS)], DEEDS[number // len(TOPICS) % len(DEEDS)]
    return f"Word has it the {place} of district {number} {deed}"


async def say(engine: Engine, text: str) -> None:
    async with engine.spaces.use(CHARACTER, create=True) as space:
        said = [Message(kind=HUMAN, content=text), Message(kind=AI, content="I see.")]
        await cache(space, Incoming(messages=said))
        await engine.worker.perform_all(space)


async def go_round(engine: Engine, clock: Clock) -> None:
    clock.advance(TICK)
    await engine.rounds.tick()
    await engine.thoughts.tick()
    async with engine.spaces.use(CHARACTER) as space:
        await engine.worker.perform_all(space)


async def missing(engine: Engine, statements: Sequence[str]) -> int:
    async with engine.spaces.use(CHARACTER) as space:
        known = {fact.text for fact in space.facts} | {fact.text for fact in space.views.facts_archive}
    return sum(statement not in known for statement in statements)


async def fail(root: Path, mode: str, hours: float) -> dict[str, Any]:
    """The figures of one way of failing."""
    clock = Clock()
    async with ScriptedModel(mode, late=0.05).serving() as model:
        tier = TierSettings(model="scripted", base_url=model.address, timeout=0.2 if mode == "hang" else 5.0)
        settings = ModelSettings(tiers=dict.fromkeys(Tier, tier))
        chat = HttpChat(lambda: settings, clock)
        engine = await Engine.open(Settings(data_root=root, background=False), clock=clock, chat=chat)
        statements: list[str] = []
        try:
            for tick in range(int(hours * 3_600 / TICK)):
                if tick * TICK % TALK_EVERY == 0:
                    statements.append(told(len(statements)))
                    await say(engine, statements[-1])
                await go_round(engine, clock)
            calls, unread = dict(model.calls), await missing(engine, statements)
            model.mode = "good"
            minutes = 0.0
            while await missing(engine, statements) and minutes < 24 * 60:
                await go_round(engine, clock)
                minutes += TICK / 60
            return {
                "statements": len(statements),
                "calls": calls,
                "calls_total": sum(calls.values()),
                "calls_per_hour": round(sum(calls.values()) / hours, 1),
                "unread_when_well_again": unread,
                "recovery_minutes": minutes,
                "lost": await missing(engine, statements),
            }
        finally:
            await engine.close()
            await chat.close()


async def requests(root: Path, chat: Chat, *, thinking: bool) -> dict[str, float]:
    """Median milliseconds of two requests, while a question hangs if ``thinking``."""
    clock = Clock()
    engine = await Engine.open(Settings(data_root=root, background=False), clock=clock, chat=chat)
    times: dict[str, list[float]] = {"cache": [], "new_dialog": []}
    body = {"input_history": json.dumps([{"role": "user", "content": "and another thing"}])}
    try:
        for number in range(12):
            await say(engine, told(number))
        clock.advance(600)
        rounds = asyncio.create_task(engine.thoughts.tick()) if thinking else None
        app = httpx2.ASGITransport(create_app(Service(instance_id="b", engine=engine)))
        async with httpx2.AsyncClient(transport=app, base_url="http://127.0.0.1:48912", trust_env=False) as client:
            await asyncio.sleep(0.1)
            for _ in range(REQUESTS):
                for name, ask in (
                    ("cache", client.post(f"/cache/{CHARACTER}", json=body)),
                    ("new_dialog", client.get(f"/new_dialog/{CHARACTER}")),
                ):
                    began = time.perf_counter()
                    (await ask).raise_for_status()
                    times[name].append(time.perf_counter() - began)
        if rounds is not None:
            rounds.cancel()
            await asyncio.gather(rounds, return_exceptions=True)
        return {name: statistics.median(found) * 1_000 for name, found in times.items()}
    finally:
        await engine.close()


async def latency(root: Path) -> dict[str, Any]:
    async with ScriptedModel("hang").serving() as model:
        tier = TierSettings(model="scripted", base_url=model.address, timeout=60.0)
        settings = ModelSettings(tiers=dict.fromkeys(Tier, tier))
        chat = HttpChat(lambda: settings, Clock())
        try:
            without = await requests(root / "without", NoChat(), thinking=False)
            hanging = await requests(root / "hanging", chat, thinking=True)
        finally:
            await chat.close()
    return {
        name: {"without_ms": round(without[name], 3), "hanging_ms": round(hanging[name], 3),
               "ratio": round(hanging[name] / without[name], 3)}
        for name in without
    }  # fmt: skip


async def measure(hours: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        modes = {mode: await fail(Path(scratch) / mode, mode, hours) for mode in MODES}
        return {"hours": hours, "modes": modes, "latency": await latency(Path(scratch))}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="What a model that fails costs.")
    parser.add_argument("--hours", type=float, default=24.0)
    options = parser.parse_args(arguments)
    json.dump(asyncio.run(measure(options.hours)), sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
