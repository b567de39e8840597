"""Earlier versions of stored memories, and those merged into others: ``fact_versions.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.clock import Clock
from memory.facts.fact import Fact
from memory.facts.record import from_record, to_record
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

SUPERSEDED, CONSOLIDATED = "superseded", "consolidated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """What a memory said until something took its place."""

    id: str
    fact: Fact              # as it stood
    status: str             # superseded: by a later version; consolidated: merged into another memory
    heir: str               # id of the memory that stands there now
    ended_at: datetime      # aware


def to_row(version: Version) -> dict[str, Any]:
    """The row in the file. It goes when the memory that took its place is erased."""
    return {
        **to_record(version.fact),
        "id": version.id,
        "of_fact": version.fact.id,
        "status": version.status,
        "superseded_by": version.heir,
        "ended_at": version.ended_at.isoformat(),
        "source_fact_ids": [version.heir],
    }


class Versions(Entries[Version]):
    """Versions in the order in which they ended."""

    file = layout.FACT_VERSIONS
    kind = "fact_versions"

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._of: dict[str, dict[str, None]] = {}     # id of the memory that stands now → versions

    def of(self, fact_id: str) -> list[Version]:
        """What a memory said before, and what was merged into it, oldest first."""
        return [version for key in self._of.get(fact_id, ()) if (version := self.get(key)) is not None]

    def from_row(self, row: Mapping[str, Any]) -> Version | None:
        own, of_fact, heir = (row.get(key) for key in ("id", "of_fact", "superseded_by"))
        if not all(isinstance(one, str) and one for one in (own, of_fact, heir)):
            return None
        plain = {key: value for key, value in row.items() if key not in _OWN}
        fact = from_record({**plain, "id": of_fact}, self.clock)
        try:
            ended = datetime.fromisoformat(str(row.get("ended_at")))
        except ValueError:
            return None
        if fact is None or ended.tzinfo is None:
            return None
        status = CONSOLIDATED if row.get("status") == CONSOLIDATED else SUPERSEDED
        return Version(id=str(own), fact=fact, status=status, heir=str(heir), ended_at=ended)

    def to_row(self, entry: Version) -> dict[str, Any]:
        return to_row(entry)

    def key_of(self, entry: Version) -> str:
        return entry.id

    def take(self, event: Event) -> None:
        match event.type:
            case "memory.revised":
                self.put(event.data["was"])
            case "memory.merged":
                for row in event.data["versions"]:
                    self.put(row)
            case "fact.retired":
                for row in event.data["rows"]:
                    self.drop(row["id"])

    def put(self, row: object) -> None:
        super().put(row)
        if isinstance(row, Mapping) and (version := self.get(str(row.get("id")))) is not None:
            self._of.setdefault(version.heir, {})[version.id] = None

    def drop(self, key: str) -> None:
        version = self.get(key)
        super().drop(key)
        if version is not None:
            self._of.get(version.heir, {}).pop(key, None)

    def reset(self) -> None:
        super().reset()
        self._of = {}



_OWN = frozenset({"of_fact", "status", "superseded_by", "ended_at", "source_fact_ids"})
