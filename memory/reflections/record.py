"""A reflection as the companion's files spell it: naive local times, one flat row."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory.clock import Clock, naive_local
from memory.facts.fact import ENTITIES, RELATIONSHIP
from memory.facts.record import EMBEDDING
from memory.reflections import evidence, fields, mentions
from memory.reflections.evidence import Evidence
from memory.reflections.mentions import Mentions
from memory.reflections.reflection import PENDING, STATUSES, Reflection

_OLD_ENTITIES = {"user": "master", "ai": "neko"}
_DEFAULTS: Mapping[str, Any] = {
    **dict.fromkeys(EMBEDDING),
    "last_refine_cluster_hash": None,
    "last_refine_at": None,
    "promote_blocked_reason": None,
}
_KNOWN = frozenset(
    {
        "id", "text", "entity", "status", "source_fact_ids", "created_at", "utc_offset", "feedback",
        "next_eligible_at", "relation_type", "temporal_scope", "subject", "event_when_raw", "event_start_at",
        "event_end_at", "schema_version", "absorbed_into", "promote_attempt_count", "last_promote_attempt_at",
        "method", "confidence", "needs_model", "statement", "slot", "object", "negated", "source_message_ids",
        *(f"{status}_at" for status in STATUSES), *evidence.KEYS, *mentions.KEYS,
        *EMBEDDING,
    }
)  # fmt: skip


def to_record(one: Reflection) -> dict[str, Any]:
    """The row of a reflection in ``reflections.json``."""
    record: dict[str, Any] = {
        "id": one.id,
        "text": one.text,
        "entity": one.entity,
        "status": one.status,
        "source_fact_ids": list(one.source_fact_ids),
        "created_at": naive_local(one.created_at),
        "utc_offset": one.created_at.strftime("%z"),
        "feedback": one.feedback,
        "next_eligible_at": fields.stamp(one.next_eligible_at),
        **one.evidence.to_fields(),
        **one.mentions.to_fields(),
        "relation_type": one.relation_type,
        "temporal_scope": one.temporal_scope,
        "subject": one.subject,
        "event_when_raw": one.event_when_raw,
        "event_start_at": fields.stamp(one.event_start_at),
        "event_end_at": fields.stamp(one.event_end_at),
        "schema_version": one.schema_version,
        "absorbed_into": one.absorbed_into,
        "last_promote_attempt_at": fields.stamp(one.last_promote_attempt_at),
        "promote_attempt_count": one.promote_attempts,
        **{f"{status}_at": naive_local(moment) for status, moment in one.entered.items()},
    }
    if one.method is not None:
        record["method"] = one.method
    if one.confidence is not None:
        record["confidence"] = one.confidence
    if one.needs_model:
        record["needs_model"] = True
    if one.statement is not None:
        record["statement"] = one.statement
    if one.slot is not None:
        record |= {"slot": one.slot, "object": one.object, "negated": one.negated}
    if one.sources:
        record["source_message_ids"] = list(one.sources)
    return {**_DEFAULTS, **record, **one.extra}


def from_record(record: Mapping[str, Any], clock: Clock) -> Reflection | None:
    """The reflection of a row, whoever wrote it, or None for a row without an id.

    Only ``id`` need be there; what is missing or wrong takes its default.
    """
    known_id, text = record.get("id"), record.get("text")
    if not isinstance(known_id, str) or not known_id:
        return None
    entity = _OLD_ENTITIES.get(str(record.get("entity")), record.get("entity"))
    status, raw = record.get("status"), record.get("event_when_raw")
    confidence = record.get("confidence")
    return Reflection(
        id=known_id,
        text=text if isinstance(text, str) else "",
        created_at=fields.born(record, clock) or clock.local(datetime(1970, 1, 2)),  # noqa: DTZ001 - made aware here
        entity=entity if entity in ENTITIES else RELATIONSHIP,
        status=status if isinstance(status, str) and status in STATUSES else PENDING,
        source_fact_ids=fields.texts(record.get("source_fact_ids")),
        evidence=Evidence.from_fields(record, clock),
        mentions=Mentions.from_fields(record, clock),
        feedback=fields.text(record.get("feedback")),
        next_eligible_at=fields.moment(record.get("next_eligible_at"), clock),
        relation_type=fields.text(record.get("relation_type")),
        temporal_scope=fields.text(record.get("temporal_scope")),
        subject=fields.text(record.get("subject")),
        event_when_raw=raw if isinstance(raw, Mapping) else None,
        event_start_at=fields.moment(record.get("event_start_at"), clock),
        event_end_at=fields.moment(record.get("event_end_at"), clock),
        schema_version=fields.count(record.get("schema_version", 1)) or 1,
        entered={
            status: moment
            for status in STATUSES
            if (moment := fields.moment(record.get(f"{status}_at"), clock)) is not None
        },
        absorbed_into=fields.text(record.get("absorbed_into")),
        promote_attempts=fields.count(record.get("promote_attempt_count")),
        last_promote_attempt_at=fields.moment(record.get("last_promote_attempt_at"), clock),
        method=fields.text(record.get("method")),
        confidence=fields.number(confidence) if confidence is not None else None,
        needs_model=record.get("needs_model") is True,
        statement=fields.text(record.get("statement")),
        slot=fields.text(record.get("slot")),
        object=fields.text(record.get("object")),
        negated=record.get("negated") is True,
        sources=fields.texts(record.get("source_message_ids")),
        extra={
            key: value
            for key, value in record.items()
            if key not in _KNOWN and not (key in _DEFAULTS and value == _DEFAULTS[key])
        },
    )


def public(one: Reflection) -> dict[str, Any]:
    """The row as it is shown to others: without vectors."""
    return {key: value for key, value in to_record(one).items() if key not in EMBEDDING}
