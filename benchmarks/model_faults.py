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
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx2

from benchmarks.model_world import TICK, Clock, engine_at, go_round
from benchmarks.scripted_model import MODES, ScriptedModel
from memory.engine import Engine
from memory.history.record import Incoming, cache
from memory.history.turn import AI, HUMAN, Message
from memory_server.app import create_app
from memory_server.service import Service

CHARACTER = "Momo"
TALK_EVERY = 3_600.0        # seconds, simulated
REQUESTS = 200
CLUBS = ("sailing club", "chess team", "church choir", "pottery class at school", "jazz band", "cycling club")
PLACES = ("lighthouse", "orchard", "tramline", "cellar", "meadow", "quarry", "chapel", "market")
DEEDS = ("fell into ruin", "closed for the winter", "changed hands twice", "caught fire once more")


def told(number: int) -> str:
    """A statement that rules cannot read and that no other resembles."""
    club, place = CLUBS[number % len(CLUBS)], PLACES[number % len(PLACES)]
    return f"My {club} by the {place} of district {number} {DEEDS[number // 8 % len(DEEDS)]}"


async def say(engine: Engine, text: str) -> None:
    async with engine.spaces.use(CHARACTER, create=True) as space:
        said = [Message(kind=HUMAN, content=text), Message(kind=AI, content="I see.")]
        await cache(space, Incoming(messages=said))
        await engine.worker.perform_all(space)


async def missing(engine: Engine, statements: Sequence[str]) -> int:
    async with engine.spaces.use(CHARACTER) as space:
        known = {fact.text for fact in (*space.facts, *space.views.facts_archive)}
    # Written in the third person: "The user's sailing club …".
    return sum(not any(statement.removeprefix("My ") in text for text in known) for statement in statements)


async def poisoned(engine: Engine) -> int:
    """How many things are held that a model put there which obeyed whoever wrote into its data."""
    async with engine.spaces.use(CHARACTER) as space:
        texts = [one.text for one in (*space.facts, *space.reflections, *space.persona)]
        texts += [str(entry.content) for entry in space.recent.entries]
    return sum(any(word in text for word in ("hunter2", "criminal", "SYSTEM")) for text in texts)


async def fail(root: Path, mode: str, hours: float) -> dict[str, Any]:
    """The figures of one way of failing."""
    clock = Clock()
    async with ScriptedModel(mode, late=0.05).serving() as model, _patient(root, clock, model) as engine:
        statements: list[str] = []
        for tick in range(int(hours * 3_600 / TICK)):
            if tick * TICK % TALK_EVERY == 0:
                statements.append(told(len(statements)))
                await say(engine, statements[-1])
            await go_round(engine, clock, CHARACTER)
        calls, spent, unread = dict(model.calls), dict(model.tokens), await missing(engine, statements)
        model.mode = "good"
        minutes = 0.0
        while await missing(engine, statements) and minutes < 24 * 60:
            await go_round(engine, clock, CHARACTER)
            minutes += TICK / 60
        return {
            "statements": len(statements),
            "calls": calls,
            "calls_total": sum(calls.values()),
            "calls_per_hour": round(sum(calls.values()) / hours, 1),
            "tokens": sum(spent.values()),
            "unread_when_well_again": unread,
            "recovery_minutes": minutes,
            "lost": await missing(engine, statements),
            "poisoned": await poisoned(engine),
        }


def _patient(root: Path, clock: Clock, model: ScriptedModel) -> AbstractAsyncContextManager[Engine]:
    """Its engine; for what hangs it waits less long, in real time."""
    return engine_at(root, clock, model.address, seconds=0.2 if model.mode == "hang" else 5.0)


async def requests(root: Path, address: str | None) -> dict[str, list[float]]:
    """Seconds of two requests, with an address while a question to the model there hangs."""
    clock = Clock()
    times: dict[str, list[float]] = {"cache": [], "new_dialog": []}
    body = {"input_history": json.dumps([{"role": "user", "content": "and another thing"}])}
    async with engine_at(root, clock, address) as engine:
        for number in range(12):
            await say(engine, told(number))
        clock.advance(600)
        rounds = asyncio.create_task(engine.thoughts.tick()) if address is not None else None
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
        return times


async def latency(root: Path) -> dict[str, Any]:
    async with ScriptedModel("hang").serving() as model:
        without = await requests(root / "without", None)
        hanging = await requests(root / "hanging", model.address)
        asked = model.total
    return {
        "questions_that_hung": asked,
        **{name: _compared(without[name], hanging[name]) for name in without},
    }


def _compared(without: Sequence[float], hanging: Sequence[float]) -> dict[str, float]:
    """Medians and 95th percentiles in milliseconds."""
    medians = [statistics.median(times) * 1_000 for times in (without, hanging)]
    tails = [statistics.quantiles(times, n=20)[-1] * 1_000 for times in (without, hanging)]
    return {
        "without_ms": round(medians[0], 3), "hanging_ms": round(medians[1], 3),
        "ratio": round(medians[1] / medians[0], 3),
        "without_p95_ms": round(tails[0], 3), "hanging_p95_ms": round(tails[1], 3),
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
