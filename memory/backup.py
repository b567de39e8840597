"""Backups: one archive of a data root, or of one character, taken while it is served.

The archive begins with ``manifest.json``, which names every file in it with its size and hash.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import logging
import os
import shutil
import sqlite3
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from memory.engine import Engine
from memory.errors import DamagedSpace, MemoryServiceError, UnknownSpace
from memory.store import layout
from memory.store.files import DIRECTORY_MODE, FILE_MODE, sync_directory
from memory.store.sweep import files_below

log = logging.getLogger(__name__)

FORMAT = "companion-memory-backup/1"
MANIFEST = "manifest.json"

# In no name of ours, and not harmless on every system.
ODD = frozenset("\\:\0" if os.name == "nt" else "\\\0")
# Of the root itself. The companion's other settings may hold keys to a provider, and are its own to back up.
_ROOT_FILES = (layout.TOMBSTONES, layout.IDLE_STATE, f"{layout.CONFIG}/characters.json")


class InTheWay(MemoryServiceError):
    """Something stands where the backup would go. Nothing was restored."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} exists already; nothing is written over it")
        self.path = path


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUp:
    """What an archive holds, or what was restored from one."""

    path: Path
    characters: tuple[str, ...]
    files: int
    bytes: int                          # unpacked
    skipped: tuple[str, ...] = ()       # characters that could not be read


async def back_up(engine: Engine, destination: Path, *, characters: Sequence[str] | None = None) -> BackedUp:
    """Write an archive of every character, or of those named, to ``destination``, which must not exist.

    Each character is copied at one moment at which nothing of it is being written; others go on
    meanwhile. The archive appears whole or not at all. Raises UnknownSpace, InTheWay, OSError.
    """
    present = [*engine.spaces.names(), *engine.spaces.scopes()]
    names = present if characters is None else list(characters)
    unknown = [name for name in names if name not in present]
    if unknown:
        raise UnknownSpace(unknown[0])
    staging = destination.with_name(f".{destination.name}.{os.getpid()}{layout.TEMPORARY}.d")
    await engine.run(_make_staging, destination, staging)
    try:
        for name in names:
            await _copy_character(engine, name, staging)
        if characters is None:
            await engine.run(_copy_root, engine.settings.data_root, staging)
        head = {
            "format": FORMAT,
            "layout": layout.LAYOUT_VERSION,
            "root_id": engine.root_id,
            "made_at": engine.clock.now().isoformat(),
            "whole_root": characters is None,
            "characters": names,
        }
        done = await engine.run(_pack, staging, destination, head)
    finally:
        await engine.run(shutil.rmtree, staging, ignore_errors=True)
    log.info("backed up %d characters, %d files", len(names), done.files)
    return done


def _make_staging(destination: Path, staging: Path) -> None:
    if destination.exists() or destination.is_symlink():
        raise InTheWay(destination)
    staging.parent.mkdir(parents=True, exist_ok=True)
    staging.mkdir(mode=DIRECTORY_MODE)


async def _copy_character(engine: Engine, name: str, staging: Path) -> None:
    target = layout.space_directory(staging, name)
    async with engine.spaces.use(name) as space:
        try:
            async with space.alone():
                # A file that somebody is editing is copied as it is; it will be taken in after a restore.
                await space.save_alone()
                await engine.run(_copy_directory, space.directory, target)
        except DamagedSpace:
            # It cannot be written, so nobody does: it is copied as it lies there.
            async with space.journal.hold():
                await space.turns.close()
                await engine.run(_copy_directory, space.directory, target)


def _copy_directory(source: Path, target: Path) -> None:
    target.mkdir(mode=DIRECTORY_MODE, parents=True)
    for path in files_below(source):
        relative = path.relative_to(source)
        if path.name.endswith(layout.TEMPORARY) or str(relative) in _BESIDE_DATABASE:
            continue
        if ODD & set(relative.as_posix()):
            log.warning("%s: a file with an odd name is left out", source.name)
            continue
        to = target / relative
        to.parent.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
        if str(relative) != layout.TURNS or not _copy_database(path, to):
            shutil.copyfile(path, to)
        to.chmod(FILE_MODE)


_BESIDE_DATABASE = frozenset(f"{layout.TURNS}{suffix}" for suffix in ("-wal", "-shm", "-journal"))


def _copy_database(source: Path, target: Path) -> bool:
    """Copy a database that others may have open. False if SQLite cannot read it."""
    try:
        with (
            contextlib.closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True, timeout=10.0)) as db,
            contextlib.closing(sqlite3.connect(target)) as copy,
        ):
            db.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error as error:
        log.warning("%s: SQLite cannot copy it (%s); copied as a file", source.name, type(error).__name__)
        target.unlink(missing_ok=True)
        return False
    return True


def _copy_root(root: Path, staging: Path) -> None:
    for name in _ROOT_FILES:
        if (root / name).is_file():
            (staging / name).parent.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
            shutil.copyfile(root / name, staging / name)
    for directory in (layout.observations_directory(root), layout.queries_directory(root)):
        for path in files_below(directory) if directory.is_dir() else ():
            to = staging / path.relative_to(root)
            to.parent.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
            data = path.read_bytes()
            to.write_bytes(data[: data.rfind(b"\n") + 1])  # lines; the last may be under way


def _pack(staging: Path, destination: Path, head: Mapping[str, Any]) -> BackedUp:
    files = list(files_below(staging))
    entries: dict[str, Any] = {
        path.relative_to(staging).as_posix(): {"size": path.stat().st_size, "sha256": _sha256(path)} for path in files
    }
    manifest = orjson.dumps({**head, "files": entries}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    temporary = destination.with_name(f".{destination.name}.{os.getpid()}{layout.TEMPORARY}")
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        with os.fdopen(fd, "wb") as raw:
            with (
                gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=6, mtime=0, filename="") as packed,
                tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
            ):
                archive.addfile(_member(MANIFEST, len(manifest)), io.BytesIO(manifest))
                for path in files:
                    name = path.relative_to(staging).as_posix()
                    with path.open("rb") as file:
                        archive.addfile(_member(name, entries[name]["size"]), file)
            raw.flush()
            os.fsync(raw.fileno())
        if destination.exists():
            raise InTheWay(destination)
        os.rename(temporary, destination)
        sync_directory(destination.parent)
    finally:
        temporary.unlink(missing_ok=True)
    return BackedUp(
        path=destination,
        characters=tuple(head["characters"]),
        files=len(files),
        bytes=sum(entry["size"] for entry in entries.values()),
    )


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, FILE_MODE
    return member


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
