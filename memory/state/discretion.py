"""What may still be told of texts that were drawn from others: states, digests, replies.

Forgetting keeps back facts and the turns they rest on. What was drawn from them before says the same in other words,
and stays as it is on the disk; it is held back here, whenever it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory.history.withheld import FORGOTTEN
from memory.space import MemorySpace
from memory.state.digest.guard import Guard

_LONGEST = 500          # characters of evidence that is compared with what is told


class Discretion:
    """Tells what must not be said."""

    def __init__(self, guard: Guard, forgotten: Callable[[str], bool]) -> None:
        """``forgotten`` tells of a turn whether it was kept back because somebody forgot what it says."""
        self._guard = guard
        self._forgotten = forgotten

    def hides(self, text: str, turns: Sequence[str] = ()) -> bool:
        """Whether a text says what was forgotten, or rests on nothing but that."""
        return (bool(turns) and all(map(self._forgotten, turns))) or self._guard.told_in(text)


async def discretion_of(space: MemorySpace) -> Discretion:
    """What a space must be silent about, as things stand."""
    guarded = space.views.retired.forgotten()
    withheld = space.views.withheld

    def forgotten(turn: str) -> bool:
        one = withheld.get(turn)
        return (one is not None and one.reason == FORGOTTEN) or turn in space.forgotten.ids

    evidence = [turn for one in guarded for turn in one.fact.sources if forgotten(turn)]
    turns = await space.turns.by_id(evidence, whole=True) if evidence else {}
    texts = [turn.text for turn in turns.values() if len(turn.text) <= _LONGEST]
    return Discretion(Guard([*(one.fact.text for one in guarded), *texts]), forgotten)
