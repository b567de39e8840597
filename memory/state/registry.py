"""The facts of a space as a registry: entries with facet, evidence and versions, and what of them is listed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from memory.facts.evidence import category_of, is_shown
from memory.facts.fact import RELATIONSHIP, Fact
from memory.facts.memory import ENTITIES, PREFERENCES, PROFILE
from memory.facts.retired import FORGOTTEN, REPLACED, Retired
from memory.sessions.handoffs import Handoff
from memory.space import MemorySpace
from memory.state.facets import NOTES, Pack, fact_key

NOTE = "note"               # the slot of what was noted on purpose
FACET = "facet:"            # … and what the slot of a fact begins with that was written into a facet
CHAIN_EVIDENCE = 2_000      # UTF-16 units of one piece of evidence that are shown
_PROFILE_TYPE = "profile"
_HISTORY = 500              # entries of a snapshot that no longer hold
_HANDOFF_CONFIDENCE = 0.95
_NOTE_CONFIDENCE = 0.9
_USUAL_CONFIDENCE = 0.6

# What a learnt fact answers → its facet in the personal pack.
_FACETS: Mapping[str, str] = {
    **dict.fromkeys(("plan", "event", "state", "habit"), "ongoing"),
    "promise": "followUps",
    "wish": "goals",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One version of a fact, or of a handoff."""

    id: str
    content: str
    confidence: float               # 0..1
    added_at: datetime              # aware
    evidence: tuple[str, ...]       # ids of turns; empty where it rests on nothing that is held
    facet: str
    type: str = _PROFILE_TYPE
    entities: tuple[str, ...] = ()  # lower-cased nouns
    superseded_by: str | None = None
    retired_at: datetime | None = None
    retired_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A fact under its heading."""

    key: str
    text: str
    created_at: datetime | None
    fact_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A heading."""

    name: str
    items: tuple[Listed, ...]


def active(space: MemorySpace) -> list[Fact]:
    """Facts that hold, in the order in which they were learnt."""
    found = {fact.id: fact for fact in space.views.facts_archive if is_shown(fact)}
    found |= {fact.id: fact for fact in space.facts if is_shown(fact)}
    return sorted(found.values(), key=lambda fact: fact.created_at)


def facet_of(fact: Fact) -> str:
    """The facet that a fact belongs to. What no rule places is a note."""
    if (fact.slot or "").startswith(FACET):
        return (fact.slot or "").removeprefix(FACET) or NOTES
    slot = (fact.slot or "").partition(":")[0]
    if slot == NOTE:
        return NOTES
    if fact.memory is None and slot in _FACETS:
        return _FACETS[slot]
    match category_of(fact) if fact.memory is not None else _detected(fact, slot):
        case "profile":
            return "identity"
        case "preferences":
            return "style"
        case "entities":
            return "relationships"
        case _:
            return NOTES


def slot_of(facet: str) -> str:
    """The slot of a fact that is written into a facet."""
    return NOTE if facet == NOTES else f"{FACET}{facet}"


def entities_of(fact: Fact) -> tuple[str, ...]:
    """What a fact is about, as far as that was noted with it."""
    listed = fact.memory.details.get("entities") if fact.memory is not None else None
    return tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()


def _detected(fact: Fact, slot: str) -> str:
    """The category of what a conversation taught, before it was set down as evidence alone."""
    if not slot:
        return ENTITIES if fact.entity == RELATIONSHIP else NOTES
    if slot in _PEOPLE:
        return ENTITIES
    return PREFERENCES if slot in _TASTES else PROFILE


_PEOPLE = frozenset(
    {"partner", "family", "people", "pet", "possession", "about_character", "character_name", "bond", "remember"}
)
_TASTES = frozenset({"preference", "favourite", "fear", "hobby"})


def entry_of(fact: Fact) -> Entry:
    """The registry's entry of a fact."""
    return Entry(
        id=fact.id,
        content=fact.text,
        confidence=_confidence(fact),
        added_at=fact.created_at,
        evidence=fact.sources,
        facet=facet_of(fact),
        superseded_by=fact.superseded_by,
        entities=entities_of(fact),
    )


def _confidence(fact: Fact) -> float:
    if fact.slot == NOTE:
        return _NOTE_CONFIDENCE
    if (fact.slot or "").startswith(FACET) and fact.confidence is not None:
        return fact.confidence
    if fact.memory is not None:
        return fact.memory.confidence
    return fact.confidence if fact.confidence is not None else _USUAL_CONFIDENCE


