"""How this dialect says what went wrong: ``{"error": text}``, with ``details`` where a body is not as it should be.

No answer and no log line holds a value that somebody sent or that is remembered.
"""

from __future__ import annotations

import logging

from starlette.responses import Response

from memory.characters import InUse
from memory.errors import (
    DamagedSpace,
    KeyReused,
    ModelFailed,
    NotAsked,
    SpaceClosed,
    StorageBlocked,
    UnknownSpace,
)
from memory.state.turn import Unanswered
from memory_server.replies import blocked, reply
from memory_server.statecore.call import FeatureOff, NotFound, NotThere, Refused, Unidentified
from memory_server.statecore.wire.requests import Invalid, Malformed

log = logging.getLogger(__name__)

FEATURE = "FEATURE_LLM disabled"
TOO_LARGE = "Request body too large"


def rendered(error: Exception, route: str) -> Response:
    """The answer for whatever a handler raised; ``route`` names it in the log."""
    match error:
        case Unanswered():
            return _unanswered(error)
        case NotAsked():
            log.info("%s: no model may be asked now", route)
            return _said(503, "The model is not asked now; try again later")
        case ModelFailed():
            log.warning("%s: the model failed (%s)", route, type(error).__name__)
            return _said(502, "The model did not answer; try again")
        case Unidentified():
            return _said(401, "Missing user identity header")
        case FeatureOff():
            return _said(400, FEATURE + error.tail)
        case Malformed():
            return _said(400, "Malformed JSON body")
        case Invalid():
            return reply({"error": "Validation failed", "details": error.details}, 400)
        case Refused():
            return _said(400, error.message)
        case NotFound():
            return _said(404, error.message)
        case UnknownSpace():
            return _said(404, "Scope not found")
        case KeyReused():
            return _said(409, str(error))
        case StorageBlocked():
            return blocked(error.reason, 503)
        case SpaceClosed() | DamagedSpace() | InUse():
            log.warning("%s was refused (%s)", route, type(error).__name__)
            return _said(503, "The scope is not available now; try again")
        case NotThere():
            return _said(501, "This operation is not available in this version")
        case _:
            log.error("%s failed (%s)", route, type(error).__name__)
            return _said(500, "Internal server error")


def _unanswered(error: Unanswered) -> Response:
    """The model failed in a turn: whether the message is kept is what the caller needs to know."""
    why = "The model did not answer" if error.asked else "The model is not asked now"
    what = "the message is kept; send it again for an answer" if error.kept else "nothing was kept; send it again"
    return reply({"error": f"{why}; {what}", "kept": error.kept}, 502 if error.asked else 503)


def _said(status: int, text: str) -> Response:
    return reply({"error": text}, status)
