"""How near the events of a space are to a question in meaning, where a model is there to tell."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from memory.models.embedder import Embedder, NoEmbedder
from memory.models.languages import main_language
from memory.recall.cosine import Vector, VectorSnapshot
from memory.recall.document import TURN
from memory.search import vector_of
from memory.space import MemorySpace

COMPARED = 200          # most events that are looked at because of their meaning
NOBODY = NoEmbedder()
_NONE = -2.0            # no cosine is as low
_LARGE = 20_000         # vectors above which a comparison leaves the event loop alone


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scanned:
    """The cosines of one set of vectors."""

    vectors: VectorSnapshot
    cosines: Vector             # one for each row


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """What a model said of a question, or why it said nothing."""

    asked: bool = False                 # whether there is a model to ask
    problem: str | None = None          # why nothing was compared though there is one
    floor: float = 0.0                  # cosines up to this one mean nothing
    scanned: tuple[_Scanned, ...] = ()

    @property
    def ran(self) -> bool:
        return bool(self.scanned)

    def best(self, count: int) -> list[str]:
        """Ids of the turns nearest to the question, each set of vectors for itself."""
        return [one for part in self.scanned for one in part.vectors.best(part.cosines, count, self.floor)]

    def scores(self, turn_ids: Sequence[str]) -> list[float | None]:
        """0..1 for each turn, from the least cosine that means something to the very same; None without a vector."""
        found: list[float | None] = [None] * len(turn_ids)
        for part in self.scanned:
            for place, cosine in enumerate(part.vectors.of(turn_ids, part.cosines, _NONE).tolist()):
                if cosine != _NONE:
                    found[place] = min(max((cosine - self.floor) / (1 - self.floor), 0.0), 1.0)
        return found


NOT_ASKED = Near()


def is_configured(embedder: Embedder) -> bool:
    """Whether there is a model that makes vectors, now or in a moment."""
    return embedder.state != "disabled" and embedder.fingerprint is not None


async def near(space: MemorySpace, text: str, embedder: Embedder) -> Near:
    """Compare the events that have a vector with a question. Read only; never raises because of a model."""
    if not is_configured(embedder):
        return NOT_ASKED
    if embedder.state != "ready":
        return Near(asked=True, problem="the embedding model is not ready")
    if not embedder.supports(main_language(text)):
        return Near(asked=True, problem="the embedding model does not know the language of the question")
    vectors = [one for one in space.library.vectors_of((TURN,)) if one.size]
    if embedder.fingerprint != space.library.vectors.fingerprint or not vectors:
        return Near(asked=True, problem="no event has a vector yet" if len(space.raw) else None)
    vector = await vector_of(text, embedder, space.settings.query_vector_wait)
    if vector is None:
        return Near(asked=True, problem="the embedding model gave no vector for the question in time")
    if sum(one.size for one in vectors) > _LARGE:
        scanned = await asyncio.to_thread(_scan, vectors, vector)
    else:
        scanned = _scan(vectors, vector)
    return Near(asked=True, floor=embedder.thresholds.recall, scanned=scanned)


def _scan(vectors: Sequence[VectorSnapshot], vector: Vector) -> tuple[_Scanned, ...]:
    return tuple(_Scanned(vectors=one, cosines=one.cosines(vector)) for one in vectors)
