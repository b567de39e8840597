"""Named recipes of recall, and scores that mean the same whatever was asked: 0 is unrelated, 1 the very thing.

The other answers of recall rank; here a caller may compare a score with a threshold of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memory.errors import BadInput
from memory.people import Names
from memory.recall import select
from memory.recall.bm25 import Floats
from memory.recall.document import FACT, FACT_ARCHIVE, Document
from memory.recall.index import Snapshot
from memory.recall.meaning import Dense, Scan, scan
from memory.recall.pool import Pool
from memory.recall.question import Question, read_question
from memory.recall.rank import Ranking, rank
from memory.recall.when import TimeWindow, seconds

# Worth of the words beyond which a question is long: of those words no memory can have nearly all.
_LONG_QUESTION = 14.0
# Sharing half of a question's words is less than half an answer.
_STEEPNESS = 1.4
# The best that words or meaning alone can say; what is left is for age, importance and standing.
_WHOLE = 0.86
# What a day that the question names is worth by itself.
_ON_THE_DAY = 0.45
_DAY = 86_400.0
_AGREEMENT = 0.15       # what the other leg adds where it agrees
# How much of a leg counts whatever the profile, and how much more for its whole weight there.
_OF_A_LEG, _BY_WEIGHT = 0.85, 0.2

_IMPORTANCE, _EVIDENCE, _LENGTH = 0.04, -0.03, -0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a caller is after."""

    name: str
    meaning: float          # weight of the leg of meaning; the rest is that of words
    floor: float            # scores below it are no answer
    half_life: float        # days in which the bonus of what is new is halved
    recency: float          # that bonus, as a share of the score
    length: int             # characters up to which a text is not long


PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(name="default", meaning=0.7, floor=0.14, half_life=14, recency=0.05, length=800),
        Profile(name="writing", meaning=0.8, floor=0.10, half_life=90, recency=0.03, length=800),
        Profile(name="debug", meaning=0.55, floor=0.14, half_life=7, recency=0.07, length=420),
        Profile(name="fact-check", meaning=0.5, floor=0.18, half_life=21, recency=0.04, length=360),
    )
}
_ALIASES = {"factcheck": "fact-check", "fact_check": "fact-check", "general": "default", "": "default"}
# Who somebody is and what they like may be told in quite other words than it is asked for.
_FLOORS: Mapping[str | None, float] = {"profile": 0.7, "preferences": 0.7, "entities": 0.85}


def profile_of(name: str | None) -> Profile:
    """The recipe of a name, spelled in any way. Raises BadInput."""
    plain = (name or "").strip().lower()
    profile = PROFILES.get(_ALIASES.get(plain, plain))
    if profile is None:
        raise BadInput("profile", f"Unknown retrieval profile: {name}. Available: {', '.join(PROFILES)}")
    return profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Cosines of a model: from which on one means something, is about the same, and says the same."""

    recall: float
    cluster: float
    duplicate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """The question as a vector, and what its cosines mean."""

    dense: Dense
    marks: Marks


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """What one leg said of a document."""

    score: float            # 0..1
    rank: int               # from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A document that answers, with how well it does."""

    document: Document
    source: int             # place of its snapshot among those that were asked
    score: float            # 0..1, three decimals
    words: Leg | None
    meaning: Leg | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is asked for."""

    text: str
    profile: Profile
    limit: int
    categories: Collection[str] = ()            # none: all
    least: float = 0.0                          # lower scores are left out
    window: TimeWindow | None = None            # dropped when nothing lies in it


def graded(
    snapshots: Sequence[Snapshot],
    wish: Wish,
    *,
    now: datetime,
    names: Names | None = None,
    meant: Meant | None = None,
) -> list[Graded]:
    """Facts that answer, best first; of equals the newer, then by id. The same state gives the same answer.

    Only what still holds is asked. Of several that say the same the others give way when there
    are more than were wanted.
    """
    if not wish.text.strip():
        return []
    pool = _pool(snapshots, wish, wish.window)
    if not pool.size and wish.window is not None:
        pool = _pool(snapshots, wish, None)
    if not pool.size:
        return []
    found = _grade(pool, wish, now, names, meant)
    return _without_crowding(pool, found, wish.limit)


def _pool(snapshots: Sequence[Snapshot], wish: Wish, window: TimeWindow | None) -> Pool:
    return Pool(snapshots, (FACT, FACT_ARCHIVE), window, categories=wish.categories, standing=True)


def _grade(
    pool: Pool, wish: Wish, now: datetime, names: Names | None, meant: Meant | None
) -> list[tuple[int, Graded]]:
    question = read_question(wish.text, pool, names, now)
    scanned = scan(meant.dense) if meant is not None else None
    near = scanned.candidates(pool) if scanned is not None else None
    ranking = rank(pool, question, now, wish.limit, near)
    if not len(ranking.rows):
        return []
    wanted = select.admitted(pool, question, ranking)
    by_words = _of_words(ranking)
    by_meaning: Floats = np.full(len(ranking.rows), np.nan)
    if meant is not None and scanned is not None:
        cosines = _cosines(scanned, pool, ranking)
        wanted = wanted | scanned.near_enough(cosines, wanted)
        by_meaning = _of_meaning(cosines, meant.marks)
    relevance = _together(by_words, by_meaning, wish.profile, _on_days(ranking, question))
    places = np.flatnonzero(wanted)
    word_ranks, meaning_ranks = _ranks(by_words, places), _ranks(by_meaning, places)
    found = []
    for place in places.tolist():
        document = pool.document(int(ranking.rows[place]))
        score = round(_adjusted(float(relevance[place]), document, wish.profile, now), 3)
        if score < max(wish.least, wish.profile.floor * _FLOORS.get(document.category, 1.0)):
            continue
        found.append(
            (
                int(ranking.rows[place]),
                Graded(
                    document=document,
                    source=pool.source_of(int(ranking.rows[place])),
                    score=score,
                    words=_leg(by_words, word_ranks, place),
                    meaning=_leg(by_meaning, meaning_ranks, place),
                ),
            )
        )
    found.sort(key=lambda one: in_order(one[1]))
    return found


def in_order(one: Graded) -> tuple[float, float, str]:
    """For sorting: best first; of equals the newer, then by id."""
    return -one.score, -seconds(one.document.created_at), one.document.id


def _of_words(ranking: Ranking) -> Floats:
    """0..1: how much of the question's words a document has, and among those that have as much, how well."""
    whole = max(min(ranking.worth, _LONG_QUESTION), 1e-9)
    covered: Floats = np.minimum(ranking.shares / whole, 1.0) ** _STEEPNESS
    return covered * (0.9 + 0.1 * ranking.words)


