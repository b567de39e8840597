"""Digests of a space, each with what it kept and what it left out: ``digests.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.clock import Clock
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What was made of a stretch of events. Never changed after it was committed."""

    id: str
    summary: str
    created_at: datetime                            # aware
    changes: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    rationale: tuple[str, ...] = ()                 # what was kept, and why
    drops: tuple[Mapping[str, Any], ...] = ()       # what was left out: {"reason", "detail"}
    extra: Mapping[str, Any] = field(default_factory=dict)


_KNOWN = frozenset({"id", "summary", "created", "changes", "next_steps", "rationale", "drops"})


def to_row(digest: Digest) -> dict[str, Any]:
    return {
        **digest.extra,
        "id": digest.id,
        "summary": digest.summary,
        "created": digest.created_at.isoformat(),
        "changes": list(digest.changes),
        "next_steps": list(digest.next_steps),
        "rationale": list(digest.rationale),
        "drops": list(digest.drops),
    }


class Digests(Entries[Digest]):
    """Digests, oldest first."""

    file = layout.DIGESTS
    kind = "digests"

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._ids: tuple[str, ...] | None = ()

    @property
    def latest(self) -> Digest | None:
        return max(self, key=lambda digest: (digest.created_at, digest.id), default=None)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all; the same object until there is another."""
        if self._ids is None:
            self._ids = tuple(self._entries)
        return self._ids

    def from_row(self, row: Mapping[str, Any]) -> Digest | None:
        own, summary = row.get("id"), row.get("summary")
        try:
            created = datetime.fromisoformat(str(row.get("created")))
        except ValueError:
            return None
        if not isinstance(own, str) or not own or not isinstance(summary, str) or created.tzinfo is None:
            return None
        drops = row.get("drops")
        return Digest(
            id=own,
            summary=summary,
            created_at=created,
            changes=_texts(row.get("changes")),
            next_steps=_texts(row.get("next_steps")),
            rationale=_texts(row.get("rationale")),
            drops=tuple(drop for drop in drops if isinstance(drop, Mapping)) if isinstance(drops, list) else (),
            extra={key: value for key, value in row.items() if key not in _KNOWN},
        )

    def to_row(self, entry: Digest) -> dict[str, Any]:
        return to_row(entry)

    def key_of(self, entry: Digest) -> str:
        return entry.id

    def take(self, event: Event) -> None:
        match event.type:
            case "digest.committed":
                self.put(event.data["digest"])
            case "digest.removed":
                for key in event.data["ids"]:
                    self.drop(key)

    def put(self, row: object) -> None:
        super().put(row)
        self._ids = None

    def drop(self, key: str) -> None:
        super().drop(key)
        self._ids = None

    def reset(self) -> None:
        super().reset()
        self._ids = None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
