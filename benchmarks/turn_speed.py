"""A turn that needs no model, beside an empty ``/health`` round trip of the same run.

``python -m benchmarks.turn_speed`` [--events N] [--rounds N]

The server has a chat model configured that nobody has to ask. Prints JSON: p50 and p95 of a turn on the direct path in
a small scope and in one with many events, of the layer reads, of an event beside them, and of the append and fsync
that no durable turn can be without. ``ok`` says whether a turn takes at most 30 times what ``/health`` does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks.harness import AppendFloor, Server, median, milliseconds, percentile
from benchmarks.statecore_speed import Asker, prepare, timings

MOST = 30               # times an empty round trip
_STATE = ("goal: Ship the memory server", "constraint: no Redis", "decision: use SQLite", "todo: write the docs")
_QUESTIONS = ("What is the current goal?", "Tell me the objective.", "What is the goal?", "当前目标是什么？")
_TURN = 600             # bytes that a turn appends, about


def settle(asker: Asker, scope: str) -> None:
    """Say what the work is about and wait until it is taken up."""
    for line in _STATE:
        asker.post("/v1/memory/events", {"scopeId": scope, "type": "stream", "content": line})
    while asker.get(f"/memory/working-state?scopeId={scope}")["version"] == 0:
        time.sleep(0.05)


def turns(asker: Asker, scope: str, rounds: int) -> dict[str, float]:
    def ask(number: int) -> None:
        message = _QUESTIONS[number % len(_QUESTIONS)]
        done = asker.post("/v1/memory/runtime/turn", {"scopeId": scope, "message": message})
        if done.get("answerMode") != "direct_state_fast_path":
            raise SystemExit(f"a turn was not answered directly: {done}")

    ask(0)
    return timings(ask, rounds)


def reads(asker: Asker, scope: str, rounds: int) -> dict[str, dict[str, float]]:
    message = f"&message={quote(_QUESTIONS[0])}"
    paths = {
        "working-state": "",
        "stable-state": "",
        "fast-view": message,
        "layer-status": message,
    }

    def ask(name: str) -> Callable[[int], object]:
        return lambda _: asker.get(f"/memory/{name}?scopeId={scope}{paths[name]}")

    return {name: timings(ask(name), rounds) for name in paths}


def floor(folder: Path, rounds: int) -> dict[str, float]:
    append = AppendFloor(folder / "floor")
    taken = [append(b"x" * _TURN) for _ in range(rounds)]
    append.close()
    return {"p50_ms": milliseconds(median(taken)), "p95_ms": milliseconds(percentile(taken, 0.95))}


def measure(folder: Path, events: int, rounds: int) -> dict[str, Any]:
    root = folder / "root"
    large, small = asyncio.run(prepare(root, events, 2))
    # Configured and never reached: what is measured asks no model, and digests are left alone.
    os.environ |= {"MEMORY_CHAT_MODEL": "none", "MEMORY_CHAT_BASE_URL": "http://127.0.0.1:9/v1"}
    with Server(root) as server:
        asker = Asker(server)
        for scope in (small, large):
            settle(asker, scope)
        server.get("/health")
        told: dict[str, Any] = {
            "events": {"small scope": len(_STATE), "large scope": events},
            "health": timings(lambda _: server.get("/health"), rounds),
            "turn, small scope": turns(asker, small, rounds),
            "turn, large scope": turns(asker, large, rounds),
            "event, small scope": timings(
                lambda n: asker.post(
                    "/v1/memory/events", {"scopeId": small, "type": "stream", "content": f"something said {n}"}
                ),
                rounds,
            ),
            "append and fsync": floor(folder, rounds),
            **reads(asker, small, rounds),
        }
        told["health, at the end"] = timings(lambda _: server.get("/health"), rounds)
    base = told["health"]["p95_ms"]
    for name in ("turn, small scope", "turn, large scope"):
        told[name]["times_health_p95"] = round(told[name]["p95_ms"] / base, 1)
    told["ok"] = told["turn, small scope"]["times_health_p95"] <= MOST
    return told


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=300)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(Path(folder), wanted.events, wanted.rounds), indent=1))


if __name__ == "__main__":
    main()
