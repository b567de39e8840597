"""Backups: one archive of a data root, or of one character, taken while it is served; and back again.

The archive begins with ``manifest.json``, which names every file in it with its size and hash. A
restore reads the whole archive against it before the first file is put anywhere, and never puts
one where there is something already.
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
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from memory.engine import Engine
from memory.errors import BadInput, DamagedSpace, MemoryServiceError, UnknownSpace
from memory.ids import Ids
from memory.names import check_name
from memory.store import layout
from memory.store.files import DIRECTORY_MODE, FILE_MODE, Disk, sync_directory
from memory.store.sweep import files_below
from memory.store.view import Unreadable, parse_object

log = logging.getLogger(__name__)

FORMAT = "companion-memory-backup/1"
MANIFEST = "manifest.json"

_PIECE = 1 << 20
# In no name of ours, and not harmless on every system.
_ODD = frozenset("\\:\0" if os.name == "nt" else "\\\0")
_MANIFEST_LIMIT = 64 << 20      # bytes; more is no manifest of ours
# Of the root itself. The companion's other settings may hold keys to a provider, and are its own to back up.
_ROOT_FILES = (layout.TOMBSTONES, layout.IDLE_STATE, f"{layout.CONFIG}/characters.json")


class BadArchive(MemoryServiceError):
    """The archive is not a backup, or not as it was made. Nothing was restored."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the archive cannot be restored: {why}")


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


# making


async def back_up(engine: Engine, destination: Path, *, characters: Sequence[str] | None = None) -> BackedUp:
    """Write an archive of every character, or of those named, to ``destination``, which must not exist.

    Each character is copied at one moment at which nothing of it is being written; others go on
    meanwhile. The archive appears whole or not at all. Raises UnknownSpace, InTheWay, OSError.
    """
    names = engine.spaces.names() if characters is None else list(characters)
    unknown = [name for name in names if name not in engine.spaces.names()]
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
    target = staging / layout.MEMORY / name
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
        if _ODD & set(relative.as_posix()):
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


# restoring


def restore(
    archive: Path, root: Path, disk: Disk, ids: Ids, *, character: str | None = None, as_name: str | None = None
) -> BackedUp:
    """Put a backup into a root that has no memories yet, or one character of it into any root.

    ``as_name`` gives the character another name. The root must not be served meanwhile. Raises
    BadArchive, InTheWay, UnknownSpace, BadInput, OSError; in every case nothing was restored.
    """
    manifest = verify(archive)
    names = tuple(str(name) for name in manifest["characters"])
    if character is not None and character not in names:
        raise UnknownSpace(character)
    if as_name is not None and character is None:
        raise BadInput("as_name", "needs the character that is to be renamed")
    wanted = {character: check_name(as_name or character)} if character is not None else {name: name for name in names}
    for name in wanted.values():
        target = layout.character_directory(root, name)
        if target.exists() or target.is_symlink():
            raise InTheWay(target)
    memories = layout.memory_directory(root)
    if character is None and memories.is_dir() and any(memories.iterdir()):
        raise InTheWay(memories)
    disk.make_directory(memories)
    staging = root / f".restore-{os.getpid()}{layout.TEMPORARY}.d"
    try:
        staging.mkdir(mode=DIRECTORY_MODE)
        prefixes = [f"{layout.MEMORY}/{name}/" for name in wanted]
        count, size = _unpack(
            archive, manifest, staging, lambda name: character is None or name.startswith(tuple(prefixes))
        )
        _put_in_place(staging, root, wanted, whole=character is None)
        if not (root / layout.ROOT_STAMP).exists():
            # A copy is another root than the one that it was taken from.
            stamp = {"layout": int(manifest["layout"]), "root_id": ids.new("root")}
            disk.replace(root / layout.ROOT_STAMP, [orjson.dumps(stamp, option=orjson.OPT_APPEND_NEWLINE)], "root")
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return BackedUp(path=archive, characters=tuple(wanted.values()), files=count, bytes=size)


