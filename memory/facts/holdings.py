"""Which facts own which canonical key, and how many are shown of each category: kept up with every change."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from operator import itemgetter

from memory.facts.evidence import category_of, is_shown
from memory.facts.fact import Fact
from memory.facts.keys import fingerprint
from memory.facts.memory import CATEGORIES, Memory

_OWNER, _STATEMENT, _HEIR, _OUTSIDE = "owner", "statement", "heir", "outside"


Weight = tuple[float, float, str]       # importance and time of writing, both negative, and the id


class Holdings:
    """Looks nothing up by going through facts, so that a write costs the same however many there are."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()                       # shown facts by category
        self._ids: dict[tuple[str, ...], dict[str, None]] = {}
        self._stored: dict[str, dict[str, Weight]] = {}             # category → durable memories that are shown

    def owners(self, key: str, category: str) -> list[str]:
        """Ids of the memories with a key in a category."""
        return self._at(_OWNER, key, category)

    def elsewhere(self, key: str, category: str) -> list[str]:
        """Ids of the memories with that key in any other category."""
        return [one for other in CATEGORIES if other != category for one in self._at(_OWNER, key, other)]

    def saying(self, key: str, text: str) -> list[str]:
        """Ids of the memories with that key and, blanks and capitals aside, that text."""
        return self._at(_STATEMENT, key, fingerprint(text))

    def heirs(self, key: str) -> list[str]:
        """Ids of the memories into which an owner of that key was merged."""
        return self._at(_HEIR, key)

    def brought_as(self, outside_id: str) -> list[str]:
        """Ids of the evidence that came in under an id of somebody else's."""
        return self._at(_OUTSIDE, outside_id)

    def weightiest(self, category: str, count: int) -> list[str]:
        """Ids of the most important durable memories of a category; of equals the newest."""
        return [fact_id for _, _, fact_id in heapq.nsmallest(count, self._stored.get(category, {}).values())]

    def newest(self, category: str, count: int) -> list[str]:
        """Ids of the durable memories of a category that were written last."""
        found = heapq.nsmallest(count, self._stored.get(category, {}).values(), key=itemgetter(1, 2))
        return [fact_id for _, _, fact_id in found]

    def put(self, fact: Fact) -> None:
        if is_shown(fact):
            self.counts[category_of(fact)] += 1
        for place in _places(fact):
            self._ids.setdefault(place, {})[fact.id] = None
        if (memory := _durable(fact)) is not None:
            weight = (-memory.importance, -fact.created_at.timestamp(), fact.id)
            self._stored.setdefault(memory.category, {})[fact.id] = weight

    def drop(self, fact: Fact) -> None:
        if is_shown(fact):
            category = category_of(fact)
            self.counts[category] -= 1
            if not self.counts[category]:
                del self.counts[category]
        for place in _places(fact):
            ids = self._ids.get(place, {})
            ids.pop(fact.id, None)
            if not ids:
                self._ids.pop(place, None)
        if (memory := _durable(fact)) is not None:
            self._stored.get(memory.category, {}).pop(fact.id, None)

    def clear(self) -> None:
        self.counts.clear()
        self._ids.clear()
        self._stored.clear()

    def _at(self, *place: str) -> list[str]:
        return list(self._ids.get(place, ()))


def _durable(fact: Fact) -> Memory | None:
    """What was stored beside a fact that still holds, unless it is evidence."""
    memory = fact.memory
    return memory if memory is not None and not memory.is_evidence and is_shown(fact) else None


def _places(fact: Fact) -> Iterator[tuple[str, ...]]:
    memory = fact.memory
    if memory is None or not is_shown(fact):
        return
    outside = memory.details.get("outside_id")
    if isinstance(outside, str):
        yield (_OUTSIDE, outside)
    if memory.key is not None and not memory.is_evidence:
        yield (_OWNER, memory.key, memory.category)
        yield (_STATEMENT, memory.key, fingerprint(fact.text))
        for key in memory.also:
            yield (_HEIR, key)
