"""``POST /internal/owner/{verb}``: JSON in, JSON out, behind the same guard as everything else."""

from __future__ import annotations

import json
import logging
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from memory.backup import InTheWay
from memory.characters import InUse
from memory.erase import BeingEdited
from memory.errors import BadInput, DamagedSpace, MemoryServiceError, SpaceClosed, StorageBlocked, UnknownSpace
from memory.remains import StillThere
from memory.restore import BadArchive
from memory_server.owner.verbs import VERBS, Verb
from memory_server.replies import blocked, reply
from memory_server.service import engine_of

log = logging.getLogger(__name__)

PREFIX = "/internal/owner"


def routes() -> list[BaseRoute]:
    """One path per verb."""
    return [Route(f"{PREFIX}/{name}", partial(_answer, verb), methods=["POST"]) for name, verb in VERBS.items()]


async def _answer(verb: Verb, request: Request) -> Response:
    try:
        return reply(await verb(engine_of(request), _body(await request.body())))
    except Exception as error:  # last handler of the dialect
        return _refused(error, request.url.path)


def _body(raw: bytes) -> object:
    if not raw:
        return {}
    try:
        return json.loads(raw)
    except ValueError:  # not JSON, or not UTF-8
        raise BadInput("body", "is not JSON") from None


def _refused(error: Exception, path: str) -> Response:
    match error:
        case BadInput():
            return reply({"detail": f"{error.field}: {error.why}"}, 400)
        case UnknownSpace():
            return reply({"detail": str(error)}, 404)
        case StorageBlocked():
            return blocked(error.reason)
        case SpaceClosed() | InUse() | DamagedSpace() | InTheWay() | BeingEdited() | BadArchive():
            return reply({"detail": str(error)}, 409)
        case StillThere():
            log.error("%s: a file could not be cleaned", path)
            return reply({"detail": str(error)}, 500)
        case OSError():
            log.error("%s failed (%s)", path, type(error).__name__)
            return reply({"detail": f"the disk refused: {error.strerror or type(error).__name__}"}, 500)
        case MemoryServiceError():
            return reply({"detail": str(error)}, 500)
        case _:
            log.error("%s failed (%s)", path, type(error).__name__)
            return reply({"detail": "the request failed; the server's log says more"}, 500)
