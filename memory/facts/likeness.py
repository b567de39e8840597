"""Which stored memories say the same, told without a model: cautiously, since what is merged is no longer found."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory.facts.fact import Fact
from memory.facts.keys import said
from memory.facts.memory import APPEND_ONLY, CATEGORIES, PREFERENCES
from memory.facts.slots import slot_in_key, slot_of
from memory.recall.words import words

MERGE, REVIEW, CONTRADICTION = "merge", "review", "contradiction"

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|\w+n['’]t|avoid\w*|dislikes?|hates?|stop(?:ped|s)?|disabled?)\b"
    r"|[不没沒無无未非别別讨厌]|ない|ません|なかった|않|못|안 |없|아니|\bне\b|\bнет\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Memories of one category that resemble each other."""

    category: str
    keep: Fact
    others: tuple[Fact, ...]
    likeness: float             # the least between the kept one and another, two decimals
    action: str


def clusters(facts: Iterable[Fact], *, cluster_from: float, merge_from: float, most: int) -> list[Cluster]:
    """What resembles each other among the newest ``most`` memories. The same memories give the same clusters.

    To be merged, all that one says must be said by the one that is kept, with the same numbers and
    the same yes or no. Of what only adds up (events, cases) nothing but exact repeats is merged.
    """
    newest = sorted(facts, key=lambda fact: (-fact.created_at.timestamp(), fact.id))[:most]
    found: list[Cluster] = []
    for category in CATEGORIES:
        rows = [fact for fact in newest if fact.memory is not None and fact.memory.category == category]
        if category in APPEND_ONLY:
            found += _repeats(category, rows)
        else:
            found += _alike(category, rows, cluster_from, merge_from)
    return found


def _repeats(category: str, facts: Sequence[Fact]) -> Iterator[Cluster]:
    groups: dict[str, list[Fact]] = {}
    for fact in facts:
        groups.setdefault(said(fact.text), []).append(fact)
    for group in groups.values():
        if len(group) > 1:
            group.sort(key=_strongest_first)
            yield Cluster(category=category, keep=group[0], others=tuple(group[1:]), likeness=1.0, action=MERGE)


@dataclass(frozen=True, slots=True)
class _Row:
    fact: Fact
    words: frozenset[str]
    grams: frozenset[str]


def _alike(category: str, facts: Sequence[Fact], cluster_from: float, merge_from: float) -> Iterator[Cluster]:
    rows = [_row(fact) for fact in sorted(facts, key=_strongest_first)]
    rarity = Counter(word for row in rows for word in row.words)
    taken: set[str] = set()
    near = _Neighbours(rows, rarity, cluster_from)
    for head in rows:
        if head.fact.id in taken:
            continue
        members = [
            (other, likeness)
            for other in near.of(head)
            if other.fact.id not in taken
            and other.fact.id != head.fact.id
            and _same_slot(category, head.fact, other.fact)
            and (likeness := _likeness(head, other)) >= cluster_from
        ]
        if not members:
            continue
        for action, group in _sorted_out(head, members, merge_from):
            taken |= {one.fact.id for one, _ in group} | {head.fact.id}
            keep = _fullest(head, [one for one, _ in group]) if action == MERGE else head
            others = [one.fact for one in (head, *(one for one, _ in group)) if one.fact.id != keep.fact.id]
            yield Cluster(
                category=category,
                keep=keep.fact,
                others=tuple(others),
                likeness=round(min(likeness for _, likeness in group), 2),
                action=action,
            )


def _sorted_out(
    head: _Row, members: Sequence[tuple[_Row, float]], merge_from: float
) -> Iterator[tuple[str, list[tuple[_Row, float]]]]:
    """The members by what may be done with them."""
    by_action: dict[str, list[tuple[_Row, float]]] = {MERGE: [], REVIEW: [], CONTRADICTION: []}
    fullest = head
    for other, likeness in members:
        if _details(head.fact.text) != _details(other.fact.text):
            by_action[CONTRADICTION].append((other, likeness))
        elif likeness >= merge_from and (other.words <= fullest.words or fullest.words <= other.words):
            fullest = other if len(other.words) > len(fullest.words) else fullest
            by_action[MERGE].append((other, likeness))
        else:
            by_action[REVIEW].append((other, likeness))
    for action, group in by_action.items():
        if group:
            yield action, group


def _fullest(head: _Row, others: Sequence[_Row]) -> _Row:
    """The one that says all that the others say; of those the strongest."""
    most = max(len(row.words) for row in (head, *others))
    return next(row for row in (head, *others) if len(row.words) == most)


class _Neighbours:
    """Finds rows that may share enough words, by their rarest ones."""

    def __init__(self, rows: Sequence[_Row], rarity: Counter[str], least: float) -> None:
        self._rarity = rarity
        self._share = max(least / (2.0 - least) - 0.25, 0.1)   # likeness is only in part a matter of words
        self._rows: dict[str, list[_Row]] = {}
        for row in rows:
            for word in self._telling(row):
                self._rows.setdefault(word, []).append(row)

    def _telling(self, row: _Row) -> list[str]:
        count = len(row.words) - math.ceil(self._share * len(row.words)) + 1
        return sorted(row.words, key=lambda word: (self._rarity[word], word))[:count]

    def of(self, head: _Row) -> list[_Row]:
        """In the order in which the rows were given."""
        found = {other.fact.id: other for word in self._telling(head) for other in self._rows.get(word, ())}
        return sorted(found.values(), key=lambda row: _strongest_first(row.fact))


def _row(fact: Fact) -> _Row:
    text = said(unicodedata.normalize("NFKC", fact.text))
    plain = "".join(char for char in text if char.isalnum() or unicodedata.category(char) in ("Mn", "Mc"))
    return _Row(fact, frozenset(words(fact.text)) or frozenset([text]), _grams(plain or text))


def _grams(text: str) -> frozenset[str]:
    return frozenset(text[at : at + 3] for at in range(max(len(text) - 2, 1)))


def _likeness(one: _Row, other: _Row) -> float:
    """0..1: the mean of shared words and shared triples of characters."""
    return (_dice(one.words, other.words) + _dice(one.grams, other.grams)) / 2


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other))


def _same_slot(category: str, one: Fact, other: Fact) -> bool:
    if category != PREFERENCES:
        return True
    return _slot(one) == _slot(other)


def _slot(fact: Fact) -> object:
    return slot_in_key(fact.memory.key if fact.memory is not None else None) or slot_of(fact.text)


def _details(text: str) -> tuple[list[str], int]:
    folded = unicodedata.normalize("NFKC", text)
    return sorted(_NUMBER.findall(folded)), denials(folded)


def denials(text: str) -> int:
    """How many words deny something."""
    return len(_NEGATION.findall(unicodedata.normalize("NFKC", text)))


def _strongest_first(fact: Fact) -> tuple[float, float, str]:
    importance = fact.memory.importance if fact.memory is not None else 0.0
    return -importance, fact.created_at.timestamp(), fact.id
