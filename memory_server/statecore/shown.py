"""How this dialect spells what the engine knows: UUIDs, UTC times with milliseconds, camel case."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memory.history.raw import RawEvent
from memory.space import MemorySpace
from memory.state.budget import Budget
from memory.state.card import Card
from memory.state.facets import Resolved
from memory.state.meaning import COMPARED
from memory.state.ranking import Ranked
from memory.state.registry import Entry, Group
from memory.state.relationship import Relationship
from memory.state.reminders import Reminder
from memory.state.retrieve import Found, Ranking
from memory.tenancy import Place, User, public_id

HANDOFF = "handoff"


def moment(at: datetime) -> str:
    """``2026-09-01T10:00:00.000Z``"""
    try:
        utc = at.astimezone(UTC)
    except OverflowError:           # the edge of the calendar
        utc = at.replace(tzinfo=UTC)
    return utc.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def scope(card: Card) -> dict[str, Any]:
    return {
        "id": card.id,
        "name": card.name,
        "goal": card.goal,
        "stage": card.stage,
        "createdAt": moment(card.created_at),
    }


def event(found: RawEvent, user: User, place: Place) -> dict[str, Any]:
    return {
        "id": public_id(found.id),
        "userId": user.id,
        "scopeId": place.id,
        "type": found.type,
        "source": found.source,
        "key": found.key,
        "content": found.text,
        "createdAt": moment(found.at),
        "updatedAt": moment(found.updated_at) if found.updated_at is not None else None,
        "pinned": found.pinned,
    }


def fact(entry: Entry, space: MemorySpace) -> dict[str, Any]:
    own = _entry_id(entry, entry.id)
    shown: dict[str, Any] = {
        "id": own,
        "content": entry.content,
        "type": entry.type,
        "confidence": entry.confidence,
        "addedAt": moment(entry.added_at),
        "evidenceId": event_id(space, entry.evidence[0]) if entry.evidence else own,
        "evidenceType": _evidence_type(space, entry),
        "facet": entry.facet,
    }
    if entry.entities:
        shown["entities"] = list(entry.entities)
    if entry.superseded_by is not None:
        shown["supersededBy"] = _entry_id(entry, entry.superseded_by)
    if entry.retired_at is not None:
        shown["retiredAt"] = moment(entry.retired_at)
    if entry.retired_reason is not None:
        shown["retiredReason"] = entry.retired_reason
    return shown


def _entry_id(entry: Entry, own: str) -> str:
    return public_id(own) if entry.facet == HANDOFF else own


def event_id(space: MemorySpace, turn_id: str) -> str:
    """The public id of the event that a turn is, or is a text of."""
    note = space.views.event_notes.of_turn(turn_id)
    return public_id(note.id if note is not None else turn_id)


def _evidence_type(space: MemorySpace, entry: Entry) -> str:
    note = space.views.event_notes.of_turn(entry.evidence[0]) if entry.evidence else None
    return "document" if note is not None and note.type == "document" else "event"


def retrieved(found: Found, space: MemorySpace) -> dict[str, Any]:
    handoff = found.handoff
    shown: dict[str, Any] = {
        "digest": found.digest.summary if found.digest is not None else None,
        "events": [
            {"id": public_id(one.id), "content": one.text, "createdAt": moment(one.at)} for one in found.events
        ],
        "factRegistry": [fact(entry, space) for entry in found.facts],
        "handoff": {
            "id": public_id(handoff.id),
            "content": handoff.content,
            "addedAt": moment(handoff.at),
            "versionCount": found.handoffs,
        }
        if handoff is not None
        else None,
    }
    if found.budget is not None:
        shown["budget"] = budget(found.budget)
    if found.ranking is not None:
        shown["retrieval"] = _ranking(found.ranking, len(found.events))
    return shown


def _ranking(found: Ranking, returned: int) -> dict[str, Any]:
    """What really ran, and what was to run and did not."""
    meaning = found.meaning
    told: dict[str, Any] = {
        "mode": "hybrid" if meaning.ran else "heuristic",
        "embeddingRequested": meaning.asked,
        "embeddingConfigured": meaning.asked,
        "reranked": meaning.ran,
        "candidateCount": found.candidates,
        "returnedCount": returned,
        "embeddingCandidateLimit": COMPARED,
        "matches": [_match(one) for one in found.matches],
    }
    if meaning.problem is not None:
        told["degraded"] = [{"stage": "vector_search", "error": meaning.problem}]
    return told


def _match(one: Ranked) -> dict[str, Any]:
    return {
        "id": public_id(one.event.id),
        "sourceType": one.event.type,
        "key": one.event.key,
        "heuristicScore": one.heuristic,
        "recencyScore": one.recency,
        **({"embeddingScore": one.meaning} if one.meaning is not None else {}),
        "finalScore": one.final,
        "rankingReason": one.reason,
    }


def budget(spent: Budget) -> dict[str, Any]:
    return {
        "maxChars": spent.max_chars,
        "usedChars": spent.used,
        "digestChars": spent.digest_chars,
        "factChars": spent.fact_chars,
        "eventChars": spent.event_chars,
        "factShareCap": spent.share_cap,
        "droppedCounts": dict(spent.counts),
        "dropped": [
            {
                "kind": one.kind,
                "id": one.id if one.kind == "fact" or one.id is None else public_id(one.id),
                "chars": one.chars,
                "reason": one.reason,
                **({"score": one.score} if one.score is not None else {}),
            }
            for one in spent.dropped
        ],
        "itemsOmitted": spent.omitted,
    }


def groups(found: list[Group]) -> dict[str, Any]:
    return {
        "groups": [
            {
                "group": group.name,
                "items": [
                    {
                        "factKey": item.key,
                        "text": item.text,
                        "createdAt": moment(item.created_at) if item.created_at is not None else None,
                        "factId": item.fact_id,
                    }
                    for item in group.items
                ],
            }
            for group in found
        ]
    }


def facet_pack(resolved: Resolved) -> dict[str, Any]:
    return {
        "name": resolved.pack.name,
        "isDefault": not resolved.own,
        "source": resolved.source,
        "template": resolved.template,
        "facets": [
            {
                "name": facet.name,
                "cap": facet.cap,
                "writeProtected": facet.write_protected,
                "documentAuthority": facet.document_authority,
                "displayGroup": facet.group,
                "routesFrom": list(facet.routes_from),
                "description": facet.description,
            }
            for facet in resolved.pack.facets
        ],
    }


def relationship(known: Relationship) -> dict[str, Any]:
    return {
        "durationDays": known.duration_days,
        "personalDetails": list(known.personal_details),
        "activeGoals": list(known.active_goals),
        "currentFeeling": known.current_feeling,
        "pendingFollowUps": list(known.pending_follow_ups),
        "personaPrompt": known.persona_prompt,
    }


def reminder(one: Reminder, scope_id: str | None) -> dict[str, Any]:
    return {
        "id": public_id(one.id),
        "scopeId": scope_id,
        "dueAt": moment(one.due_at),
        "text": one.text,
        "status": one.status,
        "createdAt": moment(one.created_at),
    }


_OWN_TURN = re.compile(r"turn_[0-9a-f]{32}")


def selection(rationale: tuple[str, ...], drops: tuple[Mapping[str, Any], ...]) -> dict[str, Any]:
    """Events are named as they are everywhere else."""
    return {"rationale": list(map(_named, rationale)), "drops": [_drop(drop) for drop in drops]}


def _drop(drop: Mapping[str, Any]) -> dict[str, Any]:
    detail = drop.get("detail")
    if not isinstance(detail, Mapping):
        return dict(drop)
    event = detail.get("event")
    return {**drop, "detail": {**detail, "event": _named(event)}} if isinstance(event, str) else dict(drop)


def _named(text: str) -> str:
    return _OWN_TURN.sub(lambda found: public_id(found[0]), text)
