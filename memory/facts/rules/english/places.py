"""Which words name a place to live in or come from."""

from __future__ import annotations

import re

from memory.facts.rules.english.grammar import pattern

PLACE_NOT = re.compile(
    r"^(?:fear|denial|hope|peace|the moment|the past|the present|hell|a bubble|my head|a world|a "
    r"dream|a society|a simulation|hiding|pain|poverty|"
    r"here|there|the same|this|that|these|those|a hurry|bed|trouble|love|town|general|luck|charge|a "
    r"rush|the zone|the middle|my own|another|different|"
    r"the future|hr|the next level|the next|a different|team|other|both|it|an? (?:\w+ ){0,3}(?:house|"
    r"flat|apartment|dorm|studio|city|town|village|place|room|basement|"
    r"neighbou?rhood|suburb|farm|cabin|condo|trailer|van|rv|building|share|share house|loft|bungalow)|"
    r"the (?:city|countryside|suburbs|country|mountains|sea|beach|ocean|woods|forest|middle of "
    r"nowhere|middle of .+))\b",
    re.IGNORECASE,
)


DWELLING = re.compile(
    r"^(?:an? (?:[\w-]+ ){0,3}(?:house|flat|apartment|dorm|studio|city|town|village|room|basement|"
    r"neighbou?rhood|suburb|farm|cabin|condo|trailer|van|rv|loft|bungalow)|the (?:city|countryside|"
    r"suburbs|country|mountains|sea|beach|ocean|woods|forest|middle of nowhere))\b(?P<rest>.*)$",
    re.IGNORECASE,
)


_HOME_TAIL = pattern(r"\s+with (?:my|the|our|a|an|his|her|two|three)\b.*$")


def placed(slot: str, value: str | None, spoken: str) -> tuple[str, str | None]:
    if value is None:
        return slot, None
    value = place_of(value)
    if not PLACE_NOT.match(spoken):
        return slot, value
    dwelling = DWELLING.match(spoken)
    if not dwelling or slot != "home":
        return slot, None
    inside = re.search(r" in (?!which\b|the\b|a\b)(.+)$", value)
    return ("home", inside[1]) if inside else ("dwelling", value)


def place_of(value: str) -> str:
    """The place alone, without who else lives there."""
    return _HOME_TAIL.sub("", value)
