"""What kind of statement an event makes: by rules, in English and Chinese with the commonest words of Japanese and
Korean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.state import structured
from memory.state.digest.likeness import size_of
from memory.state.working_cues import read

GOAL, RISK = structured.GOAL, structured.RISK
DECISION, CONSTRAINT, TODO = structured.DECISION, structured.CONSTRAINT, structured.TODO
STATUS, QUESTION = structured.STATUS, structured.QUESTION
NOTE, NOISE = "note", "noise"
DURABLE = frozenset({GOAL, DECISION, CONSTRAINT, TODO, RISK})

_IMPORTANCE = {
    GOAL: 0.85, DECISION: 0.85, CONSTRAINT: 0.80, RISK: 0.70, TODO: 0.70, STATUS: 0.55, QUESTION: 0.50, NOTE: 0.45,
    NOISE: 0.05,
}  # fmt: skip
_RAISED = 0.15

_SHORTEST = 8           # characters below which a text says nothing by itself
_LOOKED_AT = 2_000      # characters of a statement in which its kind is looked for

_LABELS = {
    **structured.LABELS,
    "action item": TODO, "next step": TODO, "下一步": TODO, "疑问": QUESTION, "blocker": RISK, "阻塞": RISK,
    "note": NOTE,
}  # fmt: skip
_NAMES = structured.alternatives(_LABELS)
_LABELLED = re.compile(rf"\s*(?:[-*•>]\s*)?(?:\[[ xX]?\]\s*)?({_NAMES})s?\s*[:：]\s*(\S.*)", re.IGNORECASE)
_HEADING = re.compile(rf"\s*(?:#+\s*)?({_NAMES})s?\s*[:：]?\s*", re.IGNORECASE)
_BULLET = re.compile(r"\s*(?:[-*•]|\d+[.)])\s+(?:\[[ xX]?\]\s*)?(\S.*)")

_REPLY = re.compile(r"\s*assistant reply\s*:", re.IGNORECASE)
_ABOUT_MEMORY = re.compile(
    r"\s*(?:(?:what|which|who)(?:'s| is| are| was| were| did| do| have)?|list|show|summari[sz]e|tell me|remind me|"
    r"recap)"
    r"\b.{0,60}\b(?:goals?|objectives?|decisions?|decided?|constraints?|todos?|next steps?|open questions?|open work|"
    r"status|progress|so far|remember)\b.{0,40}[?？.]?\s*$"
    r"|\s*(?:现在|目前|当前|我们)?的?(?:目标|决定|约束|待办|进展|状态)(?:是什么|有哪些|如何|怎么样)[?？]?\s*$",
    re.IGNORECASE,
)
_RULES = (
    (
        DECISION,
        re.compile(
            r"\b(?:decide[sd]?|deciding|decision|we will|we'll|agreed|approved|should use|let[’']?s go with|"
            r"going forward|"
            r"revoke|undo the)\b"
            r"|决定|決定|决策|決策|敲定|一致同意|已批准|我们(?:将|会|要)|我們(?:將|會|要)|就用|改用|采用|採用|选用|"
            r"選用|不再使用|撤销|"
            r"に決め|결정",
            re.IGNORECASE,
        ),
    ),
    (
        CONSTRAINT,
        re.compile(
            r"\b(?:constraint|limitation|cannot|can't|must|not allowed|needs? to keep)\b|\bno \w+(?: \w+)? allowed\b"
            r"|约束|約束|限制|不能|不可以|不得|不允许|不允許|禁止|必须|必須|务必|務必|してはいけない|必ず|해야 한다|"
            r"금지",
            re.IGNORECASE,
        ),
    ),
    (
        TODO,
        re.compile(
            r"\b(?:to-?do|next steps?|action items?|follow[- ]up|let[’']?s add|make sure to|"
            r"need to (?:write|add|create|implement|test|document))\b"
            r"|待办|待辦|下一步|跟进|跟進|别忘了|別忘了|记得要?|需要(?:写|添加|创建|实现|测试|记录|完成|补充)|할 일|"
            r"やること",
            re.IGNORECASE,
        ),
    ),
    (QUESTION, re.compile(r"\bquestions?\b|疑问|疑問|不确定|不確定|질문|疑惑", re.IGNORECASE)),
    (
        STATUS,
        re.compile(
            r"\b(?:progress|status|done|shipped|completed|finished)\b|进展|進展|进度|進度|状态|狀態|已完成|完成了|"
            r"做完|上线了|发布了|"
            r"완료|進捗",
            re.IGNORECASE,
        ),
    ),
)
_EMPTY_WORDS = re.compile(
    r"\s*(?:ok(?:ay)?|thanks?(?: you)?|noted|lol|haha|好的?|收到|谢谢|嗯+|"
    r"哈+)[\s.!。！~]*", re.IGNORECASE
)
_WEIGHTY = re.compile(
    r"\b(?:decided?|decision|constraint|blocked|todo|next)\b|决定|約束|约束|阻塞|待办|"
    r"下一步", re.IGNORECASE
)
RISKY = re.compile(r"\b(?:risks?|risky|blocked|blockers?)\b|风险|風險|阻塞|卡住|受阻", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing that an event says."""

    kind: str
    text: str               # without its label
    labelled: bool = False


