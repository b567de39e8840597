"""Reflections and what proactive chat makes of them: /reflect, /followup_topics, /record_surfaced, and the review."""

from __future__ import annotations

import logging
from random import SystemRandom

from starlette.requests import Request
from starlette.responses import Response

from memory import lifecycle
from memory.engine import Engine
from memory.errors import MemoryServiceError, SpaceClosed, UnknownSpace
from memory.models.chat import Tier
from memory.persona import mind
from memory_server.neko import control
from memory_server.replies import reply
from memory_server.service import engine_of

log = logging.getLogger(__name__)


async def reflect(request: Request, name: str) -> Response:
    """Draw one reflection, if there is anything to draw it from. Raises SpaceClosed; whatever else fails is null."""
    engine = engine_of(request)
    reflection = None
    try:
        async with engine.spaces.use(name) as space:
            judged = engine.chat.usable(Tier.CORRECTION, name)
            names = engine.cast.names(name)
            reflection = await mind.reflect(space, names, powerful=engine.cast.powerful, judged=judged)
    except SpaceClosed:
        raise
    except UnknownSpace:
        pass
    except Exception as error:  # this route has its own form of failure
        _failed("/reflect", error)
    return reply({"reflection": reflection, "auto_transitions": 0})


async def followup_topics(request: Request, name: str) -> Response:
    """Reflections worth raising, at most three. Nothing is marked as shown."""
    engine = engine_of(request)
    topics = []
    try:
        async with engine.spaces.use(name) as space:
            topics = mind.active_topics(space, engine.clock.now(), SystemRandom())
    except (UnknownSpace, SpaceClosed):
        pass
    except Exception as error:  # this route has its own form of failure
        _failed("/followup_topics", error)
    return reply({"topics": topics})


async def record_surfaced(request: Request, name: str) -> Response:
    """Note which topics were offered. The caller learns nothing of a failure: it could not do anything about it."""
    engine = engine_of(request)
    ids = control.read_surfaced(await request.body())
    if ids:
        try:
            async with engine.spaces.use(name) as space:
                await mind.record_surfaced(space, ids)
        except UnknownSpace:
            pass
        except Exception as error:  # this route has its own form of failure
            _failed("/record_surfaced", error)
    return reply({"ok": True})


async def cancel_correction(request: Request, name: str) -> Response:
    """Stop a running review of the recent window. No memory is opened for it, so it works whoever holds one."""
    cancelled = await lifecycle.stop_review(engine_of(request), name)
    return reply({"status": "cancelled" if cancelled else "no_task"})


async def reset_confirmed_at(request: Request) -> Response:
    """Let the age of what is confirmed begin now, for every character. ``ok`` only if it ran for all of them."""
    engine = engine_of(request)
    try:
        engine.cast.check()
        return reply({"ok": True, "count": await _reset_all(engine)})
    except MemoryServiceError as error:
        log.warning("/internal/memory/reset_confirmed_at was refused (%s)", type(error).__name__)
        return reply({"ok": False, "error": str(error), "count": 0})
    except Exception as error:  # this route has its own form of failure
        _failed("/internal/memory/reset_confirmed_at", error)
        return reply({"ok": False, "error": f"an internal failure ({type(error).__name__})", "count": 0})


async def _reset_all(engine: Engine) -> int:
    count = 0
    for name in sorted(engine.characters()):
        try:
            async with engine.spaces.use(name) as space:
                count += await mind.reset_confirmed(space)
        except UnknownSpace:
            continue  # configured, and nothing was ever said
    return count


def _failed(route: str, error: Exception) -> None:
    level = logging.INFO if isinstance(error, MemoryServiceError) else logging.ERROR
    log.log(level, "%s failed (%s)", route, type(error).__name__)