def groups(space: MemorySpace, pack: Pack) -> list[Group]:
    """What is listed, under its headings in the order of the pack. Of two that read alike the first counts."""
    found: dict[str, dict[str, Listed]] = {facet.group: {} for facet in pack.facets if facet.group is not None}
    heading = {facet.name: facet.group for facet in pack.facets}
    for fact in active(space):
        group = heading.get(facet_of(fact))
        if group is None:
            continue
        key = fact_key(group, fact.text)
        found[group].setdefault(
            key, Listed(key=key, text=fact.text, created_at=fact.created_at, fact_id=fact.id)
        )
    return [Group(name=name, items=tuple(items.values())) for name, items in found.items() if items]


def named(space: MemorySpace, pack: Pack, key: str) -> list[Fact]:
    """The facts that a key means: listed ones by their heading, others by their facet, any by its own id."""
    heading = {facet.name: facet.group or facet.name for facet in pack.facets}
    return [
        fact
        for fact in active(space)
        if key == fact.id or key == fact_key(heading.get(facet_of(fact), facet_of(fact)), fact.text)
    ]


def has_state(space: MemorySpace) -> bool:
    """Whether anything was ever known here."""
    views = space.views
    lists = (views.facts, views.facts_archive, views.retired, views.versions, views.handoffs)
    return any(len(one) > 0 for one in lists)


def chain(space: MemorySpace, entry_id: str) -> list[Entry]:
    """Every version of a fact or handoff, oldest first, whichever of them is asked for. Empty for an unknown id."""
    if entry_id in space.views.handoffs:
        return [_of_handoff(one) for one in space.views.handoffs]
    known = _versions(space)
    if entry_id not in known:
        return []
    before: dict[str, list[str]] = {}
    for entry in known.values():
        if entry.superseded_by is not None:
            before.setdefault(entry.superseded_by, []).append(entry.id)
    head, seen = entry_id, {entry_id}
    while (heir := known[head].superseded_by) is not None and heir in known and heir not in seen:
        head = heir
        seen.add(heir)
    gathered: dict[str, int] = {}       # id → how many versions came after it
    wanted = [(head, 0)]
    while wanted:
        one, depth = wanted.pop()
        if one not in gathered and one in known:
            gathered[one] = depth
            wanted += [(earlier, depth + 1) for earlier in before.get(one, ())]
    gathered.setdefault(entry_id, 0)    # a circle, which nothing of ours makes
    return sorted((known[one] for one in gathered), key=lambda entry: (entry.added_at, -gathered[entry.id], entry.id))


def snapshot(space: MemorySpace, at: datetime) -> list[Entry]:
    """The registry as it stood then: what held, and the newest of what did not any more, in the order of learning.

    What was forgotten since, and what led to it, is in no snapshot.
    """
    hidden = {one.fact.id for one in space.views.retired if one.guards or one.reason == FORGOTTEN}
    known = _versions(space)
    found: list[Entry] = []
    for entry in sorted(known.values(), key=lambda entry: (entry.added_at, entry.id)):
        if entry.added_at > at or entry.id in hidden:
            continue
        heir = known.get(entry.superseded_by or "")
        if entry.superseded_by is not None and heir is not None and heir.added_at > at:
            entry = replace(entry, superseded_by=None)
        if entry.retired_at is not None and entry.retired_at > at:
            entry = replace(entry, retired_at=None, retired_reason=None)
        found.append(entry)
    inactive = [entry.id for entry in found if not holds(entry)]
    beyond = set(inactive[: max(len(inactive) - _HISTORY, 0)])
    return [entry for entry in found if entry.id not in beyond]


def holds(entry: Entry) -> bool:
    """Whether an entry stands."""
    return entry.superseded_by is None and entry.retired_at is None


def _versions(space: MemorySpace) -> dict[str, Entry]:
    """Every version of every fact by its id."""
    found = {fact.id: entry_of(fact) for facts in (space.facts, space.views.facts_archive) for fact in facts}
    found |= {one.fact.id: _of_retired(one) for one in space.views.retired}
    for version in space.views.versions:
        entry = entry_of(version.fact)
        found[version.id] = replace(entry, id=version.id, superseded_by=version.heir)
    return found


def _of_retired(one: Retired) -> Entry:
    entry = entry_of(one.fact)
    if one.at is None and one.reason == REPLACED:
        return entry
    return replace(entry, retired_at=one.at, retired_reason=one.reason)


def _of_handoff(one: Handoff) -> Entry:
    return Entry(
        id=one.id,
        content=one.content,
        confidence=_HANDOFF_CONFIDENCE,
        added_at=one.at,
        evidence=(one.id,),
        facet="handoff",
        superseded_by=one.superseded_by,
        retired_at=one.retired_at,
        retired_reason=one.retired_reason,
    )


def evidence_ids(entries: Iterable[Entry]) -> Iterator[str]:
    """Ids of the turns that entries rest on, each once, in their order."""
    yield from dict.fromkeys(one for entry in entries for one in entry.evidence)
