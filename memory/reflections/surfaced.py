"""Which reflections were offered to the user as topics, and what became of it: ``surfaced.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.clock import naive_local
from memory.reflections import fields
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

CONFIRMED, DENIED, IGNORED = "confirmed", "denied", "ignored"
FEEDBACK = (CONFIRMED, DENIED, IGNORED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surfaced:
    """A topic that was offered, and the answer to it once there is one."""

    reflection_id: str
    text: str
    surfaced_at: datetime | None                # aware
    feedback: str | None = None                 # one of FEEDBACK; None: not answered yet
    feedback_at: datetime | None = None         # aware
    after_row: int = 0                          # the turn after which it was offered
    voiced_in: str | None = None                # id of the turn in which the character really said it
    heard: int = 0                              # messages of the user since then
    extra: Mapping[str, Any] = field(default_factory=dict)


_KNOWN = frozenset(
    {"reflection_id", "text", "surfaced_at", "feedback", "feedback_at", "after_row", "voiced_in", "heard"}
)


class SurfacedTopics(Entries[Surfaced]):
    """Offered topics by reflection; offering one again begins it anew."""

    file = layout.SURFACED
    kind = "surfaced"

    def from_row(self, row: Mapping[str, Any]) -> Surfaced | None:
        known_id = row.get("reflection_id")
        if not isinstance(known_id, str) or not known_id:
            return None
        feedback = row.get("feedback")
        return Surfaced(
            reflection_id=known_id,
            text=fields.text(row.get("text")) or "",
            surfaced_at=fields.moment(row.get("surfaced_at"), self.clock),
            feedback=feedback if isinstance(feedback, str) else None,
            feedback_at=fields.moment(row.get("feedback_at"), self.clock),
            after_row=fields.count(row.get("after_row")),
            voiced_in=fields.text(row.get("voiced_in")),
            heard=fields.count(row.get("heard")),
            extra={key: value for key, value in row.items() if key not in _KNOWN},
        )

    def to_row(self, entry: Surfaced) -> dict[str, Any]:
        row: dict[str, Any] = {
            "reflection_id": entry.reflection_id,
            "text": entry.text,
            "surfaced_at": naive_local(entry.surfaced_at) if entry.surfaced_at else None,
            "feedback": entry.feedback,
        }
        if entry.feedback_at is not None:
            row["feedback_at"] = naive_local(entry.feedback_at)
        row["after_row"] = entry.after_row
        if entry.voiced_in is not None:
            row |= {"voiced_in": entry.voiced_in, "heard": entry.heard}
        return {**row, **entry.extra}

    def key_of(self, entry: Surfaced) -> str:
        return entry.reflection_id

    def open(self) -> list[Surfaced]:
        """Topics without an answer yet."""
        return [one for one in self if one.feedback is None]

    def take(self, event: Event) -> None:
        if not event.type.startswith("reflection."):
            return
        if event.type == "reflection.erased":
            for key in event.data["ids"]:
                self.drop(key)
        elif isinstance(row := event.data.get("surfaced"), Mapping):
            self.put(row)
