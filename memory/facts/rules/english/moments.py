"""What English plans, habits, events and states have in common."""

from __future__ import annotations

import re

from memory.facts.rules.clause import Finding, Telling
from memory.facts.rules.event_when import When, resolve

MANNER = (
    r"(?:(?:really|just|also|finally|actually|still|currently|probably|always|already|recently|kinda|"
    r"only|even|totally|so|very|quite|pretty|super|a bit|a little|kind of|extremely|incredibly|too) "
    r"){0,3}"
)


LATELY = re.compile(
    r"\b(?:lately|recently|these days|nowadays|this (?:week|month)|for (?:weeks|months|days|a while)|"
    r"(?:the )?past few (?:days|weeks)|all (?:day|week)|ever since|since|about my|because of|at work|"
    r"about the)\b",
    re.IGNORECASE,
)


EVERY = re.compile(
    r"\b(?:every (?:single |other )?(?:day|morning|night|evening|afternoon|week|weekend|month|year|"
    r"summer|winter|spring|monday|tuesday|wednesday|thursday|friday|saturday|sunday|time|few \w+)|"
    r"each (?:day|morning|night|week)|daily|weekly|on (?:weekends|weekdays|(?:mon|tues|wednes|thurs|"
    r"fri|satur|sun)days)|(?:once|twice|three times|four times|five times|\d+ times|a few times|"
    r"several times|\d+x|\d+ hours|\w+ hours) (?:a|per) (?:day|night|week|month|year)|"
    r"all the time|most (?:days|mornings|nights|evenings|weekends)|before bed|during (?:ramadan|lent|"
    r"the (?:week|summer|winter|day|night))|in the mornings?|after "
    r"work|for (?:breakfast|lunch|dinner)|at night|in my (?:free|spare) time|when i am (?:stressed|"
    r"bored|sad|anxious|nervous))\b",
    re.IGNORECASE,
)


POINTING = re.compile(
    r"^(?:\w+ )?(?:it|this|that|them|him|her|so|one|some|something|there|here|you|those|these)\b(?! "
    r"(?:book|movie|exam|to))$|\b(?:you|your)\b",
    re.IGNORECASE,
)


Look = tuple[Finding | None, bool | None]


NOTHING: Look = (None, None)


def when_of(spoken: str, telling: Telling, past: bool | None) -> When | None:
    return resolve(spoken, telling.anchor, "en", past)


def ahead(when: When | None, telling: Telling) -> bool:
    """Whether the time lies on a later day, or at least not before today."""
    return (
        when is not None
        and when.grain not in ("lately", "now")
        and when.start is not None
        and when.start >= telling.anchor.replace(hour=0, minute=0)
    )


def timeless(text: str, telling: Telling) -> str:
    when = resolve(text, telling.anchor, "en")
    return text if when is None else (text[: when.span[0]] + text[when.span[1] :]).strip()
