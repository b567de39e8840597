"""A question's text, taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from memory.people import Names
from memory.recall import words
from memory.recall.bm25 import Floats
from memory.recall.cues import asks_for_talk, asks_time
from memory.recall.dates import DateHint, dates_in
from memory.recall.people import ANYONE, Person, both, longest_first, named_in, without
from memory.recall.pool import Pool
from memory.recall.segment import Ints

# Characters of a question that are read.
_LONGEST = 2_000
# A single Han character out of a longer run is weak evidence, and so is a name.
_FRAGMENT = 0.25
_NAME = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What ranking reads out of a question."""

    tokens: tuple[str, ...]         # distinct, in order
    terms: Ints                     # the same as terms
    kinds: Floats                   # what sharing it counts for: less for a part of a word
    people: Sequence[Person]
    hints: Sequence[DateHint]
    asks_time: bool


def read_question(text: str, pool: Pool, names: Names | None, now: datetime) -> Question:
    folded = words.fold(text[:_LONGEST])
    people = named_in(folded, pool.snapshots, names)
    rest, found = without(folded, _names(people, names, pool))
    kinds = {token: _FRAGMENT if words.is_fragment(token) else 1.0 for token in words.words(rest)}
    if found and not (kinds and pool.turns_only):
        # In the turns a name mostly stands where the others call its owner.
        for token in words.words(" ".join(found)):
            kinds.setdefault(token, _NAME * (_FRAGMENT if words.is_fragment(token) else 1.0))
    return Question(
        tokens=tuple(kinds),
        terms=np.array([words.term(token) for token in kinds], dtype=np.int64),
        kinds=np.array(list(kinds.values())),
        people=people,
        hints=[*dates_in(folded, now.date()), *_talks(folded, pool, now)],
        asks_time=asks_time(folded),
    )


def _names(people: Sequence[Person], names: Names | None, pool: Pool) -> tuple[str, ...]:
    """Names that are hardly words. People are told by who spoke, or whom a fact is about."""
    if pool.turns_only:
        return longest_first(frozenset().union(ANYONE, *people))
    # In the facts the names of the two say little; those of other speakers tell their facts apart.
    return longest_first(ANYONE if names is None else both(names))


def _talks(folded: str, pool: Pool, now: datetime) -> list[DateHint]:
    """The day of the first conversation, or of the last one that is over, when the text asks for it."""
    wanted = asks_for_talk(folded)
    if wanted is None:
        return []
    days = np.unique(np.concatenate([part.view.records["first_day"] for part in pool.parts]))
    days = days[days > 0]
    if wanted == "last":
        days = days[days < now.toordinal()][::-1]
    return [DateHint(first=day, last=day) for day in days[:1].tolist()]
