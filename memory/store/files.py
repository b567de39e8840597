"""Bytes on disk: atomic replacement, durable append, private modes.

Everything blocks; callers hand the work to :meth:`Disk.run`. ``step`` is told the name of each
point that a crash may separate, so that a test can end the process, fail, or edit a file there.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import time
from collections.abc import Awaitable, Callable, Iterable
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
_PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2)  # seconds


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
        self._front = ThreadPoolExecutor(2, thread_name_prefix="disk front")

    def at(self, point: str) -> None:
        """Reach a named point."""
        if self._step is not None:
            self._step(point)

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking work off the event loop.

        A thread cannot be stopped. When the caller is cancelled this waits for the work's end all
        the same and then passes the cancellation on, so that no lock is let go while it is used.
        """
        return await to_its_end(
            asyncio.get_running_loop().run_in_executor(self._pool, lambda: function(*args, **kwargs))
        )

    async def run_at_once(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for what somebody waits for, which must not stand behind the saving of many files."""
        return await to_its_end(
            asyncio.get_running_loop().run_in_executor(self._front, lambda: function(*args, **kwargs))
        )

    def close(self) -> None:
        self._pool.shutdown(wait=True)
        self._front.shutdown(wait=True)

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
        flags = os.O_RDWR | os.O_APPEND | _NO_FOLLOW | _BINARY
        try:
            fd, created = os.open(path, flags), False
        except FileNotFoundError:
            fd, created = os.open(path, flags | os.O_CREAT, FILE_MODE), True
        try:
            before = os.lseek(fd, 0, os.SEEK_END)
            if before and _last_byte(fd, before) != b"\n":
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
                    path.chmod(FILE_MODE)  # whatever the umask was
                os.fsync(fd)
                if created:
                    sync_directory(path.parent)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(fd, before)
                    os.fsync(fd)
                    if created:  # or the next append would take its entry in the directory for durable
                        path.unlink()
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
        rename happens only while the present file still looks so, or is gone; otherwise None is
        returned and the file is left alone. Never makes a directory. Returns how the file we wrote
        looks, whatever stands there by then.
        """
        temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY}")
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_FOLLOW | _BINARY, FILE_MODE)
        try:
            try:
                temporary.chmod(FILE_MODE)
                for chunk in chunks:
                    _write_all(fd, chunk)
                if durable:
                    os.fsync(fd)
                written = _print(os.fstat(fd))
            finally:
                os.close(fd)
            self.at(f"{point}.before_replace")
            if unless_changed is not False and look(path) not in (None, unless_changed):
                temporary.unlink()
                return None
            _rename(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        self.at(f"{point}.replaced")
        if durable:
            sync_directory(path.parent)
        return written

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

    def clean(self, directory: Path) -> int:
        """Remove what a crash left of half-written files. Returns the bytes of the others."""
        size = 0
        with contextlib.suppress(OSError), os.scandir(directory) as found:
            for entry in found:
                with contextlib.suppress(OSError):
                    if entry.name.startswith(".") and entry.name.endswith(TEMPORARY):
                        os.unlink(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_size
        return size


def look(path: Path | str) -> Print | None:
    """How a file looks now, or None if there is none."""
    try:
        return _print(os.stat(path))
    except FileNotFoundError:
        return None


def _print(found: os.stat_result) -> Print:
    return Print(found.st_mtime_ns, found.st_size, found.st_ino)


def read(path: Path) -> bytes | None:
    """The bytes of a file, or None if there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def read_head(path: Path, size: int) -> bytes | None:
    """The first bytes of a file, or None if there is none."""
    try:
        with path.open("rb") as file:
            return file.read(size)
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


def _rename(temporary: Path, path: Path) -> None:
    """Put a file in another's place. Windows refuses while somebody reads that one, so we ask again."""
    for pause in _PAUSES if os.name == "nt" else ():
        with contextlib.suppress(PermissionError):
            os.replace(temporary, path)
            return
        time.sleep(pause)
    os.replace(temporary, path)


async def to_its_end(work: Awaitable[T]) -> T:
    """The result of work that cannot be stopped. A cancellation waits for its end and is then passed on."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as stop:
            cancelled = stop
    if cancelled is not None:
        if not task.cancelled():
            task.exception()  # looked at, so that nobody reports it as forgotten
        raise cancelled
    return task.result()


def _last_byte(fd: int, size: int) -> bytes:
    os.lseek(fd, size - 1, os.SEEK_SET)  # appending goes to the end wherever this stands
    return os.read(fd, 1)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
