"""What is known of all spaces without opening them: one small rebuildable database in the root."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import aiosqlite

from memory.clock import Clock
from memory.space import MemorySpace

log = logging.getLogger(__name__)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS spaces (
    name TEXT PRIMARY KEY, turns INTEGER NOT NULL, facts INTEGER NOT NULL, owed INTEGER NOT NULL, oldest_owed TEXT);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is known of one space."""

    turns: int
    facts: int
    owed: int
    oldest_owed: datetime | None   # aware


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums over all spaces."""

    spaces: int
    owed: int
    oldest_owed: datetime | None


class Catalogue:
    """An entry per space, in memory, saved now and then. Losing the file costs one sweep."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._entries: dict[str, Entry] = {}
        self._changed: set[str] = set()
        self._gone: set[str] = set()

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def get(self, name: str) -> Entry | None:
        return self._entries.get(name)

    def totals(self) -> Totals:
        owed = [entry for entry in self._entries.values() if entry.owed]
        oldest = [entry.oldest_owed for entry in owed if entry.oldest_owed is not None]
        return Totals(
            spaces=len(self._entries),
            owed=sum(entry.owed for entry in owed),
            oldest_owed=min(oldest, default=None),
        )

    def note(self, space: MemorySpace) -> None:
        """Take over what a space knows of itself."""
        pending = space.outbox.pending
        entry = Entry(
            turns=space.turns.last_row,
            facts=len(space.facts),
            owed=len(pending),
            oldest_owed=min((op.owed_at for op in pending.values()), default=None),
        )
        if self._entries.get(space.name) != entry:
            self._entries[space.name] = entry
            self._changed.add(space.name)
            self._gone.discard(space.name)

    def forget(self, name: str) -> None:
        """A space is gone."""
        if self._entries.pop(name, None) is not None:
            self._gone.add(name)
            self._changed.discard(name)

    async def open(self) -> None:
        """Read what was saved; an unreadable file is made anew."""
        try:
            async with aiosqlite.connect(self._path) as db:
                await db.executescript(_SCHEMA)
                async for name, turns, facts, owed, oldest in await db.execute("SELECT * FROM spaces"):
                    self._entries[name] = Entry(
                        turns=turns,
                        facts=facts,
                        owed=owed,
                        oldest_owed=datetime.fromisoformat(oldest) if oldest else None,
                    )
        except (sqlite3.DatabaseError, ValueError):
            log.warning("%s is unreadable and is made again", self._path.name)
            self._entries.clear()
            with contextlib.suppress(FileNotFoundError):
                self._path.unlink()
        self._path.touch(0o600)
        self._path.chmod(0o600)

    async def save(self) -> None:
        """Write what changed."""
        changed, gone = self._changed, self._gone
        if not changed and not gone:
            return
        self._changed, self._gone = set(), set()
        async with aiosqlite.connect(self._path) as db:
            await db.executescript(_SCHEMA)
            rows = [
                (name, entry.turns, entry.facts, entry.owed, entry.oldest_owed and entry.oldest_owed.isoformat())
                for name in changed
                if (entry := self._entries.get(name)) is not None
            ]
            await db.executemany("INSERT OR REPLACE INTO spaces VALUES (?, ?, ?, ?, ?)", rows)
            await db.executemany("DELETE FROM spaces WHERE name = ?", [(name,) for name in gone])
            await db.commit()

    async def close(self) -> None:
        try:
            await self.save()
        except (OSError, sqlite3.Error) as error:
            log.warning("the catalogue could not be saved (%s)", type(error).__name__)
