"""The leg of words: everything that can be told from words, people, dates and neighbourhood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from memory.recall import bm25
from memory.recall.bm25 import Floats, Matches, Scores
from memory.recall.compounds import with_compounds
from memory.recall.dates import DateHint
from memory.recall.people import Person
from memory.recall.pool import Pool
from memory.recall.question import Question
from memory.recall.segment import ASKING, SUPERSEDED, TEMPORAL, Ints, Mask, Records
from memory.recall.weights import Weigh
from memory.recall.when import seconds

# Short texts: a low b matters, k1 hardly does.
K1, B = 0.9, 0.4
# Documents looked at closely: where other evidence may turn the order, and where words alone decide.
_DEPTH, _SHALLOW = 256, 32
# The first of several people a question names is likely its subject.
_FIRST_OF_SEVERAL = 0.5
_HALF_YEAR = 182.5 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The documents looked at, by ascending row: R of each."""

    rows: Ints
    cut: bool                       # there are more with some of the words
    records: Records
    matches: Matches
    worth: float                    # what sharing all of the question's terms counts for
    shares: Floats                  # what of it the document shares
    scores: Floats
    words: Floats                   # 0..1
    sessions: Floats
    speakers: Floats
    dates: Floats
    cues: Floats
    neighbours: Floats
    priors: Floats

    def shared(self, at: int) -> Ints:
        """Which of the question's terms the document at a place has, by their index."""
        found: Ints = self.matches.which[self.matches.rows == self.rows[at]]
        return found

    def best_first(self, pool: Pool, wanted: Mask, scores: Floats | None = None) -> list[int]:
        """Rows of the pool, of those wanted: by score (the one above, or another), then newest, then by id."""
        places = np.flatnonzero(wanted)
        # Sums in another order differ in their last bits; such differences must not decide.
        rounded = np.rint((self.scores if scores is None else scores)[places] * 1e9)
        order = (-rounded).argsort(kind="stable")
        ranked: list[int] = self.rows[places[order]].tolist()
        rounded = rounded[order]
        if (rounded[1:] == rounded[:-1]).any():
            created = self.records["created"][places[order]]
            keys = {row: (-score, -moment) for row, score, moment in zip(ranked, rounded, created, strict=True)}
            ranked.sort(key=lambda row: (*keys[row], pool.document(row).id))
        return ranked


def rank(pool: Pool, question: Question, now: datetime, limit: int, near: Ints | None = None) -> Ranking:
    """Score the documents that may be among the best ``limit`` for the question, and those of the rows ``near``."""
    matches = with_compounds(pool, question.tokens, bm25.find(pool, question.terms))
    touched = bm25.score(pool, matches, question.kinds, k1=K1, b=B)
    rows, word_scores, shares = _candidates(pool, question, touched, limit, near)
    records = pool.records(rows)
    weigh = Weigh(records, turns=pool.has_turns)
    if len(touched.rows):
        word_scores = word_scores / touched.scores.max()
    nothing: Floats = np.zeros(len(rows))
    sessions = speakers = dates = cues = neighbours = nothing
    if weigh.some and len(rows):
        sessions = _session_scores(pool, matches, records) * weigh.by("session")
        cues = np.where(records["flags"] & ASKING > 0, weigh.by("asking"), 0.0)
    if question.people and len(rows):
        speakers = weigh.by("speaker") * _speaker_matches(pool, question.people, rows, records)
    if question.hints:
        dates = _date_scores(question.hints, records, weigh)
    if question.asks_time:
        cues = cues + np.where(records["flags"] & TEMPORAL > 0, weigh.by("cue"), 0.0)
    own = word_scores
    for part in (sessions, speakers, dates, cues):
        if part is not nothing:
            own = own + part
    if pool.ordered and len(rows) > 1:
        neighbours = _from_neighbours(rows, records, own, weigh)
    priors = _priors(records, weigh, seconds(now))
    return Ranking(
        rows=rows, cut=len(rows) < len(touched.rows), records=records, matches=matches, worth=touched.worth,
        shares=shares,
        scores=own + neighbours + priors, words=word_scores, sessions=sessions, speakers=speakers, dates=dates,
        cues=cues, neighbours=neighbours, priors=priors,
    )  # fmt: skip


def _candidates(
    pool: Pool, question: Question, touched: Scores, limit: int, near: Ints | None
) -> tuple[Ints, Floats, Floats]:
    """The best by words, what the dates point at, and what stands next to them: rows, word scores and shares."""
    chosen, scores, shares = touched.rows, touched.scores, touched.shares
    # Where words are all there is to go by, the order of the rest can hardly change.
    words_alone = not (
        question.people or question.hints or question.asks_time or pool.ordered or near is not None
    )
    depth = max(_SHALLOW if words_alone else _DEPTH, 4 * limit)
    if len(chosen) > depth:
        best = scores.argpartition(len(chosen) - depth)[-depth:]
        best.sort()
        chosen, scores, shares = chosen[best], scores[best], shares[best]
    by_words = chosen
    if question.hints:
        chosen = np.union1d(chosen, _dated(pool, question.hints, touched))
    if near is not None and len(near):
        chosen = np.union1d(chosen, near)
    if pool.ordered and len(chosen):
        chosen = np.unique(np.concatenate([chosen, chosen - 1, chosen + 1]))
        chosen = chosen[(chosen >= 0) & (chosen < pool.rows)]
        chosen = chosen[pool.members(chosen)]
    if chosen is not by_words:
        places = _places(touched.rows, chosen)
        scores, shares = _at(places, touched.scores), _at(places, touched.shares)
    return chosen, scores, shares