def _cosines(scanned: Scan, pool: Pool, ranking: Ranking) -> Floats:
    near, _ = scanned.cosines(pool, ranking.rows, ranking.records)
    return near


def _of_meaning(cosines: Floats, marks: Marks) -> Floats:
    """0..1, stretched so that models whose cosines differ widely say the same. NaN where there is no vector."""
    step = max(marks.cluster - marks.recall, 0.02)
    known = [
        marks.recall - 0.3 * step, marks.recall, marks.recall + 0.25 * step, marks.recall + 0.6 * step, marks.cluster,
        max(marks.duplicate, marks.cluster + 0.01), max(1.0, marks.duplicate + 0.02),
    ]  # fmt: skip
    result: Floats = np.interp(cosines, known, [0.0, 0.12, 0.3, 0.65, 0.9, 0.97, 1.0])
    return np.where(np.isnan(cosines), np.nan, result)


def _on_days(ranking: Ranking, question: Question) -> Floats:
    if not question.hints:
        return np.zeros(len(ranking.rows))
    return np.minimum(ranking.dates, 1.0)


def _together(by_words: Floats, by_meaning: Floats, profile: Profile, on_days: Floats) -> Floats:
    """The better leg, weighed as the profile says, and a little for what both say."""
    meaning = np.nan_to_num(by_meaning) * (_OF_A_LEG + _BY_WEIGHT * profile.meaning)
    worded = by_words * (_OF_A_LEG + _BY_WEIGHT * (1.0 - profile.meaning))
    both = np.maximum(worded, meaning) + _AGREEMENT * np.minimum(worded, meaning)
    relevance: Floats = np.where(np.isnan(by_meaning), by_words, both)
    # A day that the question names counts by itself, and a little beside the words.
    return np.minimum(np.maximum(relevance, _ON_THE_DAY * on_days) + 0.05 * on_days, 1.0)


def _adjusted(relevance: float, document: Document, profile: Profile, now: datetime) -> float:
    """What age, importance and standing may change: at most 15 of 100, so that they decide between near equals."""
    age = max((now - document.created_at).total_seconds() / _DAY, 0.0)
    change: float = profile.recency * 0.5 ** (age / profile.half_life)
    change += _IMPORTANCE * (min(max(document.importance, 0), 10) - 5) / 5
    if not document.stored:
        change += _EVIDENCE
    longer = len(document.text) / profile.length
    if longer > 1.0:
        change += _LENGTH * min(float(np.log2(longer)) / 2, 1.0)
    return min(max(_WHOLE * relevance * (1.0 + change), 0.0), 1.0)


def _ranks(scores: Floats, places: NDArray[np.intp]) -> dict[int, int]:
    """Ranks from 1 of those that the leg says anything of."""
    said = [place for place in places.tolist() if scores[place] > 0]
    ordered = sorted(said, key=lambda place: (-float(scores[place]), place))
    return {place: number for number, place in enumerate(ordered, 1)}


def _leg(scores: Floats, ranks: Mapping[int, int], place: int) -> Leg | None:
    number = ranks.get(place)
    return None if number is None else Leg(score=round(float(scores[place]), 4), rank=number)


def _without_crowding(pool: Pool, found: Sequence[tuple[int, Graded]], limit: int) -> list[Graded]:
    """The first ones; those that repeat a better one only while there is room."""
    if len(found) <= limit:
        return [one for _, one in found]
    kept: list[Graded] = []
    others: list[Graded] = []
    seen: list[tuple[Document, frozenset[int]]] = []
    for row, one in found:
        terms = pool.terms_of(row)
        if any(select.repeats(one.document, terms, *other) for other in seen):
            others.append(one)
            continue
        kept.append(one)
        seen.append((one.document, terms))
        if len(kept) == limit:
            break
    return sorted([*kept, *others[: limit - len(kept)]], key=in_order)
