"""Every turn ever said, in ``time_indexed.db``: a view whose seq stands in the same transaction as its rows.

The companion's tables stay as they are; what they have no column for lies beside them in
``memory_turns`` (row, id, zone, arrival, speaker) and ``memory_state``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import aiosqlite
import orjson

from memory.clock import Clock
from memory.history.turn import Turn
from memory.history.turn_row import message_of, read_message, stamp_of
from memory.ids import Ids
from memory.store import layout
from memory.store.database import is_corrupt, lenient_text, may_pass, unavailable
from memory.store.events import Event
from memory.store.files import FILE_MODE, Disk, look, to_its_end
from memory.store.view import Change, View

log = logging.getLogger(__name__)

_PATIENCE = 2.0  # seconds to wait for another program that writes
TAIL = 200  # newest turns kept in memory, to tell a resend
_PER_EVENT = 200

_SCHEMA = """
CREATE TABLE IF NOT EXISTS time_indexed_original (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, message TEXT, timestamp DATETIME);
CREATE TABLE IF NOT EXISTS time_indexed_compressed (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, message TEXT, timestamp DATETIME);
CREATE INDEX IF NOT EXISTS memory_by_time ON time_indexed_original (timestamp);
CREATE TABLE IF NOT EXISTS memory_turns (
    row INTEGER PRIMARY KEY, turn_id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, received TEXT NOT NULL, speaker TEXT);
CREATE TABLE IF NOT EXISTS memory_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""

_SELECT = (
    "SELECT o.id, o.session_id, o.message, o.timestamp, m.turn_id, m.at, m.received, m.speaker "
    "FROM time_indexed_original AS o LEFT JOIN memory_turns AS m ON m.row = o.id "
)


@dataclass(frozen=True, slots=True)
class Kept:
    """A turn with the moment it arrived."""

    turn: Turn
    received: datetime
    adopted: bool = False      # another program's row; what it wrote stays as it is


