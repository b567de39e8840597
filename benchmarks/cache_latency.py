"""How long /cache takes, beside what it cannot be faster than: ``python -m benchmarks.cache_latency [--turns N]``.

Sends turns of two messages, one after another, to a real server, without a settle. At each of a few places
on the way it also measures, in turn with the requests, an append and fsync of the same bytes and an empty
round trip to /health; the ratio of the medians is the figure. Then the same while a summary of a minute runs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import AppendFloor, Server, ai, history, human, median, milliseconds, percentile, timed

PLACES = (10, 100, 1000, 5000, 10_000)
SAMPLES = 300  # turns measured from a place on
RATIO_AIM, RATIO_LIMIT = 2.0, 3.0


def send(server: Server, name: str, number: int) -> float:
    """Cache one turn; seconds."""
    body = history(
        human(f"Turn {number}: I walked along the river this afternoon and thought about the {number % 97} letters."),
        ai(f"[20260504 Mon 10:{number % 60:02d}] That sounds like a good afternoon. Which letter was number {number}?"),
    )
    started = time.perf_counter()
    answer = server.post(f"/cache/{name}", body)
    taken = time.perf_counter() - started
    assert answer == {"status": "cached", "count": 2}, answer
    return taken


def beside_floors(server: Server, name: str, numbers: Sequence[int], pause: float = 0.0) -> dict[str, Any]:
    """Latency of these turns with both floors measured in between."""
    journal = server.root / "memory" / name / "events.ndjson"
    line = b"x" * 900
    floor = AppendFloor(server.root / "floor.bin")
    cached: list[float] = []
    appended: list[float] = []
    empty: list[float] = []

    def cache(number: int) -> None:
        nonlocal line
        before = journal.stat().st_size if journal.exists() else 0
        cached.append(send(server, name, number))
        grown = journal.stat().st_size - before
        if 0 < grown < 100_000:  # not where a segment ended
            line = b"x" * grown

    def append() -> None:
        appended.append(floor(line))

    def ask() -> None:
        empty.append(timed(lambda: server.get("/health")))

    try:
        for number in numbers:
            steps: list[Callable[[], None]] = [partial(cache, number), append, ask]
            # Whoever comes first after a pause finds everything asleep, so each does in its turn.
            for place in range(3):
                steps[(number + place) % 3]()
            if pause:
                time.sleep(pause)
    finally:
        floor.close()
    limit = median(appended) + median(empty)
    return {
        "cache_ms": {"p50": milliseconds(median(cached)), "p95": milliseconds(percentile(cached, 0.95))},
        "append_fsync_ms": milliseconds(median(appended)),
        "health_ms": milliseconds(median(empty)),
        "ratio": round(median(cached) / limit, 2),
        "ratio_p95": round(percentile(cached, 0.95) / (percentile(appended, 0.95) + percentile(empty, 0.95)), 2),
    }


def growing(root: Path, turns: int) -> dict[str, Any]:
    """From an empty character to one of ``turns`` turns."""
    places: dict[str, Any] = {}
    with Server(root) as server:
        number = 0
        for place in (place for place in PLACES if place <= turns):
            while number < place:
                send(server, "Growing", number)
                number += 1
            samples = 90 if place < 100 else SAMPLES
            places[f"from turn {place}"] = beside_floors(server, "Growing", range(number, number + samples))
            number += samples
    return places


def paced(root: Path) -> dict[str, Any]:
    """As people talk: with pauses in which the files follow and owed work is done."""
    with Server(root) as server:
        return beside_floors(server, "Paced", range(150), pause=0.05)


def during_a_summary(root: Path) -> dict[str, Any]:
    """While a model thinks for a minute about the same character's window."""
    with Server(root, summary_seconds=60) as server:
        for number in range(20):
            send(server, "Thinking", number)
        before = beside_floors(server, "Thinking", range(20, 220))
        server.post("/settle/Thinking", history())  # answers after three seconds; the summary goes on
        time.sleep(2.5)
        return {"before": before, "during": beside_floors(server, "Thinking", range(220, 420))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        figures: dict[str, Any] = {
            "growing": growing(root / "growing", arguments.turns),
            "paced": paced(root / "paced"),
            "summary": during_a_summary(root / "summary"),
        }
    ratios = [place["ratio"] for place in figures["growing"].values()]
    p95 = [place["cache_ms"]["p95"] for place in figures["growing"].values()]
    figures["median_ratio"] = max(ratios)
    figures["aim"], figures["limit"] = RATIO_AIM, RATIO_LIMIT
    figures["p95_last_over_first"] = round(p95[-1] / p95[0], 2)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
