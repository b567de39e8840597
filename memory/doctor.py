"""Checking a data root that nobody serves, and repairing what can be repaired without losing anything."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.characters import deleted_remains
from memory.checks.finding import Finding, Level, Repair, name_of, names_of, some
from memory.checks.journal import Told
from memory.checks.space import Checkup
from memory.clock import Clock
from memory.engine import Engine
from memory.errors import MemoryServiceError
from memory.settings import Settings
from memory.store import layout
from memory.store.files import DIRECTORY_MODE, FILE_MODE, Disk, read
from memory.store.sweep import files_below
from memory.store.view import Unreadable, parse_object

log = logging.getLogger(__name__)

_DATABASE_FILES = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is the matter with a root."""

    findings: tuple[Finding, ...]
    spaces: int                             # that were looked over
    repaired: tuple[Finding, ...] = ()      # found before, and gone after the repair

    @property
    def healthy(self) -> bool:
        """Whether there is nothing to do."""
        return all(finding.level is Level.NOTE for finding in self.findings)


def check_root(settings: Settings, clock: Clock, *, only: str | None = None) -> Report:
    """Look over the root and its characters, or one of them. Changes nothing and needs no engine."""
    root = settings.data_root
    findings = list(_check_root(root)) if only is None else []
    directories = [*_characters(root), *_directories(layout.scopes_directory(root))]
    directories = [path for path in directories if only in (None, name_of(path))]
    for directory in directories:
        findings += Checkup(directory, settings, clock).run()
    return Report(findings=tuple(findings), spaces=len(directories))


async def repair_root(settings: Settings, clock: Clock, disk: Disk, *, only: str | None = None) -> Report:
    """Check, repair what is safe, and check again. The caller holds the root's lock. Raises OSError."""
    before = check_root(settings, clock, only=only)
    to_open: set[str] = set()
    for finding in before.findings:
        if finding.repair is not None:
            _repair(finding, settings, clock, disk)
            if finding.space is not None:
                to_open.add(finding.space)
    if to_open:
        await _open_all(settings, clock, sorted(to_open))
    after = check_root(settings, clock, only=only)
    left = {(finding.space, finding.code) for finding in after.findings}
    gone = tuple(one for one in before.findings if one.repair is not None and (one.space, one.code) not in left)
    return Report(findings=after.findings, spaces=after.spaces, repaired=gone)


# the root


def _characters(root: Path) -> list[Path]:
    return _directories(layout.memory_directory(root))


def _directories(parent: Path) -> list[Path]:
    if not parent.is_dir():
        return []
    found = (path for path in sorted(parent.iterdir()) if path.is_dir() and not path.is_symlink())
    return [path for path in found if path.name[0] not in "@."]


def _check_root(root: Path) -> Iterator[Finding]:
    yield from _check_stamp(root)
    if os.name != "nt":
        parts = [root, layout.memory_directory(root), root / layout.CATALOGUE, root / layout.TOMBSTONES]
        loose = [path for path in parts if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077]
        if loose:
            yield _found(
                "modes", Level.WARNING, f"Others on this machine may look into {some(names_of(loose))}.",
                repair=Repair.MODES, path=root,
            )  # fmt: skip
    memories = layout.memory_directory(root)
    odd = [path for path in memories.iterdir() if path.is_symlink() or not path.is_dir()] if memories.is_dir() else []
    if odd:
        yield _found("strangers", Level.NOTE, f"{layout.MEMORY}/ holds what is no character: {some(names_of(odd))}.")
    remains = deleted_remains(root)
    if remains:
        yield _found(
            "deleted", Level.WARNING, f"{len(remains)} deleted characters were not removed to their end.",
            repair=Repair.REMOVE_DELETED, path=root,
        )  # fmt: skip
    yield from _check_tombstones(root)
    yield from _check_catalogue(root)


def _check_stamp(root: Path) -> Iterator[Finding]:
    data = read(root / layout.ROOT_STAMP)
    if data is None:
        yield _found("stamp", Level.NOTE, f"{layout.ROOT_STAMP} is not there yet; the next start makes it.")
        return
    try:
        version = int(parse_object(data)["layout"])
    except (Unreadable, KeyError, TypeError, ValueError):
        yield _found("stamp", Level.WARNING, f"{layout.ROOT_STAMP} is unreadable; the next start writes it again.")
        return
    if version > layout.LAYOUT_VERSION:
        yield _found("too_new", Level.ERROR, f"The root has layout {version}; start the newer program that wrote it.")


