"""Which scope a space is: ``scope.json``. A character's space has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import orjson

from memory.clock import Clock
from memory.scopes import Scope
from memory.store import layout
from memory.store.events import Event
from memory.store.view import Change, FileView, parse_object


class ScopeFile(FileView):
    """The name as it was first spelled, and whose it is; the directory's own name is only a hash of these."""

    file = layout.SCOPE

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}

    def scope(self, space: str) -> Scope | None:
        """The scope of the space of that name."""
        name = self.value.get("name")
        if not isinstance(name, str) or not name:
            return None
        dialect, owner = str(self.value.get("dialect") or ""), str(self.value.get("owner") or "")
        return Scope(name=name, space=space, dialect=dialect, owner=owner)

    def reset(self) -> None:
        self.value, self.seq = {}, 0

    @property
    def empty(self) -> bool:
        return not self.value

    def fold(self, event: Event) -> None:
        if event.type in ("scope.named", "scope.adopted"):
            self.value = {key: event.data[key] for key in ("dialect", "owner", "name")}
            self.dirty += 1
        self.seq = event.seq

    def read(self, data: bytes, clock: Clock) -> None:
        self.reset()
        value = parse_object(data)
        if isinstance(value.get("name"), str):
            self.value = {key: str(value.get(key) or "") for key in ("dialect", "owner", "name")}

    def render(self) -> Callable[[], Iterable[bytes]]:
        value = dict(self.value)
        return lambda: [orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)]

    def adoption(self) -> list[Change]:
        return [("scope.adopted", dict(self.value))] if self.value else []

    def edits(self, base: FileView, edited: FileView, clock: Clock) -> list[Change]:
        return []  # nothing a person may change: the directory is found by it; our copy is written again
