"""How the companion dialect says what went wrong.

The published page fixes two ways: most routes answer a real status with ``{"detail": …}``; the four history writes
answer 200 with ``status: "error"``, apart from a name or body that is no request at all. A name that somebody holds
while its files are moved is 409 with ``status: "cancelled"``. No answer and no log line holds a value that somebody
sent or that is remembered.
"""

from __future__ import annotations

import logging
from typing import Any

from starlette.responses import Response

from memory.errors import (
    BadInput,
    DamagedSpace,
    KeyReused,
    MemoryServiceError,
    SpaceClosed,
    StorageBlocked,
    UnknownSpace,
    WriteFenced,
)
from memory_server.neko.wire import WireError
from memory_server.replies import blocked, reply

log = logging.getLogger(__name__)


FENCE = "CLOUDSAVE_WRITE_FENCE_ACTIVE"


def rendered(error: Exception, route: str, name: str | None = None) -> Response:
    """The answer for whatever a handler raised; ``route`` names it in the log, ``name`` is the character's."""
    match error:
        case WireError():
            return reply({"detail": error.detail}, error.status)
        case BadInput():
            return reply({"detail": error.why}, 400)
        case KeyReused():
            return reply(failure(error), 409)
        case WriteFenced():
            return reply(fenced(error.mode, name), 409)
        case StorageBlocked():
            return blocked(error.reason)
        case SpaceClosed():
            return reply(cancelled(error), 409)
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
        case WireError() | KeyReused() | SpaceClosed():
            return rendered(error, route)
        case MemoryServiceError():
            log.warning("%s was refused (%s)", route, type(error).__name__)
        case _:
            log.error("%s failed (%s)", route, type(error).__name__)
    return reply(failure(error))


def cancelled(error: MemoryServiceError) -> dict[str, str]:
    """``status: "cancelled"``: somebody else's claim on the name goes first."""
    return {"status": "cancelled", "message": str(error)}


def fenced(mode: str, name: str | None) -> dict[str, Any]:
    """What a write answers that the storage's mode forbids, and that has no other form of failure."""
    target = "memory" if name is None else f"memory/{name}/events.ndjson"
    return {
        "success": False, "error": FENCE, "code": FENCE, "mode": mode, "operation": "save", "target": target,
        "retryable": True,
    }  # fmt: skip


def failure(error: Exception) -> dict[str, str]:
    """``status: "error"`` with a sentence that says what a person can do about it."""
    message = sentence(error)
    if not isinstance(error, MemoryServiceError):
        message = f"nothing was stored, {message}"
    return {"status": "error", "message": message}


def sentence(error: Exception) -> str:
    """What went wrong, for a person; never more of it than its kind, unless the words are ours."""
    match error:
        case MemoryServiceError():
            return str(error)
        case OSError():
            return f"the disk refused: {error.strerror or type(error).__name__}"
        case _:
            return f"an internal failure ({type(error).__name__})"
