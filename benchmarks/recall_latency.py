"""What a question costs through HTTP, beside an empty request to the same server.

    python -m benchmarks.recall_latency [--facts 10000]

A character with that many facts, in its folder before the server starts; questions that few facts
match. Prints JSON: medians in milliseconds, their ratio (at most 4 is wanted), and the worst answer
to ``/health`` while the facts were loaded and searched for the first time.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import HOST, Server

_STARTS = ["ba", "ke", "li", "mo", "nu", "ra", "si", "to", "vu", "xe", "zo", "qui", "gra", "pla", "stro", "fe"]
_ENDS = ["ber", "lin", "tan", "gor", "mik", "sal", "pen", "dro", "van", "tes", "hul"]
WORDS = [f"{start}{middle}{end}" for start in _STARTS for middle in ("", "la", "mi") for end in _ENDS]


def facts(count: int) -> list[dict[str, object]]:
    chance = random.Random(1)
    return [
        {
            "id": f"fact_{number}",
            "text": f"The user likes {' '.join(chance.choice(WORDS) for _ in range(7))} number {number}",
            "importance": chance.randint(1, 10),
            "entity": "master",
            "created_at": f"2026-0{chance.randint(1, 9)}-1{chance.randint(0, 9)}T10:00:00",
        }
        for number in range(count)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "memory" / "Big"
        directory.mkdir(parents=True)
        (directory / "facts.json").write_text(json.dumps(facts(options.facts)))
        with Server(Path(folder)) as server:
            adopted, _ = _first(server)
        with Server(Path(folder)) as server:  # what a second start finds is no longer another program's
            opened, worst = _first(server)
            empty, asked = [], []
            for number in range(400):
                empty.append(_timed(lambda: server.get("/health")))
                body = {"query": f"{WORDS[number % len(WORDS)]} {number * 7 % options.facts}"}
                asked.append(_timed(lambda body=body: server.post("/query_memory/Big", body)))  # type: ignore[misc]
            found = server.post("/query_memory/Big", {"query": f"{WORDS[3]} 17"})
    report = {
        "facts": options.facts,
        "candidates": found["candidates_total"],
        "empty_ms": round(1e3 * statistics.median(empty), 3),
        "query_ms": round(1e3 * statistics.median(asked), 3),
        "ratio": round(statistics.median(asked) / statistics.median(empty), 2),
        "adopt_and_first_answer_s": round(adopted, 2),
        "open_and_first_answer_s": round(opened, 2),
        "worst_health_ms_meanwhile": round(1e3 * worst, 1),
    }
    print(json.dumps(report, indent=2))


def _first(server: Server) -> tuple[float, float]:
    """Seconds to the first answer, and the worst answer of /health while it was on its way."""
    done = threading.Event()
    worst = [0.0]

    def watch() -> None:
        connection = http.client.HTTPConnection(HOST, server.port)
        while not done.is_set():
            begun = time.perf_counter()
            connection.request("GET", "/health")
            connection.getresponse().read()
            worst[0] = max(worst[0], time.perf_counter() - begun)
            time.sleep(0.002)

    watcher = threading.Thread(target=watch)
    watcher.start()
    seconds = _timed(lambda: server.post("/query_memory/Big", {"query": "balin 1"}))
    done.set()
    watcher.join()
    return seconds, worst[0]


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
