"""Giving texts their vectors, a few at a time, the newest first."""

from __future__ import annotations

import asyncio

from memory.models.embedder import Embedder
from memory.models.languages import main_language
from memory.people import Names
from memory.space import MemorySpace


async def look(space: MemorySpace, names: Names, embedder: Embedder) -> bool:
    """Find out which texts have a vector of the present model. False when there is none to make them."""
    fingerprint, dimension = embedder.fingerprint, embedder.dimension
    if fingerprint is None or dimension is None:
        return False
    await space.library.look_for_vectors(fingerprint, dimension, names)
    return True


async def embed(space: MemorySpace, names: Names, embedder: Embedder, most: int) -> int | None:
    """Give up to ``most`` texts their vectors. Returns how many; 0 when none wants one, None when that is not possible.

    Texts in a language that the model does not know want none. Ends early when the space is wanted back.
    """
    vectors = space.library.vectors
    if not await look(space, names, embedder):
        return None
    wanting = vectors.next(most, lambda text: embedder.supports(main_language(text)))
    while not wanting and vectors.wanting:
        await asyncio.sleep(0)
        wanting = vectors.next(most, lambda text: embedder.supports(main_language(text)))
    if not wanting:
        return 0
    rows = await space.unless_wanted_back(embedder.embed([one.text for one in wanting], purpose="passage"))
    if rows is None or embedder.fingerprint != vectors.fingerprint or rows.shape != (len(wanting), embedder.dimension):
        return None
    wanting[0].source.fill(wanting, rows)
    return len(wanting)
