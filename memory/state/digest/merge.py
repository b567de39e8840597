"""Merging what events say into a state: the same state and events always give the same state."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memory.facts.sameness import normal
from memory.state.digest import kinds
from memory.state.digest.kinds import RISKY, Statement
from memory.state.digest.likeness import best, likeness, same_line, telling
from memory.state.digest.select import Read
from memory.state.digest_state import (
    CHANGES,
    DOCUMENT,
    EVENT,
    GOAL,
    LISTS,
    Changed,
    DigestState,
    Held,
    Reference,
)

SET, ADD, REMOVE, REAFFIRM = "set", "add", "remove", "reaffirm"
CONSTRAINTS, DECISIONS, TODOS = "constraints", "decisions", "todos"
QUESTIONS, RISKS, CONTEXT = "openQuestions", "risks", "volatileContext"

# How alike two lines of a list must be to be one.
_SAME = {CONSTRAINTS: 0.8, DECISIONS: 0.8, TODOS: 0.8, QUESTIONS: 0.7, RISKS: 0.7, CONTEXT: 0.8}
_SAME_GOAL = {DOCUMENT: 0.85, EVENT: 0.95}
_REAFFIRMED_GOAL = 0.3
_REVOKED, _DONE, _ANSWERED, _RESOLVED = 0.45, 0.45, 0.35, 0.35
_LEAST_CONSTRAINT = 0.75

_FIELDS = {
    kinds.CONSTRAINT: CONSTRAINTS, kinds.DECISION: DECISIONS, kinds.TODO: TODOS, kinds.QUESTION: QUESTIONS,
    kinds.RISK: RISKS, kinds.STATUS: CONTEXT, kinds.NOTE: CONTEXT,
}  # fmt: skip
_OF_DOCUMENTS = frozenset({CONSTRAINTS, DECISIONS, TODOS, QUESTIONS, RISKS})

_TAKEN_BACK = re.compile(
    r"\b(?:revoke[sd]?|revoking|undo|revert(?:ed|ing)?|scrap(?:ped)?|take back|reverse the decision|"
    r"cancel(?:led|ing)? the decision)\b|撤销|撤銷|收回|取消.{0,6}决定|取消.{0,6}決定",
    re.IGNORECASE,
)
_NO_LONGER = re.compile(
    r"(?:\binstead of|\breplac(?:e|es|ed|ing)|\bswitch(?:ed|ing)? (?:away )?from|\bmigrat(?:e|ed|ing) (?:away )?from|"
    r"\bmov(?:e|ed|ing) away from|\bno longer us(?:e|es|ing))\s+(.{2,60}?)"
    r"(?=\s+(?:with|to|by|for|and|in favou?r of|because|as|since)\b|[,.;!?]|$)"
    r"|(?:不再(?:使用|用|采用)|而不是|从|代替|取代|替换(?:掉)?|弃用)\s*(.{1,30}?)(?=(?:切换|迁移|换|改|转)?(?:到|为|成)|[，。；,.;!]|$)",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:done|completed?|finished|shipped|cancel(?:led|ed)?|removed?|drop(?:ped)?|closed?)\b"
    r"|完成|做完|搞定|取消|移除|删除|关闭|已上线",
    re.IGNORECASE,
)
_FIXED = re.compile(
    r"\b(?:resolved?|fixed|mitigated|unblocked|cleared)\b|已?解决|已?修复|缓解了|已?解除|消除了", re.IGNORECASE
)
# Words that tell of the end of something, and not of what it is that ended.
_ENDINGS = frozenset({
    "done", "complete", "completed", "finished", "shipped", "cancel", "cancelled", "canceled", "remove", "removed",
    "drop", "dropped", "close", "closed", "todo", "task", "resolved", "resolve", "fixed", "mitigated", "unblocked",
    "cleared", "risk", "risks", "blocked", "blocker", "revoke", "revoked", "undo", "revert", "reverted", "scrap",
    "scrapped", "decision", "decided", "decide",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A line that no longer holds."""

    field: str
    value: str
    why: str                        # revoked, replaced, done, answered, resolved or withdrawn
    by: str = ""                    # the line that stands in its place, where one does


