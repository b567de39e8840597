"""How alike two lines of a state are, told from their words alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from functools import lru_cache

from memory.facts.sameness import normal, overlap, tokens
from memory.recall.plain_tokens import pairs, payload
from memory.recall.stopwords import ENGLISH

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@lru_cache(maxsize=8_192)
def tokens_of(text: str) -> frozenset[str]:
    """The words that count when two texts are compared."""
    return tokens(text)


@lru_cache(maxsize=8_192)
def numbers_of(text: str) -> frozenset[str]:
    """The numbers in a text, also those inside words: ``v2`` is not ``v3``."""
    return frozenset(_NUMBER.findall(text))


def telling(text: str) -> frozenset[str]:
    """Words that say what a text is about: no stop words, no bare numbers."""
    words = {word for word in payload(text) if len(word) > 2 and word not in ENGLISH and not word.isdecimal()}
    return frozenset(words | pairs(text))


def likeness(one: str, other: str) -> float:
    """0..1; 1 for what reads alike, 0 for texts about different things or about nothing."""
    if normal(one) == normal(other):
        return 1.0
    own, others = payload(one), payload(other)
    if own and others and not own & others:
        return 0.0
    return overlap(tokens_of(one), tokens_of(other))


def same_line(one: str, other: str, least: float) -> bool:
    """Whether two lines say the same: alike enough, and with the same numbers."""
    return numbers_of(one) == numbers_of(other) and likeness(one, other) >= least


def best(text: str, values: Iterable[str], least: float, *, without: Set[str] = frozenset()) -> int | None:
    """The place of the value most like a text, the newest of equals; ``without`` are words that say nothing here."""
    found: tuple[float, int] | None = None
    said, counted = telling(text) - without, numbers_of(text)
    for place, value in enumerate(values):
        others = numbers_of(value)
        if counted and others and counted != others:
            continue        # about another one of the same sort
        score = max(likeness(text, value), overlap(said, telling(value) - without))
        if score >= least and (found is None or score >= found[0]):
            found = (score, place)
    return found[1] if found is not None else None


def has_cjk(text: str) -> bool:
    return bool(_CJK.search(text))


def size_of(text: str) -> int:
    """Characters, of which a CJK one counts as two."""
    return len(text) + len(_CJK.findall(text))


def count_words(text: str) -> int:
    """Words between blanks; two CJK characters count as one."""
    others = _CJK.sub(" ", text)
    return len(others.split()) + (len(_CJK.findall(text)) + 1) // 2
