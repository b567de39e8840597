"""A memory that somebody wants stored, before it is decided what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memory.facts.fact import MASTER, Fact
from memory.facts.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Text and everything stored beside it; ``memory.key`` is settled."""

    text: str
    memory: Memory
    entity: str = MASTER

    def to_json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "entity": self.entity,
            "tags": list(self.memory.tags),
            "importance_exact": self.memory.importance,
            "memory": self.memory.to_json(),
        }

    @classmethod
    def from_json(cls, value: object) -> Draft | None:
        """None for anything that is none."""
        if not isinstance(value, Mapping) or not isinstance(text := value.get("text"), str):
            return None
        exact = value.get("importance_exact")
        memory = Memory.from_json(value.get("memory"), tags=value.get("tags"), exact=None, points=5)
        if memory is None:
            return None
        if isinstance(exact, (int, float)) and not isinstance(exact, bool) and 0 <= exact <= 1:
            memory = replace(memory, importance=float(exact))
        return cls(text=text, memory=memory, entity=str(value.get("entity") or MASTER))

    @classmethod
    def of(cls, fact: Fact, memory: Memory) -> Draft:
        """A fact as it stands, for comparison."""
        return cls(text=fact.text, memory=memory, entity=fact.entity)
