"""Vectors as bytes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from memory.recall import packed

MODEL = "some-model-16d-int8"


def rows(count: int, seed: int = 1) -> NDArray[np.float32]:
    made = np.random.default_rng(seed).normal(size=(count, 16)).astype(np.float32)
    return packed.halved(made / np.linalg.norm(made, axis=1, keepdims=True))


def kept(data: bytes) -> list[str]:
    return [name for part in packed.load(data, MODEL, 16)[0] for name in part.ids]


@pytest.fixture
def data() -> bytes:
    first = packed.frame(["a", "b"], [1, 2**64 - 1], rows(2))
    return packed.header(MODEL, 16) + first + packed.frame(["c"], [3], rows(1, seed=2))


def test_what_was_written_is_read_again(data: bytes) -> None:
    frames, appendable = packed.load(data, MODEL, 16)
    assert appendable
    assert [(list(part.ids), list(part.hashes)) for part in frames] == [(["a", "b"], [1, 2**64 - 1]), (["c"], [3])]
    assert (frames[0].rows == rows(2)).all()


def test_half_precision_comes_back_the_same_however_often(data: bytes) -> None:
    (first, *_), _ = packed.load(data, MODEL, 16)
    again = packed.header(MODEL, 16) + packed.frame(first.ids, first.hashes, first.rows)
    assert (packed.load(again, MODEL, 16)[0][0].rows == first.rows).all()


@pytest.mark.parametrize(("model", "dimension"), [("another-16d-int8", 16), (MODEL, 32)])
def test_a_file_of_another_model_counts_as_none(data: bytes, model: str, dimension: int) -> None:
    assert packed.load(data, model, dimension) == ([], False)


@pytest.mark.parametrize("data_or_none", [None, b"", b"vectors", b"something else entirely"])
def test_no_file_and_any_other_file_hold_nothing(data_or_none: bytes | None) -> None:
    assert packed.load(data_or_none, MODEL, 16) == ([], False)


def test_a_file_cut_anywhere_keeps_what_is_whole_and_is_not_appended_to(data: bytes) -> None:
    start = len(packed.header(MODEL, 16))
    first = start + len(packed.frame(["a", "b"], [1, 2], rows(2)))
    for end in range(start, len(data)):
        frames, appendable = packed.load(data[:end], MODEL, 16)
        assert [name for part in frames for name in part.ids] == ([] if end < first else ["a", "b"])
        assert appendable == (end in (start, first))


def test_a_spoilt_byte_ends_the_reading(data: bytes) -> None:
    for at in range(len(packed.header(MODEL, 16)), len(data)):
        spoilt = data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :]
        assert kept(spoilt) in ([], ["a", "b"])


def test_vectors_that_are_no_numbers_are_not_taken() -> None:
    bad = rows(1)
    bad[0, 3] = np.nan
    data = packed.header(MODEL, 16) + packed.frame(["a"], [1], bad)
    assert packed.load(data, MODEL, 16) == ([], False)


def test_ids_of_others_with_line_ends_do_not_shift_the_rest() -> None:
    data = packed.header(MODEL, 16) + packed.frame(["a\nb", "喵"], [1, 2], rows(2))
    assert kept(data) == ["a b", "喵"]
