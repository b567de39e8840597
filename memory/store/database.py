"""What SQLite's complaints mean for a file of ours."""

from __future__ import annotations

import errno
import sqlite3

_PASSING = frozenset(
    {
        sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)  # fmt: skip
_CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})


def may_pass(error: sqlite3.Error) -> bool:
    """Whether an error says nothing against the file: somebody holds it, or the disk refuses now."""
    return _code(error) in _PASSING


def is_corrupt(error: sqlite3.Error) -> bool:
    """Whether an error says that a file which could be opened is no database of ours any more."""
    return _code(error) in _CORRUPT


def unavailable(name: str, error: sqlite3.Error) -> OSError:
    """The same error as one of the disk, which callers know how to deal with."""
    return OSError(errno.EIO, f"{name}: {getattr(error, 'sqlite_errorname', type(error).__name__)}")


def lenient_text(data: bytes) -> str:
    """Stored text of anybody's; what is no UTF-8 in it is replaced."""
    return data.decode(errors="replace")


def _code(error: sqlite3.Error) -> int | None:
    """SQLite's own primary code; None where the complaint is about us."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
