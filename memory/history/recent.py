"""The working window of a conversation: ``recent.json`` and ``recent_meta.json``.

``recent.json`` is a plain message list that other programs read and edit. Element 0 may be the
memo of what came before. Our turns carry their id inside ``data``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from typing import Any

import orjson

from memory.clock import Clock
from memory.history.turn import SYSTEM, Content, Turn, text_of
from memory.locale import normalise
from memory.store import layout
from memory.store.events import Event
from memory.store.objects import ObjectView
from memory.store.view import Change, FileView, in_chunks, list_of_lines, parse_list

_LANGUAGE = "language"
_YOUNG = timedelta(minutes=1)  # an edit never removes turns younger than this


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One message of the window."""

    kind: str
    content: Content
    id: str | None = None                       # the turn it is; None for what others wrote
    at: datetime | None = None                  # aware; known for our own turns
    extra: Mapping[str, Any] = field(default_factory=dict)  # keys inside ``data`` that we do not know

    @property
    def text(self) -> str:
        return text_of(self.content)

    def to_file(self) -> dict[str, Any]:
        data: dict[str, Any] = {"content": self.content, **self.extra}
        if self.id is not None:
            data["id"] = self.id
        return {"type": self.kind, "data": data}

    def to_json(self) -> dict[str, Any]:
        value = self.to_file()
        if self.at is not None:
            value["at"] = self.at.isoformat()
        return value

    @classmethod
    def from_json(cls, value: object) -> Entry:
        """From a journal or file value; whatever it is, it becomes an entry rather than an error."""
        if not isinstance(value, Mapping):
            return cls(kind="human", content=value if isinstance(value, str) else str(value))
        data = value.get("data")
        kind = value.get("type")
        if not isinstance(data, Mapping):
            data = {"content": value.get("content", "") if data is None else data}
        content = data.get("content", "")
        turn_id = data.get("id")
        at = value.get("at")
        return cls(
            kind=kind if isinstance(kind, str) else "human",
            content=content if isinstance(content, (str, list)) else str(content),
            id=turn_id if isinstance(turn_id, str) else None,
            at=datetime.fromisoformat(at) if isinstance(at, str) else None,
            extra={key: kept for key, kept in data.items() if key not in ("content", "id")},
        )


class Recent(FileView):
    """The entries of the window, oldest first."""

    file = layout.RECENT
    prompt = True

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.arrivals: dict[str, datetime] = {}    # when the newest turns came in, whenever they were said
        self._lines: dict[int, tuple[Entry, bytes]] = {}   # encoded entries by identity, each kept alive beside

    def reset(self) -> None:
        self.entries, self.seq, self.arrivals, self._lines = [], 0, {}, {}

    @property
    def empty(self) -> bool:
        return not self.entries

    @property
    def size(self) -> int:
        return len(self.entries)

    @property
    def has_memo(self) -> bool:
        return bool(self.entries) and self.entries[0].kind == SYSTEM

    def fold(self, event: Event) -> None:
        match event.type:
            case "turns.added":
                hidden = event.data.get("outside", ())
                known = {entry.id for entry in self.entries[-len(event.data["turns"]) - 1 :]}
                for value in event.data["turns"]:
                    if value["id"] not in known and value["id"] not in hidden:
                        self.entries.append(_entry_of(Turn.from_json(value)))
                        self._arrived(value["id"], event.at)
            case "recent.compressed":
                self._compress(event.data)
            case "recent.edited":
                self.entries = [Entry.from_json(value) for value in event.data["entries"]]
            case "recent.adopted":
                if event.data["reset"]:
                    self.entries = []
                self.entries += [Entry.from_json(value) for value in event.data["entries"]]
            case "turns.erased" | "turns.withheld":
                gone = {*event.data.get("ids", ()), *(turn["id"] for turn in event.data.get("turns", ()))}
                self.entries = [entry for entry in self.entries if entry.id not in gone]
            case _:
                self.seq = event.seq
                return
        self.dirty += 1
        self.seq = event.seq

    def _arrived(self, turn_id: str, at: datetime) -> None:
        while self.arrivals and at - self.arrivals[oldest := next(iter(self.arrivals))] > _YOUNG:
            del self.arrivals[oldest]
        self.arrivals[turn_id] = at

    def _compress(self, data: Mapping[str, Any]) -> None:
        count = int(data["count"])
        head = [entry.id for entry in self.entries[:count]]
        if head != data["head"]:
            return  # folded already, or the window was edited: then the later event holds the truth
        memo = Entry(kind=SYSTEM, content=data["text"], id=data["id"])
        self.entries = [memo, *self.entries[count:]]

    # the file

    def read(self, data: bytes, clock: Clock) -> None:
        self.reset()
        self.entries = [Entry.from_json(value) for value in parse_list(data)]

    def render(self) -> Callable[[], Iterable[bytes]]:
        before, self._lines = self._lines, {}
        for entry in self.entries:
            known = before.get(id(entry))
            self._lines[id(entry)] = known or (entry, orjson.dumps(entry.to_file()))
        lines = [self._lines[id(entry)][1] for entry in self.entries]
        return lambda: list_of_lines(lines)

    def adoption(self) -> list[Change]:
        return in_chunks([entry.to_json() for entry in self.entries], "recent.adopted", "entries")

    def edits(self, base: FileView, edited: FileView, clock: Clock) -> list[Change]:
        assert isinstance(base, Recent)
        assert isinstance(edited, Recent)
        if _alike(base.entries) == _alike(edited.entries):
            return []
        merged = _with_known_ids(base.entries, edited.entries)
        kept = {entry.id for entry in merged if entry.id}
        based = {entry.id for entry in base.entries if entry.id}
        young = clock.now() - _YOUNG
        for entry in self.entries[1:] if self.has_memo else self.entries:
            if entry.id is None or entry.id in kept:
                continue
            arrived = self.arrivals.get(entry.id)
            if entry.id not in based or (arrived is not None and arrived > young):
                merged.append(entry)
        return [("recent.edited", {"entries": [entry.to_json() for entry in merged]})]