def verify(archive: Path) -> dict[str, Any]:
    """Read an archive to its end and compare every file with the manifest. Returns it; raises BadArchive, OSError."""
    with _reading(), contextlib.closing(_members(archive)) as members:
        name, data = next(members, ("", io.BytesIO()))
        if name != MANIFEST:
            raise BadArchive("it does not begin with a manifest")
        manifest = _read_manifest(data.read(_MANIFEST_LIMIT))
        missing = dict(manifest["files"])
        for name, data in members:
            entry = missing.pop(name, None)
            if entry is None:
                raise BadArchive(f"it holds a file that its manifest does not name: {name!r}")
            size, sha256 = _measure(data)
            if (size, sha256) != (entry["size"], entry["sha256"]):
                raise BadArchive(f"{name!r} is not as it was when the backup was made")
        if missing:
            raise BadArchive(f"{len(missing)} files of its manifest are missing, {min(missing)!r} among them")
    return manifest


def _members(archive: Path) -> Generator[tuple[str, Any], None, None]:
    """Names and contents in order; each content is to be read before the next is asked for."""
    with tarfile.open(archive, mode="r|gz") as tar:
        for member in tar:
            _check_member(member)
            yield member.name, tar.extractfile(member)


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    """What a damaged archive raises becomes BadArchive."""
    try:
        yield
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadArchive(f"it cannot be read to its end ({type(error).__name__})") from error


def _check_member(member: tarfile.TarInfo) -> None:
    parts = member.name.split("/")
    if not member.isreg() or any(part in ("", ".", "..") or _ODD & set(part) for part in parts):
        raise BadArchive("it holds something that is no plain file")
    if len(parts) > 1 and parts[0] == layout.MEMORY and len(parts) < 3:
        raise BadArchive("it holds a file outside of every character")


def _read_manifest(data: bytes) -> dict[str, Any]:
    try:
        value = parse_object(data)
        if value["format"] != FORMAT:
            raise BadArchive(f"its format is {str(value['format'])[:60]!r}, this program knows {FORMAT!r}")
        if int(value["layout"]) > layout.LAYOUT_VERSION:
            raise BadArchive("it was made by a newer version of this program")
        for name in value["characters"]:
            layout.character_directory(Path(), name)
        for entry in value["files"].values():
            int(entry["size"])
            str(entry["sha256"])
    except (Unreadable, AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadArchive("its manifest is unreadable") from error
    return value


def _measure(data: Any) -> tuple[int, str]:
    total, size = hashlib.sha256(), 0
    while piece := data.read(_PIECE):
        total.update(piece)
        size += len(piece)
    return size, total.hexdigest()


def _unpack(
    archive: Path, manifest: Mapping[str, Any], staging: Path, wanted: Callable[[str], bool]
) -> tuple[int, int]:
    """The wanted files into ``staging``, compared once more while they are written."""
    count = total = 0
    with _reading(), contextlib.closing(_members(archive)) as members:
        for name, data in members:
            if name == MANIFEST or not wanted(name):
                continue
            path = staging.joinpath(*name.split("/"))
            path.parent.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
            if _write(path, data) != manifest["files"][name]["sha256"]:
                raise BadArchive(f"{name!r} changed while it was read")
            count, total = count + 1, total + int(manifest["files"][name]["size"])
    return count, total


def _write(path: Path, data: Any) -> str:
    """Write a file that is not there yet; returns its SHA-256."""
    digest = hashlib.sha256()
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    with os.fdopen(fd, "wb") as file:
        while piece := data.read(_PIECE):
            digest.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def _put_in_place(staging: Path, root: Path, wanted: Mapping[str, str], *, whole: bool) -> None:
    """Directories by renaming, all of them or none; then what belongs to the root and is not there."""
    placed: list[Path] = []
    try:
        for name, new_name in wanted.items():
            source = staging / layout.MEMORY / name
            target = layout.character_directory(root, new_name)
            source.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)  # a character without any file
            if target.exists():
                raise InTheWay(target)
            os.rename(source, target)
            placed.append(target)
    except BaseException:
        for target in placed:
            shutil.rmtree(target, ignore_errors=True)
        raise
    sync_directory(layout.memory_directory(root))
    if whole:
        for path in files_below(staging):
            target = root / path.relative_to(staging)
            if not target.exists():
                target.parent.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
                os.rename(path, target)
        sync_directory(root)

