"""A fact as the companion's files spell it: naive local times with the offset beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory.clock import Clock, naive_local
from memory.facts.fact import ENTITIES, MASTER, USER_OBSERVATION, Fact
from memory.facts.memory import Memory

SCHEMA_VERSION = 2
_SCHEMA = "schema_version"

# What a row may have of its text's vector: a cache beside the fact, see store/inline.
EMBEDDING = ("embedding", "embedding_text_sha256", "embedding_model_id")

_OLD_ENTITIES = {"user": "master", "ai": "neko"}
_KNOWN = frozenset(
    {
        "id", "text", "importance", "entity", "source", "hash", "created_at", "utc_offset", "event_when_raw",
        "event_start_at", "event_end_at", "absorbed", "signal_processed", "method", "confidence",
        "source_message_ids", "source_row", "slot", "object", "negated", "correction", "superseded_by", "denied_in",
        "repeated_at",
        *EMBEDDING,
    }
)  # fmt: skip
_KNOWN_WITH_MEMORY = _KNOWN | {"memory", "tags", "importance_exact"}
# What the companion expects in every row of its own.
_DEFAULTS: Mapping[str, Any] = {
    "tags": [],
    "schema_version": SCHEMA_VERSION,
    **dict.fromkeys(EMBEDDING),
}


def to_record(fact: Fact) -> dict[str, Any]:
    """The row of a fact in ``facts.json``."""
    record: dict[str, Any] = {
        "id": fact.id,
        "text": fact.text,
        "importance": fact.importance,
        "entity": fact.entity,
        "source": fact.source,
        "hash": fact.hash,
        "created_at": naive_local(fact.created_at),
        "utc_offset": fact.created_at.strftime("%z"),
        "event_when_raw": fact.event_when_raw,
        "event_start_at": naive_local(fact.event_start_at) if fact.event_start_at else None,
        "event_end_at": naive_local(fact.event_end_at) if fact.event_end_at else None,
        "absorbed": fact.absorbed,
        "signal_processed": fact.signal_processed,
    }
    if fact.method is not None:
        record["method"] = fact.method
    if fact.confidence is not None:
        record["confidence"] = fact.confidence
    if fact.sources:
        record["source_message_ids"] = list(fact.sources)
    if fact.row:
        record["source_row"] = fact.row
    if fact.slot is not None:
        record |= {"slot": fact.slot, "object": fact.object, "negated": fact.negated}
    if fact.correction:
        record["correction"] = True
    if fact.superseded_by is not None:
        record["superseded_by"] = fact.superseded_by
    if fact.denied_in is not None:
        record["denied_in"] = fact.denied_in
    if fact.repeated_at:
        record["repeated_at"] = [naive_local(moment) for moment in fact.repeated_at]
    if fact.memory is not None:
        record |= {"tags": list(fact.memory.tags), "importance_exact": fact.memory.importance}
        record["memory"] = fact.memory.to_json()
        return {**_DEFAULTS, **fact.extra, **record}
    return {**_DEFAULTS, **record, **fact.extra}


def from_record(record: object, clock: Clock) -> Fact | None:
    """The fact of a row, whoever wrote it, or None for a row without id or text.

    Only ``id`` and ``text`` need be there; what is missing or wrong takes its default.
    """
    if not isinstance(record, Mapping):
        return None
    fact_id, text = record.get("id"), record.get("text")
    if not isinstance(fact_id, str) or not fact_id or not isinstance(text, str) or not text.strip():
        return None
    get = record.get
    entity, source, raw = get("entity"), get("source"), get("event_when_raw")
    sources, again, importance = get("source_message_ids"), get("repeated_at"), _importance(get("importance"))
    memory = _memory(record, importance)
    created = _created(get("created_at"), get("utc_offset"), clock)
    extra = {
        key: record[key]
        for key in record.keys() - (_KNOWN if memory is None else _KNOWN_WITH_MEMORY)
        if not _is_default(key, record[key])
    }
    if not isinstance(get(_SCHEMA), int):
        extra[_SCHEMA] = 1      # whoever wrote it knew of no schema yet
    start, end = get("event_start_at"), get("event_end_at")
    return Fact(
        id=fact_id,
        text=text,
        created_at=created,
        entity=entity if entity in ENTITIES else _OLD_ENTITIES.get(str(entity), MASTER),
        importance=importance,
        source=source if isinstance(source, str) else USER_OBSERVATION,
        event_when_raw=raw if isinstance(raw, Mapping) else None,
        # Most facts happened when they were learnt.
        event_start_at=created if start is not None and start == get("created_at") else _moment(start, clock),
        event_end_at=_moment(end, clock),
        absorbed=get("absorbed") is True,
        signal_processed=get("signal_processed", True) is not False,
        method=_text(get("method")),
        confidence=_number(get("confidence")),
        sources=tuple(map(str, sources)) if isinstance(sources, list) else (),
        row=row if isinstance(row := get("source_row"), int) else 0,
        slot=_text(get("slot")),
        object=_text(get("object")),
        negated=get("negated") is True,
        correction=get("correction") is True,
        superseded_by=_text(get("superseded_by")),
        denied_in=_text(get("denied_in")),
        repeated_at=_moments(again, clock) if again else (),
        memory=memory,
        extra=extra,
    )


def is_first_schema(fact: Fact) -> bool:
    """Whether a fact was written when facts knew no times."""
    version = fact.extra.get(_SCHEMA)
    return isinstance(version, int) and version < SCHEMA_VERSION


def in_this_schema(fact: Fact, **changes: Any) -> Fact:
    """The fact with these changes, brought up to date."""
    return replace(fact, extra={key: value for key, value in fact.extra.items() if key != _SCHEMA}, **changes)


def _memory(record: Mapping[str, Any], points: int) -> Memory | None:
    value = record.get("memory")
    if value is None:
        return None
    return Memory.from_json(value, tags=record.get("tags"), exact=record.get("importance_exact"), points=points)


def _is_default(key: str, value: object) -> bool:
    return key in _DEFAULTS and value == _DEFAULTS[key]


def _created(stamp: object, offset: object, clock: Clock) -> datetime:
    try:
        if isinstance(offset, str) and offset:
            moment = datetime.fromisoformat(f"{stamp}{offset}")
            if moment.tzinfo is not None:
                return moment
        return clock.local(datetime.fromisoformat(str(stamp)))
    except ValueError:
        pass
    try:
        return clock.local(datetime.fromisoformat(str(stamp)))  # its offset was spoilt, or it had one of its own
    except ValueError:
        return clock.local(datetime(1970, 1, 2))  # noqa: DTZ001 - made aware here


def _moments(values: object, clock: Clock) -> tuple[datetime, ...]:
    if not isinstance(values, list):
        return ()
    return tuple(moment for value in values if (moment := _moment(value, clock)) is not None)


def _moment(value: object, clock: Clock) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        return clock.local(datetime.fromisoformat(value))
    except ValueError:
        return None


def _importance(value: object) -> int:
    if type(value) is int:
        return min(max(value, 1), 10)
    try:
        return min(max(int(str(value)), 1), 10)
    except ValueError:
        return 5


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
