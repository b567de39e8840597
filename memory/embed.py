"""Giving texts their vectors, a few at a time, the newest first."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from memory.history.raw import RawEvent
from memory.models.embedder import Embedder
from memory.models.languages import main_language
from memory.people import Names
from memory.space import MemorySpace

_SLICE = 5_000      # events looked at before others have their turn


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many of a space's raw events have a vector of the present model."""

    events: int
    embedded: int

    @property
    def missing(self) -> int:
        return self.events - self.embedded


async def coverage(space: MemorySpace, names: Names, embedder: Embedder) -> Coverage:
    """Read only; without a model nothing is embedded."""
    events, lacking = await _lacking(space, names, embedder)
    return Coverage(events=events, embedded=events - len(lacking))


async def lacking(space: MemorySpace, names: Names, embedder: Embedder, most: int) -> int:
    """How many of the newest events want a vector and can be given one, at most ``most``."""
    if embedder.fingerprint is None:
        return 0
    found = 0
    _, events = await _lacking(space, names, embedder)
    for number, event in enumerate(reversed(events), 1):
        found += embedder.supports(main_language(event.text))
        if found == most:
            break
        if number % _SLICE == 0:
            await asyncio.sleep(0)
    return found


async def _lacking(space: MemorySpace, names: Names, embedder: Embedder) -> tuple[int, list[RawEvent]]:
    """How many events there are, and those without a vector, oldest first."""
    await space.raw.refresh(words=False)
    known = space.library.vectors.conversation.hashes if await look(space, names, embedder) else {}
    events = list(space.raw)
    found = []
    for number, event in enumerate(events, 1):
        if event.turn not in known:
            found.append(event)
        if number % _SLICE == 0:
            await asyncio.sleep(0)
    return len(events), found
