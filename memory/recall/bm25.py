"""Okapi BM25 over a pool, for documents and for the sessions they belong to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.recall.pool import Pool
from memory.recall.segment import Ints

Floats = NDArray[np.float64]

# Up to this many postings are gathered by sorting; more are added up in one array over the pool.
_SPARSE = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """Where the terms of a question stand: M postings, ascending by row only within a term and part."""

    rows: Ints                  # [M] rows of the pool
    counts: Floats              # [M] occurrences
    which: Ints                 # [M] index of the term
    lengths: Floats             # [M] tokens of the document
    frequencies: Ints           # [T] documents of the pool with the term


def find(pool: Pool, terms: Ints) -> Matches:
    """The postings of distinct ``terms`` within the pool."""
    numbers = np.arange(len(terms))
    rows, counts, which, lengths = [], [], [], []
    for part in pool.parts:
        piece_rows, piece_counts, sizes = part.view.find(terms)
        if not piece_rows:
            continue
        own = np.concatenate(piece_rows)
        tally = np.concatenate(piece_counts)
        term = np.repeat(numbers, sizes)
        if part.mask is not None:
            kept = part.mask[own]
            own, tally, term = own[kept], tally[kept], term[kept]
        lengths.append(part.view.lengths[own])
        rows.append(own.astype(np.int64) + part.base)
        counts.append(tally)
        which.append(term)
    if not rows:
        nothing = np.zeros(0)
        none = np.zeros(0, dtype=np.int64)
        return Matches(
            rows=none, counts=nothing, which=none, lengths=nothing, frequencies=np.zeros(len(terms), dtype=np.int64)
        )
    all_which = np.concatenate(which)
    return Matches(
        rows=np.concatenate(rows),
        counts=np.concatenate(counts).astype(np.float64),
        which=all_which,
        lengths=np.concatenate(lengths).astype(np.float64),
        frequencies=np.bincount(all_which, minlength=len(terms)),
    )


def idf(frequencies: Ints, size: int) -> Floats:
    """ln((N - n + 0.5) / (n + 0.5) + 1), which is positive for every n."""
    result: Floats = np.log((size - frequencies + 0.5) / (frequencies + 0.5) + 1.0)
    return result


def score(pool: Pool, matches: Matches, *, k1: float, b: float) -> tuple[Ints, Floats]:
    """Rows with at least one of the terms, ascending, and their scores, all above zero."""
    if not len(matches.rows):
        return matches.rows, matches.counts
    weights = idf(matches.frequencies, pool.size)[matches.which]
    average = pool.tokens / pool.size
    parts = _saturated(weights, matches.counts, matches.lengths / average, k1, b)
    if len(matches.rows) <= _SPARSE:
        rows, inverse = np.unique(matches.rows, return_inverse=True)
        return rows, np.bincount(inverse, parts)
    scores = np.bincount(matches.rows, parts, minlength=pool.rows)
    rows = np.flatnonzero(scores)
    return rows, scores[rows]


def score_sessions(pool: Pool, matches: Matches, *, k1: float, b: float) -> tuple[Ints, Floats]:
    """The same with each session as one document: session codes, ascending, and scores."""
    if not len(matches.rows):
        return matches.rows, matches.counts
    tokens = np.concatenate([snapshot.session_tokens for snapshot in pool.snapshots])
    total = int(np.count_nonzero(tokens > 0))
    order = np.argsort(matches.rows, kind="stable")
    sessions = np.empty(len(order), dtype=np.int64)
    sessions[order] = _sessions(pool, matches.rows[order])
    terms = len(matches.frequencies)
    pairs, inverse = np.unique(sessions * terms + matches.which, return_inverse=True)
    counts = np.bincount(inverse, matches.counts)
    owner, which = np.divmod(pairs, terms)
    weights = idf(np.bincount(which, minlength=terms), max(total, 1))[which]
    lengths = tokens[owner] / (tokens.sum() / max(total, 1))
    parts = _saturated(weights, counts, lengths, k1, b)
    found, inverse = np.unique(owner, return_inverse=True)
    return found, np.bincount(inverse, parts)


def _sessions(pool: Pool, rows: Ints) -> Ints:
    return np.concatenate(
        [part.view.records["session"][own].astype(np.int64) + part.session_base for part, own in pool.pieces(rows)]
    )


def _saturated(weights: Floats, counts: Floats, lengths: Floats, k1: float, b: float) -> Floats:
    result: Floats = weights * (counts * (k1 + 1.0)) / (counts + k1 * (1.0 - b + b * lengths))
    return result
