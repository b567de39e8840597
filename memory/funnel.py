"""How many transitions a stretch of time saw, counted from the journal: ours and those of other programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from memory.clock import Clock
from memory.space import MemorySpace
from memory.store import layout
from memory.store.files import read

_STATES = ("confirmed", "promoted", "merged", "denied", "archived")


@dataclass(slots=True)
class Counts:
    """The ten counters."""

    facts_added: int = 0
    reflections_synthesized: int = 0
    reflections_confirmed: int = 0
    reflections_promoted: int = 0
    reflections_merged: int = 0
    reflections_denied: int = 0
    reflections_archived: int = 0
    persona_entries_added: int = 0
    persona_entries_rewritten: int = 0
    persona_entries_archived: int = 0

    def to_json(self) -> dict[str, int]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


async def count(space: MemorySpace, since: datetime, until: datetime) -> Counts:
    """The transitions of a space with ``since <= time <= until`` (aware), rotated segments included."""
    paths = [*(path for _, path in layout.segments(space.directory)), space.journal.path]
    return await space.disk.run(_count, paths, since, until, space.clock)


def _count(paths: Iterable[Path], since: datetime, until: datetime, clock: Clock) -> Counts:
    counts = Counts()
    for path in paths:
        for line in _lines(path):
            counter = _counter_of(line)
            if counter is None:
                continue
            at = _time_of(line, clock)
            if at is not None and since <= at <= until:
                setattr(counts, counter, getattr(counts, counter) + 1)
    return counts


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The readable lines of a segment; what is no object is passed over."""
    for raw in (read(path) or b"").split(b"\n"):
        if not raw.strip():
            continue
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict):
            yield value


def _counter_of(line: Mapping[str, Any]) -> str | None:
    payload = line.get("payload")
    payload = payload if isinstance(payload, Mapping) else {}
    type_, data = line.get("type"), line.get("data")
    if type_ == "erased" and isinstance(data, Mapping):  # its text is gone, the transition was one
        type_ = data.get("was")
    match type_:
        case "fact.added":
            return "facts_added"
        case "reflection.synthesized":
            return "reflections_synthesized"
        case "reflection.state_changed":
            state = payload.get("to")
            return f"reflections_{state}" if state in _STATES else None
        case "persona.fact_added":
            return "persona_entries_archived" if payload.get("archive_shard_path") else "persona_entries_added"
        case "persona.entry_updated":
            return "persona_entries_rewritten"
    return None


def _time_of(line: Mapping[str, Any], clock: Clock) -> datetime | None:
    for key in ("at", "ts"):  # ours knows its offset; the other is local
        value = line.get(key)
        if isinstance(value, str):
            try:
                return clock.local(datetime.fromisoformat(value))
            except ValueError:
                continue
    return None
