"""Operations for operators and inspectors: served without the prefix alone, and free to change."""

from __future__ import annotations

from memory_server.statecore import digests, layers, operations
from memory_server.statecore.call import Handler
from memory_server.statecore.frozen import Operation
from memory_server.statecore.wire import replies, requests


def _get(path: str, handler: Handler) -> Operation:
    return Operation(method="GET", path=path, handler=handler, reply=replies.Open)


def _post(
    path: str, handler: Handler, reads: type[requests.Body], *, needs_model: str | None = None
) -> Operation:
    return Operation(
        method="POST", path=path, handler=handler, reply=replies.Open, reads=reads, needs_model=needs_model
    )


_OPERATIONS = (
    _get("/memory/events", operations.events),
    _post("/memory/check-contradiction", operations.check_contradiction, requests.Claim),
    _post("/memory/embed/backfill", operations.backfill, requests.OneScope),
    Operation(
        method="PATCH",
        path="/scopes/:id/webhook",
        handler=operations.webhook,
        reply=replies.Done,
        reads=requests.Webhook,
    ),
    _get("/metrics/digest/:scopeId", operations.metrics),
    _get("/diagnostics/queues", operations.queues),
    _get("/diagnostics/mcp-usage", operations.tool_usage),
)

_LAYERS = (
    _get("/memory/working-state", layers.working_state),
    _get("/memory/stable-state", layers.stable_state),
    _get("/memory/fast-view", layers.fast_view),
    _get("/memory/layer-status", layers.layer_status),
)

_REBUILD_TAIL = ". Enable FEATURE_LLM=true and configure MODEL_* or OPENAI_* to run digest rebuild."
_DIGESTS = (
    _get("/memory/digests", digests.digests),
    _get("/memory/state", digests.state),
    _get("/memory/state/history", digests.history),
    _post("/memory/digest/rebuild", digests.rebuild, requests.Rebuild, needs_model=_REBUILD_TAIL),
)

INTERNAL: tuple[Operation, ...] = (*_OPERATIONS, *_LAYERS, *_DIGESTS)
