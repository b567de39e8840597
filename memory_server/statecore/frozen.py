"""The operations that are promised not to change: the one table that routes, the document and the tests go by.

Only add, only optional. ``VERSION`` tells which state of the promise this is: one up in the middle with
everything that is added, one up at the end where only words change, and never one up at the front.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memory_server.statecore import audit, digests, memory, reminders, runtime, scopes
from memory_server.statecore.call import Handler
from memory_server.statecore.wire import replies, requests

VERSION = "1.8.0"
PREFIX = "/v1"

_DIGEST_TAIL = ". Enable FEATURE_LLM=true and configure MODEL_* or OPENAI_* to run digest."


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One value in the query."""

    name: str
    required: bool = False
    format: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path, served with and without the prefix."""

    method: str
    path: str                                       # without the prefix; ``:name`` is a parameter
    handler: Handler | None                         # None: health, which answers for every dialect at once
    reply: type[replies.Open]
    reads: type[requests.Body] | None = None
    query: tuple[Parameter, ...] = ()
    needs_model: str | None = None                  # what the refusal ends with; None: works without one
    keyed: bool = False                             # an Idempotency-Key is heeded

    @property
    def status(self) -> int:
        return 201 if self.method == "POST" else 200


_SCOPE = (Parameter(name="scopeId", required=True, format="uuid"),)
_PAGE = (Parameter(name="status"), Parameter(name="limit"), Parameter(name="cursor"))


def _get(path: str, handler: Handler | None, reply: type[replies.Open], *query: Parameter) -> Operation:
    return Operation(method="GET", path=path, handler=handler, reply=reply, query=query)


def _post(
    path: str,
    handler: Handler,
    reply: type[replies.Open],
    reads: type[requests.Body] | None = None,
    *,
    needs_model: str | None = None,
    keyed: bool = False,
) -> Operation:
    return Operation(
        method="POST", path=path, handler=handler, reply=reply, reads=reads, needs_model=needs_model, keyed=keyed
    )


OPERATIONS: tuple[Operation, ...] = (
    _post("/scopes", scopes.create, replies.Scope, requests.NewScope),
    _get("/scopes", scopes.list_, replies.Scopes),
    Operation(method="DELETE", path="/scopes/:id", handler=scopes.delete, reply=replies.Done),
    _post("/scopes/:id/active", scopes.activate, replies.Active),
    _get("/state", scopes.state, replies.Active),
    _post("/memory/events", memory.add, replies.Event, requests.NewEvent, keyed=True),
    _post("/memory/retrieve", memory.find, replies.Retrieved, requests.Retrieve),
    _post("/memory/answer", runtime.answer, replies.Answer, requests.Ask, needs_model=""),
    _post("/memory/digest", digests.digest, replies.Job, requests.OneScope, needs_model=_DIGEST_TAIL),
    _get("/memory/digests/:digestId/selection", audit.selection, replies.Selection),
    _post("/memory/runtime/turn", runtime.turn, replies.TurnDone, requests.Turn, needs_model="", keyed=True),
    _get("/memory/facts", audit.facts, replies.Facts, *_SCOPE),
    _get("/memory/facts/:factId/provenance", audit.provenance, replies.Provenance, *_SCOPE),
    _post("/memory/facts/forget", audit.forget, replies.Noted, requests.Forget),
    _get("/facet-pack", audit.facet_pack, replies.FacetPack, Parameter(name="scopeId", format="uuid")),
    _post("/memory/notes", memory.note, replies.Noted, requests.Note, keyed=True),
    _post("/memory/handoff", memory.hand_over, replies.HandedOver, requests.HandOver, keyed=True),
    _get("/memory/relationship-context/:scopeId", audit.relationship_context, replies.RelationshipContext),
    _post("/reminders", reminders.create, replies.Reminder, requests.NewReminder),
    _get("/reminders", reminders.list_, replies.Reminders, *_PAGE),
    _post("/reminders/:id/cancel", reminders.cancel, replies.Done),
    _get("/health", None, replies.Health),
)

# The routes by who should depend on them; with the internal ones, together they are all that is served.
PublicRuntimeRoutes: Mapping[str, str] = {
    "health": "GET /health",
    "createScope": "POST /scopes",
    "listScopes": "GET /scopes",
    "activateScope": "POST /scopes/:id/active",
    "deleteScope": "DELETE /scopes/:id",
    "state": "GET /state",
    "facts": "GET /memory/facts",
    "provenance": "GET /memory/facts/:factId/provenance",
    "forgetFact": "POST /memory/facts/forget",
    "notes": "POST /memory/notes",
    "handoff": "POST /memory/handoff",
    "selection": "GET /memory/digests/:digestId/selection",
    "facetPack": "GET /facet-pack",
    "relationshipContext": "GET /memory/relationship-context/:scopeId",
    "runtimeTurn": "POST /memory/runtime/turn",
    "workingState": "GET /memory/working-state",
    "stableState": "GET /memory/stable-state",
    "fastView": "GET /memory/fast-view",
    "layerStatus": "GET /memory/layer-status",
}
DebugSurfaceRoutes: Mapping[str, str] = {
    "queues": "GET /diagnostics/queues",
    "mcpUsage": "GET /diagnostics/mcp-usage",
    "retrieve": "POST /memory/retrieve",
    "answer": "POST /memory/answer",
    "listEvents": "GET /memory/events",
    "digests": "GET /memory/digests",
    "digestState": "GET /memory/state",
    "digestStateHistory": "GET /memory/state/history",
    "createReminder": "POST /reminders",
    "listReminders": "GET /reminders",
    "cancelReminder": "POST /reminders/:id/cancel",
}
InternalControlRoutes: Mapping[str, str] = {
    "events": "POST /memory/events",
    "digest": "POST /memory/digest",
    "rebuild": "POST /memory/digest/rebuild",
    "checkContradiction": "POST /memory/check-contradiction",
    "backfill": "POST /memory/embed/backfill",
    "webhook": "PATCH /scopes/:id/webhook",
    "digestMetrics": "GET /metrics/digest/:scopeId",
}
