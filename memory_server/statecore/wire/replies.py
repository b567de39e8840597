"""Answers, as they are published: what is frozen is required or optional here, what is not may come along."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Uuid = Annotated[str, Field(json_schema_extra={"format": "uuid"})]
Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
Count = Annotated[int, Field(ge=0)]
FromOne = Annotated[int, Field(ge=1)]


class Open(BaseModel):
    """Further fields may come along."""

    model_config = ConfigDict(extra="allow")


class Problem(Open):
    error: str
    details: list[Any] = []


class Scope(Open):
    id: Uuid
    name: str
    goal: str | None
    stage: str
    createdAt: Moment


class Scopes(Open):
    items: list[Scope]


class Active(Open):
    activeScopeId: Uuid | None


class Done(Open):
    ok: bool


class WorkingMemory(Open):
    enabled: bool
    useLlm: bool
    maxRecentTurns: FromOne
    maxItemsPerField: FromOne


class RetrieveSettings(Open):
    useEmbeddings: bool
    useVectorSearch: bool = False
    embeddingCandidateLimit: FromOne


class ModelSettings(Open):
    provider: str
    model: str
    baseUrl: str
    chatModel: str
    runtimeModel: str = ""
    runtimeModelBaseUrl: str = ""
    runtimeReasoningEffort: str = ""
    runtimeMaxOutputTokens: int = 0
    structuredOutputModel: str
    embeddingModel: str | None


class Health(Open):
    status: Literal["ok"]
    featureLlm: bool = False
    workingMemory: WorkingMemory | None = None
    retrieve: RetrieveSettings | None = None
    model: ModelSettings | None = None


class Event(Open):
    id: Uuid
    userId: Uuid
    scopeId: Uuid
    type: str
    source: str
    key: str | None
    content: str
    createdAt: Moment
    updatedAt: Moment | None
    pinned: bool = False


class RetrievedEvent(Open):
    id: Uuid
    content: str
    createdAt: Moment


class Fact(Open):
    id: str
    content: str
    type: str
    confidence: Annotated[float, Field(ge=0, le=1)]
    addedAt: Moment
    evidenceId: str
    evidenceType: str
    supersededBy: str = ""
    facet: str = ""
    entities: list[str] = []
    retiredAt: Moment = ""
    retiredReason: str = ""


class ActiveHandoff(Open):
    id: Uuid
    content: str
    addedAt: Moment
    versionCount: FromOne


class DroppedCounts(Open):
    digest: Count
    fact: Count
    event: Count


class Dropped(Open):
    kind: str
    id: str | None
    chars: Count
    reason: str
    score: float = 0.0


class Budget(Open):
    maxChars: FromOne
    usedChars: Count
    digestChars: Count
    factChars: Count
    eventChars: Count
    factShareCap: Count
    droppedCounts: DroppedCounts
    dropped: list[Dropped]
    itemsOmitted: Count


class Retrieved(Open):
    digest: str | None
    events: list[RetrievedEvent]
    factRegistry: list[Fact]
    handoff: ActiveHandoff | None
    budget: Budget | None = None


class Answer(Open):
    answer: str


class Job(Open):
    jobId: str


class TurnDone(Open):
    answer: str
    answerMode: str = ""
    writeTier: str
    digestTriggered: bool


class FactItem(Open):
    factKey: str
    text: str
    createdAt: Moment | None
    factId: str | None = None


class FactGroup(Open):
    group: str
    items: list[FactItem]


class Facts(Open):
    groups: list[FactGroup]


class Evidence(Open):
    id: str
    content: str
    createdAt: Moment


class Provenance(Open):
    fact: Fact
    chain: list[Fact]
    evidence: list[Evidence] = []


class Selection(Open):
    rationale: list[str]
    drops: list[Any]


class Facet(Open):
    name: str
    cap: Count
    writeProtected: bool
    documentAuthority: bool
    displayGroup: str | None
    routesFrom: list[str]
    description: str


class FacetPack(Open):
    name: str
    isDefault: bool
    source: str
    template: str | None
    facets: list[Facet]


class Noted(Open):
    ok: Literal[True]


class HandedOver(Open):
    ok: Literal[True]
    superseded: bool
    handoffId: Uuid = ""
    cleared: bool = False


class RelationshipContext(Open):
    durationDays: Count
    personalDetails: list[str]
    activeGoals: list[str]
    currentFeeling: str | None
    pendingFollowUps: list[str]


class Reminder(Open):
    id: Uuid
    scopeId: Uuid | None
    dueAt: Moment
    text: str
    status: str
    createdAt: Moment


class Reminders(Open):
    items: list[Reminder]
    nextCursor: str | None
