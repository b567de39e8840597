"""StateCore's operations on a large scope, and reminders over many: ``python -m benchmarks.statecore_speed``.

    [--events N] [--scopes N] [--rounds N]

Prints JSON: p50 and p95 of each read through HTTP beside an empty ``/health`` round trip of the same run, what an event
costs in a small scope and in the large one, how long the first read and the first question after a start take, and how
long after its time a reminder is sent when no scope at all is open.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.harness import Server, median, milliseconds, percentile
from memory import tenancy
from memory.engine import Engine
from memory.history.turn import HUMAN, Turn
from memory.scopes import read_scope
from memory.settings import Settings
from memory.store import layout
from memory.tenancy import NewScope, user_of

USER = "local-dev-user"
_WORDS = [
    "storage", "release", "server", "garden", "letter", "harbour", "window", "meeting", "engine", "budget", "lantern",
    "river", "ticket", "planet", "copper", "winter", "signal", "orange", "market", "bridge", "doctor", "violin",
    "carpet", "summer", "pepper", "island", "rocket", "castle", "needle", "silver",
]  # fmt: skip
_PER_COMMIT = 500


def sentence(rng: random.Random, number: int) -> str:
    return f"{' '.join(rng.choices(_WORDS, k=12))} number{number}"


async def prepare(root: Path, events: int, scopes: int) -> tuple[str, str]:
    """A large scope, a small one, and many more; returns the ids of the first two."""
    engine = await Engine.open(Settings(data_root=root, background=False))
    user = user_of(f"local:{USER}", is_local=True)
    rng = random.Random(1)
    made = []
    for number in range(scopes):
        wanted = NewScope(name=f"scope {number}", goal=None, stage="idea", template="project")
        made.append((await tenancy.create_scope(engine, user, wanted)).id)
    async with tenancy.using(engine, user, made[0]) as (_, space):
        began = engine.clock.now() - timedelta(days=300)
        for start in range(0, events, _PER_COMMIT):
            async with space.journal.write() as batch:
                turns = [
                    Turn(
                        id=engine.ids.new("turn"),
                        row=space.turns.last_row + 1 + place,
                        kind=HUMAN,
                        content=sentence(rng, start + place),
                        at=began + timedelta(minutes=start + place),
                        session="session_seed",
                    ).to_json()
                    for place in range(min(_PER_COMMIT, events - start))
                ]
                batch.add("turns.added", {"turns": turns, "language": None, "outside": [turn["id"] for turn in turns]})
    await engine.close()
    return made[0], made[1]


class Asker:
    """Speaks to a server for the local user."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def get(self, path: str) -> Any:
        return self._server._ask("GET", path, None, {"x-user-id": USER})

    def post(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"x-user-id": USER, "Content-Type": "application/json"}
        return self._server._ask("POST", path, json.dumps(body).encode(), headers)


def timings(ask: Callable[[int], object], rounds: int) -> dict[str, float]:
    taken = []
    for number in range(rounds):
        started = time.perf_counter()
        ask(number)
        taken.append(time.perf_counter() - started)
    return {"p50_ms": milliseconds(median(taken)), "p95_ms": milliseconds(percentile(taken, 0.95))}


