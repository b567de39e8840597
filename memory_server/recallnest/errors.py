"""How this dialect says what went wrong: ``{"error": sentence}``. No answer and no log line holds remembered text."""

from __future__ import annotations

import logging

from starlette.responses import Response

from memory.errors import BadInput, DamagedSpace, MemoryServiceError, SpaceClosed, StorageBlocked, UnknownSpace
from memory_server.replies import blocked, reply

log = logging.getLogger(__name__)


def rendered(error: Exception, route: str) -> Response:
    """The answer for whatever a handler raised; ``route`` names it in the log."""
    if isinstance(error, StorageBlocked):
        return blocked(error.reason, 503)
    status, text = told(error)
    if status == 503 or (status == 500 and isinstance(error, MemoryServiceError)):
        log.warning("%s was refused (%s)", route, type(error).__name__)
    elif status == 500:
        log.error("%s failed (%s)", route, type(error).__name__)
    return reply({"error": text}, status)


def told(error: BaseException | None) -> tuple[int, str]:
    """Status and sentence."""
    match error:
        case BadInput():
            return 400, sentence(error)
        case UnknownSpace():
            return 400, str(error)
        case SpaceClosed() | DamagedSpace() | StorageBlocked():
            return 503, str(error)
        case Unfinished():
            status, why = told(error.__cause__)
            return status, f"{error}: {why}"
        case OSError():
            return 500, f"Internal error: the disk refused: {error.strerror or type(error).__name__}"
        case MemoryServiceError():
            return 500, str(error)
        case _:
            return 500, "Internal error: the request failed; the server's log says more"


class Unfinished(MemoryServiceError):
    """A part of what was asked is done; the sentence says which, and the cause why the rest is not."""


def sentence(error: BadInput) -> str:
    """What was wrong with the input. A reason that is no sentence of its own begins with the field."""
    if error.why.startswith(("is ", "must ", "the ", "a ")):
        return f"{error.field} {error.why}" if error.why.startswith(("is ", "must ")) else f"{error.field}: {error.why}"
    return error.why
