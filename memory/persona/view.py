"""The persona: sections of entries, one per entity. ``persona.json``.

Sections of other programs (``__meta__``, ``@subject/…``) and whatever else is not a list of
entries stand where they stood and are never looked into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import orjson

from memory.clock import Clock
from memory.persona.entry import CARD, Entry, entry_key
from memory.persona.record import from_record, to_record
from memory.store import layout
from memory.store.entries import patched
from memory.store.events import Event
from memory.store.inline import Fields, nothing
from memory.store.view import Change, FileView, in_chunks, parse_object

_OLD_KEYS = {"user": "master", "ai": "neko"}
_FACTS, _OLD_FACTS = "facts", "dynamics"


class Persona(FileView):
    """Entries by section and id, in the order of the document."""

    file = layout.PERSONA

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sections: dict[str, dict[str, Entry]] = {}
        self._beside: dict[str, dict[str, Any]] = {}     # section → its other keys, and rows that are no entries
        self._foreign: dict[str, Any] = {}
        self._order: list[str] = []                      # keys of the document
        self.touched: set[tuple[str, str]] = set()       # (section, id) changed since recall last looked

    # reading

    @property
    def sections(self) -> tuple[str, ...]:
        """The entities there is a section for, in the order of the document."""
        return tuple(key for key in self._order if key in self._sections)

    def __iter__(self) -> Iterator[Entry]:
        return (entry for key in self.sections for entry in list(self._sections[key].values()))

    def __len__(self) -> int:
        return sum(map(len, self._sections.values()))

    def section(self, entity: str) -> list[Entry]:
        return list(self._sections.get(entity, {}).values())

    def get(self, entity: str, entry_id: str) -> Entry | None:
        return self._sections.get(entity, {}).get(entry_id)

    def document(self, fields: Fields = nothing) -> dict[str, Any]:
        """The whole file as an object."""
        return {key: self._value(key, fields) for key in self._order}

    def _value(self, key: str, fields: Fields) -> Any:
        if key in self._foreign:
            return self._foreign[key]
        beside = self._beside.get(key, {})
        rows = [
            {**to_record(entry), **fields(entry_key(key, entry.id), entry.text)}
            for entry in self._sections[key].values()
        ]
        rows += beside.get("rows", ())
        return {_FACTS: rows, **beside.get("keys", {})}

    # folding

    def reset(self) -> None:
        self.touched.update((entry.entity, entry.id) for entry in self)
        self._sections, self._beside, self._foreign, self._order, self.seq = {}, {}, {}, [], 0

    @property
    def empty(self) -> bool:
        return not self._order

    @property
    def size(self) -> int:
        return len(self)

    def fold(self, event: Event) -> None:
        match event.type:
            case "persona.adopted":
                if event.data["reset"]:
                    self.reset()
                for row in event.data["rows"]:
                    self._take(row)
            case "persona.edited":
                for row in event.data["put"]:
                    self._take(row)
                for section, entry_id in event.data["drop"]:
                    self._drop(section, entry_id)
                for key in event.data["gone"]:
                    self._remove(key)
            case "persona.cards_synced":
                self._sync_cards(event.data["entity"], event.data["rows"])
            case "persona.erased":
                for section, entry_id in event.data["ids"]:
                    self._drop(section, entry_id)
            case "persona.entry_removed":
                self._drop(event.data["entity"], event.data["id"])
            case _ if event.type.startswith("persona.") and event.data.get("shard") is not None:
                self._drop(event.data["entity"], event.data["entry"]["id"])  # it lives on in the archive
            case _ if event.type.startswith("persona.") and isinstance(event.data.get("entry"), Mapping):
                self._put(event.data["entity"], event.data["entry"])
        self.seq = event.seq

    def _take(self, row: Mapping[str, Any]) -> None:
        """A row of an adoption or edit: a section as a whole, or one entry of it."""
        key = row["section"]
        if "foreign" in row:
            self._sections.pop(key, None)
            self._beside.pop(key, None)
            self._foreign[key] = row["foreign"]
            self._place(key)
        elif "beside" in row:
            self._open(key)
            self._beside[key] = dict(row["beside"])
        else:
            self._put(key, row["entry"])
        self.dirty += 1

    def _put(self, section: str, row: object) -> None:
        entry = from_record(row, section, self._clock)
        if entry is None:
            return
        self._open(section)
        self._sections[section][entry.id] = entry
        self.touched.add((section, entry.id))
        self.dirty += 1

    def _drop(self, section: str, entry_id: str) -> None:
        if self._sections.get(section, {}).pop(entry_id, None) is not None:
            self.touched.add((section, entry_id))
            self.dirty += 1

    def _open(self, section: str) -> None:
        if section not in self._sections:
            self._foreign.pop(section, None)
            self._sections[section] = {}
            self._place(section)

    def _place(self, key: str) -> None:
        if key not in self._order:
            self._order.append(key)

    def _remove(self, key: str) -> None:
        if key in self._order:
            self.touched.update((key, entry_id) for entry_id in self._sections.get(key, ()))
            self._order.remove(key)
            self._sections.pop(key, None)
            self._beside.pop(key, None)
            self._foreign.pop(key, None)
            self.dirty += 1

    def _sync_cards(self, section: str, rows: Iterable[Mapping[str, Any]]) -> None:
        self._open(section)
        before = self._sections[section]
        cards = [entry for row in rows if (entry := from_record(row, section, self._clock)) is not None]
        fixed = {entry.id: entry for entry in cards}
        rest = {key: entry for key, entry in before.items() if key not in fixed and entry.source != CARD}
        self._sections[section] = {**fixed, **rest}
        self.touched.update((section, entry_id) for entry_id in before.keys() | fixed.keys())
        self.dirty += 1

    # the file

    def read(self, data: bytes, clock: Clock) -> None:
        self.reset()
        if self.inline is not None:
            self.inline.begin()
        for key, value in parse_object(data).items():
            self._read_section(_OLD_KEYS.get(key, key), value)
        self.dirty = 0

    def _read_section(self, key: str, value: Any) -> None:
        if not is_ours(key, value):
            self._foreign[key] = value
            self._place(key)
            return
        self._open(key)
        rows: list[Any] = []
        for name in (_FACTS, _OLD_FACTS):
            if isinstance(value.get(name), list):
                rows += value[name]
        odd: list[Any] = []
        for row in rows:
            entry = from_record(row, key, self._clock)
            known = self._sections[key].get(entry.id) if entry is not None else None
            if entry is None or (known is not None and known != entry):
                odd.append(row)
            else:
                self._put(key, row)
                if self.inline is not None and isinstance(row, Mapping):
                    self.inline.take(entry_key(key, entry.id), row)
        keys = {
            name: kept
            for name, kept in value.items()
            if not (name in (_FACTS, _OLD_FACTS) and isinstance(kept, list))
        }
        if odd or keys:
            self._beside[key] = {"rows": odd, "keys": keys}

    def render(self) -> Callable[[], Iterable[bytes]]:
        document = self.document()
        return lambda: _lines(document)

    def render_file(self) -> Callable[[], Iterable[bytes]]:
        document = self.document(self.inline_fields())
        return lambda: _lines(document)

    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for key in self._order:
            if key in self._foreign:
                rows.append({"section": key, "foreign": self._foreign[key]})
                continue
            rows.append({"section": key, "beside": self._beside.get(key, {})})
            rows += [{"section": key, "entry": to_record(entry)} for entry in self._sections[key].values()]
        return rows

    def adoption(self) -> list[Change]:
        return [] if self.empty else in_chunks(self._rows(), "persona.adopted", "rows")

    def edits(self, base: FileView, edited: FileView, clock: Clock) -> list[Change]:
        assert isinstance(base, Persona)
        assert isinstance(edited, Persona)
        put: list[dict[str, Any]] = []
        for key in edited._order:
            if key in edited._foreign:
                if base._foreign.get(key) != edited._foreign[key]:
                    put.append({"section": key, "foreign": edited._foreign[key]})
                continue
            if key not in base._sections or base._beside.get(key) != edited._beside.get(key):
                put.append({"section": key, "beside": edited._beside.get(key, {})})
            put += self._patches(base, edited, key)
        drop = [
            [entry.entity, entry.id]
            for entry in base
            if edited.get(entry.entity, entry.id) is None and entry.entity in edited._sections
        ]
        gone = [key for key in base._order if key not in edited._order and key in self._order]
        return [("persona.edited", {"put": put, "drop": drop, "gone": gone})] if put or drop or gone else []

    def _patches(self, base: Persona, edited: Persona, key: str) -> Iterator[dict[str, Any]]:
        for entry in edited.section(key):
            before, present = base.get(key, entry.id), self.get(key, entry.id)
            if before == entry or (before is not None and present is None):
                continue  # untouched by the editor, or removed by us since
            row = to_record(entry)
            if before is not None and present is not None:
                row = patched(to_record(present), to_record(before), row)
            yield {"section": key, "entry": row}


def is_ours(key: str, value: object) -> bool:
    """Whether a value of the document is a section of entries about somebody of this conversation."""
    if key.startswith(("__", "@")) or not isinstance(value, Mapping):
        return False
    return isinstance(value.get(_FACTS), list) or isinstance(value.get(_OLD_FACTS), list)


def _lines(document: Mapping[str, Any]) -> Iterable[bytes]:
    """The document with one entry per line, so that people can read and compare it."""
    yield b"{"
    for place, (key, value) in enumerate(document.items()):
        yield (b",\n" if place else b"\n") + orjson.dumps(key) + b": "
        rows = value.get(_FACTS) if isinstance(value, Mapping) else None
        if not isinstance(rows, list):
            yield orjson.dumps(value)
            continue
        yield b'{"facts": ['
        yield b",\n".join(b"\n" + orjson.dumps(row) if not at else orjson.dumps(row) for at, row in enumerate(rows))
        yield b"\n]" if rows else b"]"
        for name, kept in value.items():
            if name != _FACTS:
                yield b", " + orjson.dumps(name) + b": " + orjson.dumps(kept)
        yield b"}"
    yield b"\n}\n"
