"""A question put to a memory, and its answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memory.clock import Clock
from memory.people import Names
from memory.recall import select
from memory.recall.document import DEFAULT_TIERS, Document
from memory.recall.index import Snapshot
from memory.recall.meaning import Dense, combined, scan
from memory.recall.pool import Pool
from memory.recall.question import Question, read_question
from memory.recall.rank import Ranking, rank
from memory.recall.segment import Ints
from memory.recall.weights import Weigh
from memory.recall.when import TimeWindow, parse_window, seconds

# Where the best all repeat each other, so many times as many are looked at.
_DEEPER = (8, 64)
# Documents of one and the same time that are put in order by age and id.
_TIES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked. An empty text or time counts as absent."""

    text: str = ""
    time: str = ""                              # as the caller wrote it; see recall/when
    tiers: Collection[str] = DEFAULT_TIERS
    limit: int = 8
    context: int = 0                            # turns wanted before and after each turn found
    explain: bool = False
    names: Names | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a document stands where it does. All parts are of the leg of words."""

    terms: tuple[str, ...]                      # tokens of the question it has
    ranks: Mapping[str, int]                    # by leg, from 1
    parts: Mapping[str, float]                  # what each kind of evidence added
    total: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A document that answers."""

    document: Document
    score: float | None                         # fused, 6 decimals; None when only a time was asked for
    before: tuple[Document, ...] = ()
    after: tuple[Document, ...] = ()
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Hits, best first."""

    hits: tuple[Hit, ...] = ()
    candidates_total: int = 0                   # documents that could have been found
    window: TimeWindow | None = None            # the time that was understood
    text: str = ""                              # the question that was ranked by; empty when only a time was


def answer(
    snapshots: Sequence[Snapshot], query: Query, *, now: datetime, clock: Clock, dense: Dense | None = None
) -> Answer:
    """Search the snapshots as one pool.

    A text is ranked; with a readable time only documents that overlap it are asked, and an
    unreadable one is ignored. A time without a text ranks by distance from it. Neither, or an
    unreadable time alone, finds nothing. ``dense`` adds the leg of meaning to that of words.
    """
    text, time = query.text.strip(), query.time.strip()
    window = parse_window(time, clock) if time else None
    if text:
        pool = Pool(snapshots, query.tiers, window)
        hits = _by_text(pool, query, text, now, dense)
        return Answer(hits=hits, candidates_total=pool.size, window=window, text=text)
    if window is None:
        return Answer()
    pool = Pool(snapshots, query.tiers)
    return Answer(hits=_by_time(pool, query, window), candidates_total=pool.size, window=window)


def _by_text(pool: Pool, query: Query, text: str, now: datetime, dense: Dense | None) -> tuple[Hit, ...]:
    if not pool.size:
        return ()
    question = read_question(text, pool, query.names, now)
    ranking, legs, found, crowded = _search(pool, question, now, dense, query.limit, query.limit)
    for deeper in _DEEPER:
        if crowded:
            ranking, legs, found, crowded = _search(pool, question, now, dense, query.limit, query.limit * deeper)
    return tuple(
        _hit(
            pool, query, row, document, round(score, 6),
            _explain(question, ranking, legs, row) if query.explain else None,
        )
        for row, score, document in found
    )


def _search(
    pool: Pool, question: Question, now: datetime, dense: Dense | None, limit: int, reach: int
) -> tuple[Ranking, dict[str, list[int]], list[tuple[int, float, Document]], bool]:
    """The ranking, its legs and what comes of them; and whether repetitions took the places of what lies deeper."""
    if dense is None:
        ranking = rank(pool, question, now, reach)
        legs = {"words": ranking.best_first(pool, select.admitted(pool, question, ranking))}
    else:
        ranking, legs = _two_legs(pool, question, now, dense, reach)
    answers = len(legs["words"])
    found = select.fused_without_repetitions(pool, legs, limit)
    return ranking, legs, found, len(found) < limit <= answers and ranking.cut


def _hit(
    pool: Pool, query: Query, row: int, document: Document, score: float | None, explanation: Explanation | None = None
) -> Hit:
    before, after = pool.neighbours(row, query.context) if query.context > 0 else ((), ())
    return Hit(document=document, score=score, before=before, after=after, explanation=explanation)


def _two_legs(
    pool: Pool, question: Question, now: datetime, dense: Dense, limit: int
) -> tuple[Ranking, dict[str, list[int]]]:
    """Both legs rank everything that either admits, so that their ranks can be added without loss."""
    scanned = scan(dense)
    ranking = rank(pool, question, now, limit, scanned.candidates(pool))
    near, around = scanned.cosines(pool, ranking.rows, ranking.records)
    by_words = select.admitted(pool, question, ranking)
    wanted = by_words | scanned.near_enough(near, by_words)
    scores = combined(ranking.scores, near, around, Weigh(ranking.records, turns=pool.has_turns))
    return ranking, {
        "words": ranking.best_first(pool, wanted),
        "meaning": ranking.best_first(pool, wanted, scores),
    }


def _by_time(pool: Pool, query: Query, window: TimeWindow) -> tuple[Hit, ...]:
    """Inside the window first, then by distance from it, then the later start."""
    start, end = seconds(window.start), seconds(window.end)
    rows, firsts, lasts = [], [], []
    for part in pool.parts:
        records = part.view.records
        known = ~np.isnan(records["start"])
        if part.mask is not None:
            known &= part.mask
        own = np.flatnonzero(known)
        rows.append(own + part.base)
        firsts.append(records["start"][own])
        lasts.append(records["end"][own])
    if not rows:
        return ()
    row, first, last = np.concatenate(rows), np.concatenate(firsts), np.concatenate(lasts)
    outside = ~((first < end) & (last >= start))
    distance = np.where(outside, np.where(last < start, start - last, first - end), 0.0)
    return tuple(
        _hit(pool, query, int(row[at]), document, None)
        for at, document in _nearest(pool, row, (outside, distance, -first), query.limit)
    )


def _nearest(
    pool: Pool, rows: Ints, keys: Sequence[NDArray[np.generic]], limit: int
) -> list[tuple[int, Document]]:
    """The first ``limit`` by the keys, then newest, then by id: their places in ``rows`` and documents."""
    order = np.lexsort(tuple(reversed(keys)))
    if len(order) > limit:
        last = order[limit - 1]
        tied = np.logical_and.reduce([key[order] == key[last] for key in keys])
        # Everything tied with the last one takes part, unless a whole import bears one time.
        order = order[: min(max(limit, int(np.flatnonzero(tied)[-1]) + 1), limit + _TIES)]
    chosen = [(at, pool.document(int(rows[at]))) for at in order.tolist()]
    chosen.sort(key=lambda pair: (*(key[pair[0]] for key in keys), -seconds(pair[1].created_at), pair[1].id))
    return chosen[:limit]


def _explain(question: Question, ranking: Ranking, legs: Mapping[str, Sequence[int]], row: int) -> Explanation:
    at = int(ranking.rows.searchsorted(row))
    return Explanation(
        terms=tuple(question.tokens[term] for term in sorted(ranking.shared(at).tolist())),
        ranks={name: leg.index(row) + 1 for name, leg in legs.items() if row in leg},
        parts={
            name: round(float(values[at]), 6)
            for name, values in (
                ("words", ranking.words),
                ("session", ranking.sessions),
                ("speaker", ranking.speakers),
                ("date", ranking.dates),
                ("cue", ranking.cues),
                ("neighbours", ranking.neighbours),
                ("prior", ranking.priors),
            )
        },
        total=round(float(ranking.scores[at]), 6),
    )
