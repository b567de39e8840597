"""Reading the 4-bit weight file ``E5S1``: one BERT-style encoder with its vocabulary in a single little-endian blob.

The file is mapped, never copied whole: what is handed out are views into it.
"""

from __future__ import annotations

import itertools
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from memory.models.profiles import ModelUnusable

MAGIC: Final = b"E5S1"
VERSION: Final = 1
BLOCK: Final = 32                       # weights that share a scale
_BLOCK_BYTES: Final = 2 + BLOCK // 2    # an fp16 scale, then two weights a byte
_F32, _Q4 = 0, 1

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]
Halves = npt.NDArray[np.float16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The sizes of the encoder."""

    hidden: int
    layers: int
    heads: int
    inner: int          # width of the feed-forward part
    vocabulary: int     # rows of the word table; may exceed the number of pieces
    positions: int      # the longest input, in tokens
    types: int
    epsilon: float      # of every layer normalisation


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """The SentencePiece vocabulary; the place of a piece is its id."""

    texts: tuple[str, ...]
    scores: Floats
    bos: int
    eos: int
    pad: int
    unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantized:
    """A matrix [rows, columns] of weights ``(nibble - 8) * scale``.

    ``nibbles`` [rows, columns / 32, 16]: the low half of byte j is weight j of its block, the high half weight j + 16.
    ``scales`` [rows, columns / 32].
    """

    nibbles: Bytes
    scales: Halves

    def floats(self) -> Floats:
        """The matrix as float32 [rows, columns]."""
        low = self.nibbles & 15
        high = self.nibbles >> 4
        whole = np.concatenate([low, high], axis=-1).astype(np.float32) - 8.0
        whole *= self.scales.astype(np.float32)[..., None]
        return whole.reshape(whole.shape[0], -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An opened weight file."""

    shape: Shape
    pieces: Pieces
    _blob: Bytes
    _directory: dict[str, tuple[int, int, int, int]]    # name -> dtype, elements, offset, bytes

    def floats(self, name: str) -> Floats:
        """A float32 vector or table, flat."""
        dtype, elements, offset, size = self._find(name)
        if dtype != _F32 or size != elements * 4:
            raise ModelUnusable("damaged weights", f"{name} is not a float32 tensor")
        return self._blob[offset:offset + size].view("<f4")

    def quantized(self, name: str, columns: int) -> Quantized:
        """A 4-bit matrix with that many columns."""
        dtype, elements, offset, size = self._find(name)
        if dtype != _Q4 or elements % columns or columns % BLOCK or size != elements // BLOCK * _BLOCK_BYTES:
            raise ModelUnusable("damaged weights", f"{name} is not a 4-bit matrix of {columns} columns")
        blocks = self._blob[offset:offset + size].reshape(elements // columns, columns // BLOCK, _BLOCK_BYTES)
        scales = np.ascontiguousarray(blocks[..., :2]).view("<f2")[..., 0]
        return Quantized(nibbles=blocks[..., 2:], scales=scales)

    def _find(self, name: str) -> tuple[int, int, int, int]:
        try:
            return self._directory[name]
        except KeyError:
            raise ModelUnusable("damaged weights", f"there is no tensor {name}") from None


def open_source(path: Path) -> Source:
    """Map the file and read its headers.

    Raises ModelUnusable when it is not such a file, is cut short or points outside itself; OSError when unreadable.
    """
    if path.stat().st_size < len(MAGIC) + 44:
        raise ModelUnusable("damaged weights", f"{path.name} is too short")
    blob = np.memmap(path, dtype=np.uint8, mode="r")
    reader = _Reader(blob)
    if reader.take(4) != MAGIC or reader.one("I") != VERSION:
        raise ModelUnusable("damaged weights", f"{path.name} is not an E5S1 file of version {VERSION}")
    hidden, layers, heads, inner, vocabulary, positions, types = reader.many("7i")
    epsilon = reader.one("f")
    if reader.one("i") != BLOCK:
        raise ModelUnusable("damaged weights", "the block size is not 32")
    shape = Shape(
        hidden=int(hidden), layers=int(layers), heads=int(heads), inner=int(inner), vocabulary=int(vocabulary),
        positions=int(positions), types=int(types), epsilon=float(epsilon),
    )
    pieces = _read_pieces(reader)
    _skip_normalisation(reader)
    return Source(shape=shape, pieces=pieces, _blob=blob, _directory=_read_directory(reader, len(blob)))


def _read_pieces(reader: _Reader) -> Pieces:
    count, bos, eos, pad, unknown = (int(number) for number in reader.many("5i"))
    length = int(reader.one("Q"))
    offsets = reader.array("<u4", count + 1)
    scores = reader.array("<f4", count)
    blob = reader.take(length)
    ends = offsets.tolist()
    try:
        texts = tuple(blob[start:end].decode("utf-8") for start, end in itertools.pairwise(ends))
    except UnicodeDecodeError as error:
        raise ModelUnusable("damaged weights", "a piece of the vocabulary is not UTF-8") from error
    return Pieces(texts=texts, scores=scores, bos=bos, eos=eos, pad=pad, unknown=unknown)


def _skip_normalisation(reader: _Reader) -> None:
    # The map spells out what SentencePiece calls nmt_nfkc; the library brings that itself.
    _count, size = reader.many("iI")
    reader.take(int(size))


def _read_directory(reader: _Reader, end: int) -> dict[str, tuple[int, int, int, int]]:
    directory: dict[str, tuple[int, int, int, int]] = {}
    for _ in range(int(reader.one("i"))):
        name = reader.take(int(reader.one("H"))).decode("utf-8", "replace")
        dtype, elements, offset, size = (int(number) for number in reader.many("BIQQ"))
        if offset + size > end:
            raise ModelUnusable("damaged weights", f"{name} lies beyond the end of the file")
        directory[name] = (dtype, elements, offset, size)
    return directory


class _Reader:
    """Takes little-endian values from the front of the blob, in turn."""

    def __init__(self, blob: Bytes) -> None:
        self._blob = blob
        self._at = 0

    def take(self, length: int) -> bytes:
        if length < 0 or self._at + length > len(self._blob):
            raise ModelUnusable("damaged weights", "the file is cut short")
        taken = self._blob[self._at:self._at + length].tobytes()
        self._at += length
        return taken

    def many(self, form: str) -> tuple[int | float, ...]:
        values: tuple[int | float, ...] = struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))
        return values

    def one(self, form: str) -> int | float:
        return self.many(form)[0]

    def array(self, form: str, count: int) -> npt.NDArray[np.float32]:
        dtype = np.dtype(form)
        return np.frombuffer(self.take(count * dtype.itemsize), dtype=dtype)
