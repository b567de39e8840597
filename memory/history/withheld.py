"""Turns that are kept and shown to nobody: ``turns_withheld.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

FORGOTTEN, REPLACED = "forgotten", "replaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A turn that is not shown: evidence of what was forgotten, or an earlier text of a document."""

    id: str
    row: int
    reason: str
    at: datetime        # aware


def to_row(one: Withheld) -> dict[str, Any]:
    return {"id": one.id, "row": one.row, "reason": one.reason, "at": one.at.isoformat()}


class WithheldTurns(Entries[Withheld]):
    """Withheld turns by id."""

    file = layout.TURNS_WITHHELD
    kind = "turns_withheld"

    def from_row(self, row: Mapping[str, Any]) -> Withheld | None:
        own, number, reason = row.get("id"), row.get("row"), row.get("reason")
        try:
            at = datetime.fromisoformat(str(row.get("at")))
        except ValueError:
            return None
        if not isinstance(own, str) or not isinstance(number, int) or not isinstance(reason, str) or at.tzinfo is None:
            return None
        return Withheld(id=own, row=number, reason=reason, at=at)

    def to_row(self, entry: Withheld) -> dict[str, Any]:
        return to_row(entry)

    def key_of(self, entry: Withheld) -> str:
        return entry.id

    def take(self, event: Event) -> None:
        match event.type:
            case "turns.withheld":
                for row in event.data["turns"]:
                    self.put(row)
            case "turns.erased":
                for key in event.data["ids"]:
                    self.drop(key)
