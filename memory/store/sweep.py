"""Going through every file of a directory for what is to be taken out of them.

What the journal and the views cannot reach: files set aside as unreadable, sidecars, archives, and
files of other programs.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from memory.store.files import Disk, read
from memory.store.scrub import Eraser
from memory.store.view import Unreadable, parse_object

log = logging.getLogger(__name__)

_TORN = "events.torn-"
_DATABASE = (b"SQLite format 3\0", b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")  # a database, and its log of either order


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What a sweep did. Counts only."""

    files_changed: int = 0
    files_removed: int = 0
    lines_removed: int = 0

    def __add__(self, other: Swept) -> Swept:
        return Swept(
            files_changed=self.files_changed + other.files_changed,
            files_removed=self.files_removed + other.files_removed,
            lines_removed=self.lines_removed + other.lines_removed,
        )


def sweep(directory: Path, eraser: Eraser, disk: Disk, *, spare: Collection[str], databases: bool) -> Swept:
    """Clean every file below a directory but those named in ``spare``.

    JSON loses its records and texts, a text file its lines, any other file that holds something is
    removed. Of an old copy of a database nobody can tell what its free pages hold: with
    ``databases`` it is removed. Links are never followed. Raises OSError.
    """
    disk.clean(directory)
    done = Swept()
    for path in files_below(directory):
        if path.parent == directory and path.name in spare:
            continue
        done += _sweep_file(path, eraser, disk, databases)
    return done


def _sweep_file(path: Path, eraser: Eraser, disk: Disk, databases: bool) -> Swept:
    data = read(path)
    if not data:
        return Swept()
    if data.startswith(_DATABASE):
        if not (databases or eraser.in_bytes(data)):
            return Swept()
        cleaned = None
    else:
        cleaned = eraser.clean_file(data, of_lines=path.suffix == ".ndjson" or path.name.startswith(_TORN))
    if cleaned is None:
        path.unlink()
        log.info("%s/%s held what was erased and is removed", path.parent.name, path.name)
        return Swept(files_removed=1)
    if cleaned.data == data:
        return Swept()
    disk.replace(path, [cleaned.data], "sweep")
    return Swept(files_changed=1, lines_removed=cleaned.lines_removed)


def files_below(directory: Path) -> Iterator[Path]:
    """Every regular file below a directory, sorted; links are passed over."""
    for path in sorted(directory.iterdir()):
        if path.is_symlink():
            continue
        if path.is_dir():
            yield from files_below(path)
        elif path.is_file():
            yield path


def sweep_key(path: Path, key: str, eraser: Eraser, disk: Disk) -> Swept:
    """Clean what a JSON object shared by several spaces says under one key. Raises OSError."""
    data = read(path)
    if data is None:
        return Swept()
    try:
        value = parse_object(data)
    except Unreadable:
        return Swept()
    cleaned = eraser.clean(value.get(key), ())
    if cleaned is value.get(key):
        return Swept()
    disk.replace(path, [orjson.dumps({**value, key: cleaned}, option=orjson.OPT_INDENT_2)], "sweep")
    return Swept(files_changed=1)
