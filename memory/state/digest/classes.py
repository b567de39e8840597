"""To which facet a statement belongs: small rules for each class that a facet pack routes from."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from memory.history.telling import COMMITMENT, EXPERIENCE, FEELING, PERSONAL_DETAIL, kind_of
from memory.state.digest.kinds import CONSTRAINT, DECISION, GOAL, NOISE, NOTE, QUESTION, STATUS, TODO, Statement
from memory.state.facets import Pack

_LOOKED_AT = 600        # characters

# Classes by template, the first that fits counts. What routes nowhere is noise to the facets, and stands in NOISES.
TYPES: Mapping[str, tuple[str, ...]] = {
    "project": (DECISION, CONSTRAINT, TODO, QUESTION, STATUS, NOTE, NOISE),
    "personal": (
        FEELING, "emotional_pattern", "life_decision", GOAL, "style_preference", "person_note", PERSONAL_DETAIL,
        COMMITMENT, EXPERIENCE,
    ),
    "health": (
        "dietary_rule", "medical_fact", "fitness_goal", "current_plan", "preference", "daily_log",
    ),
    "learning": ("open_question", "learning_goal", "insight", "progress", "knowledge_claim"),
}  # fmt: skip
NOISES = frozenset({NOISE, NOTE, FEELING, "emotional_pattern", "daily_log"})

_WORDS: Mapping[str, str] = {
    "emotional_pattern": (
        r"\bi (?:always|usually|often|tend to) (?:feel|get|become)\b|"
        r"我(?:总是|经常|常常)(?:觉得|感到)"
    ),
    "life_decision": (
        r"\b(?:i|we)(?:'ve|’ve| have)? decided\b|\bi(?:'m|’m| am) (?:going to|about to) (?:quit|move|marry|retire|"
        r"study|adopt)\b|我们?(?:决定|打定主意)"
    ),
    GOAL: r"\b(?:my|our) goal\b|\bi(?:'m|’m| am) trying to\b|\bi want to (?:become|learn|finish|build|write|run)\b|"
    r"我的?目标|我想(?:成为|学会|写完)",
    "style_preference": (
        r"\bi (?:really |much )?(?:like|love|enjoy|prefer|hate|dislike|can't stand|don't like)\b|\bmy favou?rite\b|"
        r"\bplease (?:always|never|call me|don't|keep|answer|speak|write)\b|我(?:很|最|不|更|特别)?(?:喜欢|讨厌|爱)|"
        r"请(?:叫我|不要|总是|一直)"
    ),
    "person_note": (
        r"\bmy (?:wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|sister|brother|son|daughter|"
        r"friend|boss|colleague|neighbou?r|teacher|aunt|uncle|cousin|cat|dog)\b|"
        r"我(?:的)?(?:妻子|老婆|丈夫|老公|妈妈|爸爸|姐姐|妹妹|哥哥|弟弟|儿子|女儿|朋友|老板|同事|邻居|老师|猫|狗)"
    ),
    "medical_fact": (
        r"\b(?:allergic|allergy|diagnosed|diagnosis|blood (?:type|pressure|sugar)|asthma|diabet\w+|migraine\w*|"
        r"medication|prescri\w+|takes? \d|mg\b|surgery|vaccin\w+|"
        r"chronic)|过敏|确诊|诊断|血压|血糖|血型|哮喘|糖尿病|服药|手术|疫苗"
    ),
    "dietary_rule": (
        r"\b(?:vegetarian|vegan|gluten|lactose|kosher|halal|no (?:sugar|dairy|meat|alcohol|caffeine|salt)|"
        r"(?:do not|don't|never|cannot|can't|must not) (?:eat|drink)|"
        r"(?:avoid|cut(?:ting)? out) \w+)\b|不吃|不喝|忌口|素食|戒(?:糖|酒|烟)"
    ),
    "fitness_goal": (
        r"\b(?:marathon|kilos?|kg|pounds|lose weight|gain muscle|10,?000 steps|half[- ]marathon|train(?:ing)? for|"
        r"fitness goal|run \d+|swim \d+)\b|马拉松|减肥|减重|增肌|公斤|训练目标"
    ),
    "current_plan": (
        r"\b(?:plan|routine|schedule|programme|program|every (?:day|morning|evening|week|monday)|"
        r"twice a week|"
        r"three times a week)\b|计划|每天|每周|安排"
    ),
    "preference": r"\b(?:prefer|like|love|enjoy|hate|dislike)\b|喜欢|讨厌|偏好",
    "daily_log": r"\b(?:today|this morning|yesterday|slept|walked|ate|drank)\b|今天|昨天|今早|睡了|走了|吃了",
    "learning_goal": r"\b(?:want to|need to|going to|plan to|trying to) (?:learn|understand|master|study|read)\b|"
    r"\blearning goal\b|想(?:学|学会|掌握|弄懂)|学习目标",
    "insight": (
        r"\b(?:realis|realiz)ed\b|\b(?:insight|it clicked|makes sense now|turns out|key point|aha)\b|原来|"
        r"明白了|恍然|领悟"
    ),
    "progress": (
        r"\b(?:finished|completed|progress|chapter \d+|done with|halfway|passed|reached)\b|学完|完成|进度|"
        r"读到|看完"
    ),
    "knowledge_claim": (
        r"\b(?:is|are|was|were|means|has|have|uses|works|consists|defined)\b|是|意味着|等于|"
        r"由.{1,12}组成"
    ),
}
_RULES = {name: re.compile(words, re.IGNORECASE) for name, words in _WORDS.items()}
_TOLD = frozenset({FEELING, COMMITMENT, PERSONAL_DETAIL, EXPERIENCE})
# What a kind of statement is called among the classes of a template that has no class of that name.
_KINDS: Mapping[str, str] = {QUESTION: "open_question", STATUS: "progress", GOAL: "learning_goal"}


def routes(pack: Pack) -> Mapping[str, str]:
    """Class → the facet that it belongs to."""
    found: dict[str, str] = {}
    for facet in pack.facets:
        for one in facet.routes_from:
            found.setdefault(one, facet.name)
    return found


def class_of(statement: Statement, wanted: Collection[str]) -> str | None:
    """The class of a statement among those that are routed somewhere, or None."""
    if statement.kind == NOISE:
        return None
    if statement.kind in wanted:
        return statement.kind
    template = _template_of(wanted)
    named = _KINDS.get(statement.kind, statement.kind)
    for one in TYPES[template] if template is not None else sorted(wanted):
        if named == one or _fits(one, statement.text):
            return one if one in wanted else None
    return None


def _template_of(wanted: Collection[str]) -> str | None:
    """The template whose classes are asked for; None for a pack of somebody's own."""
    return next((name for name, types in TYPES.items() if set(wanted) <= set(types)), None)


def _fits(name: str, text: str) -> bool:
    head = text[:_LOOKED_AT]
    if name in _TOLD:
        return kind_of(head) == name
    rule = _RULES.get(name)
    return rule is not None and bool(rule.search(head))
