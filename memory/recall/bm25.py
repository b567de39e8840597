"""Okapi BM25 over a pool, for documents and for the sessions they belong to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.recall.pool import Part, Pool
from memory.recall.segment import Ints, Mask

Floats = NDArray[np.float64]

# Up to this many postings are gathered by sorting; more are added up in one array over the pool.
_SPARSE = 4096
# Documents without any of the words, imagined beside the pool where the worth of a word is told.
_UNSEEN = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """Where the T terms of a question stand: M postings, ascending by row only within a term and part."""

    rows: Ints                  # [M] rows of the pool
    counts: Floats              # [M] occurrences
    which: Ints                 # [M] index of the term
    lengths: Floats             # [M] tokens of the document
    pieces: tuple[tuple[Part, NDArray[np.int32]], ...]   # the rows again, as rows of the parts they are from
    frequencies: Ints           # [T] documents of the pool with the term


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Documents with at least one of the terms, by ascending row."""

    rows: Ints
    scores: Floats              # all above zero
    shares: Floats              # summed worth of the terms each has
    worth: float                # the same of all terms of the question


def find(pool: Pool, terms: Ints) -> Matches:
    """The postings of distinct ``terms`` within the pool."""
    rows: list[NDArray[np.int32]] = []
    counts: list[NDArray[np.uint16]] = []
    sizes: list[int] = []               # of each term in each part
    parts: list[Part] = []
    masked = False
    for part in pool.parts:
        piece_rows, piece_counts, piece_sizes = part.view.find(terms)
        if piece_rows:
            rows.append(piece_rows[0] if len(piece_rows) == 1 else np.concatenate(piece_rows))
            counts += piece_counts
            sizes += piece_sizes
            parts.append(part)
            masked = masked or part.mask is not None
    if not rows:
        none, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
        return Matches(
            rows=none, counts=nothing, which=none, lengths=nothing, pieces=(),
            frequencies=np.zeros(len(terms), dtype=np.int64),
        )  # fmt: skip
    which = np.array(list(range(len(terms))) * len(parts)).repeat(sizes)
    all_rows, all_lengths = np.empty(len(which), dtype=np.int64), np.empty(len(which))
    at = 0
    for part, own in zip(parts, rows, strict=True):
        last = at + len(own)
        np.add(own, part.base, out=all_rows[at:last])
        all_lengths[at:last] = part.view.lengths[own]
        at = last
    all_counts = np.concatenate(counts, dtype=np.float64)
    if masked:
        masks = [_kept(part, own) for part, own in zip(parts, rows, strict=True)]
        kept = np.concatenate(masks)
        all_rows, all_counts, which, all_lengths = all_rows[kept], all_counts[kept], which[kept], all_lengths[kept]
        rows = [own[mask] for mask, own in zip(masks, rows, strict=True)]
    return Matches(
        rows=all_rows, counts=all_counts, which=which, lengths=all_lengths,
        pieces=tuple(zip(parts, rows, strict=True)), frequencies=np.bincount(which, minlength=len(terms)),
    )  # fmt: skip


def _kept(part: Part, own: NDArray[np.int32]) -> Mask:
    return np.ones(len(own), dtype=np.bool_) if part.mask is None else part.mask[own]


def idf(frequencies: Ints, size: int | Ints) -> Floats:
    """ln((N - n + 0.5) / (n + 0.5) + 1), which is positive for every n."""
    result: Floats = np.log((size - frequencies + 0.5) / (frequencies + 0.5) + 1.0)
    return result


def score(pool: Pool, matches: Matches, kinds: Floats, *, k1: float, b: float) -> Scores:
    """The documents with at least one of the terms. ``kinds`` [T] scales what a term counts for in shares."""
    rows, which = matches.rows, matches.which
    # In a small memory a word that all documents have is not worthless yet: others would not have it.
    worth = idf(matches.frequencies, pool.size + _UNSEEN) * kinds
    total = float(worth.sum())
    if not len(rows):
        return Scores(rows=rows, scores=matches.counts, shares=matches.counts, worth=total)
    weights = idf(matches.frequencies, pool.size)[which]
    parts = _saturated(weights, matches.counts, matches.lengths, pool.tokens / pool.size, k1, b)
    if len(rows) <= _SPARSE:
        order = rows.argsort(kind="stable")
        ordered = rows[order]
        first = _first_of_each(ordered)
        shares = np.add.reduceat(worth[which[order]], first)
        return Scores(rows=ordered[first], scores=np.add.reduceat(parts[order], first), shares=shares, worth=total)
    scores = _added(rows, parts, pool.rows)
    shares = _added(rows, worth[which], pool.rows)
    found = np.flatnonzero(scores)
    return Scores(rows=found, scores=scores[found], shares=shares[found], worth=total)


def score_sessions(pool: Pool, matches: Matches, *, k1: float, b: float) -> tuple[Ints, Floats]:
    """The same with each session as one document: session codes, ascending, and scores."""
    if not len(matches.rows):
        return matches.rows, matches.counts
    tokens, total, average = pool.session_statistics()
    terms = len(matches.frequencies)
    sessions = np.concatenate(
        [part.view.records["session"][own] + np.int64(part.session_base) for part, own in matches.pieces]
    )
    pairs, inverse = _grouped(sessions * terms + matches.which)
    counts = _added(inverse, matches.counts, len(pairs))
    owner = pairs // terms
    which = pairs - owner * terms
    weights = idf(np.bincount(which, minlength=terms), total)[which]
    parts = _saturated(weights, counts, tokens[owner], average, k1, b)
    found, inverse = _grouped(owner)
    return found, _added(inverse, parts, len(found))


def _saturated(
    weights: Floats, counts: Floats, lengths: Floats | Ints, average: float, k1: float, b: float
) -> Floats:
    result: Floats = weights * (counts * (k1 + 1.0)) / (counts + (k1 * (1.0 - b) + (k1 * b / average) * lengths))
    return result


def _first_of_each(ordered: Ints) -> Ints:
    """Where in an ascending array, which is not empty, another value begins."""
    first = np.empty(len(ordered), dtype=np.bool_)
    first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    places: Ints = first.nonzero()[0]
    return places


def _grouped(values: Ints) -> tuple[Ints, Ints]:
    """The distinct values, ascending, and for each value its place among them."""
    order = values.argsort(kind="stable")
    ordered = values[order]
    first = _first_of_each(ordered)
    counts = np.diff(first, append=len(values))
    places = np.empty(len(values), dtype=np.int64)
    places[order] = np.arange(len(first)).repeat(counts)
    return ordered[first], places


def _added(places: Ints, values: Floats, size: int) -> Floats:
    result: Floats = np.bincount(places, values, size).astype(np.float64, copy=False)
    return result
