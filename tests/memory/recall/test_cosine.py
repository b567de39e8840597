"""The exact scan over vectors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from memory.recall.cosine import Vectors


def unit(count: int, dimension: int = 16, seed: int = 1) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).normal(size=(count, dimension))
    result: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return result


def names(count: int, first: int = 0) -> list[str]:
    return [f"fact_{number}" for number in range(first, first + count)]


def test_cosines_are_those_of_a_plain_product_also_across_blocks() -> None:
    rows, query = unit(9000), unit(1, seed=2)[0]
    vectors = Vectors(16)
    vectors.put(names(5000), rows[:5000])
    vectors.put(names(4000, 5000), rows[5000:])
    assert vectors.snapshot().cosines(query) == pytest.approx(rows @ query, abs=1e-5)


def test_the_best_are_those_of_a_full_sort() -> None:
    rows, query = unit(6000), unit(1, seed=2)[0]
    vectors = Vectors(16)
    vectors.put(names(6000), rows)
    snapshot = vectors.snapshot()
    scores = snapshot.cosines(query)
    want = [f"fact_{row}" for row in np.argsort(-scores, kind="stable")[:100]]
    assert snapshot.best(scores, 100, -1.0) == want


def test_nothing_below_the_floor_is_among_the_best() -> None:
    vectors = Vectors(2)
    vectors.put(["near", "far"], np.array([[1, 0], [0, 1]], dtype=np.float32))
    snapshot = vectors.snapshot()
    scores = snapshot.cosines(np.array([0.8, 0.6], dtype=np.float32))
    assert snapshot.best(scores, 10, 0.7) == ["near"]


def test_a_replaced_vector_and_a_dropped_one_are_never_found() -> None:
    vectors = Vectors(2)
    east, north = np.array([[1, 0]], dtype=np.float32), np.array([[0, 1]], dtype=np.float32)
    vectors.put(["a"], east)
    vectors.put(["b"], east)
    vectors.put(["a"], north)
    vectors.drop(["b", "unknown"])
    snapshot = vectors.snapshot()
    scores = snapshot.cosines(east[0])
    assert snapshot.best(scores, 10, 0.5) == []
    assert snapshot.of(["a", "b"], scores, -2.0).tolist() == [0.0, -2.0]
    assert len(vectors) == 1


def test_a_vector_added_later_is_not_in_an_earlier_snapshot() -> None:
    vectors = Vectors(2)
    vectors.put(["a"], np.array([[1, 0]], dtype=np.float32))
    before = vectors.snapshot()
    vectors.put(["b"], np.array([[1, 0]], dtype=np.float32))
    scores = before.cosines(np.array([1, 0], dtype=np.float32))
    assert before.best(scores, 10, 0.5) == ["a"]
    assert before.of(["b"], scores, -2.0).tolist() == [-2.0]


def test_tidying_leaves_stale_rows_behind_and_what_came_meanwhile_in() -> None:
    rows = unit(9000)
    vectors = Vectors(16)
    vectors.put(names(9000), rows)
    vectors.drop(names(8000))
    assert vectors.untidy
    steps = vectors.tidy()
    next(steps)
    vectors.put(["late"], rows[:1])
    vectors.drop(["fact_8999"])
    for _ in steps:
        pass
    snapshot = vectors.snapshot()
    assert snapshot.size == 1000
    assert "late" in vectors
    assert "fact_8999" not in vectors
    scores = snapshot.cosines(rows[8500])
    assert snapshot.best(scores, 1, 0.0) == ["fact_8500"]
    assert snapshot.best(snapshot.cosines(rows[0]), 1, 0.9) == ["late"]


def test_vectors_of_another_shape_are_refused() -> None:
    with pytest.raises(AssertionError):
        Vectors(3).put(["a"], np.zeros((1, 2), dtype=np.float32))
