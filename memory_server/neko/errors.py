"""How the companion dialect says what went wrong.

The published page fixes two ways: most routes answer a real status with ``{"detail": …}``; the four history writes
answer 200 with ``status: "error"``, apart from a name or body that is no request at all. No answer and no log line
holds a value that somebody sent or that is remembered.
"""

from __future__ import annotations

import logging

from starlette.responses import Response

from memory.errors import (
    BadInput,
    DamagedSpace,
    KeyReused,
    MemoryServiceError,
    SpaceClosed,
    StorageBlocked,
    UnknownSpace,
)
from memory_server.neko.wire import WireError
from memory_server.replies import blocked, reply

log = logging.getLogger(__name__)


def rendered(error: Exception, route: str) -> Response:
    """The answer for whatever a handler raised; ``route`` names it in the log."""
    match error:
        case WireError():
            return reply({"detail": error.detail}, error.status)
        case BadInput():
            return reply({"detail": error.why}, 400)
        case KeyReused():
            return reply(failure(error), 409)
        case StorageBlocked():
            return blocked(error.reason)
        case SpaceClosed():
            return reply({"detail": str(error)}, 409)
        case UnknownSpace():
            return reply({"detail": str(error)}, 404)
        case DamagedSpace():
            return reply({"detail": str(error)}, 500)
        case _:
            log.error("%s failed (%s)", route, type(error).__name__)
            return reply({"detail": "Internal Server Error"}, 500)


def write_failed(error: Exception, route: str) -> Response:
    """The answer of a history write for what is not the request's own fault."""
    match error:
        case WireError() | KeyReused():
            return rendered(error, route)
        case MemoryServiceError():
            log.warning("%s was refused (%s)", route, type(error).__name__)
        case _:
            log.error("%s failed (%s)", route, type(error).__name__)
    return reply(failure(error))


def failure(error: Exception) -> dict[str, str]:
    """``status: "error"`` with a sentence that says what a person can do about it."""
    match error:
        case MemoryServiceError():
            message = str(error)
        case OSError():
            message = f"nothing was stored, the disk refused: {error.strerror or type(error).__name__}"
        case _:
            message = f"nothing was stored, an internal failure ({type(error).__name__})"
    return {"status": "error", "message": message}
