"""How much of the past a message needs: by rules, the first that fits decides. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from memory.state import structured
from memory.state.structured import lines_of

NONE, LIGHT, FULL = "none", "light", "full"
DEFAULT, CONSERVATIVE, DOCUMENT_HEAVY = "default", "conservative", "document-heavy"

LOCAL, EVIDENCE, GOAL, STATUS, USUAL = (
    "local_turn_only", "evidence_or_history_request", "goal_lookup", "state_or_status_request", "default_light_recall",
)  # fmt: skip

_READ = 4_000           # characters of a message that are looked at
_LEAST_GOAL, _MOST_GOAL, _LIGHT_MOST = 3, 4, 2

_ACKNOWLEDGED = re.compile(
    r"(?:(?:ok(?:ay)?|thanks?(?: you)?(?: so much| a lot)?|thx|cool|great|got it|sounds good|alright|sure)[\s,.!…]*)+"
    r"|(?:(?:好的?|谢谢你?|多谢|收到|明白了?|知道了|嗯+|行|没问题)[\s，,。.!！~]*)+",
    re.IGNORECASE,
)
_EDITS = re.compile(
    r"\b(?:rewrite|rephrase|reword|shorten|expand|format|reformat|rename|polish|clean (?:\w+ ){0,2}up)\b"
    r"|\btitle\b|\bcommit message\b"
    r"|改写|重写|润色|缩短|精简|扩写|格式化|重命名|标题|提交信息|整理一下",
    re.IGNORECASE,
)
_EVIDENCE = re.compile(
    r"\b(?:sources?|evidence|quotes?|references?|replay|history|timeline|documents?|docs?|files?|why did|what changed|"
    r"according to|show me)\b"
    r"|来源|证据|依据|引用|原文|回放|历史|时间线|文档|文件|为什么(?:当时|我们|你|会|要)|什么变了|有什么变化|根据|给我看",
    re.IGNORECASE,
)
_GOALS = re.compile(r"\b(?:goals?|objectives?)\b|目标", re.IGNORECASE)
_STATE = re.compile(
    r"\b(?:constraints?|decisions?|decided|todos?|to-dos?|open questions?|remaining|status|progress|current|state|"
    r"plans?|tasks?|runtime)\b|约束|限制|决定|决策|待办|未决|剩余|状态|进展|进度|当前|目前|计划|任务",
    re.IGNORECASE,
)
_LABELS = frozenset({structured.GOAL, structured.CONSTRAINT, structured.DECISION, structured.TODO})


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How careful a caller is with memory."""

    name: str
    recall: int             # events that a full look at the past brings
    turns: int              # latest turns beside them


PROFILES: Mapping[str, Profile] = {
    DEFAULT: Profile(name=DEFAULT, recall=4, turns=3),
    CONSERVATIVE: Profile(name=CONSERVATIVE, recall=2, turns=2),
    DOCUMENT_HEAVY: Profile(name=DOCUMENT_HEAVY, recall=6, turns=4),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is looked up for a message."""

    mode: str
    reason: str
    limit: int
    query: str | None = None    # None: nothing is


def is_acknowledgement(message: str) -> bool:
    """Whether a message says nothing but that another one was heard."""
    return not message.strip() or _ACKNOWLEDGED.fullmatch(message.strip()) is not None


def begins_labelled(message: str) -> bool:
    """Whether a message begins with a goal, constraint, decision or todo that is marked as one."""
    first = next(lines_of(message[:_READ]), "")
    found = structured.labelled(first)
    return found is not None and found[0] in _LABELS


def plan(message: str, profile: Profile, recall_limit: int | None = None) -> Plan:
    """The plan without its query. ``recall_limit`` takes the place of what the profile and the rules would bring."""
    told = message[:_READ]
    limit = recall_limit or profile.recall
    if begins_labelled(told) or is_acknowledgement(told) or _EDITS.search(told):
        return Plan(mode=NONE, reason=LOCAL, limit=0)
    if _EVIDENCE.search(told):
        return Plan(mode=FULL, reason=EVIDENCE, limit=limit)
    if _GOALS.search(told):
        return Plan(mode=LIGHT, reason=GOAL, limit=recall_limit or min(max(limit, _LEAST_GOAL), _MOST_GOAL))
    light = recall_limit or min(limit, _LIGHT_MOST)
    if message.rstrip().endswith(("?", "？")) or _STATE.search(told):
        return Plan(mode=LIGHT, reason=STATUS, limit=light)
    return Plan(mode=LIGHT, reason=USUAL, limit=light)
