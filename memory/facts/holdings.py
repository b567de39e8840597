"""Which facts own which canonical key, and how many are shown of each category: kept up with every change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memory.facts.evidence import category_of, is_shown
from memory.facts.fact import Fact
from memory.facts.keys import fingerprint
from memory.facts.memory import CATEGORIES

_OWNER, _STATEMENT, _HEIR, _OUTSIDE = "owner", "statement", "heir", "outside"


class Holdings:
    """Looks nothing up by going through facts, so that a write costs the same however many there are."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()                       # shown facts by category
        self._ids: dict[tuple[str, ...], dict[str, None]] = {}

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

    def put(self, fact: Fact) -> None:
        if is_shown(fact):
            self.counts[category_of(fact)] += 1
        for place in _places(fact):
            self._ids.setdefault(place, {})[fact.id] = None

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

    def clear(self) -> None:
        self.counts.clear()
        self._ids.clear()

    def _at(self, *place: str) -> list[str]:
        return list(self._ids.get(place, ()))


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
