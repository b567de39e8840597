"""Conflicts taken together: by what they are about, and as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.facts.advice import ACCEPT, HIGH, KEEP, Advice, advise, cluster_key
from memory.facts.conflict import AGING, ATTENTIONS, ESCALATED, FRESH, RESOLVED, STALE, Conflict, Lifecycle, lifecycle

_URGENCY: Mapping[str, int] = {ESCALATED: 0, STALE: 1, AGING: 2, FRESH: 3, RESOLVED: 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A conflict as it looks now."""

    conflict: Conflict
    scope: str
    at: datetime                        # aware
    lifecycle: Lifecycle

    @property
    def advice(self) -> Advice:
        """Derived anew each time: it takes comparing the two texts."""
        return advise(self.conflict, self.at)

    @property
    def cluster_key(self) -> str:
        """Without comparing anything."""
        return cluster_key(self.conflict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Conflicts about the same key, for the same reason, in the same category."""

    latest: Seen
    total: int
    open: int
    attention: str                      # the most urgent one among those that are open
    attentions: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """All conflicts at a glance."""

    total: int
    clusters: int
    open: int
    open_clusters: int
    attentions: Mapping[str, int]
    first: Sequence[Cluster]            # open ones, the most urgent first
    actions: Sequence[str]


def see(conflict: Conflict, scope: str, now: datetime) -> Seen:
    return Seen(conflict=conflict, scope=scope, at=now, lifecycle=lifecycle(conflict, now))


def newest_first(conflicts: Iterable[Seen]) -> list[Seen]:
    by_id = sorted(conflicts, key=lambda seen: seen.conflict.id, reverse=True)
    return sorted(by_id, key=lambda seen: seen.conflict.updated_at, reverse=True)


def clusters_of(conflicts: Iterable[Seen]) -> list[Cluster]:
    """The most urgent first, then those with most open conflicts, then the latest."""
    groups: dict[tuple[str, str], list[Seen]] = {}
    for seen in newest_first(conflicts):
        groups.setdefault((seen.cluster_key, seen.scope), []).append(seen)
    found = [_cluster(members) for members in groups.values()]
    found.sort(key=lambda one: (one.latest.cluster_key, one.latest.scope))
    found.sort(key=lambda one: one.latest.conflict.updated_at, reverse=True)
    found.sort(key=lambda one: (_URGENCY[one.attention], -one.open))
    return found


def _cluster(members: Sequence[Seen]) -> Cluster:
    still_open = [seen.lifecycle.attention for seen in members if seen.conflict.is_open]
    return Cluster(
        latest=members[0],
        total=len(members),
        open=len(still_open),
        attention=min(still_open, key=_URGENCY.__getitem__, default=RESOLVED),
        attentions=_counted(members),
    )


def _counted(conflicts: Iterable[Seen]) -> dict[str, int]:
    counts = Counter(seen.lifecycle.attention for seen in conflicts)
    return {attention: counts[attention] for attention in ATTENTIONS}


def audit(conflicts: Sequence[Seen], top: int) -> Audit:
    """What to look at first."""
    clusters = clusters_of(conflicts)
    pressing = [cluster for cluster in clusters if cluster.open]
    return Audit(
        total=len(conflicts),
        clusters=len(clusters),
        open=sum(seen.conflict.is_open for seen in conflicts),
        open_clusters=len(pressing),
        attentions=_counted(conflicts),
        first=pressing[:top],
        actions=_actions(pressing),
    )


def _actions(pressing: Sequence[Cluster]) -> list[str]:
    if not pressing:
        return ["No open conflicts need review."]
    counts = Counter(cluster.attention for cluster in pressing)
    advice = [one.latest.advice for one in pressing]
    sure = Counter(one.suggested for one in advice if one.confidence == HIGH)
    actions = []
    if counts[ESCALATED]:
        actions.append(f"Resolve {counts[ESCALATED]} escalated cluster(s) first.")
    if counts[STALE]:
        actions.append(f"Review {counts[STALE]} stale cluster(s) before they keep reopening.")
    if sure[KEEP]:
        actions.append(f"{sure[KEEP]} open cluster(s) look safe to keep_existing.")
    if sure[ACCEPT]:
        actions.append(f"{sure[ACCEPT]} open cluster(s) look safe to accept_incoming.")
    return actions or ["Open conflicts remain and need manual review."]


def most_urgent_first(conflicts: Iterable[Seen]) -> list[Seen]:
    """Escalated ones, then the oldest, then those reopened most."""
    return sorted(
        conflicts,
        key=lambda seen: (
            _URGENCY[seen.lifecycle.attention],
            -seen.lifecycle.open_days,
            -seen.conflict.reopen_count,
            seen.conflict.id,
        ),
    )
