"""Kills while digests are made: ``python -m benchmarks.digest_kills [--kills N] [--seed S]``.

A process asks for digests of one scope, makes them with a model that takes a moment, and meanwhile notes things and
has some of them forgotten; it is killed with SIGKILL at a moment drawn from the seed. The next one opens the same
root, does what is owed, and goes on. Every 10 kills, and at the end, what is there is compared with what was
acknowledged: each accepted request has ended as one digest that covers what came before it, every note is there but
those that were forgotten, and nothing tells of those. Prints JSON.
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
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory import tenancy
from memory.engine import Engine
from memory.forget import forget
from memory.models.chat import Tier
from memory.settings import Settings
from memory.space import MemorySpace
from memory.state import notes, registry
from memory.state.digest_jobs import ask_digest, undigested
from memory.state.digest_reading import latest_told
from memory.state.digest_runs import DONE
from memory.state.events import Arriving, add_event
from memory.state.facets import PACKS
from memory.tenancy import NewScope, user_of
from tests.fakes import ScriptedChat

USER = user_of("local:me", is_local=True)
PACK = PACKS["project"]
CHECK_EVERY = 10
_NOTES = 15         # that stand at once; older ones are forgotten, so that none is retired for want of room
_ANSWER = '{"summary": "Work goes on.", "changes": [], "nextSteps": ["Review the open points"], "profileFacts": []}'


def writer() -> ScriptedChat:
    """A model that writes digests after a moment."""
    return ScriptedChat(_ANSWER, tiers=(Tier.SUMMARY,), seconds=0.01)


@dataclass(slots=True)
class Known:
    """What was acknowledged."""

    jobs: set[str] = field(default_factory=set)
    events: list[str] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    under_way: dict[str, None] = field(default_factory=dict)    # notes sent or to be forgotten, and nothing heard
    number: int = 0


@dataclass(slots=True)
class Tally:
    kills: int = 0
    during_digests: int = 0     # kills that met an accepted job before its end
    jobs: int = 0
    digests: int = 0
    lost_jobs: int = 0
    doubled_digests: int = 0    # more digests than jobs that ended
    uncovered_events: int = 0
    lost_notes: int = 0
    lost_forgets: int = 0
    damaged: int = 0
    checks: int = 0


def event_of(number: int) -> str:
    return f"Decision: keep box{number} in room{number} behind door{number}"


def note_of(number: int) -> str:
    return f"note{number} alpha{number} beta{number} gamma{number}"


def life(root: Path, scope: str, first: int, standing: Sequence[str], writing: int) -> None:
    """Work until killed; the parent is told before and after each step."""

    def tell(what: str, value: str) -> None:
        os.write(writing, f"{json.dumps([what, value])}\n".encode())

    async def digests(engine: Engine, space: MemorySpace) -> None:
        while True:
            await engine.worker.perform_all(space)
            await asyncio.sleep(0.001)

    async def writes(space: MemorySpace) -> None:
        number, kept = first, list(standing)
        while True:
            number += 1
            tell("number", str(number))
            await add_event(space, Arriving(content=event_of(number)))
            tell("event", event_of(number))
            tell("job", await ask_digest(space))
            tell("noting", note_of(number))
            await notes.note(space, note_of(number), PACK)
            tell("note", note_of(number))
            kept.append(note_of(number))
            while len(kept) > _NOTES:
                gone = kept.pop(0)
                tell("forgetting", gone)
                await forget(space, lambda gone=gone: [one for one in registry.active(space) if one.text == gone])  # type: ignore[misc]
                tell("forgotten", gone)
            await asyncio.sleep(random.random() * 0.004)

    async def main() -> None:
        engine = await Engine.open(Settings(data_root=root, background=False, segment_bytes=400_000), chat=writer())
        async with tenancy.using(engine, USER, scope) as (_, space):
            tell("open", "")
            await asyncio.gather(digests(engine, space), writes(space))

    asyncio.run(main())


def live(root: Path, scope: str, known: Known, chance: random.Random) -> bool:
    """One child, from its start to its kill. Whether it met a job that had not ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            life(root, scope, known.number, list(known.notes), writing)
        os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = [pipe.readline()]
        time.sleep(chance.random() * 0.3)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        told += pipe.readlines()
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, "the child ended by itself"
    accepted = False
    for line in told:
        with contextlib.suppress(json.JSONDecodeError):     # the last line may be half
            what, value = json.loads(line)
            accepted = accepted or what == "job"
            take(known, what, value)
    return accepted


