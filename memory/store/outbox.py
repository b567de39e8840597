"""Owed work of one space: what is pending, how often it was tried, what was given up.

The journal decides: a commit line owes work and marks it done. ``outbox.ndjson`` follows it in
the companion's form (``pending``, ``attempt``, ``done``; ``forgiven`` is ours and takes an attempt
back), so that others can read it and attempts survive a crash. Lost, it is made again from the
journal.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from memory.clock import Clock, naive_local
from memory.store import layout
from memory.store.events import Event
from memory.store.files import Disk, read, to_its_end
from memory.store.view import View

log = logging.getLogger(__name__)

_COMPACT_LINES = 1000
_COUNTS = {"attempt": 1, "forgiven": -1}


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxOp:
    """A job that is owed."""

    id: str
    kind: str
    payload: Mapping[str, Any]
    owed_at: datetime          # aware
    attempts: int = 0          # runs that failed or never ended
    foreign: bool = False      # written by another program


class Outbox(View):
    """Pending work, in the order it was owed."""

    def __init__(self, directory: Path, disk: Disk, clock: Clock) -> None:
        self.seq = 0
        self.size = 0                       # bytes in the file
        self.pending: dict[str, OutboxOp] = {}
        self.dead = 0
        self._directory = directory
        self._disk = disk
        self._clock = clock
        self._unwritten: list[bytes] = []   # until they are on disk
        self._lines = 0
        self._writing = asyncio.Lock()

    @property
    def path(self) -> Path:
        return self._directory / layout.OUTBOX

    @property
    def dirty(self) -> bool:
        return bool(self._unwritten)

    def fold(self, event: Event) -> None:
        for op in event.owed:
            if op.id not in self.pending:
                self.pending[op.id] = OutboxOp(id=op.id, kind=op.kind, payload=op.payload, owed_at=event.at)
                self._write(op.id, "pending", event.at, type=op.kind, payload=op.payload)
        for op_id in event.done:
            if self.pending.pop(op_id, None) is not None:
                self._write(op_id, "done", event.at)
        self.seq = event.seq

    def of_kind(self, kind: str) -> OutboxOp | None:
        """The oldest pending job of a kind."""
        return next((op for op in self.pending.values() if op.kind == kind), None)

    async def load(self, seq: int, size: int) -> None:
        """Read what is pending; events after ``seq`` are folded on top of it.

        A file that is shorter than the ``size`` it once had lost something: then all are.
        """
        data = await self._disk.run(read, self.path) or b""
        self.seq, self.size = seq if len(data) >= size else 0, len(data)
        self.pending, self._unwritten, self._lines = {}, [], 0
        for raw in data.split(b"\n"):
            if not raw.strip(b"\0 \r"):
                continue
            self._lines += 1
            try:
                self._take(orjson.loads(raw))
            except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
                log.warning("%s/%s: a line is unreadable and passed over", self._directory.name, layout.OUTBOX)

    def _take(self, line: Mapping[str, Any]) -> None:
        op_id, status = line["op_id"], line["status"]
        if status == "pending":
            stamp = datetime.fromisoformat(line["at"] if "at" in line else line["ts"])
            self.pending[op_id] = OutboxOp(
                id=op_id,
                kind=line["type"],
                payload=line.get("payload") or {},
                owed_at=self._clock.local(stamp),
                foreign="at" not in line,
            )
        elif status in _COUNTS:
            self._count(op_id, _COUNTS[status])
        elif status == "done":
            self.pending.pop(op_id, None)

    async def save(self) -> None:
        """Append what changed since the last save."""
        async with self._writing:
            await to_its_end(self._append())

    async def _append(self) -> None:
        lines = list(self._unwritten)
        if lines:
            self.size = await self._disk.run(self._disk.append, self.path, b"".join(lines), "outbox")
            del self._unwritten[: len(lines)]
            self._lines += len(lines)

    async def attempt(self, op_id: str) -> int:
        """Count a run before it starts, durably, so that a job that kills the process is noticed."""
        line = _line(op_id, "attempt", self._clock.now())
        self._unwritten.append(line)
        try:
            await self.save()
        except OSError:
            self._unwritten.remove(line)
            raise
        except asyncio.CancelledError:
            self._count(op_id, 1)
            self.forgive(op_id)
            raise
        return self._count(op_id, 1)

    def forgive(self, op_id: str) -> None:
        """Do not count the last run against the job: it was stopped or kept from running, it did not fail."""
        if op_id in self.pending:
            self._write(op_id, "forgiven", self._clock.now())
            self._count(op_id, -1)

    def _count(self, op_id: str, more: int) -> int:
        op = self.pending.get(op_id)
        if op is None:
            return 0
        self.pending[op_id] = replace(op, attempts=max(op.attempts + more, 0))
        return self.pending[op_id].attempts

    async def bury(self, op: OutboxOp, reason: str) -> None:
        """Keep a job that is given up where a person can read it."""
        line = {"op_id": op.id, "type": op.kind, "payload": op.payload, "attempts": op.attempts, "reason": reason}
        line["ts"] = naive_local(self._clock.now())
        data = orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
        await self._disk.run(self._disk.append, self._directory / layout.DEAD_LETTERS, data, "bury")
        self.dead += 1

    async def scrub(self, clean: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> None:
        """Pass what pending work says through ``clean`` and keep nothing else in the file.

        Its seq must have been stamped before.
        """
        self.pending = {op.id: replace(op, payload=clean(op.payload)) for op in self.pending.values()}
        if self.pending or self.path.exists():
            await self.compact()

    def wants_compacting(self) -> bool:
        """Whether the file is long and mostly about finished work."""
        return self._lines >= _COMPACT_LINES and len(self.pending) * 4 < self._lines

    async def compact(self) -> None:
        """Rewrite the file with pending work alone."""
        async with self._writing:
            await to_its_end(self._compact())

    async def _compact(self) -> None:
        await self._append()
        lines: list[bytes] = []
        for op in self.pending.values():
            kept = _line(op.id, "pending", op.owed_at, own=not op.foreign, type=op.kind, payload=op.payload)
            lines += [kept, *[_line(op.id, "attempt", op.owed_at)] * op.attempts]
        await self._disk.run(self._disk.replace, self.path, lines, "outbox")
        self._lines, self.size = len(lines), sum(map(len, lines))

    def _write(self, op_id: str, status: str, at: datetime, **more: Any) -> None:
        self._unwritten.append(_line(op_id, status, at, own=status == "pending", **more))


def _line(op_id: str, status: str, at: datetime, *, own: bool = False, **more: Any) -> bytes:
    value: dict[str, Any] = {"op_id": op_id, **more, "status": status, "ts": naive_local(at)}
    if own:
        value["at"] = at.isoformat()
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
