"""A model that may change, break or stop answering, and what a space knows of vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from memory.engine import Engine
from memory.models.embedder import Purpose, Vectors
from memory.recall.document import TURN
from memory.recall.query import Answer, Query
from memory.search import search
from memory.space import MemorySpace
from tests.fakes import WordEmbedder
from tests.memory.remembered import NAME


class Fickle(WordEmbedder):
    """Ready until told otherwise."""

    def __init__(self, *, languages: Sequence[str] = ()) -> None:
        super().__init__()
        self.hanging = False
        self.waiting = asyncio.Event()      # set once somebody waits for an answer that does not come
        self._languages = languages
        self.asked: list[tuple[str, ...]] = []
        self.batches: list[tuple[str, ...]] = []        # of passages, as far as they were embedded

    def become(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint

    def fail(self, reason: str) -> None:
        self.state, self.reason = "failed", reason

    def repair(self) -> None:
        self.state, self.reason, self.hanging = "ready", None, False

    def supports(self, language: str) -> bool:
        return not self._languages or language in self._languages

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors | None:
        self.asked.append(tuple(texts))
        if self.hanging:
            self.waiting.set()
            await asyncio.Event().wait()
        if self.state != "ready":
            return None
        if purpose == "passage":
            self.batches.append(tuple(texts))
        return await super().embed(texts, purpose=purpose)

    @property
    def passages(self) -> list[str]:
        """Every text that was embedded to be kept."""
        return [text for batch in self.batches for text in batch]


async def ask(engine: Engine, text: str, *, tier: str = TURN, name: str = NAME, explain: bool = False) -> Answer:
    async with engine.spaces.use(name) as space:
        query = Query(text=text, tiers=(tier,), explain=explain)
        return await search(space, query, engine.cast.names(name), engine.embedder)


def texts_of(found: Answer) -> list[str]:
    return [hit.document.text for hit in found.hits]


def scores(found: Answer) -> list[float | None]:
    return [hit.score for hit in found.hits]


def with_vectors(space: MemorySpace) -> list[str]:
    """Ids of everything that has a vector."""
    return sorted(name for source in space.library.vectors.sources for name in source.hashes)
