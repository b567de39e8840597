"""Vectors as bytes: a copy that saves embedding texts again, never the only record of anything.

A file begins with the model that all its vectors are of. Frames follow, each whole in itself, so that more can be
appended; of an id that occurs twice the later vector counts. What a crash left behind at the end is not read.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.recall.cosine import Matrix

# magic, format, dimension, bytes of the model's fingerprint; then that, and the end of the line
_HEADER = struct.Struct("<8sIII")
_MAGIC = b"vectors\n"
_FORMAT = 1
# rows, bytes of ids; then hashes, rows in half precision, ids; then a checksum, and the end of the line
_FRAME = struct.Struct("<II")
_CHECKSUM = struct.Struct("<I")
_HALF = np.dtype("<f2")
_HASH = np.dtype("<u8")

FRAME = 2048    # rows in one frame at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Some vectors, as they were kept."""

    ids: Sequence[str]
    hashes: Sequence[int]       # of the texts, see ``records.text_hash``
    rows: Matrix                # [len(ids), dimension]


def halved(rows: Matrix) -> Matrix:
    """The rows as half precision keeps them."""
    kept: Matrix = rows.astype(_HALF).astype(np.float32)
    return kept


def header(fingerprint: str, dimension: int) -> bytes:
    name = fingerprint.encode("utf-8", "surrogatepass")
    return _HEADER.pack(_MAGIC, _FORMAT, dimension, len(name)) + name + b"\n"


def frame(ids: Sequence[str], hashes: Sequence[int], rows: Matrix) -> bytes:
    """At most ``FRAME`` vectors. [len(ids), dimension]"""
    names = "\n".join(name.replace("\n", " ") for name in ids).encode("utf-8", "surrogatepass")
    body = b"".join((
        _FRAME.pack(len(ids), len(names)), np.array(hashes, dtype=_HASH).tobytes(), rows.astype(_HALF).tobytes(), names,
    ))  # fmt: skip
    return body + _CHECKSUM.pack(zlib.crc32(body)) + b"\n"


def load(data: bytes | None, fingerprint: str, dimension: int) -> tuple[list[Kept], bool]:
    """The frames of a file of that model, and whether more may be appended to it. For a thread."""
    start = header(fingerprint, dimension)
    if data is None or not data.startswith(start):
        return [], False
    frames: list[Kept] = []
    at = len(start)
    while at + _FRAME.size <= len(data):
        count, named = _FRAME.unpack_from(data, at)
        width = count * dimension
        size = _FRAME.size + count * _HASH.itemsize + width * _HALF.itemsize + named
        end = at + size + _CHECKSUM.size + 1
        if end > len(data) or data[end - 1 : end] != b"\n":
            return frames, False
        if _CHECKSUM.unpack_from(data, at + size)[0] != zlib.crc32(memoryview(data)[at : at + size]):
            return frames, False
        at += _FRAME.size
        hashes: NDArray[np.uint64] = np.frombuffer(data, _HASH, count, at)
        at += count * _HASH.itemsize
        rows = np.frombuffer(data, _HALF, width, at).reshape(count, dimension).astype(np.float32)
        at += width * _HALF.itemsize
        ids = data[at : at + named].decode("utf-8", "surrogatepass").split("\n")
        at = end
        if len(ids) != count or not np.isfinite(rows).all():
            return frames, False
        frames.append(Kept(ids=ids, hashes=hashes.tolist(), rows=rows))
    return frames, at == len(data)
