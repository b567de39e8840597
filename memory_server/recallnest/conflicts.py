"""Conflicts: looking at them, deciding them, and calling for somebody to decide."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import memory.facts.resolve as verbs
from memory.errors import BadInput, MemoryServiceError, StorageBlocked
from memory.facts import clusters
from memory.facts.clusters import Cluster, Seen
from memory.facts.conflict import ESCALATED, OPEN, Conflict
from memory.facts.desk import registered
from memory.facts.draft import Draft
from memory.scoped import shown_id
from memory.scopes import Scope, Wanted, read_scope
from memory_server.recallnest import shown
from memory_server.recallnest.call import Answer, Call, with_unread
from memory_server.recallnest.wire import requests
from memory_server.replies import json_text

log = logging.getLogger(__name__)


async def list_(call: Call[requests.ConflictsQuery]) -> Answer:
    """Conflicts, one by one or in clusters; or a single one."""
    body = call.body
    if body.conflictId is not None:
        found, unread = await _find(call, body.conflictId)
        return with_unread({"conflict": _shown(found) if found is not None else None}, unread)
    everything, unread = await _seen(call, body.scope)
    wanted = _matching(everything, status=body.status, key=body.canonicalKey)
    answer: dict[str, Any]
    if body.groupBy == "cluster":
        groups = [
            group
            for group in clusters.clusters_of(wanted)
            if body.attention is None or group.attentions[body.attention]
        ][: body.limit]
        answer = {"groupBy": "cluster", "clusters": [_cluster(group) for group in groups], "count": len(groups)}
    else:
        rows = [seen for seen in wanted if body.attention is None or seen.lifecycle.attention == body.attention]
        rows = clusters.newest_first(rows)[: body.limit]
        answer = {"groupBy": "record", "conflicts": [_shown(seen) for seen in rows], "count": len(rows)}
    return with_unread(answer, unread)


def _matching(seen: Iterable[Seen], *, status: str | None, key: str | None) -> list[Seen]:
    return [
        one
        for one in seen
        if (status is None or one.conflict.status == status) and (key is None or one.conflict.key == key)
    ]


async def resolve(call: Call[requests.Resolve]) -> Answer:
    """Decide an open conflict."""
    body = call.body
    found, unread = await _find(call, body.conflictId)
    if found is None:
        where = f" in the scopes that can be opened; {len(unread)} cannot just now" if unread else ""
        raise BadInput("conflictId", f"Conflict {body.conflictId} not found{where}")
    scope = read_scope(found.scope)
    async with call.engine.scoped.writing(scope) as space:
        done = await verbs.resolve(
            space, scope, found.conflict.id, body.resolution, merged_text=body.mergedText, notes=body.notes
        )
    assert done.conflict.resolved_at is not None
    answer = {
        "conflictId": shown_id(done.conflict.id),
        "status": done.conflict.status,
        "updatedAt": shown.iso(done.conflict.updated_at),
        "resolvedAt": shown.iso(done.conflict.resolved_at),
    }
    if done.fact is not None:
        answer["updatedMemoryId"] = shown_id(done.fact.id)
    return answer


async def audit(call: Call[requests.AuditQuery]) -> Answer:
    """All conflicts at a glance, the most urgent first."""
    body = call.body
    seen, unread = await _seen(call, body.scope)
    wanted = _matching(seen, status=body.status, key=body.canonicalKey)
    found = clusters.audit(clusters.newest_first(wanted)[: body.limit], body.top)
    answer = {
        "totalConflicts": found.total,
        "totalClusters": found.clusters,
        "openConflicts": found.open,
        "openClusters": found.open_clusters,
        "attentionCounts": dict(found.attentions),
        "priorityClusters": [_cluster(group) for group in found.first],
        "suggestedActions": list(found.actions),
    }
    return with_unread(answer, unread)


async def escalate(call: Call[requests.Escalate]) -> Answer:
    """Show which open conflicts want attention or, with ``apply``, stamp them."""
    body = call.body
    seen, unread = await _seen(call, body.scope)
    still_open = _matching(seen, status=OPEN, key=body.canonicalKey)
    scanned = clusters.newest_first(still_open)[: body.limit]
    eligible = clusters.most_urgent_first(one for one in scanned if one.lifecycle.attention == body.attention)
    eligible = eligible[: body.top]
    stamped = await _stamp(call, eligible, body.notes) if body.apply else {}
    items = [_escalation(one, stamped) for one in eligible]
    others = sum(one.lifecycle.attention == ESCALATED for one in scanned) if body.attention != ESCALATED else 0
    answer = {
        "apply": body.apply,
        "scanned": len(scanned),
        "eligible": len(items),
        "escalated": len(stamped),
        "skipped": sum(item["action"] == "already-escalated" for item in items),
        "items": items,
        "escalatedNotRequested": others,
    }
    return with_unread(answer, unread)


async def _stamp(call: Call[Any], wanted: list[Seen], notes: str | None) -> dict[str, Conflict]:
    """In one commit for each scope."""
    by_scope: dict[str, dict[str, str]] = defaultdict(dict)
    for seen in wanted:
        by_scope[seen.scope][seen.conflict.id] = seen.lifecycle.attention
    done: dict[str, Conflict] = {}
    for name, ids in by_scope.items():
        scope = read_scope(name)
        async with call.engine.scoped.writing(scope) as space:
            done |= await verbs.escalate(space, scope, ids, notes)
    return done


def _escalation(seen: Seen, stamped: dict[str, Conflict]) -> dict[str, Any]:
    now = stamped.get(seen.conflict.id, seen.conflict)
    if seen.conflict.id in stamped:
        action = "escalated"
    else:
        action = "already-escalated" if seen.conflict.escalated_as == seen.lifecycle.attention else "pending"
    advice = seen.advice
    return {
        "conflictId": shown_id(now.id),
        "canonicalKey": now.key,
        "attention": seen.lifecycle.attention,
        "openAgeDays": seen.lifecycle.open_days,
        "reopenCount": now.reopen_count,
        "escalationCount": now.escalation_count,
        "suggestedResolution": advice.suggested,
        "confidence": advice.confidence,
        "action": action,
        "clusterKey": advice.cluster_key,
    }


async def _seen(call: Call[Any], scope_name: str | None = None) -> tuple[list[Seen], list[str]]:
    """Every conflict as it looks now, of one scope or of all; and the scopes that could not be looked into."""
    wanted = Wanted(text=scope_name)
    if wanted.is_one:
        return await _of_scope(call, read_scope(scope_name or "")), []
    found: list[Seen] = []
    unread = list(call.engine.scoped.unread) if scope_name is None else []
    for scope in await call.engine.scoped.with_conflicts(wanted):
        try:
            found += await _of_scope(call, scope)
        except StorageBlocked:
            raise
        except (MemoryServiceError, OSError) as error:
            log.warning("the conflicts of %s could not be read (%s)", scope.space, type(error).__name__)
            unread.append(scope.name)
    return found, unread


async def _of_scope(call: Call[Any], scope: Scope) -> list[Seen]:
    now = call.engine.clock.now()
    shelf = call.engine.scoped.shelf(scope)
    if shelf is not None:
        return [clusters.see(conflict, shelf.scope.name, now) for conflict in shelf.conflicts]
    async with call.engine.scoped.reading(scope) as space:
        if space is None:
            return []
        name = registered(space.views.scope, scope).name
        return [clusters.see(conflict, name, now) for conflict in space.views.conflicts]


async def _find(call: Call[Any], asked: str) -> tuple[Seen | None, list[str]]:
    """The conflict of an id or of its beginning, and the scopes that could not be looked into."""
    seen, unread = await _seen(call)
    everything = {one.conflict.id: one for one in seen}
    found = verbs.matching_id(everything, asked)
    return (everything[found] if found is not None else None), unread


# as this dialect shows them


def _shown(seen: Seen) -> dict[str, Any]:
    one = seen.conflict
    answer: dict[str, Any] = {
        "conflictId": shown_id(one.id),
        "status": one.status,
        "reason": one.reason,
        "canonicalKey": one.key,
        "category": one.category,
        "scope": seen.scope,
        "fingerprint": one.fingerprint,
        "createdAt": shown.iso(one.created_at),
        "updatedAt": shown.iso(one.updated_at),
        "reopenCount": one.reopen_count,
        "escalationCount": one.escalation_count,
    }
    for name, moment in (
        ("lastReopenedAt", one.reopened_at), ("lastEscalatedAt", one.escalated_at), ("resolvedAt", one.resolved_at),
    ):  # fmt: skip
        if moment is not None:
            answer[name] = shown.iso(moment)
    if one.escalated_as is not None:
        answer["lastEscalationAttention"] = one.escalated_as
    if one.notes is not None:
        answer["resolutionNotes"] = one.notes
    answer["existing"] = _existing(one, seen.scope)
    answer["incoming"] = _incoming(one, seen.scope)
    answer["lifecycle"] = {
        "attention": seen.lifecycle.attention,
        "openAgeDays": seen.lifecycle.open_days,
        "reopenCount": seen.lifecycle.reopen_count,
        "isOpen": seen.lifecycle.is_open,
        "needsAttention": seen.lifecycle.needs_attention,
    }
    answer["advice"] = _advice(seen)
    return answer


def _existing(one: Conflict, scope: str) -> dict[str, Any]:
    return {
        "memoryId": shown_id(one.existing_id),
        **_side(one.existing, scope, one),
        "boundary": shown.boundary(one.existing.memory.boundary),
        "canonicalKey": one.existing.memory.key,
    }


def _incoming(one: Conflict, scope: str) -> dict[str, Any]:
    side = _side(one.incoming, scope, one)
    side["source"] = one.incoming.memory.label
    origin = one.incoming.memory.promoted_from
    if one.source_id is not None:
        side["sourceMemoryId"] = shown_id(one.source_id)
        if origin is not None:
            side["sourceCategory"] = origin.category
            side["sourceBoundary"] = shown.boundary(origin.boundary)
    return side


def _side(draft: Draft, scope: str, one: Conflict) -> dict[str, Any]:
    return {
        "text": draft.text,
        "category": draft.memory.category,
        "scope": scope,
        "importance": draft.memory.importance,
        "metadata": json_text(shown.metadata(draft.text, draft.memory, one.created_at)),
    }


def _advice(seen: Seen) -> dict[str, Any]:
    advice = seen.advice
    answer: dict[str, Any] = {
        "suggestedResolution": advice.suggested,
        "confidence": advice.confidence,
        "similarity": advice.similarity,
        "clusterKey": advice.cluster_key,
        "clusterLabel": advice.cluster_label,
        "reasons": list(advice.reasons),
    }
    if advice.merged is not None:
        answer["mergeSuggestion"] = advice.merged
    return answer


def _cluster(group: Cluster) -> dict[str, Any]:
    latest = group.latest
    advice = latest.advice
    return {
        "clusterKey": advice.cluster_key,
        "clusterLabel": advice.cluster_label,
        "canonicalKey": latest.conflict.key,
        "category": latest.conflict.category,
        "reason": latest.conflict.reason,
        "scope": latest.scope,
        "totalCount": group.total,
        "openCount": group.open,
        "latestUpdatedAt": shown.iso(latest.conflict.updated_at),
        "latestConflictId": shown_id(latest.conflict.id),
        "attention": group.attention,
        "attentionCounts": dict(group.attentions),
        "suggestedResolution": advice.suggested,
        "confidence": advice.confidence,
    }
