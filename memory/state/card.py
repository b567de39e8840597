"""What a scope is called and is for: ``scope_card.json``. A character has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from memory.clock import Clock
from memory.store import layout
from memory.store.events import Event
from memory.store.view import Change, FileView, parse_object

IDEA = "idea"
PROJECT = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The head of a scope."""

    id: str
    name: str
    created_at: datetime            # aware
    goal: str | None = None
    stage: str = IDEA
    template: str = PROJECT

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "created": self.created_at.isoformat(),
            "goal": self.goal,
            "stage": self.stage,
            "template": self.template,
        }

    @classmethod
    def from_json(cls, value: object) -> Card | None:
        """None for anything that is none."""
        if not isinstance(value, Mapping):
            return None
        own, name, goal = value.get("id"), value.get("name"), value.get("goal")
        try:
            created = datetime.fromisoformat(str(value.get("created")))
        except ValueError:
            return None
        if not isinstance(own, str) or not isinstance(name, str) or not own or created.tzinfo is None:
            return None
        return cls(
            id=own,
            name=name,
            created_at=created,
            goal=goal if isinstance(goal, str) else None,
            stage=str(value.get("stage") or IDEA),
            template=str(value.get("template") or PROJECT),
        )


class CardFile(FileView):
    """The card of the scope that a space is."""

    file = layout.SCOPE_CARD

    def __init__(self) -> None:
        self.card: Card | None = None

    def reset(self) -> None:
        self.card, self.seq = None, 0

    @property
    def empty(self) -> bool:
        return self.card is None

    def fold(self, event: Event) -> None:
        if event.type in ("scope_card.set", "scope_card.adopted", "scope_card.edited"):
            self.card = Card.from_json(event.data["card"])
            self.dirty += 1
        self.seq = event.seq

    def read(self, data: bytes, clock: Clock) -> None:
        self.reset()
        self.card = Card.from_json(parse_object(data))

    def render(self) -> Callable[[], Iterable[bytes]]:
        value = self.card.to_json() if self.card is not None else {}
        return lambda: [orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)]

    def adoption(self) -> list[Change]:
        return [("scope_card.adopted", {"card": self.card.to_json()})] if self.card is not None else []

    def edits(self, base: FileView, edited: FileView, clock: Clock) -> list[Change]:
        assert isinstance(base, CardFile)
        assert isinstance(edited, CardFile)
        card = edited.card
        if card is None or card == base.card or self.card is None:
            return []
        return [("scope_card.edited", {"card": {**card.to_json(), "id": self.card.id}})]
