"""A view whose file is a list of objects, each with a key of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, starmap
from typing import Any, Generic, TypeVar

import orjson

from memory.clock import Clock
from memory.store.collector import each_once
from memory.store.events import Event
from memory.store.inline import Fields, nothing
from memory.store.view import Change, FileView, in_chunks, list_of_lines, parse_list

T = TypeVar("T")


class Entries(FileView, Generic[T]):
    """Entries by key, in the order they came. Rows that are no entries are kept as they are.

    A subclass says how a row is read and written, and folds the events of its own subject.
    """

    kind: str  # stem of the event types that adopt and edit this list

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.touched: set[str] = set()     # keys changed since somebody last looked and emptied it
        self._entries: dict[str, T] = {}
        self._odd: list[Any] = []

    @abstractmethod
    def from_row(self, row: Mapping[str, Any]) -> T | None:
        """The entry of a row, whoever wrote it, or None if it is none."""

    @abstractmethod
    def to_row(self, entry: T) -> dict[str, Any]:
        """The row of an entry."""

    @abstractmethod
    def key_of(self, entry: T) -> str:
        """What tells an entry from the others."""

    @abstractmethod
    def take(self, event: Event) -> None:
        """Fold an event of the subject's own."""

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._entries.values()))

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def get(self, key: str) -> T | None:
        return self._entries.get(key)

    def put(self, row: object) -> None:
        """Take over a row; one with a known key replaces the entry in its place."""
        entry = self.from_row(row) if isinstance(row, Mapping) else None
        if entry is not None:
            key = self.key_of(entry)
            self._entries[key] = entry
            self.touched.add(key)
        elif row not in self._odd:
            self._odd.append(row)
        else:
            return
        self.dirty += 1

    def drop(self, key: str) -> None:
        """Remove an entry, if it is there."""
        if self._entries.pop(key, None) is not None:
            self.touched.add(key)
            self.dirty += 1

    def reset(self) -> None:
        self.touched.update(self._entries)
        self._entries, self._odd, self.seq = {}, [], 0

    @property
    def empty(self) -> bool:
        return not self._entries and not self._odd

    @property
    def size(self) -> int:
        return len(self._entries)

    def fold(self, event: Event) -> None:
        if event.type == f"{self.kind}.adopted":
            if event.data["reset"]:
                self.reset()
            for row in event.data["rows"]:
                self._adopt(row)
            self.dirty += 1
        elif event.type == f"{self.kind}.edited":
            for row in event.data["put"]:
                self.put(row)
            for key in event.data["drop"]:
                self.drop(key)
        else:
            self.take(event)
        self.seq = event.seq

    def _adopt(self, row: object) -> None:
        """Take over a row of a file; a second one with the same key is kept aside, not merged."""
        entry = self.from_row(row) if isinstance(row, Mapping) else None
        if entry is not None and self._entries.get(self.key_of(entry), entry) != entry:
            self._odd.append(row)
        else:
            self.put(row)

    def read(self, data: bytes, clock: Clock) -> None:
        self.reset()
        if self.inline is not None:
            self.inline.begin()
        for row in each_once(parse_list(data)):
            self._adopt(row)
            if self.inline is not None and (entry := self.from_row(row) if isinstance(row, Mapping) else None):
                self.inline.take(self.key_of(entry), row)
        self.dirty = 0

    def rows(self) -> list[Any]:
        """Every row of the file as it now is."""
        return [*map(self.to_row, self._entries.values()), *self._odd]

    def render(self) -> Callable[[], Iterable[bytes]]:
        return self._rendered(nothing)

    def render_file(self) -> Callable[[], Iterable[bytes]]:
        return self._rendered(self.inline_fields())

    def _rendered(self, fields: Fields) -> Callable[[], Iterable[bytes]]:
        entries, odd = list(self._entries.items()), list(self._odd)

        def line(key: str, entry: T) -> bytes:
            row = self.to_row(entry)
            return orjson.dumps({**row, **fields(key, str(row.get("text", "")))})

        return lambda: list_of_lines(chain(starmap(line, entries), map(orjson.dumps, odd)))

    def adoption(self) -> list[Change]:
        return [] if self.empty else in_chunks(self.rows(), f"{self.kind}.adopted", "rows")

    def edits(self, base: FileView, edited: FileView, clock: Clock) -> list[Change]:
        assert isinstance(base, Entries)
        assert isinstance(edited, Entries)
        put = [row for key, entry in edited._entries.items() if (row := self._patch(base, key, entry)) is not None]
        put += [row for row in edited._odd if row not in base._odd]
        drop = [key for key in base._entries if key not in edited and key in self._entries]
        return [(f"{self.kind}.edited", {"put": put, "drop": drop})] if put or drop else []

    def _patch(self, base: Entries[T], key: str, entry: T) -> dict[str, Any] | None:
        """The present row with the fields that the edit changed; None if it changed nothing that is still there."""
        before = base.get(key)
        if before == entry:
            return None
        present = self.get(key)
        if present is None:
            return None if before is not None else self.to_row(entry)
        if before is None:
            return self.to_row(entry)
        return patched(self.to_row(present), self.to_row(before), self.to_row(entry))


def patched(present: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """``present`` with whatever differs between ``before`` and ``after``."""
    row = {key: value for key, value in present.items() if key in after or key not in before}
    return {**row, **{key: value for key, value in after.items() if before.get(key) != value or key not in before}}
