"""Which of the ranked documents are an answer at all, and which merely repeat another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from memory.recall import bm25
from memory.recall.document import Document
from memory.recall.pool import Pool
from memory.recall.rank import Question, Ranking
from memory.recall.segment import LOW
from memory.recall.words import is_fragment

# A document must share this part of the question's weight in words ...
_COVERAGE = 0.1
# ... of which a single Han character out of a longer run carries only a part.
_FRAGMENT = 0.25
_SAME = 0.9

# Texts that differ in one of these do not repeat each other, however alike they are.
_NUMBER = re.compile(r"\d+")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|\w+n['’]t|cannot)\b|[不没沒無无未非别別]|ない|ません|なかった|않|못|안 |없|아니",
    re.IGNORECASE,
)


class Admission:
    """Tells documents that share enough with the question from chance matches."""

    def __init__(self, pool: Pool, question: Question, ranking: Ranking) -> None:
        weights = bm25.idf(ranking.frequencies, pool.size) * np.array(
            [_FRAGMENT if is_fragment(token) else 1.0 for token in question.tokens]
        )
        self._weights = dict(zip((question.terms & LOW).tolist(), weights.tolist(), strict=True))
        self._needed = _COVERAGE * float(weights.sum())
        self._pool = pool
        self._ranking = ranking
        self._known: dict[int, bool] = {}

    def admits(self, at: int) -> bool:
        """Whether the document at a place of the ranking is an answer."""
        if self._by_words(at):
            return True
        ranking = self._ranking
        if ranking.dates[at] > 0.0:
            return True
        if ranking.neighbours[at] <= 0.0:
            return False
        # The turn next to one that answers may be the answer.
        return any(
            0 <= beside < len(ranking.rows)
            and abs(ranking.rows[beside] - ranking.rows[at]) == 1
            and self._by_words(beside)
            for beside in (at - 1, at + 1)
        )

    def _by_words(self, at: int) -> bool:
        known = self._known.get(at)
        if known is None:
            shared = self._weights.keys() & self._pool.terms_of(int(self._ranking.rows[at]))
            known = bool(shared) and sum(self._weights[term] for term in shared) >= self._needed
            self._known[at] = known
        return known


def words_leg(pool: Pool, question: Question, ranking: Ranking, limit: int) -> list[int]:
    """Rows of the pool that answer, best first, without repetitions; at most ``limit``."""
    admission = Admission(pool, question, ranking)
    kept = Kept(pool)
    for at in ranking.best_first(pool):
        if admission.admits(at) and kept.add(int(ranking.rows[at])) and len(kept.rows) == limit:
            break
    return kept.rows


class Kept:
    """Documents kept so far, none of which repeats another."""

    def __init__(self, pool: Pool) -> None:
        self.rows: list[int] = []
        self._pool = pool
        self._seen: list[tuple[Document, frozenset[int]]] = []

    def add(self, row: int) -> bool:
        """Keep a document unless one like it is kept already."""
        document, terms = self._pool.document(row), self._pool.terms_of(row)
        for other, others in self._seen:
            if _alike(terms, others) and _repeats(document, other):
                return False
        self._seen.append((document, terms))
        self.rows.append(row)
        return True


def _alike(one: frozenset[int], other: frozenset[int]) -> bool:
    """Dice's coefficient of the distinct terms is at least 0.9."""
    total = len(one) + len(other)
    # The shorter one bounds what they can share; most pairs end here.
    if 2 * min(len(one), len(other)) < _SAME * total:
        return False
    return 2 * len(one & other) >= _SAME * total


def _repeats(one: Document, other: Document) -> bool:
    if (one.tier == "turn") != (other.tier == "turn") or one.entity != other.entity or one.speaker != other.speaker:
        return False
    return _details(one.text) == _details(other.text)


def _details(text: str) -> tuple[Sequence[str], int]:
    folded = unicodedata.normalize("NFKC", text)
    return _NUMBER.findall(folded), len(_NEGATION.findall(folded))