def _dated(pool: Pool, hints: Sequence[DateHint], touched: Scores) -> Ints:
    found = []
    for part in pool.parts:
        hit = on_days(most_exact(hints), part.view.records)
        if part.mask is not None:
            hit &= part.mask
        found.append(np.flatnonzero(hit) + part.base)
    rows = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
    if len(rows) > _DEPTH:
        scores = _at(_places(touched.rows, rows), touched.scores)
        # Among those without any of the words, the latest.
        rows = rows[np.lexsort((rows, scores))[-_DEPTH:]]
    return rows


def most_exact(hints: Sequence[DateHint]) -> Sequence[DateHint]:
    """Those that name days, or all where none does."""
    return [hint for hint in hints if hint.exact] or hints


def on_days(hints: Sequence[DateHint], records: Records) -> Mask:
    """Which documents are of a time that one of the hints names."""
    hit = np.zeros(len(records), dtype=np.bool_)
    for hint in hints:
        if hint.month is None:
            hit |= (records["first_day"] <= hint.last) & (records["last_day"] >= hint.first)
        elif hint.day is not None:
            hit |= records["month_day"] == hint.month * 32 + hint.day
        else:
            hit |= records["month_day"] >> 5 == hint.month
    return hit


def _places(keys: Ints, wanted: Ints) -> Ints:
    """Where each wanted key stands among ascending keys; -1 where it does not."""
    if not len(keys):
        return np.full(len(wanted), -1)
    places = np.minimum(keys.searchsorted(wanted), len(keys) - 1)
    return np.where(keys[places] == wanted, places, -1)


def _at(places: Ints, values: Floats) -> Floats:
    """The values at places, 0 at -1."""
    if not len(values):
        return np.zeros(len(places))
    return np.where(places >= 0, values[places], 0.0)


def _session_scores(pool: Pool, matches: Matches, records: Records) -> Floats:
    sessions, scores = bm25.score_sessions(pool, matches, k1=K1, b=B)
    if not len(sessions):
        return np.zeros(len(records))
    return _at(_places(sessions, records["session"].astype(np.int64)), scores / scores.max())


def _speaker_matches(pool: Pool, people: Sequence[Person], rows: Ints, records: Records) -> Floats:
    """1 where the only person the question names is who the document is of; less for the first of several."""
    worth = 1.0 if len(people) == 1 else _FIRST_OF_SEVERAL
    found = []
    at = 0
    for part, own in pool.pieces(rows):
        speakers = pool.snapshots[part.source].speakers
        codes = [code for name in people[0] if (code := speakers.get(name)) is not None]
        found.append(np.isin(records["speaker"][at : at + len(own)], codes))
        at += len(own)
    return np.concatenate(found).astype(np.float64) * worth


def _date_scores(hints: Sequence[DateHint], records: Records, weigh: Weigh) -> Floats:
    scores: Floats = np.zeros(len(records))
    np.multiply(on_days(hints, records), weigh.by("month"), out=scores)
    exact = [hint for hint in hints if hint.exact]
    if exact:
        # A stretch of more than a month does not point at a day in it.
        short = records["last_day"] - records["first_day"] <= 31
        days: Floats = np.zeros(len(records))
        np.multiply(on_days(exact, records) & short, weigh.by("day"), out=days)
        np.maximum(scores, days, out=scores)
    return scores


def _from_neighbours(rows: Ints, records: Records, own: Floats, weigh: Weigh) -> Floats:
    """What a document gains from those before and after it in the same conversation."""
    gained = np.zeros(len(rows))
    session, order = records["session"], records["order"]
    beside = (rows[1:] - rows[:-1] == 1) & (session[1:] == session[:-1]) & (order[:-1] > 0) & (order[1:] >= order[:-1])
    asks = records["flags"][:-1] & ASKING > 0
    previous, asked, following = weigh.by("previous"), weigh.by("asked"), weigh.by("following")
    share = np.where(asks, _tail(asked), _tail(previous))
    gained[1:] += share * np.where(beside, own[:-1], 0.0)
    gained[:-1] += _head(following) * np.where(beside, own[1:], 0.0)
    if weigh.some:
        gained[2:] += _tail(_tail(weigh.by("earlier"))) * np.where(beside[1:] & beside[:-1], own[:-2], 0.0)
    return gained


def _tail(weights: Floats | float) -> Floats | float:
    return weights if isinstance(weights, float) else weights[1:]


def _head(weights: Floats | float) -> Floats | float:
    return weights if isinstance(weights, float) else weights[:-1]


def _priors(records: Records, weigh: Weigh, now: float) -> Floats:
    """Small preferences that decide between equals, and the mark of what has been replaced."""
    age = np.maximum(now - records["created"], 0.0)
    priors: Floats = weigh.by("merit") * records["merit"] + weigh.by("recency") * np.exp2(age * (-1.0 / _HALF_YEAR))
    replaced = records["flags"] & SUPERSEDED
    if replaced.any():
        priors += np.where(replaced > 0, weigh.by("superseded"), 0.0)
    return priors
