"""The log file: ``<data root>/logs/memory-server.log``, rotated, for its owner alone.

What is logged names ids and counts. So that it stays so whatever a library puts into an exception,
the file tells of an exception where it happened and of which kind it is, and not what it says.
"""

from __future__ import annotations

import io
import logging
import os
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from memory.store import layout

NAME = "memory-server.log"
MOST_BYTES, KEPT = 2 * 1024 * 1024, 5      # of one file; older files beside the present one

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def open_log(root: Path) -> logging.Handler:
    """A handler that writes to the log of a data root. Makes its directory. Raises OSError."""
    directory = root / layout.LOGS
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    handler = _PrivateFile(directory / NAME, maxBytes=MOST_BYTES, backupCount=KEPT, encoding="utf-8", delay=True)
    handler.setFormatter(_Discreet(_FORMAT))
    return handler


class _PrivateFile(RotatingFileHandler):
    """A rotating file that nobody else can read, and that is never written through a link."""

    def _open(self) -> io.TextIOWrapper:
        fd = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_FOLLOW, 0o600)
        return os.fdopen(fd, "a", encoding=self.encoding, errors="backslashreplace")


class _Discreet(logging.Formatter):
    """Leaves out what an exception says, and keeps every record on one line."""

    def format(self, record: logging.LogRecord) -> str:
        cached, record.exc_text = record.exc_text, None  # another handler's text, with everything in it
        try:
            return super().format(record).replace("\r", "\\r").replace("\n", "\\n")
        finally:
            record.exc_text = cached

    def formatException(
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None],
    ) -> str:
        kind, _, trace = ei
        if kind is None:
            return ""
        places = (f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace))
        return f"{kind.__name__} at {' < '.join(reversed(list(places))) or 'an unknown place'}"
