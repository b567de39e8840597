"""The leg of meaning: cosines with the question, on top of what the leg of words knows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.recall.bm25 import Floats
from memory.recall.cosine import Vector, VectorSnapshot
from memory.recall.document import TURN
from memory.recall.pool import Pool
from memory.recall.records import TIER_CODES
from memory.recall.segment import Ints, Mask, Records
from memory.recall.weights import Weigh

# Documents each set of vectors proposes.
_DEPTH = 100
# Turns whose likeness to the one before is looked at; that of the others is taken to be the usual one.
_CLOSE = 128
# Documents with a vector from which on they tell something of those without.
_TELLING = 4
# Texts from which on their mean cosine tells what is usual, and the part of a distance that counts before.
_CROWD, _OF_FEW = 32, 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Dense:
    """A question as a vector, and the vectors of what it is asked of, all of one model."""

    query: Vector                               # unit length
    documents: Sequence[VectorSnapshot]
    floor: float                                # a cosine from here on means something with this model
    alone: Alone | None = None                  # … and what it takes with no word to bear it out; None: the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """When cosines alone make an answer. Among many texts one is always somewhat near, whatever is asked."""

    least: float                                # for the nearest of ten texts
    crowd: float                                # more of it for ten times as many
    apart: float                                # above the mean; among few texts a part of it

    def answers(self, best: float, mean: float, size: int) -> bool:
        """Whether the nearest of ``size`` texts is an answer."""
        least = self.least + self.crowd * max(math.log10(max(size, 1) / 10.0), 0.0)
        return best >= least and best - mean >= self.apart * (1.0 if size >= _CROWD else _OF_FEW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The cosines of every vector, made once for a question."""

    dense: Dense
    scores: Sequence[NDArray[np.float32]]

    def candidates(self, pool: Pool) -> Ints:
        """Rows of the pool that are nearest, ascending."""
        names: list[str] = []
        for vectors, scores in zip(self.dense.documents, self.scores, strict=True):
            names += vectors.best(scores, _DEPTH, self.dense.floor)
        return pool.rows_of(names)

    def cosines(self, pool: Pool, rows: Ints, records: Records) -> tuple[Floats, Floats]:
        """The cosines of documents, and of turns together with the one before; NaN where there is no vector."""
        near, around = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
        if not len(rows):
            return near, around
        ids = pool.ids(rows)
        following = _following(rows, records)
        for vectors, scores in zip(self.dense.documents, self.scores, strict=True):
            own = vectors.rows(ids)
            known = own >= 0
            near[known] = scores[own[known]]
            places = following[known[following] & known[following - 1]]
            around[places] = _together(vectors, scores, np.stack([own[places - 1], own[places]]))
        # What opens a conversation, or comes without what was said before, stands for itself.
        return near, np.where(np.isnan(around), near, around)

    def near_enough(self, near: Floats, by_words: Mask) -> Mask:
        """Which documents are answers by their cosine."""
        found: Mask = near >= self.dense.floor      # NaN is not
        alone = self.dense.alone
        if alone is None or by_words.any() or not found.any():
            return found
        best, size = float(np.nanmax(near)), sum(map(len, self.scores))
        if not alone.answers(best, sum(float(one.sum()) for one in self.scores) / size, size):
            return np.zeros(len(near), dtype=np.bool_)
        return found & (near >= best - alone.apart)


def scan(dense: Dense) -> Scan:
    """Compare the question with everything: takes about 10 ms for 100,000 vectors of 384 numbers."""
    return Scan(dense=dense, scores=[vectors.cosines(dense.query) for vectors in dense.documents])


def combined(words: Floats, near: Floats, around: Floats, weigh: Weigh) -> Floats:
    """The score of the leg of meaning: that of the leg of words and what the cosines add."""
    result: Floats = words + weigh.by("cosine") * _stretched(near, words)
    if weigh.some:
        result = result + weigh.by("context_cosine") * _stretched(around, words)
    return result


def _following(rows: Ints, records: Records) -> Ints:
    """Places of the turns that stand behind the turn before them in the same conversation."""
    beside = (rows[1:] - rows[:-1] == 1) & (records["session"][1:] == records["session"][:-1])
    beside &= (records["tier"][1:] == TIER_CODES[TURN]) & (records["order"][:-1] < records["order"][1:])
    places: Ints = np.flatnonzero(beside) + 1
    return places


def _together(vectors: VectorSnapshot, scores: NDArray[np.float32], pairs: Ints) -> Floats:
    """The cosines of the question with the sums of pairs of vectors. [2, N] rows → [N]

    The sum of two texts' vectors finds as much as the vector of both texts in one, which would be a second
    vector for every turn and thrice the work of making one.
    """
    sums: Floats = scores[pairs].sum(axis=0, dtype=np.float64)
    if not len(sums):
        return sums
    closest = np.argsort(-sums, kind="stable")[:_CLOSE]
    likeness = np.einsum("ij,ij->i", vectors.take(pairs[0, closest]), vectors.take(pairs[1, closest]))
    lengths = np.sqrt(np.maximum(2.0 + 2.0 * likeness.astype(np.float64), 0.01))
    result: Floats = sums / lengths.mean()
    result[closest] = sums[closest] / lengths
    return result


def _stretched(cosines: Floats, words: Floats) -> Floats:
    """From 0 for the farthest candidate to 1 for the nearest.

    What has no vector yet gets what candidates of its standing by words mostly have, so that being new, or
    in a language that the model does not know, is neither held against a document nor for it.
    """
    known = ~np.isnan(cosines)
    if not known.any():
        return np.zeros(len(cosines))
    low, high = float(cosines[known].min()), float(cosines[known].max())
    if high <= low:
        return np.ones(len(cosines))
    scaled: Floats = (cosines - low) / (high - low)
    if not known.all():
        scaled[~known] = _expected(words[known], scaled[known], words[~known])
    return scaled


def _expected(words: Floats, scaled: Floats, of: Floats) -> Floats:
    """A straight line through what is known, never falling, read off for the rest."""
    apart = words - words.mean()
    spread = float(apart @ apart)
    slope = max(float(apart @ (scaled - scaled.mean())) / spread, 0.0) if len(words) >= _TELLING and spread > 0 else 0.0
    result: Floats = np.clip(scaled.mean() + slope * (of - words.mean()), 0.0, 1.0)
    return result
