"""How often drawing a reflection from one and the same facts failed: ``synth_backoff.json``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import orjson

from memory.clock import Clock, naive_local
from memory.reflections import fields
from memory.store import layout
from memory.store.events import Event
from memory.store.view import Change, FileView, parse_object

ATTEMPTS = 5
HEALS_AFTER = timedelta(hours=5)
_MOST = 64          # keys kept: those that failed most


class SynthesisBackoff(FileView):
    """Failures by the hash of the facts tried. Only a model can fail here; rules cannot."""

    file = layout.SYNTHESIS_BACKOFF

    def __init__(self, clock: Clock) -> None:
        self.value: dict[str, Any] = {}
        self._clock = clock

    def reset(self) -> None:
        self.value, self.seq = {}, 0

    @property
    def empty(self) -> bool:
        return not self.value

    def blocked(self, key: str, now: datetime) -> bool:
        """Whether these facts failed so often that they should rest."""
        count, at = self._entry(key)
        return count >= ATTEMPTS and at is not None and now - at < HEALS_AFTER

    def failures(self, key: str) -> int:
        return self._entry(key)[0]

    def _entry(self, key: str) -> tuple[int, datetime | None]:
        entry = self.value.get(key)
        if isinstance(entry, Mapping):
            return fields.count(entry.get("n")), fields.moment(entry.get("at"), self._clock)
        return fields.count(entry), None

    def fold(self, event: Event) -> None:
        match event.type:
            case "synthesis.failed":
                key = event.data["key"]
                self.value[key] = {"n": event.data["n"], "at": naive_local(event.at)}
                kept = sorted(self.value, key=lambda one: self._entry(one)[0], reverse=True)[:_MOST]
                self.value = {one: self.value[one] for one in self.value if one in {*kept, key}}
                self.dirty += 1
            case "synthesis.recovered":
                self.dirty += self.value.pop(event.data["key"], None) is not None
            case "synthesis_backoff.adopted" | "synthesis_backoff.edited":
                self.value = dict(event.data["value"])
                self.dirty += 1
        self.seq = event.seq

    def read(self, data: bytes, clock: Clock) -> None:
        self.reset()
        self.value = parse_object(data)

    def render(self) -> Callable[[], Iterable[bytes]]:
        value = dict(self.value)
        return lambda: [orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)]

    def adoption(self) -> list[Change]:
        return [("synthesis_backoff.adopted", {"value": self.value})] if self.value else []

    def edits(self, base: FileView, edited: FileView, clock: Clock) -> list[Change]:
        assert isinstance(base, SynthesisBackoff)
        assert isinstance(edited, SynthesisBackoff)
        if base.value == edited.value:
            return []
        return [("synthesis_backoff.edited", {"value": edited.value})]
