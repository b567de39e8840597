"""Words that one writes together and another apart: roadtrip, road trip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from memory.recall import bm25, words
from memory.recall.bm25 import Matches
from memory.recall.pool import Pool
from memory.recall.segment import Ints

_SHORTEST_PART = 3


def with_compounds(pool: Pool, tokens: Sequence[str], matches: Matches) -> Matches:
    """The matches, where a token that occurs nowhere stands for the documents that have both its halves.

    Looks only at words in Latin script of at least six letters, and only at missing ones.
    """
    if matches.frequencies.all():
        return matches
    for place in np.flatnonzero(matches.frequencies == 0).tolist():
        token = tokens[place]
        if len(token) >= 2 * _SHORTEST_PART and token.isascii() and token.isalpha():
            matches = _split(pool, token, place, matches)
    return matches


def _split(pool: Pool, token: str, place: int, matches: Matches) -> Matches:
    cuts = range(_SHORTEST_PART, len(token) - _SHORTEST_PART + 1)
    halves = [words.term(half) for cut in cuts for half in (token[:cut], token[cut:])]
    found = bm25.find(pool, np.array(halves, dtype=np.int64))
    if not len(found.rows):
        return matches
    best: Ints = np.zeros(0, dtype=np.int64)
    for number in range(len(cuts)):
        first = found.rows[found.which == 2 * number]
        second = found.rows[found.which == 2 * number + 1]
        both = np.intersect1d(first, second)
        if len(both) > len(best):
            best = both
    if not len(best):
        return matches
    # Each of the documents is in ``found``; what is known of it is taken from there.
    order = np.argsort(found.rows, kind="stable")
    places = order[found.rows[order].searchsorted(best)]
    frequencies = matches.frequencies.copy()
    frequencies[place] = len(best)
    return replace(
        matches,
        rows=np.concatenate([matches.rows, best]),
        counts=np.concatenate([matches.counts, np.ones(len(best))]),
        which=np.concatenate([matches.which, np.full(len(best), place)]),
        lengths=np.concatenate([matches.lengths, found.lengths[places]]),
        pieces=(*matches.pieces, *((part, own.astype(np.int32)) for part, own in pool.pieces(best))),
        frequencies=frequencies,
    )
