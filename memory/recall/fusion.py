"""Joining the rankings of several legs into one score."""

from __future__ import annotations

from collections.abc import Sequence

_DEPTH = 60.0


def fuse(legs: Sequence[Sequence[int]]) -> list[tuple[int, float]]:
    """Reciprocal-rank fusion: the sum of 1 / (60 + rank) over legs, best first.

    Each leg lists distinct items, best first; ranks count from 1. Items of equal score keep
    the order in which the legs, one after another, name them.
    """
    scores: dict[int, float] = {}
    for leg in legs:
        for rank, item in enumerate(leg, 1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (_DEPTH + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])