def take(known: Known, what: str, value: str) -> None:
    match what:
        case "number":
            known.number = int(value)
        case "event":
            known.events.append(value)
        case "job":
            known.jobs.add(value)
        case "noting" | "forgetting":
            known.under_way[value] = None
        case "note":
            known.under_way.pop(value, None)
            known.notes[value] = None
        case "forgotten":
            known.under_way.pop(value, None)
            known.notes.pop(value, None)
            known.forgotten.add(value)


async def look(root: Path, scope: str, known: Known, tally: Tally) -> None:
    """Do what is owed and compare."""
    engine = await Engine.open(Settings(data_root=root, background=False, segment_bytes=400_000), chat=writer())
    try:
        await compare(engine, scope, known, tally)
    finally:
        await engine.close()
    tally.checks += 1


async def compare(engine: Engine, scope: str, known: Known, tally: Tally) -> None:
    async with tenancy.using(engine, USER, scope) as (_, space):
        if space.journal.damage is not None:
            tally.damaged += 1
            return
        await space.raw.refresh()
        before = {one.text for one in space.raw}
        for _ in range(3):
            await engine.worker.perform_all(space)
        runs = space.views.digest_runs
        last = runs.last
        tally.jobs = len(known.jobs)
        tally.digests = len(space.views.digests)
        kept = {run.id for run in runs}
        beyond = (last.number if last is not None else 0) - len(kept)     # ended so long ago that only counted
        tally.lost_jobs += max(len(known.jobs - kept) - beyond, 0) + len(space.outbox.pending)
        ended = last.number - last.failures if last is not None else 0
        tally.doubled_digests += abs(tally.digests - ended)
        assert all(run.status == DONE for run in runs)
        tally.uncovered_events += undigested(space) > 0
        tally.uncovered_events += sum(event not in before for event in known.events)
        texts = {fact.text for fact in registry.active(space)}
        sure = [note for note in known.notes if note not in known.under_way]
        tally.lost_notes += sum(note not in texts for note in sure)
        latest = await latest_told(space)
        said = f"{latest.summary if latest is not None else ''}{latest.state if latest is not None else ''}{texts}"
        tally.lost_forgets += sum(gone in said for gone in known.forgotten)
        # What was under way is known now.
        for one in known.under_way:
            if one in texts:
                known.notes[one] = None
            else:
                known.notes.pop(one, None)
        known.under_way.clear()
        await space.save()


async def prepare(root: Path) -> str:
    engine = await Engine.open(Settings(data_root=root, background=False))
    wanted = NewScope(name="demo", goal=None, stage="idea", template="project")
    scope = (await tenancy.create_scope(engine, USER, wanted)).id
    await engine.close()
    return scope


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    chance = random.Random(wanted.seed)
    tally, known = Tally(), Known()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        scope = asyncio.run(prepare(root))
        for kill in range(1, wanted.kills + 1):
            tally.during_digests += live(root, scope, known, chance)
            tally.kills += 1
            if kill % CHECK_EVERY == 0 or kill == wanted.kills:
                asyncio.run(look(root, scope, known, tally))
    told = {name: getattr(tally, name) for name in Tally.__slots__}
    print(json.dumps({**told, "notes": len(known.notes), "forgotten": len(known.forgotten)}, indent=1))
    wrong = ("lost_jobs", "doubled_digests", "uncovered_events", "lost_notes", "lost_forgets", "damaged")
    if any(told[name] for name in wrong):
        raise SystemExit("something was lost or doubled")


if __name__ == "__main__":
    main()
