"""Pairs of facts that may say the same, waiting for a decision: ``facts_pending_dedup.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.clock import naive_local
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A newer fact beside an older one that it resembles."""

    candidate_id: str
    existing_id: str
    candidate_text: str
    existing_text: str
    entity: str
    similarity: float                        # cosine, or the share of words where there are no vectors
    queued_at: datetime                      # aware
    needs_model: bool = False                # rules could not decide; kept until something can
    extra: Mapping[str, Any] = field(default_factory=dict)


_KNOWN = frozenset(
    {
        "candidate_id", "existing_id", "candidate_text", "existing_text", "entity", "cosine", "queued_at",
        "needs_model",
    }
)  # fmt: skip


def pair_key(candidate_id: str, existing_id: str) -> str:
    """The same for both directions: two facts are one question."""
    return "\n".join(sorted((candidate_id, existing_id)))


class PendingPairs(Entries[Pair]):
    """Pairs in the order they were queued."""

    file = layout.PENDING_DEDUP
    kind = "pending_pairs"

    def from_row(self, row: Mapping[str, Any]) -> Pair | None:
        candidate, existing = row.get("candidate_id"), row.get("existing_id")
        if not isinstance(candidate, str) or not isinstance(existing, str) or not candidate or not existing:
            return None
        similarity = row.get("cosine")
        try:
            queued = self.clock.local(datetime.fromisoformat(str(row.get("queued_at"))))
        except ValueError:
            queued = self.clock.local(datetime(1970, 1, 2))  # noqa: DTZ001 - made aware here
        return Pair(
            candidate_id=candidate,
            existing_id=existing,
            candidate_text=str(row.get("candidate_text") or ""),
            existing_text=str(row.get("existing_text") or ""),
            entity=str(row.get("entity") or ""),
            similarity=float(similarity) if isinstance(similarity, (int, float)) else 0.0,
            queued_at=queued,
            needs_model=row.get("needs_model") is True,
            extra={key: value for key, value in row.items() if key not in _KNOWN},
        )

    def to_row(self, entry: Pair) -> dict[str, Any]:
        row: dict[str, Any] = {
            "candidate_id": entry.candidate_id,
            "existing_id": entry.existing_id,
            "candidate_text": entry.candidate_text,
            "existing_text": entry.existing_text,
            "entity": entry.entity,
            "cosine": entry.similarity,
            "queued_at": naive_local(entry.queued_at),
        }
        if entry.needs_model:
            row["needs_model"] = True
        return {**row, **entry.extra}

    def key_of(self, entry: Pair) -> str:
        return pair_key(entry.candidate_id, entry.existing_id)

    def take(self, event: Event) -> None:
        match event.type:
            case "pair.queued":
                self.put(event.data["pair"])
            case "pair.resolved":
                self.drop(event.data["key"])
            case "fact.erased" | "fact.retired":
                gone = set(event.data.get("ids", ())) | {row["id"] for row in event.data.get("rows", ())}
                for pair in self:
                    if pair.candidate_id in gone or pair.existing_id in gone:
                        self.drop(self.key_of(pair))
