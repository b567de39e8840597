"""Names that were released and whose directory then went away: nothing makes them anew by accident.

A claim lives only as long as the process. This small file in the root keeps a deleted or renamed
character closed over a restart, until somebody publishes the name again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from pathlib import Path

import orjson

from memory.store import layout
from memory.store.files import Disk, read
from memory.store.view import Unreadable, parse_object

log = logging.getLogger(__name__)


class Tombstones:
    """The closed names of a data root."""

    def __init__(self, root: Path, disk: Disk, exists: Callable[[str], bool]) -> None:
        self._path = root / layout.TOMBSTONES
        self._disk = disk
        self._exists = exists
        self._names: set[str] = set()
        self._writing = asyncio.Lock()
        data = read(self._path)
        if data is not None:
            try:
                self._names = {str(name) for name in parse_object(data)["names"]}
            except (Unreadable, KeyError, TypeError):
                log.warning("%s is unreadable and is written again", self._path.name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    async def bury(self, names: Iterable[str]) -> None:
        """Close those names that have no directory. Raises OSError; in this run they are closed all the same."""
        await self._change(frozenset(), names)

    async def lift(self, names: Iterable[str]) -> None:
        """The names are published again. Raises OSError; in this run they are open all the same."""
        await self._change(names, frozenset())

    async def update(self, *, lift: Iterable[str], bury: Iterable[str]) -> None:
        """Both at once, for a caller that goes on whatever the disk says; a failure is logged."""
        try:
            await self._change(lift, bury)
        except OSError as error:
            log.warning("%s could not be written (%s)", self._path.name, type(error).__name__)

    async def _change(self, lift: Iterable[str], bury: Iterable[str]) -> None:
        wanted = (self._names - set(lift)) | {name for name in bury if not self._exists(name)}
        if wanted == self._names:
            return
        self._names = wanted
        async with self._writing:
            data = orjson.dumps({"names": sorted(self._names)}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
            await self._disk.run(self._disk.replace, self._path, [data], "tombstones")
