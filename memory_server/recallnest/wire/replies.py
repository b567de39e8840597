"""What is answered about memories, questions and conflicts.

Fields without a default are always there; those with one may be absent.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memory_server.recallnest.wire.requests import Attention, Category, Status

Disposition = Literal["stored", "updated", "deduped", "conflict"]
Unread = Annotated[list[str] | None, Field(description="Scopes that could not be opened and are left out.")]


class Reply(BaseModel):
    """Anything that is answered."""

    model_config = ConfigDict(extra="forbid")


class Error(Reply):
    """What went wrong, in a sentence"""

    error: str


class Health(BaseModel):
    """GET /v1/health"""

    model_config = ConfigDict(extra="allow")

    status: Literal["ok"]
    version: str
    totalMemories: int
    timestamp: str


class Stats(Reply):
    """GET /v1/stats"""

    totalMemories: int
    byScope: dict[str, int]
    byCategory: dict[str, int]
    earlierVersions: int
    unreadScopes: Unread = None


class Boundary(Reply):
    layer: Literal["canonical", "durable", "session", "evidence"]
    authority: str
    conflictPolicy: Literal["latest-wins", "append-only", "manual-review"]
    originalCategory: str | None = None
    downgradedFrom: str | None = None


class Provenance(Reply):
    memoryId: str
    scope: str | None = None
    category: str | None = None
    source: str | None = None
    boundary: Boundary | None = None
    observedAt: str | None = None


class Leg(Reply):
    score: float
    rank: int | None = None


class Sources(Reply):
    vector: Leg | None = None
    bm25: Leg | None = None
    fused: Leg | None = None


class Memory(Reply):
    """A memory as it stands"""

    id: str
    text: str
    category: str
    tier: Literal["core", "working", "peripheral"]
    source: str
    scope: str
    importance: float
    timestamp: int = Field(description="Milliseconds since 1970.")
    date: str
    metadata: dict[str, Any]
    boundary: Boundary | None
    canonicalKey: str | None
    promotedFrom: Provenance | None
    provenanceHistory: list[Provenance]
    provenanceHistoryCount: int


class Result(Memory):
    """A memory that answers"""

    score: float = Field(ge=0, le=1)
    sources: Sources


class NearScope(Reply):
    scope: str
    memories: int


class Hint(Reply):
    """Nothing was found and the scope holds nothing: scopes that are called nearly like it"""

    message: str
    scopes: list[NearScope]


class Recalled(Reply):
    """POST /v1/recall"""

    results: list[Result]
    query: str
    profile: str
    totalMemories: int
    hint: Hint | None = None
    unreadScopes: Unread = None


class Searched(Reply):
    """POST /v1/search"""

    results: list[Result]
    query: str
    profile: str
    count: int
    hint: Hint | None = None
    unreadScopes: Unread = None


class Stored(Reply):
    """POST /v1/store"""

    id: str
    stored: bool
    disposition: Disposition
    storedAt: str
    category: Category
    scope: str
    canonicalKey: str
    conflictId: str | None = None


class Captured(Reply):
    id: str
    text: str
    category: Category
    scope: str
    source: str
    storedAt: str
    disposition: Disposition
    canonicalKey: str
    conflictId: str | None = None


class CaptureDone(Reply):
    """POST /v1/capture; ``stored`` counts what is kept, conflicts aside"""

    stored: int
    conflicts: int
    memories: list[Captured]


class Structured(Reply):
    """POST /v1/pattern and POST /v1/case"""

    id: str
    stored: bool
    disposition: Disposition
    category: Category
    title: str
    scope: str
    tags: list[str]
    storedAt: str
    canonicalKey: str
    conflictId: str | None = None


class Promoted(Reply):
    """POST /v1/promote"""

    id: str
    stored: bool
    disposition: Literal["promoted", "deduped", "conflict"]
    category: Category
    scope: str
    sourceMemoryId: str
    sourceCategory: str
    storedAt: str
    canonicalKey: str
    conflictId: str | None = None


class VersionShown(Reply):
    """What a memory said before, or a memory merged into it"""

    id: str
    text: str
    category: str
    importance: float
    status: Literal["superseded", "consolidated"]
    version: int
    timestamp: int
    endedAt: str


class MemoryShown(Reply):
    """GET /v1/memories/{memoryId}"""

    memory: Memory
    history: list[VersionShown]


# conflicts


class Lifecycle(Reply):
    attention: Attention
    openAgeDays: int
    reopenCount: int
    isOpen: bool
    needsAttention: bool


class Advice(Reply):
    suggestedResolution: Literal["accept_incoming", "keep_existing", "manual_review"]
    confidence: Literal["high", "medium", "low"]
    similarity: float
    clusterKey: str
    clusterLabel: str
    reasons: list[str]
    mergeSuggestion: str | None = None


class Existing(Reply):
    memoryId: str
    text: str
    category: str
    scope: str
    importance: float
    metadata: str = Field(description="JSON in a string.")
    boundary: Boundary | None
    canonicalKey: str | None


class Incoming(Reply):
    text: str
    category: str
    scope: str
    importance: float
    metadata: str = Field(description="JSON in a string.")
    source: str
    sourceMemoryId: str | None = None
    sourceCategory: str | None = None
    sourceBoundary: Boundary | None = None


class Conflict(Reply):
    conflictId: str
    status: Status
    reason: str
    canonicalKey: str
    category: str
    scope: str
    fingerprint: str
    createdAt: str
    updatedAt: str
    reopenCount: int
    escalationCount: int
    lastReopenedAt: str | None = None
    lastEscalatedAt: str | None = None
    lastEscalationAttention: Attention | None = None
    resolvedAt: str | None = None
    resolutionNotes: str | None = None
    existing: Existing
    incoming: Incoming
    lifecycle: Lifecycle
    advice: Advice


class ClusterShown(Reply):
    clusterKey: str
    clusterLabel: str
    canonicalKey: str
    category: str
    reason: str
    scope: str
    totalCount: int
    openCount: int
    latestUpdatedAt: str
    latestConflictId: str
    attention: Attention
    attentionCounts: dict[str, int]
    suggestedResolution: str
    confidence: str


class ConflictRecords(Reply):
    groupBy: Literal["record"]
    conflicts: list[Conflict]
    count: int
    unreadScopes: Unread = None


class ConflictClusters(Reply):
    groupBy: Literal["cluster"]
    clusters: list[ClusterShown]
    count: int
    unreadScopes: Unread = None


class OneConflict(Reply):
    conflict: Conflict | None
    unreadScopes: Unread = None


class ResolveDone(Reply):
    """POST /v1/conflicts/resolve"""

    conflictId: str
    status: Literal["accepted-incoming", "kept-existing", "merged"]
    updatedAt: str
    resolvedAt: str
    updatedMemoryId: str | None = None


class AuditDone(Reply):
    """GET /v1/conflicts/audit"""

    totalConflicts: int
    totalClusters: int
    openConflicts: int
    openClusters: int
    attentionCounts: dict[str, int]
    priorityClusters: list[ClusterShown]
    suggestedActions: list[str]
    unreadScopes: Unread = None


class EscalationItem(Reply):
    conflictId: str
    canonicalKey: str
    attention: Attention
    openAgeDays: int
    reopenCount: int
    escalationCount: int
    suggestedResolution: str
    confidence: str
    action: Literal["pending", "escalated", "already-escalated"]
    clusterKey: str


class EscalateDone(Reply):
    """POST /v1/conflicts/escalate"""

    apply: bool
    scanned: int
    eligible: int
    escalated: int
    skipped: int
    items: list[EscalationItem]
    escalatedNotRequested: int = Field(description="Escalated conflicts left out: only stale ones were asked for.")
    unreadScopes: Unread = None
