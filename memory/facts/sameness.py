"""Whether two statements say the same, told from their words alone."""

from __future__ import annotations

import re
from collections.abc import Set

from memory.recall.plain_tokens import pairs, payload
from memory.recall.stopwords import ENGLISH

SAME = 0.6          # share of words in common from which two statements are one
REVISION = 0.7      # … and from which a note takes the place of another

_LONG = 12          # characters from which any statement is looked for inside other texts
_TELLING = 2        # … or words that say something, and pairs of CJK characters
_BLANKS = re.compile(r"\s+")
_EDGES = " \t\n.,;:!?…\"'“”‘’()[]。，；：！？、（）「」《》"     # may stand around a statement and are no part of it
_CLAUSE_ENDS = re.compile(r"(?<=[.;!?])\s+|(?<=[。；！？])|\n+")
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


def is_telling(statement: str) -> bool:
    """Whether a statement says enough to be looked for inside other texts."""
    bare = normal(statement).strip(_EDGES)
    words = sum(len(word) > 2 and word not in ENGLISH for word in payload(bare))
    return len(bare) >= _LONG or words + len(pairs(bare)) >= _TELLING


def stands_in(statement: str, text: str) -> bool:
    """Whether a text has a statement in it, word for word; blanks, capitals and the marks around it do not count."""
    bare, whole = normal(statement).strip(_EDGES), normal(text)
    if not bare:
        return False
    at = whole.find(bare)
    while at >= 0:
        if not _within_a_word(whole, at) and not _within_a_word(whole, at + len(bare)):
            return True
        at = whole.find(bare, at + 1)
    return False


def _within_a_word(text: str, at: int) -> bool:
    """Whether a place lies between two letters of an ASCII word."""
    return 0 < at < len(text) and _is_plain(text[at - 1]) and _is_plain(text[at])


def _is_plain(char: str) -> bool:
    return char.isascii() and char.isalnum()


def says(text: str, statement: str) -> bool:
    """Whether a text, or one of its clauses, says a statement, however it is worded."""
    if same_fact(text, statement) or (is_telling(statement) and stands_in(statement, text)):
        return True
    return any(same_fact(clause, statement) for clause in clauses(text))


def clauses(text: str) -> list[str]:
    """The sentences of a text and what is set apart in them, with the marks at their ends."""
    return [clause for clause in _CLAUSE_ENDS.split(text) if clause]
