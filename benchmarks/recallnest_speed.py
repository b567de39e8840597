"""What a store and a recall cost over HTTP, by how much a scope holds.

    python -m benchmarks.recallnest_speed [--sizes 10 1000 20000] [--rounds 200] [--contended 100]

A server of its own on a temporary root, with scopes of each size. Every round measures each operation
once at each size, and beside them an empty GET /v1/health and a bare fsync, so that whatever else the
machine does falls on all of them alike. Small scopes take turns, so that they stay small. Prints JSON:
medians and 95th percentiles. A store must not cost more than 1.5 times as much at the largest size as
at the smallest, and a recall there less than 25 times an empty round trip; the last lines say whether
that held, and whether twelve parallel stores to one key always left one row, eleven earlier versions
and twelve true answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2

from benchmarks.harness import HOST, AppendFloor, Server, median, milliseconds, percentile, timed

STORE_RATIO, RECALL_RATIO = 1.5, 25.0

_SUBJECTS = (
    "parser", "billing", "gateway", "ledger", "scheduler", "exporter", "cache", "mailer", "indexer", "proxy", "worker",
    "planner",
)  # fmt: skip
_PLACES = (
    "Berlin", "Porto", "Dublin", "Osaka", "Lagos", "Quito", "Oslo", "Lima", "Accra", "Turin", "Perth", "Kyoto",
)  # fmt: skip
_THINGS = (
    "timeout", "retry", "queue", "schema", "token", "shard", "replica", "cron", "webhook", "index", "quota", "backup",
)  # fmt: skip
_VERBS = (
    "needs", "drops", "keeps", "rotates", "limits", "shares", "refuses", "mirrors", "merges", "signs", "pins", "trims",
)  # fmt: skip


def sentence(number: int, words: random.Random) -> str:
    """No two are alike, and each shares words with many others."""
    subject, place, thing, verb = (words.choice(some) for some in (_SUBJECTS, _PLACES, _THINGS, _VERBS))
    return f"The {subject} in {place} {verb} its {thing} every {number} minutes, as agreed in note {number % 97}"


class Scopes:
    """Scopes that hold so many memories, asked in turn."""

    def __init__(self, server: Server, size: int, rounds: int) -> None:
        self.size = size
        self._server = server
        self._words = random.Random(size)
        # No scope grows by more than a tenth.
        self._names = [f"project:bench-{size}-{number}" for number in range(1 if size >= 10 * rounds else 20)]
        self._stored: dict[str, list[str]] = {name: [] for name in self._names}
        self._turn = 0

    def fill(self) -> None:
        """Twenty memories at a time."""
        for name, stored in self._stored.items():
            while len(stored) < self.size:
                texts = [sentence(len(stored) + one, self._words) for one in range(min(20, self.size - len(stored)))]
                memories = [{"text": text, "category": "entities"} for text in texts]
                answer = self._server.post("/v1/capture", {"scope": name, "memories": memories})
                if answer["stored"] != len(texts):
                    raise SystemExit(f"not stored: {answer}")
                stored += texts

    @property
    def _next(self) -> str:
        self._turn += 1
        return self._names[self._turn % len(self._names)]

    def store(self) -> None:
        text = sentence(self._words.randrange(10**9), self._words)
        self._server.post("/v1/store", {"text": text, "category": "entities", "scope": self._next})

    def update(self) -> None:
        text = sentence(self._words.randrange(10**9), self._words)
        self._server.post("/v1/store", {
            "text": text, "category": "entities", "scope": self._next, "canonicalKey": "the-one-that-changes",
        })  # fmt: skip

    def recall(self) -> None:
        name = self._next
        words = self._words.choice(self._stored[name]).split()
        # Subject, place and thing of something that is there.
        query = f"{words[1]} {words[3]} {words[6]}"
        if not self._server.post("/v1/recall", {"query": query, "scope": name})["results"]:
            raise SystemExit("nothing was found")

    def resume(self) -> None:
        task = f"fix the {self._words.choice(_SUBJECTS)} {self._words.choice(_THINGS)}"
        self._server.post("/v1/resume", {"task": task, "scope": self._next})

    def auto_recall(self) -> None:
        message = f"why does the {self._words.choice(_SUBJECTS)} in {self._words.choice(_PLACES)} fail"
        self._server.post("/v1/auto-recall", {"message": message, "scope": self._next})


def measured(server: Server, sizes: Sequence[int], rounds: int, floor: AppendFloor) -> dict[str, Any]:
    """Milliseconds by what was done, and at which size."""
    scopes = [Scopes(server, size, rounds) for size in sorted(sizes)]
    for one in scopes:
        one.fill()
        one.recall()
    time.sleep(4.0)     # what is still to be saved is saved
    times: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        times["health"].append(timed(lambda: server.get("/v1/health")))
        times["fsync"].append(floor(b"x" * 800))
        for one in scopes:
            for work in (one.store, one.update, one.recall, one.resume, one.auto_recall):
                times[f"{work.__name__} {one.size}"].append(timed(work))
    return {
        what: {"median": milliseconds(median(values)), "p95": milliseconds(percentile(values, 0.95))}
        for what, values in times.items()
    }


async def contended(port: int, keys: int, writers: int = 12) -> dict[str, Any]:
    """Many writers to one key at a time: how often it came out as it must."""
    right = 0
    async with httpx2.AsyncClient(base_url=f"http://{HOST}:{port}", timeout=60, trust_env=False) as client:
        for key in range(keys):
            bodies = [
                {"text": f"Writer {writer} was here", "category": "entities", "scope": "project:contended",
                 "canonicalKey": f"key-{key}"}
                for writer in range(writers)
            ]  # fmt: skip
            answers = [
                answer.json()
                for answer in await asyncio.gather(*(client.post("/v1/store", json=body) for body in bodies))
            ]
            said = sorted(answer["disposition"] for answer in answers)
            ids = {answer["id"] for answer in answers}
            shown = (await client.get(f"/v1/memories/{answers[0]['id']}")).json()
            texts = {shown["memory"]["text"], *(version["text"] for version in shown["history"])}
            right += (
                said == ["stored"] + ["updated"] * (writers - 1)
                and len(ids) == 1
                and len(shown["history"]) == writers - 1
                and texts == {body["text"] for body in bodies}
            )
        active = (await client.get("/v1/stats")).json()["byScope"]["project:contended"]
    return {"keys": keys, "writers": writers, "right": right, "active_rows": active}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=int, default=[10, 1_000, 20_000])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--contended", type=int, default=100, help="keys that twelve writers store to at once")
    options = parser.parse_args()
    smallest, largest = min(options.sizes), max(options.sizes)
    with tempfile.TemporaryDirectory() as directory, Server(Path(directory) / "root") as server:
        floor = AppendFloor(Path(directory) / "floor")
        found = measured(server, options.sizes, options.rounds, floor)
        floor.close()
        contention = asyncio.run(contended(server.port, options.contended))
        footprint = server.footprint() if sys.platform == "linux" else {}
    store_ratio = found[f"store {largest}"]["median"] / found[f"store {smallest}"]["median"]
    recall_ratio = found[f"recall {largest}"]["p95"] / found["health"]["median"]
    report = {
        "milliseconds": found,
        "store_ratio": round(store_ratio, 2),
        "store_ratio_holds": store_ratio <= STORE_RATIO,
        "recall_p95_in_round_trips": round(recall_ratio, 1),
        "recall_ratio_holds": recall_ratio < RECALL_RATIO,
        "contended": contention,
        "footprint": footprint,
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
