"""Where a session stopped, for the next one: ``handoffs.json``. Nothing here is ever deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.clock import Clock
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

USER_CLEARED = "user_cleared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """One stopping point."""

    id: str
    content: str
    at: datetime                            # aware
    superseded_by: str | None = None
    retired_at: datetime | None = None      # aware
    retired_reason: str | None = None

    @property
    def is_active(self) -> bool:
        return self.superseded_by is None and self.retired_at is None


def content_of(summary: str, open_questions: Sequence[str] = (), next_steps: Sequence[str] = ()) -> str:
    """A summary with what is open and what comes next below it."""
    lines = [summary]
    for title, items in (("Open questions:", open_questions), ("Next steps:", next_steps)):
        if items:
            lines += [title, *(f"- {item}" for item in items)]
    return "\n".join(lines)


def to_row(handoff: Handoff) -> dict[str, Any]:
    return {
        "id": handoff.id,
        "content": handoff.content,
        "at": handoff.at.isoformat(),
        "superseded_by": handoff.superseded_by,
        "retired_at": handoff.retired_at.isoformat() if handoff.retired_at is not None else None,
        "retired_reason": handoff.retired_reason,
    }


class Handoffs(Entries[Handoff]):
    """Stopping points, oldest first. At most one is active."""

    file = layout.HANDOFFS
    kind = "handoffs"

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._active: str | None = None

    @property
    def active(self) -> Handoff | None:
        """The one that the next session is told."""
        return self.get(self._active) if self._active is not None else None

    def from_row(self, row: Mapping[str, Any]) -> Handoff | None:
        own, content, heir, reason = (row.get(key) for key in ("id", "content", "superseded_by", "retired_reason"))
        retired = row.get("retired_at")
        try:
            at = datetime.fromisoformat(str(row.get("at")))
            ended = datetime.fromisoformat(retired) if isinstance(retired, str) else None
        except ValueError:
            return None
        if not isinstance(own, str) or not own or not isinstance(content, str) or at.tzinfo is None:
            return None
        return Handoff(
            id=own,
            content=content,
            at=at,
            superseded_by=heir if isinstance(heir, str) else None,
            retired_at=ended,
            retired_reason=reason if isinstance(reason, str) else None,
        )

    def to_row(self, entry: Handoff) -> dict[str, Any]:
        return to_row(entry)

    def key_of(self, entry: Handoff) -> str:
        return entry.id

    def take(self, event: Event) -> None:
        match event.type:
            case "handoff.set":
                before = self.active
                if before is not None and before.id != event.data["handoff"]["id"]:
                    self.put(to_row(replace(before, superseded_by=event.data["handoff"]["id"])))
                self.put(event.data["handoff"])
            case "handoff.cleared":
                self.put(event.data["handoff"])

    def put(self, row: object) -> None:
        super().put(row)
        if isinstance(row, Mapping) and (handoff := self.get(str(row.get("id")))) is not None:
            if handoff.is_active:
                self._active = handoff.id
            elif self._active == handoff.id:
                self._active = None

    def drop(self, key: str) -> None:
        super().drop(key)
        if self._active == key:
            self._active = None

    def reset(self) -> None:
        super().reset()
        self._active = None
