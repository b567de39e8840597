"""What is answered about sessions, workflows and upkeep.

Fields without a default are always there; those with one may be absent.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memory_server.recallnest.wire.replies import Hint, Reply, Result, Unread
from memory_server.recallnest.wire.requests import Outcome

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
    ephemeral: Literal[True] = Field(description="For this window alone: nothing of it is to be stored again.")
    unreadScopes: Unread = None


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
    unreadScopes: Unread = None


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
    unreadScopes: Unread = None


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
    unreadScopes: Unread = None
