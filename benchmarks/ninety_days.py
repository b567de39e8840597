"""Ninety days of a person and a character, played against a real engine with a scripted clock and no model.

``python -m benchmarks.ninety_days`` prints what became of everything as JSON, and the block that a
conversation on the ninetieth day starts from, in English and in Chinese.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any

import orjson

from benchmarks.lives import CHINESE, DAYS, ENGLISH, Life, Scene, Talk
from memory import tokens
from memory.engine import Engine
from memory.funnel import count
from memory.history.record import Incoming, cache
from memory.history.turn import AI, HUMAN, Message
from memory.ids import Ids
from memory.persona import mind
from memory.reflections.record import to_record
from memory.settings import Settings
from memory.space import MemorySpace
from memory.store import layout

_ZONE = timezone(timedelta(hours=2))
BEGINNING = datetime(2026, 3, 2, 9, 0, tzinfo=_ZONE)    # a Monday
_DRAWS = 20             # times that topics are asked for before a scene is left out


@dataclass(slots=True)
class Outcome:
    """What ninety days came to."""

    counts: dict[str, int]
    transitions: dict[str, int]                     # the same ten, counted from the journal's own data
    reasons: list[dict[str, Any]]                   # every change of status, with its rule
    state: dict[str, Any]                           # what every file says
    block: str
    seconds: float = 0.0
    ticks: int = 0
    slowest_tick: float = 0.0
    undecided: dict[str, int] = field(default_factory=dict)


class ScriptedClock:
    """Stands still until it is told to go on."""

    def __init__(self, now: datetime = BEGINNING) -> None:
        self._now, self._monotonic = now, 0.0

    def now(self) -> datetime:
        return self._now

    def local(self, moment: datetime) -> datetime:
        return moment.replace(tzinfo=_ZONE) if moment.tzinfo is None else moment.astimezone(_ZONE)

    def monotonic(self) -> float:
        return self._monotonic

    def go_to(self, moment: datetime) -> None:
        passed = (moment - self._now).total_seconds()
        self._now, self._monotonic = moment, self._monotonic + max(passed, 0.0)


class CountedIds:
    """fact_1, fact_2, …"""

    def __init__(self) -> None:
        self._made: dict[str, int] = {}

    def new(self, kind: str) -> str:
        self._made[kind] = self._made.get(kind, 0) + 1
        return f"{kind}_{self._made[kind]}"


async def live(
    root: Path, life: Life, *, days: int = DAYS, restarts: Collection[int] = (), ticks_a_day: int = 4
) -> Outcome:
    """Play a life. On each day in ``restarts`` the engine is closed and opened again in the middle of the day."""
    clock, ids, started = ScriptedClock(), CountedIds(), time.perf_counter()
    engine = await _open(root, life, clock, ids)
    slowest, ticks = 0.0, 0
    for day in range(days):
        morning = BEGINNING + timedelta(days=day)
        clock.go_to(morning)
        for place, scene in enumerate(life.days.get(day, ())):
            clock.go_to(morning + timedelta(minutes=3 * place))
            await _play(engine, life, scene, clock, Random(day * 100 + place))
            if day in restarts and place == 0:
                await engine.close()
                engine = await _open(root, life, clock, ids)
        for tick in range(ticks_a_day):
            clock.go_to(morning + timedelta(hours=2 + tick * 20 / ticks_a_day))
            before = time.perf_counter()
            await engine.rounds.tick()
            await _owed(engine, life)
            slowest, ticks = max(slowest, time.perf_counter() - before), ticks + 1
    clock.go_to(BEGINNING + timedelta(days=days))
    for scene in life.last if days == DAYS else ():
        clock.go_to(clock.now() + timedelta(minutes=3))
        await _play(engine, life, scene, clock, Random(0))
    async with engine.spaces.use(life.character) as space:
        outcome = await _outcome(engine, space, life, clock.now())
    await engine.close()
    outcome.seconds, outcome.slowest_tick, outcome.ticks = time.perf_counter() - started, slowest, ticks
    return outcome


async def _open(root: Path, life: Life, clock: ScriptedClock, ids: Ids) -> Engine:
    settings = Settings(data_root=root, background=False, master_name=life.master)
    return await Engine.open(settings, clock=clock, ids=ids)


async def _play(engine: Engine, life: Life, scene: Scene, clock: ScriptedClock, random: Random) -> None:
    if isinstance(scene, Talk):
        await _say(engine, life, [(HUMAN, scene.user), (AI, scene.answer)])
        return
    async with engine.spaces.use(life.character) as space:
        for _ in range(_DRAWS):  # there is more to talk about than is offered at a time
            offered = mind.active_topics(space, clock.now(), random)
            wanted = [row["id"] for row in offered if scene.topic in row["text"]]
            if wanted:
                break
        else:
            return
        await mind.record_surfaced(space, wanted)
    await _say(engine, life, [(AI, scene.said)])
    for answer in scene.answers:
        clock.go_to(clock.now() + timedelta(seconds=20))
        await _say(engine, life, [(HUMAN, answer)])
        await _say(engine, life, [(AI, "…")])


async def _say(engine: Engine, life: Life, said: Sequence[tuple[str, str]]) -> None:
    async with engine.spaces.use(life.character, create=True) as space:
        await cache(space, Incoming(messages=[Message(kind=kind, content=text) for kind, text in said]))
    await _owed(engine, life)


async def _owed(engine: Engine, life: Life) -> None:
    async with engine.spaces.use(life.character) as space:
        await engine.worker.perform_all(space)


# what came of it


async def _outcome(engine: Engine, space: MemorySpace, life: Life, now: datetime) -> Outcome:
    counted = await count(space, BEGINNING - timedelta(days=1), now)
    await space.flush()
    transitions, reasons = _told(space)
    return Outcome(
        counts=counted.to_json(),
        transitions=transitions,
        reasons=reasons,
        state=await state_of(space),
        block=mind.render(space, engine.cast.names(life.character), life.locale, now),
        undecided=mind.undecided(space),
    )


def _told(space: MemorySpace) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """The transitions as the journal's own data tells them, which the counters do not look at."""
    totals = dict.fromkeys(
        (
            "facts_added", "reflections_synthesized", "reflections_confirmed", "reflections_promoted",
            "reflections_merged", "reflections_denied", "reflections_archived", "persona_entries_added",
            "persona_entries_rewritten", "persona_entries_archived",
        ),
        0,
    )  # fmt: skip
    reasons: list[dict[str, Any]] = []
    for path in [*(path for _, path in layout.segments(space.directory)), space.journal.path]:
        for raw in path.read_bytes().splitlines():
            line = orjson.loads(raw)
            data, name = line["data"], None
            match line["type"]:
                case "fact.added":
                    name = "facts_added"
                case "reflection.synthesized":
                    name = "reflections_synthesized"
                case "reflection.state_changed":
                    name = f"reflections_{data['to']}"
                case "persona.fact_added":
                    name = "persona_entries_archived" if "shard" in data else "persona_entries_added"
                case "persona.entry_updated":
                    name = "persona_entries_rewritten"
            if name is None:
                continue
            totals[name] = totals.get(name, 0) + 1
            if name != "facts_added":
                row = data.get("reflection") or data.get("entry") or {}
                reasons.append(
                    {
                        "at": line["at"][:10], "what": name, "rule": data.get("rule"), "turn": data.get("turn"),
                        "id": row.get("id") or (data.get("ids") or [None])[0], "text": row.get("text"),
                    }
                )  # fmt: skip
    return totals, reasons


