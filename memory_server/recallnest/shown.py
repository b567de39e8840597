"""Memories as this dialect shows them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memory.facts.evidence import memory_of
from memory.facts.fact import Fact
from memory.facts.memory import PATTERN, PREFERENCES, Boundary, Memory, Provenance
from memory.facts.slots import BRAND_ITEM, REPLY_STYLE, TOOL_CHOICE, Slot, slot_in_key, slot_of
from memory.facts.versions import Version
from memory.recall.profiles import Leg
from memory.recollect import Recollected
from memory.scoped import shown_id
from memory.scopes import Scope

_CORE, _WORKING = 0.95, 0.8             # importance from which on a memory is of that tier
_HEADLINE = 80                          # characters of a headline, and beyond which a text has one
_CAPTURE = {
    "store": "store_memory_schema_v1",
    "pattern": "workflow_pattern_schema_v1",
    "case": "case_memory_schema_v1",
    "promote": "promote_memory_schema_v1",
    "ingest": "evidence_ingest_v1",
}
_RELIABILITY = ((0.85, "direct"), (0.6, "inferred"))


def iso(moment: datetime) -> str:
    """UTC with milliseconds, as ``2026-03-15T10:00:00.000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def milliseconds(moment: datetime) -> int:
    """Since 1970."""
    return int(moment.timestamp() * 1000)


def tier_of(importance: float) -> str:
    if importance >= _CORE:
        return "core"
    return "working" if importance >= _WORKING else "peripheral"


def boundary(value: Boundary | None) -> dict[str, Any] | None:
    if value is None:
        return None
    shown = {"layer": value.layer, "authority": value.authority, "conflictPolicy": value.policy}
    if value.original is not None:
        shown["originalCategory"] = value.original
    if value.downgraded_from is not None:
        shown["downgradedFrom"] = value.downgraded_from
    return shown


def provenance(value: Provenance | None) -> dict[str, Any] | None:
    if value is None:
        return None
    told = {
        "memoryId": shown_id(value.memory_id), "scope": value.scope, "category": value.category,
        "source": value.source,
    }  # fmt: skip
    shown: dict[str, Any] = {name: item for name, item in told.items() if item is not None}
    shown["boundary"] = boundary(value.boundary)
    if value.observed_at is not None:
        shown["observedAt"] = iso(value.observed_at)
    return shown


def history(memory: Memory) -> list[dict[str, Any]]:
    """What was observed, or the first evidence alone where nothing was observed since."""
    rows = memory.provenance or ((memory.promoted_from,) if memory.promoted_from is not None else ())
    return [shown for row in rows if (shown := provenance(row)) is not None]


def history_count(memory: Memory) -> int:
    return memory.provenance_count or len(history(memory))


def memory(fact: Fact, scope: Scope) -> dict[str, Any]:
    """A memory with everything that is known of it."""
    held = memory_of(fact)
    return {
        "id": shown_id(fact.id),
        "text": fact.text,
        "category": held.category,
        "tier": tier_of(held.importance),
        "source": held.label,
        "scope": scope.name,
        "importance": held.importance,
        "timestamp": milliseconds(fact.created_at),
        "date": fact.created_at.astimezone(UTC).date().isoformat(),
        "metadata": metadata(fact.text, held, fact.created_at),
        "boundary": boundary(held.boundary),
        "canonicalKey": held.key,
        "promotedFrom": provenance(held.promoted_from),
        "provenanceHistory": history(held),
        "provenanceHistoryCount": history_count(held),
    }


def result(found: Recollected) -> dict[str, Any]:
    """A memory that answers, with how well."""
    grade = found.graded
    sources = {"vector": _leg(grade.meaning), "bm25": _leg(grade.words), "fused": {"score": grade.score}}
    shown = memory(found.fact, found.scope)
    shown["score"] = grade.score
    shown["sources"] = {name: leg for name, leg in sources.items() if leg is not None}
    return shown


def _leg(leg: Leg | None) -> dict[str, Any] | None:
    return None if leg is None else {"score": leg.score, "rank": leg.rank}


