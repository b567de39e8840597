"""Putting a question to a space."""

from __future__ import annotations

import asyncio

from memory.models.embedder import Embedder, NoEmbedder
from memory.models.languages import main_language
from memory.people import Names
from memory.recall.cosine import Vector
from memory.recall.document import TURN
from memory.recall.meaning import Alone, Dense
from memory.recall.query import Answer, Query, answer
from memory.space import MemorySpace

_LARGE = 20_000  # documents above which a search leaves the event loop alone
_WORDS_ALONE = NoEmbedder()


async def search(space: MemorySpace, query: Query, names: Names, embedder: Embedder = _WORDS_ALONE) -> Answer:
    """The answer of this moment's memory; changes nothing that is remembered.

    What was answered is noted, so that a user's repeating it is not taken for news.
    """
    snapshots, vector = await asyncio.gather(
        space.library.snapshots(query.tiers, names), _vector_of(space, query.text.strip(), embedder)
    )
    dense = _dense(space, query, embedder, vector)
    now = space.clock.now()
    if sum(map(len, snapshots)) > _LARGE:
        found = await asyncio.to_thread(answer, snapshots, query, now=now, clock=space.clock, dense=dense)
    else:
        found = answer(snapshots, query, now=now, clock=space.clock, dense=dense)
    space.shown.extend(hit.document.text for hit in found.hits if hit.document.tier != TURN)
    return found


async def _vector_of(space: MemorySpace, text: str, embedder: Embedder) -> Vector | None:
    """The question's vector, if the model is ready, knows its language and answers in time."""
    if embedder.fingerprint != space.library.vectors.fingerprint:
        return None
    return await vector_of(text, embedder, space.settings.query_vector_wait)


async def vector_of(text: str, embedder: Embedder, wait: float) -> Vector | None:
    """A question's vector, if the model is ready, knows its language and answers within ``wait`` seconds."""
    if not text or embedder.state != "ready" or not embedder.supports(main_language(text)):
        return None
    try:
        async with asyncio.timeout(wait):
            rows = await embedder.embed([text], purpose="query")
    except TimeoutError:
        return None
    return None if rows is None or rows.shape != (1, embedder.dimension) else rows[0]


def _dense(space: MemorySpace, query: Query, embedder: Embedder, vector: Vector | None) -> Dense | None:
    """The leg of meaning; None where there is nothing to compare with."""
    if vector is None or embedder.fingerprint != space.library.vectors.fingerprint:
        return None
    documents = [one for one in space.library.vectors_of(query.tiers) if one.size]
    if not documents:
        return None
    limits = embedder.thresholds
    alone = Alone(least=limits.alone, crowd=limits.crowd, apart=limits.apart)
    return Dense(query=vector, documents=documents, floor=limits.recall, alone=alone)