def importance(kind: str, text: str) -> float:
    """0..1."""
    return min(_IMPORTANCE[kind] + (_RAISED if _WEIGHTY.search(text[:_LOOKED_AT]) else 0.0), 1.0)


def is_weighty(text: str) -> bool:
    """Whether it has one of the words that make a statement count for more."""
    return bool(_WEIGHTY.search(text[:_LOOKED_AT]))


def kind_of(text: str) -> str:
    """What a statement without a label is. The first that fits."""
    head = text[:_LOOKED_AT]
    if _REPLY.match(head) or _ABOUT_MEMORY.match(head):
        return NOISE
    if head.rstrip().endswith(("?", "？")):
        return QUESTION
    for kind, rule in _RULES:
        if rule.search(head):
            return kind
    if size_of(head.strip()) < _SHORTEST or _EMPTY_WORDS.fullmatch(head):
        return NOISE
    return NOTE


def statements(text: str, *, is_document: bool = False) -> list[Statement]:
    """What an event says: its labelled lines, and what stands beside them.

    Two characters ``\\n`` count as the end of a line. What a document says in free words is not a statement of it.
    """
    if _REPLY.match(text):
        return [Statement(kind=NOISE, text=text)]
    lines = text.replace("\\n", "\n").splitlines()
    labelled = [_labelled(line) for line in lines]
    if is_document:
        return list(_of_document(lines, labelled))
    if not any(labelled):
        return list(_free(text)) if text.strip() else []
    return [
        said
        for line, found in zip(lines, labelled, strict=True)
        if line.strip()
        for said in ((found,) if found is not None else _free(line))
    ]


def _labelled(line: str) -> Statement | None:
    found = _LABELLED.fullmatch(line)
    if found is None:
        return None
    return Statement(kind=_LABELS[found[1].lower()], text=found[2].strip(), labelled=True)


def _free(text: str) -> Iterator[Statement]:
    """What a text without labels says: the same goals and decisions that working memory reads in it."""
    kind = kind_of(text)
    if kind in (NOISE, QUESTION):
        yield Statement(kind=kind, text=text.strip())
        return
    cues = [*read(text)]
    goals = [said for cue, said in cues if cue == GOAL]
    yield from (Statement(kind=GOAL, text=said) for said in goals)
    decided = [said for cue, said in cues if cue == DECISION] if kind == DECISION else []
    if decided:
        yield from (Statement(kind=DECISION, text=said) for said in decided)
    elif kind != NOTE or not goals:
        yield Statement(kind=kind, text=text.strip())


def _of_document(lines: list[str], labelled: list[Statement | None]) -> Iterator[Statement]:
    under: str | None = None        # the heading that bullets stand under
    for line, found in zip(lines, labelled, strict=True):
        if found is not None:
            under = None
            yield found
        elif (heading := _HEADING.fullmatch(line)) is not None:
            under = _LABELS[heading[1].lower()]
        elif (bullet := _BULLET.fullmatch(line)) is not None and under is not None:
            yield Statement(kind=under, text=bullet[1].strip(), labelled=True)
        elif goals := [said for cue, said in read(line) if cue == GOAL and not line.rstrip().endswith(("?", "？"))]:
            yield Statement(kind=GOAL, text=goals[0])
        elif line.strip():
            under = None
