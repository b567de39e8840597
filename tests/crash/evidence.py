"""What a character's directory holds, read without the kernel's own readers."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path
from typing import Any

import orjson

from memory.space import MemorySpace
from memory.store import layout


def committed_events(directory: Path) -> list[dict[str, Any]]:
    """Every committed event of ours, oldest first."""
    found: list[dict[str, Any]] = []
    batch: list[dict[str, Any]] = []
    for path in [*sorted(directory.glob("events-*.ndjson")), directory / layout.EVENTS]:
        for raw in path.read_bytes().splitlines() if path.exists() else ():
            try:
                line = orjson.loads(raw)
            except orjson.JSONDecodeError:
                continue
            if "seq" not in line:
                continue
            batch.append(line)
            if line.get("commit"):
                found += batch
                batch = []
    return found


def turns_in_journal(directory: Path) -> list[dict[str, Any]]:
    """Every turn that was ever taken in, by row, as its event tells it."""
    turns = [
        turn
        for event in committed_events(directory)
        if event["type"] in ("turns.added", "turns.adopted")
        for turn in event["data"]["turns"]
    ]
    return sorted(turns, key=lambda turn: int(turn["row"]))


def rows_in_database(directory: Path) -> list[tuple[int, str]]:
    """Row and text of everything in the database, oldest first."""
    path = directory / layout.TURNS
    if not path.exists():
        return []
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute("SELECT id, message FROM time_indexed_original ORDER BY id").fetchall()
    finally:
        connection.close()
    return [(row, orjson.loads(message)["data"]["content"]) for row, message in rows]


def fingerprint(directory: Path) -> dict[str, Any]:
    """Every file's hash, and the database's rows: what a second opening must not change."""
    files: dict[str, Any] = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.iterdir())
        if path.is_file() and not path.name.startswith(layout.TURNS)
    }
    files[layout.TURNS] = rows_in_database(directory)
    return files


def contents(space: MemorySpace) -> dict[str, bytes]:
    """What each view of an open space would write into its file."""
    return {view.file: b"".join(view.render()()) for view in space.views.all()}
