"""The leg of words: everything that can be told from words, people, dates and neighbourhood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memory.people import Names
from memory.recall import bm25, words
from memory.recall.bm25 import Floats
from memory.recall.cues import asks_time
from memory.recall.dates import DateHint, dates_in
from memory.recall.document import TURN
from memory.recall.people import Person, named_in
from memory.recall.pool import Pool
from memory.recall.records import TIER_CODES
from memory.recall.segment import ASKING, RECORD, SUPERSEDED, TEMPORAL, Ints, Mask, Records
from memory.recall.when import seconds

# Short texts: a low b matters, k1 hardly does.
K1, B = 0.9, 0.4
# Documents looked at closely.
_DEPTH = 256
_TURN = TIER_CODES[TURN]
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
MEMORY_WEIGHTS = Weights(session=0.5, speaker=0.5, month=0.25, day=0.5, cue=0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question's text, taken apart."""

    tokens: tuple[str, ...]         # distinct, in order
    terms: Ints                     # the same as terms
    people: Sequence[Person]
    hints: Sequence[DateHint]
    asks_time: bool


def read_question(text: str, pool: Pool, names: Names | None, now: datetime) -> Question:
    people = named_in(words.fold(text), pool.snapshots, names)
    tokens = tuple(dict.fromkeys(words.words(text)))
    if people:
        # Whom a text is of counts as its speaker; his name in the texts of others misleads.
        of_names = {token for person in people for name in person for token in words.words(name)}
        tokens = tuple(token for token in tokens if token not in of_names) or tokens
    return Question(
        tokens=tokens,
        terms=np.array([words.term(token) for token in tokens], dtype=np.int64),
        people=people,
        hints=dates_in(text, now.date()),
        asks_time=asks_time(text),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The documents looked at, by ascending row: R of each."""

    rows: Ints
    records: Records
    frequencies: Ints               # of the question's terms, in the pool
    scores: Floats
    words: Floats                   # 0..1
    sessions: Floats
    speakers: Floats
    dates: Floats
    cues: Floats
    neighbours: Floats
    priors: Floats

    def best_first(self, pool: Pool) -> list[int]:
        """Places in the arrays above: by score, then newest, then by id."""
        # Sums in another order differ in their last bits; such differences must not decide.
        rounded = np.round(self.scores, 9)
        created = self.records["created"]
        order = np.lexsort((-created, -rounded))
        tied = np.flatnonzero((rounded[order[1:]] == rounded[order[:-1]]) & (created[order[1:]] == created[order[:-1]]))
        ranked: list[int] = order.tolist()
        if len(tied):
            ranked.sort(key=lambda at: (-rounded[at], -created[at], pool.document(int(self.rows[at])).id))
        return ranked


def rank(pool: Pool, question: Question, now: datetime) -> Ranking:
    """Score the documents that have anything to do with the question."""
    matches = bm25.find(pool, question.terms)
    touched, raw = bm25.score(pool, matches, k1=K1, b=B)
    best = float(raw.max()) if len(raw) else 1.0
    rows = _candidates(pool, question, touched, raw)
    if not len(rows):
        nothing = np.zeros(0)
        return Ranking(
            rows=rows, records=np.zeros(0, dtype=RECORD), frequencies=matches.frequencies, scores=nothing, words=nothing,
            sessions=nothing, speakers=nothing, dates=nothing, cues=nothing, neighbours=nothing, priors=nothing,
        )  # fmt: skip
    records = pool.records(rows)
    weigh = _Weigh(records)
    word_scores = _lookup(touched, raw, rows) / best
    sessions = weigh.by("session") * _session_scores(pool, matches, records)
    speakers = weigh.by("speaker") * _speaker_matches(pool, question.people, rows, records)
    dates = _date_scores(question.hints, records, weigh)
    flags = records["flags"]
    cues = weigh.by("asking") * (flags & ASKING > 0)
    if question.asks_time:
        cues = cues + weigh.by("cue") * (flags & TEMPORAL > 0)
    own = word_scores + sessions + speakers + dates + cues
    neighbours = _from_neighbours(rows, records, own, weigh)
    priors = _priors(records, weigh, seconds(now))
    return Ranking(
        rows=rows, records=records, frequencies=matches.frequencies, scores=own + neighbours + priors,
        words=word_scores, sessions=sessions, speakers=speakers, dates=dates, cues=cues, neighbours=neighbours,
        priors=priors,
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


def _candidates(pool: Pool, question: Question, touched: Ints, raw: Floats) -> Ints:
    """The best by words, what the dates point at, and the turns next to them."""
    if len(touched) > _DEPTH:
        chosen = touched[np.argpartition(raw, len(raw) - _DEPTH)[-_DEPTH:]]
    else:
        chosen = touched
    if question.hints:
        chosen = np.concatenate([chosen, _dated(pool, question.hints, touched, raw)])
    if any(part.view.records["tier"][0] == _TURN for part in pool.parts):
        chosen = np.concatenate([chosen, chosen - 1, chosen + 1])
        chosen = chosen[(chosen >= 0) & (chosen < pool.rows)]
    chosen = np.unique(chosen)
    return chosen[pool.members(chosen)]


def _dated(pool: Pool, hints: Sequence[DateHint], touched: Ints, raw: Floats) -> Ints:
    exact = [hint for hint in hints if hint.exact] or hints
    found = []
    for part in pool.parts:
        hit = _on_days(exact, part.view.records)
        if part.mask is not None:
            hit &= part.mask
        found.append(np.flatnonzero(hit) + part.base)
    rows = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
    if len(rows) > _DEPTH:
        scores = _lookup(touched, raw, rows)
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


def _lookup(keys: Ints, values: Floats, wanted: Ints) -> Floats:
    """The value of each wanted key, 0 where it has none. Keys ascend."""
    if not len(keys):
        return np.zeros(len(wanted))
    places = np.minimum(keys.searchsorted(wanted), len(keys) - 1)
    return np.where(keys[places] == wanted, values[places], 0.0)


def _session_scores(pool: Pool, matches: bm25.Matches, records: Records) -> Floats:
    sessions, scores = bm25.score_sessions(pool, matches, k1=K1, b=B)
    if not len(sessions):
        return np.zeros(len(records))
    return _lookup(sessions, scores / scores.max(), records["session"].astype(np.int64))


def _speaker_matches(pool: Pool, people: Sequence[Person], rows: Ints, records: Records) -> NDArray[np.float64]:
    """1 where the only person the question names is who the document is of."""
    if len(people) != 1:
        return np.zeros(len(rows))
    found = []
    at = 0
    for part, own in pool.pieces(rows):
        speakers = pool.snapshots[part.source].speakers
        codes = [code for name in people[0] if (code := speakers.get(name)) is not None]
        found.append(np.isin(records["speaker"][at : at + len(own)], codes))
        at += len(own)
    return np.concatenate(found).astype(np.float64)


def _date_scores(hints: Sequence[DateHint], records: Records, weigh: _Weigh) -> Floats:
    scores = np.zeros(len(records))
    if hints:
        scores = np.where(_on_days(hints, records), weigh.by("month"), scores)
        exact = [hint for hint in hints if hint.exact]
        if exact:
            # A stretch of more than a month does not point at a day in it.
            short = records["last_day"] - records["first_day"] <= 31
            scores = np.where(_on_days(exact, records) & short, weigh.by("day"), scores)
    return scores


def _from_neighbours(rows: Ints, records: Records, own: Floats, weigh: _Weigh) -> Floats:
    """What a turn gains from those before and after it in the same conversation."""
    gained = np.zeros(len(rows))
    if not weigh.some or len(rows) < 2:
        return gained
    session, order = records["session"], records["order"]
    beside = (
        (rows[1:] - rows[:-1] == 1)
        & (session[1:] == session[:-1])
        & (order[1:] > order[:-1])
        & weigh.turns[1:]
        & weigh.turns[:-1]
    )
    asks = records["flags"][:-1] & ASKING > 0
    share = np.where(asks, TURN_WEIGHTS.asked, TURN_WEIGHTS.previous)
    gained[1:] += share * np.where(beside, own[:-1], 0.0)
    gained[:-1] += TURN_WEIGHTS.following * np.where(beside, own[1:], 0.0)
    return gained


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
