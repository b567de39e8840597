"""The character card as protected entries of the persona."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memory.facts.fact import MASTER, NEKO
from memory.facts.rules.compare import fold_object
from memory.persona.entry import CARD, Entry, card_id, with_text
from memory.persona.record import to_record
from memory.persona.view import Persona

_CONTEXT = "__ai_context."      # fields whose name means nothing to a reader
# What the companion keeps on a card for itself: the profile's name, and settings of voice and appearance.
_RESERVED = frozenset({
    "档案名", "live2d", "vrm", "mmd", "model", "avatar", "voice", "voiceid", "prompt", "lighting", "animation",
})  # fmt: skip
# Fields that say what a slot of facts says.
_SLOTS: Mapping[str, str] = {
    "姓名": "name", "名字": "name", "name": "name", "生日": "birthday", "birthday": "birthday",
    "年龄": "age", "age": "age",
    "职业": "job", "工作": "job", "job": "job", "occupation": "job", "住址": "home", "居住地": "home", "home": "home",
    "city": "home", "家乡": "origin", "籍贯": "origin", "hometown": "origin", "学校": "school", "school": "school",
}  # fmt: skip
_INTERNAL = re.compile(r"_|[a-z0-9]+(?:_[a-z0-9]+)+$")


def card_entries(entity: str, card: Mapping[str, Any]) -> list[Entry]:
    """One protected entry per field worth telling, in the order of the card."""
    entries = []
    for name, value in card.items():
        shown = _shown(value)
        if not shown or _is_reserved(name):
            continue
        text = shown if name.startswith(_CONTEXT) else f"{name}: {shown}"
        entries.append(Entry(id=card_id(entity, name), text=text, entity=entity, source=CARD, protected=True))
    return entries


def card_changes(
    persona: Persona, card: Mapping[str, Any], master_card: Mapping[str, Any]
) -> list[tuple[str, dict[str, Any]]]:
    """The events that bring the persona up to the two cards; none when it already says the same."""
    changes = []
    for entity, fields in ((NEKO, card), (MASTER, master_card)):
        wanted = [_kept(persona, entry) for entry in card_entries(entity, fields)]
        section = persona.section(entity)
        leading = section[: len(wanted)]
        stray = [entry for entry in section[len(wanted) :] if entry.source == CARD]
        if leading != wanted or stray:
            rows = [to_record(entry) for entry in wanted]
            changes.append(("persona.cards_synced", {"entity": entity, "rows": rows}))
    return changes


@dataclass(frozen=True, slots=True, kw_only=True)
class CardClaim:
    """What a field of the card says, comparable with a fact."""

    entity: str
    slot: str
    object: str
    negated: bool = False


def claim_of(entry: Entry) -> CardClaim | None:
    """What a protected entry claims, for the fields that facts speak of too."""
    name, colon, value = entry.text.partition(": ")
    slot = _SLOTS.get(name.strip().casefold())
    if not entry.protected or not colon or slot is None or not value.strip():
        return None
    return CardClaim(entity=entry.entity, slot=slot, object=fold_object(value))


def _kept(persona: Persona, entry: Entry) -> Entry:
    """The entry as it stands, with the card's present text."""
    present = persona.get(entry.entity, entry.id)
    if present is None:
        return entry
    kept = replace(present, source=CARD, protected=True)
    # The card is its own history: an edit of it leaves no version behind.
    return kept if kept.text == entry.text else with_text(kept, entry.text)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        return "、".join(part for one in value if isinstance(one, (str, int, float)) and (part := str(one).strip()))
    return ""


def _is_reserved(name: str) -> bool:
    if name.startswith(_CONTEXT):
        return False
    return name in _RESERVED or bool(_INTERNAL.match(name))
