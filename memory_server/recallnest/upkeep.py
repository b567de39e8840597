"""Keeping memories in order: merging what says the same, and finding what is missing."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Any

from memory.errors import BadInput, MemoryServiceError, StorageBlocked
from memory.facts.consolidate import Consolidated
from memory.facts.consolidate import consolidate as consolidate_in
from memory.facts.likeness import CONTRADICTION, Cluster
from memory.facts.memory import CATEGORIES
from memory.recall.profiles import Wish, profile_of
from memory.scoped import shown_id
from memory.scopes import Scope, Wanted, spelled
from memory.sessions.gaps import Gap, gaps
from memory_server.recallnest import shown
from memory_server.recallnest.call import Answer, Call, one_scope, with_unread
from memory_server.recallnest.wire import requests

log = logging.getLogger(__name__)


async def consolidate(call: Call[requests.Consolidate]) -> Answer:
    """Merge memories that say the same, scope by scope; only shown, unless asked to do it."""
    body = call.body
    dry = _is_dry(body)
    scopes = await _scopes(call)
    totals: Counter[str] = Counter()
    found: list[dict[str, Any]] = []
    contradictions: list[dict[str, Any]] = []
    unread = list(call.engine.scoped.unread) if body.allScopes else []
    for scope in scopes:
        try:
            done = await _consolidated(call, scope, apply=not dry)
        except StorageBlocked:
            raise
        except (MemoryServiceError, OSError) as error:
            if not body.allScopes:
                raise
            log.warning("%s was left as it is (%s)", scope.space, type(error).__name__)
            unread.append(scope.name)
            continue
        if done is None:
            continue
        totals.update(scanned=done.scanned, merged=done.merged, archived=done.archived, skipped=done.skipped)
        found += [_cluster(one, done.scope) for one in done.clusters if one.action != CONTRADICTION]
        contradictions += [_cluster(one, done.scope) for one in done.contradictions]
    answer: dict[str, Any] = {"dryRun": dry, "scanned": totals["scanned"], "clusters": found}
    answer |= {name: totals[name] for name in ("merged", "archived", "skipped")}
    answer["conflictsDetected"] = contradictions
    return with_unread(answer, unread)


async def _consolidated(call: Call[requests.Consolidate], scope: Scope, *, apply: bool) -> Consolidated | None:
    """What was found in one scope and perhaps done; None for one that is not there."""
    body = call.body
    async with call.engine.scoped.reading(scope) as space:
        if space is None:
            return None
        return await consolidate_in(
            space,
            scope,
            categories=(body.category,) if body.category is not None else CATEGORIES,
            cluster_from=body.clusterThreshold,
            merge_from=max(body.mergeThreshold, body.clusterThreshold),
            most=body.limit,
            apply=apply,
        )


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
        return await call.engine.scoped.holding_something(Wanted())
    name = body.scope or call.default_scope
    if name is None:
        raise BadInput("scope", "scope is required, or allScopes=true")
    return [one_scope(name)]


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
    still, unread = await _still_gaps(call, found, body.threshold, body.limit)
    return with_unread({"gaps": [_gap(gap) for gap in still], "count": len(still), "windowDays": body.days}, unread)


async def _still_gaps(
    call: Call[Any], found: Sequence[Gap], threshold: float, limit: int
) -> tuple[list[Gap], list[str]]:
    """The first ones that are gaps still, something may have been stored since; and what could not be looked into."""
    still: list[Gap] = []
    unread: list[str] = []
    for start in range(0, len(found), limit):
        some = found[start : start + limit]
        tops, missed = await _tops(call, some)
        unread += missed
        still += [gap for gap, top in zip(some, tops, strict=True) if top < threshold]
        if len(still) >= limit:
            break
    return still[:limit], unread


async def _tops(call: Call[Any], some: Sequence[Gap]) -> tuple[list[float], list[str]]:
    """How well each topic is answered now. Every scope is looked into once, however many topics it has."""
    tops = [0.0] * len(some)
    unread: list[str] = []
    places: dict[str | None, list[int]] = {}
    for place, gap in enumerate(some):
        places.setdefault(gap.scope, []).append(place)
    for scope, own in places.items():
        wishes = [Wish(text=some[place].topic, profile=profile_of(None), limit=1) for place in own]
        answers = await call.ask(Wanted(text=scope), wishes)
        unread += spelled(answers.unread)
        for place, hits in zip(own, answers.found, strict=True):
            tops[place] = hits[0].graded.score if hits else 0.0
    return tops, unread


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
