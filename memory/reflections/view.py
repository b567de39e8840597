"""Reflections that are alive or ended lately: ``reflections.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.reflections.record import from_record, to_record
from memory.reflections.reflection import CONFIRMED, PENDING, Reflection, is_private
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event


class Reflections(Entries[Reflection]):
    """Reflections by id, in the order they were drawn."""

    file = layout.REFLECTIONS
    kind = "reflections"

    def from_row(self, row: Mapping[str, Any]) -> Reflection | None:
        return from_record(row, self.clock)

    def to_row(self, entry: Reflection) -> dict[str, Any]:
        return to_record(entry)

    def key_of(self, entry: Reflection) -> str:
        return entry.id

    def in_status(self, *statuses: str) -> list[Reflection]:
        """Those in one of the statuses, oldest first."""
        return [one for one in self if one.status in statuses]

    def alive(self) -> list[Reflection]:
        """Those about the two people here that nothing has ended yet."""
        return [one for one in self.in_status(PENDING, CONFIRMED) if is_private(one.extra)]

    def take(self, event: Event) -> None:
        if not event.type.startswith("reflection."):
            return
        row = event.data.get("reflection")
        if event.type == "reflection.erased" or event.data.get("shard") is not None:  # gone, or kept in the archive
            for key in event.data["ids"]:
                self.drop(key)
        elif isinstance(row, Mapping):
            self.put(row)
