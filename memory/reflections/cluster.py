"""Which facts belong together: about one person, one side of them, and the same things."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from memory.facts.fact import Fact
from memory.people import Names
from memory.reflections.claims import family, is_negated
from memory.reflections.compose import occasions
from memory.reflections.wording import about, dice

RELATED = 0.34              # share of object words that two facts of a cluster have in common
MOST_FACTS = 8
_MOST_SAID, _DAYS, _OFTEN = 3, 2, 5

_HOLDERS = 60               # facts that share a word, above which the word alone connects nothing

Group = tuple[str, str, bool]   # entity, side of the person, polarity


def subject_words(fact: Fact, names: Names) -> frozenset[str]:
    """What a fact is about: the words of its value, or of its text where it has none."""
    return about(fact.object or fact.text, names) or about(fact.text, names)


def group_of(fact: Fact) -> Group:
    negated = fact.negated if fact.slot is not None else is_negated(fact.text)
    return fact.entity, family(fact.slot), negated


async def clusters(facts: Sequence[Fact], names: Names) -> list[list[Fact]]:
    """Groups of related facts, each said often enough to mean something; the most said first.

    For a few hundred facts; others have their turn in between.
    """
    found = []
    grouped: defaultdict[Group, list[Fact]] = defaultdict(list)
    for fact in facts:
        grouped[group_of(fact)].append(fact)
    for group in grouped.values():
        words = {fact.id: subject_words(fact, names) for fact in group}
        await asyncio.sleep(0)
        components = _components(group, words)
        await asyncio.sleep(0)
        found += [_core(component, words) for component in components]
        await asyncio.sleep(0)
    telling = [cluster for cluster in found if is_telling(cluster)]
    return sorted(telling, key=lambda cluster: (-len(occasions(cluster)), cluster[0].created_at, cluster[0].id))


def is_telling(cluster: Sequence[Fact]) -> bool:
    """Said three times on two days at least, or five times."""
    said = occasions(cluster)
    return len(said) >= _OFTEN or (len(said) >= _MOST_SAID and len({moment.date() for moment in said}) >= _DAYS)


def _components(facts: Sequence[Fact], words: dict[str, frozenset[str]]) -> list[list[Fact]]:
    """Facts connected by shared words, each component oldest first."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    parent = list(range(len(facts)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for place, fact in enumerate(facts):
        own = words[fact.id]
        rare = (holders[word] for word in own if len(holders[word]) <= _HOLDERS)
        for other in {other for places in rare for other in places}:
            if dice(own, words[facts[other].id]) >= RELATED:
                first, second = sorted((root(place), root(other)))
                parent[second] = first
        for word in own:
            holders[word].append(place)
    components: defaultdict[int, list[Fact]] = defaultdict(list)
    for place, fact in enumerate(facts):
        components[root(place)].append(fact)
    return list(components.values())


def _core(component: list[Fact], words: dict[str, frozenset[str]]) -> list[Fact]:
    """The facts of a component that are closest to its centre, oldest first."""
    if len(component) <= MOST_FACTS:
        return component
    def closeness(fact: Fact) -> float:
        return sum(dice(words[fact.id], words[other.id]) for other in component)

    centre = min(component, key=lambda fact: (-closeness(fact), fact.created_at, fact.id))
    near = sorted(component, key=lambda fact: (-dice(words[fact.id], words[centre.id]), fact.created_at, fact.id))
    return sorted(near[:MOST_FACTS], key=lambda fact: (fact.created_at, fact.id))
