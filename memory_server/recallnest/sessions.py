"""Checkpoints, and what a new window starts from."""

from __future__ import annotations

from typing import Any

from memory.recall.profiles import Profile, profile_of
from memory.scoped import shown_id
from memory.scopes import collapsed
from memory.sessions import resume as starts
from memory.sessions import workflow
from memory.sessions.checkpoint import Checkpoint, resolve_scope
from memory.sessions.resume import Place, Start, Window
from memory.sessions.save import CHECKPOINTS, Saved, save
from memory.sessions.unforgotten import unforgotten
from memory.sessions.workflow import CORRECTED, MANAGED, SANITIZED, SUCCESS, Observation
from memory_server.recallnest import shown
from memory_server.recallnest.call import Answer, Call, one_scope, with_unread
from memory_server.recallnest.wire import requests

_FIELDS = {"open_loops": "openLoops", "next_actions": "nextActions"}


async def checkpoint(call: Call[requests.Checkpoint]) -> Answer:
    """Save where work stands, without what is only true of the repository right now."""
    body = call.body
    scope = collapsed(body.scope) if body.scope is not None else f"session:{body.sessionId}"
    one_scope(scope)
    wanted = Checkpoint(
        id="",
        session_id=body.sessionId,
        scope=scope,
        resolved_scope=resolve_scope(scope),
        summary=body.summary,
        updated_at=body.updatedAt or call.engine.clock.now(),
        task=body.task,
        decisions=tuple(body.decisions),
        open_loops=tuple(body.openLoops),
        next_actions=tuple(body.nextActions),
        entities=tuple(body.entities),
        files=tuple(body.files),
        idempotency_key=body.idempotencyKey,
    )
    async with call.engine.spaces.use(CHECKPOINTS, create=True) as space:
        saved = await save(space, wanted)
    await call.engine.observations.note(_saved(call, saved))
    return shown_checkpoint(saved.checkpoint)


def _saved(call: Call[Any], saved: Saved) -> Observation:
    kept = saved.checkpoint
    clean = not saved.cleaned
    fields = ", ".join(_FIELDS.get(name, name) for name in saved.cleaned)
    return Observation(
        id="",
        workflow_id=workflow.CHECKPOINT,
        outcome=SUCCESS if clean else CORRECTED,
        summary="Checkpoint saved." if clean else f"Repo-state text was removed from {fields}.",
        scope=kept.resolved_scope,
        source=MANAGED,
        recorded_at=call.engine.clock.now(),
        signal="checkpoint-saved" if clean else SANITIZED,
        tags=("continuity", "managed", "handoff-saved" if clean else "sanitized"),
        tools=(workflow.CHECKPOINT,),
    )


async def latest(call: Call[requests.LatestQuery]) -> Answer:
    """The latest checkpoint of a session, a scope, both, or at all."""
    body = call.body
    found = None
    if call.engine.spaces.exists(CHECKPOINTS):
        async with call.engine.spaces.use(CHECKPOINTS) as space:
            found = space.views.checkpoints.latest(
                session_id=body.sessionId, scope=resolve_scope(body.scope) if body.scope is not None else None
            )
    found = await unforgotten(found, call.engine.scoped)
    return {"checkpoint": shown_checkpoint(found) if found is not None else None}


def shown_checkpoint(one: Checkpoint) -> dict[str, Any]:
    answer: dict[str, Any] = {"sessionId": one.session_id, "scope": one.scope, "summary": one.summary}
    if one.task is not None:
        answer["task"] = one.task
    answer |= {
        "decisions": list(one.decisions),
        "openLoops": list(one.open_loops),
        "nextActions": list(one.next_actions),
        "entities": list(one.entities),
        "files": list(one.files),
    }
    if one.idempotency_key is not None:
        answer["idempotencyKey"] = one.idempotency_key
    answer |= {
        "updatedAt": shown.iso(one.updated_at),
        "checkpointId": shown_id(one.id),
        "resolvedScope": one.resolved_scope,
    }
    return answer


async def resume(call: Call[requests.Resume]) -> Answer:
    """What a new window starts from."""
    body = call.body
    profile = profile_of(body.profile)
    window = Window(
        task=body.task,
        scope=body.scope or (call.default_scope if body.sessionId is None else None),
        session_id=body.sessionId,
        limit=body.limitPerSection,
        with_checkpoint=body.includeLatestCheckpoint,
    )
    _, start = await compose(call, window, profile)
    await observe_start(call, window, start, workflow.RESUME)
    return {**resume_part(start), "profile": profile.name}


async def compose(call: Call[Any], window: Window, profile: Profile) -> tuple[Place, Start]:
    """Where a window goes on, and what it is told."""
    engine = call.engine
    if engine.spaces.exists(CHECKPOINTS):
        async with engine.spaces.use(CHECKPOINTS) as space:
            place = await starts.find_place(window, space.views.checkpoints, engine.scoped)
    else:
        place = await starts.find_place(window, None, engine.scoped)
    start = await starts.start(
        window,
        place,
        engine.scoped,
        profile=profile,
        clock=engine.clock,
        names_of=call.names_of,
        embedder=engine.embedder,
        wait=engine.settings.query_vector_wait,
    )
    return place, start


def resume_part(start: Start) -> dict[str, Any]:
    answer: dict[str, Any] = {"summary": start.summary}
    if start.resolved_scope is not None:
        answer["resolvedScope"] = start.resolved_scope
    answer |= {
        "stableContext": list(start.stable),
        "relevantPatterns": list(start.patterns),
        "recentCases": list(start.cases),
    }
    one = start.checkpoint
    if one is not None:
        answer["latestCheckpoint"] = {
            "sessionId": one.session_id,
            "resolvedScope": one.resolved_scope,
            "summary": one.summary,
            "updatedAt": shown.iso(one.updated_at),
        }
        if one.open_loops or one.next_actions:
            answer["essentialContext"] = {
                "openLoops": list(one.open_loops), "nextActions": list(one.next_actions),
            }  # fmt: skip
    answer |= {"generatedAt": shown.iso(start.generated_at), "ephemeral": True}
    return with_unread(answer, start.unread)


async def observe_start(
    call: Call[Any], window: Window, start: Start, workflow_id: str, *, results: int | None = None
) -> None:
    """Note that a window was told what it starts from."""
    told = (
        f"Resolved {len(start.stable)} stable context item(s), {len(start.patterns)} pattern(s), "
        f"{len(start.cases)} case(s)"
    )
    session = f"session:{window.session_id}" if window.session_id is not None else None
    await call.engine.observations.note(
        Observation(
            id="",
            workflow_id=workflow_id,
            outcome=SUCCESS,
            summary=f"{told}." if results is None else f"{told} and {results} result(s).",
            scope=window.scope or session or start.resolved_scope or workflow.GLOBAL,
            source=MANAGED,
            recorded_at=call.engine.clock.now(),
            signal="managed-resume-resolved",
            tags=("continuity", MANAGED),
            tools=(workflow.RESUME,),
        )
    )
