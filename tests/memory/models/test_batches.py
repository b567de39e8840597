"""Texts grouped by length."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory.models.batches import batches, in_order

lengths = st.lists(st.integers(1, 600), max_size=60)


@given(lengths)
def test_no_batch_holds_more_tokens_than_allowed_unless_one_text_does(sizes: list[int]) -> None:
    for group in batches(sizes, most_tokens=512, most_texts=32):
        assert len(group) == 1 or max(sizes[place] for place in group) * len(group) <= 512


@given(lengths)
def test_every_text_is_in_exactly_one_batch(sizes: list[int]) -> None:
    groups = batches(sizes, most_tokens=512, most_texts=8)
    assert sorted(place for group in groups for place in group) == list(range(len(sizes)))
    assert all(len(group) <= 8 for group in groups)


def test_texts_of_like_length_go_together() -> None:
    assert batches([5, 100, 6, 99], most_tokens=200, most_texts=8) == [[1, 3], [2, 0]]


def test_vectors_return_to_the_places_of_their_texts() -> None:
    sizes = [5, 100, 6, 99]
    groups = batches(sizes, most_tokens=200, most_texts=8)
    rows = [np.array([[sizes[place]] for place in group], np.float32) for group in groups]
    assert in_order(groups, rows)[:, 0].tolist() == sizes
