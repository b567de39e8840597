"""The leg of words: everything that can be told from words, people, dates and neighbourhood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memory.people import Names
from memory.recall import bm25, words
from memory.recall.bm25 import Floats, Matches, Scores
from memory.recall.compounds import with_compounds
from memory.recall.cues import asks_for_talk, asks_time
from memory.recall.dates import DateHint, dates_in
from memory.recall.document import TURN
from memory.recall.people import Person, named_in
from memory.recall.pool import Pool
from memory.recall.records import TIER_CODES
from memory.recall.segment import ASKING, SUPERSEDED, TEMPORAL, Ints, Mask, Records
from memory.recall.when import seconds

# Short texts: a low b matters, k1 hardly does.
K1, B = 0.9, 0.4
# Documents looked at closely.
_DEPTH = 256
_TURN = TIER_CODES[TURN]
# The first of several people a question names is likely its subject.
_FIRST_OF_SEVERAL = 0.5
# A single Han character out of a longer run is weak evidence.
_FRAGMENT = 0.25
_HALF_YEAR = 182.5 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each kind of evidence may add to the words' own score, which runs from 0 to 1."""

    session: float
    speaker: float
    month: float
    day: float
    cue: float
    previous: float = 0.0           # of the turn before; these three as shares of its score
    asked: float = 0.0              # of the turn before when that is a question
    following: float = 0.0          # of the turn after
    asking: float = 0.0             # for being a question oneself
    superseded: float = -0.6
    importance: float = 0.02        # for ten points
    recency: float = 0.02           # halved each half year
    evidence: float = 0.02          # for much of it


