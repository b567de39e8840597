"""The process, its storage, and who may use a character's files: health, shutdown, start-up, release and reload."""

from __future__ import annotations

import logging
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from memory import lifecycle
from memory.engine import Engine
from memory.errors import BadInput, ClaimWithdrawn, MemoryServiceError
from memory_server.health import blocks
from memory_server.neko import control
from memory_server.neko.errors import sentence
from memory_server.replies import reply
from memory_server.service import engine_of, service_of

log = logging.getLogger(__name__)


async def health(request: Request) -> Response:
    """Who answers here, which is always ``ok``; and how it is doing."""
    service = service_of(request)
    body = service.identity() | blocks(service)
    if service.engine is not None:
        body |= await _condition(service.engine)
    return reply(body)


async def shutdown(request: Request) -> Response:
    """Ask the process to end, where it was started so that this may be asked."""
    return reply(service_of(request).shut_down())


async def continue_startup(request: Request) -> Response:
    """Leave limited mode, and open the engine if storage was not ready before."""
    service = service_of(request)
    if (still := service.gate.storage_reason) is not None:
        log.info("told to continue, but storage is not ready: %s", still)
        error = f"the storage is not ready yet: {still}"
        blocked = {"ok": False, "error_code": "storage_startup_blocked", "blocking_reason": still, "error": error}
        return reply(blocked, 409)
    try:
        opened = await service.start()
    except Exception as error:  # this route has its own form of failure
        log.error("the engine could not be opened (%s)", type(error).__name__)
        return reply({"ok": False, "error": sentence(error)}, 500)
    service.gate.blocked = False
    log.info("told to continue: serving")
    return reply({"ok": True, "initialized": opened})


async def block_startup(request: Request) -> Response:
    """Enter limited mode again, after something else failed to start."""
    reason = control.read_reason(await request.body())
    service_of(request).gate.blocked = True
    log.warning("told to stop serving: limited mode")
    return reply({"ok": True, "limited_mode": True, "reason": reason})


async def release_character(request: Request, name: str) -> Response:
    """Let go of a character's files and keep background work away from it until a reload ends the claim."""
    engine = engine_of(request)
    try:
        claim = control.read_claim(request.query_params)
    except BadInput as error:
        return _not_released(400, "error", name, error.why)
    try:
        stopped = await lifecycle.release(engine, name, claim.token, claim.generation, hold=claim.hold)
    except ClaimWithdrawn:
        return _not_released(409, "cancelled", name, "this claim was withdrawn")
    except Exception as error:  # this route has its own form of failure
        if not isinstance(error, MemoryServiceError):
            log.error("/release_character failed (%s)", type(error).__name__)
        return _not_released(500, "error", name, sentence(error))
    return reply({
        "status": "success",
        "character_name": name,
        "cancelled_derived_tasks": stopped,
        "derived_task_claim_token": claim.token,
    })  # fmt: skip


def name_not_released(raw: str, error: BadInput) -> Response:
    """What /release_character answers for a name that is not allowed."""
    return _not_released(400, "error", raw, error.why)


async def reload(request: Request) -> Response:
    """Read again what changed on disk, end the listed claims and publish the listed identities."""
    engine = engine_of(request)
    wanted = control.read_reload(await request.body())
    try:
        await lifecycle.reload(engine, resume=wanted.resume, release_claims=wanted.release_claims)
    except Exception as error:  # this route has its own form of failure
        log.warning("/reload failed (%s)", type(error).__name__)
        return reply({"status": "error", "message": sentence(error)})
    return reply({"status": "success", "message": "what changed on disk has been read"})


def _not_released(status: int, word: str, name: str, message: str) -> Response:
    return reply({"status": word, "character_name": name, "message": message}, status)


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
        "write_fence": status.write_fence,
        "damaged": status.damaged,
        "models": models_condition(engine),
        "embeddings": {
            "profile": engine.embedder.profile,
            "state": engine.embedder.state,
            "reason": engine.embedder.reason,
            "pending": engine.backfill.pending,
        },
    }


def models_condition(engine: Engine) -> dict[str, Any]:
    """By whom each job is done, over the memories that are open, and what models cost today."""
    usage, now = engine.chat.usage(), engine.clock.now()
    jobs = {
        state.name: {
            "done_by": state.done_by,
            "tier": state.tier,
            "backlog": state.backlog,
            "oldest_age_seconds": None if state.oldest is None else max(0, round((now - state.oldest).total_seconds())),
            "breaker": state.breaker,
            "dead_letters": state.dead_letters,
        }
        for state in engine.jobs()
    }
    return {"jobs": jobs, "calls_today": usage.get("calls", 0), "tokens_today": usage.get("tokens", 0)}
