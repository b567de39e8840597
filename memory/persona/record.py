"""A persona entry as the companion's ``persona.json`` spells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.clock import Clock, naive_local
from memory.facts.record import EMBEDDING
from memory.persona.entry import UNKNOWN, Entry, inherited_id
from memory.reflections import evidence, fields, mentions
from memory.reflections.evidence import Evidence
from memory.reflections.mentions import Mentions

_DEFAULTS: Mapping[str, Any] = {
    "token_count": None,
    "token_count_text_sha256": None,
    "token_count_tokenizer": None,
    **dict.fromkeys(EMBEDDING),
    "last_refine_cluster_hash": None,
    "last_refine_at": None,
}
_KNOWN = frozenset(
    {
        "id", "text", "source", "source_id", "protected", "merged_from_ids", "version_history", "added_at", "slot",
        "object", "negated", "source_fact_ids", *evidence.KEYS, *mentions.KEYS,
        *EMBEDDING,
    }
)  # fmt: skip


def to_record(one: Entry) -> dict[str, Any]:
    """The row of an entry. Its section is not in it."""
    record: dict[str, Any] = {
        "id": one.id,
        "text": one.text,
        "source": one.source,
        "source_id": one.source_id,
        "protected": one.protected,
        **one.mentions.to_fields(),
        **one.evidence.to_fields(),
        "merged_from_ids": list(one.merged_from_ids),
        "version_history": [dict(version) for version in one.versions],
    }
    if one.added_at is not None:
        record["added_at"] = naive_local(one.added_at)
    if one.slot is not None:
        record |= {"slot": one.slot, "object": one.object, "negated": one.negated}
    if one.source_fact_ids:
        record["source_fact_ids"] = list(one.source_fact_ids)
    return {**_DEFAULTS, **record, **one.extra}


def from_record(record: object, entity: str, clock: Clock) -> Entry | None:
    """The entry of a row or bare string in a section, or None for a row without text.

    An entry without an id gets one made from its text, the same whenever it is read.
    """
    if isinstance(record, str):
        record = {"text": record}
    if not isinstance(record, Mapping):
        return None
    text = record.get("text")
    if not isinstance(text, str) or not text.strip():
        return None
    known_id, source = record.get("id"), record.get("source")
    history = record.get("version_history")
    return Entry(
        id=known_id if isinstance(known_id, str) and known_id else inherited_id(entity, text),
        text=text,
        entity=entity,
        source=source if isinstance(source, str) else UNKNOWN,
        source_id=fields.text(record.get("source_id")),
        protected=record.get("protected") is True,
        evidence=Evidence.from_fields(record, clock),
        mentions=Mentions.from_fields(record, clock),
        merged_from_ids=fields.texts(record.get("merged_from_ids")),
        versions=tuple(one for one in history if isinstance(one, Mapping)) if isinstance(history, list) else (),
        added_at=fields.moment(record.get("added_at"), clock),
        slot=fields.text(record.get("slot")),
        object=fields.text(record.get("object")),
        negated=record.get("negated") is True,
        source_fact_ids=fields.texts(record.get("source_fact_ids")),
        extra={
            key: value
            for key, value in record.items()
            if key not in _KNOWN and not (key in _DEFAULTS and value == _DEFAULTS[key])
        },
    )
