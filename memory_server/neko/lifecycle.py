"""The process itself: /health and /shutdown."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from memory.engine import Engine
from memory_server.replies import reply
from memory_server.service import service_of


async def health(request: Request) -> Response:
    """Who answers here, which is always ``ok``; and how it is doing."""
    service = service_of(request)
    body = service.identity()
    if service.engine is not None:
        body |= await _condition(service.engine)
    return reply(body)


async def shutdown(request: Request) -> Response:
    """Ask the process to end, where it was started so that this may be asked."""
    stop = service_of(request).stop
    if stop is None:
        message = "this server was not started with --enable-shutdown"
        return reply({"status": "shutdown_disabled", "message": message})
    stop()
    return reply({"status": "shutdown_signal_received"})


async def _condition(engine: Engine) -> dict[str, Any]:
    await engine.embedder.look()
    status = engine.status()
    age = (engine.clock.now() - status.oldest_owed).total_seconds() if status.oldest_owed is not None else None
    return {
        "root_id": status.root_id,
        "spaces": status.spaces,
        "open_spaces": status.open_spaces,
        "owed": status.owed,
        "oldest_owed_age_seconds": None if age is None else max(0.0, round(age, 3)),
        "last_failed_write_at": status.failed_write_at.isoformat() if status.failed_write_at is not None else None,
        "refused_writes": status.refused_writes,
        "damaged": status.damaged,
        "embeddings": {
            "profile": engine.embedder.profile,
            "state": engine.embedder.state,
            "reason": engine.embedder.reason,
            "pending": 0,  # nothing waits for a vector: they are made when they are wanted
        },
    }
