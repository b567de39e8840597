"""What is answered. The published fields are always there unless they say "or absent"; what we add to them is optional."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memory_server.recallnest.wire.requests import Attention, Category, Outcome, Status

Disposition = Literal["stored", "updated", "deduped", "conflict"]


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


class Searched(Reply):
    """POST /v1/search"""

    results: list[Result]
    query: str
    profile: str
    count: int
    hint: Hint | None = None


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


class ConflictClusters(Reply):
    groupBy: Literal["cluster"]
    clusters: list[ClusterShown]
    count: int


class OneConflict(Reply):
    conflict: Conflict | None


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
    escalatedNotRequested: int = Field(description="Escalated conflicts left out because only stale ones were asked for.")


# sessions


class CheckpointShown(Reply):
    """A checkpoint as it was kept"""

    sessionId: str
    scope: str
    summary: str
    task: str | None = None
    decisions: list[str]
    openLoops: list[str]
    nextActions: list[str]
    entities: list[str]
    files: list[str]
    idempotencyKey: str | None = None
    updatedAt: str
    checkpointId: str
    resolvedScope: str


class LatestDone(Reply):
    """GET /v1/checkpoint/latest"""

    checkpoint: CheckpointShown | None


class LatestShown(Reply):
    sessionId: str
    resolvedScope: str
    summary: str
    updatedAt: str


class Essential(Reply):
    """What the latest checkpoint left to do"""

    openLoops: list[str]
    nextActions: list[str]


class ResumePart(Reply):
    """The context that a new window starts from"""

    summary: str
    resolvedScope: str | None = None
    stableContext: list[str]
    relevantPatterns: list[str]
    recentCases: list[str]
    latestCheckpoint: LatestShown | None = None
    essentialContext: Essential | None = None
    generatedAt: str


class Resumed(ResumePart):
    """POST /v1/resume"""

    profile: str


class AutoRecalled(Reply):
    """POST /v1/auto-recall"""

    mode: Literal["resume+search", "resume-only"]
    query: str
    profile: str
    resolvedScope: str | None = None
    searchSkippedReason: str | None
    resume: ResumePart
    results: list[Result]
    count: int
    hint: Hint | None = None


# workflows


class Observed(Reply):
    """POST /v1/workflow-observe"""

    observationId: str
    workflowId: str
    outcome: Outcome
    summary: str
    scope: str
    resolvedScope: str
    source: str
    signal: str | None = None
    task: str | None = None
    tags: list[str]
    tools: list[str]
    idempotencyKey: str | None = None
    recordedAt: str


class Signal(Reply):
    signal: str
    count: int


class WindowShown(Reply):
    days: int
    total: int
    successes: int
    failures: int
    corrected: int
    missed: int
    issueCount: int
    successRate: float
    issueRate: float
    latestAt: str | None = None
    topSignals: list[Signal]


WorkflowStatus = Literal["critical", "watch", "healthy", "no-data"]


class WorkflowHealth(Reply):
    """GET /v1/workflow-health of one workflow"""

    workflowId: str
    scope: str | None = None
    status: WorkflowStatus
    summary: str
    latestObservationAt: str | None = None
    windows: list[WindowShown]


class DashboardRow(Reply):
    workflowId: str
    scope: str
    status: WorkflowStatus
    total: int
    issueCount: int
    successRate: float
    latestObservationAt: str
    summary: str


class Dashboard(Reply):
    """GET /v1/workflow-health of all"""

    dashboard: list[DashboardRow]


class Issue(Reply):
    observationId: str
    outcome: Outcome
    summary: str
    signal: str | None = None
    recordedAt: str
    task: str | None = None


class WorkflowEvidence(Reply):
    """GET /v1/workflow-evidence"""

    workflowId: str
    scope: str | None = None
    generatedAt: str
    summary: str
    topSignals: list[Signal]
    recentIssues: list[Issue]
    suggestions: list[str]
    health: WorkflowHealth


# upkeep


class ConsolidatedCluster(Reply):
    category: str
    scope: str
    keepId: str
    memberIds: list[str]
    similarity: float
    action: Literal["merge", "review", "contradiction"]


class ConsolidateDone(Reply):
    """POST /v1/consolidate"""

    dryRun: bool
    scanned: int
    clusters: list[ConsolidatedCluster]
    merged: int
    archived: int
    skipped: int
    conflictsDetected: list[ConsolidatedCluster]


class GapShown(Reply):
    topic: str
    scope: str | None
    searches: int
    avgTopScore: float
    lastSearchedAt: str
    sampleQueries: list[str]
    suggestion: str


class GapsDone(Reply):
    """GET /v1/gaps"""

    gaps: list[GapShown]
    count: int
    windowDays: int
