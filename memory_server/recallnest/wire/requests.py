"""Bodies and queries, as they are published; limits that the published page leaves open are generous."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from memory_server.recallnest.wire.fields import (
    BLANK_IS_NONE,
    EACH_ONCE,
    LINE,
    Importance,
    Moment,
    Request,
    ScopeName,
    Switch,
    Text,
    question,
    share,
    trimmed,
    whole,
)

Category = Literal["profile", "preferences", "entities", "events", "cases", "patterns"]
Source = Literal["manual", "agent", "api", "session_distill", "conversation_import"]
Outcome = Literal["success", "failure", "corrected", "missed"]
Status = Literal["open", "accepted-incoming", "kept-existing", "merged"]
Attention = Literal["fresh", "aging", "stale", "escalated", "resolved"]

Tag = Annotated[str, LINE, Field(min_length=1, max_length=160)]
Tags = Annotated[list[Tag], EACH_ONCE, Field(max_length=8)]  # the number is published for /v1/store
ManyTags = Annotated[list[Tag], EACH_ONCE, Field(max_length=32)]
Tool = Annotated[str, LINE, Field(min_length=1, max_length=240)]
Tools = Annotated[list[Tool], EACH_ONCE, Field(max_length=24)]
Step = Annotated[str, LINE, Field(min_length=1, max_length=880)]
Steps = Annotated[list[Step], Field(min_length=1, max_length=8)]  # a step may well come twice
Key = Annotated[str, LINE, Field(min_length=1, max_length=480)]
Title = Annotated[str, LINE, Field(min_length=1, max_length=480)]
Line960 = Annotated[str, LINE, Field(min_length=1, max_length=960)]
Line1280 = Annotated[str, LINE, Field(min_length=1, max_length=1280)]
Line1600 = Annotated[str, LINE, Field(min_length=1, max_length=1600)]
Label = Annotated[str, LINE, Field(min_length=1, max_length=160)]
Name = Annotated[str, LINE, Field(min_length=1, max_length=480)]
Session = Annotated[str, LINE, Field(min_length=1, max_length=640)]
Item = Annotated[str, LINE, Field(min_length=1, max_length=800)]
Items = Annotated[list[Item], EACH_ONCE, Field(max_length=24)]
EntityNames = Annotated[list[Name], EACH_ONCE, Field(max_length=32)]
Path = Annotated[str, LINE, Field(min_length=1, max_length=880)]
Paths = Annotated[list[Path], EACH_ONCE, Field(max_length=48)]
MemoryId = Annotated[str, LINE, Field(min_length=1, max_length=512)]
Question = Annotated[
    str, BeforeValidator(question, json_schema_input_type=str), Field(json_schema_extra={"minLength": 1})
]
Paragraph2400 = Annotated[str, BeforeValidator(trimmed), Field(min_length=1, max_length=2400)]
Paragraph960 = Annotated[str, BeforeValidator(trimmed), Field(min_length=1, max_length=960)]

Asked = Annotated[str | None, BLANK_IS_NONE]
AskedScope = Annotated[ScopeName | None, BLANK_IS_NONE]
AskedSession = Annotated[Session | None, BLANK_IS_NONE]
AskedCategory = Annotated[Category | None, BLANK_IS_NONE]
Limit = Annotated[int, whole(5, 1, 20), Field(ge=1, le=20)]
LimitPerSection = Annotated[int, whole(3, 1, 6), Field(ge=1, le=6)]


# memories


SourceLabel = Annotated[Label | None, Field(description="What the writer calls itself; kept beside the memory.")]


class Store(Request):
    """POST /v1/store"""

    text: Text
    category: Category = "events"
    source: Source = "manual"
    scope: ScopeName
    importance: Importance = 0.7
    tags: Tags = Field(default=[])
    canonicalKey: Key | None = None
    sourceLabel: SourceLabel = None


class CaptureItem(Request):
    """One memory of POST /v1/capture"""

    text: Text
    category: Category = "events"
    importance: Importance | None = None
    scope: ScopeName | None = None
    source: Source | None = None
    tags: ManyTags = Field(default=[])
    canonicalKey: Key | None = None
    sourceLabel: SourceLabel = None


class Capture(Request):
    """POST /v1/capture"""

    scope: ScopeName | None = None
    source: Source = "agent"
    defaultImportance: Importance = 0.7
    memories: list[CaptureItem] = Field(min_length=1, max_length=20)

    @model_validator(mode="after")
    def _somewhere(self) -> Capture:
        missing = [place for place, one in enumerate(self.memories) if one.scope is None]
        if self.scope is None and missing:
            why = "scope is required for each memory when capture scope is not provided"
            raise ValueError("; ".join(f"memories[{place}].{why}" for place in missing))
        return self


class Titled(Request):
    """What a pattern and a case have in common"""

    title: Title
    scope: ScopeName
    outcome: Line960 | None = None
    tools: Tools = Field(default=[])
    source: Source = "agent"
    tags: ManyTags = Field(default=[])
    canonicalKey: Key | None = None
    sourceLabel: SourceLabel = None


class Pattern(Titled):
    """POST /v1/pattern"""

    trigger: Line960
    steps: Steps = Field(default=[], validate_default=True)
    importance: Importance = 0.82


class Case(Titled):
    """POST /v1/case"""

    problem: Line1280
    context: Line960 | None = None
    solutionSteps: Steps = Field(default=[], validate_default=True)
    importance: Importance = 0.84


class Promote(Request):
    """POST /v1/promote"""

    memoryId: MemoryId
    text: Text | None = None
    category: Category | None = None
    importance: Importance = 0.78
    scope: ScopeName
    source: Label = "agent"
    tags: ManyTags = Field(default=[])
    canonicalKey: Key | None = None


class OneMemory(Request):
    """GET /v1/memories/{memoryId}"""

    memoryId: MemoryId


# recall


class Recall(Request):
    """POST /v1/recall and POST /v1/search"""

    query: Question
    scope: AskedScope = None
    sessionId: AskedSession = None
    allScopes: Switch = False
    limit: Limit = 5
    minScore: Annotated[float, share(0.0), Field(ge=0, le=1)] = 0.0
    category: AskedCategory = None
    profile: Asked = None


class AutoRecall(Request):
    """POST /v1/auto-recall"""

    message: Question = Field(description="``query`` is another name for it.")
    task: Asked = None
    scope: AskedScope = None
    sessionId: AskedSession = None
    allScopes: Switch = False
    limit: Limit = 5
    limitPerSection: LimitPerSection = 3
    includeLatestCheckpoint: Annotated[bool, BLANK_IS_NONE] = True
    category: AskedCategory = None
    profile: Asked = None

    @model_validator(mode="before")
    @classmethod
    def _by_either_name(cls, value: object) -> object:
        if isinstance(value, dict) and value.get("message") is None and value.get("query") is not None:
            return {**value, "message": value["query"]}
        return value


class Nothing(Request):
    """No fields"""


# conflicts


class ConflictsQuery(Request):
    """GET /v1/conflicts"""

    conflictId: Asked = None
    groupBy: Annotated[Literal["record", "cluster"] | None, BLANK_IS_NONE] = None
    status: Annotated[Status | None, BLANK_IS_NONE] = None
    attention: Annotated[Attention | None, BLANK_IS_NONE] = None
    canonicalKey: Asked = None
    scope: AskedScope = None
    limit: Annotated[int, whole(20, 1, 200), Field(ge=1, le=200)] = 20


class Resolve(Request):
    """POST /v1/conflicts/resolve"""

    conflictId: Annotated[str, LINE, Field(min_length=1, max_length=512)]
    resolution: Literal["accept_incoming", "keep_existing", "merge"]
    mergedText: Text | None = None
    notes: Line1280 | None = None


class AuditQuery(Request):
    """GET /v1/conflicts/audit"""

    status: Annotated[Status | None, BLANK_IS_NONE] = None
    canonicalKey: Asked = None
    scope: AskedScope = None
    limit: Annotated[int, whole(100, 1, 2000), Field(ge=1, le=2000)] = 100
    top: Annotated[int, whole(5, 1, 80), Field(ge=1, le=80)] = 5


class Escalate(Request):
    """POST /v1/conflicts/escalate"""

    attention: Literal["stale", "escalated"] = "stale"
    canonicalKey: Key | None = None
    scope: ScopeName | None = None
    limit: int = Field(default=100, ge=1, le=2000)
    top: int = Field(default=10, ge=1, le=80)
    apply: bool = False
    notes: Line1280 | None = None


# sessions


class Checkpoint(Request):
    """POST /v1/checkpoint"""

    sessionId: Session
    scope: ScopeName | None = None
    summary: Paragraph2400
    task: Paragraph960 | None = None
    decisions: Items = Field(default=[])
    openLoops: Items = Field(default=[])
    nextActions: Items = Field(default=[])
    entities: EntityNames = Field(default=[])
    files: Paths = Field(default=[])
    updatedAt: Moment | None = None
    idempotencyKey: Session | None = None


class LatestQuery(Request):
    """GET /v1/checkpoint/latest"""

    sessionId: AskedSession = None
    scope: AskedScope = None


class Resume(Request):
    """POST /v1/resume"""

    task: Annotated[str, LINE, Field(min_length=1, max_length=2000)] | None = None
    scope: ScopeName | None = None
    sessionId: Session | None = None
    limitPerSection: int = Field(default=3, ge=1, le=6)
    includeLatestCheckpoint: bool = True
    profile: Asked = None


# workflows


class Observe(Request):
    """POST /v1/workflow-observe"""

    workflowId: Name
    outcome: Outcome = "success"
    summary: Line1600
    scope: ScopeName | None = None
    source: Label = "manual"
    signal: Name | None = None
    task: Line960 | None = None
    tags: ManyTags = Field(default=[])
    tools: Tools = Field(default=[])
    recordedAt: Moment | None = None
    idempotencyKey: Session | None = None


class WorkflowHealthQuery(Request):
    """GET /v1/workflow-health"""

    workflowId: Annotated[Name | None, BLANK_IS_NONE] = None
    scope: AskedScope = None
    limit: Annotated[int, whole(10, 1, 120), Field(ge=1, le=120)] = 10


class WorkflowEvidenceQuery(Request):
    """GET /v1/workflow-evidence"""

    workflowId: Name
    scope: AskedScope = None
    limit: Annotated[int, whole(5, 1, 80), Field(ge=1, le=80)] = 5


# upkeep


class Consolidate(Request):
    """POST /v1/consolidate"""

    scope: ScopeName | None = None
    allScopes: Switch = False
    category: Category | None = None
    dryRun: bool | None = Field(default=None, description="True unless said otherwise; ``apply`` is its opposite.")
    apply: bool | None = None
    clusterThreshold: float = Field(default=0.85, ge=0.5, le=1)
    mergeThreshold: float = Field(default=0.92, ge=0.7, le=1)
    limit: int = Field(default=500, ge=1, le=2000)


class GapsQuery(Request):
    """GET /v1/gaps"""

    scope: AskedScope = None
    days: Annotated[int, whole(30, 1, 365), Field(ge=1, le=365)] = 30
    threshold: Annotated[float, share(0.3), Field(ge=0, le=1)] = 0.3
    minSearches: Annotated[int, whole(2, 1, 100), Field(ge=1, le=100)] = 2
    limit: Annotated[int, whole(10, 1, 100), Field(ge=1, le=100)] = 10
