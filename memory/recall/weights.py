"""What each kind of evidence is worth. Found on two public sets of questions; see benchmarks/recall_quality."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memory.recall.bm25 import Floats
from memory.recall.document import TURN
from memory.recall.records import TIER_CODES
from memory.recall.segment import Mask, Records

_TURN = TIER_CODES[TURN]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each kind of evidence may add to the words' own score, which runs from 0 to 1."""

    session: float
    speaker: float
    month: float
    day: float
    cue: float
    earlier: float = 0.0            # of the turn before the one before; these four as shares of its score
    previous: float = 0.0           # of the turn before
    asked: float = 0.0              # of the turn before when that is a question
    following: float = 0.0          # of the turn after
    asking: float = 0.0             # for being a question oneself
    cosine: float = 2.5             # for the nearest document, in the leg of meaning
    context_cosine: float = 0.0     # for the nearest turn together with the one before it
    superseded: float = -0.6
    merit: float = 0.02             # for the most importance, and as much again for much evidence
    recency: float = 0.02           # halved each half year


TURN_WEIGHTS = Weights(
    session=0.5, speaker=1.0, month=0.4, day=1.6, cue=0.2, asking=-0.2,
    earlier=0.1, previous=0.2, asked=0.55, following=0.15, merit=0.0, cosine=1.2, context_cosine=1.2,
)  # fmt: skip
MEMORY_WEIGHTS = Weights(
    session=0.0, speaker=0.5, month=0.5, day=1.0, cue=0.2, previous=0.2, asked=0.2, following=0.1
)


class Weigh:
    """Looks up weights for records of one kind, or of both."""

    def __init__(self, records: Records, *, turns: bool) -> None:
        """``turns`` says whether there may be turns among them."""
        self.turns: Mask | None = records["tier"] == _TURN if turns else None
        self.some = self.turns is not None and bool(self.turns.any())
        self.all = self.some and self.turns is not None and bool(self.turns.all())

    def by(self, name: str) -> Floats | float:
        if self.all:
            return float(getattr(TURN_WEIGHTS, name))
        if self.turns is None or not self.some:
            return float(getattr(MEMORY_WEIGHTS, name))
        mixed: Floats = np.where(self.turns, float(getattr(TURN_WEIGHTS, name)), float(getattr(MEMORY_WEIGHTS, name)))
        return mixed
