"""The postings of an index as bytes: a copy that saves tokenising, never the only one."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.recall import words
from memory.recall.document import Document
from memory.recall.segment import Ints, Records, Segment, SegmentView

# magic, format, edition of the tokenizer; then segments
_HEADER = struct.Struct("<8sII")
_MAGIC = b"recall\r\n"
_FORMAT = 1
# documents, terms, postings, bytes of ids; then the body and its checksum
_SEGMENT = struct.Struct("<QQQQ")
_CHECKSUM = struct.Struct("<I")
_PIECE = 1 << 18
_NAMES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A segment as it was kept: everything but the documents themselves."""

    ids: Sequence[str]
    hashes: NDArray[np.uint64]      # [D] of the text that was tokenised; 0: dropped
    flags: NDArray[np.uint8]        # [D]
    terms: Ints
    starts: Ints
    rows: NDArray[np.int32]
    counts: NDArray[np.uint16]
    lengths: NDArray[np.int32]
    term_starts: Ints
    row_terms: NDArray[np.uint32]

    def segment(self, records: Records, documents: Sequence[Document]) -> Segment:
        return Segment(
            terms=self.terms, starts=self.starts, rows=self.rows, counts=self.counts, lengths=self.lengths,
            term_starts=self.term_starts, row_terms=self.row_terms, records=records, documents=documents,
        )  # fmt: skip


def dump(views: Sequence[SegmentView]) -> Iterator[bytes]:
    """The segments as bytes, in pieces of at most a few hundred kilobytes, about a millisecond each."""
    yield _HEADER.pack(_MAGIC, _FORMAT, words.edition())
    for view in views:
        yield from _dump_segment(view)


def _dump_segment(view: SegmentView) -> Iterator[bytes]:
    segment = view.segment
    hashes = segment.records["text"].copy()
    if view.dead is not None:
        hashes[view.dead] = 0
    names = []
    for first in range(0, len(segment), _NAMES):
        ids = [document.id.replace("\n", " ") for document in segment.documents[first : first + _NAMES]]
        names.append("\n".join(ids).encode("utf-8", "surrogatepass"))
        yield b""
    body: list[NDArray[Any] | bytes] = [
        segment.terms, segment.starts, segment.term_starts, hashes, segment.rows, segment.lengths, segment.row_terms,
        segment.counts, segment.records["flags"].copy(), b"\n".join(names),
    ]  # fmt: skip
    yield _SEGMENT.pack(len(segment), len(segment.terms), len(segment.rows), len(body[-1]))
    checksum = 0
    for part in body:
        plain = part if isinstance(part, bytes) else np.ascontiguousarray(part, part.dtype.newbyteorder("<")).data
        view_of = memoryview(plain).cast("B")
        for first in range(0, len(view_of), _PIECE):
            piece = bytes(view_of[first : first + _PIECE])
            checksum = zlib.crc32(piece, checksum)
            yield piece
    yield _CHECKSUM.pack(checksum)


def load(data: bytes | None) -> Iterator[Kept | None]:
    """The segments in ``data``, as far as they are whole; none if it is of another version.

    ``None`` stands for a pause. Arrays are views of ``data``; nothing is copied.
    """
    if data is None or len(data) < _HEADER.size or _HEADER.unpack_from(data) != (_MAGIC, _FORMAT, words.edition()):
        return
    at = _HEADER.size
    while at + _SEGMENT.size <= len(data):
        documents, terms, postings, id_bytes = _SEGMENT.unpack_from(data, at)
        at += _SEGMENT.size
        layout = (
            ("<i8", terms), ("<i8", terms + 1), ("<i8", documents + 1), ("<u8", documents), ("<i4", postings),
            ("<i4", documents), ("<u4", postings), ("<u2", postings), ("<u1", documents), ("<u1", id_bytes),
        )  # fmt: skip
        size = sum(np.dtype(kind).itemsize * count for kind, count in layout)
        if at + size + _CHECKSUM.size > len(data):
            return
        checksum = 0
        body = memoryview(data)[at : at + size]
        for first in range(0, size, _PIECE):
            checksum = zlib.crc32(body[first : first + _PIECE], checksum)
            yield None
        if _CHECKSUM.unpack_from(data, at + size) != (checksum,):
            return
        arrays: list[NDArray[Any]] = []
        for kind, count in layout:
            arrays.append(np.frombuffer(data, dtype=kind, count=count, offset=at))
            at += np.dtype(kind).itemsize * count
        at += _CHECKSUM.size
        known, starts, term_starts, hashes, rows, lengths, row_terms, counts, flags, ids = arrays
        names: list[str] = []
        for part in _lines(ids.tobytes() if documents else None):
            names += part
            yield None
        if len(names) == documents:
            yield Kept(
                ids=names, hashes=hashes, flags=flags, terms=known, starts=starts, rows=rows, counts=counts,
                lengths=lengths, term_starts=term_starts, row_terms=row_terms,
            )  # fmt: skip


def _lines(blob: bytes | None) -> Iterator[list[str]]:
    """The lines of a text, some thousand at a time."""
    first = 0
    while blob is not None and first <= len(blob):
        last = blob.find(b"\n", first + _PIECE)
        last = len(blob) if last < 0 else last
        yield blob[first:last].decode("utf-8", "surrogatepass").split("\n")
        first = last + 1
