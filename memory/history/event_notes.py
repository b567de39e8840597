"""What a raw event has beyond the turn that it is: ``event_notes.json``. Plain ones have nothing and no row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.clock import Clock
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

STREAM, DOCUMENT = "stream", "document"
API = "api"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventNote:
    """Beside an event: it is named by its first turn, and has the text of its latest."""

    id: str                             # of the first turn
    type: str = STREAM
    source: str = API
    key: str | None = None
    pinned: bool = False
    created_at: datetime                # aware; the event's own time
    updated_at: datetime | None = None  # aware; when the text last changed
    turns: tuple[str, ...] = ()         # its texts, the latest last

    @property
    def current(self) -> str:
        """Id of the turn with its present text."""
        return self.turns[-1] if self.turns else self.id


def to_row(note: EventNote) -> dict[str, Any]:
    return {
        "id": note.id,
        "type": note.type,
        "source": note.source,
        "name": note.key,
        "pinned": note.pinned,
        "created": note.created_at.isoformat(),
        "updated": note.updated_at.isoformat() if note.updated_at is not None else None,
        "turns": list(note.turns),
    }


class EventNotes(Entries[EventNote]):
    """Notes by the id of their event, found by key too."""

    file = layout.EVENT_NOTES
    kind = "event_notes"

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._by_key: dict[tuple[str, str], str] = {}
        self._of: dict[str, str] = {}           # turn → event

    def keyed(self, type_: str, key: str) -> EventNote | None:
        """The event of that type and key."""
        return self.get(self._by_key.get((type_, key), ""))

    def of_turn(self, turn_id: str) -> EventNote | None:
        """The event that a turn is, or is a text of."""
        return self.get(self._of.get(turn_id, ""))

    def from_row(self, row: Mapping[str, Any]) -> EventNote | None:
        own, key, turns, updated = row.get("id"), row.get("name"), row.get("turns"), row.get("updated")
        try:
            created = datetime.fromisoformat(str(row.get("created")))
            changed = datetime.fromisoformat(updated) if isinstance(updated, str) else None
        except ValueError:
            return None
        if not isinstance(own, str) or not own or created.tzinfo is None:
            return None
        return EventNote(
            id=own,
            type=DOCUMENT if row.get("type") == DOCUMENT else STREAM,
            source=str(row.get("source") or API),
            key=key if isinstance(key, str) and key else None,
            pinned=row.get("pinned") is True,
            created_at=created,
            updated_at=changed,
            turns=tuple(map(str, turns)) if isinstance(turns, list) else (),
        )

    def to_row(self, entry: EventNote) -> dict[str, Any]:
        return to_row(entry)

    def key_of(self, entry: EventNote) -> str:
        return entry.id

    def take(self, event: Event) -> None:
        match event.type:
            case "event.noted":
                self.put(event.data["note"])
            case "turns.erased":
                for key in event.data["ids"]:
                    self.drop(key)

    def put(self, row: object) -> None:
        super().put(row)
        if isinstance(row, Mapping) and (note := self.get(str(row.get("id")))) is not None:
            for turn in (note.id, *note.turns):
                self._of[turn] = note.id
            if note.key is not None:
                self._by_key[note.type, note.key] = note.id

    def drop(self, key: str) -> None:
        note = self.get(key)
        super().drop(key)
        if note is not None:
            for turn in (note.id, *note.turns):
                self._of.pop(turn, None)
            if note.key is not None and self._by_key.get((note.type, note.key)) == key:
                del self._by_key[note.type, note.key]

    def reset(self) -> None:
        super().reset()
        self._by_key, self._of = {}, {}