class TurnsDb(View):
    """The raw conversation of one space."""

    def __init__(
        self,
        directory: Path,
        disk: Disk,
        clock: Clock,
        ids: Ids,
        *,
        withheld: Callable[[str], bool] = lambda _turn: False,
    ) -> None:
        """``withheld`` tells of an id whether that turn is kept from every reader who does not ask for the whole."""
        self.seq = 0
        self.last_row = 0
        self.last_at: datetime | None = None
        self.tail: deque[Kept] = deque(maxlen=TAIL)
        self.used_at = 0.0
        self._directory = directory
        self._disk = disk
        self._clock = clock
        self._ids = ids
        self._withheld = withheld
        self.unreadable = False            # found corrupt while in use: to be loaded anew
        self._pending: list[Kept] = []
        self._erased: list[int] = []
        self._adopted: set[int] = set()    # rows of others that events since the last load have taken in
        self._saved_seq = 0
        self._saved_row = 0
        self._connection: aiosqlite.Connection | None = None
        self._opening = asyncio.Lock()
        self._users = 0
        self._unused = asyncio.Event()
        self._inode = 0

    @property
    def path(self) -> Path:
        return self._directory / layout.TURNS

    @property
    def dirty(self) -> bool:
        return self._saved_seq != self.seq and (bool(self._pending) or bool(self._erased) or self._saved_seq < 0)

    @property
    def lags(self) -> bool:
        """Whether so many events passed the database by that its seq should be written anew."""
        return self.seq - self._saved_seq > 500

    @property
    def is_open(self) -> bool:
        return self._connection is not None

    # folding

    def fold(self, event: Event) -> None:
        match event.type:
            case "turns.added":
                for value in event.data["turns"]:
                    self._put(Kept(Turn.from_json(value), event.at))
            case "turns.adopted":
                turns = [Turn.from_json(value) for value in event.data["turns"]]
                moved = event.data["moved"]
                self._erased += moved
                self._adopted.update(moved or (turn.row for turn in turns))
                for turn in turns:
                    self._put(Kept(turn, turn.at, adopted=True))
            case "turns.erased":
                self._erase(event.data["rows"])
        self.seq = event.seq

    def _put(self, kept: Kept) -> None:
        self._pending.append(kept)
        if not self.tail or self.tail[-1].turn.row < kept.turn.row:
            self.tail.append(kept)
        self.last_row = max(self.last_row, kept.turn.row)
        if self.last_at is None or kept.turn.at > self.last_at:
            self.last_at = kept.turn.at

    def _erase(self, rows: Iterable[int]) -> None:
        gone = set(rows)
        self.last_row = max([self.last_row, *gone])  # the number of a row is never given again
        self._erased += gone
        self._pending = [kept for kept in self._pending if kept.turn.row not in gone]
        self.tail = deque((kept for kept in self.tail if kept.turn.row not in gone), maxlen=TAIL)

    # opening and closing

    async def load(self) -> list[Kept]:
        """Read where the database stands. Returns rows that another program added since.

        An unreadable database is set aside; its rows come back from the journal.
        """
        await self.close()
        self._reset()
        if not await self._disk.run(self.path.exists):
            self.unreadable = False
            return []
        try:
            if self.unreadable:
                raise ValueError("found corrupt while in use")
            return await self._read_state()
        except (sqlite3.Error, LookupError, TypeError, ValueError) as error:
            await self.close()
            if isinstance(error, sqlite3.Error) and may_pass(error):
                raise unavailable(layout.TURNS, error) from error
            await self._set_aside()
            log.warning(
                "%s/%s is unreadable (%s): set aside and made again from the journal",
                self._directory.name, layout.TURNS, type(error).__name__,
            )
            self._reset()
            self.unreadable = False
            return []

    async def _set_aside(self) -> None:
        stamp = self._clock.now().strftime("%Y%m%dT%H%M%S%f")
        for suffix in ("", "-wal", "-shm"):
            path = self.path.with_name(self.path.name + suffix)
            if path.exists():
                aside = path.with_name(f"{layout.TURNS}.corrupt-{stamp}{suffix}")
                await self._disk.run(self._disk.set_aside, path, aside)

    def _reset(self) -> None:
        self.seq, self._saved_seq, self.last_row, self.last_at = 0, 0, 0, None
        self._saved_row = 0
        self.tail.clear()
        self._pending, self._erased = [], []
        self._adopted = set()

    async def _read_state(self) -> list[Kept]:
        async with self._open() as db:
            state = {name: value async for name, value in await db.execute("SELECT name, value FROM memory_state")}
            self.seq = self._saved_seq = state.get("seq", 0)
            known = state.get("row", 0)
            self.last_row = self._saved_row = known
            rows = await db.execute(f"{_SELECT} WHERE o.id <= ? ORDER BY o.id DESC LIMIT ?", (known, TAIL))
            found = [self._kept(row) async for row in rows]
            self.tail.extend(reversed(found))
            rows = await db.execute(
                f"{_SELECT} WHERE o.timestamp IS NOT NULL ORDER BY o.timestamp DESC, o.id DESC LIMIT 1"
            )
            latest = await rows.fetchone()
            self.last_at = self._kept(latest).turn.at if latest is not None else None
            rows = await db.execute(f"{_SELECT} WHERE o.id > ? ORDER BY o.id", (known,))
            return [self._kept(row) async for row in rows]

    @contextlib.asynccontextmanager
    async def _open(self) -> AsyncIterator[aiosqlite.Connection]:
        async with self._opening:
            if self._connection is None:
                self._connection = await self._connect()
            self._users += 1
            self._unused.clear()
        self.used_at = self._clock.monotonic()
        try:
            yield self._connection
        finally:
            self._users -= 1
            if not self._users:
                self._unused.set()

    async def _connect(self) -> aiosqlite.Connection:
        if not await self._disk.run(self._directory.is_dir):
            raise FileNotFoundError(self._directory)
        await self._disk.run(self.path.touch, FILE_MODE)
        await self._disk.run(self.path.chmod, FILE_MODE)
        db = await aiosqlite.connect(self.path, timeout=_PATIENCE)
        try:
            db.text_factory = lenient_text
            await db.execute("PRAGMA journal_mode=WAL")
            await db.execute("PRAGMA synchronous=NORMAL")
            await db.execute("PRAGMA secure_delete=ON")
            columns = [row[1] async for row in await db.execute("PRAGMA table_info(time_indexed_original)")]
            if columns and "timestamp" not in columns:  # databases of the companion's first versions
                await db.execute("ALTER TABLE time_indexed_original ADD COLUMN timestamp DATETIME")
            await db.executescript(_SCHEMA)
            await db.commit()
        except BaseException:
            await db.close()
            raise
        seen = look(self.path)
        self._inode = seen.inode if seen is not None else 0
        return db

    async def close(self) -> None:
        """Close the database file once nobody uses it; it opens again when needed."""
        async with self._opening:
            if self._users:
                await self._unused.wait()
            db, self._connection = self._connection, None
            if db is not None:
                await to_its_end(_close(db))

    def abandon(self) -> asyncio.Future[None] | None:
        """Let the database's thread end after what it does now, for a process that must end."""
        db, self._connection = self._connection, None
        return db.stop() if db is not None else None

    def replaced(self) -> bool:
        """Whether another file stands where the open database was."""
        if self._connection is None:
            return False
        seen = look(self.path)
        return seen is None or seen.inode != self._inode

    # saving

    async def save(self) -> None:
        """Bring the file up to what was folded, in one transaction. Raises OSError."""
        if self.seq == self._saved_seq:
            return
        seq, row, adding, erasing = self.seq, self.last_row, list(self._pending), list(self._erased)
        try:
            async with self._open() as db:
                try:
                    await db.execute("BEGIN IMMEDIATE")
                    await self._write(db, adding, erasing, row)
                    state = [("seq", seq), ("row", row)]
                    await db.executemany("INSERT OR REPLACE INTO memory_state (name, value) VALUES (?, ?)", state)
                    self._disk.at("db.before_commit")
                    await db.commit()
                except BaseException:
                    await db.rollback()
                    raise
        except sqlite3.Error as error:
            self.unreadable = is_corrupt(error)
            raise unavailable(layout.TURNS, error) from error
        self._disk.at("db.committed")
        self._saved_seq, self._saved_row = seq, row
        written = set(map(id, adding))
        self._pending = [kept for kept in self._pending if id(kept) not in written]
        self._erased = self._erased[len(erasing) :]

    async def _write(self, db: aiosqlite.Connection, adding: list[Kept], erasing: list[int], last_row: int) -> None:
        taken_in = {*erasing, *(kept.turn.row for kept in adding if kept.adopted)}
        rows = await db.execute("SELECT id FROM time_indexed_original WHERE id > ?", (self._saved_row,))
        foreign = [row async for (row,) in rows if row not in taken_in]
        if foreign and min(foreign) <= last_row:
            # Written by another program while we run: made way for, and adopted at the next opening.
            shift = last_row + 1 - min(foreign)
            await db.executemany(
                "UPDATE time_indexed_original SET id = id + ? WHERE id = ?",
                [(shift, row) for row in sorted(foreign, reverse=True)],
            )
        if erasing:
            gone = [(row,) for row in erasing]
            await db.executemany("DELETE FROM time_indexed_original WHERE id = ?", gone)
            await db.executemany("DELETE FROM memory_turns WHERE row = ?", gone)
        if adding:
            # First, since a read between two statements sees them: a row without its id would be given a new one.
            await db.executemany(
                "INSERT OR REPLACE INTO memory_turns (row, turn_id, at, received, speaker) VALUES (?, ?, ?, ?, ?)",
                [
                    (k.turn.row, k.turn.id, k.turn.at.isoformat(), k.received.isoformat(), k.turn.speaker)
                    for k in adding
                ],
            )
        for others, verb in ((False, "INSERT OR REPLACE"), (True, "INSERT OR IGNORE")):
            values = [
                (kept.turn.row, kept.turn.session, message_of(kept.turn), stamp_of(kept.turn.at))
                for kept in adding
                if kept.adopted == others
            ]
            if values:
                await db.executemany(
                    f"{verb} INTO time_indexed_original (id, session_id, message, timestamp) VALUES (?, ?, ?, ?)",
                    values,
                )

    def forget_seq(self) -> None:
        """The seq in the file no longer means anything: the journal begins again below it."""
        self._saved_seq = -1

    # reading

    async def after(self, row: int, limit: int, *, whole: bool = False) -> list[Turn]:
        """The oldest turns with a higher row; with ``whole`` also those that are withheld."""
        while True:
            found = await self._after(row, limit)
            shown = found if whole else self._shown(found)
            if shown or not found:
                return shown
            row = found[-1].row

    async def _after(self, row: int, limit: int) -> list[Turn]:
        pending = [kept.turn for kept in self._pending if kept.turn.row > row]
        if pending and pending[0].row == row + 1:
            return pending[:limit]
        stored = await self._select(
            "WHERE o.id > ? AND o.id <= ? ORDER BY o.id LIMIT ?", (row, self.last_row, limit + len(self._erased))
        )
        return _merged(stored, pending)[:limit]

    async def between(self, first_row: int, last_row: int) -> list[Turn]:
        """Turns with ``first_row <= row <= last_row``, in order."""
        pending = [kept.turn for kept in self._pending if first_row <= kept.turn.row <= last_row]
        if pending and pending[0].row == first_row:
            return self._shown(pending)
        stored = await self._select("WHERE o.id BETWEEN ? AND ? ORDER BY o.id", (first_row, last_row))
        return self._shown(_merged(stored, pending))

    def _shown(self, turns: list[Turn]) -> list[Turn]:
        return [turn for turn in turns if not self._withheld(turn.id)]

    async def by_id(self, turn_ids: Sequence[str], *, whole: bool = False) -> dict[str, Turn]:
        """The turns with these ids, as far as they exist; with ``whole`` also those that are withheld."""
        wanted = {one for one in turn_ids if whole or not self._withheld(one)}
        found = {kept.turn.id: kept.turn for kept in (*self.tail, *self._pending) if kept.turn.id in wanted}
        if missing := sorted(wanted - found.keys()):
            ids = orjson.dumps(missing).decode()
            for turn in await self._select("WHERE m.turn_id IN (SELECT value FROM json_each(?))", (ids,)):
                found[turn.id] = turn
        return found

    async def _select(self, where: str, values: tuple[Any, ...]) -> list[Turn]:
        if not await self._disk.run(self.path.exists):
            return []
        try:
            async with self._open() as db:
                rows = await db.execute(_SELECT + where, values)
                erased = set(self._erased)  # … which the file still holds
                return [self._turn(row) for row in await rows.fetchall() if row[0] not in erased]
        except sqlite3.Error as error:
            self.unreadable = is_corrupt(error)
            raise unavailable(layout.TURNS, error) from error

    def _kept(self, row: Any) -> Kept:
        turn, received = self._turn(row), row[6]
        return Kept(turn, datetime.fromisoformat(received) if received else turn.at)

    def _turn(self, row: Any) -> Turn:
        number, session, message, stamp, turn_id, at, _, speaker = row
        kind, content = read_message(message)
        moment = datetime.fromisoformat(at) if at else self._foreign_time(stamp)
        return Turn(
            id=turn_id or self._ids.new("turn"),
            row=number,
            kind=kind,
            content=content,
            at=moment,
            session=session or "",
            speaker=speaker,
        )

    def _foreign_time(self, stamp: object) -> datetime:
        """A time another program wrote; a row without one counts as said long ago."""
        try:
            return self._clock.local(datetime.fromisoformat(str(stamp)))
        except ValueError:
            return self._clock.local(datetime(1970, 1, 2))  # noqa: DTZ001 - made aware here

    def adoption(self, rows: Sequence[Kept]) -> list[Change]:
        """Rows of another program as events, apart from those that events already took in.

        They keep their numbers unless a turn of ours, not yet in the file, has one of them.
        """
        turns = [kept.turn for kept in rows if kept.turn.row not in self._adopted]
        collide = bool(turns) and turns[0].row <= self.last_row
        changes: list[Change] = []
        for start in range(0, len(turns), _PER_EVENT):
            part = turns[start : start + _PER_EVENT]
            moved = [turn.row for turn in part] if collide else []
            if collide:
                part = [replace(turn, row=self.last_row + 1 + start + place) for place, turn in enumerate(part)]
            changes.append(("turns.adopted", {"turns": [turn.to_json() for turn in part], "moved": moved}))
        return changes


async def _close(db: aiosqlite.Connection) -> None:
    with contextlib.suppress(sqlite3.Error):
        await db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    await db.close()


def _merged(stored: list[Turn], pending: list[Turn]) -> list[Turn]:
    """Turns of the file and turns on their way to it; those stand above a row of another program's."""
    by_row = {turn.row: turn for turn in (*stored, *pending)}
    return [by_row[row] for row in sorted(by_row)]
