"""The paths of this dialect. One table: what is served, what is read, and what the OpenAPI document says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from memory_server.openapi import Operation, document
from memory_server.recallnest import conflicts, memories, recall, sessions, upkeep, workflow
from memory_server.recallnest.call import Call, Handler
from memory_server.recallnest.errors import rendered
from memory_server.recallnest.wire import progress, replies, requests
from memory_server.recallnest.wire.fields import Request as Model
from memory_server.recallnest.wire.fields import read_body, read_query
from memory_server.replies import reply
from memory_server.service import Service, engine_of, service_of
from memory_server.version import VERSION

DOCUMENT = "/openapi/recallnest.json"

_DESCRIPTION = (
    "Durable memories, conflicts, checkpoints and workflow observations of agents, by scope. "
    "Every error is an object with the key error and a sentence."
)
_BAD, _BROKEN, _CLOSED = "The request is wrong; the sentence says all of it.", "A fault.", "Not available now."
_AT_THE_DOOR = {403: "Not from this machine.", 413: "The body is too large.", 415: "The body is not JSON."}

_LABELS = frozenset({"manual", "agent", "api", "session_distill", "conversation_import"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One method of one path."""

    method: str
    path: str
    handler: Handler
    tag: str
    reads: type[Model]              # the body of a POST, the query of a GET
    reply: Any                      # a model, or a union of models
    status: int = 200


def _get(path: str, handler: Handler, tag: str, reads: type[Model], answer: Any) -> Endpoint:
    return Endpoint(method="GET", path=path, handler=handler, tag=tag, reads=reads, reply=answer)


def _post(path: str, handler: Handler, tag: str, reads: type[Model], answer: Any, status: int = 200) -> Endpoint:
    return Endpoint(method="POST", path=path, handler=handler, tag=tag, reads=reads, reply=answer, status=status)


_ONE_OR_MORE = replies.ConflictRecords | replies.ConflictClusters | replies.OneConflict
_ONE_OR_ALL = progress.WorkflowHealth | progress.Dashboard

ENDPOINTS: tuple[Endpoint, ...] = (
    _get("/v1/health", recall.health, "health", requests.Nothing, replies.Health),
    _get("/v1/stats", recall.stats, "health", requests.Nothing, replies.Stats),
    _post("/v1/recall", recall.recall, "recall", requests.Recall, replies.Recalled),
    _post("/v1/search", recall.search, "recall", requests.Recall, replies.Searched),
    _post("/v1/auto-recall", recall.auto_recall, "recall", requests.AutoRecall, progress.AutoRecalled),
    _post("/v1/store", memories.store, "memories", requests.Store, replies.Stored, 201),
    _post("/v1/capture", memories.capture, "memories", requests.Capture, replies.CaptureDone, 201),
    _post("/v1/pattern", memories.pattern, "memories", requests.Pattern, replies.Structured, 201),
    _post("/v1/case", memories.case, "memories", requests.Case, replies.Structured, 201),
    _post("/v1/promote", memories.promote, "memories", requests.Promote, replies.Promoted, 201),
    _get("/v1/memories/{memoryId}", memories.look, "memories", requests.OneMemory, replies.MemoryShown),
    _get("/v1/conflicts", conflicts.list_, "conflicts", requests.ConflictsQuery, _ONE_OR_MORE),
    _post("/v1/conflicts/resolve", conflicts.resolve, "conflicts", requests.Resolve, replies.ResolveDone),
    _get("/v1/conflicts/audit", conflicts.audit, "conflicts", requests.AuditQuery, replies.AuditDone),
    _post("/v1/conflicts/escalate", conflicts.escalate, "conflicts", requests.Escalate, replies.EscalateDone),
    _post("/v1/checkpoint", sessions.checkpoint, "sessions", requests.Checkpoint, progress.CheckpointShown, 201),
    _get("/v1/checkpoint/latest", sessions.latest, "sessions", requests.LatestQuery, progress.LatestDone),
    _post("/v1/resume", sessions.resume, "sessions", requests.Resume, progress.Resumed),
    _post("/v1/workflow-observe", workflow.observe, "workflows", requests.Observe, progress.Observed, 201),
    _get("/v1/workflow-health", workflow.health, "workflows", requests.WorkflowHealthQuery, _ONE_OR_ALL),
    _get(
        "/v1/workflow-evidence", workflow.evidence, "workflows", requests.WorkflowEvidenceQuery,
        progress.WorkflowEvidence,
    ),
    _post("/v1/consolidate", upkeep.consolidate, "upkeep", requests.Consolidate, progress.ConsolidateDone),
    _get("/v1/gaps", upkeep.find_gaps, "upkeep", requests.GapsQuery, progress.GapsDone),
)  # fmt: skip


def routes() -> list[Route]:
    """Every path of the dialect, each also with a slash at its end."""
    served = [
        Route(path, _endpoint(one), methods=[one.method]) for one in ENDPOINTS for path in (one.path, f"{one.path}/")
    ]
    return [*served, Route(DOCUMENT, _openapi, methods=["GET"])]


def _endpoint(one: Endpoint) -> Any:
    async def endpoint(request: Request) -> Response:
        try:
            return reply(await one.handler(await _call(one, request)), one.status)
        except Exception as error:  # last handler of the dialect
            return rendered(error, one.path)

    return endpoint


async def _call(one: Endpoint, request: Request) -> Call[Model]:
    service = service_of(request)
    if one.method == "POST":
        body = read_body(await request.body(), one.reads, lambda value: _prepared(value, one, service))
    else:
        body = read_query({**request.query_params, **request.path_params}, one.reads)
    return Call(engine=engine_of(request), body=body, path=one.path, default_scope=service.default_scope)


def _prepared(value: dict[str, Any], one: Endpoint, service: Service) -> dict[str, Any]:
    """The body with what this server was told to put into it."""
    if service.default_scope is not None and value.get("scope") is None and one.tag == "memories":
        value = {**value, "scope": service.default_scope}
    if service.any_source and one.tag == "memories" and one.reads is not requests.Promote:
        value = _with_known_source(value)
        if isinstance(value.get("memories"), list):
            items = [_with_known_source(item) if isinstance(item, dict) else item for item in value["memories"]]
            value = {**value, "memories": items}
    return value


def _with_known_source(value: dict[str, Any]) -> dict[str, Any]:
    """A label that nobody published counts as ``api`` and is kept beside the memory."""
    label = value.get("source")
    if not isinstance(label, str) or not label.strip() or label in _LABELS:
        return value
    return {**value, "source": "api", "sourceLabel": value.get("sourceLabel") or label}


async def _openapi(request: Request) -> Response:
    return reply(openapi())


@cache
def openapi() -> Mapping[str, Any]:
    """The document about these paths."""
    return document(
        [_operation(one) for one in ENDPOINTS],
        title="RecallNest HTTP API",
        version=VERSION,
        description=_DESCRIPTION,
        problem=replies.Error,
    )


def _operation(one: Endpoint) -> Operation:
    posts = one.method == "POST"
    problems = {400: _BAD, 500: _BROKEN, 503: _CLOSED, **(_AT_THE_DOOR if posts else {403: _AT_THE_DOOR[403]})}
    summary = (one.handler.__doc__ or one.path).strip().split("\n", 1)[0].rstrip(".")
    return Operation(
        method=one.method,
        path=one.path,
        summary=summary,
        tag=one.tag,
        status=one.status,
        reply=one.reply,
        body=one.reads if posts else None,
        query=None if posts or one.reads is requests.Nothing else one.reads,
        problems=problems,
    )
