"""Reciprocal-rank fusion."""

from __future__ import annotations

import pytest

from memory.recall.fusion import fuse


@pytest.mark.parametrize(("legs", "score"), [([[7], [7]], 0.032787), ([[7], []], 0.016393), ([[7], [8, 7]], 0.032522)])
def test_the_score_is_the_sum_of_one_over_sixty_and_rank(legs: list[list[int]], score: float) -> None:
    assert round(dict(fuse(legs))[7], 6) == score


def test_equal_scores_keep_the_order_of_the_legs() -> None:
    assert [item for item, _ in fuse([[1, 2], [3, 4]])] == [1, 3, 2, 4]


def test_an_item_of_both_legs_comes_before_one_that_is_first_in_one() -> None:
    assert [item for item, _ in fuse([[1, 2], [3, 2]])] == [2, 1, 3]
