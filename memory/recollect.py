"""Searching what was stored, over one scope or several as one pool."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory.clock import Clock
from memory.facts.desk import registered
from memory.facts.fact import Fact
from memory.facts.view import FactList
from memory.models.embedder import Embedder
from memory.people import Names
from memory.recall.cosine import VectorSnapshot
from memory.recall.document import FACT, FACT_ARCHIVE
from memory.recall.index import Snapshot
from memory.recall.meaning import Alone, Dense
from memory.recall.profiles import Graded, Marks, Meant, Wish, graded
from memory.scoped import Scoped
from memory.scopes import Scope, Wanted, near, read_scope
from memory.search import vector_of

_LARGE = 20_000     # documents above which a search leaves the event loop alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollected:
    """A fact that answers, and where it is."""

    fact: Fact
    scope: Scope
    graded: Graded


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelved:
    """A scope as it stood at one moment, ready to be asked. Holds no lease."""

    scope: Scope
    snapshot: Snapshot
    vectors: Sequence[VectorSnapshot]
    fingerprint: str | None             # of the model that the vectors are of
    facts: FactList
    archive: FactList

    def fact(self, fact_id: str) -> Fact | None:
        return self.facts.get(fact_id) or self.archive.get(fact_id)


async def take_down(
    scoped: Scoped, scopes: Sequence[Scope], names_of: Callable[[Scope], Names | None]
) -> list[Shelved]:
    """The searchable side of each scope that holds anything."""
    found = []
    for scope in scopes:
        async with scoped.reading(scope) as space:
            if space is None:
                continue
            names = names_of(scope) or Names(neko=scope.name)
            snapshot, = await space.library.snapshots((FACT, FACT_ARCHIVE), names)
            found.append(
                Shelved(
                    scope=registered(space.views.scope, scope),
                    snapshot=snapshot,
                    vectors=[one for one in space.library.vectors_of((FACT, FACT_ARCHIVE)) if one.size],
                    fingerprint=space.library.vectors.fingerprint,
                    facts=space.facts,
                    archive=space.views.facts_archive,
                )
            )
    return found


async def scopes_wanted(scoped: Scoped, wanted: Wanted) -> list[Scope]:
    """The scopes that a reader asks for, without looking at others where one is named. Raises BadInput."""
    if wanted.text is not None and not wanted.is_family:
        return [read_scope(wanted.text)]
    if wanted.text is not None:
        read_scope(wanted.text.removesuffix(":*"))
    return await scoped.matching(wanted)


async def meant_by(text: str, shelved: Sequence[Shelved], embedder: Embedder, wait: float) -> Meant | None:
    """The question's vector beside those of what is asked; None where there is nothing to compare."""
    documents = [vectors for one in shelved if one.fingerprint == embedder.fingerprint for vectors in one.vectors]
    vector = await vector_of(text, embedder, wait) if documents else None
    if vector is None:
        return None
    limits = embedder.thresholds
    alone = Alone(least=limits.alone, crowd=limits.crowd, apart=limits.apart)
    dense = Dense(query=vector, documents=documents, floor=limits.recall, alone=alone)
    return Meant(dense=dense, marks=Marks(recall=limits.recall, cluster=limits.cluster, duplicate=limits.duplicate))


async def recollect(
    shelved: Sequence[Shelved], wish: Wish, clock: Clock, names: Names | None = None, meant: Meant | None = None
) -> list[Recollected]:
    """What answers, best first. Changes nothing that is remembered."""
    snapshots = [one.snapshot for one in shelved]
    now = clock.now()
    if sum(map(len, snapshots)) > _LARGE:
        hits = await asyncio.to_thread(graded, snapshots, wish, now=now, names=names, meant=meant)
    else:
        hits = graded(snapshots, wish, now=now, names=names, meant=meant)
    found = []
    for hit in hits:
        shelf = shelved[hit.source]
        fact = shelf.fact(hit.document.id)
        if fact is not None:
            found.append(Recollected(fact=fact, scope=shelf.scope, graded=hit))
    return found


async def names_like(scoped: Scoped, wanted: Wanted) -> list[tuple[Scope, int]]:
    """Scopes that hold something and are called nearly like one that holds nothing, with how much."""
    if wanted.text is None:
        return []
    counts = {scope: sum(counts.values()) for scope, counts in (await scoped.counts()).items()}
    return [(scope, counts[scope]) for scope in near(wanted.text, counts)]
