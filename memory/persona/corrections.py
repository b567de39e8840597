"""Sentences that contradict the persona, waiting for a decision: ``persona_corrections.json``."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A new sentence against an old one."""

    old_text: str
    new_text: str
    entity: str
    created_at: datetime                            # aware
    reflection_id: str | None = None                # where the new sentence came from; settled with it
    fact_id: str | None = None                      # … or the fact
    entry_id: str | None = None                     # the entry that holds the old one
    needs_model: bool = False                       # rules could not decide; kept until something can
    extra: Mapping[str, Any] = field(default_factory=dict)


_KNOWN = frozenset(
    {"old_text", "new_text", "entity", "created_at", "reflection_id", "fact_id", "entry_id", "needs_model"}
)


def correction_key(old_text: str, new_text: str, entity: str) -> str:
    return "\n".join((entity, old_text, new_text))


class Corrections(Entries[Correction]):
    """Corrections in the order they were queued; the same one only once."""

    file = layout.PERSONA_CORRECTIONS
    kind = "corrections"

    def from_row(self, row: Mapping[str, Any]) -> Correction | None:
        old, new = row.get("old_text"), row.get("new_text")
        if not isinstance(old, str) or not isinstance(new, str):
            return None
        created = fields.moment(row.get("created_at"), self.clock)
        return Correction(
            old_text=old,
            new_text=new,
            entity=fields.text(row.get("entity")) or "master",
            created_at=created or self.clock.local(datetime(1970, 1, 2)),  # noqa: DTZ001 - made aware here
            reflection_id=fields.text(row.get("reflection_id")),
            fact_id=fields.text(row.get("fact_id")),
            entry_id=fields.text(row.get("entry_id")),
            needs_model=row.get("needs_model") is True,
            extra={key: value for key, value in row.items() if key not in _KNOWN},
        )

    def to_row(self, entry: Correction) -> dict[str, Any]:
        row: dict[str, Any] = {
            "old_text": entry.old_text,
            "new_text": entry.new_text,
            "entity": entry.entity,
            "created_at": naive_local(entry.created_at),
        }
        if entry.reflection_id is not None:
            row["reflection_id"] = entry.reflection_id
        if entry.fact_id is not None:
            row["fact_id"] = entry.fact_id
        if entry.entry_id is not None:
            row["entry_id"] = entry.entry_id
        if entry.needs_model:
            row["needs_model"] = True
        return {**row, **entry.extra}

    def key_of(self, entry: Correction) -> str:
        return correction_key(entry.old_text, entry.new_text, entry.entity)

    def take(self, event: Event) -> None:
        match event.type:
            case "correction.queued" | "correction.deferred":
                self.put(event.data["correction"])
            case "correction.resolved" | "correction.erased":
                self.drop(event.data["key"])