class RecentMeta(ObjectView):
    """What is known about the memo at the head of the window, and the language that is spoken."""

    file = layout.RECENT_META
    adopted, edited = "recent.meta_adopted", "recent.meta_edited"

    @property
    def memo(self) -> Mapping[str, Any] | None:
        """The memo's items, as the code that made it wrote them."""
        memo = self.value.get("memo")
        return memo if isinstance(memo, Mapping) else None

    @property
    def language(self) -> str | None:
        """The locale that a caller last named for this conversation, if one ever did."""
        return normalise(self.value.get(_LANGUAGE))

    def take(self, event: Event) -> None:
        match event.type:
            case "turns.added":
                named = event.data.get("language")
                if named is not None and named != self.value.get(_LANGUAGE):
                    self.value = {**self.value, _LANGUAGE: named}
                    self.dirty += 1
            case "recent.compressed":
                self.value |= event.data["meta"]
                self.dirty += 1


def _entry_of(turn: Turn) -> Entry:
    return Entry(kind=turn.kind, content=turn.content, id=turn.id, at=turn.at)


def _alike(entries: Sequence[Entry]) -> list[bytes]:
    """What tells entries apart when a program that rewrote them dropped our ids."""
    return [orjson.dumps([entry.kind, entry.content]) for entry in entries]


def _with_known_ids(base: Sequence[Entry], edited: Sequence[Entry]) -> list[Entry]:
    """The edited entries; those that were in the base keep its ids, whatever the editor dropped."""
    merged = list(edited)
    matcher = SequenceMatcher(None, _alike(base), _alike(edited), autojunk=False)
    for tag, there, there_end, here, here_end in matcher.get_opcodes():
        if tag == "equal":
            merged[here:here_end] = base[there:there_end]
        elif tag == "replace" and there_end - there == here_end - here:  # the same messages, reworded
            for old, place in zip(base[there:there_end], range(here, here_end), strict=True):
                if merged[place].id is None and merged[place].kind == old.kind:
                    merged[place] = replace(merged[place], id=old.id, at=old.at)
    by_id = {entry.id: entry for entry in base if entry.id}
    seen: set[str] = set()
    for place, entry in enumerate(merged):
        if entry.id is None:
            continue
        if entry.id in seen:  # a copied entry is a new one
            merged[place] = replace(entry, id=None, at=None)
        elif entry.at is None and entry.id in by_id:
            merged[place] = replace(entry, at=by_id[entry.id].at)
        seen.add(entry.id)
    return merged
