"""Reminders of a space: ``reminders.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memory.clock import Clock
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

SCHEDULED, SENT, CANCELLED = "scheduled", "sent", "cancelled"
STATUSES = (SCHEDULED, SENT, CANCELLED)

KEPT = timedelta(days=90)       # after its time, of a reminder that is sent or cancelled


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """Something to say at a time."""

    id: str
    owner: str                  # id of the user
    text: str
    due_at: datetime            # aware
    created_at: datetime        # aware
    status: str = SCHEDULED
    sent_at: datetime | None = None


def over_at(reminder: Reminder) -> datetime | None:
    """When a reminder is of no use any more; None while it is to be sent."""
    if reminder.status == SCHEDULED:
        return None
    over = max(reminder.sent_at or reminder.due_at, reminder.created_at)
    try:
        return over + KEPT
    except OverflowError:       # the edge of the calendar
        return None


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Due:
    """What is known of a reminder without its text."""

    due_at: datetime
    id: str
    owner: str
    status: str


def to_row(reminder: Reminder) -> dict[str, Any]:
    return {
        "id": reminder.id,
        "owner": reminder.owner,
        "text": reminder.text,
        "due": reminder.due_at.isoformat(),
        "created": reminder.created_at.isoformat(),
        "status": reminder.status,
        "sent": reminder.sent_at.isoformat() if reminder.sent_at is not None else None,
    }


class Reminders(Entries[Reminder]):
    """Reminders in the order they were made."""

    file = layout.REMINDERS
    kind = "reminders"

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._due: tuple[Due, ...] | None = ()
        self._over: datetime | None = None      # … and the same for what is over

    @property
    def due(self) -> tuple[Due, ...]:
        """All of them without their texts, the earliest first; the same object until one changes."""
        if self._due is None:
            self._due = tuple(
                sorted(Due(due_at=one.due_at, id=one.id, owner=one.owner, status=one.status) for one in self)
            )
            self._over = min((at for one in self if (at := over_at(one)) is not None), default=None)
        return self._due

    @property
    def over_at(self) -> datetime | None:
        """When the first of them may be removed."""
        return self._over if self.due else None

    def from_row(self, row: Mapping[str, Any]) -> Reminder | None:
        own, owner, text, status = (row.get(key) for key in ("id", "owner", "text", "status"))
        sent = row.get("sent")
        try:
            due = datetime.fromisoformat(str(row.get("due")))
            created = datetime.fromisoformat(str(row.get("created")))
            done = datetime.fromisoformat(sent) if isinstance(sent, str) else None
        except ValueError:
            return None
        if not all(isinstance(one, str) and one for one in (own, owner, text)) or status not in STATUSES:
            return None
        if due.tzinfo is None or created.tzinfo is None:
            return None
        return Reminder(
            id=str(own),
            owner=str(owner),
            text=str(text),
            due_at=due,
            created_at=created,
            status=str(status),
            sent_at=done,
        )

    def to_row(self, entry: Reminder) -> dict[str, Any]:
        return to_row(entry)

    def key_of(self, entry: Reminder) -> str:
        return entry.id

    def take(self, event: Event) -> None:
        match event.type:
            case "reminder.scheduled" | "reminder.cancelled":
                self.put(event.data["reminder"])
            case "reminder.sent":
                for row in event.data["reminders"]:
                    self.put(row)
            case "reminder.removed":
                for key in event.data["ids"]:
                    self.drop(key)

    def put(self, row: object) -> None:
        super().put(row)
        self._due = None

    def drop(self, key: str) -> None:
        super().drop(key)
        self._due = None

    def reset(self) -> None:
        super().reset()
        self._due = None
