"""A character with something of everything, and the means to look at its bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memory.engine import Engine
from memory.history.record import Incoming, cache
from memory.history.turn import AI, HUMAN, Message
from memory.space import MemorySpace
from memory.store.events import Event
from memory.views import Views

NAME = "Rin"


async def say(engine: Engine, *texts: str, name: str = NAME, kind: str = HUMAN) -> list[str]:
    """Cache messages one after another; their turns' ids."""
    async with engine.spaces.use(name, create=True) as space:
        before = space.turns.last_row
        await cache(space, Incoming(messages=[Message(kind=kind, content=text) for text in texts]))
        return [turn.id for turn in await space.turns.after(before, 1000)]


async def answer(engine: Engine, *texts: str, name: str = NAME) -> list[str]:
    return await say(engine, *texts, name=name, kind=AI)


async def learn_all(engine: Engine, name: str = NAME) -> None:
    """Do the work that is owed."""
    async with engine.spaces.use(name) as space:
        await engine.worker.perform_all(space)


async def texts_of_turns(space: MemorySpace) -> list[str]:
    return [turn.text for turn in await space.turns.after(0, 10_000)]


def facts_of(space: MemorySpace) -> list[str]:
    return [fact.text for fact in space.facts]


def grep(directory: Path, text: str) -> list[str]:
    """Files whose raw bytes hold the text, as UTF-8 or as JSON escapes it."""
    escaped = json.dumps(text)[1:-1]
    forms = [text.encode(), escaped.encode(), escaped.upper().replace("\\U", "\\u").encode()]
    return sorted(
        str(path.relative_to(directory))
        for path in directory.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    )


def hashes(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


async def rebuilt(space: MemorySpace) -> dict[str, bytes]:
    """Every view's file as the journal alone makes it."""
    views = Views(space.settings, space.clock)
    async for events in space.journal.events(0):
        for event in events:
            for view in views.all():
                view.fold(event)
    return whole(views)


def whole(views: Views) -> dict[str, bytes]:
    return {view.file: b"".join(view.render()()) for view in views.all()}


async def rows_in_journal(space: MemorySpace) -> dict[int, str]:
    """Turns that the journal alone knows, by row."""
    rows: dict[int, str] = {}
    async for events in space.journal.events(0):
        for event in events:
            _fold_rows(rows, event)
    return rows


def _fold_rows(rows: dict[int, str], event: Event) -> None:
    if event.type in ("turns.added", "turns.adopted"):
        rows |= {turn["row"]: turn["id"] for turn in event.data["turns"]}
    elif event.type == "turns.erased":
        for row in event.data["rows"]:
            rows.pop(row, None)


def kinds(items: Sequence[Any]) -> list[str]:
    return sorted({item.kind for item in items})
