"""Taking text out of ``time_indexed.db``: from tables of other programs, and from pages that are free."""

from __future__ import annotations

import contextlib
import errno
import sqlite3
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

Holds = Callable[[str], bool]

_OURS = frozenset({"time_indexed_original", "memory_turns", "memory_state"})
# Columns that hold ids and times, where no text is looked for.
_FILE_HEADER = "SQLite format 3"    # what every such file begins with
_STRUCTURE = frozenset({"id", "row", "session_id", "timestamp", "turn_id", "at", "received", "fact_id"})
_WAIT = 10.0  # seconds that another program may hold the file


def scrub_database(path: Path, holds: Holds, gone: Collection[str]) -> int:
    """Clean a database that nobody of us has open, and shorten it to what it still holds.

    Rows of the companion's own tables go when they hold something or speak of an id in ``gone``; in
    tables that nobody knows the texts become empty. Returns the rows changed. Raises OSError.
    """
    if not path.exists():
        return 0
    try:
        with contextlib.closing(_connect(path)) as db:
            changed = _scrub(db, holds, gone)
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return changed
    except sqlite3.Error as error:
        raise OSError(errno.EIO, f"{path.name}: {getattr(error, 'sqlite_errorname', type(error).__name__)}") from error


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
    db.text_factory = lambda data: data.decode(errors="replace")
    db.execute("PRAGMA secure_delete=ON")
    return db


def _scrub(db: sqlite3.Connection, holds: Holds, gone: Collection[str]) -> int:
    db.execute("BEGIN IMMEDIATE")
    try:
        virtual = _tables(db, virtual=True)
        shadows = tuple(f"{name}_" for name in virtual)
        changed = 0
        for name in _tables(db, virtual=False):
            if name in ("memory_turns", "memory_state") or name.startswith(shadows):
                continue
            if name in ("time_indexed_original", "time_indexed_compressed"):
                changed += _delete_rows(db, name, holds)
            else:
                changed += _blank_rows(db, name, holds)
        for name in virtual:
            changed += _delete_indexed(db, name, holds, gone)
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    return changed


def _tables(db: sqlite3.Connection, *, virtual: bool) -> list[str]:
    rows = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    return [
        name
        for name, sql in rows
        if not name.startswith("sqlite_") and str(sql).upper().startswith("CREATE VIRTUAL") == virtual
    ]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in db.execute(f"PRAGMA table_info({_quoted(table)})") if row[1] not in _STRUCTURE]


def _delete_rows(db: sqlite3.Connection, table: str, holds: Holds) -> int:
    # What is ours was deleted when its event was folded; here are rows of others that came since.
    rows = db.execute(f"SELECT id, message FROM {_quoted(table)}").fetchall()  # noqa: S608 - a name of our own
    found = [(row,) for row, message in rows if isinstance(message, str) and holds(message)]
    db.executemany(f"DELETE FROM {_quoted(table)} WHERE id = ?", found)  # noqa: S608
    return len(found)


def _blank_rows(db: sqlite3.Connection, table: str, holds: Holds) -> int:
    changed = 0
    for column in _columns(db, table):
        name, place = _quoted(column), _quoted(table)
        values = db.execute(f"SELECT DISTINCT {name} FROM {place} WHERE typeof({name}) = 'text'").fetchall()  # noqa: S608
        for (value,) in values:
            if holds(value):
                changed += db.execute(f"UPDATE {place} SET {name} = '' WHERE {name} = ?", (value,)).rowcount  # noqa: S608
    return changed


def _delete_indexed(db: sqlite3.Connection, table: str, holds: Holds, gone: Collection[str]) -> int:
    """Rows of a full-text index, which is then built anew so that no word of them stays in it."""
    name = _quoted(table)
    found = [
        (row[0],)
        for row in db.execute(f"SELECT rowid, * FROM {name}")  # noqa: S608
        if any(isinstance(value, str) and (value in gone or holds(value)) for value in row[1:])
    ]
    if found:
        db.executemany(f"DELETE FROM {name} WHERE rowid = ?", found)  # noqa: S608
        db.execute(f"INSERT INTO {name}({name}) VALUES ('rebuild')")  # noqa: S608
    return len(found)


def texts_in(path: Path) -> Iterator[str]:
    """Every text that the tables of a database hold, apart from ids and times. Raises OSError."""
    try:
        with contextlib.closing(_connect(path)) as db:
            shadows = tuple(f"{name}_" for name in _tables(db, virtual=True))
            for table in [*_tables(db, virtual=False), *_tables(db, virtual=True)]:
                if table.startswith(shadows):
                    continue
                for column in _columns(db, table):
                    name, place = _quoted(column), _quoted(table)
                    rows = db.execute(f"SELECT {name} FROM {place} WHERE typeof({name}) = 'text'")  # noqa: S608
                    yield from (value for (value,) in rows)
    except sqlite3.Error as error:
        raise OSError(errno.EIO, f"{path.name}: {getattr(error, 'sqlite_errorname', type(error).__name__)}") from error


def structure_of(path: Path) -> str:
    """What a database's file holds that is no text of anybody's: names, ids and times, one per line."""
    with contextlib.closing(_connect(path)) as db:
        parts = [_FILE_HEADER]
        parts += [str(sql) for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
        for table in _tables(db, virtual=False):
            for row in db.execute(f"PRAGMA table_info({_quoted(table)})").fetchall():
                if row[1] in _STRUCTURE:
                    place = f"{_quoted(row[1])} FROM {_quoted(table)}"
                    parts += [str(value) for (value,) in db.execute(f"SELECT {place}")]
    return "\n".join(parts)
