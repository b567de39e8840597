"""What is known of all spaces without opening them: one small rebuildable database in the root."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import aiosqlite
import orjson

from memory.clock import Clock
from memory.scopes import Scope
from memory.space import MemorySpace
from memory.state.card import Card
from memory.state.reminders import SCHEDULED, Due

log = logging.getLogger(__name__)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS spaces (
    name TEXT PRIMARY KEY, turns INTEGER NOT NULL, facts INTEGER NOT NULL, owed INTEGER NOT NULL, oldest_owed TEXT,
    ids_seq INTEGER NOT NULL, more TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ids (id TEXT NOT NULL, space TEXT NOT NULL, PRIMARY KEY (id, space)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ids_by_space ON ids (space);
"""
_NO_IDS = -1    # nobody wrote the ids of this space down yet


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is known of one space."""

    turns: int
    facts: int
    owed: int
    oldest_owed: datetime | None   # aware
    scope: Scope | None = None     # None: a character, or what the service keeps for itself
    memories: Mapping[str, int] = field(default_factory=dict)   # facts that are shown, by category
    versions: int = 0              # earlier versions of them
    conflicts: int = 0             # open or not
    card: Card | None = None       # of a scope that has one
    reminders: tuple[Due, ...] = ()     # all of them, the earliest first
    digests: tuple[str, ...] = ()       # ids
    over_at: datetime | None = None     # aware; when the first thing in it may be removed for its age

    @property
    def next_due(self) -> datetime | None:
        """When the next reminder is to be sent; aware."""
        return next((one.due_at for one in self.reminders if one.status == SCHEDULED), None)


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
        self._next_due: dict[str, datetime] = {}
        self._over_at: dict[str, datetime] = {}
        self._ids_seq: dict[str, int] = {}              # how far a space had come when its ids were written down
        self._ids: dict[str, tuple[str, ...]] = {}      # ids to be written down

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def get(self, name: str) -> Entry | None:
        return self._entries.get(name)

    def names(self) -> list[str]:
        """Every space that is known, sorted."""
        return sorted(self._entries)

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
        memories = Counter(space.facts.holdings.counts)
        memories.update(space.views.facts_archive.holdings.counts)
        entry = Entry(
            turns=space.turns.last_row,
            facts=len(space.facts),
            owed=len(pending),
            oldest_owed=min((op.owed_at for op in pending.values()), default=None),
            scope=space.views.scope.scope(space.name),
            memories=memories,
            versions=len(space.views.versions),
            conflicts=len(space.views.conflicts),
            card=space.views.card.card,
            reminders=space.views.reminders.due,
            digests=space.views.digests.ids,
            over_at=_over_at(space),
        )
        if self._entries.get(space.name) != entry:
            self._entries[space.name] = entry
            self._schedule(space.name, entry)
            self._changed.add(space.name)
            self._gone.discard(space.name)

    def _schedule(self, name: str, entry: Entry) -> None:
        due = entry.next_due
        if due is None:
            self._next_due.pop(name, None)
        else:
            self._next_due[name] = due
        if entry.over_at is None:
            self._over_at.pop(name, None)
        else:
            self._over_at[name] = entry.over_at

    def due(self, now: datetime) -> list[str]:
        """Spaces with a reminder that is to be sent by now, the longest due first."""
        found = sorted((at, name) for name, at in self._next_due.items() if at <= now)
        return [name for _, name in found]

    def over(self, now: datetime) -> list[str]:
        """Spaces in which something may be removed by now for its age."""
        return sorted(name for name, at in self._over_at.items() if at <= now)

    def closed(self, space: MemorySpace) -> None:
        """Note the ids in a space that is let go of, so that they are found without opening it."""
        if space.journal.seq and space.journal.seq != self._ids_seq.get(space.name, _NO_IDS):
            self._ids[space.name] = _ids_in(space)
            self._ids_seq[space.name] = space.journal.seq
            self._changed.add(space.name)

    def knows_ids(self, name: str) -> bool:
        """Whether the ids in a closed space can be told."""
        return name in self._ids_seq

    async def find(self, first: str, last: str) -> list[tuple[str, str]]:
        """Ids of facts with ``first <= id <= last``, each with its space, of the spaces that were closed."""
        found = {(one, name) for name, ids in self._ids.items() for one in ids if first <= one <= last}
        async with aiosqlite.connect(self._path) as db:
            await db.executescript(_SCHEMA)
            query = "SELECT id, space FROM ids WHERE id BETWEEN ? AND ? LIMIT 100"
            rows = await db.execute(query, (first, last))
            found |= {(one, name) async for one, name in rows if name not in self._ids}
        return sorted(found)

    def forget(self, name: str) -> None:
        """A space is gone."""
        self._ids.pop(name, None)
        self._ids_seq.pop(name, None)
        self._next_due.pop(name, None)
        self._over_at.pop(name, None)
        if self._entries.pop(name, None) is not None:
            self._gone.add(name)
            self._changed.discard(name)

    async def open(self) -> None:
        """Read what was saved; an unreadable file is made anew."""
        try:
            async with aiosqlite.connect(self._path) as db:
                await db.executescript(_SCHEMA)
                async for name, turns, facts, owed, oldest, ids_seq, more in await db.execute("SELECT * FROM spaces"):
                    self._entries[name] = Entry(
                        turns=turns,
                        facts=facts,
                        owed=owed,
                        oldest_owed=datetime.fromisoformat(oldest) if oldest else None,
                        **_more(name, orjson.loads(more)),
                    )
                    self._schedule(name, self._entries[name])
                    if ids_seq != _NO_IDS:
                        self._ids_seq[name] = ids_seq
        except (sqlite3.DatabaseError, LookupError, TypeError, ValueError):
            log.warning("%s is unreadable and is made again", self._path.name)
            self._entries.clear()
            self._next_due.clear()
            self._over_at.clear()
            self._ids_seq.clear()
            with contextlib.suppress(FileNotFoundError):
                self._path.unlink()
        self._path.touch(0o600)
        self._path.chmod(0o600)

    async def save(self) -> None:
        """Write what changed."""
        changed, gone, ids = self._changed, self._gone, dict(self._ids)
        if not changed and not gone:
            return
        self._changed, self._gone = set(), set()
        async with aiosqlite.connect(self._path) as db:
            await db.executescript(_SCHEMA)
            rows = [
                (
                    name, entry.turns, entry.facts, entry.owed, entry.oldest_owed and entry.oldest_owed.isoformat(),
                    self._ids_seq.get(name, _NO_IDS), orjson.dumps(_told(entry)).decode(),
                )
                for name in changed
                if (entry := self._entries.get(name)) is not None
            ]  # fmt: skip
            await db.executemany("INSERT OR REPLACE INTO spaces VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            await db.executemany("DELETE FROM spaces WHERE name = ?", [(name,) for name in gone])
            await db.executemany("DELETE FROM ids WHERE space = ?", [(name,) for name in (*gone, *ids)])
            await db.executemany(
                "INSERT INTO ids VALUES (?, ?)", ((one, name) for name, known in ids.items() for one in known)
            )
            await db.commit()
        for name, known in ids.items():
            if self._ids.get(name) is known:
                del self._ids[name]

    async def close(self) -> None:
        try:
            await self.save()
        except (OSError, sqlite3.Error) as error:
            log.warning("the catalogue could not be saved (%s)", type(error).__name__)


def _ids_in(space: MemorySpace) -> tuple[str, ...]:
    """Some of them twice: nothing else can be done while a hundred thousand are gathered."""
    return (*space.facts.ids, *space.views.facts_archive.ids, *space.views.versions.ids)


def _over_at(space: MemorySpace) -> datetime | None:
    known = [at for at in (space.views.reminders.over_at, space.views.digests.over_at) if at is not None]
    return min(known, default=None)


def _told(entry: Entry) -> dict[str, object]:
    """What stands in the last column."""
    scope = entry.scope
    return {
        "scope": None if scope is None else [scope.name, scope.dialect, scope.owner],
        "memories": dict(entry.memories),
        "versions": entry.versions,
        "conflicts": entry.conflicts,
        "card": entry.card.to_json() if entry.card is not None else None,
        "reminders": [[one.due_at.isoformat(), one.id, one.owner, one.status] for one in entry.reminders],
        "digests": list(entry.digests),
        "over_at": entry.over_at.isoformat() if entry.over_at is not None else None,
    }


def _more(name: str, told: Mapping[str, Any]) -> dict[str, Any]:
    """The same, read."""
    scope = told["scope"]
    return {
        "scope": None if scope is None else Scope(name=scope[0], space=name, dialect=scope[1], owner=scope[2]),
        "memories": dict(told["memories"]),
        "versions": int(told["versions"]),
        "conflicts": int(told["conflicts"]),
        "card": Card.from_json(told["card"]),
        "reminders": tuple(
            Due(due_at=datetime.fromisoformat(at), id=own, owner=owner, status=status)
            for at, own, owner, status in told["reminders"]
        ),
        "digests": tuple(told["digests"]),
        "over_at": datetime.fromisoformat(told["over_at"]) if told["over_at"] else None,
    }
