"""The cached form of a vector."""

from __future__ import annotations

import base64
import hashlib

import numpy as np
import pytest

from memory.models.vectors import dimension_of, pack, text_sha256, unpack, unpack_many


def test_a_vector_is_packed_as_the_published_form_says() -> None:
    assert pack(np.array([0.6, 0.8])) == "zThmOg=="


def test_what_was_packed_comes_back_within_half_precision() -> None:
    vector = np.random.default_rng(1).standard_normal(384).astype(np.float32)
    vector /= np.linalg.norm(vector)
    back = unpack(pack(vector), 384)
    assert back is not None
    assert back.dtype == np.float32
    assert float(back @ vector) > 0.99999


def test_an_unpacked_vector_has_length_one() -> None:
    back = unpack(pack(np.array([3.0, 4.0])), 2)
    assert back == pytest.approx([0.6, 0.8], abs=1e-4)


@pytest.mark.parametrize(
    "value",
    [
        None, 7, "", "zThmOg", "zThmOg===", "!ThmOg==", "zThmOg==" * 2, [0.6, 0.8],
        base64.b64encode(np.array([np.nan, 0.8], "<f2").tobytes()).decode(),
        base64.b64encode(np.array([np.inf, 0.8], "<f2").tobytes()).decode(),
        base64.b64encode(np.array([0.0, 0.0], "<f2").tobytes()).decode(),
        "zThmOg=\N{FULLWIDTH EQUALS SIGN}",
    ],
)
def test_anything_else_is_no_vector(value: object) -> None:
    assert unpack(value, 2) is None


def test_a_bad_row_does_not_spoil_its_neighbours() -> None:
    rows = unpack_many(["zThmOg==", "broken", "zThmOg=="], 2)
    assert np.isnan(rows[1]).all()
    assert rows[0] == pytest.approx(rows[2])


def test_no_rows_are_no_rows() -> None:
    assert unpack_many([], 3).shape == (0, 3)


def test_a_text_is_known_by_its_sha256() -> None:
    assert text_sha256("我喜欢猫") == hashlib.sha256("我喜欢猫".encode()).hexdigest()


def test_a_lone_surrogate_has_a_fingerprint_too() -> None:
    assert len(text_sha256("a\ud800b")) == 64


@pytest.mark.parametrize(
    ("fingerprint", "dimension"),
    [
        ("local-text-retrieval-v1-256d-int8-mlen1024", 256),
        ("minilm-l6-en-384d-int8-mlen256", 384),
        ("model-3d-print-64d-fp32-mlen512", 64),
        ("something else", None),
    ],
)
def test_a_fingerprint_names_its_dimension(fingerprint: str, dimension: int | None) -> None:
    assert dimension_of(fingerprint) == dimension
