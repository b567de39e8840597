"""Every published method and path of the dialect, and the one that we add."""

from __future__ import annotations

from typing import Any

PUBLISHED = frozenset({
    ("GET", "/v1/health"),
    ("POST", "/v1/recall"),
    ("POST", "/v1/auto-recall"),
    ("POST", "/v1/store"),
    ("POST", "/v1/capture"),
    ("POST", "/v1/pattern"),
    ("POST", "/v1/case"),
    ("POST", "/v1/promote"),
    ("GET", "/v1/conflicts"),
    ("POST", "/v1/conflicts/resolve"),
    ("GET", "/v1/conflicts/audit"),
    ("POST", "/v1/conflicts/escalate"),
    ("POST", "/v1/checkpoint"),
    ("POST", "/v1/resume"),
    ("GET", "/v1/checkpoint/latest"),
    ("POST", "/v1/workflow-observe"),
    ("GET", "/v1/workflow-health"),
    ("GET", "/v1/workflow-evidence"),
    ("POST", "/v1/search"),
    ("GET", "/v1/stats"),
    ("POST", "/v1/consolidate"),
    ("GET", "/v1/gaps"),
})  # fmt: skip
OURS = frozenset({("GET", "/v1/memories/{memoryId}")})

# The published request tables: field → (required, default). A field without a default has None.
REQUESTS: dict[str, dict[str, tuple[bool, Any]]] = {
    "/v1/recall": {
        "query": (True, None), "scope": (False, None), "sessionId": (False, None), "allScopes": (False, False),
        "limit": (False, 5), "minScore": (False, 0), "category": (False, None), "profile": (False, None),
    },
    "/v1/auto-recall": {
        "message": (True, None), "task": (False, None), "scope": (False, None), "sessionId": (False, None),
        "allScopes": (False, False), "limit": (False, 5), "limitPerSection": (False, 3),
        "includeLatestCheckpoint": (False, True), "category": (False, None), "profile": (False, None),
    },
    "/v1/store": {
        "text": (True, None), "category": (False, "events"), "source": (False, "manual"), "scope": (True, None),
        "importance": (False, 0.7), "tags": (False, []), "canonicalKey": (False, None),
    },
    "/v1/capture": {
        "scope": (False, None), "source": (False, "agent"), "defaultImportance": (False, 0.7),
        "memories": (True, None),
    },
    "/v1/pattern": {
        "title": (True, None), "trigger": (True, None), "steps": (False, []), "outcome": (False, None),
        "tools": (False, []), "importance": (False, 0.82), "scope": (True, None), "source": (False, "agent"),
        "tags": (False, []), "canonicalKey": (False, None),
    },
    "/v1/case": {
        "title": (True, None), "problem": (True, None), "context": (False, None), "solutionSteps": (False, []),
        "outcome": (False, None), "tools": (False, []), "importance": (False, 0.84), "scope": (True, None),
        "source": (False, "agent"), "tags": (False, []), "canonicalKey": (False, None),
    },
    "/v1/promote": {
        "memoryId": (True, None), "text": (False, None), "category": (False, None), "importance": (False, 0.78),
        "scope": (True, None), "source": (False, "agent"), "tags": (False, []), "canonicalKey": (False, None),
    },
    "/v1/conflicts/resolve": {
        "conflictId": (True, None), "resolution": (True, None), "mergedText": (False, None), "notes": (False, None),
    },
    "/v1/conflicts/escalate": {
        "attention": (False, "stale"), "canonicalKey": (False, None), "limit": (False, 100), "top": (False, 10),
        "apply": (False, False), "notes": (False, None),
    },
    "/v1/checkpoint": {
        "sessionId": (True, None), "scope": (False, None), "summary": (True, None), "task": (False, None),
        "decisions": (False, []), "openLoops": (False, []), "nextActions": (False, []), "entities": (False, []),
        "files": (False, []), "updatedAt": (False, None),
    },
    "/v1/resume": {
        "task": (False, None), "scope": (False, None), "sessionId": (False, None), "limitPerSection": (False, 3),
        "includeLatestCheckpoint": (False, True), "profile": (False, None),
    },
    "/v1/workflow-observe": {
        "workflowId": (True, None), "outcome": (False, "success"), "summary": (True, None), "scope": (False, None),
        "source": (False, "manual"), "signal": (False, None), "task": (False, None), "tags": (False, []),
        "tools": (False, []), "recordedAt": (False, None),
    },
    "/v1/search": {
        "query": (True, None), "limit": (False, 5), "category": (False, None), "profile": (False, None),
        "scope": (False, None), "minScore": (False, 0),
    },
}  # fmt: skip

# Published query parameters: name → default.
QUERIES: dict[str, dict[str, Any]] = {
    "/v1/conflicts": {
        "status": None, "attention": None, "groupBy": None, "canonicalKey": None, "limit": 20, "conflictId": None,
    },
    "/v1/conflicts/audit": {"status": None, "canonicalKey": None, "limit": 100, "top": 5},
    "/v1/checkpoint/latest": {"sessionId": None, "scope": None},
    "/v1/workflow-health": {"workflowId": None, "scope": None, "limit": 10},
    "/v1/workflow-evidence": {"workflowId": None, "scope": None, "limit": 5},
}  # fmt: skip
