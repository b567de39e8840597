"""A conflict: a statement that was not stored because another one owns its key, waiting for somebody to decide."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memory.facts.draft import Draft
from memory.facts.keys import fingerprint

PROMOTION = "promotion_conflicts_with_existing_durable"
OWNERSHIP = "canonical_key_conflicts_with_existing_durable"

OPEN, ACCEPTED, KEPT, MERGED = "open", "accepted-incoming", "kept-existing", "merged"
STATUSES = (OPEN, ACCEPTED, KEPT, MERGED)

FRESH, AGING, STALE, ESCALATED, RESOLVED = "fresh", "aging", "stale", "escalated", "resolved"
ATTENTIONS = (FRESH, AGING, STALE, ESCALATED, RESOLVED)

_DAY = timedelta(days=1)
# attention, from this age in whole days on, or from this many reopenings on; the first that fits counts
_STEPS = ((ESCALATED, 7, 3), (STALE, 3, 2), (AGING, 1, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two statements about one key."""

    id: str
    key: str
    category: str                           # of the incoming one
    reason: str
    fingerprint: str                        # the same for the same question asked again
    existing_id: str
    existing: Draft                         # as it stood when the conflict was opened, or last looked at
    incoming: Draft
    created_at: datetime                    # aware, like the next
    updated_at: datetime
    source_id: str | None = None            # the evidence that was to be promoted
    status: str = OPEN
    reopen_count: int = 0
    escalation_count: int = 0
    reopened_at: datetime | None = None
    escalated_at: datetime | None = None
    escalated_as: str | None = None         # the attention it had then
    resolved_at: datetime | None = None
    notes: str | None = None

    @property
    def is_open(self) -> bool:
        return self.status == OPEN

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "key": self.key,
            "category": self.category,
            "reason": self.reason,
            "fingerprint": self.fingerprint,
            "existing": {"id": self.existing_id, **self.existing.to_json()},
            "incoming": self.incoming.to_json(),
            "source_id": self.source_id,
            "status": self.status,
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
            "reopen_count": self.reopen_count,
            "escalation_count": self.escalation_count,
            "reopened_at": _iso(self.reopened_at),
            "escalated_at": _iso(self.escalated_at),
            "escalated_as": self.escalated_as,
            "resolved_at": _iso(self.resolved_at),
            "notes": self.notes,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Conflict | None:
        """None for a row that is no conflict."""
        existing, incoming = Draft.from_json(value.get("existing")), Draft.from_json(value.get("incoming"))
        created, updated = _moment(value.get("created_at")), _moment(value.get("updated_at"))
        names = [value.get(name) for name in ("id", "key", "category", "reason", "fingerprint", "status")]
        if existing is None or incoming is None or created is None or updated is None:
            return None
        if not all(isinstance(name, str) and name for name in names) or names[-1] not in STATUSES:
            return None
        return cls(
            id=str(names[0]),
            key=str(names[1]),
            category=str(names[2]),
            reason=str(names[3]),
            fingerprint=str(names[4]),
            status=str(names[5]),
            existing_id=str(value["existing"].get("id") or ""),
            existing=existing,
            incoming=incoming,
            created_at=created,
            updated_at=updated,
            source_id=_text(value.get("source_id")),
            reopen_count=_count(value.get("reopen_count")),
            escalation_count=_count(value.get("escalation_count")),
            reopened_at=_moment(value.get("reopened_at")),
            escalated_at=_moment(value.get("escalated_at")),
            escalated_as=_text(value.get("escalated_as")),
            resolved_at=_moment(value.get("resolved_at")),
            notes=_text(value.get("notes")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """How urgently somebody should decide."""

    attention: str
    open_days: int
    reopen_count: int
    is_open: bool

    @property
    def needs_attention(self) -> bool:
        return self.attention in (STALE, ESCALATED)


def lifecycle(conflict: Conflict, now: datetime) -> Lifecycle:
    """Age counts from the last reopening; reopenings are never forgotten."""
    if not conflict.is_open:
        return Lifecycle(attention=RESOLVED, open_days=0, reopen_count=conflict.reopen_count, is_open=False)
    days = max((now - (conflict.reopened_at or conflict.created_at)) // _DAY, 0)
    attention = next(
        (name for name, age, reopened in _STEPS if days >= age or conflict.reopen_count >= reopened), FRESH
    )
    return Lifecycle(attention=attention, open_days=days, reopen_count=conflict.reopen_count, is_open=True)


def print_of(key: str, category: str, existing_id: str, source_id: str | None, text: str) -> str:
    """What tells a question from all others: a hash, so that nothing is cut off."""
    parts = "\n".join((key, category, existing_id, source_id or "", fingerprint(text)))
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None


def _moment(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
