"""Grouping texts of like length, so that little of a batch is padding and none is too large for memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


def batches(lengths: Sequence[int], *, most_tokens: int, most_texts: int) -> list[list[int]]:
    """Places grouped so that texts x longest stays within ``most_tokens``; a text longer than that is alone."""
    groups: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        # The longest comes first, so a group's first text gives its width.
        if groups and len(groups[-1]) < most_texts and lengths[groups[-1][0]] * (len(groups[-1]) + 1) <= most_tokens:
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def in_order(groups: Sequence[Sequence[int]], rows: Sequence[Vectors]) -> Vectors:
    """The vectors of all groups, back at the places of their texts."""
    vectors = np.concatenate(list(rows))
    ordered = np.empty_like(vectors)
    ordered[[place for group in groups for place in group]] = vectors
    return ordered
