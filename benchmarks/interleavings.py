"""Many callers at once on one character: ``python -m benchmarks.interleavings [--runs N] [--seed S]``.

Each run lets a dozen callers write, settle and do owed work at moments drawn from its seed, cancels some
of them, and then compares what was acknowledged with what the journal, the database and the window hold.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from memory.engine import Engine
from memory.history import record, settle
from memory.history.record import Incoming
from memory.history.turn import HUMAN, SYSTEM, Message
from memory.settings import Settings
from memory.space import MemorySpace
from memory.store import layout

CALLERS = 12
PATIENCE = 60.0  # seconds after which a run counts as a deadlock
# Small windows, so that nearly every run compresses one, and few open spaces, so that others are folded away.
LIMITS = {"recent_trigger": 6, "recent_keep": 4, "recent_owe": 10, "open_spaces": 2, "save_delay": 0.0}


@dataclass(slots=True)
class Tally:
    """What went wrong, summed over runs. All zeros is what we want."""

    runs: int = 0
    batches: int = 0
    cancelled: int = 0
    compressions: int = 0
    lost: int = 0
    duplicated: int = 0
    half_batches: int = 0
    rows_wrong: int = 0
    windows_wrong: int = 0
    deadlocks: int = 0
    errors: int = 0
    seeds: list[int] = field(default_factory=list)  # of runs in which something went wrong

    @property
    def faults(self) -> int:
        return (
            self.lost + self.duplicated + self.half_batches + self.rows_wrong + self.windows_wrong + self.deadlocks
            + self.errors
        )  # fmt: skip


async def run(engine: Engine, seed: int, tally: Tally) -> None:
    """One interleaving on a character of its own."""
    name = f"run {seed}"
    chance = random.Random(seed)
    acknowledged: list[list[str]] = []
    uncertain: list[list[str]] = []
    before = tally.faults
    working = asyncio.Lock()  # the worker does one job of a character at a time
    callers = [
        asyncio.create_task(
            _call(engine, name, number, random.Random(chance.random()), acknowledged, uncertain, working)
        )
        for number in range(CALLERS)
    ]
    canceller = asyncio.create_task(_cancel_some(callers, chance))
    _, waiting = await asyncio.wait({*callers, canceller}, timeout=PATIENCE)
    if waiting:
        tally.deadlocks += 1
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    tally.errors += sum(not task.cancelled() and task.exception() is not None for task in callers)
    tally.cancelled += sum(task.cancelled() for task in callers)
    if acknowledged or uncertain:
        await _look(engine, name, acknowledged, uncertain, tally)
    tally.runs += 1
    tally.batches += len(acknowledged)
    if tally.faults > before:
        tally.seeds.append(seed)


async def _call(
    engine: Engine,
    name: str,
    number: int,
    chance: random.Random,
    acknowledged: list[list[str]],
    uncertain: list[list[str]],
    working: asyncio.Lock,
) -> None:
    """One caller: a few requests with pauses between them."""
    names = engine.cast.names(name)
    for turn in range(chance.randint(1, 3)):
        for _ in range(chance.randint(0, 6)):
            await asyncio.sleep(0)
        if chance.random() < 0.3:
            await asyncio.sleep(chance.random() * 0.004)
        texts = [f"{number}.{turn}.{place}" for place in range(chance.randint(1, 3))]
        incoming = Incoming(messages=[Message(kind=HUMAN, content=text) for text in texts])
        uncertain.append(texts)
        async with engine.spaces.use(name, create=True) as space:
            match chance.randrange(5):
                case 0 | 1:
                    await record.cache(space, incoming)
                case 2:
                    await settle.process(space, names, engine.chat, incoming)
                case 3:
                    await settle.settle(space, names, engine.chat, incoming)
                case _:
                    await record.cache(space, incoming)
                    async with working:
                        await engine.worker.perform_all(space)
        uncertain.remove(texts)
        acknowledged.append(texts)


async def _cancel_some(callers: Sequence[asyncio.Task[None]], chance: random.Random) -> None:
    for caller in callers:
        if chance.random() < 0.25:
            await asyncio.sleep(chance.random() * 0.01)
            caller.cancel()


async def _look(
    engine: Engine, name: str, acknowledged: list[list[str]], uncertain: list[list[str]], tally: Tally
) -> None:
    async with engine.spaces.use(name, create=True) as space:
        for _ in range(3):
            await engine.worker.perform_all(space)
        await space.save()
        kept = [turn.text for turn in await space.turns.after(0, 10_000)]
        stored = rows_of(space.directory)
        places = {text: place for place, text in enumerate(kept)}
        for batch in acknowledged:
            tally.lost += sum(text not in places for text in batch)
        tally.duplicated += len(kept) - len(places)
        for batch in (*acknowledged, *uncertain):
            found = [places[text] for text in batch if text in places]
            tally.half_batches += bool(found) and found != list(range(found[0], found[0] + len(batch)))
        tally.rows_wrong += stored != [(row, text) for row, text in enumerate(kept, start=1)]
        tally.windows_wrong += not window_is_whole(space, kept)
        tally.compressions += any(entry.kind == SYSTEM for entry in space.recent.entries)


def window_is_whole(space: MemorySpace, kept: Sequence[str]) -> bool:
    """Whether the memo and what follows it are the whole conversation, each message once and in order."""
    shown = [entry.text for entry in space.recent.entries if entry.kind != SYSTEM]
    first = len(kept) - len(shown)
    if shown != list(kept[first:]):
        return False
    return not first or space.views.recent_meta.value["memo_rows"] == [1, first]


def rows_of(directory: Path) -> list[tuple[int, str]]:
    path = directory / layout.TURNS
    if not path.exists():
        return []
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute("SELECT id, message FROM time_indexed_original ORDER BY id").fetchall()
    finally:
        connection.close()
    return [(row, orjson.loads(message)["data"]["content"]) for row, message in rows]


async def interleave(root: Path, seeds: Sequence[int]) -> Tally:
    """Run these seeds one after another on one root."""
    tally = Tally()
    engine = await Engine.open(Settings(data_root=root, background=False, **LIMITS))  # type: ignore[arg-type]
    try:
        for seed in seeds:
            await run(engine, seed, tally)
    finally:
        await engine.close()
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as root:
        tally = asyncio.run(interleave(Path(root), range(arguments.seed, arguments.seed + arguments.runs)))
    figures = {name: getattr(tally, name) for name in Tally.__dataclass_fields__}
    print(orjson.dumps({**figures, "seconds": round(time.perf_counter() - started, 1)}).decode())


if __name__ == "__main__":
    main()
