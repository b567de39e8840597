"""The view files of one space: loading, saving, and telling an edit by others from our own save.

``views.json`` holds per file the seq and hash of what stands there, and of the save under way
(``next``), written before the file itself. A file that matches neither was edited.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from memory.clock import Clock
from memory.store import layout
from memory.store.collector import resting
from memory.store.files import Disk, Print, digest, look, read
from memory.store.view import FileView, Unreadable, parse_object

log = logging.getLogger(__name__)

_ABSENT = ""         # stands for the hash of a file that does not exist because there is nothing in it
_LARGE = 256 * 1024  # bytes; read off the loop
_PATIENCE, _PAUSE = 15.0, 0.01  # seconds that a large file waits for what somebody waits for


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which content a file has, and how far it has come."""

    seq: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Found:
    """What loading found for one view."""

    view: FileView
    adopt: bool = False                       # nothing of ours knows this file yet
    edited: bytes | None = None               # somebody changed it; the view is empty and to be rebuilt
    bases: tuple[int, ...] = ()               # seqs that the edit may have started from


class Shelf:
    """Keeps the files of a space's views."""

    def __init__(
        self,
        directory: Path,
        disk: Disk,
        clock: Clock,
        views: Sequence[FileView],
        gives_way: Callable[[], bool] = lambda: False,
    ) -> None:
        self.views = views
        self.marks: dict[str, int] = {}       # seqs of what is not a view file (the outbox)
        self._directory = directory
        self._looked_at = [(view, str(directory / view.file)) for view in views]
        self._disk = disk
        self._clock = clock
        self._present: dict[str, Stamp] = {}
        self._next: dict[str, Stamp] = {}
        self._prints: dict[str, Print | None] = {}
        self._saving = False
        self._gives_way = gives_way     # whether somebody waits for work that a thread would slow down

    def path(self, view: FileView) -> Path:
        return self._directory / view.file

    @property
    def highest(self) -> int:
        """The highest seq that any file is known to hold."""
        return max((stamp.seq for stamp in self._present.values()), default=0)

    # loading

    async def load(self, *, journal_is_new: bool) -> list[Found]:
        """Read every file that is there. Unreadable ones are set aside."""
        stamps, files = await self._disk.run(self._read_all)
        found = []
        for view, (data, sha, seen) in zip(self.views, files, strict=True):
            view.reset()
            view.dirty = 0
            self._prints[view.file] = seen
            found.append(await self._place(view, data, sha, stamps, journal_is_new))
        return found

    def _read_all(self) -> tuple[_Stamps, list[tuple[bytes | None, str, Print | None]]]:
        """Everything at once, with hashes: a small space has many files with little in them."""
        stamps = self._read_stamps()
        files = [self._read(view) for view in self.views]
        return stamps, [(data, digest([data]) if data is not None else _ABSENT, seen) for data, seen in files]

    async def _place(
        self, view: FileView, data: bytes | None, sha: str, stamps: _Stamps, journal_is_new: bool
    ) -> Found:
        present, following = stamps.present.get(view.file), stamps.following.get(view.file)
        if data is None:
            if present is not None and present.sha256 == _ABSENT:
                view.seq = present.seq
                self._present[view.file] = present
            return Found(view)
        if present is None and following is None:
            if journal_is_new:
                if await self._take(view, data):
                    return Found(view, adopt=True)
            else:
                await self.set_aside(view, "unstamped")
            return Found(view)
        for stamp in (present, following):
            if stamp is not None and stamp.sha256 == sha:
                if await self._take(view, data):
                    view.seq = stamp.seq
                    self._present[view.file] = stamp
                return Found(view)
        bases = tuple(stamp.seq for stamp in (following, present) if stamp is not None)
        if await self._take(view, data):
            view.reset()
            return Found(view, edited=data, bases=bases)
        return Found(view)

    async def _take(self, view: FileView, data: bytes) -> bool:
        try:
            if len(data) > _LARGE:
                with resting():
                    await self._disk.run(view.read, data, self._clock)
            else:
                view.read(data, self._clock)
        except Unreadable:
            await self.set_aside(view, "corrupt")
            view.reset()
            return False
        return True

    async def set_aside(self, view: FileView, why: str) -> None:
        """Rename an unreadable file; the view is made again from the journal."""
        stamp = self._clock.now().strftime("%Y%m%dT%H%M%S%f")
        aside = self._directory / f"{view.file}.{why}-{stamp}"
        await self._disk.run(self._disk.set_aside, self.path(view), aside)
        self._prints[view.file] = None
        log.warning("%s/%s is %s: set aside as %s and made again", self._directory.name, view.file, why, aside.name)

    def _read(self, view: FileView) -> tuple[bytes | None, Print | None]:
        path = self.path(view)
        seen = look(path)
        return read(path), seen

    def _read_stamps(self) -> _Stamps:
        self._present, self._next, self.marks = {}, {}, {}
        data = read(self._directory / layout.VIEWS)
        stamps = _Stamps({}, {})
        if data is None:
            return stamps
        try:
            value = parse_object(data)
            for file, entry in value.get("files", {}).items():
                if "sha256" in entry:
                    stamps.present[file] = Stamp(int(entry["seq"]), str(entry["sha256"]))
                if "next" in entry:
                    stamps.following[file] = Stamp(int(entry["next"]["seq"]), str(entry["next"]["sha256"]))
            self.marks = {str(name): int(seq) for name, seq in value.get("marks", {}).items()}
        except (Unreadable, AttributeError, KeyError, TypeError, ValueError):
            log.warning("%s/%s is unreadable; views are made again", self._directory.name, layout.VIEWS)
            return _Stamps({}, {})
        return stamps

    # saving

    def edited(self) -> list[FileView]:
        """Views whose file somebody changed since it was read or saved. Cheap: a stat per file."""
        if self._saving:
            return []
        changed = []
        for view, path in self._looked_at:  # on the way of every request
            seen = look(path)
            if seen is not None and seen != self._prints.get(view.file):
                changed.append(view)
        return changed

    def forget_seqs(self) -> None:
        """The seqs in the stamps no longer mean anything: the journal begins again below them."""
        self._present = {file: Stamp(0, stamp.sha256) for file, stamp in self._present.items()}

    def bases(self, view: FileView) -> tuple[int, ...]:
        """Seqs that an edit of the file may have started from, likeliest first."""
        stamps = (self._present.get(view.file), self._next.get(view.file))
        return tuple(dict.fromkeys(stamp.seq for stamp in stamps if stamp is not None))

    async def reread(self, view: FileView) -> tuple[bytes | None, Print | None]:
        """The file's present bytes and looks, to be passed to :meth:`seen` once they are taken in."""
        return await self._disk.run(self._read, view)

    def seen(self, view: FileView, looks: Print | None) -> None:
        """What stands in the file is known to us; the next save may replace it."""
        self._prints[view.file] = looks

    async def save(self, views: Iterable[FileView], last_id: str | None) -> bool:
        """Write the views' files. False when one was edited meanwhile: take the edit in and save again."""
        jobs = [(view, view.render_file(), view.seq, view.dirty, view.empty) for view in views]
        self._raise_clean()
        self._saving = True
        try:
            missed = await self._disk.run(self._save, jobs, last_id)
        finally:
            self._saving = False
        for view, _, _, dirty, _ in jobs:
            if view.file not in missed:
                view.dirty -= dirty
        return not missed

    def _raise_clean(self) -> None:
        """Views without a change since their save have come as far as their seq says."""
        for view in self.views:
            known = self._present.get(view.file)
            if view.dirty:
                continue
            if known is not None:
                self._present[view.file] = Stamp(max(view.seq, known.seq), known.sha256)
            elif view.empty and self._prints.get(view.file) is None:
                self._present[view.file] = Stamp(view.seq, _ABSENT)

    def _save(self, jobs: list[Any], last_id: str | None) -> set[str]:
        written: list[tuple[FileView, list[bytes], Stamp]] = []
        for view, render, seq, _, empty in jobs:
            known = self._present.get(view.file)
            if empty and (known is None or known.sha256 == _ABSENT) and look(self.path(view)) is None:
                self._present[view.file] = Stamp(seq, _ABSENT)
                continue
            chunks = list(self._one_by_one(render()))
            stamp = Stamp(seq, digest(chunks))
            if known is not None and known.sha256 == stamp.sha256 and look(self.path(view)) is not None:
                self._present[view.file] = stamp
                continue
            self._next[view.file] = stamp
            written.append((view, chunks, stamp))
        self._write_stamps()
        self._disk.at("save.stamped")
        missed: set[str] = set()
        for view, chunks, stamp in written:
            seen = self._disk.replace(
                self.path(view), chunks, f"save.{view.file}", unless_changed=self._prints.get(view.file)
            )
            if seen is None:
                missed.add(view.file)
                continue
            self._prints[view.file] = seen
            self._present[view.file] = stamp
            self._next.pop(view.file, None)
        if last_id is not None:
            applied = {"last_applied_event_id": last_id, "ts": self._clock.now().replace(tzinfo=None).isoformat()}
            self._disk.replace(
                self._directory / layout.EVENTS_APPLIED, [orjson.dumps(applied)], "applied", durable=False
            )
        return missed

    def _one_by_one(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The chunks of a file; between those of a large one more urgent work goes first, for a while."""
        left = _PATIENCE
        for number, chunk in enumerate(chunks):
            while number and left > 0 and self._gives_way():
                time.sleep(_PAUSE)
                left -= _PAUSE
            yield chunk

    def _write_stamps(self) -> None:
        files: dict[str, dict[str, Any]] = {}
        for file, stamp in self._present.items():
            files[file] = {"seq": stamp.seq, "sha256": stamp.sha256}
        for file, stamp in self._next.items():
            files.setdefault(file, {})["next"] = {"seq": stamp.seq, "sha256": stamp.sha256}
        value = {"version": layout.LAYOUT_VERSION, "files": files, "marks": self.marks}
        self._disk.replace(
            self._directory / layout.VIEWS, [orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)], "stamp"
        )


@dataclass(frozen=True, slots=True)
class _Stamps:
    present: dict[str, Stamp]
    following: dict[str, Stamp]
