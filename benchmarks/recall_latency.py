"""What a question costs through HTTP, beside an empty request to the same server.

    python -m benchmarks.recall_latency [--facts 10000]

A character with that many facts, in its folder before the server starts; questions that few facts
match. Prints JSON: medians in milliseconds, their ratio (at most 4 is wanted), and the worst answers
to ``/health`` while the facts were taken over from another program's file and searched, while our own
files were opened and searched, while questions were asked and files saved, and for as long without
anything else going on (what the machine alone does to an answer).
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
        worst = {}
        first = {"query": "balin 1"}
        with Server(Path(folder)) as server:
            adopted, worst["taking over"] = _watched(server, lambda: server.post("/query_memory/Big", first))
            _, worst["saving"] = _watched(server, lambda: time.sleep(8.0))
        with Server(Path(folder)) as server:  # what a second start finds is no longer another program's
            opened, worst["opening"] = _watched(server, lambda: server.post("/query_memory/Big", first))
            _, worst["nothing else"] = _watched(server, lambda: time.sleep(max(opened, adopted)))
            empty, asked = [], []

            def ask() -> None:
                for number in range(400):
                    empty.append(_timed(lambda: server.get("/health")))
                    body = {"query": f"{WORDS[number % len(WORDS)]} {number * 7 % options.facts}"}
                    asked.append(_timed(lambda body=body: server.post("/query_memory/Big", body)))  # type: ignore[misc]

            ask()
            ratio = statistics.median(asked) / statistics.median(empty)
            medians = [round(1e3 * statistics.median(times), 3) for times in (empty, asked)]
            _, worst["searching"] = _watched(server, ask)
            found = server.post("/query_memory/Big", {"query": f"{WORDS[3]} 17"})
    report = {
        "facts": options.facts,
        "candidates": found["candidates_total"],
        "empty_ms": medians[0],
        "query_ms": medians[1],
        "ratio": round(ratio, 2),
        "adopt_and_first_answer_s": round(adopted, 2),
        "open_and_first_answer_s": round(opened, 2),
        "worst_health_ms": {what: round(1e3 * seconds, 1) for what, seconds in worst.items()},
    }
    print(json.dumps(report, indent=2))


def _watched(server: Server, work: Callable[[], object]) -> tuple[float, float]:
    """Seconds that the work took, and the worst answer of /health meanwhile."""
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
    seconds = _timed(work)
    done.set()
    watcher.join()
    return seconds, worst[0]


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
