"""Which of a few texts are about the same thing, by their vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory.recall.cosine import Matrix, VectorSnapshot

Edge = tuple[int, int, float]       # two places, the lower first, and their cosine


def neighbours(
    documents: Sequence[VectorSnapshot], ids: Sequence[str], *, floor: float, most: int
) -> tuple[frozenset[int], list[Edge]]:
    """The places of ids that have a vector; and pairs of cosine ``floor`` or more, ``most`` for each, closest first."""
    rows: dict[int, Matrix] = {}
    for snapshot in documents:
        found = snapshot.rows(ids)
        held = [place for place, row in enumerate(found.tolist()) if row >= 0 and place not in rows]
        taken = snapshot.take(found[held])
        rows |= dict(zip(held, taken, strict=True))
    places = sorted(rows)
    if len(places) < 2:
        return frozenset(places), []
    matrix = np.stack([rows[place] for place in places])
    cosines = np.einsum("id,jd->ij", matrix, matrix)
    np.fill_diagonal(cosines, -1.0)
    edges: dict[tuple[int, int], float] = {}
    for at, row in enumerate(cosines):
        best = np.argsort(-row, kind="stable")[:most]
        for other in best[row[best] >= floor].tolist():
            edges[min(places[at], places[other]), max(places[at], places[other])] = float(row[other])
    return frozenset(places), sorted(((*pair, cosine) for pair, cosine in edges.items()), key=_closest)


def _closest(edge: Edge) -> tuple[float, int, int]:
    return -edge[2], edge[0], edge[1]
