"""The parts that English rules are made of."""

from __future__ import annotations

import re
from typing import Any

from memory.facts.rules.numerals import ENGLISH_NUMBER
from memory.facts.rules.rule import Rule


def pattern(text: str) -> re.Pattern[str]:
    """A pattern that looks past capital letters."""
    return re.compile(text, re.IGNORECASE)


def whole(text: str) -> re.Pattern[str]:
    """A pattern that covers a clause from its first word to its last."""
    return re.compile(rf"^(?:{text})$", re.IGNORECASE)


def rule(slot: str, text: str, **flags: Any) -> Rule:
    """A rule whose wording covers a clause from its first word to its last."""
    return Rule(slot=slot, pattern=whole(text), **flags)


ADV = (
    r"(?:(?:really|just|also|actually|still|currently|now|absolutely|totally|truly|honestly|always|"
    r"kinda|definitely|only|mostly|"
    r"mainly|recently|finally|even|do|personally|secretly|genuinely|seriously|both|already|basically|"
    r"particularly|especially|"
    r"so|very|quite|completely|deeply|strictly|technically|officially|severely|extremely|deathly|"
    r"mildly|super|pretty) ){0,3}"
)


NAME = r"(?:[^\W\d_][\w'’.-]*(?: (?-i:[A-Z])[\w'’-]*){0,2}|\ue000\d+\ue001)"


NUMBER = ENGLISH_NUMBER


A = r"(?:an? |the |my |some |one )?"


END = (
    r"(?:,? (?:now|currently|these days|at the moment|right now|btw|by the way|lol|haha|too|as well|"
    r"actually|anymore|nowadays|tho|though|already|again|yet))*"
)
