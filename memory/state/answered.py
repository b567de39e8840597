"""Writes that came with a key, so that a repetition is answered alike and done once: ``answered.json``.

Keys and bodies are kept as hashes, answers as ids and marks; no text stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from memory.errors import KeyReused
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A key and what came with it, both as hashes."""

    key: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A keyed write that was carried out."""

    key: str
    body: str
    at: datetime                        # aware
    answer: Mapping[str, Any] = field(default_factory=dict)


class AnsweredWrites(Entries[Answered]):
    """Keyed writes of a day, oldest first."""

    file = layout.ANSWERED
    kind = "answered"

    def answer(self, request: Request | None, now: datetime) -> Mapping[str, Any] | None:
        """What the first request with the key was answered. Raises KeyReused where its body was another."""
        before = self.get(request.key) if request is not None else None
        if request is None or before is None or now - before.at > KEPT:
            return None
        if before.body != request.body:
            raise KeyReused
        return before.answer

    def from_row(self, row: Mapping[str, Any]) -> Answered | None:
        key, body, answer = row.get("key"), row.get("body"), row.get("answer")
        try:
            at = datetime.fromisoformat(str(row.get("at")))
        except ValueError:
            return None
        if not isinstance(key, str) or not isinstance(body, str) or not isinstance(answer, Mapping):
            return None
        if at.tzinfo is None:
            return None
        return Answered(key=key, body=body, at=at, answer=answer)

    def to_row(self, entry: Answered) -> dict[str, Any]:
        return {"key": entry.key, "body": entry.body, "at": entry.at.isoformat(), "answer": dict(entry.answer)}

    def key_of(self, entry: Answered) -> str:
        return entry.key

    def take(self, event: Event) -> None:
        if event.type == "write.answered":
            self.drop(str(event.data["key"]))       # a day later it counts anew, and stands last
            self.put({**event.data, "at": event.at.isoformat()})
            for entry in self:
                if event.at - entry.at <= KEPT:
                    break
                self.drop(entry.key)


def remember(request: Request | None, answer: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """What a batch has to add so that the answer is known again."""
    if request is None:
        return []
    return [("write.answered", {"key": request.key, "body": request.body, "answer": dict(answer)})]
