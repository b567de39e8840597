"""What the rules bring forth: a draft of a fact, or a drop with its reason; and the closed table of slots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.facts.fact import MASTER, USER_OBSERVATION

METHOD = "rules/v1"

EXPLICIT, USUAL, WEAK = 0.9, 0.7, 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A fact but for its id, its time of learning and its sources."""

    text: str
    language: str  # "en" or "zh": the language it was said in
    entity: str = MASTER
    importance: int = 5  # 1..10
    confidence: float = WEAK  # 0..1
    event_when_raw: Mapping[str, Any] | None = None  # {"start": {"offset", "unit"}, "end": … | None}
    event_start_at: datetime | None = None  # aware, resolved from the time of the message
    event_end_at: datetime | None = None
    slot: str | None = None  # a name of SLOTS, or "favourite:<category>"
    object: str | None = None  # the value in the slot, folded for comparison
    negated: bool = False  # "I don't like tea", "I no longer live in Rome"
    correction: bool = False  # said with a cue of change: "actually", "anymore", 其实, 不再
    method: str = METHOD
    source: str = USER_OBSERVATION

    @property
    def single_valued(self) -> bool:
        """Whether a newer value in this slot replaces the older one."""
        return is_single_valued(self.slot)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """A clause that was looked at and left out. Carries no text, only the hash of it."""

    reason: str  # a word from REASONS
    clause: str  # the first 16 hex digits of the SHA-256 of the clause


REASONS = (
    "code",
    "conditional",
    "duplicate",
    "fiction",
    "hypothetical",
    "instruction",
    "limit",
    "question",
    "quoted",
    "recalled",
    "reported",
    "sarcasm",
    "too_long",
    "unsafe",
)


@dataclass(frozen=True, slots=True)
class Slot:
    """What a slot is worth: importance 1..10, confidence 0..1, one value or many."""

    importance: int
    confidence: float
    single: bool = False


SLOTS: Mapping[str, Slot] = {
    "name": Slot(10, EXPLICIT, True),
    "alias": Slot(10, EXPLICIT),
    "remember": Slot(10, EXPLICIT),
    "birthday": Slot(10, EXPLICIT, True),
    "birth_year": Slot(9, EXPLICIT, True),
    "age": Slot(9, EXPLICIT, True),
    "home": Slot(9, EXPLICIT, True),
    "dwelling": Slot(7, USUAL),
    "origin": Slot(9, EXPLICIT, True),
    "nationality": Slot(9, EXPLICIT),
    "job": Slot(9, EXPLICIT, True),
    "workplace": Slot(9, EXPLICIT, True),
    "work": Slot(9, EXPLICIT),
    "school": Slot(9, EXPLICIT, True),
    "major": Slot(9, EXPLICIT, True),
    "grade": Slot(9, EXPLICIT, True),
    "allergy": Slot(9, EXPLICIT),
    "diet": Slot(9, EXPLICIT),
    "health": Slot(9, EXPLICIT),
    "body": Slot(7, EXPLICIT),
    "identity": Slot(9, EXPLICIT),
    "partner": Slot(8, EXPLICIT, True),
    "family": Slot(8, EXPLICIT),
    "people": Slot(6, USUAL),
    "pet": Slot(8, EXPLICIT),
    "possession": Slot(8, EXPLICIT),
    "preference": Slot(7, USUAL),
    "favourite": Slot(8, EXPLICIT, True),
    "fear": Slot(7, USUAL),
    "habit": Slot(7, USUAL),
    "hobby": Slot(7, USUAL),
    "trait": Slot(7, USUAL),
    "skill": Slot(6, USUAL),
    "learning": Slot(6, USUAL),
    "plan": Slot(6, USUAL),
    "wish": Slot(6, USUAL),
    "event": Slot(6, USUAL),
    "state": Slot(6, WEAK),
    "about_character": Slot(7, USUAL),
    "character_name": Slot(8, EXPLICIT, True),
    "bond": Slot(7, USUAL),
    "promise": Slot(6, USUAL),
}


# What holds at no particular time: a weekday in it is a habit, not a date.
_TIMELESS = """
name alias age birth_year origin nationality allergy diet body identity preference favourite fear habit hobby trait
skill dwelling about_character character_name
"""
TIMELESS = frozenset(_TIMELESS.split())


def slot_of(name: str) -> Slot:
    """The worth of a slot; ``favourite:colour`` counts as ``favourite``. Raises KeyError for a name not listed."""
    return SLOTS[name.partition(":")[0]]


def is_single_valued(name: str | None) -> bool:
    """Whether a slot holds one value at a time; unknown and missing slots hold many."""
    if name is None:
        return False
    slot = SLOTS.get(name.partition(":")[0])
    return slot is not None and slot.single
