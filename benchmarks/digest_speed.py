"""A digest of many events without a model, beside the time of reading them: ``python -m benchmarks.digest_speed``.

    [--events N] [--rounds N]

Prints JSON: how long the events take to be read from the disk and made ready for retrieval, how long the digest takes
from there to its commit, the ratio of the two, and how long the event loop was kept from other work meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.harness import median, milliseconds
from benchmarks.statecore_speed import USER, sentence
from memory import tenancy
from memory.engine import Engine
from memory.history.turn import HUMAN, Turn
from memory.settings import Settings
from memory.state.digest.making import make_quietly
from memory.state.digest.material import Kit
from memory.state.facets import PACKS
from memory.tenancy import NewScope, user_of
from memory_server.serve import SWITCH

_STARTS = ("Decision: ", "Constraint: ", "TODO: ", "", "", "", "", "status: ", "Question: ", "")
_PER_COMMIT = 500


async def prepare(root: Path, events: int) -> str:
    engine = await Engine.open(Settings(data_root=root, background=False))
    user = user_of(f"local:{USER}", is_local=True)
    wanted = NewScope(name="demo", goal="measure", stage="idea", template="project")
    scope = (await tenancy.create_scope(engine, user, wanted)).id
    rng = random.Random(1)
    async with tenancy.using(engine, user, scope) as (_, space):
        for start in range(0, events, _PER_COMMIT):
            async with space.journal.write() as batch:
                turns = [
                    Turn(
                        id=engine.ids.new("turn"),
                        row=start + place + 1,
                        kind=HUMAN,
                        content=f"{_STARTS[(start + place) % len(_STARTS)]}{sentence(rng, start + place)}",
                        at=engine.clock.now(),
                        session="session_seed",
                    ).to_json()
                    for place in range(min(_PER_COMMIT, events - start))
                ]
                batch.add("turns.added", {"turns": turns, "language": None, "outside": [turn["id"] for turn in turns]})
    await engine.close()
    return scope


async def longest_stall(until: asyncio.Event) -> float:
    worst = 0.0
    while not until.is_set():
        started = time.perf_counter()
        await asyncio.sleep(0.002)
        worst = max(worst, time.perf_counter() - started - 0.002)
    return worst


async def round_(folder: Path, events: int) -> dict[str, Any]:
    root = folder / "root"
    scope = await prepare(root, events)
    engine = await Engine.open(Settings(data_root=root, background=False))
    user = user_of(f"local:{USER}", is_local=True)
    async with tenancy.using(engine, user, scope) as (_, space):
        started = time.perf_counter()
        await space.raw.refresh()
        reading = time.perf_counter() - started
        done = asyncio.Event()
        stalls = asyncio.create_task(longest_stall(done))
        started = time.perf_counter()
        kit = Kit(names=engine.cast.names(space.name), chat=engine.chat, pack=PACKS["project"])
        assert await make_quietly(space, kit)
        digesting = time.perf_counter() - started
        done.set()
        latest = space.views.digests.latest
        assert latest is not None
        assert latest.state is not None
        told = {
            "reading_s": reading,
            "digest_s": digesting,
            "times": digesting / reading,
            "stall_s": await stalls,
            "decisions": len(latest.state.decisions),
            "facts": len(space.facts),
        }
    await engine.close()
    return told


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    rounds = []
    sys.setswitchinterval(SWITCH)       # as the server does
    for _ in range(wanted.rounds):
        with tempfile.TemporaryDirectory() as folder:
            rounds.append(asyncio.run(round_(Path(folder), wanted.events)))
    print(
        json.dumps(
            {
                "events": wanted.events,
                "reading_ms": milliseconds(median([one["reading_s"] for one in rounds])),
                "digest_ms": milliseconds(median([one["digest_s"] for one in rounds])),
                "times_reading": round(median([one["times"] for one in rounds]), 1),
                "longest_stall_ms": milliseconds(max(one["stall_s"] for one in rounds)),
                "decisions": rounds[-1]["decisions"],
                "facts": rounds[-1]["facts"],
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
