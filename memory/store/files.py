"""Bytes on disk: atomic replacement, durable append, private modes.

Everything blocks; callers hand the work to :meth:`Disk.run`. ``step`` is told the name of each
point that a crash may separate, so that a test can end the process, fail, or edit a file there.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

from memory.store.layout import TEMPORARY

P = ParamSpec("P")
T = TypeVar("T")

DIRECTORY_MODE, FILE_MODE = 0o700, 0o600
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Print:
    """What a file looked like at one moment: cheap to compare."""

    modified_ns: int
    size: int
    inode: int


class Disk:
    """The file system as the store uses it."""

    def __init__(self, step: Callable[[str], None] | None = None, *, threads: int = 4) -> None:
        self._step = step
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="disk")

    def at(self, point: str) -> None:
        """Reach a named point."""
        if self._step is not None:
            self._step(point)

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking work off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: function(*args, **kwargs))

    def close(self) -> None:
        self._pool.shutdown(wait=True)

    def make_directory(self, path: Path) -> None:
        """Make a directory and its missing parents, for the owner alone, and make that durable."""
        if path.is_dir():
            return
        self.make_directory(path.parent)
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=DIRECTORY_MODE)
            path.chmod(DIRECTORY_MODE)  # whatever the umask was
            sync_directory(path.parent)

    def append(self, path: Path, data: bytes, point: str) -> int:
        """Append whole lines and make them durable; returns the new size.

        The file is made if missing, its directory never. A last line without its end gets one
        first, so that a torn tail cannot swallow the new line. On failure the file is cut back
        to what it was, if the disk still allows it, and the error is raised.
        """
        created = not path.exists()
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _NO_FOLLOW | _BINARY, FILE_MODE)
        try:
            before = os.fstat(fd).st_size
            if before and os.pread(fd, 1, before - 1) != b"\n":
                data = b"\n" + data
            try:
                self.at(f"{point}.before_append")
                if self._step is not None:
                    half = len(data) // 2
                    _write_all(fd, data[:half])
                    self.at(f"{point}.half_appended")
                    _write_all(fd, data[half:])
                else:
                    _write_all(fd, data)
                self.at(f"{point}.appended")
                if created:
                    os.fchmod(fd, FILE_MODE)
                os.fsync(fd)
                if created:
                    sync_directory(path.parent)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(fd, before)
                    os.fsync(fd)
                raise
            self.at(f"{point}.synced")
            return before + len(data)
        finally:
            os.close(fd)

    def replace(
        self,
        path: Path,
        chunks: Iterable[bytes],
        point: str,
        *,
        unless_changed: Print | bool | None = False,
        durable: bool = True,
    ) -> Print | None:
        """Write a file whole: temporary file, fsync, rename, directory fsync.

        A file that is cheap to make again can do without the two fsyncs (``durable=False``).

        With ``unless_changed`` given as a :class:`Print` (or None for "there was no file") the
        rename happens only while the present file still looks so; otherwise None is returned and
        the file is left alone. Never makes a directory.
        """
        temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY}")
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_FOLLOW | _BINARY, FILE_MODE)
        try:
            try:
                os.fchmod(fd, FILE_MODE)
                for chunk in chunks:
                    _write_all(fd, chunk)
                if durable:
                    os.fsync(fd)
            finally:
                os.close(fd)
            self.at(f"{point}.before_replace")
            if unless_changed is not False and look(path) != unless_changed:
                temporary.unlink()
                return None
            os.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        self.at(f"{point}.replaced")
        if durable:
            sync_directory(path.parent)
        return look(path)

    def cut(self, path: Path, size: int, aside: Path) -> None:
        """Shorten a file to ``size`` bytes, keeping what is cut off in ``aside``."""
        with path.open("rb") as file:
            file.seek(size)
            rest = file.read()
        self.append(aside, rest + b"\n", "cut")
        fd = os.open(path, os.O_WRONLY | _NO_FOLLOW | _BINARY)
        try:
            os.ftruncate(fd, size)
            os.fsync(fd)
        finally:
            os.close(fd)

    def set_aside(self, path: Path, aside: Path) -> None:
        """Rename an unreadable file so that nothing overwrites it."""
        while aside.exists():
            aside = aside.with_name(aside.name + "x")
        os.replace(path, aside)
        sync_directory(path.parent)

    def remove_temporaries(self, directory: Path) -> None:
        """Remove what a crash left of half-written files."""
        for path in directory.glob(f".*{TEMPORARY}"):
            with contextlib.suppress(OSError):
                path.unlink()


def look(path: Path) -> Print | None:
    """How a file looks now, or None if there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return Print(found.st_mtime_ns, found.st_size, found.st_ino)


def read(path: Path) -> bytes | None:
    """The bytes of a file, or None if there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def digest(chunks: Iterable[bytes]) -> str:
    """SHA-256 of the chunks taken together, in hex."""
    total = hashlib.sha256()
    for chunk in chunks:
        total.update(chunk)
    return total.hexdigest()


def sync_directory(path: Path) -> None:
    """Make a directory's entries durable, where the platform can."""
    if os.name == "nt":
        return
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
