"""What a fact counts as among stored memories, also one that nobody stored but a conversation taught."""

from __future__ import annotations

from collections.abc import Mapping

from memory.facts.fact import RELATIONSHIP, Fact
from memory.facts.memory import ENTITIES, EVENTS, PATTERNS, PREFERENCES, PROFILE, Memory, from_transcript

LABEL = "conversation"      # who wrote what a conversation taught

# What a learnt fact answers → its category. Fixed, so that the same fact always counts as the same.
_CATEGORIES: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "name", "alias", "birthday", "birth_year", "age", "home", "dwelling", "origin", "nationality", "job",
            "workplace", "work", "school", "major", "grade", "allergy", "diet", "health", "body", "identity", "trait",
            "skill", "learning",
        ),
        PROFILE,
    ),
    **dict.fromkeys(("preference", "favourite", "fear", "hobby", "wish"), PREFERENCES),
    **dict.fromkeys(
        ("partner", "family", "people", "pet", "possession", "about_character", "character_name", "bond", "remember"),
        ENTITIES,
    ),
    "habit": PATTERNS,
    **dict.fromkeys(("plan", "event", "state", "promise"), EVENTS),
}  # fmt: skip


def category_of(fact: Fact) -> str:
    """The category that recall and counts know a fact by."""
    return fact.memory.category if fact.memory is not None else from_transcript(_detected(fact))[0]


def memory_of(fact: Fact) -> Memory:
    """What was stored beside a fact, or what stands for it with one that a conversation taught."""
    if fact.memory is not None:
        return fact.memory
    category, boundary = from_transcript(_detected(fact))
    return Memory(category=category, importance=fact.importance / 10, boundary=boundary, label=LABEL, form="ingest")


def is_shown(fact: Fact) -> bool:
    """Whether a fact still holds and nobody hid it."""
    return fact.superseded_by is None and fact.denied_in is None and not is_hidden(fact.extra)


def is_hidden(extra: Mapping[str, object]) -> bool:
    """Marks that other programs put on rows which recall must not show."""
    score = extra.get("score")
    if isinstance(score, (int, float)) and score < 0:
        return True
    return any(extra.get(mark) is True for mark in ("suppress", "suppressed", "protected"))


def _detected(fact: Fact) -> str:
    slot = (fact.slot or "").partition(":")[0]
    return _CATEGORIES.get(slot, ENTITIES if fact.entity == RELATIONSHIP else EVENTS)
