"""The conflicts of a space: ``conflicts.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.clock import Clock
from memory.facts.conflict import Conflict
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

# What happens to a conflict; each event holds it whole.
_WHOLE = frozenset(f"conflict.{what}" for what in ("opened", "reopened", "refreshed", "resolved", "escalated"))


class Conflicts(Entries[Conflict]):
    """Conflicts in the order they were first opened."""

    file = layout.CONFLICTS
    kind = "conflicts"

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._by_print: dict[str, str] = {}

    def asking(self, fingerprint: str) -> Conflict | None:
        """The conflict about that very question, open or not."""
        key = self._by_print.get(fingerprint)
        return self.get(key) if key is not None else None

    def from_row(self, row: Mapping[str, Any]) -> Conflict | None:
        return Conflict.from_json(row)

    def to_row(self, entry: Conflict) -> dict[str, Any]:
        return entry.to_json()

    def key_of(self, entry: Conflict) -> str:
        return entry.id

    def take(self, event: Event) -> None:
        if event.type in _WHOLE:
            self.put(event.data["conflict"])

    def put(self, row: object) -> None:
        super().put(row)
        if isinstance(row, Mapping) and (conflict := self.get(str(row.get("id")))) is not None:
            self._by_print[conflict.fingerprint] = conflict.id

    def drop(self, key: str) -> None:
        conflict = self.get(key)
        super().drop(key)
        if conflict is not None and self._by_print.get(conflict.fingerprint) == key:
            del self._by_print[conflict.fingerprint]

    def reset(self) -> None:
        super().reset()
        self._by_print = {}
