"""The write path of a space: events first, then views.

A batch is appended in one write and one fsync, its last line marked ``commit``; then it is
folded into the views on the event loop. The caller goes on after that. Everything else (files,
database, outbox) follows from committed lines and can be made again from them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from memory.clock import Clock
from memory.errors import DamagedSpace, SpaceClosed
from memory.ids import Ids
from memory.store import layout
from memory.store.collector import each_once
from memory.store.events import Event, Owed, encode
from memory.store.files import Disk, Print, look, read, to_its_end
from memory.store.segment import Reading, examine, lines

log = logging.getLogger(__name__)

_END = 64     # bytes at the end of the file that tell it from another

# Events handed over at once while reading, so that a long journal does not stall the loop.
_SLICE, _SLICE_BYTES = 200, 64 * 1024


class Batch:
    """What one write will change. Nothing happens until the block around it ends."""

    def __init__(self, id_: str) -> None:
        self.id = id_
        self.entries: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = []
        self.owed: list[Owed] = []
        self.finished: list[str] = []
        self.key: Mapping[str, Any] | None = None

    def add(self, type_: str, data: Mapping[str, Any], payload: Mapping[str, Any] | None = None) -> None:
        """Add an event. ``payload`` holds the companion's own keys, for types that it knows."""
        self.entries.append((type_, data, payload or {}))

    def owe(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Owe a job. Its id stands in the commit line, so reading that line again owes nothing new."""
        self.owed.append(Owed(id=f"{self.id}_{len(self.owed)}", kind=kind, payload=payload))

    def finish(self, op_id: str) -> None:
        """Mark owed work as done in the same commit as its effect."""
        self.finished.append(op_id)

    @property
    def empty(self) -> bool:
        return not (self.entries or self.owed or self.finished or self.key)


class Journal:
    """The events of one space, in order."""

    def __init__(
        self,
        directory: Path,
        disk: Disk,
        clock: Clock,
        ids: Ids,
        *,
        fold: Callable[[Sequence[Event]], None],
        recover: Callable[[], Awaitable[None]],
        permit: Callable[[], None],
        failed: Callable[[], None],
        segment_bytes: int,
    ) -> None:
        self.directory = directory
        self.seq = 0                       # last committed
        self.last_id: str | None = None
        self.foreign = 0
        self.unreadable = 0
        self.damage: DamagedSpace | None = None
        self.closed = False                # released: nothing may be written any more
        self.may_create = False            # the directory may be made by the first batch
        self._disk = disk
        self._clock = clock
        self._ids = ids
        self._fold = fold
        self._recover = recover
        self._permit = permit
        self._failed = failed
        self._segment_bytes = segment_bytes
        self._size = 0
        self._print: Print | None = None   # how the file looked when we last knew it
        self._end = b""                    # its last bytes then
        self._active_first = 0             # first seq in the active segment; 0: it holds none of ours
        self._lock = asyncio.Lock()
        self._broken = False

    @property
    def path(self) -> Path:
        return self.directory / layout.EVENTS

    @property
    def busy(self) -> bool:
        return self._lock.locked()

    async def open(self) -> None:
        """Find the last commit, cut a torn tail aside, and note damage."""
        self.damage = None
        found, size = await self._disk.run(self._examine)
        self.seq, self.last_id = found.last_seq, found.last_id
        self.foreign, self.unreadable = found.foreign, found.unreadable
        self._size, self._active_first = size, found.first_seq
        if found.damaged_line is not None:
            self._spoilt(self.path, found.damaged_line)

    def _examine(self) -> tuple[Reading, int]:
        after, last_id = 0, None
        older = layout.segments(self.directory)
        if older:
            last = examine(read(older[-1][1]) or b"", after=older[-1][0] - 1)
            after, last_id = last.last_seq, last.last_id
            if last.damaged_line is not None or last.uncommitted:
                last.damaged_line = last.damaged_line or 1
                return last, 0
        self._print = look(self.path)
        data = read(self.path) or b""
        self._end = data[-_END:]
        found = examine(data, after=after)
        if not found.last_seq:
            found.last_seq = after
            found.last_id = last_id
        if found.torn and found.damaged_line is None:
            stamp = self._clock.now().strftime("%Y%m%dT%H%M%S%f")
            aside = self.directory / f"events.torn-{stamp}"
            if found.keep_after:
                self._disk.append(aside, found.torn.rstrip(b"\n") + b"\n", "cut")
                kept = b"".join([data[: found.committed_end], *found.keep_after])
                self._print = self._disk.replace(self.path, [kept], "cut")
                self._end = kept[-_END:]
            else:
                self._disk.cut(self.path, found.committed_end, aside)
                self._print = look(self.path)
                self._end = data[: found.committed_end][-_END:]
            log.warning(
                "journal of %s: cut %d uncommitted bytes to %s",
                self.directory.name, len(found.torn), aside.name,
            )
            return found, found.committed_end + sum(map(len, found.keep_after))
        return found, len(data)

    async def events(self, after: int, upto: int | None = None) -> AsyncIterator[list[Event]]:
        """Committed events with ``after < seq <= upto``, in order, in slices.

        Ends early, and notes damage, where one of them is missing.
        """
        last = self.seq if upto is None else min(upto, self.seq)
        older = layout.segments(self.directory)
        paths = [
            path
            for place, (_, path) in enumerate(older)
            if not (place + 1 < len(older) and older[place + 1][0] <= after + 1)
        ]
        if older and self._active_first and self._active_first <= after + 1:
            paths = []
        expected = after + 1
        for path in [*paths, self.path]:
            data = await self._disk.run(read, path)
            part: list[Event] = []
            size = 0
            for line in lines(data or b""):
                if line.event is None or line.event.seq <= after:
                    continue
                if line.event.seq > last:
                    break
                if line.event.seq != expected:
                    self._spoilt(path, line.number)
                    break
                expected += 1
                part.append(line.event)
                size += line.end - line.start
                if len(part) >= _SLICE or size >= _SLICE_BYTES:
                    yield part
                    part, size = [], 0
                    await asyncio.sleep(0)
            if part:
                yield part
            if expected <= last and self.damage is not None:
                return

    def _spoilt(self, path: Path, line: int) -> None:
        if self.damage is None:
            self.damage = DamagedSpace(path, line)
            log.error("journal of %s is damaged at line %d: read-only", self.directory.name, line)

    async def spoilt_at(self, seq: int) -> None:
        """Note that the event with this seq is none, whatever its line looks like."""
        for path in [*(path for _, path in layout.segments(self.directory)), self.path]:
            data = await self._disk.run(read, path)
            for line in lines(data or b""):
                if line.event is not None and line.event.seq == seq:
                    self._spoilt(path, line.number)
                    return

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Batch]:
        """Collect one batch under the write lock and commit it when the block ends.

        An exception inside the block means that nothing happened. Raises DamagedSpace for a
        space that is open for reading only, StorageBlocked while storage is fenced, SpaceClosed
        after a release, OSError when the disk refuses.
        """
        async with self._lock:
            self._check()
            if self._broken:
                await self._recover()
                self._broken = False
            self._check()
            batch = self.batch()
            yield batch
            await self.commit(batch)

    def batch(self) -> Batch:
        """An empty batch, for whoever already keeps other writers out."""
        return Batch(self._ids.new("op"))

    async def commit(self, batch: Batch) -> None:
        """Append and fold a batch. Only :meth:`write` and the opening of a space call this."""
        if not batch.empty:
            await to_its_end(self._commit(batch))

    async def commit_unseen(self, batch: Batch) -> None:
        """The same for a large batch while nobody can read the views: folded with pauses in between."""
        if not batch.empty:
            await to_its_end(self._commit(batch, pause=True))

    def _check(self) -> None:
        if self.closed:
            raise SpaceClosed(self.directory.name)
        self._permit()
        if self.damage is not None:
            raise self.damage

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Keep writers out for a moment, without a batch."""
        async with self._lock:
            yield

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Keep writers out of a journal that could be written. Raises what :meth:`write` raises.

        Inside, :meth:`commit`, :meth:`rehearse` and :meth:`rewrite` may be called.
        """
        async with self._lock:
            self._check()
            if self._broken:
                await self._recover()
                self._broken = False
            self._check()
            yield

    async def rehearse(self, own: Callable[[Event], Event], fold: Callable[[Event], None]) -> None:
        """Fold every event as :meth:`rewrite` would leave it, off the event loop."""

        def run() -> None:
            for path in self._paths():
                for line in lines(read(path) or b""):
                    if line.event is not None and line.event.seq <= self.seq:
                        fold(own(line.event))

        await self._disk.run(run)

    async def rewrite(self, own: Callable[[Event], Event], foreign: Callable[[bytes], bytes]) -> int:
        """Pass every line through ``own`` or ``foreign``; returns how many came back different.

        Only inside :meth:`alone`. Seq, id, time and commit mark must come back as they were. One
        segment after another is replaced whole, so a crash leaves some of them old and some new.
        """
        changed = 0
        for path in self._paths():
            changed += await self._disk.run(self._rewrite, path, own, foreign)
        return changed

    def _paths(self) -> list[Path]:
        return [*(path for _, path in layout.segments(self.directory)), self.path]

    def _rewrite(self, path: Path, own: Callable[[Event], Event], foreign: Callable[[bytes], bytes]) -> int:
        data = read(path)
        if data is None:
            return 0
        kept: list[bytes] = []
        changed = 0
        for line in lines(data):
            raw = data[line.start : line.end]
            if line.event is None:
                new = foreign(raw)
                changed += new != raw
            else:
                event = own(line.event)
                new = raw if event is line.event else encode(event)
                changed += event is not line.event
            kept.append(new)
        if changed:
            written = self._disk.replace(path, kept, "rewrite")
            if path == self.path and written is not None:
                self._size, self._print, self._end = written.size, written, b"".join(kept)[-_END:]
        return changed

    async def _commit(self, batch: Batch, *, pause: bool = False) -> None:
        if self._active_first and self.replaced():
            self.closed = True  # adding to somebody else's journal would spoil it
            raise SpaceClosed(self.directory.name)
        now = self._clock.now()
        entries = batch.entries or [("work.noted", {}, {})]
        events = [
            Event(
                seq=self.seq + 1 + place,
                id=self._ids.new("event"),
                type=type_,
                at=now,
                data=data,
                payload=payload,
                commit=place == len(entries) - 1,
                owed=tuple(batch.owed) if place == len(entries) - 1 else (),
                done=tuple(batch.finished) if place == len(entries) - 1 else (),
                key=batch.key if place == len(entries) - 1 else None,
            )
            for place, (type_, data, payload) in enumerate(entries)
        ]
        try:
            self._size = await self._disk.run_at_once(self._append, events)
        except BaseException:
            self._broken = True
            self._failed()
            raise
        self.seq, self.last_id = events[-1].seq, events[-1].id
        if not self._active_first:
            self._active_first = events[0].seq
        if not pause:
            self._fold(events)
        else:  # what is folded is let go of at once: a large batch would take long to fall apart as a whole
            batch.entries.clear()
            entries.clear()
            for event in each_once(events):
                self._fold([event])
                await asyncio.sleep(0)
        self._disk.at("commit.folded")

    def _append(self, events: Sequence[Event]) -> int:
        encoded = b"".join(map(encode, events))
        if self._size > self._segment_bytes and self._active_first:
            self._rotate()
        if self.may_create and not self.seq:
            self._disk.make_directory(self.directory)
        size = self._disk.append(self.path, encoded, "commit")
        self._print, self._end = look(self.path), encoded[-_END:]
        return size

    def _rotate(self) -> None:
        try:
            self.path.rename(self.directory / layout.segment_name(self._active_first))
        except OSError as error:  # a segment that is too long is better than no write
            log.warning("journal of %s could not be rotated (%s)", self.directory.name, type(error).__name__)
            return
        self._disk.at("rotate.renamed")
        self._active_first = 0

    def replaced(self) -> bool:
        """Whether another file stands where the journal was, or a shorter one."""
        seen = look(self.path)
        if seen is None:
            return self._active_first > 0
        if seen == self._print:
            return False
        # Others may have added lines of theirs; an inode is soon used again for another file.
        was = self._print.inode if self._print is not None else seen.inode
        return seen.size < self._size or seen.inode != was or not _before(self.path, self._size).endswith(self._end)


def _before(path: Path, size: int) -> bytes:
    """The bytes that end at ``size``."""
    try:
        with path.open("rb") as file:
            file.seek(max(size - _END, 0))
            return file.read(min(size, _END))
    except FileNotFoundError:
        return b""
