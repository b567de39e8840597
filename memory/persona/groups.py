"""What is held about one person and says nearly the same, a few at a time: by meaning, else by the words it shares."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from memory.models.embedder import Embedder
from memory.people import Names
from memory.persona.entry import Entry
from memory.persona.signals import Held, key_of_held
from memory.recall.document import PERSONA, REFLECTION
from memory.recall.neighbours import Edge, neighbours
from memory.reflections import fields
from memory.reflections.wording import about, dice
from memory.space import MemorySpace

HASH, AT = "last_refine_cluster_hash", "last_refine_at"

MOST_MEMBERS = 6
_NEIGHBOURS = 5                     # of each member, the closest
_RELATED = 0.5                      # share of telling words that two members of a group have in common
_LOOKED_AT = 400                    # members of one section that are compared
_AGAIN = timedelta(days=30)
_SLICE = 20                         # members compared before others get their turn

Group = dict[str, Held]             # by the id that a prompt shows


def cluster_hash(group: Mapping[str, Held]) -> str:
    """What tells a group from others, whatever its members say."""
    joined = "|".join(sorted(held.id for held in group.values()))
    return hashlib.sha1(joined.encode(), usedforsecurity=False).hexdigest()[:16]


async def groups(space: MemorySpace, names: Names, embedder: Embedder | None) -> list[Group]:
    """Groups that were not looked through lately, those that wait longest first."""
    now = space.clock.now()
    held: list[Held] = [entry for entry in space.persona if not entry.protected]
    sections: dict[tuple[bool, str], list[Held]] = {}
    for one in [*held, *space.reflections.alive()]:
        sections.setdefault((isinstance(one, Entry), one.entity), []).append(one)
    found: list[tuple[datetime | None, Group]] = []
    for members in sections.values():
        newest = members[-_LOOKED_AT:]
        for members_of_one in _components(newest, await _edges(space, names, embedder, newest)):
            group = {key_of_held(one): one for one in members_of_one}
            hash_ = cluster_hash(group)
            stamps = [fields.moment(one.extra.get(AT), space.clock) for one in members_of_one]
            recent = all(
                one.extra.get(HASH) == hash_ and at is not None and now - at < _AGAIN
                for one, at in zip(members_of_one, stamps, strict=True)
            )
            if not recent:
                known = [at for at in stamps if at is not None]
                found.append((min(known) if len(known) == len(stamps) else None, group))
    found.sort(key=lambda pair: (pair[0] is not None, pair[0].timestamp() if pair[0] is not None else 0.0))
    return [group for _, group in found]


async def _edges(
    space: MemorySpace, names: Names, embedder: Embedder | None, members: Sequence[Held]
) -> list[Edge]:
    """Which members are about the same. Those without a vector are compared by their words."""
    known: frozenset[int] = frozenset()
    edges: list[Edge] = []
    if embedder is not None and embedder.state == "ready":
        await space.library.snapshots((REFLECTION, PERSONA), names)     # what changed lately wants another vector
        if embedder.fingerprint == space.library.vectors.fingerprint:
            ids = [key_of_held(one) if isinstance(one, Entry) else one.id for one in members]
            documents = space.library.vectors_of((REFLECTION, PERSONA))
            known, edges = neighbours(documents, ids, floor=embedder.thresholds.cluster, most=_NEIGHBOURS)
    words = [about(one.text, names) for one in members]
    for place, own in enumerate(words):
        if place % _SLICE == _SLICE - 1:
            await asyncio.sleep(0)
        alike = [
            (place, other, share)
            for other in range(place + 1, len(members))
            if not {place, other} <= known and (share := dice(own, words[other])) >= _RELATED
        ]
        edges += sorted(alike, key=lambda edge: (-edge[2], edge[1]))[:_NEIGHBOURS]
    return edges


def _components(members: Sequence[Held], edges: Sequence[Edge]) -> list[list[Held]]:
    """Members that hang together, in groups of at most six: those with the closest neighbour in theirs."""
    parent = list(range(len(members)))
    nearest = [0.0] * len(members)

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for one, other, likeness in edges:
        parent[root(other)] = root(one)
        nearest[one], nearest[other] = max(nearest[one], likeness), max(nearest[other], likeness)
    together: dict[int, list[int]] = {}
    for place in range(len(members)):
        together.setdefault(root(place), []).append(place)
    found = [sorted(sorted(places, key=lambda at: (-nearest[at], at))[:MOST_MEMBERS]) for places in together.values()]
    return [[members[place] for place in places] for places in found if len(places) > 1]