async def state_of(space: MemorySpace) -> dict[str, Any]:
    """What the space holds, in a form that can be compared."""
    archives = {
        name: sorted((row["id"], row["text"]) for row in await shelf.rows())
        for name, shelf in (("reflections", space.reflection_archive), ("persona", space.persona_archive))
    }
    return {
        "facts": sorted((one.id, one.text, one.absorbed, one.superseded_by, one.denied_in) for one in space.facts),
        "archived_facts": sorted(fact.id for fact in space.views.facts_archive),
        "reflections": sorted((to_record(one) for one in space.reflections), key=lambda row: str(row["id"])),
        "persona": space.persona.document(),
        "surfaced": space.views.surfaced.rows(),
        "corrections": space.views.corrections.rows(),
        "archives": archives,
    }


def _summary(life: Life, outcome: Outcome) -> dict[str, Any]:
    return {
        "life": life.locale,
        "days": DAYS,
        "counts": outcome.counts,
        "counts_equal_transitions": outcome.counts == outcome.transitions,
        "reasons": [{key: value for key, value in one.items() if value} for one in outcome.reasons],
        "block_tokens": tokens.count(outcome.block),
        "undecided": outcome.undecided,
        "rounds": outcome.ticks,
        "seconds": round(outcome.seconds, 2),
        "slowest_round_ms": round(outcome.slowest_tick * 1000, 1),
    }


async def _main(quiet: bool) -> None:
    for life in (ENGLISH, CHINESE):
        with tempfile.TemporaryDirectory() as folder:
            outcome = await live(Path(folder) / "root", life)
        print(json.dumps(_summary(life, outcome), ensure_ascii=False, indent=None if quiet else 1))
        print(f"\n{outcome.block}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quiet", action="store_true", help="one line of JSON per life")
    asyncio.run(_main(parser.parse_args().quiet))
