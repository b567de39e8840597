"""Callers of all three dialects at once, for as long as one likes.

    python -m benchmarks.soak [--seconds 120] [--seed 1]

Three companions, two agents and three apps talk to one server over the same memories, as fast as they are answered.
Prints JSON: how many requests there were by status, every answer of 500 and above, what ``/health`` needed meanwhile,
how long stopping took, and what ``doctor`` finds in the files afterwards. Ends with 1 where anything is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2

from benchmarks.harness import HOST, REPOSITORY, Server, milliseconds

NAMES = ("Mika", "Momo", "小白")
SAID = (
    "I moved to Hamburg last week.", "I am allergic to peanuts.", "我喜欢喝茉莉花茶。", "My sister lives in Lyon.",
    "What do you think?", "I don't like jazz anymore.", "我养了一只猫叫咪咪。", "Decision: we use SQLite",
    "goal: ship the memory server", "Maybe we go hiking tomorrow.",
)  # fmt: skip

Going = Callable[[], bool]


class Caller:
    """Asks, and counts what came back."""

    def __init__(self, client: httpx2.AsyncClient, chance: random.Random) -> None:
        self.client = client
        self.chance = chance
        self.statuses: Counter[int] = Counter()
        self.failed: list[str] = []

    async def ask(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        answer = await self.client.request(method, path, json=body, headers=headers)
        self.statuses[answer.status_code] += 1
        if answer.status_code >= 500:
            self.failed.append(f"{method} {path.partition('?')[0]}: {answer.status_code}")
        return answer.json() if "json" in answer.headers.get("content-type", "") else answer.text

    def sentence(self) -> str:
        return f"{self.chance.choice(SAID)} {self.chance.randrange(1_000)}"


async def companion(caller: Caller, going: Going) -> None:
    chance = caller.chance
    while going():
        name = chance.choice(NAMES)
        for _ in range(chance.randint(1, 5)):
            said = [{"role": "user", "content": caller.sentence()}, {"role": "assistant", "content": "Tell me more."}]
            await caller.ask("POST", f"/cache/{name}", {"input_history": json.dumps(said)})
        if chance.random() < 0.4:
            await caller.ask("POST", f"/settle/{name}", {"input_history": "[]"})
            await caller.ask("GET", f"/new_dialog/{name}")
        asked = {"query": chance.choice(("peanuts", "茉莉花", "jazz", "cat")), "tiers": ["fact", "turn", "reflection"]}
        await caller.ask("POST", f"/query_memory/{name}", asked)
        if chance.random() < 0.1:
            await caller.ask("POST", f"/reflect/{name}", {})
            await caller.ask("GET", f"/followup_topics/{name}")


async def agent(caller: Caller, going: Going) -> None:
    chance = caller.chance
    while going():
        scope = chance.choice(("project:a", "project:b", "character:Mika"))
        text = f"User prefers {chance.choice(('tea', 'coffee', 'vim'))} number {chance.randrange(50)}"
        await caller.ask("POST", "/v1/store", {"text": text, "category": "preferences", "scope": scope})
        await caller.ask("POST", "/v1/recall", {"query": "tea or coffee", "scope": scope})
        if chance.random() < 0.3:
            await caller.ask("POST", "/v1/resume", {"task": "write notes", "scope": scope})
            await caller.ask("POST", "/v1/checkpoint", {"summary": "stopped here", "scope": scope, "sessionId": "s"})
            await caller.ask("POST", "/v1/consolidate", {"scope": scope, "dryRun": chance.random() < 0.5})
            await caller.ask("GET", "/v1/stats")


async def app(caller: Caller, going: Going) -> None:
    chance = caller.chance
    headers = {"x-user-id": chance.choice(("local-dev-user", "bob"))}
    scope = str((await caller.ask("POST", "/v1/scopes", {"name": "soak"}, headers))["id"])
    while going():
        event = {"scopeId": scope, "type": "stream", "content": caller.sentence()}
        await caller.ask("POST", "/v1/memory/events", event, headers)
        note = {"scopeId": scope, "text": f"We use pnpm {chance.randrange(40)}"}
        await caller.ask("POST", "/v1/memory/notes", note, headers)
        asked = {"scopeId": scope, "query": "SQLite decision", "maxChars": 500}
        await caller.ask("POST", "/v1/memory/retrieve", asked, headers)
        if chance.random() < 0.3:
            groups = (await caller.ask("GET", f"/v1/memory/facts?scopeId={scope}", None, headers))["groups"]
            items = [item for group in groups for item in group["items"]]
            if items:
                forgotten = {"scopeId": scope, "factKey": chance.choice(items)["factKey"]}
                await caller.ask("POST", "/v1/memory/facts/forget", forgotten, headers)
            due = (datetime.now(UTC) + timedelta(seconds=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
            await caller.ask("POST", "/v1/reminders", {"scopeId": scope, "dueAt": due, "text": "stretch"}, headers)
            await caller.ask("GET", f"/memory/layer-status?scopeId={scope}", None, headers)


async def watch(client: httpx2.AsyncClient, going: Going, waits: list[float]) -> None:
    while going():
        began = time.perf_counter()
        await client.get("/health")
        waits.append(time.perf_counter() - began)
        await asyncio.sleep(0.01)


async def soak(server: Server, seconds: float, seed: int) -> tuple[list[Caller], list[float]]:
    end, waits = time.monotonic() + seconds, list[float]()

    def going() -> bool:
        return time.monotonic() < end

    async with httpx2.AsyncClient(base_url=f"http://{HOST}:{server.port}", trust_env=False, timeout=60.0) as client:
        kinds = (companion, companion, companion, agent, agent, app, app, app)
        callers = [Caller(client, random.Random(seed * 100 + number)) for number in range(len(kinds))]
        jobs: list[Coroutine[Any, Any, None]] = [
            kind(caller, going) for kind, caller in zip(kinds, callers, strict=True)
        ]
        await asyncio.gather(*jobs, watch(client, going, waits))
    return callers, waits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        with Server(root) as server:
            callers, waits = asyncio.run(soak(server, wanted.seconds, wanted.seed))
            footprint = server.footprint()
            began = time.perf_counter()
        stopped = time.perf_counter() - began
        command = [sys.executable, "-m", "memory_server", "doctor", "--json", "--data-root", str(root)]
        doctor = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    statuses = sum((caller.statuses for caller in callers), Counter[int]())
    failed = [one for caller in callers for one in caller.failed]
    waits.sort()
    report = {
        "requests": statuses.total(),
        "by_status": dict(sorted(statuses.items())),
        "failed": failed[:20],
        "health_ms": {
            "p50": milliseconds(waits[len(waits) // 2]),
            "p99": milliseconds(waits[int(len(waits) * 0.99)]),
            "worst": milliseconds(waits[-1]),
        },
        "footprint": footprint,
        "stop_s": round(stopped, 2),
        "doctor_exit": doctor.returncode,
    }
    print(json.dumps(report, indent=1))
    sys.exit(1 if failed or doctor.returncode else 0)


if __name__ == "__main__":
    main()
