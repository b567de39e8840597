"""The two things only one server can have: its data root and its port.

Both are asked for before anything heavy is imported, so that a second start is refused at once.
"""

from __future__ import annotations

import errno
import socket
import sys
from pathlib import Path

from filelock import FileLock, Timeout

from memory.errors import MemoryServiceError, RootLocked
from memory.store import layout

LOOPBACK = "127.0.0.1"
BACKLOG = 2048


class PortTaken(MemoryServiceError):
    """Another program listens on the port."""

    def __init__(self, port: int) -> None:
        super().__init__(
            f"port {port} on {LOOPBACK} is taken, perhaps by a memory server that runs already; "
            "stop it or choose another with --port"
        )
        self.port = port


def lock_root(root: Path) -> FileLock:
    """Take the data root for this process, until the lock is released or the process ends.

    Makes the directory, for its owner alone, if there is none. Raises RootLocked, or OSError.
    """
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(root / layout.LOCK, timeout=0, mode=0o600, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise RootLocked(root) from None
    return lock


def bind_loopback(port: int) -> socket.socket:
    """A bound socket on the loopback address that does not listen yet. Raises PortTaken, or OSError."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            # There the usual option would let two programs share a port.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((LOOPBACK, port))
    except OSError as error:
        bound.close()
        # Windows says that access is denied when another program holds the port for itself.
        if error.errno == errno.EADDRINUSE or (sys.platform == "win32" and error.errno == errno.EACCES):
            raise PortTaken(port) from None
        raise
    return bound