@dataclass(slots=True)
class Merge:
    """One run over a state. ``protects`` tells whether better evidence holds a line than the given (0..1)."""

    before: DigestState
    allows: Callable[[str], bool] = lambda _text: True
    protects: Callable[[str, float], bool] = lambda _value, _authority: False
    goal: Held | None = None
    lists: dict[str, list[Held]] = field(default_factory=dict)
    changes: list[Changed] = field(default_factory=list)
    transitions: Counter[str] = field(default_factory=Counter)
    ended: list[Ended] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.goal = self.before.goal
        self.lists = {name: list(self.before.of(name)) for name in LISTS}

    def state(self) -> DigestState:
        """The state as it now is."""
        return DigestState(
            goal=self.goal,
            **{attribute: tuple(self.lists[name][-most:]) for name, (attribute, most) in LISTS.items()},
            changes=(*self.before.changes, *self.changes)[-CHANGES:],
            transitions=dict(sorted(self.transitions.items())),
        )

    def take(self, documents: Sequence[Read], deltas: Sequence[Read]) -> None:
        """Documents first, then what was said, oldest first."""
        for one in documents:
            self._take_document(one)
        for one in deltas:
            reference = one.piece.reference(one.kind)
            for statement, _ in one.said:
                if statement.kind != kinds.NOISE and self.allows(statement.text):
                    self._take_said(statement, reference, one.importance)

    # documents

    def _take_document(self, one: Read) -> None:
        reference = one.piece.reference(one.kind)
        present: dict[str, set[str]] = {name: set() for name in _OF_DOCUMENTS}
        for statement, _ in one.said:
            name = _FIELDS.get(statement.kind)
            if not self.allows(statement.text):
                continue
            if statement.kind == kinds.GOAL:
                self.set_goal(statement.text, reference)
            elif name in _OF_DOCUMENTS:
                present[name].add(self._add(name, statement.text, reference))
        for name, kept in present.items():
            gone = [
                held
                for held in self.lists[name]
                if held.value not in kept and held.references
                and all(ref.source == DOCUMENT and ref.id == reference.id for ref in held.references)
            ]  # fmt: skip
            for held in gone:
                self._remove(name, held, reference, "withdrawn")

    # what was said

    def _take_said(self, statement: Statement, reference: Reference, weight: float) -> None:
        text = statement.text
        match statement.kind:
            case kinds.GOAL:
                self.set_goal(text, reference)
            case kinds.DECISION:
                self._decide(text, reference)
            case kinds.CONSTRAINT:
                if weight >= _LEAST_CONSTRAINT:
                    self._add(CONSTRAINTS, text, reference)
            case kinds.TODO:
                if not (_OVER.search(text) and self._end(TODOS, text, reference, _DONE, "done")):
                    self._add(TODOS, text, reference)
            case kinds.QUESTION:
                self._add(QUESTIONS, text, reference)
            case kinds.RISK:
                self._risk(text, reference)
            case _:
                self._remark(text, reference)

    def _decide(self, text: str, reference: Reference) -> None:
        if _TAKEN_BACK.search(text):
            values = [held.value for held in self.lists[DECISIONS]]
            place = best(text, values, _REVOKED, without=_ENDINGS)
            if place is not None:
                self._remove_unless_protected(self.lists[DECISIONS][place], reference, "revoked", "")
                return
        for found in _NO_LONGER.finditer(text):
            left = telling(found[1] or found[2] or "") or frozenset()
            for held in list(self.lists[DECISIONS]):
                if left and left <= telling(held.value) and normal(held.value) != normal(text):
                    self._remove_unless_protected(held, reference, "replaced", text)
        self._add(DECISIONS, text, reference)
        self._end(QUESTIONS, text, reference, _ANSWERED, "answered")

    def _remove_unless_protected(self, held: Held, reference: Reference, why: str, by: str) -> None:
        authority = 0.85 if reference.source == DOCUMENT else 0.7
        if not self.protects(held.value, authority):
            self._remove(DECISIONS, held, reference, why, by)

    def _remark(self, text: str, reference: Reference) -> None:
        if _FIXED.search(text) and self._end_risk(text, reference):
            self._add(CONTEXT, text, reference)
        elif RISKY.search(text):
            self._risk(text, reference)
        else:
            if _OVER.search(text):
                self._end(TODOS, text, reference, _DONE, "done")
            self._add(CONTEXT, text, reference)

    def _risk(self, text: str, reference: Reference) -> None:
        if not _FIXED.search(text):
            self._add(RISKS, text, reference)
        elif not self._end_risk(text, reference):
            self._add(CONTEXT, text, reference)

    def _end_risk(self, text: str, reference: Reference) -> bool:
        values = [held.value for held in self.lists[RISKS]]
        place = best(text, values, _RESOLVED, without=_ENDINGS)
        if place is None:
            return False
        risk = self.lists[RISKS][place]
        self._remove(RISKS, risk, reference, "resolved")
        for twin in [held for held in self.lists[CONTEXT] if same_line(held.value, risk.value, _SAME[RISKS])]:
            self._remove(CONTEXT, twin, reference, "resolved")
        return True

    # steps

    def set_goal(self, text: str, reference: Reference | None) -> None:
        """A goal is set where there is none, and replaced by a document alone."""
        source = reference.source if reference is not None else EVENT
        goal = self.goal
        if goal is None or (not goal.references and reference is not None and likeness(text, goal.value) < 0.95):
            self.goal = Held(value=text, references=(reference,) if reference is not None else ())
            self._note(GOAL, SET, text, reference)
        elif reference is None:
            return
        elif likeness(text, goal.value) >= _SAME_GOAL[source] or (
            source == EVENT and likeness(text, goal.value) >= _REAFFIRMED_GOAL
        ):
            self.goal = goal.resting_on(reference)
            self._note(GOAL, REAFFIRM, goal.value, reference)
        elif source == DOCUMENT:
            self.goal = Held(value=text, references=(reference,))
            self._note(GOAL, SET, text, reference)

    def _add(self, name: str, text: str, reference: Reference) -> str:
        """Add a line or reaffirm the one that says the same; returns the line that stands."""
        held = self.lists[name]
        for place in range(len(held) - 1, -1, -1):
            if same_line(held[place].value, text, _SAME[name]):
                held[place] = held[place].resting_on(reference)
                self._note(name, REAFFIRM, held[place].value, reference)
                return held[place].value
        held.append(Held(value=text, references=(reference,)))
        del held[: -LISTS[name][1]]
        self._note(name, ADD, text, reference)
        return text

    def _end(self, name: str, text: str, reference: Reference, least: float, why: str) -> bool:
        values = [held.value for held in self.lists[name]]
        place = best(text, values, least, without=_ENDINGS)
        if place is None:
            return False
        self._remove(name, self.lists[name][place], reference, why)
        return True

    def _remove(self, name: str, held: Held, reference: Reference, why: str, by: str = "") -> None:
        self.lists[name] = [one for one in self.lists[name] if one is not held]
        self._note(name, REMOVE, held.value, reference)
        self.ended.append(Ended(field=name, value=held.value, why=why, by=by))

    def _note(self, name: str, action: str, value: str, reference: Reference | None) -> None:
        self.transitions[f"{name}:{action}"] += 1
        evidence, turn = (reference.id, reference.turn) if reference is not None else (None, "")
        self.changes.append(Changed(field=name, action=action, value=value, evidence=evidence, turn=turn))


def prune(state: DigestState, says: Callable[[str], bool], gone: Callable[[Reference], bool]) -> DigestState:
    """The state without lines that say what was forgotten, and without those that rest on nothing shown any more."""

    def kept(held: Held) -> Held | None:
        if says(held.value):
            return None
        left = tuple(ref for ref in held.references if not gone(ref))
        if held.references and not left:
            return None
        return held if len(left) == len(held.references) else replace(held, references=left)

    def of(lines: Iterable[Held]) -> tuple[Held, ...]:
        return tuple(one for held in lines if (one := kept(held)) is not None)

    lists: Any = {attribute: of(getattr(state, attribute)) for attribute, _ in LISTS.values()}
    goal = kept(state.goal) if state.goal is not None else None
    changes = tuple(
        one
        for one in state.changes
        if not says(one.value)
        and not (one.evidence is not None and gone(Reference(id=one.evidence, source=EVENT, turn=one.turn)))
    )
    return replace(state, goal=goal, changes=changes, **lists)
