"""Lines that say what they are: ``goal: …``, ``决定：…``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

GOAL, CONSTRAINT, DECISION, TODO = "goal", "constraint", "decision", "todo"
QUESTION, RISK, STATUS = "question", "risk", "status"

# What every reader of such lines knows; some know a few more of their own.
LABELS: Mapping[str, str] = {
    "goal": GOAL, "objective": GOAL, "目标": GOAL, "目標": GOAL,
    "constraint": CONSTRAINT, "constraint reminder": CONSTRAINT, "约束": CONSTRAINT, "約束": CONSTRAINT,
    "限制": CONSTRAINT,
    "decision": DECISION, "决定": DECISION, "決定": DECISION, "决策": DECISION, "決策": DECISION,
    "todo": TODO, "to-do": TODO, "待办": TODO, "待辦": TODO,
    "question": QUESTION, "open question": QUESTION, "问题": QUESTION, "問題": QUESTION,
    "risk": RISK, "风险": RISK, "風險": RISK,
    "status": STATUS, "progress": STATUS, "状态": STATUS, "狀態": STATUS, "进展": STATUS, "進展": STATUS,
}  # fmt: skip
_LABELS = {**LABELS, "约束提醒": CONSTRAINT, "待解问题": QUESTION, "进度": STATUS, "進度": STATUS}


def alternatives(labels: Iterable[str]) -> str:
    """A pattern for any of the labels, the longest first."""
    return "|".join(sorted(map(re.escape, labels), key=len, reverse=True))


_LINE = re.compile(
    rf"\s*(?:[-*•>]\s*)?(?P<label>{alternatives(_LABELS)})s?\s*[:：]\s*(?P<value>\S.*)",
    re.IGNORECASE,
)
_BREAK = re.compile(r"\r\n?|\n|\\n|[\u2028\u2029]")     # also the two characters that JSON writes for one


def lines_of(text: str) -> Iterator[str]:
    """The lines of a text that say something, without blanks at their ends."""
    return (line for part in _BREAK.split(text) if (line := part.strip()))


def labelled(line: str) -> tuple[str, str] | None:
    """What kind of line it is and what it says; None for a line without a label."""
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    return _LABELS[found["label"].lower()], found["value"].strip()


def labels(text: str) -> list[str]:
    """The kinds of the labelled lines of a text, in their order."""
    return [found[0] for line in lines_of(text) if (found := labelled(line)) is not None]
