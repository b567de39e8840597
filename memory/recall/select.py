"""Which of the ranked documents are an answer at all, and which merely repeat another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from memory.recall.document import TURN, Document
from memory.recall.fusion import fuse
from memory.recall.pool import Pool
from memory.recall.question import Question
from memory.recall.rank import Ranking, most_exact, on_days
from memory.recall.segment import Mask

# A document must share this part of the question's worth in words.
COVERAGE = 0.1
# Ten times the likeness from which on two texts are the same.
_SAME = 9

# Texts that differ in one of these do not repeat each other, however alike they are.
_NUMBER = re.compile(r"\d+")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|\w+n['’]t|cannot)\b"
    r"|[不没沒無无未非别別]|ない|ません|なかった|않|못|안 |없|아니",
    re.IGNORECASE,
)


def admitted(pool: Pool, question: Question, ranking: Ranking) -> Mask:
    """Which of the documents looked at share enough with the question to be more than chance."""
    by_words: Mask = (ranking.shares > 0.0) & (ranking.shares >= COVERAGE * ranking.worth)
    result = by_words
    if question.hints:
        result = by_words | on_days(most_exact(question.hints), ranking.records)
    if not pool.ordered:
        return result
    # What stands next to an answer and gains from it may be the answer.
    result = result.copy()
    beside = ranking.rows[1:] - ranking.rows[:-1] == 1
    result[1:] |= beside & by_words[:-1] & (ranking.neighbours[1:] > 0.0)
    result[:-1] |= beside & by_words[1:] & (ranking.neighbours[:-1] > 0.0)
    return result


def fused_without_repetitions(
    pool: Pool, legs: Mapping[str, list[int]], limit: int
) -> list[tuple[int, float, Document]]:
    """The first ``limit`` rows of the legs' fusion with scores and documents, none of which repeats a better one.

    What repeats another is taken out of the legs, whose ranks close up.
    """
    kept: dict[int, Document] = {}
    repeated: set[int] = set()
    seen: list[tuple[Document, frozenset[int]]] = []
    alone = next(iter(legs.values())) if len(legs) == 1 else None
    for row in alone if alone is not None else (row for row, _ in fuse(list(legs.values()))):
        view, own = pool.place(row)
        document, terms = view.document(own), view.terms_of(own)
        for other, others in seen:
            if _are_alike(terms, others) and _repeats(document, other):
                repeated.add(row)
                break
        else:
            kept[row] = document
            seen.append((document, terms))
            if len(kept) == limit:
                break
    if repeated:
        for leg in legs.values():
            leg[:] = [row for row in leg if row not in repeated]
    if alone is not None:
        ranked = fuse([list(kept)])
    else:
        ranked = [(row, score) for row, score in fuse(list(legs.values())) if row in kept]
    return [(row, score, kept[row]) for row, score in ranked]


def repeats(one: Document, terms: frozenset[int], other: Document, others: frozenset[int]) -> bool:
    """Whether a document with these terms says what another one says."""
    return _are_alike(terms, others) and _repeats(one, other)


def _are_alike(terms: frozenset[int], others: frozenset[int]) -> bool:
    """By Dice's coefficient of the distinct terms, in whole numbers."""
    return 20 * len(terms & others) >= _SAME * (len(terms) + len(others))


def _repeats(one: Document, other: Document) -> bool:
    if (one.tier == TURN) != (other.tier == TURN) or one.entity != other.entity or one.speaker != other.speaker:
        return False
    return _details(one.text) == _details(other.text)


def _details(text: str) -> tuple[Sequence[str], int]:
    folded = unicodedata.normalize("NFKC", text)
    return _NUMBER.findall(folded), len(_NEGATION.findall(folded))
