"""When two statements say the same thing, and when one cannot stand beside the other."""

from __future__ import annotations

import re
import unicodedata
from typing import Protocol

from memory.facts.rules.draft import is_single_valued

_SAME = 0.8  # share of object tokens that two wordings of one thing have in common
_WAYS = frozenset({"habit", "diet", "hobby", "skill"})  # what one does may be told as any of these
_EXACT = frozenset({"name", "character_name", "age", "birth_year"})  # no value of these is a part of another
_WORD = re.compile(r"[a-z0-9]+(?:[.'][a-z0-9]+)*|[^\W_]")
_NUMBER = re.compile(r"\d+")
_ARTICLES = frozenset({"a", "an", "the", "my", "some", "any"})
_PARTICLES = str.maketrans("", "", "的了")


class Statement(Protocol):
    """The part of a fact that comparison looks at; a fact and a draft both fit."""

    @property
    def entity(self) -> str: ...
    @property
    def slot(self) -> str | None: ...
    @property
    def object(self) -> str | None: ...
    @property
    def negated(self) -> bool: ...


def fold_object(text: str) -> str:
    """Case, width, articles and punctuation removed, so that wordings of one value meet."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    found = _WORD.findall(folded)
    # An article stands before a Latin word: the A of A型血 is none.
    words = [
        word
        for at, word in enumerate(found)
        if word not in _ARTICLES or not found[min(at + 1, len(found) - 1)][0].isascii()
    ]
    out = ""
    for word in words:
        # Latin words keep a space between them; Chinese characters stand together as written.
        out += (" " if out and out[-1].isascii() and word[0].isascii() else "") + word
    return out


def same_statement(one: Statement, other: Statement) -> bool:
    """Same subject, slot, value and polarity. Statements without a slot or value are never the same."""
    return (
        _comparable(one, other) and one.slot == other.slot and one.negated == other.negated and _same_object(one, other)
    )


def contradicts(one: Statement, other: Statement) -> bool:
    """Whether both cannot hold: another value in a slot for one value, or the same value with opposite polarity."""
    if not _comparable(one, other):
        return False
    if one.negated != other.negated:
        denied, held = (one, other) if one.negated else (other, one)
        # To deny the general ("a cat") is to deny the particular ("a cat named Momo").
        return _same_object(one, other) or _within(denied, held) or (one.slot != other.slot and _within(held, denied))
    if one.negated or one.slot != other.slot or not is_single_valued(one.slot):
        return False
    if one.slot in _EXACT:
        return one.object != other.object
    return not (_same_object(one, other) or _within(one, other) or _within(other, one))


def related_slots(slot: str | None) -> frozenset[str]:
    """The slots whose statements may repeat or contradict one in this slot, itself among them."""
    if slot is None:
        return frozenset()
    return _WAYS if slot in _WAYS else frozenset({slot})


def _comparable(one: Statement, other: Statement) -> bool:
    return (
        one.slot is not None
        and other.slot is not None
        and other.slot in related_slots(one.slot)
        and one.entity == other.entity
        and bool(one.object)
        and bool(other.object)
    )


def _same_object(one: Statement, other: Statement) -> bool:
    if one.object == other.object:
        return True
    mine, yours = _tokens(one.object), _tokens(other.object)
    if not mine or not yours or _numbers(one.object) != _numbers(other.object):
        return False
    return 2 * len(mine & yours) / (len(mine) + len(yours)) >= _SAME


def _within(part: Statement, whole: Statement) -> bool:
    """Whether everything the first names is named by the second, like Shanghai in Pudong, Shanghai."""
    mine, yours = _tokens(part.object), _tokens(whole.object)
    return bool(mine) and mine <= yours and _numbers(part.object) <= _numbers(whole.object)


def _tokens(text: str | None) -> frozenset[str]:
    words = _WORD.findall((text or "").translate(_PARTICLES))
    return frozenset(_stem(word) for word in words if word not in _ARTICLES)


def _stem(word: str) -> str:
    """A light cut of English endings: enough for ``cats`` and ``cat``, ``smoking`` and ``smoke`` to meet."""
    if not word.isascii() or len(word) < 4:
        return word
    if word.endswith("ing") and len(word) > 5:
        word = word[:-3]
        word = word[:-1] if word[-1] == word[-2] and word[-1] not in "ls" else word
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.rstrip("e") if len(word) > 4 else word


def _numbers(text: str | None) -> frozenset[str]:
    return frozenset(_NUMBER.findall(text or ""))
