"""The documents one question is asked of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.recall.document import TURN, Document
from memory.recall.index import Snapshot, View
from memory.recall.records import CATEGORY_CODES, TIER_CODES
from memory.recall.segment import CATEGORY_SHIFT, RECORD, RECORD_WORDS, SUPERSEDED, Ints, Mask, Records
from memory.recall.when import TimeWindow, seconds


class Part(NamedTuple):
    """One view of the pool; its row r is row ``base + r`` of the pool."""

    view: View
    base: int
    mask: Mask | None       # rows that belong to the pool; None: all
    source: int             # place of its snapshot
    session_base: int       # added to session codes, so that those of two snapshots differ


# Which documents a pool takes, as bits: tiers, then categories (none: all), then whether only what still holds.
_CATEGORY_BITS, _STANDING = 8, 1 << 16


class Pool:
    """The union of snapshots, cut down to tiers, categories and a window of event time. Read only."""

    def __init__(
        self,
        snapshots: Sequence[Snapshot],
        tiers: Collection[str],
        window: TimeWindow | None = None,
        *,
        categories: Collection[str] = (),
        standing: bool = False,
    ) -> None:
        bits = sum(1 << TIER_CODES[tier] for tier in set(tiers) if tier in TIER_CODES)
        bits |= sum(1 << CATEGORY_CODES[one] + _CATEGORY_BITS for one in set(categories)) | _STANDING * standing
        self.snapshots = snapshots
        self.parts: list[Part] = []
        self.size = 0       # documents
        self.tokens = 0     # in them
        base = session_base = 0
        for source, snapshot in enumerate(snapshots):
            for view in snapshot.views:
                mask, size, tokens = _allowed(view, bits)
                if size and window is not None:
                    mask, size, tokens = _within(view, mask, window)
                if size:
                    self.parts.append(
                        Part(view=view, base=base, mask=mask, source=source, session_base=session_base)
                    )
                    self.size += size
                    self.tokens += tokens
                    base += len(view)
            session_base += len(snapshot.session_tokens)
        self.rows = base    # row numbers run below this
        # Whether documents next to each other were next to each other where they come from.
        self.ordered = any(_is_ordered(part.view) for part in self.parts)
        self.turns_only = set(tiers) == {TURN}
        self.has_turns = TURN in tiers
        self._bases = [part.base for part in self.parts]
        self._edges = np.array(self._bases, dtype=np.int64)

    def session_statistics(self) -> tuple[Ints, int, float]:
        """Tokens by session, how many sessions there are, and their average."""
        if len(self.snapshots) == 1:
            tokens = self.snapshots[0].session_tokens
        else:
            tokens = np.concatenate([snapshot.session_tokens for snapshot in self.snapshots])
        sessions = max(int(np.count_nonzero(tokens)), 1)
        return tokens, sessions, max(int(tokens.sum()), 1) / sessions

    def pieces(self, rows: Ints) -> list[tuple[Part, Ints]]:
        """Ascending ``rows`` of the pool as rows of its parts."""
        if len(self.parts) == 1:
            return [(self.parts[0], rows)] if len(rows) else []
        edges = [*rows.searchsorted(self._edges).tolist(), len(rows)]
        return [
            (part, rows[first:last] - part.base)
            for part, first, last in zip(self.parts, edges[:-1], edges[1:], strict=True)
            if last > first
        ]

    def records(self, rows: Ints) -> Records:
        """The records of ascending rows, sessions told apart between snapshots."""
        taken = np.empty((len(rows), RECORD_WORDS), dtype=np.int64)
        records: Records = taken.view(RECORD).reshape(len(rows))
        at = 0
        for part, own in self.pieces(rows):
            last = at + len(own)
            part.view.records.view(np.int64).reshape(-1, RECORD_WORDS).take(own, axis=0, out=taken[at:last])
            if part.session_base:
                records["session"][at:last] += part.session_base
            at = last
        return records

    def members(self, rows: Ints) -> Mask:
        """Which of ascending rows belong to the pool."""
        found = np.ones(len(rows), dtype=np.bool_)
        at = 0
        for part, own in self.pieces(rows):
            if part.mask is not None:
                found[at : at + len(own)] = part.mask[own]
            at += len(own)
        return found

    def ids(self, rows: Ints) -> list[str]:
        """The ids of the documents in ascending rows."""
        found: list[str] = []
        for part, own in self.pieces(rows):
            documents = part.view.documents
            found += [documents[row].id for row in own.tolist()]
        return found

    def rows_of(self, ids: Sequence[str]) -> Ints:
        """The rows of those of the documents that belong to the pool, ascending."""
        found = [np.zeros(0, dtype=np.int64)]
        for source, snapshot in enumerate(self.snapshots):
            known = snapshot.serials
            serials = np.array(sorted(known[name] for name in ids if name in known), dtype=np.int64)
            for part in self.parts if len(serials) else ():
                if part.source != source:
                    continue
                own = part.view.records["serial"]
                places = np.minimum(own.searchsorted(serials), len(own) - 1)
                places = places[own[places] == serials]
                found.append((places if part.mask is None else places[part.mask[places]]) + part.base)
        return np.concatenate(found)

    def place(self, row: int) -> tuple[View, int]:
        """The view that holds a row of the pool, and the row in it."""
        part = self._part(row)
        return part.view, row - part.base

    def _part(self, row: int) -> Part:
        return self.parts[bisect_right(self._bases, row) - 1]

    def source_of(self, row: int) -> int:
        """The place of the snapshot that a row comes from."""
        return self._part(row).source

    def document(self, row: int) -> Document:
        view, own = self.place(row)
        return view.document(own)

    def terms_of(self, row: int) -> frozenset[int]:
        view, own = self.place(row)
        return view.terms_of(own)

    def neighbours(self, row: int, count: int) -> tuple[tuple[Document, ...], tuple[Document, ...]]:
        """Up to ``count`` turns said before and after a turn, in order of speaking."""
        here = self.document(row)
        if here.tier != TURN:
            return (), ()
        source = self._part(row).source
        before = self._walk(row, -1, count, source, here.order)
        return tuple(reversed(before)), tuple(self._walk(row, 1, count, source, here.order))

    def _walk(self, row: int, step: int, count: int, source: int, order: int) -> list[Document]:
        found: list[Document] = []
        # Rows outside the pool (dropped, or out of the window) are stepped over, but not for ever.
        for _ in range(count * 4):
            row += step
            if len(found) == count or not 0 <= row < self.rows:
                break
            part = self._part(row)
            if part.source != source:
                break
            own = row - part.base
            if part.view.dead is not None and part.view.dead[own]:
                continue
            document = part.view.document(own)
            if document.tier != TURN or (document.order - order) * step <= 0:
                break
            order = document.order
            found.append(document)
        return found


def _allowed(view: View, bits: int) -> tuple[Mask | None, int, int]:
    """Live rows of the wanted tiers, how many, and their tokens; remembered by the view."""
    known = view.pools.get(bits)
    if known is None:
        tiers = view.records["tier"]
        wanted = np.array([bits >> code & 1 for code in range(8)], dtype=np.bool_)
        mask: Mask = wanted[np.minimum(tiers, 7)]
        if bits >> _CATEGORY_BITS:
            mask &= _kept_by_flags(view.records["flags"], bits)
        if view.dead is not None:
            mask &= ~view.dead[: len(view)]
        size = int(np.count_nonzero(mask))
        whole = size == len(view)
        known = (None, size, view.tokens) if whole else (mask, size, int(view.lengths[mask].sum()))
        view.pools[bits] = known
    return known


def _is_ordered(view: View) -> bool:
    known = view.ordered
    if known is None:
        known = view.ordered = bool(view.records["order"][0] > 0)
    return known


def _kept_by_flags(flags: NDArray[np.uint8], bits: int) -> Mask:
    kept: Mask = np.ones(len(flags), dtype=np.bool_)
    categories = bits >> _CATEGORY_BITS & 0xFF
    if categories:
        wanted = np.array([categories >> code & 1 for code in range(8)], dtype=np.bool_)
        kept &= wanted[flags >> CATEGORY_SHIFT & 7]
    if bits & _STANDING:
        kept &= flags & SUPERSEDED == 0
    return kept


def _within(view: View, mask: Mask | None, window: TimeWindow) -> tuple[Mask | None, int, int]:
    # An unreadable time is NaN, which is neither before nor after anything.
    inside: Mask = (view.records["start"] < seconds(window.end)) & (view.records["end"] >= seconds(window.start))
    if mask is not None:
        inside &= mask
    size = int(np.count_nonzero(inside))
    return inside, size, int(view.lengths[inside].sum())
