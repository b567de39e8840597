"""Putting a backup back.

The whole archive is read against its manifest before the first file is put anywhere, and nothing is
ever put where there is something already.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import os
import shutil
import tarfile
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from memory.backup import FORMAT, MANIFEST, ODD, BackedUp, InTheWay
from memory.errors import BadInput, MemoryServiceError, UnknownSpace
from memory.ids import Ids
from memory.names import check_name
from memory.store import layout
from memory.store.files import DIRECTORY_MODE, FILE_MODE, Disk, sync_directory
from memory.store.sweep import files_below
from memory.store.view import Unreadable, parse_object

_PIECE = 1 << 20
_MANIFEST_LIMIT = 64 << 20      # bytes; more is no manifest of ours


class BadArchive(MemoryServiceError):
    """The archive is not a backup, or not as it was made. Nothing was restored."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the archive cannot be restored: {why}")


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
    wanted = {name: name for name in names} if character is None else {character: _new_name(character, as_name)}
    for name in wanted.values():
        target = layout.space_directory(root, name)
        if target.exists() or target.is_symlink():
            raise InTheWay(target)
    memories = layout.memory_directory(root)
    if character is None and memories.is_dir() and any(memories.iterdir()):
        raise InTheWay(memories)
    disk.make_directory(memories)
    staging = root / f".restore-{os.getpid()}{layout.TEMPORARY}.d"
    try:
        staging.mkdir(mode=DIRECTORY_MODE)
        prefixes = [f"{layout.space_directory(Path(), name).as_posix()}/" for name in wanted]
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


def _new_name(character: str, as_name: str | None) -> str:
    if character.startswith("@"):
        if as_name is not None:
            raise BadInput("as_name", "a scope is found by its name and cannot have another")
        return character
    return check_name(as_name or character)


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
    if not member.isreg() or any(part in ("", ".", "..") or ODD & set(part) for part in parts):
        raise BadArchive("it holds something that is no plain file")
    deep = 4 if parts[1:2] == [layout.SCOPES] else 3
    if len(parts) > 1 and parts[0] == layout.MEMORY and len(parts) < deep:
        raise BadArchive("it holds a file outside of every character")


def _read_manifest(data: bytes) -> dict[str, Any]:
    try:
        value = parse_object(data)
        if value["format"] != FORMAT:
            raise BadArchive(f"its format is {str(value['format'])[:60]!r}, this program knows {FORMAT!r}")
        if int(value["layout"]) > layout.LAYOUT_VERSION:
            raise BadArchive("it was made by a newer version of this program")
        for name in value["characters"]:
            layout.space_directory(Path(), name)
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
            source = layout.space_directory(staging, name)
            target = layout.space_directory(root, new_name)
            source.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)  # a character without any file
            target.parent.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
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
                target.parent.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
                os.rename(path, target)
        sync_directory(root)

