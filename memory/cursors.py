"""How far each background reader has come: ``cursors.json``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import orjson

from memory.clock import Clock
from memory.store import layout
from memory.store.events import Event
from memory.store.view import Change, FileView, parse_object


class Cursors(FileView):
    """Named positions. Ours count rows, so that neither a restart nor a clock change skips any."""

    file = layout.CURSORS

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}

    def reset(self) -> None:
        self.value, self.seq = {}, 0

    @property
    def empty(self) -> bool:
        return not self.value

    def row(self, name: str) -> int:
        """The last row that the named reader has dealt with; 0 at the beginning."""
        value = self.value.get(name, 0)
        return value if isinstance(value, int) else 0

    def fold(self, event: Event) -> None:
        match event.type:
            case "cursor.moved":
                self.value[event.data["name"]] = event.data["to"]
                self.dirty += 1
            case "cursors.adopted" | "cursors.edited":
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
        return [("cursors.adopted", {"value": self.value})] if self.value else []

    def edits(self, base: FileView, edited: FileView, clock: Clock) -> list[Change]:
        assert isinstance(base, Cursors)
        assert isinstance(edited, Cursors)
        changed = {key: kept for key, kept in edited.value.items() if base.value.get(key) != kept}
        return [("cursors.edited", {"value": {**self.value, **changed}})] if changed else []
