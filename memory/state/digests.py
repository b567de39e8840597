"""Digests of a space, each with its state and with what it kept and left out: ``digests.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from memory.clock import Clock
from memory.state.digest_state import DigestState, from_json, to_json
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

KEPT = timedelta(days=90)               # age at which every digest but the latest may be removed
STATES = 100                            # newest digests that keep their whole state


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A line of a digest that says otherwise than what is known."""

    code: str
    fact: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consistency:
    """What the gate found, and whether the digest is a stopgap."""

    ok: bool
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    degraded: str | None = None                     # why; None: it is not
    degraded_errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What was made of a stretch of events. Never changed after it was committed."""

    id: str
    summary: str
    created_at: datetime                            # aware; one is later than all before it
    changes: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    rationale: tuple[str, ...] = ()                 # what was kept, and why
    drops: tuple[Mapping[str, Any], ...] = ()       # what was left out: {"reason", "detail"}
    state: DigestState | None = None                # None: an old one, see STATES
    consistency: Consistency | None = None
    rebuild_group_id: str | None = None
    upto: int = 0                                   # the last row that it takes into account
    extra: Mapping[str, Any] = field(default_factory=dict)


_KNOWN = frozenset({
    "id", "summary", "created", "changes", "next_steps", "rationale", "drops", "state", "consistency", "rebuild",
    "upto",
})  # fmt: skip


def to_row(digest: Digest) -> dict[str, Any]:
    row: dict[str, Any] = {
        **digest.extra,
        "id": digest.id,
        "summary": digest.summary,
        "created": digest.created_at.isoformat(),
        "changes": list(digest.changes),
        "next_steps": list(digest.next_steps),
        "rationale": list(digest.rationale),
        "drops": list(digest.drops),
        "upto": digest.upto,
    }
    if digest.state is not None:
        row["state"] = to_json(digest.state)
    if digest.consistency is not None:
        row["consistency"] = _told(digest.consistency)
    if digest.rebuild_group_id is not None:
        row["rebuild"] = digest.rebuild_group_id
    return row


def _told(found: Consistency) -> dict[str, Any]:
    return {
        "ok": found.ok,
        "errors": list(found.errors),
        "warnings": list(found.warnings),
        "conflicts": [{"code": one.code, "fact": one.fact, "line": one.line} for one in found.conflicts],
        "degraded": found.degraded,
        "degraded_errors": list(found.degraded_errors),
    }


class Digests(Entries[Digest]):
    """Digests, oldest first."""

    file = layout.DIGESTS
    kind = "digests"

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._ids: tuple[str, ...] | None = ()
        self._ordered: tuple[Digest, ...] | None = ()

    @property
    def latest(self) -> Digest | None:
        ordered = self.newest_first
        return ordered[0] if ordered else None

    @property
    def newest_first(self) -> tuple[Digest, ...]:
        """All of them; the same object until there is another."""
        if self._ordered is None:
            self._ordered = tuple(sorted(self, key=lambda one: (one.created_at, one.id), reverse=True))
        return self._ordered

    @property
    def over_at(self) -> datetime | None:
        """When the first of them may be removed."""
        ordered = self.newest_first
        return ordered[-1].created_at + KEPT if len(ordered) > 1 else None

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
        drops, group, upto = row.get("drops"), row.get("rebuild"), row.get("upto")
        return Digest(
            id=own,
            summary=summary,
            created_at=created,
            changes=_texts(row.get("changes")),
            next_steps=_texts(row.get("next_steps")),
            rationale=_texts(row.get("rationale")),
            drops=tuple(drop for drop in drops if isinstance(drop, Mapping)) if isinstance(drops, list) else (),
            state=from_json(row.get("state")),
            consistency=_read(row.get("consistency")),
            rebuild_group_id=group if isinstance(group, str) and group else None,
            upto=upto if isinstance(upto, int) else 0,
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
                self._bound()
            case "digest.removed":
                for key in event.data["ids"]:
                    self.drop(key)

    def _bound(self) -> None:
        """Old digests lose their state: what they came to stands in the later ones."""
        if len(self) <= STATES:
            return
        for one in self.newest_first[STATES:]:
            if one.state is not None:
                self._entries[one.id] = replace(one, state=None)
                self.dirty += 1
                self._ordered = None

    def put(self, row: object) -> None:
        super().put(row)
        self._ids = self._ordered = None

    def drop(self, key: str) -> None:
        super().drop(key)
        self._ids = self._ordered = None

    def reset(self) -> None:
        super().reset()
        self._ids = self._ordered = None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _read(value: object) -> Consistency | None:
    if not isinstance(value, Mapping):
        return None
    conflicts, degraded = value.get("conflicts"), value.get("degraded")
    return Consistency(
        ok=value.get("ok") is True,
        errors=_texts(value.get("errors")),
        warnings=_texts(value.get("warnings")),
        conflicts=tuple(
            Conflict(code=str(one.get("code")), fact=str(one.get("fact")), line=str(one.get("line")))
            for one in (conflicts if isinstance(conflicts, list) else ())
            if isinstance(one, Mapping)
        ),
        degraded=degraded if isinstance(degraded, str) and degraded else None,
        degraded_errors=_texts(value.get("degraded_errors")),
    )
