"""Dated archive files: ``YYYY-MM-DD_<8 hex>.json``, each a list of at most 500 rows."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import orjson

from memory.store.files import Disk, read
from memory.store.view import Unreadable, list_of_lines, parse_list

log = logging.getLogger(__name__)

SHARD_ROWS = 500


class Shards:
    """One archive directory inside a space's. Rows are added and read, never changed."""

    def __init__(self, directory: Path, disk: Disk) -> None:
        self.directory = directory
        self._disk = disk

    async def target(self, day: date, key: str, rows: int = 1) -> str:
        """The shard that so many rows archived on ``day`` should go to.

        The first one of the day with room; else a new one, named after ``key``, so that asking
        again before anything is written gives the same answer.
        """
        return await self._disk.run(self._target, day, key, rows)

    def _target(self, day: date, key: str, rows: int) -> str:
        for path in sorted(self.directory.glob(f"{day:%Y-%m-%d}_*.json")):
            try:
                held = parse_list(read(path) or b"")
            except (Unreadable, OSError):
                continue  # counts as full: what cannot be read is never written over
            if len(held) + rows <= SHARD_ROWS:
                return path.name
        number = 0
        while True:
            token = hashlib.sha256(f"{day}:{key}:{number}".encode()).hexdigest()[:8]
            name = f"{day:%Y-%m-%d}_{token}.json"
            if not (self.directory / name).exists():
                return name
            number += 1

    async def add(self, shard: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Put rows into a shard; a row whose id is there already replaces it, so this may run twice.

        Raises ValueError for a name that is no shard's, FileNotFoundError when the space is gone,
        OSError when the disk refuses.
        """
        if Path(shard).name != shard or not shard.endswith(".json"):
            raise ValueError("not the name of a shard")
        await self._disk.run(self._add, shard, rows)

    def _add(self, shard: str, rows: Sequence[Mapping[str, Any]]) -> None:
        if not self.directory.parent.is_dir():
            raise FileNotFoundError(self.directory.parent)
        self._disk.make_directory(self.directory)
        path = self.directory / shard
        data = read(path)
        try:
            held = parse_list(data) if data is not None else []
        except Unreadable:
            aside = path.with_name(f"{shard}.corrupt")
            self._disk.set_aside(path, aside)
            log.warning("%s/%s is unreadable: set aside as %s", self.directory.parent.name, shard, aside.name)
            held = []
        ids = {row["id"] for row in rows}
        kept = [row for row in held if not (isinstance(row, Mapping) and row.get("id") in ids)]
        lines = [orjson.dumps(row) for row in (*kept, *rows)]
        self._disk.replace(path, list_of_lines(lines), "shard")

    async def rows(self) -> list[dict[str, Any]]:
        """Every archived row, oldest shard first; unreadable shards are passed over."""
        return await self._disk.run(self._rows)

    def _rows(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for path in sorted(self.directory.glob("*.json")):
            try:
                found += [row for row in parse_list(read(path) or b"") if isinstance(row, dict)]
            except (Unreadable, OSError):
                log.warning("%s/%s is unreadable and passed over", self.directory.parent.name, path.name)
        return found
