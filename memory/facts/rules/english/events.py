"""English events: what happened to the speaker."""

from __future__ import annotations

import re

from memory.facts.rules.clause import Finding
from memory.facts.rules.english.grammar import whole
from memory.facts.rules.english.moments import MANNER, NOTHING, POINTING, Look, timeless, when_of
from memory.facts.rules.english.said import Said
from memory.facts.rules.english.values import trimmed
from memory.facts.rules.english.words import LIFE_EVENT, NOT_EVENT, PAST_VERB

_MY_THING = whole(
    r"my (?P<x>(?:[a-z]+ ){0,2}[a-z]+ (?:died|broke(?: down)?|crashed|got (?:stolen|flooded|hacked|"
    r"broken into|towed|damaged|robbed)|was (?:stolen|hacked|robbed|towed)|arrived|flooded|caught "
    r"fire|burned down))(?: .+)?"
)


_ABOUT_ME = whole(
    r"my (?:boss|company|manager|work|girlfriend|boyfriend|wife|husband|gf|bf|partner|landlord|"
    r"school) (?P<x>(?:fired|laid off|dumped|promoted|evicted|proposed to|broke up with|expelled|"
    r"cheated on) me\b.*)"
)


_EXAM_PAST = whole(
    r"my (?P<x>[\w' ]{2,30} (?:went (?:really |very |pretty |so |super )*(?:well|badly|great|terribly|"
    r"fine|ok|okay|horribly|smoothly)|got (?:cancelled|canceled|postponed)))(?: .+)?"
)


_PAST = whole(
    rf"I (?:have )?{MANNER}(?P<neg>didn't )?(?P<v>{PAST_VERB}|go|get|make|pass|sleep|eat|" r"finish)\b(?P<x>.*)"
)


_WAS = whole(
    r"I was (?P<x>(?:in|at|on) (?!my way|fire|it\b|the (?:phone|toilet))[\w' -]{3,60}|(?:really |so |"
    r"very )?(?:sick|ill|hospitali[sz]ed|injured|promoted|fired|laid off|hired|accepted|rejected|born|"
    r"robbed|diagnosed)\b.*)"
)


_LONG_AGO = re.compile(
    r"\b(?:last (?:summer|winter|spring|fall|autumn|semester|term)|the other (?:day|night|week)|when "
    r"I was (?:\w+|a \w+)|as a (?:kid|child|teen\w*)|years ago|in (?:high school|college|middle "
    r"school|uni))\b",
    re.IGNORECASE,
)


_LIFE = re.compile(rf"^(?:have )?(?:{LIFE_EVENT})\b", re.IGNORECASE)


_NOT_EVENT = re.compile(rf"^(?:{NOT_EVENT})\b", re.IGNORECASE)


def events(said: Said) -> Look:
    """Something that happened, at a time said or as a matter of life."""
    text, spoken, telling = said.text, said.spoken, said.telling
    match = _ABOUT_ME.match(text)
    if match:
        return Finding(slot="event", value=timeless(match["x"], telling), text=said.told(trimmed(text))), True
    match = _EXAM_PAST.match(text) or _MY_THING.match(text)
    if match:
        return Finding(
            slot="event", value=timeless(match["x"], telling), text=said.told(trimmed(text), past=True)
        ), True
    when = when_of(spoken, telling, True)
    past_time = when is not None and when.grain != "now" and when.start is not None and when.start <= telling.anchor
    past_time = past_time or bool(_LONG_AGO.search(spoken))
    was = _WAS.match(text)
    if was and past_time:
        return Finding(slot="event", value=timeless(was["x"], telling), text=said.told(trimmed(text), past=True)), True
    match = _PAST.match(text)
    if not match:
        return NOTHING
    did = f"{match['v']}{match['x']}"
    verb = match["v"].lower()
    present = verb in ("go", "get", "make", "pass", "sleep", "eat", "finish", "need", "read", "put", "cut", "let")
    if (present and not match["neg"] and not (verb in ("read", "cut", "put") and past_time)) or _NOT_EVENT.match(did):
        return NOTHING
    life = bool(_LIFE.match(did)) and not match["neg"]
    life = life or bool(
        match["neg"] and re.match(r"(?:get|pass|make|finish) (?:the|my|into|accepted|in to)\b", did, re.IGNORECASE)
    )
    if (
        not (life or past_time)
        or POINTING.search(timeless(did, telling))
        or (not timeless(match["x"], telling).strip() and not life)
    ):
        return NOTHING
    return Finding(
        slot="event", value=timeless(did, telling), text=said.told(trimmed(text), past=True), negated=bool(match["neg"])
    ), True
