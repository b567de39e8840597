"""Health, where dialects share a path: the union of what each of them publishes."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from memory_server.replies import reply
from memory_server.service import Service, service_of
from memory_server.statecore import about, shown
from memory_server.version import VERSION


def blocks(service: Service) -> dict[str, Any]:
    """What StateCore's clients look for; nothing in it takes the place of what others say."""
    return about.blocks(service)


async def v1_health(request: Request) -> Response:
    """``GET /v1/health``: StateCore's blocks, and the counts that RecallNest publishes."""
    service = service_of(request)
    body: dict[str, Any] = {"status": "ok", **blocks(service), "version": VERSION}
    engine = service.engine
    if engine is not None:
        body |= {"totalMemories": engine.scoped.total(), "timestamp": shown.moment(engine.clock.now())}
    return reply(body)
