"""Talking with a character in tests, and putting things into its memory by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory.engine import Engine
from memory.facts.fact import Fact
from memory.facts.record import to_record as fact_row
from memory.facts.rules.draft import METHOD
from memory.history.record import Incoming, cache
from memory.history.turn import AI, HUMAN, Message
from memory.people import Names
from memory.persona.entry import Entry
from memory.persona.record import to_record as entry_row
from memory.reflections.evidence import Evidence
from memory.reflections.record import to_record as reflection_row
from memory.reflections.reflection import CONFIRMED, PATTERN, PENDING, Reflection
from memory.space import MemorySpace

MOMO = "Momo"
NAMES = Names(neko=MOMO, master="Lin")


@asynccontextmanager
async def momo(engine: Engine) -> AsyncIterator[MemorySpace]:
    async with engine.spaces.use(MOMO, create=True) as space:
        yield space


async def talk(engine: Engine, *said: tuple[str, str]) -> None:
    """Each pair is what the user says and what the character answers; "" for nothing. All owed work is done."""
    for user, answer in said:
        await hear(engine, *([(HUMAN, user)] if user else []), *([(AI, answer)] if answer else []))


async def hear(engine: Engine, *said: tuple[str, str]) -> None:
    """One request with these messages, and the work that follows from it."""
    async with momo(engine) as space:
        await cache(space, Incoming(messages=[Message(kind=kind, content=text) for kind, text in said]))
        await engine.worker.perform_all(space)


async def put(space: MemorySpace, *things: Fact | Reflection | Entry) -> None:
    """Write things into the memory as they are."""
    async with space.journal.write() as batch:
        for thing in things:
            if isinstance(thing, Fact):
                batch.add("fact.added", fact_row(thing))
            elif isinstance(thing, Reflection):
                batch.add("reflection.synthesized", {"reflection": reflection_row(thing)})
            else:
                batch.add("persona.fact_added", {"entity": thing.entity, "entry": entry_row(thing)})


def fact(id_: str, text: str, at: datetime, **more: Any) -> Fact:
    return Fact(**{"id": id_, "text": text, "created_at": at, "importance": 7, "confidence": 0.9, **more})


def reflection(id_: str, text: str, at: datetime, **more: Any) -> Reflection:
    known: dict[str, Any] = {
        "id": id_, "text": text, "statement": text, "created_at": at, "entity": "master", "temporal_scope": PATTERN,
        "status": PENDING, "method": METHOD,
    }  # fmt: skip
    return Reflection(**{**known, **more})


def confirmed(one: Reflection, at: datetime, reinforcement: float = 1.0) -> Reflection:
    evidence = Evidence(reinforcement=reinforcement, reinforced_at=at)
    return replace(one, status=CONFIRMED, entered={CONFIRMED: at}, evidence=evidence)


def entry(id_: str, text: str, at: datetime, **more: Any) -> Entry:
    known: dict[str, Any] = {
        "id": id_, "text": text, "entity": "master", "source": "reflection", "added_at": at,
        "evidence": Evidence(reinforcement=1.0, reinforced_at=at),
    }  # fmt: skip
    return Entry(**{**known, **more})


async def happened(space: MemorySpace, type_: str) -> list[dict[str, Any]]:
    """The data of every event of a type, oldest first."""
    found: list[dict[str, Any]] = []
    async for events in space.journal.events(0):
        found += [dict(event.data) for event in events if event.type == type_]
    return found


def texts(things: Iterable[Fact | Reflection | Entry]) -> list[str]:
    return [thing.text for thing in things]