def reads(server: Server, scope: str, rounds: int) -> dict[str, Any]:
    asker, rng = Asker(server), random.Random(2)
    retrieve = "/v1/memory/retrieve"
    started = time.perf_counter()
    asker.post(retrieve, {"scopeId": scope})
    first = time.perf_counter() - started
    started = time.perf_counter()
    asker.post(retrieve, {"scopeId": scope, "query": "copper bridge number77"})
    question = time.perf_counter() - started
    asker.post("/v1/memory/notes", {"scopeId": scope, "text": "The release of the server is planned for the winter."})
    fact = asker.get(f"/v1/memory/facts?scopeId={scope}")["groups"][0]["items"][0]["factId"]
    measured: dict[str, Callable[[int], object]] = {
        "health": lambda _: server.get("/health"),
        "retrieve, newest": lambda _: asker.post(retrieve, {"scopeId": scope}),
        "retrieve, common words": lambda _: asker.post(
            retrieve, {"scopeId": scope, "query": " ".join(rng.choices(_WORDS, k=5))}
        ),
        "retrieve, one event": lambda n: asker.post(retrieve, {"scopeId": scope, "query": f"number{n * 37 % 90_000}"}),
        "retrieve, budget": lambda _: asker.post(
            retrieve, {"scopeId": scope, "query": " ".join(rng.choices(_WORDS, k=5)), "limit": 100, "maxChars": 2000}
        ),
        "facts": lambda _: asker.get(f"/v1/memory/facts?scopeId={scope}"),
        "provenance": lambda _: asker.get(f"/v1/memory/facts/{fact}/provenance?scopeId={scope}"),
        "relationship": lambda _: asker.get(f"/v1/memory/relationship-context/{scope}"),
        "scopes": lambda _: asker.get("/v1/scopes"),
        "reminders": lambda _: asker.get("/v1/reminders"),
    }
    told: dict[str, Any] = {name: timings(ask, rounds) for name, ask in measured.items()}
    floor = told["health"]["p95_ms"]
    for name, one in told.items():
        if name != "health":
            one["times_health_p95"] = round(one["p95_ms"] / floor, 1)
    return {"first_read_s": round(first, 2), "first_question_s": round(question, 2), **told}


def ingest(server: Server, scopes: dict[str, str], rounds: int) -> dict[str, Any]:
    asker, rng = Asker(server), random.Random(3)
    return {
        name: timings(
            lambda n, scope=scope: asker.post(  # type: ignore[misc]
                "/v1/memory/events", {"scopeId": scope, "type": "stream", "content": sentence(rng, n)}
            ),
            rounds,
        )
        for name, scope in scopes.items()
    }


def reminders(server: Server, scope: str, times: int) -> dict[str, float]:
    asker = Asker(server)
    late: list[float] = []
    for _ in range(times):
        due = datetime.now(UTC) + timedelta(seconds=2)
        made = asker.post(
            "/v1/reminders", {"scopeId": scope, "dueAt": due.isoformat().replace("+00:00", "Z"), "text": "call"}
        )
        while all(one["id"] != made["id"] for one in asker.get("/v1/reminders?status=sent&limit=100")["items"]):
            time.sleep(0.02)
        late.append((datetime.now(UTC) - due).total_seconds())
    return {"worst_s": round(max(late), 2), "median_s": round(median(late), 2)}


def closed_reminders(root: Path, scope: str) -> dict[str, float]:
    """One reminder that falls due after a start, while no scope is open.

    When it is sent is read off the scope's journal: asking for reminders would open the scope.
    """
    owner = user_of(f"local:{USER}", is_local=True).id
    space = read_scope(scope, dialect=tenancy.STATECORE, owner=owner).space
    journal = layout.space_directory(root, space) / layout.EVENTS
    with Server(root) as server:
        due = datetime.now(UTC) + timedelta(seconds=20)
        Asker(server).post(
            "/v1/reminders", {"scopeId": scope, "dueAt": due.isoformat().replace("+00:00", "Z"), "text": "call"}
        )
    sent = journal.read_bytes().count(b'"reminder.sent"')
    with Server(root) as server:
        open_before = -1
        while journal.read_bytes().count(b'"reminder.sent"') == sent:
            if (now := datetime.now(UTC)) < due:
                open_before = server.get("/health")["open_spaces"]
            elif now - due > timedelta(seconds=60):
                raise RuntimeError("the reminder was not sent within a minute")
            time.sleep(0.01)
        late = (datetime.now(UTC) - due).total_seconds()
    return {"late_s": round(late, 2), "open_spaces_before": open_before}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--scopes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=200)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        large, small = asyncio.run(prepare(root, wanted.events, wanted.scopes))
        with Server(root) as server:
            told = {
                "events": wanted.events,
                "scopes": wanted.scopes,
                "reads": reads(server, large, wanted.rounds),
                "ingest": ingest(server, {"small scope": small, "large scope": large}, wanted.rounds),
                "reminders, open": reminders(server, small, 3),
                "footprint": server.footprint(),
            }
        quiet = Path(folder) / "quiet"      # where nothing waits to be digested, which would open scopes
        _, scope = asyncio.run(prepare(quiet, 0, wanted.scopes))
        told["reminder, none open"] = closed_reminders(quiet, scope)
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
