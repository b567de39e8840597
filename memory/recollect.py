"""Searching what was stored, over one scope or several as one pool."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field

from memory.clock import Clock
from memory.errors import MemoryServiceError, StorageBlocked
from memory.facts.desk import registered
from memory.facts.fact import Fact
from memory.models.embedder import Embedder
from memory.people import Names
from memory.recall.cosine import Vector
from memory.recall.document import FACT, FACT_ARCHIVE
from memory.recall.meaning import Alone, Dense
from memory.recall.profiles import Graded, Marks, Meant, Wish, graded, in_order
from memory.scoped import Scoped
from memory.scopes import Scope, Wanted, near, read_scope
from memory.search import vector_of
from memory.shelves import Shelved, shelve

log = logging.getLogger(__name__)

# Documents above which a search leaves the event loop alone: by words, and by meaning as well. Below, the search
# takes less than handing it to a thread and back may.
_MANY, _MANY_VECTORS = 60_000, 20_000
# What is searched as one pool. Which scopes are in it must depend on nothing but what there is.
_POOL_SCOPES, _POOL_DOCUMENTS = 64, 50_000

NamesOf = Callable[[Scope], Names | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollected:
    """A fact that answers, and where it is."""

    fact: Fact
    scope: Scope
    graded: Graded


@dataclass(slots=True, kw_only=True)
class Answers:
    """What several questions were answered with, best first, in the order of the questions."""

    found: list[list[Recollected]]
    documents: int = 0                                      # that were looked at
    unread: list[Scope] = field(default_factory=list)       # scopes that could not be looked into


class Meaning:
    """Questions as vectors, each made once, when there is something to compare it with."""

    def __init__(self, embedder: Embedder, wait: float) -> None:
        self._embedder = embedder
        self._wait = wait               # seconds
        self._vectors: dict[str, Vector | None] = {}

    async def of(self, text: str, shelved: Sequence[Shelved]) -> Meant | None:
        """The question's vector beside those of what is asked; None where there is nothing to compare."""
        documents = [
            vectors for one in shelved if one.fingerprint == self._embedder.fingerprint for vectors in one.vectors
        ]
        if not documents:
            return None
        if text not in self._vectors:
            self._vectors[text] = await vector_of(text, self._embedder, self._wait)
        vector = self._vectors[text]
        if vector is None:
            return None
        limits = self._embedder.thresholds
        alone = Alone(least=limits.alone, crowd=limits.crowd, apart=limits.apart)
        dense = Dense(query=vector, documents=documents, floor=limits.recall, alone=alone)
        marks = Marks(recall=limits.recall, cluster=limits.cluster, duplicate=limits.duplicate)
        return Meant(dense=dense, marks=marks)


async def pools(
    scoped: Scoped, scopes: Sequence[Scope], names_of: NamesOf, unread: list[Scope] | None
) -> AsyncGenerator[list[Shelved], None]:
    """The scopes, so many at a time that they can be searched as one; good until the next are asked for.

    One that cannot be read is added to ``unread``; without such a list what opening it raised is raised.
    """
    async with AsyncExitStack() as borrowed:
        pool: list[Shelved] = []
        documents = 0
        # A last one with few scopes would judge how rare a word is by too little.
        most = math.ceil(len(scopes) / max(math.ceil(len(scopes) / _POOL_SCOPES), 1))
        for scope in scopes:
            shelf = scoped.shelf(scope)
            if shelf is None:
                try:
                    shelf = await _opened(scoped, scope, names_of, borrowed)
                except StorageBlocked:
                    raise
                except (MemoryServiceError, OSError) as error:
                    if unread is None:
                        raise
                    log.warning("%s could not be searched (%s)", scope.space, type(error).__name__)
                    unread.append(scope)
            if shelf is None:
                continue
            pool.append(shelf)
            documents += len(shelf.snapshot)
            if len(pool) == most or documents >= _POOL_DOCUMENTS:
                yield pool
                pool, documents = [], 0
                await borrowed.aclose()
        if pool:
            yield pool


async def _opened(scoped: Scoped, scope: Scope, names_of: NamesOf, borrowed: AsyncExitStack) -> Shelved | None:
    space = await borrowed.enter_async_context(scoped.reading(scope))
    if space is None:
        return None
    names = names_of(scope) or Names(neko=scope.name)
    snapshot, = await space.library.snapshots((FACT, FACT_ARCHIVE), names)
    return shelve(space, registered(space.views.scope, scope), snapshot)


async def scopes_wanted(scoped: Scoped, wanted: Wanted) -> list[Scope]:
    """The scopes that a reader asks for, without looking at others where one is named. Raises BadInput.

    Of several, those that hold nothing are left out.
    """
    if wanted.text is not None and wanted.is_one:
        return [read_scope(wanted.text)]
    if wanted.text is not None:
        read_scope(wanted.text.removesuffix(":*"))
    return await scoped.holding_something(wanted)


async def ask(
    scoped: Scoped,
    scopes: Sequence[Scope],
    wishes: Sequence[Wish],
    *,
    strict: bool,
    names_of: NamesOf,
    clock: Clock,
    embedder: Embedder,
    wait: float,
) -> Answers:
    """Put questions to scopes. Changes nothing that is remembered.

    With ``strict`` a scope that cannot be read is an error.
    """
    answers = Answers(found=[[] for _ in wishes])
    names = names_of(scopes[0]) if len(scopes) == 1 else None
    meaning = Meaning(embedder, wait)
    async with aclosing(pools(scoped, scopes, names_of, None if strict else answers.unread)) as them:
        async for pool in them:
            answers.documents += sum(len(one.snapshot) for one in pool)
            for place, wish in enumerate(wishes):
                meant = await meaning.of(wish.text, pool)
                found = await recollect(pool, wish, clock, names, meant)
                answers.found[place] = best(wish, answers.found[place], found)
    return answers


def best(wish: Wish, one: Sequence[Recollected], other: Sequence[Recollected]) -> list[Recollected]:
    """The best of two lists, as many as are wished for."""
    if not one or not other:
        return [*one, *other]
    return sorted((*one, *other), key=lambda hit: in_order(hit.graded))[: wish.limit]


async def recollect(
    shelved: Sequence[Shelved], wish: Wish, clock: Clock, names: Names | None = None, meant: Meant | None = None
) -> list[Recollected]:
    """What answers, best first. Changes nothing that is remembered."""
    snapshots = [one.snapshot for one in shelved]
    now = clock.now()
    if sum(map(len, snapshots)) > (_MANY if meant is None else _MANY_VECTORS):
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
