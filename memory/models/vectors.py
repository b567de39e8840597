"""How vectors are cached on entries: base64 of little-endian fp16, with fingerprints of text and model."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]

_FP16: Final = np.dtype("<f2")
_DIMENSION = re.compile(r"-(\d{1,5})d-")


def text_sha256(text: str) -> str:
    """The fingerprint of a text: full hex SHA-256 of its UTF-8 bytes (a lone surrogate counts as ``?``)."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def pack(vector: npt.NDArray[np.floating]) -> str:
    """A vector [dimension] as text."""
    return base64.b64encode(np.asarray(vector, dtype=_FP16).tobytes()).decode("ascii")


def unpack(packed: object, dimension: int) -> Vectors | None:
    """The vector as float32 [dimension] of length one; None for anything that is not one of that dimension."""
    rows = unpack_many([packed], dimension)
    return None if np.isnan(rows[0, 0]) else rows[0]


def unpack_many(packed: Sequence[object], dimension: int) -> Vectors:
    """float32 [n, dimension], rows of length one; a row of NaN where a value is no finite vector of that dimension."""
    halves = np.full((len(packed), dimension), np.nan, dtype=_FP16)
    for place, value in enumerate(packed):
        if isinstance(value, str) and len(value) == -(-dimension * 2 // 3) * 4:
            try:
                raw = base64.b64decode(value, validate=True)
            except (binascii.Error, ValueError):
                continue
            if len(raw) == dimension * 2:
                halves[place] = np.frombuffer(raw, dtype=_FP16)
    rows = halves.astype(np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    rows[~np.isfinite(rows).all(axis=1)] = np.nan
    return rows


def dimension_of(fingerprint: str) -> int | None:
    """The dimension a model's fingerprint names, such as 256 in ``local-text-retrieval-v1-256d-int8-mlen1024``."""
    found = _DIMENSION.findall(fingerprint)
    return int(found[-1]) if found else None
