"""Idempotency keys of history writes: what was already accepted, and with which body."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import orjson

from memory.clock import Clock
from memory.store import layout
from memory.store.events import Event
from memory.store.view import Change, FileView, parse_object


@dataclass(frozen=True, slots=True)
class Accepted:
    """A keyed request that was carried out."""

    body: str             # hash of its body
    answer: int           # the count it was answered with
    at: datetime          # aware


class Keys(FileView):
    """Keys by their hash; the key itself is never kept."""

    file = layout.KEYS

    def __init__(self, *, most: int, seconds: float) -> None:
        self.accepted: dict[str, Accepted] = {}
        self._most = most
        self._age = timedelta(seconds=seconds)

    def reset(self) -> None:
        self.accepted, self.seq = {}, 0

    @property
    def empty(self) -> bool:
        return not self.accepted

    @property
    def size(self) -> int:
        return len(self.accepted)

    def fold(self, event: Event) -> None:
        if event.key is not None:
            key = event.key
            self.accepted[key["key"]] = Accepted(key["body"], key["answer"], event.at)
            self._prune(event.at)
            self.dirty += 1
        elif event.type == "keys.adopted":
            if event.data["reset"]:
                self.accepted = {}
            self._take(event.data["keys"])
            self.dirty += 1
        self.seq = event.seq

    def _prune(self, now: datetime) -> None:
        while self.accepted:
            oldest = next(iter(self.accepted))
            if len(self.accepted) <= self._most and now - self.accepted[oldest].at <= self._age:
                return
            del self.accepted[oldest]

    def _take(self, values: Iterable[list[str | int]]) -> None:
        for key, body, answer, at in values:
            self.accepted[str(key)] = Accepted(str(body), int(answer), datetime.fromisoformat(str(at)))

    def read(self, data: bytes, clock: Clock) -> None:
        self.reset()
        value = parse_object(data)
        entries = value.get("keys")
        if isinstance(entries, list):  # another program's file of this name has another shape
            self._take(entry for entry in entries if isinstance(entry, list) and len(entry) == 4)

    def _values(self) -> list[list[str | int]]:
        return [[key, done.body, done.answer, done.at.isoformat()] for key, done in self.accepted.items()]

    def render(self) -> Callable[[], Iterable[bytes]]:
        values = self._values()
        return lambda: [orjson.dumps({"keys": values}, option=orjson.OPT_APPEND_NEWLINE)]

    def adoption(self) -> list[Change]:
        if not self.accepted:
            return []
        return [("keys.adopted", {"reset": True, "keys": self._values()})]

    def edits(self, base: FileView, edited: FileView, clock: Clock) -> list[Change]:
        return []  # nothing a person would edit; our copy is written again
