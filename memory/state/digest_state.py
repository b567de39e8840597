"""What a digest made of everything before it: goal, constraints, decisions, todos, questions, risks, each with its
evidence. One snapshot stands in every digest and is never changed afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# Most that a state keeps of each list: the newest. From the published description of the state.
CONSTRAINTS = DECISIONS = 100
QUESTIONS = RISKS = CONTEXT = 10
TODOS = 100
REFERENCES = 50
CHANGES = 25

DOCUMENT, EVENT = "document", "event"
CONFIDENCE: Mapping[str, float] = {DOCUMENT: 1.0, EVENT: 0.7}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What something in the state rests on."""

    id: str                     # of the raw event
    source: str                 # document or event
    key: str | None = None      # of the document
    kind: str | None = None     # decision, constraint, todo, note, status, question or noise


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One line of the state with its evidence, oldest first. Confidence follows from the evidence."""

    value: str
    references: tuple[Reference, ...] = ()

    @property
    def confidence(self) -> float:
        return max((CONFIDENCE.get(one.source, 0.0) for one in self.references), default=CONFIDENCE[EVENT])


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """One step from the state before."""

    field: str                  # goal, constraints, decisions, todos, openQuestions, risks or volatileContext
    action: str                 # set, add, remove or reaffirm
    value: str
    evidence: str | None = None     # id of the raw event


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestState:
    """A snapshot. Lists are oldest first."""

    goal: Held | None = None
    constraints: tuple[Held, ...] = ()
    decisions: tuple[Held, ...] = ()
    todos: tuple[Held, ...] = ()
    questions: tuple[Held, ...] = ()
    risks: tuple[Held, ...] = ()
    context: tuple[Held, ...] = ()                          # passing remarks: statuses and notes
    changes: tuple[Changed, ...] = ()                       # the newest, over all runs
    transitions: Mapping[str, int] = field(default_factory=dict)    # "field:action" → count in this run
