"""Keeping memories in order: merging what says the same, and finding what is missing."""

from __future__ import annotations

from typing import Any

from memory.errors import BadInput
from memory.facts.consolidate import consolidate as consolidate_in
from memory.facts.desk import registered
from memory.facts.likeness import CONTRADICTION, Cluster
from memory.facts.memory import CATEGORIES
from memory.recall.profiles import Wish, profile_of
from memory.recollect import meant_by, recollect, scopes_wanted, take_down
from memory.scoped import shown_id
from memory.scopes import Scope, Wanted, read_scope
from memory.sessions.gaps import Gap, gaps
from memory_server.recallnest import shown
from memory_server.recallnest.call import Answer, Call
from memory_server.recallnest.wire import requests


async def consolidate(call: Call[requests.Consolidate]) -> Answer:
    """Merge memories that say the same, scope by scope; only shown, unless asked to do it."""
    body = call.body
    dry = _is_dry(body)
    categories = (body.category,) if body.category is not None else CATEGORIES
    scanned = merged = archived = skipped = 0
    found: list[dict[str, Any]] = []
    contradictions: list[dict[str, Any]] = []
    for scope in await _scopes(call):
        async with call.engine.scoped.reading(scope) as space:
            if space is None:
                continue
            done = await consolidate_in(
                space,
                scope,
                categories=categories,
                cluster_from=body.clusterThreshold,
                merge_from=max(body.mergeThreshold, body.clusterThreshold),
                most=body.limit,
                apply=not dry,
            )
            named = registered(space.views.scope, scope)
        scanned, merged = scanned + done.scanned, merged + done.merged
        archived, skipped = archived + done.archived, skipped + done.skipped
        found += [_cluster(one, named) for one in done.clusters if one.action != CONTRADICTION]
        contradictions += [_cluster(one, named) for one in done.contradictions]
    return {
        "dryRun": dry,
        "scanned": scanned,
        "clusters": found,
        "merged": merged,
        "archived": archived,
        "skipped": skipped,
        "conflictsDetected": contradictions,
    }


def _is_dry(body: requests.Consolidate) -> bool:
    if body.dryRun is not None and body.apply is not None and body.dryRun == body.apply:
        raise BadInput("dryRun", "dryRun and apply contradict each other")
    if body.dryRun is not None:
        return body.dryRun
    return not body.apply


async def _scopes(call: Call[requests.Consolidate]) -> list[Scope]:
    """Never more than the scope that was named, unless all were asked for."""
    body = call.body
    if body.allScopes:
        return await call.engine.scoped.known()
    name = body.scope or call.default_scope
    if name is None:
        raise BadInput("scope", "scope is required, or allScopes=true")
    return [read_scope(name)]


def _cluster(one: Cluster, scope: Scope) -> dict[str, Any]:
    return {
        "category": one.category,
        "scope": scope.name,
        "keepId": shown_id(one.keep.id),
        "memberIds": [shown_id(fact.id) for fact in (one.keep, *one.others)],
        "similarity": one.likeness,
        "action": one.action,
    }


async def find_gaps(call: Call[requests.GapsQuery]) -> Answer:
    """What people search for and do not find, as things stand now."""
    body = call.body
    log = await call.engine.queries.all()
    found = gaps(
        log,
        now=call.engine.clock.now(),
        days=body.days,
        threshold=body.threshold,
        least=body.minSearches,
        scope=body.scope,
    )
    still: list[Gap] = []
    for gap in found:
        if len(still) == body.limit:
            break
        if await _is_still_one(call, gap, body.threshold):
            still.append(gap)
    return {"gaps": [_gap(gap) for gap in still], "count": len(still), "windowDays": body.days}


async def _is_still_one(call: Call[Any], gap: Gap, threshold: float) -> bool:
    """Something may have been stored since it was asked for last."""
    scopes = await scopes_wanted(call.engine.scoped, Wanted(text=gap.scope))
    shelved = await take_down(call.engine.scoped, scopes, call.names_of)
    wish = Wish(text=gap.topic, profile=profile_of(None), limit=1)
    meant = await meant_by(gap.topic, shelved, call.engine.embedder, call.engine.settings.query_vector_wait)
    found = await recollect(shelved, wish, call.engine.clock, meant=meant)
    return not found or found[0].graded.score < threshold


def _gap(gap: Gap) -> dict[str, Any]:
    return {
        "topic": gap.topic,
        "scope": gap.scope,
        "searches": gap.searches,
        "avgTopScore": gap.average,
        "lastSearchedAt": shown.iso(gap.last_at),
        "sampleQueries": list(gap.samples),
        "suggestion": gap.suggestion,
    }
