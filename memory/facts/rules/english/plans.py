"""English plans: what the speaker will do, and when."""

from __future__ import annotations

import re

from memory.facts.rules.clause import Finding
from memory.facts.rules.english.grammar import whole
from memory.facts.rules.english.moments import EVERY, MANNER, NOTHING, POINTING, Look, ahead, timeless, when_of
from memory.facts.rules.english.said import Said
from memory.facts.rules.english.values import trimmed
from memory.facts.rules.english.words import EVENT_NOUN, any_of

_TRIVIAL = re.compile(
    r"^(?:be (?:back|right back|there|here|fine|ok|okay|honest|good|quick|gone|late|on|off|"
    r"online|offline)|sleep|go to (?:sleep|bed)|bed|eat|shower|take a (?:nap|shower|break|bath|look)|"
    r"try|tell|let you|"
    r"check|see (?:you|what|if|how|about|it)|think|ask|show|send|talk|chat|say|brb|go(?: now)?$|head "
    r"(?:out|off|home|to bed)|get (?:some|back|going|ready|up|going|a snack)|do (?:it|that|this|so|my "
    r"best)|call it|hit the|crash|pass out|need|want|"
    r"know|remember|forget|miss|love|like|hate|kill|die|cry|scream|lose it|explode|keep|never|stop|"
    r"log|text|message|come back|play with you|find out|give you|make you|teach you|help you|explain|"
    r"look it|google|report|update)\b",
    re.IGNORECASE,
)


_PLAN = whole(
    rf"I (?:am |have ){MANNER}(?:going to|planning (?:to|on)|planned to|decided to|looking forward to|"
    r"excited (?:for|about)|set to|scheduled to|due to) (?P<x>.+)|"
    rf"I {MANNER}(?:will|plan to|intend to|plan on|need to|have to|must|can't wait (?:to|for)) {MANNER}(?P<y>.+)"
)


_FIRM = re.compile(r"\b(?:planning|planned|plan|intend|decided)\b", re.IGNORECASE)


_PROGRESSIVE = whole(
    rf"I am {MANNER}(?P<x>(?:off to|due|flying|making|cooking|baking|going|moving|traveling|travelling|visiting|"
    r"meeting|seeing|taking|starting|getting|having|leaving|throwing|hosting|attending|presenting|"
    r"giving|driving|hiking|running|competing|performing|running|graduating|picking|adopting|"
    r"returning|heading|working|playing|signing|doing|speaking|buying|interviewing|defending|retiring|"
    r"quitting|turning|celebrating|cooking|joining|switching|transferring) .+)"
)


_SCHEDULED = whole(
    r"I (?:start|leave|fly|graduate|move|retire|begin|finish|return|defend|compete|perform|take|get|"
    r"meet|see|go|travel) (?P<x>.+)"
)


_HAVE_EVENT = whole(
    rf"I (?:{MANNER}have|have|got) (?P<x>(?:an? |my |some |two |three |the |another |no "
    rf")?{EVENT_NOUN}(?: .+)?)"
)


_EVENT_IS = whole(
    rf"my (?P<x>{EVENT_NOUN}(?: (?:to|with|for|at|in) [\w' ]{{2,30}}?)?) (?P<verb>(?:is|are|"
    r"starts?|begins?|leaves?|will be|got (?:moved|postponed|pushed|cancelled|canceled|"
    r"rescheduled)(?: to)?|has been (?:moved|postponed|rescheduled)(?: to)?|was (?:moved|postponed|"
    r"rescheduled|cancelled)(?: to)?) .+)"
)


_ITS_MY = whole(
    rf"(?P<t>today|tomorrow|yesterday|(?:next |this )?{'(?:mon|tues|wednes|thurs|fri|satur|sun)day'}|"
    r"next week) (?:is|was|will be) my (?P<x>(?:first|last) day .+|(?:first|last) .+|"
    rf"{EVENT_NOUN}(?: .+)?)"
)


_TERM = whole(
    r"(?:my )?(?P<x>finals|final exams|exams|midterms|classes|school|the semester|my semester) "
    r"(?:starts?|begins?|ends?|is over|are over) .+"
)


_TURNING = whole(
    rf"I (?:am turning|turn|will be turning|will be|will turn|am going to (?:be|turn)) (?P<x>\d{{1,2}}|"
    rf"{any_of('twenty thirty forty fifty sixty eighteen twenty-one nineteen')}) (?P<t>.+)"
)


def plans(said: Said) -> Look:
    """A plan and how its time is to be read; nothing where nothing certain lies ahead."""
    text, spoken, telling = said.text, said.spoken, said.telling
    when = when_of(spoken, telling, False)
    mine = _ITS_MY.match(text)
    if mine:
        past_day = mine["t"].lower() == "yesterday" or " was " in text
        return Finding(slot="event" if past_day else "plan", value=mine["x"], text=said.told(trimmed(text))), past_day
    turning = _TURNING.match(text)
    if turning and ahead(when, telling):
        return Finding(slot="plan", value=f"turn {turning['x']}", text=said.told(trimmed(text))), False
    negated = bool(re.match(r"I (?:won't|am not)\b", text, re.IGNORECASE))
    bare = re.sub(
        r"^(I) won't ", r"\1 will ", re.sub(r"^(I am) not ", r"\1 ", text, flags=re.IGNORECASE), flags=re.IGNORECASE
    )
    plan = _PLAN.match(bare)
    if plan:
        what = plan["x"] or plan["y"]
        certain = ahead(when, telling) or (bool(_FIRM.search(bare)) and not negated)
        if certain and not _TRIVIAL.match(what) and not POINTING.search(timeless(what, telling)):
            return Finding(
                slot="plan", value=timeless(what, telling), text=said.told(trimmed(text)), negated=negated
            ), False
        return NOTHING
    moving = _PROGRESSIVE.match(bare)
    if moving and (
        (
            ahead(when, telling)
            and when is not None
            and (when.raw["start"]["offset"] > 0 or re.search(r"\b(?:tonight|later today)\b", spoken, re.IGNORECASE))
        )
        or re.match(
            r"(?:moving (?:to|out|in)|getting (?:married|surgery|divorced)|adopting|quitting my|graduating) ?",
            moving["x"],
            re.IGNORECASE,
        )
    ):
        if not POINTING.search(timeless(moving["x"], telling)):
            return Finding(
                slot="plan", value=timeless(moving["x"], telling), text=said.told(trimmed(text)), negated=negated
            ), False
        return NOTHING
    scheduled = _SCHEDULED.match(text)
    if (
        scheduled
        and ahead(when, telling)
        and when is not None
        and when.start is not None
        and when.start.date() > telling.anchor.date()
        and not EVERY.search(spoken)
        and not POINTING.search(timeless(scheduled["x"], telling))
    ):
        return Finding(slot="plan", value=timeless(text[2:], telling), text=said.told(trimmed(text))), False
    for pattern in (_HAVE_EVENT, _EVENT_IS, _TERM):
        match = pattern.match(text)
        if match and (
            ahead(when, telling)
            or (pattern is _HAVE_EVENT and re.search(r"\b(?:coming up|soon|next)\b", text, re.IGNORECASE))
        ):
            return Finding(slot="plan", value=timeless(match["x"], telling), text=said.told(trimmed(text))), False
    return NOTHING
