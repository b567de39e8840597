"""A view whose file is one JSON object."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import orjson

from memory.clock import Clock
from memory.store.events import Event
from memory.store.view import Change, FileView, parse_object


class ObjectView(FileView):
    """Folds events into the keys of an object. What others change or add in it counts key by key."""

    adopted: str     # event type that takes over a whole object
    edited: str      # event type of an edit by others

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}

    def reset(self) -> None:
        self.value, self.seq = {}, 0

    @property
    def empty(self) -> bool:
        return not self.value

    def fold(self, event: Event) -> None:
        if event.type in (self.adopted, self.edited):
            self.value = dict(event.data["value"])
            self.dirty += 1
        else:
            self.take(event)
        self.seq = event.seq

    @abstractmethod
    def take(self, event: Event) -> None:
        """Take in an event of the view's own kind; counts in ``dirty`` what it changes."""

    def read(self, data: bytes, clock: Clock) -> None:
        self.reset()
        self.value = parse_object(data)

    def render(self) -> Callable[[], Iterable[bytes]]:
        value = dict(self.value)
        return lambda: [orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)]

    def adoption(self) -> list[Change]:
        return [(self.adopted, {"value": self.value})] if self.value else []

    def edits(self, base: FileView, edited: FileView, clock: Clock) -> list[Change]:
        assert isinstance(base, ObjectView)
        assert isinstance(edited, ObjectView)
        # A key that is missing was dropped by a program that does not know it, not by somebody's wish.
        changed = {key: kept for key, kept in edited.value.items() if base.value.get(key) != kept}
        return [(self.edited, {"value": {**self.value, **changed}})] if changed else []
