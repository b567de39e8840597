"""Facts that no longer stand, kept for whoever checks how it came to that: ``facts_retired.json``.

Nothing here is searched or told. What was forgotten also guards against its own return.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.clock import Clock
from memory.facts.fact import Fact
from memory.facts.record import from_record, to_record
from memory.facts.sameness import clauses, normal, same_fact, says
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

FORGOTTEN, CAP_EVICTED, REPLACED = "forgotten", "cap_evicted", "replaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retired:
    """A fact as it last stood. One that a later version replaced has no time of retirement of its own."""

    fact: Fact
    reason: str
    at: datetime | None = None      # aware; None: replaced, and nothing else
    guards: bool = False            # must not be learnt again


def to_row(retired: Retired) -> dict[str, Any]:
    return {
        **to_record(retired.fact),
        "retired_reason": retired.reason,
        "retired_at": retired.at.isoformat() if retired.at is not None else None,
        "guards": retired.guards,
    }


_OWN = frozenset({"retired_reason", "retired_at", "guards"})


class RetiredFacts(Entries[Retired]):
    """Retired facts by id, in the order in which they went."""

    file = layout.FACTS_RETIRED
    kind = "facts_retired"

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._guards: dict[str, str] = {}       # id → text

    def covers(self, text: str) -> bool:
        """Whether a statement says, however worded, what was forgotten."""
        return any(same_fact(text, guarded) for guarded in self._guards.values())

    def told_in(self, text: str) -> bool:
        """Whether a text, or a part of it, says what was forgotten."""
        return any(says(text, guarded) for guarded in self._guards.values())

    def untold(self, text: str) -> str:
        """The text without the clauses, or the lines, that say what was forgotten; blank where all of it does."""
        lines = [line if not self.told_in(line) else self._untold_line(line) for line in text.split("\n")]
        kept = "\n".join(line for line in lines if line is not None)
        return kept if not self.told_in(kept) else ""

    def _untold_line(self, line: str) -> str | None:
        kept = " ".join(clause for clause in clauses(line) if not self.told_in(clause))
        return kept if kept.strip() and not self.told_in(kept) else None

    def saying(self, text: str) -> list[Retired]:
        """What was forgotten and reads alike, blanks and capitals aside."""
        wanted = normal(text)
        found = [key for key, guarded in self._guards.items() if normal(guarded) == wanted]
        return [one for key in found if (one := self.get(key)) is not None]

    def forgotten(self) -> list[Retired]:
        """What must not be shown or learnt again, oldest first."""
        return [one for key in self._guards if (one := self.get(key)) is not None]

    def from_row(self, row: Mapping[str, Any]) -> Retired | None:
        fact = from_record({key: value for key, value in row.items() if key not in _OWN}, self.clock)
        reason, at = row.get("retired_reason"), row.get("retired_at")
        if fact is None or not isinstance(reason, str):
            return None
        try:
            moment = datetime.fromisoformat(at) if isinstance(at, str) else None
        except ValueError:
            return None
        if moment is not None and moment.tzinfo is None:
            return None
        return Retired(fact=fact, reason=reason, at=moment, guards=row.get("guards") is True)

    def to_row(self, entry: Retired) -> dict[str, Any]:
        return to_row(entry)

    def key_of(self, entry: Retired) -> str:
        return entry.fact.id

    def take(self, event: Event) -> None:
        match event.type:
            case "fact.retired":
                for row in event.data["rows"]:
                    self.put(row)
            case "fact.unguarded":
                self._lift(event.data["ids"])

    def _lift(self, ids: Iterable[str]) -> None:
        for key in ids:
            if (entry := self.get(key)) is not None:
                self.put(to_row(replace(entry, guards=False)))

    def put(self, row: object) -> None:
        super().put(row)
        if isinstance(row, Mapping) and (entry := self.get(str(row.get("id")))) is not None:
            self._guards.pop(entry.fact.id, None)
            if entry.guards:
                self._guards[entry.fact.id] = entry.fact.text

    def drop(self, key: str) -> None:
        super().drop(key)
        self._guards.pop(key, None)

    def reset(self) -> None:
        super().reset()
        self._guards = {}
