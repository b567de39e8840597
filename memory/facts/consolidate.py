"""Merging stored memories that say the same. What is merged away stays, as a version of what is kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from memory.facts.desk import Desk, registered
from memory.facts.evidence import is_shown
from memory.facts.fact import Fact
from memory.facts.keys import fingerprint
from memory.facts.likeness import CONTRADICTION, MERGE, Cluster, clusters
from memory.facts.memory import Memory
from memory.scopes import Scope
from memory.space import MemorySpace

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """What was found and, unless it was only tried, done in one scope."""

    scope: Scope                    # as its space knows it
    scanned: int
    clusters: Sequence[Cluster]     # what is merged, or would be, and what a person should look at
    merged: int                     # memories kept that others were merged into
    archived: int                   # memories merged away
    skipped: int                    # that changed while this was worked out

    @property
    def contradictions(self) -> list[Cluster]:
        return [one for one in self.clusters if one.action == CONTRADICTION]


async def consolidate(
    space: MemorySpace,
    scope: Scope,
    *,
    categories: Collection[str],
    cluster_from: float,
    merge_from: float,
    most: int,
    apply: bool,
) -> Consolidated:
    """Look for memories that say the same and, with ``apply``, merge them in one commit."""
    facts = [fact for fact in space.facts if _is_stored(fact) and _memory(fact).category in categories]
    found = await asyncio.to_thread(
        clusters, facts, cluster_from=cluster_from, merge_from=merge_from, most=most
    )
    wanted = [one for one in found if one.action == MERGE]
    scope = registered(space.views.scope, scope)
    scanned = min(len(facts), most)
    if not apply or not wanted:
        archived = sum(len(one.others) for one in wanted)
        return Consolidated(
            scope=scope, scanned=scanned, clusters=found, merged=len(wanted), archived=archived, skipped=0
        )
    merged = archived = skipped = 0
    async with space.journal.write() as batch:
        desk = Desk(space, scope, batch)
        for cluster in wanted:
            gone = [fact for fact in cluster.others if space.facts.get(fact.id) == fact]
            skipped += len(cluster.others) - len(gone)
            if space.facts.get(cluster.keep.id) != cluster.keep:
                skipped += len(gone)
                continue
            if gone:
                desk.merge(cluster.keep, _with_all_of(cluster.keep, gone), gone)
                merged += 1
                archived += len(gone)
    log.info("%s: %d memories merged into %d", space.name, archived, merged)
    return Consolidated(
        scope=scope, scanned=scanned, clusters=found, merged=merged, archived=archived, skipped=skipped
    )


def _with_all_of(keep: Fact, gone: Sequence[Fact]) -> Memory:
    """What stands beside the kept text: the keys, tags and evidence of all of them."""
    memory = _memory(keep)
    others = [_memory(fact) for fact in gone]
    also = dict(memory.also)
    for fact, other in zip(gone, others, strict=True):
        also |= other.also
        if other.key is not None and other.key != memory.key:
            also[other.key] = fingerprint(fact.text)
    known = {one.memory_id: one for other in (memory, *others) for one in other.provenance}
    return replace(
        memory,
        importance=max(other.importance for other in (memory, *others)),
        tags=tuple(dict.fromkeys(tag for other in (memory, *others) for tag in other.tags)),
        also=also,
        note="consolidated",
        merged_ids=tuple(dict.fromkeys((*memory.merged_ids, *(fact.id for fact in gone)))),
        promoted_from=next((one for other in (memory, *others) if (one := other.promoted_from) is not None), None),
        provenance=tuple(known.values()),
        provenance_count=max(memory.provenance_count, len(known)),
    )


def _is_stored(fact: Fact) -> bool:
    return fact.memory is not None and not fact.memory.is_evidence and is_shown(fact)


def _memory(fact: Fact) -> Memory:
    assert fact.memory is not None
    return fact.memory