def _check_tombstones(root: Path) -> Iterator[Finding]:
    data = read(root / layout.TOMBSTONES)
    if data is None:
        return
    try:
        names = [str(name) for name in parse_object(data)["names"]]
    except (Unreadable, KeyError, TypeError):
        yield _found("tombstones", Level.WARNING, f"{layout.TOMBSTONES} is unreadable; closed names are open again.")
        return
    known = {path.name for path in _characters(root)}
    both = sorted(known & set(names))
    if both:
        yield _found("closed", Level.NOTE, f"{len(both)} characters have a closed name ({some(both)}).")


def _check_catalogue(root: Path) -> Iterator[Finding]:
    path = root / layout.CATALOGUE
    if not path.exists():
        return
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=5.0)) as db:
            names = {name for (name,) in db.execute("SELECT name FROM spaces")}
    except sqlite3.Error as error:
        yield _found(
            "catalogue", Level.WARNING,
            f"{layout.CATALOGUE} cannot be read ({type(error).__name__}); it is made again from the characters.",
            repair=Repair.REMAKE_CATALOGUE, path=path,
        )  # fmt: skip
        return
    known = {name_of(path) for path in (*_characters(root), *_directories(layout.scopes_directory(root)))}
    if names - known:
        yield _found(
            "catalogue", Level.WARNING, f"{layout.CATALOGUE} lists {len(names - known)} characters that are not here.",
            repair=Repair.REMAKE_CATALOGUE, path=path,
        )  # fmt: skip


def _found(
    code: str, level: Level, sentence: str, *, repair: Repair | None = None, path: Path | None = None
) -> Finding:
    return Finding(space=None, code=code, level=level, sentence=sentence, repair=repair, path=path)


# repairing


def _repair(finding: Finding, settings: Settings, clock: Clock, disk: Disk) -> None:
    path = finding.path
    match finding.repair:
        case Repair.MODES if path is not None:
            _set_modes(path, whole=finding.space is not None)
        case Repair.TEMPORARY if path is not None:
            for one in files_below(path):
                if one.name.endswith(layout.TEMPORARY):
                    one.unlink()
        case Repair.REMAKE_VIEW if path is not None:
            disk.set_aside(path, path.with_name(f"{path.name}.unstamped-{_stamp(clock)}"))
        case Repair.REMAKE_DATABASE if path is not None:
            for suffix in _DATABASE_FILES:
                one = path.with_name(path.name + suffix)
                if one.exists():
                    disk.set_aside(one, path.with_name(f"{path.name}.corrupt-{_stamp(clock)}{suffix}"))
        case Repair.CUT_JOURNAL if path is not None:
            _cut_journal(path, Checkup(path, settings, clock).read_journal(), clock, disk)
        case Repair.REMOVE_DELETED:
            for one in deleted_remains(settings.data_root):
                shutil.rmtree(one)
        case Repair.REMAKE_CATALOGUE if path is not None:
            path.unlink()
        case _:
            return  # opening it does the rest
    log.info("repaired %s of %s", finding.code, finding.space or "the root")


def _stamp(clock: Clock) -> str:
    return clock.now().strftime("%Y%m%dT%H%M%S%f")


def _set_modes(path: Path, *, whole: bool) -> None:
    parts = [path, *path.rglob("*")] if whole else [path, layout.memory_directory(path), *path.glob("*.*")]
    for one in parts:
        if not one.is_symlink() and one.exists():
            one.chmod(DIRECTORY_MODE if one.is_dir() else FILE_MODE)


def _cut_journal(directory: Path, told: Told, clock: Clock, disk: Disk) -> None:
    """Keep what stands behind the damage aside. The views have all of it, and become events at the next opening."""
    if told.damaged is None:
        return
    path, end = told.damaged
    aside = directory / f"events.torn-{_stamp(clock)}"
    segments = [*(one for _, one in layout.segments(directory)), directory / layout.EVENTS]
    for one in segments[segments.index(path) :]:
        keep = end if one == path else 0
        if keep:
            disk.cut(one, keep, aside)
        elif one.exists():
            disk.append(aside, read(one) or b"", "cut")
            one.unlink()


async def _open_all(settings: Settings, clock: Clock, names: Sequence[str]) -> None:
    """Opening a space cuts its torn tail, takes edits in and makes its missing files again."""
    engine = await Engine.open(settings, clock=clock)
    try:
        for name in names:
            try:
                async with engine.spaces.use(name) as space:
                    if space.journal.damage is None:
                        await space.save()
            except MemoryServiceError as error:
                log.warning("%s could not be opened (%s)", name, type(error).__name__)
    finally:
        await engine.close()
