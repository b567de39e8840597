"""What a reflection or persona entry claims, and how a fact bears on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.facts.fact import MASTER, NEKO, RELATIONSHIP, Fact
from memory.facts.rules.compare import Statement, contradicts, same_statement
from memory.people import Names
from memory.recall.words import fold
from memory.reflections.reflection import EPISODE, PATTERN, STATE
from memory.reflections.wording import about, dice

# Slots that speak of one side of a person; only within one of these can facts be drawn together.
_FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(("preference", "favourite", "habit", "hobby", "skill", "learning", "wish"), "likes"),
    **dict.fromkeys(("home", "dwelling", "origin", "nationality"), "place"),
    **dict.fromkeys(("job", "workplace", "school", "major", "grade"), "work"),
    **dict.fromkeys(("name", "alias", "birthday", "birth_year", "age", "identity"), "identity"),
    **dict.fromkeys(("partner", "family", "people"), "people"),
    **dict.fromkeys(("pet", "possession"), "belongings"),
    **dict.fromkeys(("allergy", "diet", "health", "fear"), "limits"),
    **dict.fromkeys(("trait", "body"), "trait"),
    **dict.fromkeys(("plan", "event"), "happenings"),
    "state": "state",
    **dict.fromkeys(("bond", "promise"), "bond"),
    **dict.fromkeys(("about_character", "character_name"), "character"),
}
_RELATIONS: Mapping[str, Mapping[str, str]] = {
    MASTER: {
        "place": "identity", "work": "identity", "identity": "identity", "people": "identity",
        "belongings": "identity", "limits": "boundary", "trait": "trait", "state": "emotional",
    },
    NEKO: {"character": "role_note"},
    RELATIONSHIP: {"bond": "shared_memory"},
}  # fmt: skip
_BY_SLOT: Mapping[str, str] = {
    "preference": "preference", "favourite": "preference", "wish": "preference", "habit": "habit", "hobby": "habit",
    "skill": "trait", "learning": "habit", "promise": "agreement", "bond": "shared_memory",
}  # fmt: skip
_FLEETING_FAMILIES = ("happenings", "state")

_NUMBER = re.compile(r"\d+")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|without|cannot|can't|isn't|aren't|wasn't|don't|doesn't|didn't|won't|"
    r"hate|hates|dislike|dislikes)\b|[不没别未无]|讨厌"
)
_SAME_WORDING = 0.6
_LONG, _OFTEN = 14, 3       # days that a thing told on so many days must span to be a pattern


class Held(Protocol):
    """A reflection or a persona entry."""

    @property
    def text(self) -> str: ...
    @property
    def entity(self) -> str: ...
    @property
    def slot(self) -> str | None: ...
    @property
    def object(self) -> str | None: ...
    @property
    def negated(self) -> bool: ...
    @property
    def source_fact_ids(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Bearing:
    """That a fact speaks for something or against it, and by which rule."""

    supports: bool
    rule: str


def family(slot: str | None) -> str:
    """The side of a person that a slot speaks of; "" for none."""
    return _FAMILIES.get((slot or "").partition(":")[0], "")


def relation_of(entity: str, slot: str | None) -> str | None:
    """The relation type that goes with a slot, as far as the entity can have it."""
    name = (slot or "").partition(":")[0]
    if entity == MASTER and name in ("promise", "bond"):
        return None
    if entity in (MASTER, RELATIONSHIP) and name in _BY_SLOT:
        relation = _BY_SLOT[name]
        return relation if (relation in ("agreement", "shared_memory")) == (entity == RELATIONSHIP) else None
    return _RELATIONS.get(entity, {}).get(family(slot))


def scope_of(slot: str | None, days: int, spread: int) -> str:
    """How long what was told on so many days, ``spread`` days apart, holds.

    What people say of their tastes, home or limits holds until they say otherwise. For the rest
    only being told again and again over weeks makes a pattern of it.
    """
    if days >= _OFTEN and spread >= _LONG:
        return PATTERN
    kind = family(slot)
    if kind == "happenings":
        return EPISODE
    if kind and kind not in _FLEETING_FAMILIES:
        return PATTERN
    return STATE if days >= 2 else EPISODE


def bearing_of(fact: Fact, held: Held, sources: Iterable[Fact], names: Names) -> Bearing | None:
    """Whether a fact speaks for or against what is held; None when that is not certain."""
    if fact.entity != held.entity:
        return None
    claims: list[Statement] = [held, *(one for one in sources if one.entity == held.entity and one.id != fact.id)]
    if any(contradicts(fact, claim) for claim in claims):
        return Bearing(False, "contradicts")
    if fact.correction and fact.negated and any(_takes_back(fact, claim) for claim in claims):
        return Bearing(False, "takes_back")
    if fact.id in held.source_fact_ids or any(same_statement(fact, claim) for claim in claims):
        return Bearing(True, "same_statement")
    if fact.slot is not None and any(claim.slot is not None for claim in claims):
        return None
    if says_the_same(fact.text, held.text, names):
        return Bearing(True, "same_wording")
    return None


def _takes_back(fact: Fact, claim: Statement) -> bool:
    """ "No longer drinks tea" against "likes tea": another slot of one family, the same thing, the other way round."""
    if claim.negated or not fact.object or not claim.object or fact.slot == claim.slot:
        return False
    if {family(fact.slot), family(claim.slot)} - {"likes", "limits"}:
        return False
    mine, theirs = about(fact.object, Names(neko="", master="")), about(claim.object, Names(neko="", master=""))
    return bool(mine) and mine <= theirs


def says_the_same(one: str, other: str, names: Names) -> bool:
    """Whether two texts share most of their words, all their numbers, and their polarity."""
    mine, theirs = about(one, names), about(other, names)
    return (
        dice(mine, theirs) >= _SAME_WORDING
        and numbers(one) == numbers(other)
        and is_negated(one) == is_negated(other)
    )


def numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(text))


def is_negated(text: str) -> bool:
    return _NEGATION.search(fold(text)) is not None


def known_facts(fact_ids: Sequence[str], *lists: Mapping[str, Fact] | _Finds) -> list[Fact]:
    """The facts with these ids, from the first list that has each."""
    found = []
    for fact_id in fact_ids:
        fact = next((one for facts in lists if (one := facts.get(fact_id)) is not None), None)
        if fact is not None:
            found.append(fact)
    return found


class _Finds(Protocol):
    def get(self, fact_id: str, /) -> Fact | None: ...
