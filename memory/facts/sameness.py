"""Whether two statements say the same, told from their words alone."""

from __future__ import annotations

import re
from collections.abc import Set

from memory.recall.plain_tokens import pairs, payload

SAME = 0.6          # share of words in common from which two statements are one
REVISION = 0.7      # … and from which a note takes the place of another

_BLANKS = re.compile(r"\s+")
_SYNONYMS = {"doc": "documentation", "docs": "documentation", "blocker": "blocked"}


def normal(text: str) -> str:
    """A text as it is compared with another: no blanks at the ends, one between words, no capitals."""
    return _BLANKS.sub(" ", text).strip().lower()


def tokens(text: str, shortest: int = 3) -> frozenset[str]:
    """ASCII words of at least ``shortest`` letters, and pairs of CJK characters."""
    words = {_SYNONYMS.get(word, word) for word in payload(text) if len(word) >= shortest}
    return frozenset(words | pairs(text))


def overlap(one: Set[str], other: Set[str]) -> float:
    """0..1: what both have of what either has; 0 where neither has anything."""
    either = len(one | other)
    return len(one & other) / either if either else 0.0


def same_fact(one: str, other: str) -> bool:
    """Whether two statements are one fact, however they are worded."""
    return normal(one) == normal(other) or (
        not _other_payload(one, other) and overlap(tokens(one), tokens(other)) >= SAME
    )


def revises(new: str, old: str) -> bool:
    """Whether a note reads as another wording, or a later state, of an old one."""
    return not _other_payload(new, old) and overlap(tokens(new, 1), tokens(old, 1)) >= REVISION


def _other_payload(one: str, other: str) -> bool:
    """Whether both have ASCII words and not one in common: then they are about different things."""
    own, others = payload(one), payload(other)
    return bool(own) and bool(others) and not own & others
