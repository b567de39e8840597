"""What was asked and how well it was answered: the log that gaps are told from. No memory, and bounded.

Written behind the answers, a few seconds late; what a crash takes of it is not missed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from memory.clock import Clock
from memory.store.files import Disk, read
from memory.store.scrub import fold

log = logging.getLogger(__name__)

_FILE, _OLDER = "queries.ndjson", "queries-older.ndjson"
_KEPT = 20_000              # questions remembered
_FILE_BYTES = 4 * 1024 * 1024
_DELAY = 2.0                # seconds in which questions are gathered for one write
_TEXT_LIMIT = 400           # characters of a question that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question."""

    text: str
    scope: str | None           # None: all
    top: float                  # the best score; 0 without a result
    results: int
    at: datetime                # aware

    def to_json(self) -> dict[str, Any]:
        return {
            "text": self.text, "scope": self.scope, "top": self.top, "results": self.results,
            "at": self.at.isoformat(),
        }  # fmt: skip

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Asked:
        """Raises LookupError, TypeError or ValueError for what is none."""
        return cls(
            text=str(value["text"]),
            scope=value["scope"],
            top=float(value["top"]),
            results=int(value["results"]),
            at=datetime.fromisoformat(value["at"]),
        )


class QueryLog:
    """The latest questions, in memory and in two files that take turns."""

    def __init__(self, directory: Path, disk: Disk, clock: Clock, may_write: Callable[[], bool]) -> None:
        self._directory = directory
        self._disk = disk
        self._clock = clock
        self._may_write = may_write
        self._asked: deque[Asked] = deque(maxlen=_KEPT)
        self._unwritten: list[Asked] = []
        self._writer: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._opened = False

    def note(self, text: str, scope: str | None, *, top: float, results: int) -> None:
        """Remember a question. Costs its asker nothing."""
        asked = Asked(text=text[:_TEXT_LIMIT], scope=scope, top=top, results=results, at=self._clock.now())
        self._asked.append(asked)
        self._unwritten.append(asked)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_later(), name="write the query log")

    async def all(self) -> list[Asked]:
        """Every question remembered, oldest first."""
        async with self._opening:
            if not self._opened:
                older = await self._disk.run(self._read)
                self._asked.extendleft(reversed(older[-(_KEPT - len(self._asked)) :] if older else []))
                self._opened = True
        return list(self._asked)

    def _read(self) -> list[Asked]:
        """What the files say, but for what was noted since this process began."""
        known = {(one.text, one.at) for one in list(self._asked)}
        found: list[Asked] = []
        for name in (_OLDER, _FILE):
            for line in (read(self._directory / name) or b"").splitlines():
                try:
                    asked = Asked.from_json(orjson.loads(line))
                except (LookupError, TypeError, ValueError):
                    continue
                if (asked.text, asked.at) not in known:
                    found.append(asked)
        return found

    async def _write_later(self) -> None:
        await asyncio.sleep(_DELAY)
        await self.write()

    async def write(self) -> None:
        """Write what is not written yet. Where nothing may be written, or cannot be, it is let go."""
        asked, self._unwritten = self._unwritten, []
        if not asked or not self._may_write():
            return
        try:
            await self._disk.run(self._append, b"".join(orjson.dumps(one.to_json()) + b"\n" for one in asked))
        except OSError as error:
            log.warning("%d questions were not written down (%s)", len(asked), type(error).__name__)

    async def forget(self, text: str) -> None:
        """Let go of questions that hold a text, also in the files. Raises OSError."""
        wanted = fold(text).strip()
        if not wanted:
            return
        kept = [one for one in self._asked if wanted not in fold(one.text)]
        self._asked.clear()
        self._asked.extend(kept)
        self._unwritten = [one for one in self._unwritten if wanted not in fold(one.text)]
        await self._disk.run(self._scrub, wanted)

    def _scrub(self, wanted: str) -> None:
        for name in (_OLDER, _FILE):
            path = self._directory / name
            lines = (read(path) or b"").splitlines(keepends=True)
            kept = [line for line in lines if wanted not in fold(_text_of(line))]
            if len(kept) < len(lines):
                self._disk.replace(path, kept, "queries")

    def _append(self, lines: bytes) -> None:
        self._disk.make_directory(self._directory)
        path = self._directory / _FILE
        if self._disk.append(path, lines, "queries") > _FILE_BYTES:
            path.replace(self._directory / _OLDER)

    async def close(self) -> None:
        """Write the rest."""
        if self._writer is not None:
            self._writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._writer
        await self.write()


def _text_of(line: bytes) -> str:
    """The question in a line; the line itself where it holds none."""
    try:
        return Asked.from_json(orjson.loads(line)).text
    except (LookupError, TypeError, ValueError):
        return line.decode("utf-8", "replace")
