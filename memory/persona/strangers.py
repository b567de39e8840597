"""A character that was configured and never spoken with: its cards are all there is, and it has no directory."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory.facts.fact import MASTER, NEKO
from memory.facts.record import EMBEDDING
from memory.people import Names
from memory.persona.cards import card_entries
from memory.persona.entry import Entry
from memory.persona.record import to_record
from memory.persona.render import Known, persona_block


def render(
    card: Mapping[str, Any], master_card: Mapping[str, Any], names: Names, locale: str, now: datetime
) -> str:
    """The persona block of its first conversation, without a final line end; "" for empty cards."""
    return persona_block(Known(entries=_entries(card, master_card), reflections=()), names, locale, now)


def persona_json(card: Mapping[str, Any], master_card: Mapping[str, Any]) -> dict[str, Any]:
    """The persona document it would begin with, without vectors."""
    document: dict[str, Any] = {}
    for entry in _entries(card, master_card):
        row = {key: value for key, value in to_record(entry).items() if key not in EMBEDDING}
        document.setdefault(entry.entity, {"facts": []})["facts"].append(row)
    return document


def _entries(card: Mapping[str, Any], master_card: Mapping[str, Any]) -> list[Entry]:
    return [*card_entries(NEKO, card), *card_entries(MASTER, master_card)]
