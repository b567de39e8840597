"""A sealed part of an index: postings in compressed rows, which never change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.recall.document import Document

Ints = NDArray[np.int64]
Rows = NDArray[np.int32]
Mask = NDArray[np.bool_]
Records = NDArray[np.void]

# What ranking knows of a document besides its words. Moments are seconds since 1970, days are
# proleptic ordinals in the document's own zone, month_day is 32 x month + day of the first day,
# speaker and session are codes of the index, text is a hash of the text, merit runs from -2 to 2.
RECORD = np.dtype(
    [
        ("start", "f8"), ("end", "f8"), ("created", "f8"), ("serial", "i8"), ("order", "i8"), ("text", "u8"),
        ("session", "i4"), ("speaker", "i4"), ("first_day", "i4"), ("last_day", "i4"),
        ("merit", "f4"), ("month_day", "u2"), ("tier", "u1"), ("flags", "u1"),
    ],
    align=True,
)  # fmt: skip
# The same as plain numbers, which numpy gathers several times faster.
RECORD_WORDS = RECORD.itemsize // 8
SUPERSEDED, TEMPORAL, ASKING = 1, 2, 4
CATEGORY_SHIFT = 3                  # the flags above hold the category's code; 0 is none

# The half of a term that a document's own list keeps.
LOW = 0xFFFFFFFF

# Postings or terms handled in one step of a merge: a millisecond of numpy work.
_STEP = 1 << 14
# Documents handled in one step of a merge.
_SLICE = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """D documents with T distinct terms and P postings."""

    terms: Ints                     # [T] ascending
    starts: Ints                    # [T+1] into rows and counts
    rows: Rows                      # [P] ascending within a term
    counts: NDArray[np.uint16]      # [P] occurrences
    lengths: NDArray[np.int32]      # [D] tokens
    term_starts: Ints               # [D+1] into row_terms
    row_terms: NDArray[np.uint32]   # [P] the low half of each distinct term of a document
    records: Records                # [D] RECORD, serials ascending
    documents: Sequence[Document]   # [D]

    def __len__(self) -> int:
        return len(self.lengths)


@dataclass(slots=True, kw_only=True)
class SegmentView:
    """A segment as one snapshot sees it: without the documents dropped so far."""

    segment: Segment
    dead: Mask | None = None        # [D]; replaced, never changed
    live: int
    tokens: int                     # in live documents
    pools: dict[int, tuple[Mask | None, int, int]] = field(default_factory=dict)  # by tier bits
    ordered: bool | None = None     # whether its documents have an order; None: nobody looked yet

    def __len__(self) -> int:
        return len(self.segment)

    @property
    def records(self) -> Records:
        return self.segment.records

    @property
    def lengths(self) -> NDArray[np.int32]:
        return self.segment.lengths

    @property
    def documents(self) -> Sequence[Document]:
        return self.segment.documents

    def document(self, row: int) -> Document:
        return self.segment.documents[row]

    def terms_of(self, row: int) -> frozenset[int]:
        """The low halves of the document's terms."""
        segment = self.segment
        starts = segment.term_starts
        return frozenset(segment.row_terms[starts.item(row) : starts.item(row + 1)].tolist())

    def find(self, terms: Ints) -> tuple[list[NDArray[np.int32]], list[NDArray[np.uint16]], list[int]]:
        """Postings of ``terms``: pieces of rows and counts, and how many each term has."""
        segment = self.segment
        known, starts = segment.terms, segment.starts
        rows, counts, sizes = [], [], []
        # A question has few terms: one at a time is quicker than all at once.
        for term, place in zip(terms.tolist(), known.searchsorted(terms).tolist(), strict=True):
            size = 0
            if place < len(known) and known.item(place) == term:
                first, last = starts.item(place), starts.item(place + 1)
                size = last - first
                rows.append(segment.rows[first:last])
                counts.append(segment.counts[first:last])
            sizes.append(size)
        return rows, counts, sizes

    def without(self, rows: Sequence[int]) -> SegmentView:
        """The same with these rows dropped too."""
        dead = np.zeros(len(self), dtype=np.bool_) if self.dead is None else self.dead.copy()
        fresh = [row for row in set(rows) if not dead[row]]
        dead[fresh] = True
        return SegmentView(
            segment=self.segment,
            dead=dead,
            live=self.live - len(fresh),
            tokens=self.tokens - int(self.lengths[fresh].sum()),
        )


