"""Whether what a digest says agrees with what is known. The gate that no digest passes unlooked at."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.facts.sameness import normal, overlap
from memory.recall.stopwords import ENGLISH
from memory.state.digest.align import CHANGES, STEPS, WORDS, Text
from memory.state.digest.likeness import count_words, has_cjk, likeness, telling
from memory.state.digest_state import DigestState

REPEATED = "changes_repeated_from_previous_digest"
BAD_SCHEMA = "invalid_output_schema"

_NEGATION = re.compile(
    r"\b(?:not|no longer|never|won't|don't|doesn't|isn't|aren't|didn't|can't|without|instead of|abandon(?:ed)?|"
    r"cancel(?:led|ed)?|dropped|reject(?:ed)?|revoked|reversed|"
    r"unnecessary)\b|不再|不是|不用|没有|沒有|取消|放弃|放棄|拒绝|推翻|无需|不需要|不",
    re.IGNORECASE,
)
_PARTS = re.compile(r"(?<=[.!?;。！？；\n])\s*")
_GOAL = re.compile(r"\bgoals?\b(?: is| now is|:)|目标(?:是|：|:)", re.IGNORECASE)
_AFTER_GOAL = re.compile(
    r".*?(?:\bgoals?\b(?: is now| is| now is|:)|目标(?:是|：|"
    r":))\s*(?:to\s+)?", re.IGNORECASE | re.DOTALL
)
_VAGUE = re.compile(
    r"\s*(?:continue|keep going|keep working|follow up|proceed|move forward|work on it|do more|improve things|"
    r"continue work(?:ing)?|think about it|check things|stay tuned|tbd|todo)[\s.!]*",
    re.IGNORECASE,
)
_KEYS = 6           # words of a fact that tell it
_LEAST = 2          # of them that must be there
_SHARE = 0.75       # … and this share of them
_ALIKE_GOALS = 0.3
_STOPS = ".;。；"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A line that says otherwise than a fact."""

    code: str
    fact: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the gate found."""

    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.errors


def check(
    text: Text, state: DigestState, previous: Sequence[str], protected: Sequence[tuple[str, str]] = ()
) -> Verdict:
    """``previous`` are the changes of the digest before, ``protected`` facts as (facet, text)."""
    errors: list[str] = []
    if not text.summary.strip():
        errors.append(BAD_SCHEMA)
    if count_words(text.summary) > WORDS:
        errors.append("summary_too_long")
    if len(text.changes) > CHANGES:
        errors.append("too_many_changes")
    if not 1 <= len(text.steps) <= STEPS:
        errors.append("invalid_next_steps_count")
    conflicts = list(_conflicts(text, state, protected))
    errors += [one.code for one in conflicts]
    if text.changes and list(map(normal, text.changes)) == list(map(normal, previous)):
        errors.append(REPEATED)
    if any(_VAGUE.fullmatch(step) for step in text.steps if not has_cjk(step)):
        errors.append("vague_next_step")
    return Verdict(
        errors=tuple(dict.fromkeys(errors)),
        warnings=tuple(_warnings(text, state)),
        conflicts=tuple(conflicts),
    )


def _conflicts(text: Text, state: DigestState, protected: Sequence[tuple[str, str]]) -> Iterable[Conflict]:
    lines = [part.strip() for whole in (text.summary, *text.changes, *text.steps) for part in _PARTS.split(whole)]
    lines = [line for line in lines if line]
    known = sorted({normal(held.value).rstrip(_STOPS) for _, held in state.lines()}, key=len, reverse=True)
    bare = [(line, _without(normal(line), known)) for line in lines]    # what is quoted from the state denies nothing
    if state.goal is not None:
        yield from _other_goal(state.goal.value, lines)
    for code, values in (
        ("constraint_contradiction", state.constraints),
        ("decision_contradiction", state.decisions),
        ("todo_contradiction", state.todos),
    ):
        for held in values:
            yield from _denied(code, held.value, bare)
    for facet, fact in protected:
        yield from _denied(f"profile_{facet}_contradiction", fact, bare)


def _other_goal(goal: str, lines: Sequence[str]) -> Iterable[Conflict]:
    first = next(part for part in _PARTS.split(goal) if part.strip()) if goal.strip() else goal
    for line in lines:
        if not _GOAL.search(line):
            continue
        told = _AFTER_GOAL.sub("", line, count=1)
        if not telling(told) or not telling(first):
            continue
        if normal(first) in normal(told) or normal(told).rstrip(".") in normal(goal):
            continue
        if likeness(first, told) < _ALIKE_GOALS and overlap(telling(first), telling(told)) < _ALIKE_GOALS:
            yield Conflict(code="goal_contradiction", fact=goal, line=line)


def _denied(code: str, fact: str, lines: Sequence[tuple[str, str]]) -> Iterable[Conflict]:
    """Lines with the words that tell a fact, and a negation that the fact has not."""
    keys = _keys(fact)
    if not keys:
        return
    needed = max(min(_LEAST, len(keys)), math.ceil(len(keys) * _SHARE))
    own = {normal(found) for found in _NEGATION.findall(fact)}
    said = normal(fact).rstrip(_STOPS)
    for line, bare in lines:
        # Negations count outside of what is quoted, words of the fact also where it is quoted itself.
        rest = bare.replace(said, " ")
        words = telling(rest) | (keys if said in normal(line) else frozenset())
        if len(keys & words) >= needed and {normal(found) for found in _NEGATION.findall(rest)} - own:
            yield Conflict(code=code, fact=fact, line=line)


def _without(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        if part:
            text = text.replace(part, " ")
    return text


def _keys(fact: str) -> frozenset[str]:
    """The first words that tell a fact; numbers alone tell nothing."""
    words = telling(fact)
    placed = sorted((normal(fact).find(word), word) for word in words if word not in ENGLISH)
    return frozenset(word for _, word in placed[:_KEYS])


def _warnings(text: Text, state: DigestState) -> Iterable[str]:
    said = telling("\n".join((text.summary, *text.changes, *text.steps)))

    def omitted(value: str) -> bool:
        keys = telling(value)
        return bool(keys) and len(keys & said) * 2 < len(keys)

    if state.goal is not None and omitted(state.goal.value):
        yield "goal_omission"
    for name, values in (
        ("constraint", state.constraints), ("decision", state.decisions), ("todo", state.todos),
    ):  # fmt: skip
        if values and omitted(values[-1].value):
            yield f"{name}_omission"
    if any(len(step.split()) < 2 for step in text.steps if not has_cjk(step)):
        yield "weak_next_step"
