"""Lifecycle claims: who keeps a character closed, and for whom.

While a caller renames, deletes or replaces a character's files, its claim holds background work
away from that name; a claim with ``hold`` keeps everybody away. A claim ends when its token is
withdrawn or a newer identity of the name is published. Tokens once withdrawn never come back.
Everything here happens without waiting, so that one call is one step for every observer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from memory.errors import ClaimWithdrawn

WITHDRAWN_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Claim:
    """One caller's claim on a name."""

    hold: bool                # keep foreground requests away too
    generation: int | None    # identity of the name when the claim was made


class Claims:
    """The claims of one process. A restart begins with none."""

    def __init__(self, reopened: Callable[[str], None] | None = None) -> None:
        self._claims: dict[str, dict[str, Claim]] = {}
        self._withdrawn: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._reopened = reopened or (lambda name: None)

    def register(self, name: str, token: str, generation: int | None, *, hold: bool) -> None:
        """Make or repeat a claim. Raises ClaimWithdrawn for a token that was withdrawn, seen or not."""
        if (name, token) in self._withdrawn:
            self._withdrawn.move_to_end((name, token))
            raise ClaimWithdrawn(token)
        claims = self._claims.setdefault(name, {})
        before = claims.get(token)
        claims[token] = Claim(hold, generation) if before is None else Claim(hold or before.hold, before.generation)

    def withdraw(self, name: str, token: str) -> None:
        """End a claim for ever, also one that has not arrived yet."""
        self._withdrawn[(name, token)] = None
        self._withdrawn.move_to_end((name, token))
        while len(self._withdrawn) > WITHDRAWN_KEPT:
            self._withdrawn.popitem(last=False)
        self._drop(name, [token])

    def publish(self, name: str, generation: int | None) -> None:
        """An identity of the name is in place: claims on older ones end, all of them if it is not known which."""
        older = [
            token
            for token, claim in self._claims.get(name, {}).items()
            if generation is None or claim.generation is None or claim.generation < generation
        ]
        self._drop(name, older)

    def _drop(self, name: str, tokens: list[str]) -> None:
        claims = self._claims.get(name)
        if claims is None:
            return
        for token in tokens:
            claims.pop(token, None)
        if not claims:
            del self._claims[name]
            self._reopened(name)

    def active(self, name: str, token: str) -> bool:
        return token in self._claims.get(name, {})

    def retired(self, name: str) -> bool:
        """Whether no background work may begin for the name."""
        return name in self._claims

    def held(self, name: str) -> bool:
        """Whether nobody may use the name."""
        return any(claim.hold for claim in self._claims.get(name, {}).values())

    def names(self) -> list[str]:
        """Every claimed name."""
        return sorted(self._claims)
