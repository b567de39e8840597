"""Workflow observations and what they say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memory.scopes import collapsed
from memory.sessions import workflow
from memory.sessions.workflow import Health, Observation, Window
from memory_server.recallnest import shown
from memory_server.recallnest.call import Answer, Call
from memory_server.recallnest.wire import requests


async def observe(call: Call[requests.Observe]) -> Answer:
    """Keep one observation."""
    body = call.body
    made = await call.engine.observations.record(
        Observation(
            id="",
            workflow_id=body.workflowId,
            outcome=body.outcome,
            summary=body.summary,
            scope=collapsed(body.scope) if body.scope is not None else workflow.GLOBAL,
            source=body.source,
            recorded_at=body.recordedAt or call.engine.clock.now(),
            signal=body.signal,
            task=body.task,
            tags=tuple(body.tags),
            tools=tuple(body.tools),
            idempotency_key=body.idempotencyKey,
        )
    )
    answer: dict[str, Any] = {
        "observationId": made.id,
        "workflowId": made.workflow_id,
        "outcome": made.outcome,
        "summary": made.summary,
        "scope": made.scope,
        "resolvedScope": made.scope,
        "source": made.source,
        "tags": list(made.tags),
        "tools": list(made.tools),
        "recordedAt": shown.iso(made.recorded_at),
    }
    optional = {"signal": made.signal, "task": made.task, "idempotencyKey": made.idempotency_key}
    return answer | {name: value for name, value in optional.items() if value is not None}


async def health(call: Call[requests.WorkflowHealthQuery]) -> Answer:
    """How one workflow is doing, or which ones are not doing well."""
    body = call.body
    now = call.engine.clock.now()
    if body.workflowId is not None:
        observations, latest = await call.engine.observations.of(body.workflowId, body.scope)
        return _health(workflow.health(body.workflowId, body.scope, observations, latest, now))
    rows = [
        workflow.health(workflow_id, scope, observations, latest, now)
        for workflow_id, scope, observations, latest in await call.engine.observations.courses(body.scope)
    ]
    return {"dashboard": [_row(one) for one in workflow.degraded_first(rows)[: body.limit]]}


async def evidence(call: Call[requests.WorkflowEvidenceQuery]) -> Answer:
    """What went wrong with one workflow lately, and what may be done about it."""
    body = call.body
    now = call.engine.clock.now()
    observations, latest = await call.engine.observations.of(body.workflowId, body.scope)
    found = workflow.evidence(
        workflow.health(body.workflowId, body.scope, observations, latest, now), observations, body.limit, now
    )
    answer: dict[str, Any] = {"workflowId": body.workflowId}
    if body.scope is not None:
        answer["scope"] = body.scope
    answer |= {
        "generatedAt": shown.iso(now),
        "summary": found.summary,
        "topSignals": _signals(found.health.month.signals),
        "recentIssues": [_issue(one) for one in found.issues],
        "suggestions": list(found.suggestions),
        "health": _health(found.health),
    }
    return answer


def _health(one: Health) -> dict[str, Any]:
    answer: dict[str, Any] = {"workflowId": one.workflow_id}
    if one.scope is not None:
        answer["scope"] = one.scope
    answer |= {"status": one.status, "summary": one.summary}
    if one.latest_at is not None:
        answer["latestObservationAt"] = shown.iso(one.latest_at)
    answer["windows"] = [_window(window) for window in one.windows]
    return answer


def _window(window: Window) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "days": window.days,
        "total": window.total,
        "successes": window.successes,
        "failures": window.outcomes[workflow.FAILURE],
        "corrected": window.outcomes[workflow.CORRECTED],
        "missed": window.outcomes[workflow.MISSED],
        "issueCount": window.issues,
        "successRate": round(window.success_rate, 4),
        "issueRate": round(window.issue_rate, 4),
    }
    if window.latest_at is not None:
        answer["latestAt"] = shown.iso(window.latest_at)
    answer["topSignals"] = _signals(window.signals)
    return answer


def _row(one: Health) -> dict[str, Any]:
    assert one.latest_at is not None
    return {
        "workflowId": one.workflow_id,
        "scope": one.scope,
        "status": one.status,
        "total": one.month.total,
        "issueCount": one.month.issues,
        "successRate": round(one.month.success_rate, 4),
        "latestObservationAt": shown.iso(one.latest_at),
        "summary": one.summary,
    }


def _signals(signals: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
    return [{"signal": signal, "count": count} for signal, count in signals]


def _issue(one: Observation) -> dict[str, Any]:
    answer: dict[str, Any] = {"observationId": one.id, "outcome": one.outcome, "summary": one.summary}
    if one.signal is not None:
        answer["signal"] = one.signal
    answer["recordedAt"] = shown.iso(one.recorded_at)
    if one.task is not None:
        answer["task"] = one.task
    return answer
