"""Every operation that is promised, written down once more by hand."""

from __future__ import annotations

# method, path without its prefix
FROZEN = (
    ("POST", "/scopes"),
    ("GET", "/scopes"),
    ("DELETE", "/scopes/:id"),
    ("POST", "/scopes/:id/active"),
    ("GET", "/state"),
    ("POST", "/memory/events"),
    ("POST", "/memory/retrieve"),
    ("POST", "/memory/answer"),
    ("POST", "/memory/digest"),
    ("GET", "/memory/digests/:digestId/selection"),
    ("POST", "/memory/runtime/turn"),
    ("GET", "/memory/facts"),
    ("GET", "/memory/facts/:factId/provenance"),
    ("POST", "/memory/facts/forget"),
    ("GET", "/facet-pack"),
    ("POST", "/memory/notes"),
    ("POST", "/memory/handoff"),
    ("GET", "/memory/relationship-context/:scopeId"),
    ("POST", "/reminders"),
    ("GET", "/reminders"),
    ("POST", "/reminders/:id/cancel"),
    ("GET", "/health"),
)

# Served without the prefix at most.
NEVER_PREFIXED = (
    ("GET", "/memory/working-state"),
    ("GET", "/memory/stable-state"),
    ("GET", "/memory/fast-view"),
    ("GET", "/memory/layer-status"),
    ("GET", "/memory/state"),
    ("GET", "/memory/state/history"),
    ("POST", "/memory/check-contradiction"),
    ("POST", "/memory/embed/backfill"),
    ("POST", "/memory/digest/rebuild"),
    ("GET", "/memory/digests"),
    ("GET", "/memory/events"),
    ("PATCH", "/scopes/x/webhook"),
    ("GET", "/metrics/digest/x"),
    ("GET", "/diagnostics/queues"),
    ("GET", "/diagnostics/mcp-usage"),
    ("POST", "/demo/agent-scenarios/x/run"),
)

# Paths under the prefix that belong to another contract: what agents' memories are reached by.
OF_ANOTHER_CONTRACT = frozenset({
    "/v1/stats", "/v1/recall", "/v1/search", "/v1/auto-recall", "/v1/store", "/v1/capture", "/v1/pattern", "/v1/case",
    "/v1/promote", "/v1/memories/{memoryId}", "/v1/conflicts", "/v1/conflicts/resolve", "/v1/conflicts/audit",
    "/v1/conflicts/escalate", "/v1/checkpoint", "/v1/checkpoint/latest", "/v1/resume", "/v1/workflow-observe",
    "/v1/workflow-health", "/v1/workflow-evidence", "/v1/consolidate", "/v1/gaps",
})  # fmt: skip
