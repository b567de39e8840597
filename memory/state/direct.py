"""Answers that need no model: the goal, the constraints and decisions that hold, what is still to be done. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory.facts.sameness import normal
from memory.state import structured
from memory.state.stable import StableView
from memory.state.structured import labelled, lines_of
from memory.state.working import WorkingState

_MOST = 5               # items of one answer
_READ = 1_000           # characters of a message that are looked at
_EVENT_READ = 4_000     # … and of a recalled event

GOAL, CONSTRAINTS, DECISIONS, OPEN = "goal", "constraints", "decisions", "open"

_QUESTION = re.compile(
    r"\s*(?:what|which|list|summari[sz]e|tell me)\b|\s*(?:什么|哪些?|列出|列一下|总结|概括|告诉我|说说)", re.IGNORECASE
)
_ENDS = re.compile(r"[?？]\s*$|(?:是什么|有哪些|有什么|是啥)\s*[。.]?\s*$")
# Who asks for reasons, times or people is not answered with the thing itself.
_BEYOND = re.compile(
    r"^\W*(?:how|should|could|would|can|will|where)\b|\b(?:why|who|whose|when|what changed|history|timeline)\b"
    r"|为什么|为何|谁|何时|什么时候|怎么|如何|变化|历史|应该|要不要|能不能|是不是",
    re.IGNORECASE,
)
_ABOUT: Mapping[str, re.Pattern[str]] = {
    GOAL: re.compile(r"\b(?:goals?|objectives?)\b|目标", re.IGNORECASE),
    CONSTRAINTS: re.compile(r"\bconstraints?\b|约束|限制条件|限制", re.IGNORECASE),
    DECISIONS: re.compile(r"\bdecisions?\b|\b(?:have|had|did) (?:we|i) decided?\b|决定|决策", re.IGNORECASE),
    OPEN: re.compile(
        r"\bopen (?:work|questions?|items?|tasks?)\b|\bto-?dos?\b|\bnext steps?\b"
        r"|\b(?:left|remains|remaining) to (?:do|be done)\b"
        r"|待办|未完成|下一步|还要做|还有什么(?:要做|没做)|未决",
        re.IGNORECASE,
    ),
}
_ENGLISH: Mapping[str, str] = {
    GOAL: "Current goal: {}.", CONSTRAINTS: "Current constraints: {}.", DECISIONS: "Key decisions: {}.",
    OPEN: "Open work: {}.",
}  # fmt: skip
_CHINESE: Mapping[str, str] = {
    GOAL: "当前目标：{}。", CONSTRAINTS: "当前约束：{}。", DECISIONS: "关键决定：{}。", OPEN: "待办事项：{}。",
}
_IS_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What an answer may be taken from."""

    stable: StableView
    working: WorkingState
    recalled: Sequence[str] = ()        # texts of events, the best first; no replies


def asked_for(message: str) -> list[str]:
    """What a message asks for of these; empty for one that is no such question."""
    told = message[:_READ]
    if not (_ENDS.search(message[-_READ:]) or _QUESTION.match(told)) or _BEYOND.search(told):
        return []
    return [kind for kind, pattern in _ABOUT.items() if pattern.search(told)]


def answer(message: str, known: Known) -> str | None:
    """The answer, where all that is asked for is known; else None."""
    kinds = asked_for(message)
    found = {kind: _FIND[kind](known) for kind in kinds}
    if not found or not all(found.values()):
        return None
    forms, separator = (_CHINESE, "；") if _IS_CHINESE.search(message) else (_ENGLISH, "; ")
    told = [forms[kind].format(_joined(items, separator)) for kind, items in found.items()]
    return ("" if forms is _CHINESE else " ").join(told)


def _joined(items: Sequence[str], separator: str) -> str:
    return separator.join(item.rstrip(" .。;；") or item for item in items)


def _goal(known: Known) -> list[str]:
    settled = [known.stable.goal] if known.stable.goal is not None else []
    current = [known.working.goal.text] if known.working.goal is not None else []
    return _unique([*settled, *current, *_labelled(known, structured.GOAL)])[:1]


def _constraints(known: Known) -> list[str]:
    return _unique([*known.stable.constraints, *(one.text for one in known.working.constraints)])[-_MOST:]


def _decisions(known: Known) -> list[str]:
    return _unique([*known.stable.decisions, *(one.text for one in known.working.decisions)])[-_MOST:]


def _open(known: Known) -> list[str]:
    questions = [f"open question: {one}" for one in known.stable.questions]
    return _unique([*known.stable.todos, *_labelled(known, structured.TODO), *questions])[:_MOST]


def _labelled(known: Known, kind: str) -> list[str]:
    lines = (labelled(line) for text in known.recalled for line in lines_of(text[:_EVENT_READ]))
    return [found[1] for found in lines if found is not None and found[0] == kind]


_FIND: Mapping[str, Callable[[Known], list[str]]] = {
    GOAL: _goal, CONSTRAINTS: _constraints, DECISIONS: _decisions, OPEN: _open,
}  # fmt: skip


def _unique(items: Iterable[str]) -> list[str]:
    """Each once, in their order."""
    found: dict[str, str] = {}
    for item in items:
        found.setdefault(normal(item), item)
    return list(found.values())
