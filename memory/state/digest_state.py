"""What a digest made of everything before it: goal, constraints, decisions, todos, questions, risks, each with its
evidence. One snapshot stands in every digest and is never changed afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

# Most that a state keeps of each list: the newest. From the published description of the state.
CONSTRAINTS = DECISIONS = 100
QUESTIONS = RISKS = CONTEXT = 10
TODOS = 100
REFERENCES = 50
CHANGES = 25
EACH = 12               # references kept of one line

DOCUMENT, EVENT = "document", "event"
CONFIDENCE: Mapping[str, float] = {DOCUMENT: 1.0, EVENT: 0.7}

GOAL = "goal"
LISTS: Mapping[str, tuple[str, int]] = {
    # name in a change and in a transition → attribute, most
    "constraints": ("constraints", CONSTRAINTS),
    "decisions": ("decisions", DECISIONS),
    "todos": ("todos", TODOS),
    "openQuestions": ("questions", QUESTIONS),
    "risks": ("risks", RISKS),
    "volatileContext": ("context", CONTEXT),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What something in the state rests on."""

    id: str                     # of the raw event
    source: str                 # document or event
    key: str | None = None      # of the document
    kind: str | None = None     # decision, constraint, todo, note, status, question or noise
    turn: str = ""              # the turn that had the text


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One line of the state with its evidence, oldest first. Confidence follows from the evidence."""

    value: str
    references: tuple[Reference, ...] = ()

    @property
    def confidence(self) -> float:
        return max((CONFIDENCE.get(one.source, 0.0) for one in self.references), default=CONFIDENCE[EVENT])

    def resting_on(self, reference: Reference) -> Held:
        """The same line with one more piece of evidence; of a document only its present text counts."""
        kept = [one for one in self.references if one.id != reference.id]
        return replace(self, references=(*kept, reference)[-EACH:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """One step from the state before."""

    field: str                  # goal, constraints, decisions, todos, openQuestions, risks or volatileContext
    action: str                 # set, add, remove or reaffirm
    value: str
    evidence: str | None = None     # id of the raw event
    turn: str = ""                  # the turn that had the text


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

    def lines(self) -> Iterator[tuple[str, Held]]:
        """Every line with the name of its field."""
        if self.goal is not None:
            yield GOAL, self.goal
        for name, (attribute, _) in LISTS.items():
            for held in getattr(self, attribute):
                yield name, held

    def of(self, name: str) -> tuple[Held, ...]:
        """The list of a field by its name in a change."""
        found: tuple[Held, ...] = getattr(self, LISTS[name][0])
        return found

    @property
    def empty(self) -> bool:
        """Whether it says nothing."""
        return next(self.lines(), None) is None

    def says_the_same(self, other: DigestState) -> bool:
        """Whether both hold the same lines on the same evidence, however they came to it."""
        return list(self.lines()) == list(other.lines())


# as JSON


def to_json(state: DigestState) -> dict[str, Any]:
    """A line that rests on an erased turn is found by ``turn``, and goes with it."""
    return {
        "goal": _held(state.goal) if state.goal is not None else None,
        **{attribute: [_held(one) for one in getattr(state, attribute)] for attribute, _ in LISTS.values()},
        "changes": [
            {
                "field": one.field,
                "action": one.action,
                "value": one.value,
                "evidence": one.evidence,
                "turn": one.turn,
            }
            for one in state.changes
        ],
        "transitions": dict(sorted(state.transitions.items())),
    }


def _held(one: Held) -> dict[str, Any]:
    return {
        "value": one.value,
        "turn": one.references[-1].turn if one.references else "",
        "references": [
            {"id": ref.id, "source": ref.source, "key": ref.key, "kind": ref.kind, "turn": ref.turn}
            for ref in one.references
        ],
    }


def from_json(value: object) -> DigestState | None:
    """None for anything that is none. What is malformed in it is left out."""
    if not isinstance(value, Mapping):
        return None
    counts = value.get("transitions")
    return DigestState(
        goal=_read_held(value.get("goal")),
        **{attribute: _read_list(value.get(attribute)) for attribute, _ in LISTS.values()},
        changes=tuple(one for row in _rows(value.get("changes")) if (one := _read_change(row)) is not None),
        transitions={
            str(name): count
            for name, count in (counts.items() if isinstance(counts, Mapping) else ())
            if isinstance(count, int)
        },
    )


def _rows(value: object) -> list[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def _read_list(value: object) -> tuple[Held, ...]:
    return tuple(one for row in _rows(value) if (one := _read_held(row)) is not None)


def _read_held(value: object) -> Held | None:
    if not isinstance(value, Mapping) or not isinstance(text := value.get("value"), str) or not text:
        return None
    references = [
        Reference(
            id=str(row["id"]),
            source=DOCUMENT if row.get("source") == DOCUMENT else EVENT,
            key=key if isinstance(key := row.get("key"), str) and key else None,
            kind=kind if isinstance(kind := row.get("kind"), str) else None,
            turn=str(row.get("turn") or ""),
        )
        for row in _rows(value.get("references"))
        if isinstance(row.get("id"), str)
    ]
    return Held(value=text, references=tuple(references))


def _read_change(row: Mapping[str, Any]) -> Changed | None:
    name, action, value, evidence = (row.get(key) for key in ("field", "action", "value", "evidence"))
    if not (isinstance(name, str) and isinstance(action, str) and isinstance(value, str) and value):
        return None
    return Changed(
        field=name,
        action=action,
        value=value,
        evidence=evidence if isinstance(evidence, str) and evidence else None,
        turn=str(row.get("turn") or ""),
    )
