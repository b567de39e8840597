"""Earlier versions of stored memories, and those merged into others: ``fact_versions.json``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
        self._of: dict[str, dict[str, None]] = {}     # id of the memory that took the place → versions
        self._merged: dict[str, str] = {}             # id of a memory that was merged away → version

    @property
    def ids(self) -> Collection[str]:
        """The ids of all versions, and of the memories that were merged into others."""
        return [*self._entries, *self._merged]

    def of(self, fact_id: str) -> list[Version]:
        """What a memory said before, and what was merged into it and said before that, oldest first."""
        found: list[Version] = []
        wanted = [fact_id]
        while wanted:
            heir = wanted.pop()
            versions = [version for key in self._of.get(heir, ()) if (version := self.get(key)) is not None]
            found += versions
            wanted += [one.fact.id for one in versions if one.fact.id != heir]
        return sorted(found, key=lambda one: one.ended_at)

    def standing_for(self, known: str) -> str:
        """The id of the memory that stands where one of that id stood, or said what the version of that id says."""
        own = known
        while (version := self.get(own) or self.get(self._merged.get(own, ""))) is not None:
            own = version.heir
        return own

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
            if version.fact.id != version.heir:
                self._merged[version.fact.id] = version.id

    def drop(self, key: str) -> None:
        version = self.get(key)
        super().drop(key)
        if version is not None:
            self._of.get(version.heir, {}).pop(key, None)
            self._merged.pop(version.fact.id, None)

    def reset(self) -> None:
        super().reset()
        self._of, self._merged = {}, {}


_OWN = frozenset({"of_fact", "status", "superseded_by", "ended_at", "source_fact_ids"})
