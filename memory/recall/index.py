"""The index of one source of documents: additions in microseconds, searches without locks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from memory.recall import sidecar, words
from memory.recall.cues import tells_time
from memory.recall.delta import CAPACITY, Delta, DeltaView
from memory.recall.document import Document
from memory.recall.records import Reading, Recorder, text_hash
from memory.recall.segment import RECORD, TEMPORAL, Ints, Segment, SegmentView, merge, whole
from memory.recall.when import EPOCH

View = SegmentView | DeltaView

# A segment is joined with the one before it once that is less than this many times as large.
_RATIO = 8
_SMALL = 4096
# Characters of a text that are read; what a longer one has to say stands at its beginning.
LONGEST = 20_000
# Documents tokenised between two pauses of a slow operation.
_SLICE = 16


# Stands where a kept segment knows a document that is no more. Never found.
_NOTHING = Document(id="", tier="", text="", entity="", created_at=EPOCH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """An index as it stood at one moment. Never changes; any thread may read it."""

    views: tuple[View, ...]
    session_tokens: Ints                 # by session code: tokens of its live documents
    speakers: Mapping[str, int]          # folded name to code; only ever grows
    serials: Mapping[str, int]           # by id, as of the latest change; may know later documents

    def __len__(self) -> int:
        return sum(view.live for view in self.views)

    def documents(self) -> Iterator[Document]:
        """Every document, in the order in which they came."""
        for view in self.views:
            for row in range(len(view)):
                if view.dead is None or not view.dead[row]:
                    yield view.document(row)


EMPTY = Snapshot(views=(), session_tokens=np.zeros(0, dtype=np.int64), speakers={}, serials={})


class Index:
    """An incremental index. One thread owns it; the snapshots it hands out may be read by any.

    Documents are known by id: putting an id again replaces the document. Hidden and blank
    documents are not searchable and leave the index.
    """

    def __init__(self) -> None:
        self._sealed: list[SegmentView] = []
        self._delta = Delta()
        self._delta_view = DeltaView(delta=self._delta, size=0, live=0, tokens=0)
        self._serials: dict[str, int] = {}
        self._next_serial = 0
        self._recorder = Recorder()
        self._snapshot: Snapshot | None = EMPTY
        self._merging: _Merge | None = None

    def __len__(self) -> int:
        return len(self._serials)

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._serials

    def snapshot(self) -> Snapshot:
        """The present state; the same object until something changes."""
        if self._snapshot is None:
            views: list[View] = [view for view in self._sealed if view.live]
            if self._delta_view.live:
                views.append(self._delta_view)
            self._snapshot = Snapshot(
                views=tuple(views),
                session_tokens=self._recorder.session_tokens(),
                speakers=self._recorder.speakers,
                serials=self._serials,
            )
        return self._snapshot

    def put(self, documents: Iterable[Document]) -> None:
        """Add or replace documents; tokenises each, about 20 microseconds."""
        for document in documents:
            self._put(document)

    def fill(self, documents: Iterable[Document]) -> Iterator[None]:
        """``put`` and ``tidy`` with a pause to be taken at each yield, every millisecond or so."""
        for number, document in enumerate(documents, 1):
            if self._delta.size == CAPACITY:
                self._seal()
                yield None
                yield from self.tidy()
            self._put(document)
            if number % _SLICE == 0:
                yield None

    def drop(self, ids: Iterable[str]) -> None:
        """Forget documents; unknown ids are ignored."""
        known = (self._serials.pop(document_id, None) for document_id in ids)
        self._bury([serial for serial in known if serial is not None])

    def tidy(self) -> Iterator[None]:
        """Merge what has piled up, in steps of about a millisecond, with a pause at each yield.

        Additions and searches may go on between steps. Does nothing when there is nothing
        to do; at most one runs at a time, a second one ends at once.
        """
        if self._merging is not None:
            return
        while (wanted := self._untidy()) is not None:
            first, last = wanted
            self._merging = _Merge(views=self._sealed[first:last])
            try:
                for merged in merge(self._merging.views):
                    if merged is not None:
                        self._install(self._merging, merged)
                    yield None
            finally:
                self._merging = None

    def dump(self) -> Iterator[bytes]:
        """The index as bytes, piece by piece, for a file that ``restore`` reads."""
        if self._delta.size:
            self._seal()
        return sidecar.dump(tuple(self._sealed))

    def restore(self, data: bytes | None, documents: Iterable[Document]) -> Iterator[None]:
        """Fill an empty index with ``documents``, tokenising only those ``data`` does not know.

        ``data`` is what ``dump`` gave, or anything else: bytes that are damaged, or of another
        version, are ignored. A pause is to be taken at each yield, every millisecond or so.
        """
        assert not self._serials, "only an empty index can be restored"
        wanted: dict[str, Document] = {}
        for number, document in enumerate(documents, 1):
            wanted[document.id] = document
            if number % 1024 == 0:
                yield None
        for kept in sidecar.load(data):
            if kept is None:
                yield None
            else:
                yield from self._take(kept, wanted)
        yield from self.fill(wanted.values())

    def _take(self, kept: sidecar.Kept, wanted: dict[str, Document]) -> Iterator[None]:
        """Adopt a kept segment. What it knows of is taken out of ``wanted``."""
        records = np.zeros(len(kept.ids), dtype=RECORD)
        documents: list[Document] = []
        dead: list[int] = []
        hashes, flags, lengths = kept.hashes.tolist(), kept.flags.tolist(), kept.lengths.tolist()
        for row, document_id in enumerate(kept.ids):
            serial = self._next_serial + row
            document = wanted.get(document_id)
            if document is None or not hashes[row] or document.hidden or text_hash(document.searched) != hashes[row]:
                documents.append(_NOTHING)
                records["serial"][row] = serial
                dead.append(row)
            else:
                del wanted[document_id]
                reading = Reading(lengths[row], bool(flags[row] & TEMPORAL), hashes[row])
                records[row] = self._recorder.record(document, serial, reading)
                documents.append(document)
                self._serials[document_id] = serial
            if row % 128 == 127:
                yield None
        self._next_serial += len(kept.ids)
        view = whole(kept.segment(records, documents))
        self._sealed.append(view.without(dead) if dead else view)
        self._snapshot = None
        yield None

    def containers(self) -> Iterator[dict[str, int] | list[Document]]:
        """What has an entry for each document, for whoever drops a large index little by little."""
        yield self._serials
        for view in self._sealed:
            if isinstance(view.segment.documents, list):
                yield view.segment.documents

    @property
    def untidy(self) -> bool:
        """Whether ``tidy`` has something to do."""
        return self._merging is None and self._untidy() is not None

    # -- writing ------------------------------------------------------------------------

    def _put(self, document: Document) -> None:
        old = self._serials.get(document.id)
        if old is not None:
            if self._document(old) == document:
                return
            self._bury([self._serials.pop(document.id)])
        if document.hidden:
            return
        tokens = words.words(document.searched[:LONGEST])
        if not tokens and not document.text.strip():
            return
        if self._delta.size == CAPACITY:
            self._seal()
        serial = self._next_serial
        self._next_serial += 1
        self._serials[document.id] = serial
        reading = Reading(len(tokens), tells_time(tokens), text_hash(document.searched))
        record = self._recorder.record(document, serial, reading)
        self._delta.add(document, record, [words.term(token) for token in tokens])
        view = self._delta_view
        self._delta_view = DeltaView(
            delta=self._delta,
            size=self._delta.size,
            dead=view.dead,
            live=view.live + 1,
            tokens=view.tokens + len(tokens),
        )
        self._snapshot = None

    def _document(self, serial: int) -> Document:
        fresh = self._delta_first()
        if serial >= fresh:
            return self._delta.documents[serial - fresh]
        view = next(view for view in self._sealed if len(view) and view.records["serial"][-1] >= serial)
        return view.document(_rows_of(view, [serial])[0])

    def _bury(self, serials: Sequence[int]) -> None:
        """Take documents out of their segments, all of one segment at once."""
        if not serials:
            return
        self._snapshot = None
        left = sorted(serials)
        fresh = self._delta_first()
        in_delta = [serial - fresh for serial in left if serial >= fresh]
        if in_delta:
            self._bury_in_delta(in_delta)
        sealed = [serial for serial in left if serial < fresh]
        for place, view in enumerate(self._sealed):
            if not sealed:
                break
            rows = _rows_of(view, sealed)
            if rows:
                records = view.records[rows]
                for session, length in zip(records["session"].tolist(), view.lengths[rows].tolist(), strict=True):
                    self._recorder.forget(session, length)
                self._sealed[place] = view.without(rows)
        if self._merging is not None:
            self._merging.dropped += sealed

    def _bury_in_delta(self, rows: Sequence[int]) -> None:
        view = self._delta_view
        dead = np.zeros(CAPACITY, dtype=np.bool_) if view.dead is None else view.dead.copy()
        dead[rows] = True
        lengths = self._delta.lengths[rows].tolist()
        for session, length in zip(self._delta.records["session"][rows].tolist(), lengths, strict=True):
            self._recorder.forget(session, length)
        self._delta_view = DeltaView(
            delta=self._delta,
            size=view.size,
            dead=dead,
            live=view.live - len(rows),
            tokens=view.tokens - sum(lengths),
        )

    def _delta_first(self) -> int:
        """The serial of the delta's first row: its rows have consecutive serials."""
        return self._next_serial - self._delta.size

    def _seal(self) -> None:
        segment = self._delta.seal()
        view = whole(segment)
        dead = self._delta_view.dead
        if dead is not None:
            view = view.without(np.flatnonzero(dead[: len(segment)]).tolist())
        self._sealed.append(view)
        self._delta = Delta()
        self._delta_view = DeltaView(delta=self._delta, size=0, live=0, tokens=0)

    # -- merging ------------------------------------------------------------------------

    def _untidy(self) -> tuple[int, int] | None:
        """The range of sealed segments to merge next."""
        sealed = self._sealed
        for place, view in enumerate(sealed):
            if view.live * 2 < len(view):
                return (place, place + 1)
        first = len(sealed) - 1
        size = 0
        while first >= 0:
            size += sealed[first].live
            # Small ones are joined again and again: a search pays for each, a merge hardly for its documents.
            if first == 0 or (sealed[first - 1].live >= _RATIO * size and sealed[first - 1].live > _SMALL):
                break
            first -= 1
        return (first, len(sealed)) if first >= 0 and len(sealed) - first > 1 else None

    def _install(self, merging: _Merge, merged: Segment) -> None:
        """Put the merged segment in place of those it came from."""
        view = whole(merged)
        rows = _rows_of(view, sorted(merging.dropped))
        if rows:
            view = view.without(rows)
        first = next(
            place for place, old in enumerate(self._sealed) if old.segment is merging.views[0].segment
        )
        self._sealed[first : first + len(merging.views)] = [view] if view.live else []
        self._snapshot = None


@dataclass(slots=True, kw_only=True)
class _Merge:
    """A merge under way."""

    views: list[SegmentView]
    dropped: list[int] = field(default_factory=list)    # serials, since it began


def _rows_of(view: SegmentView, serials: Sequence[int]) -> list[int]:
    """The rows of those of the sorted ``serials`` that the view's segment holds."""
    if not serials or not len(view):
        return []
    known = view.records["serial"]
    places = known.searchsorted(serials)
    return [
        place
        for place, serial in zip(places.tolist(), serials, strict=True)
        if place < len(known) and known[place] == serial
    ]
