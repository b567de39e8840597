"""Gaps: what people ask for and do not find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.recall.words import words
from memory.scopes import Wanted, fold_scope
from memory.sessions.asked import Asked

_ALIKE = 0.5            # share of words from which two questions are about the same
_SAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One topic that was searched for in vain."""

    topic: str
    scope: str | None
    searches: int
    average: float              # of the best scores, three decimals
    last_at: datetime
    samples: Sequence[str]

    @property
    def suggestion(self) -> str:
        where = f" in {self.scope}" if self.scope is not None else ""
        return f"Store what should be known about \"{self.topic}\"{where}; it was searched for {self.searches} times."


@dataclass(slots=True)
class _Topic:
    words: frozenset[str]
    asked: list[Asked]


def gaps(
    log: Iterable[Asked], *, now: datetime, days: int, threshold: float, least: int, scope: str | None = None
) -> list[Gap]:
    """Topics asked for at least ``least`` times without a good answer, the most wanted first.

    A topic whose latest question was answered well is no gap any more.
    """
    since = now - timedelta(days=days)
    asked = [one for one in log if since <= one.at <= now and (scope is None or _is_in(one, scope))]
    asked.sort(key=lambda one: (one.at, one.text))
    found = [gap for topic in _topics(asked) if (gap := _gap(topic, threshold, least)) is not None]
    found.sort(key=lambda gap: (-gap.searches, gap.average, gap.topic, gap.scope or ""))
    return found


def _is_in(asked: Asked, scope: str) -> bool:
    return asked.scope is not None and Wanted(text=scope).covers_name(fold_scope(asked.scope))


def _topics(asked: Sequence[Asked]) -> list[_Topic]:
    topics: list[_Topic] = []
    by_word: dict[tuple[str | None, str], list[_Topic]] = {}
    for one in asked:
        own = frozenset(words(one.text)) or frozenset([one.text.strip().lower()])
        place = fold_scope(one.scope) if one.scope is not None else None
        near = {id(topic): topic for word in own for topic in by_word.get((place, word), ())}
        best = max(near.values(), key=lambda topic: _dice(own, topic.words), default=None)
        if best is not None and _dice(own, best.words) >= _ALIKE:
            best.asked.append(one)
            continue
        topic = _Topic(own, [one])
        topics.append(topic)
        for word in own:
            by_word.setdefault((place, word), []).append(topic)
    return topics


def _gap(topic: _Topic, threshold: float, least: int) -> Gap | None:
    failed = [one for one in topic.asked if one.top < threshold]
    if len(failed) < least or topic.asked[-1].top >= threshold:
        return None
    counts = Counter(" ".join(one.text.split()) for one in failed)
    ranked = sorted(counts, key=lambda text: (-counts[text], len(text), text))
    return Gap(
        topic=ranked[0],
        scope=failed[-1].scope,
        searches=len(failed),
        average=round(sum(one.top for one in failed) / len(failed), 3),
        last_at=failed[-1].at,
        samples=ranked[:_SAMPLES],
    )


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
