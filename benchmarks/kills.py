"""Kills during writes: ``python -m benchmarks.kills [--kills N] [--seed S] [--server]``.

A process writes on four characters at once and is killed at a moment drawn from the seed; the next one
opens the same root, sends again what was not acknowledged, and goes on. Every 25 kills, and at the end, the
journals, databases and windows are compared with what was acknowledged. The process is an engine in a forked
child; with ``--server`` it is a real server spoken to over HTTP, which takes far longer to start.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from benchmarks.harness import Server, ai, history, human
from benchmarks.interleavings import rows_of, window_is_whole
from memory.engine import Engine
from memory.history import record, settle
from memory.history.record import Incoming, RequestKey
from memory.history.turn import AI, HUMAN, Message
from memory.settings import Settings

CHARACTERS = ("Ann", "Bea", "Cleo", "Dora")
SENTENCES = ("I live in Porto.", "I like green tea.", "My cat is called Tama.", "We talked about letters.")
CHECK_EVERY = 25
PATIENCE = 30.0  # seconds that a new process may take to begin


@dataclass(slots=True)
class Line:
    """What one character was told, as its caller knows it."""

    acknowledged: list[list[str]] = field(default_factory=list)
    pending: list[str] | None = None  # sent, and nothing heard
    number: int = 0  # of the batch that is or was under way

    def next(self, name: str) -> list[str]:
        """The texts to send: what is pending, else a new turn."""
        if self.pending is None:
            self.number += 1
            said = f"{SENTENCES[self.number % 4]} This is {name}'s turn {self.number}."
            self.pending = [said, f"[20260504 Mon 10:{self.number % 60:02d}] Answer {self.number} to {name}."]
        return self.pending

    @property
    def key(self) -> str | None:
        """Every other batch goes without a key: its stamp must do."""
        return f"{self.number}" if self.number % 2 else None


@dataclass(slots=True)
class Tally:
    kills: int = 0
    acknowledged: int = 0
    under_way: int = 0  # kills that met a batch between sending and answer
    lost: int = 0
    duplicated: int = 0
    half_batches: int = 0
    out_of_order: int = 0
    rows_wrong: int = 0
    windows_wrong: int = 0
    facts_doubled: int = 0
    damaged: int = 0
    checks: int = 0


# an engine in a child


def life(root: Path, lines: dict[str, Line], writing: int) -> None:
    """Write until killed. Every batch is told to the parent before and after."""

    def tell(what: str, name: str, number: int) -> None:
        os.write(writing, f"{what} {name} {number}\n".encode())

    async def talk(engine: Engine, name: str, line: Line, chance: random.Random) -> None:
        names = engine.cast.names(name)
        while True:
            texts = line.next(name)
            key = RequestKey(line.key, line.key) if line.key is not None else None
            messages = [Message(kind=HUMAN, content=texts[0]), Message(kind=AI, content=texts[1])]
            tell("sent", name, line.number)
            async with engine.spaces.use(name, create=True) as space:
                await record.cache(space, Incoming(messages=messages, key=key))
            tell("kept", name, line.number)
            line.pending = None
            if chance.random() < 0.02:
                async with engine.spaces.use(name) as space:
                    await settle.settle(space, names, engine.chat, Incoming(messages=()))
            await asyncio.sleep(chance.random() * 0.004)

    async def main() -> None:
        engine = await Engine.open(Settings(data_root=root, segment_bytes=200_000))
        chance = random.Random()
        await asyncio.gather(*(talk(engine, name, line, chance) for name, line in lines.items()))

    asyncio.run(main())


def engine_life(root: Path, lines: dict[str, Line], chance: random.Random) -> None:
    """One child, from its start to its kill; what it told is put into ``lines``."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            life(root, lines, writing)
        os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = [pipe.readline()]  # it is open once it sends
        time.sleep(chance.random() * 0.15)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        told += pipe.readlines()
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, "the child ended by itself"
    for raw in told:
        what, name, _ = raw.decode().split()
        line = lines[name]
        if what == "sent":
            line.next(name)
        else:
            assert line.pending is not None
            line.acknowledged.append(line.pending)
            line.pending = None


# a server


def server_life(root: Path, lines: dict[str, Line], chance: random.Random) -> None:
    """One server process, from its start to its kill."""
    server = Server(root)
    server.start()
    killed = threading.Event()

    def talk(name: str, line: Line) -> None:
        caller = Server(root)
        caller.port = server.port
        while not killed.is_set():
            said, answer = line.next(name)
            with contextlib.suppress(OSError):
                reply = caller.post(f"/cache/{name}", history(human(said), ai(answer)), key=line.key)
                assert reply == {"status": "cached", "count": 2}, reply
                line.acknowledged.append([said, answer])
                line.pending = None
        caller.disconnect()

    callers = [threading.Thread(target=talk, args=(name, line)) for name, line in lines.items()]
    for caller in callers:
        caller.start()
    time.sleep(0.05 + chance.random() * 0.4)
    server.kill()
    killed.set()
    for caller in callers:
        caller.join(PATIENCE)


# looking


async def look(root: Path, lines: dict[str, Line], tally: Tally) -> None:
    """Compare everything with what was acknowledged; work that is owed is done first."""
    engine = await Engine.open(Settings(data_root=root, background=False, segment_bytes=200_000))
    for name, line in lines.items():
        if not line.acknowledged and not engine.spaces.exists(name):
            continue
        async with engine.spaces.use(name) as space:
            if space.journal.damage is not None:
                tally.damaged += 1
                continue
            for _ in range(3):
                await engine.worker.perform_all(space)
            await space.save()
            kept = [turn.text for turn in await space.turns.after(0, 10**9)]
            _compare(kept, line, tally)
            tally.rows_wrong += [text for _, text in rows_of(space.directory)] != kept
            tally.windows_wrong += not window_is_whole(space, kept)
            texts = [fact.text for fact in space.facts if fact.superseded_by is None]
            tally.facts_doubled += len(texts) - len(set(texts))
    await engine.close()
    tally.checks += 1


def _compare(kept: Sequence[str], line: Line, tally: Tally) -> None:
    expected = [text for batch in line.acknowledged for text in batch]
    pending = line.pending or []
    known = set(kept)
    tally.lost += sum(text not in known for text in expected)
    tally.duplicated += len(kept) - len(known)
    tally.half_batches += bool(pending) and 0 < sum(text in known for text in pending) < len(pending)
    tally.out_of_order += list(kept) not in (expected, [*expected, *pending])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--server", action="store_true")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    lines = {name: Line() for name in CHARACTERS}
    tally = Tally()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "root"
        for number in range(1, arguments.kills + 1):
            (server_life if arguments.server else engine_life)(root, lines, chance)
            tally.kills = number
            tally.under_way += sum(line.pending is not None for line in lines.values())
            if number % CHECK_EVERY == 0 or number == arguments.kills:
                asyncio.run(look(root, lines, tally))
    tally.acknowledged = sum(len(line.acknowledged) for line in lines.values())
    figures = orjson.loads(orjson.dumps(tally))
    print(json.dumps({**figures, "seconds": round(time.perf_counter() - started, 1)}))


if __name__ == "__main__":
    main()