def metadata(text: str, held: Memory, at: datetime) -> dict[str, Any]:
    """What was stored beside the text."""
    shown: dict[str, Any] = {
        "source": held.label,
        "tier": tier_of(held.importance),
        "tags": list(held.tags),
        "capture": _CAPTURE.get(held.form, held.form),
        "boundary": boundary(held.boundary),
        "evolution": {
            "status": "active",
            "version": held.version,
            "supersedes": shown_id(held.supersedes) if held.supersedes is not None else None,
            "supersededBy": None,
            "evolutionNote": held.note,
            "sourceMemories": [shown_id(one) for one in held.merged_ids],
            "validFrom": milliseconds(at),
        },
        "confidence": {"score": held.confidence, "reliability": _reliability(held.confidence)},
    }
    if held.key is not None:
        shown["canonicalKey"] = held.key
    if held.category == PREFERENCES and (slot := slot_in_key(held.key) or slot_of(text)) is not None:
        shown["preferenceSlot"] = _slot(slot)
    if held.structure is not None:
        shown |= _structure(held.structure)
    if (headline := _headline(text, held)) is not None:
        shown["anchor"] = headline
    if held.promoted_from is not None:
        shown["promotedFrom"] = provenance(held.promoted_from)
    if held.provenance:
        shown["provenanceHistory"] = history(held)
        shown["provenanceHistoryCount"] = history_count(held)
    if held.merged_from is not None:
        shown["mergedFrom"] = _merged_from(held.merged_from)
    if held.redacted or held.warned:
        shown["piiWarning"] = _warning(held)
    for name, key in (("file", "file"), ("outside_id", "externalId"), ("label", "sourceLabel")):
        if held.details.get(name) is not None:
            shown[key] = held.details[name]
    return shown


def _reliability(confidence: float) -> str:
    return next((name for least, name in _RELIABILITY if confidence >= least), "hearsay")


def _slot(slot: Slot) -> dict[str, Any]:
    parts = slot.parts
    if slot.kind == BRAND_ITEM and len(parts) > 1:
        return {"type": slot.kind, "brand": parts[0], "item": parts[1]}
    if slot.kind == REPLY_STYLE:
        return {"type": slot.kind, "traits": list(parts)}
    if slot.kind == TOOL_CHOICE and len(parts) > 2:
        return {"type": slot.kind, "preferredTool": parts[0], "avoidedTool": parts[2]}
    return {"type": slot.kind, "subject": parts[0]}


def _structure(parts: Mapping[str, Any]) -> dict[str, Any]:
    shown = {name: parts[name] for name in ("title", "trigger", "problem", "context") if parts.get(name) is not None}
    is_pattern = parts.get("kind") == PATTERN
    shown["steps" if is_pattern else "solutionSteps"] = list(parts.get("steps") or ())
    if parts.get("outcome") is not None:
        shown["outcome"] = parts["outcome"]
    shown["tools"] = list(parts.get("tools") or ())
    return {"workflowPattern" if is_pattern else "caseMemory": shown}


def _headline(text: str, held: Memory) -> str | None:
    if len(text) <= _HEADLINE:
        return None
    title = held.structure.get("title") if held.structure is not None else None
    line = str(title) if title else " ".join(text.split())
    for mark in ("。", "！", "？", ". ", "! ", "? "):
        line = line.split(mark, 1)[0]
    return line[:_HEADLINE].rstrip()


def _merged_from(value: Mapping[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "conflictId": shown_id(str(value.get("conflict_id"))),
        "resolvedAt": iso(datetime.fromisoformat(str(value.get("resolved_at")))),
        "existingMemoryId": shown_id(str(value.get("existing_id"))),
        "mergedText": value.get("text"),
    }
    if value.get("source_id") is not None:
        shown["incomingSourceMemoryId"] = shown_id(str(value["source_id"]))
    return shown


def _warning(held: Memory) -> dict[str, Any]:
    found = [*held.redacted, *held.warned]
    return {
        "summary": f"{len(held.redacted)} kind(s) of secrets redacted, {len(held.warned)} of personal data kept",
        "detections": found,
        "severity": "high" if held.redacted else "medium",
        "redacted": bool(held.redacted),
    }


def version(one: Version) -> dict[str, Any]:
    """What a memory said before."""
    held = memory_of(one.fact)
    return {
        "id": shown_id(one.id),
        "text": one.fact.text,
        "category": held.category,
        "importance": held.importance,
        "status": one.status,
        "version": held.version,
        "timestamp": milliseconds(one.fact.created_at),
        "endedAt": iso(one.ended_at),
    }