TURN_WEIGHTS = Weights(
    session=0.5, speaker=1.0, month=0.4, day=1.6, cue=0.2, previous=0.2, asked=0.55, following=0.15, asking=-0.2,
    importance=0.0,
)
MEMORY_WEIGHTS = Weights(
    session=0.0, speaker=0.5, month=0.5, day=1.0, cue=0.2, previous=0.2, asked=0.2, following=0.1
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question's text, taken apart."""

    tokens: tuple[str, ...]         # distinct, in order
    terms: Ints                     # the same as terms
    kinds: Floats                   # what sharing it counts for: less for a part of a word
    people: Sequence[Person]
    hints: Sequence[DateHint]
    asks_time: bool


def read_question(text: str, pool: Pool, names: Names | None, now: datetime) -> Question:
    folded = words.fold(text)
    people = named_in(folded, pool.snapshots, names)
    tokens = tuple(dict.fromkeys(words.words(text)))
    if people and pool.turns_only:
        # A turn is told by who said it; the name itself stands in the turns of the others.
        of_names = {token for person in people for name in person for token in words.words(name)}
        tokens = tuple(token for token in tokens if token not in of_names) or tokens
    return Question(
        tokens=tokens,
        terms=np.array([words.term(token) for token in tokens], dtype=np.int64),
        kinds=np.array([_FRAGMENT if words.is_fragment(token) else 1.0 for token in tokens]),
        people=people,
        hints=[*dates_in(folded, now.date()), *_talks(folded, pool, now)],
        asks_time=asks_time(folded),
    )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The documents looked at, by ascending row: R of each."""

    rows: Ints
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
        return self.matches.which[self.matches.rows == self.rows[at]]

    def best_first(self, pool: Pool, wanted: Mask) -> list[int]:
        """Places in the arrays above of those wanted: by score, then newest, then by id."""
        places = np.flatnonzero(wanted)
        # Sums in another order differ in their last bits; such differences must not decide.
        rounded = np.round(self.scores[places], 9)
        created = self.records["created"][places]
        order = np.lexsort((-created, -rounded))
        ranked: list[int] = places[order].tolist()
        rounded, created = rounded[order], created[order]
        if ((rounded[1:] == rounded[:-1]) & (created[1:] == created[:-1])).any():
            keys = {at: (-score, -moment) for at, score, moment in zip(ranked, rounded, created, strict=True)}
            ranked.sort(key=lambda at: (*keys[at], pool.document(int(self.rows[at])).id))
        return ranked


def rank(pool: Pool, question: Question, now: datetime) -> Ranking:
    """Score the documents that have anything to do with the question."""
    matches = with_compounds(pool, question.tokens, bm25.find(pool, question.terms))
    touched = bm25.score(pool, matches, question.kinds, k1=K1, b=B)
    rows = _candidates(pool, question, touched)
    records = pool.records(rows)
    weigh = _Weigh(records)
    word_scores, shares = touched.scores, touched.shares
    if rows is not touched.rows:
        places = _places(touched.rows, rows)
        word_scores, shares = _at(places, word_scores), _at(places, shares)
    if len(touched.rows):
        word_scores = word_scores / touched.scores.max()
    nothing = sessions = speakers = dates = cues = neighbours = np.zeros(len(rows))
    if weigh.some and len(rows):
        sessions = weigh.by("session") * _session_scores(pool, matches, records)
        cues = weigh.by("asking") * (records["flags"] & ASKING > 0)
    if question.people and len(rows):
        speakers = weigh.by("speaker") * _speaker_matches(pool, question.people, rows, records)
    if question.hints:
        dates = _date_scores(question.hints, records, weigh)
    if question.asks_time:
        cues = cues + weigh.by("cue") * (records["flags"] & TEMPORAL > 0)
    own = word_scores
    for part in (sessions, speakers, dates, cues):
        if part is not nothing:
            own = own + part
    if pool.ordered and len(rows) > 1:
        neighbours = _from_neighbours(rows, records, own, weigh)
    priors = _priors(records, weigh, seconds(now))
    return Ranking(
        rows=rows, records=records, matches=matches, worth=touched.worth, shares=shares,
        scores=own + neighbours + priors, words=word_scores, sessions=sessions, speakers=speakers, dates=dates,
        cues=cues, neighbours=neighbours, priors=priors,
    )  # fmt: skip


class _Weigh:
    """Looks up weights for records of one kind, or of both."""

    def __init__(self, records: Records) -> None:
        self.turns: Mask = records["tier"] == _TURN
        self.some = bool(self.turns.any())
        self.all = self.some and bool(self.turns.all())

    def by(self, name: str) -> Floats | float:
        if self.all:
            return float(getattr(TURN_WEIGHTS, name))
        if not self.some:
            return float(getattr(MEMORY_WEIGHTS, name))
        return np.where(self.turns, getattr(TURN_WEIGHTS, name), getattr(MEMORY_WEIGHTS, name))


def _candidates(pool: Pool, question: Question, touched: Scores) -> Ints:
    """The best by words, what the dates point at, and what stands next to them."""
    chosen = touched.rows
    if len(chosen) > _DEPTH:
        chosen = np.sort(chosen[np.argpartition(touched.scores, len(chosen) - _DEPTH)[-_DEPTH:]])
    if question.hints:
        chosen = np.union1d(chosen, _dated(pool, question.hints, touched))
    if pool.ordered and len(chosen):
        chosen = np.unique(np.concatenate([chosen, chosen - 1, chosen + 1]))
        chosen = chosen[(chosen >= 0) & (chosen < pool.rows)]
        chosen = chosen[pool.members(chosen)]
    return chosen


def _dated(pool: Pool, hints: Sequence[DateHint], touched: Scores) -> Ints:
    exact = [hint for hint in hints if hint.exact] or hints
    found = []
    for part in pool.parts:
        hit = _on_days(exact, part.view.records)
        if part.mask is not None:
            hit &= part.mask
        found.append(np.flatnonzero(hit) + part.base)
    rows = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
    if len(rows) > _DEPTH:
        scores = _at(_places(touched.rows, rows), touched.scores)
        # Among those without any of the words, the latest.
        rows = rows[np.lexsort((rows, scores))[-_DEPTH:]]
    return rows


def _on_days(hints: Sequence[DateHint], records: Records) -> Mask:
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


def _speaker_matches(pool: Pool, people: Sequence[Person], rows: Ints, records: Records) -> NDArray[np.float64]:
    """1 where the only person the question names is who the document is of; less for the first of several."""
    worth = 1.0 if len(people) == 1 else _FIRST_OF_SEVERAL
    found = []
    at = 0
    for part, own in pool.pieces(rows):
        speakers = pool.snapshots[part.source].speakers
        codes = [code for name in people[0] if (code := speakers.get(name)) is not None]
        found.append(np.isin(records["speaker"][at : at + len(own)], codes))
        at += len(own)
    return np.concatenate(found) * worth


def _date_scores(hints: Sequence[DateHint], records: Records, weigh: _Weigh) -> Floats:
    scores = np.where(_on_days(hints, records), weigh.by("month"), 0.0)
    exact = [hint for hint in hints if hint.exact]
    if exact:
        # A stretch of more than a month does not point at a day in it.
        short = records["last_day"] - records["first_day"] <= 31
        scores = np.where(_on_days(exact, records) & short, weigh.by("day"), scores)
    return scores


def _from_neighbours(rows: Ints, records: Records, own: Floats, weigh: _Weigh) -> Floats:
    """What a document gains from those before and after it in the same conversation."""
    gained = np.zeros(len(rows))
    session, order = records["session"], records["order"]
    beside = (rows[1:] - rows[:-1] == 1) & (session[1:] == session[:-1]) & (order[:-1] > 0) & (order[1:] >= order[:-1])
    asks = records["flags"][:-1] & ASKING > 0
    previous, asked, following = weigh.by("previous"), weigh.by("asked"), weigh.by("following")
    share = np.where(asks, _tail(asked), _tail(previous))
    gained[1:] += share * np.where(beside, own[:-1], 0.0)
    gained[:-1] += _head(following) * np.where(beside, own[1:], 0.0)
    return gained


def _tail(weights: Floats | float) -> Floats | float:
    return weights if isinstance(weights, float) else weights[1:]


def _head(weights: Floats | float) -> Floats | float:
    return weights if isinstance(weights, float) else weights[:-1]


def _priors(records: Records, weigh: _Weigh, now: float) -> Floats:
    """Small preferences that decide between equals, and the mark of what has been replaced."""
    age = np.maximum(now - records["created"], 0.0)
    evidence = records["evidence"].astype(np.float64)
    result: Floats = (
        weigh.by("superseded") * (records["flags"] & SUPERSEDED > 0)
        + weigh.by("importance") * (records["importance"].astype(np.float64) - 5.0) / 5.0
        + weigh.by("recency") * np.exp2(-age / _HALF_YEAR)
        + weigh.by("evidence") * np.tanh(evidence / 2.0)
    )
    return result
