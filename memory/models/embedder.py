"""What the engine asks of a text embedder. Vectors may be missing at any time; only the ranking changes then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from memory.models.profiles import Thresholds

Purpose = Literal["query", "passage"]
State = Literal["init", "loading", "ready", "disabled", "failed"]
Vectors = npt.NDArray[np.float32]

# Used while no model is there; nothing is compared then.
NO_THRESHOLDS = Thresholds(recall=1.0, alone=1.0, crowd=0.0, apart=0.0, cluster=1.0, duplicate=1.0)


class Embedder(Protocol):
    """Texts in, unit vectors out, or None. Nothing here ever raises because of a model."""

    @property
    def state(self) -> State:
        """``init`` (nobody asked yet), ``loading``, ``ready``, ``disabled`` (by choice or machine), ``failed``."""
        ...

    @property
    def reason(self) -> str | None:
        """Why it is not ready, or not its best; for people. Never contains remembered text."""
        ...

    @property
    def profile(self) -> str | None:
        """The name of the profile in use, once one was found."""
        ...

    @property
    def fingerprint(self) -> str | None:
        """Names the vector space, also before the model is loaded; vectors of another one are not comparable."""
        ...

    @property
    def dimension(self) -> int | None:
        """Length of every vector, once a profile was found."""
        ...

    @property
    def thresholds(self) -> Thresholds:
        """Which cosines of this model mean something."""
        ...

    def supports(self, language: str) -> bool:
        """Whether texts of that language (a tag such as ``zh``) get meaningful vectors. False without a model."""
        ...

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors | None:
        """One L2-normalised row per text, float32 [texts, dimension]; None when that is not possible now.

        A query is answered at once or not at all: while the model loads it gets None. Passages wait for the load.
        Which space the rows belong to is ``fingerprint`` at the time of return.
        """
        ...

    async def look(self) -> None:
        """Compare with what is on disk: find a model, notice that one changed, went or was repaired.

        Cheap and safe to call often; called before health is told and by a loop every few seconds.
        """
        ...

    async def close(self) -> None:
        """Let go of the model. Safe to call twice."""
        ...


class NoEmbedder:
    """A real and permanent way to run: words only."""

    state: State = "disabled"
    profile: str | None = None
    fingerprint: str | None = None
    dimension: int | None = None
    thresholds = NO_THRESHOLDS

    def __init__(self, reason: str = "switched off") -> None:
        self.reason: str | None = reason

    def supports(self, language: str) -> bool:
        return False

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors | None:
        return None

    async def look(self) -> None:
        return None

    async def close(self) -> None:
        return None