def whole(segment: Segment) -> SegmentView:
    return SegmentView(segment=segment, live=len(segment), tokens=int(segment.lengths.sum()))


def merge(views: Sequence[SegmentView]) -> Iterator[Segment | None]:
    """Join segments into one without their dropped documents, in small steps.

    Yields ``None`` after each step and the merged segment last. Order is kept.
    """
    kept = [_Kept(view) for view in views]
    for part in kept:
        yield from part.prepare()
    total = sum(part.live for part in kept)
    base = 0
    for part in kept:
        part.base, base = base, base + part.live
        yield None

    all_terms: list[Ints] = []
    all_sizes: list[Ints] = []
    known = 0
    for terms, sizes in _joined(kept):
        all_terms.append(terms)
        all_sizes.append(sizes)
        known += len(terms)
        yield None
    terms, sizes = np.empty(known, dtype=np.int64), np.empty(known, dtype=np.int64)
    np.concatenate(all_terms, out=terms)
    np.concatenate(all_sizes, out=sizes)
    yield None
    if not sizes.all():
        # Terms whose documents are all gone go too.
        used = sizes > 0
        moved = np.cumsum(used) - 1
        terms, sizes = terms[used], sizes[used]
        yield None
        for part in kept:
            part.slots = moved[part.slots]
            yield None
    starts = np.zeros(len(terms) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    rows = np.empty(int(starts[-1]), dtype=np.int32)
    counts = np.empty(int(starts[-1]), dtype=np.uint16)
    free = starts[:-1].copy()
    yield None
    for part in kept:
        yield from part.place(rows, counts, free)

    term_starts = np.zeros(total + 1, dtype=np.int64)
    row_terms = np.empty(len(rows), dtype=np.uint32)
    records = np.empty(total, dtype=RECORD)
    plain = records.view(np.int64).reshape(total, RECORD_WORDS)
    lengths = np.empty(total, dtype=np.int32)
    documents: list[Document] = []
    row = filled = 0
    for part in kept:
        for piece in part.by_document():
            last, full = row + len(piece.documents), filled + len(piece.row_terms)
            term_starts[row + 1 : last + 1] = piece.sizes
            row_terms[filled:full] = piece.row_terms
            plain[row:last] = piece.records
            lengths[row:last] = piece.lengths
            documents += piece.documents
            row, filled = last, full
            yield None
    np.cumsum(term_starts, out=term_starts)
    yield Segment(
        terms=terms, starts=starts, rows=rows, counts=counts, lengths=lengths,
        term_starts=term_starts, row_terms=row_terms, records=records, documents=documents,
    )  # fmt: skip


def _joined(kept: Sequence[_Kept]) -> Iterator[tuple[Ints, Ints]]:
    """The terms of all parts, a range of them at a time, with their sizes. Tells each part where its own went."""
    widest = max((part.terms for part in kept), key=len)
    # Terms are hashes, so that a range holds about the same share of every part.
    step = max(_STEP * len(widest) // max(sum(len(part.terms) for part in kept), 1), 1)
    edges = [*widest[step::step].tolist(), None]
    lows = [0] * len(kept)
    known = 0
    for edge in edges:
        highs = [len(part.terms) if edge is None else int(part.terms.searchsorted(edge)) for part in kept]
        pieces = [part.terms[low:high] for part, low, high in zip(kept, lows, highs, strict=True)]
        terms = np.unique(np.concatenate(pieces))
        sizes = np.zeros(len(terms), dtype=np.int64)
        for part, piece, low, high in zip(kept, pieces, lows, highs, strict=True):
            slots = terms.searchsorted(piece)
            sizes[slots] += part.sizes[low:high]
            part.slots[low:high] = slots + known
        known += len(terms)
        lows = highs
        yield terms, sizes


class _Kept:
    """What a merge keeps of one segment."""

    def __init__(self, view: SegmentView) -> None:
        self.view = view
        self.alive = None if view.dead is None else ~view.dead
        self.live = view.live
        self.base = 0
        self.terms: Ints = view.segment.terms
        self.slots: Ints = np.empty(len(self.terms), dtype=np.int64)     # places among the merged terms
        self.sizes: Ints = np.diff(view.segment.starts)
        self.posting_alive: Mask | None = None

    def prepare(self) -> Iterator[None]:
        if self.alive is None:
            return
        segment = self.view.segment
        self.posting_alive = np.empty(len(segment.rows), dtype=np.bool_)
        upto = np.zeros(len(segment.rows) + 1, dtype=np.int32)
        for first in range(0, len(segment.rows), _STEP):
            piece = self.alive[segment.rows[first : first + _STEP]]
            self.posting_alive[first : first + _STEP] = piece
            np.cumsum(piece, out=upto[first + 1 : first + 1 + len(piece)])
            upto[first + 1 : first + 1 + len(piece)] += upto[first]
            yield None
        self.sizes = (upto[segment.starts[1:]] - upto[segment.starts[:-1]]).astype(np.int64)
        self.new_rows = np.cumsum(self.alive, dtype=np.int32) - np.int32(1)
        yield None

    def place(self, rows: Rows, counts: NDArray[np.uint16], free: Ints) -> Iterator[None]:
        """Copy the live postings to where the merged terms have them, and move ``free`` past them."""
        if not self.sizes.any():
            return
        segment = self.view.segment
        first_term = 0
        old_starts = segment.starts
        while first_term < len(self.terms):
            # As many terms as fit into a step, but at least one.
            limit = old_starts[first_term] + _STEP
            last_term = max(first_term + 1, int(old_starts.searchsorted(limit, side="right")) - 1)
            low, high = int(old_starts[first_term]), int(old_starts[last_term])
            sizes = self.sizes[first_term:last_term]
            slots = self.slots[first_term:last_term]
            piece_rows = segment.rows[low:high]
            piece_counts = segment.counts[low:high]
            if self.posting_alive is not None:
                alive = self.posting_alive[low:high]
                piece_rows = self.new_rows[piece_rows[alive]]
                piece_counts = piece_counts[alive]
            local = np.cumsum(sizes) - sizes
            target = np.arange(len(piece_rows)) + np.repeat(free[slots] - local, sizes)
            rows[target] = piece_rows + np.int32(self.base)
            counts[target] = piece_counts
            first_term = last_term
            yield None
        used = self.sizes > 0
        free[self.slots[used]] += self.sizes[used]

    def by_document(self) -> Iterator[_ByDocument]:
        """What is kept in order of documents, in slices."""
        segment = self.view.segment
        for first in range(0, len(segment), _SLICE):
            last = min(first + _SLICE, len(segment))
            sizes = np.diff(segment.term_starts[first : last + 1])
            terms = segment.row_terms[segment.term_starts[first] : segment.term_starts[last]]
            records = segment.records[first:last].view(np.int64).reshape(-1, RECORD_WORDS)
            lengths = segment.lengths[first:last]
            documents = segment.documents[first:last]
            if self.alive is not None:
                alive = self.alive[first:last]
                terms, sizes = terms[np.repeat(alive, sizes)], sizes[alive]
                records, lengths = records[alive], lengths[alive]
                documents = list(compress(documents, alive.tolist()))
            yield _ByDocument(sizes, terms, records, lengths, documents)


class _ByDocument(NamedTuple):
    sizes: Ints
    row_terms: NDArray[np.uint32]
    records: Ints                   # [D, RECORD_WORDS]
    lengths: NDArray[np.int32]
    documents: Sequence[Document]
