"""Many characters in one process: ``python -m benchmarks.many_spaces [--characters N]``.

One turn for each of them through HTTP, then at rest, then one turn again for each in another order. Prints
descriptors, threads and memory beside those of the same server with a single character.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.harness import Server, ai, history, human, median, milliseconds, percentile

REST = 20.0  # seconds: idle databases are looked for every 15


def turn(server: Server, number: int, text: str) -> float:
    started = time.perf_counter()
    answer = server.post(f"/cache/Character%20{number}", history(human(text), ai(f"To that I say {number}.")))
    taken = time.perf_counter() - started
    assert answer["status"] == "cached", answer
    return taken


def latencies(values: list[float]) -> dict[str, float]:
    return {"p50_ms": milliseconds(median(values)), "p95_ms": milliseconds(percentile(values, 0.95))}


def live(root: Path, characters: int) -> dict[str, Any]:
    with Server(root) as server:
        first = [turn(server, number, "Hello for the first time.") for number in range(characters)]
        busy = server.footprint()
        order = list(range(characters))
        random.Random(0).shuffle(order)
        again = [turn(server, number, "Hello again.") for number in order]
        busy_again = server.footprint()
        end = time.monotonic() + 120
        while server.get("/health")["owed"] and time.monotonic() < end:
            time.sleep(0.5)
        time.sleep(REST)
        health = server.get("/health")
        return {
            "characters": characters,
            "first_turn": latencies(first),
            "turn_of_a_space_not_open": latencies(again),
            "busy": busy,
            "busy_again": busy_again,
            "at_rest": server.footprint(),
            "health": {key: value for key, value in health.items() if isinstance(value, (int, float, type(None)))},
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--characters", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        one = live(Path(scratch) / "one", 1)
        many = live(Path(scratch) / "many", arguments.characters)
    rest = {name: round(many["at_rest"][name] / one["at_rest"][name], 2) for name in one["at_rest"]}
    print(json.dumps({"one": one, "many": many, "many_over_one_at_rest": rest}, indent=2))


if __name__ == "__main__":
    main()
