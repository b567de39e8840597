"""What a store and a recall cost over HTTP, by how much one scope holds.

    python -m benchmarks.recallnest_speed [--sizes 10 1000 20000] [--rounds 200] [--contended 100]

A server of its own on a temporary root. At each size: medians and 95th percentiles of a store to a
new key, a store to a key that is taken, a recall, a resume and an auto-recall, beside an empty
GET /v1/health and a bare fsync in the same minutes. Prints JSON. A store must not cost more than
1.5 times as much at the largest size as at the smallest, and a recall there less than 25 times an
empty round trip; the last lines say whether that held, and whether twelve parallel stores to one key always
left one row, eleven earlier versions and twelve true answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2

from benchmarks.harness import HOST, AppendFloor, Server, median, milliseconds, percentile
from benchmarks.harness import timed as once

SCOPE = "project:bench"
STORE_RATIO, RECALL_RATIO = 1.5, 25.0

_SUBJECTS = "parser billing gateway ledger scheduler exporter cache mailer indexer proxy worker planner".split()
_PLACES = "Berlin Porto Dublin Osaka Lagos Quito Oslo Lima Accra Turin Perth Kyoto".split()
_THINGS = "timeout retry queue schema token shard replica cron webhook index quota backup".split()
_VERBS = "needs drops keeps rotates limits shares refuses mirrors merges signs pins trims".split()


def sentence(number: int, words: random.Random) -> str:
    """No two are alike, and each shares words with many others."""
    subject, place, thing, verb = (words.choice(some) for some in (_SUBJECTS, _PLACES, _THINGS, _VERBS))
    return f"The {subject} in {place} {verb} its {thing} every {number} minutes, as agreed in note {number % 97}"


class Bench:
    """One scope that grows."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._words = random.Random(7)
        self.size = 0

    def grow(self, size: int) -> None:
        """Fill the scope up, twenty memories at a time."""
        while self.size < size:
            count = min(20, size - self.size)
            memories = [
                {"text": sentence(self.size + place, self._words), "category": "entities"} for place in range(count)
            ]
            answer = self._post("/v1/capture", {"scope": SCOPE, "memories": memories})
            if answer["stored"] != count:
                raise SystemExit(f"not stored: {answer}")
            self.size += count

    def store(self) -> None:
        self._post("/v1/store", {
            "text": sentence(self.size + 10_000_000, self._words), "category": "entities", "scope": SCOPE,
        })  # fmt: skip
        self.size += 1

    def update(self) -> None:
        self._post("/v1/store", {
            "text": sentence(self._words.randrange(10**9), self._words), "category": "entities", "scope": SCOPE,
            "canonicalKey": "the-one-that-changes",
        })  # fmt: skip

    def recall(self) -> None:
        words = [self._words.choice(some) for some in (_SUBJECTS, _PLACES, _THINGS)]
        if not self._post("/v1/recall", {"query": " ".join(words), "scope": SCOPE})["results"]:
            raise SystemExit("nothing was found")

    def resume(self) -> None:
        task = f"fix the {self._words.choice(_SUBJECTS)} {self._words.choice(_THINGS)}"
        self._post("/v1/resume", {"task": task, "scope": SCOPE})

    def auto_recall(self) -> None:
        message = f"why does the {self._words.choice(_SUBJECTS)} in {self._words.choice(_PLACES)} fail"
        self._post("/v1/auto-recall", {"message": message, "scope": SCOPE})

    def health(self) -> None:
        self._server.get("/v1/health")

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return self._server.post(path, body)


def timed(work: Callable[[], object], rounds: int) -> dict[str, float]:
    """Milliseconds of ``rounds`` runs: median and 95th percentile."""
    times = [once(work) for _ in range(rounds)]
    return {"median": milliseconds(median(times)), "p95": milliseconds(percentile(times, 0.95))}


def measured(bench: Bench, size: int, rounds: int, floor: AppendFloor) -> dict[str, Any]:
    bench.grow(size)
    time.sleep(4.0)     # what is still to be saved is saved
    bench.recall()
    few = max(rounds // 4, 10)
    found = {
        "memories": bench.size,
        "health_ms": timed(bench.health, rounds),
        "recall_ms": timed(bench.recall, rounds),
        "resume_ms": timed(bench.resume, few),
        "auto_recall_ms": timed(bench.auto_recall, few),
        # Fewer where each of them would make the scope noticeably larger.
        "store_ms": timed(bench.store, rounds if size > rounds else few),
        "update_ms": timed(bench.update, few),
        "fsync_ms": milliseconds(median([floor(b"x" * 800) for _ in range(few)])),
    }
    print(json.dumps(found), file=sys.stderr, flush=True)
    return found


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
    with tempfile.TemporaryDirectory() as directory, Server(Path(directory) / "root") as server:
        bench = Bench(server)
        floor = AppendFloor(Path(directory) / "floor")
        rows = [measured(bench, size, options.rounds, floor) for size in sorted(options.sizes)]
        floor.close()
        contention = asyncio.run(contended(server.port, options.contended))
        footprint = server.footprint() if sys.platform == "linux" else {}
    first, last = rows[0], rows[-1]
    store_ratio = last["store_ms"]["median"] / first["store_ms"]["median"]
    recall_ratio = last["recall_ms"]["p95"] / last["health_ms"]["median"]
    report = {
        "sizes": rows,
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
