"""How this dialect says what went wrong: ``{"error": sentence}``. No answer and no log line holds remembered text."""

from __future__ import annotations

import logging

from starlette.responses import Response

from memory.errors import BadInput, DamagedSpace, MemoryServiceError, SpaceClosed, StorageBlocked, UnknownSpace
from memory_server.replies import blocked, reply

log = logging.getLogger(__name__)


def rendered(error: Exception, route: str) -> Response:
    """The answer for whatever a handler raised; ``route`` names it in the log."""
    match error:
        case BadInput():
            return _said(400, sentence(error))
        case StorageBlocked():
            return blocked(error.reason, 503)
        case SpaceClosed() | DamagedSpace():
            log.warning("%s was refused (%s)", route, type(error).__name__)
            return _said(503, str(error))
        case UnknownSpace():
            return _said(400, str(error))
        case OSError():
            log.error("%s failed (%s)", route, type(error).__name__)
            return _said(500, f"Internal error: the disk refused: {error.strerror or type(error).__name__}")
        case MemoryServiceError():
            log.warning("%s was refused (%s)", route, type(error).__name__)
            return _said(500, str(error))
        case _:
            log.error("%s failed (%s)", route, type(error).__name__)
            return _said(500, "Internal error: the request failed; the server's log says more")


def sentence(error: BadInput) -> str:
    """What was wrong with the input. A reason that is no sentence of its own begins with the field."""
    if error.why.startswith(("is ", "must ", "the ", "a ")):
        return f"{error.field} {error.why}" if error.why.startswith(("is ", "must ")) else f"{error.field}: {error.why}"
    return error.why


def _said(status: int, text: str) -> Response:
    return reply({"error": text}, status)
