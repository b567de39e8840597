"""Filling an answer up to a number of characters, and telling truly what did not fit. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

LISTED = 100                # dropped items told one by one; all are counted
_FACT_SHARE = 40            # per cent of the whole that facts may take

TOO_LARGE, SHARE_CAP, EXHAUSTED = "digest_too_large", "fact_share_cap", "budget_exhausted"
DIGEST, FACT, EVENT = "digest", "fact", "event"

F = TypeVar("F")
E = TypeVar("E")


def units(text: str) -> int:
    """The length of a text in UTF-16 code units, as clients count it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, most: int) -> str:
    """The text without what goes beyond ``most`` units; no character is cut in two."""
    if units(text) <= most:
        return text
    return text.encode("utf-16-le", "surrogatepass")[: 2 * most].decode("utf-16-le", "ignore")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item(Generic[F]):
    """A candidate with its text."""

    value: F
    id: str
    text: str
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What did not fit."""

    kind: str
    id: str | None
    chars: int
    reason: str
    score: float | None = None


@dataclass(slots=True, kw_only=True)
class Budget:
    """How the characters were spent."""

    max_chars: int
    digest_chars: int = 0
    fact_chars: int = 0
    event_chars: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys((DIGEST, FACT, EVENT), 0))
    dropped: list[Dropped] = field(default_factory=list)

    @property
    def share_cap(self) -> int:
        return self.max_chars * _FACT_SHARE // 100

    @property
    def used(self) -> int:
        return self.digest_chars + self.fact_chars + self.event_chars

    @property
    def omitted(self) -> int:
        return sum(self.counts.values()) - len(self.dropped)

    def drop(self, one: Dropped) -> None:
        self.counts[one.kind] += 1
        if len(self.dropped) < LISTED:
            self.dropped.append(one)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled(Generic[F, E]):
    """What fits."""

    digest: Item[str] | None
    facts: list[F]
    events: list[E]
    budget: Budget


def fill(max_chars: int, digest: Item[str] | None, facts: Sequence[Item[F]], events: Sequence[Item[E]]) -> Filled[F, E]:
    """The digest whole or not at all, then facts up to their share, then events.

    Every item goes in whole; one that does not fit is passed over and the next ones are still tried.
    """
    budget = Budget(max_chars=max_chars)
    remaining = max_chars
    kept_digest = None
    if digest is not None:
        size = units(digest.text)
        if size <= remaining:
            kept_digest, budget.digest_chars = digest, size
            remaining -= size
        else:
            budget.drop(Dropped(kind=DIGEST, id=digest.id, chars=size, reason=TOO_LARGE))
    allowance = min(budget.share_cap, remaining)
    reason = SHARE_CAP if budget.share_cap <= remaining else EXHAUSTED
    kept_facts, budget.fact_chars = _take(FACT, facts, allowance, reason, budget.drop)
    remaining -= budget.fact_chars
    kept_events, budget.event_chars = _take(EVENT, events, remaining, EXHAUSTED, budget.drop)
    return Filled(digest=kept_digest, facts=kept_facts, events=kept_events, budget=budget)


def _take(
    kind: str, items: Sequence[Item[F]], room: int, reason: str, drop: Callable[[Dropped], None]
) -> tuple[list[F], int]:
    kept: list[F] = []
    used = 0
    for item in items:
        size = units(item.text)
        if used + size <= room:
            kept.append(item.value)
            used += size
        else:
            score = item.score if kind == FACT else None
            drop(Dropped(kind=kind, id=item.id, chars=size, reason=reason, score=score))
    return kept, used
