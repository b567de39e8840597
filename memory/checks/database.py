"""Comparing ``time_indexed.db`` with the journal."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from memory.checks.finding import Finding, Level, Repair, name_of, some
from memory.checks.journal import Told
from memory.store import layout

_LAG = 500  # events that may pass the database by before its seq is written anew


def check_database(directory: Path, told: Told) -> Iterator[Finding]:
    """Whether the rows are the turns of the journal."""
    path = directory / layout.TURNS

    def found(code: str, level: Level, sentence: str, **more: Any) -> Finding:
        return Finding(space=name_of(directory), code=code, level=level, sentence=sentence, **more)

    if not path.exists():
        if told.turns:
            yield found(
                "database_missing", Level.WARNING,
                f"{layout.TURNS} is missing; its {len(told.turns)} rows are made again from the journal.",
                repair=Repair.OPEN,
            )  # fmt: skip
        return
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=5.0)) as db:
            yield from _compare(db, path, told)
    except sqlite3.Error as error:
        yield found(
            "database_corrupt", Level.ERROR,
            f"{layout.TURNS} cannot be read ({type(error).__name__}); its rows can be made again from the journal.",
            repair=Repair.REMAKE_DATABASE, path=path,
        )  # fmt: skip


def database_seq(directory: Path) -> int:
    """How far the database has come; 0 if there is none that can be read."""
    path = directory / layout.TURNS
    if not path.exists():
        return 0
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=5.0)) as db:
            row = db.execute("SELECT value FROM memory_state WHERE name = 'seq'").fetchone()
    except sqlite3.Error:
        return 0
    return int(row[0]) if row is not None else 0


def _compare(db: sqlite3.Connection, path: Path, told: Told) -> Iterator[Finding]:
    def found(code: str, level: Level, sentence: str, **more: Any) -> Finding:
        return Finding(space=name_of(path.parent), code=code, level=level, sentence=sentence, **more)

    db.text_factory = lambda data: data.decode(errors="replace")
    db.execute("PRAGMA query_only=ON")
    if db.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
        raise sqlite3.DatabaseError("integrity check failed")
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "memory_state" not in tables:
        if not told.seq:
            yield found("adoptable", Level.NOTE, f"{layout.TURNS} was made by another program; it will be taken over.")
        return
    state = dict(db.execute("SELECT name, value FROM memory_state"))
    seq, row = state.get("seq", 0), state.get("row", 0)
    if told.damaged is not None:
        return
    if seq > told.seq:
        yield found(
            "journal_short", Level.ERROR,
            f"{layout.TURNS} has come to event {seq}, the journal ends at {told.seq}: its end was lost. The next "
            "opening takes over the rows.",
            repair=Repair.OPEN,
        )  # fmt: skip
        return
    newer = db.execute("SELECT count(*) FROM time_indexed_original WHERE id > ?", (row,)).fetchone()[0]
    if newer:
        yield found("rows_of_others", Level.NOTE, f"The next opening takes over {newer} rows of another program.")
    stored = dict(db.execute("SELECT id, message FROM time_indexed_original WHERE id <= ?", (row,)))
    ids = dict(db.execute("SELECT row, turn_id FROM memory_turns"))
    expected = {number: turn for number, turn in told.turns.items() if number <= row}
    extra = sorted(stored.keys() - told.turns.keys())
    missing = sorted(expected.keys() - stored.keys())
    other = [
        number
        for number in sorted(expected.keys() & stored.keys())
        if ids.get(number) not in (None, expected[number]["id"])
        or _content(stored[number]) != expected[number]["content"]
    ]
    if seq < told.seq - _LAG or (extra and seq < told.seq):
        return  # on its way; what is missing follows when the space is opened
    if extra:
        yield found(
            "rows_unknown", Level.ERROR,
            f"{layout.TURNS} holds {len(extra)} rows that the journal does not know (rows {some(extra)}).",
        )  # fmt: skip
    for code, rows, what in (("rows_missing", missing, "lacks"), ("rows_differ", other, "tells otherwise about")):
        if rows:
            yield found(
                code, Level.ERROR,
                f"{layout.TURNS} {what} {len(rows)} turns that the journal has (rows {some(rows)}).",
                repair=None if extra else Repair.REMAKE_DATABASE, path=path,
            )  # fmt: skip


def _content(message: object) -> object:
    try:
        value = orjson.loads(str(message))
    except orjson.JSONDecodeError:
        return str(message)
    data = value.get("data") if isinstance(value, Mapping) else None
    return data.get("content") if isinstance(data, Mapping) else value
