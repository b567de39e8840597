"""Storing what a client wants remembered, and promoting evidence to it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.errors import MemoryServiceError
from memory.facts.conflict import OWNERSHIP, PROMOTION
from memory.facts.desk import CONFLICT, DEDUPED, PROMOTED, STORED_NEW, UPDATED, Desk, Outcome
from memory.facts.draft import Draft
from memory.facts.fact import Fact
from memory.facts.memory import APPEND_ONLY, PROVENANCE_KEPT, Memory, Provenance
from memory.facts.slots import Slot, slot_in_key, slot_of
from memory.scopes import Scope
from memory.space import MemorySpace

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What is to be stored in one scope."""

    space: MemorySpace
    scope: Scope
    drafts: Sequence[Draft]


class PartlyStored(MemoryServiceError):
    """What belonged to some scopes was stored, and then the disk refused the rest."""

    def __init__(self, stored: Sequence[Group]) -> None:
        super().__init__("only a part was stored")
        self.stored = tuple(stored)


async def store(space: MemorySpace, scope: Scope, drafts: Sequence[Draft]) -> list[Outcome]:
    """Store all of the drafts or, when that fails, none. Each is decided after those before it."""
    outcomes, = await store_together([Group(space=space, scope=scope, drafts=drafts)])
    return outcomes


async def store_together(groups: Sequence[Group]) -> list[list[Outcome]]:
    """The same in several scopes. What each says is decided before anything is written in any of them.

    A scope that may not be written, or cannot be, is therefore found while nothing is stored yet.
    Raises what a write raises; PartlyStored from what the disk said when it refuses one of them
    after another is stored.
    """
    outcomes: dict[int, list[Outcome]] = {}
    stored: list[Group] = []
    # Whoever waits for several locks takes them in the same order as everybody else.
    order = sorted(range(len(groups)), key=lambda place: groups[place].space.name)
    try:
        await _store_in_order(groups, order, outcomes, stored)
    except (MemoryServiceError, OSError) as error:
        if stored:
            raise PartlyStored(stored) from error
        raise
    for place, group in enumerate(groups):
        for outcome in outcomes[place]:
            log.info("%s: %s %s", group.space.name, outcome.disposition, outcome.fact.id)
    return [outcomes[place] for place in range(len(groups))]


async def _store_in_order(
    groups: Sequence[Group], order: Sequence[int], outcomes: dict[int, list[Outcome]], stored: list[Group]
) -> None:
    """Each scope's block within that of the one before, so that an error in one ends those around it, too."""
    if not order:
        return
    group = groups[order[0]]
    async with group.space.journal.write() as batch:
        desk = Desk(group.space, group.scope, batch)
        outcomes[order[0]] = [_store(desk, draft) for draft in group.drafts]
        desk.name_scope()
        await _store_in_order(groups, order[1:], outcomes, stored)
    stored.append(group)


def _store(desk: Desk, draft: Draft) -> Outcome:
    other = desk.in_other_categories(draft)
    if other is not None:
        conflict = desk.dispute(draft, other, OWNERSHIP)
        return Outcome(draft=draft, disposition=CONFLICT, fact=other, scope=desk.scope, conflict=conflict)
    same = desk.saying_the_same(draft)
    if same is not None:
        return Outcome(draft=draft, disposition=DEDUPED, fact=same, scope=desk.scope)
    owner = None if draft.memory.category in APPEND_ONLY else desk.owner(draft)
    if owner is not None:
        return Outcome(draft=draft, disposition=UPDATED, fact=desk.revise(owner, draft), scope=desk.scope)
    return Outcome(draft=draft, disposition=STORED_NEW, fact=desk.add(draft), scope=desk.scope)


async def promote(space: MemorySpace, scope: Scope, draft: Draft, source: Provenance) -> Outcome:
    """Make evidence a memory of its own. The evidence stays as it is.

    What is known already gains the evidence as one more thing that it rests on. What another
    memory owns is never overwritten: that is a conflict for somebody to decide.
    """
    async with space.journal.write() as batch:
        desk = Desk(space, scope, batch)
        outcome = _promote(desk, draft, replace(source, observed_at=desk.now))
        desk.name_scope()
    log.info("%s: %s %s from %s", space.name, outcome.disposition, outcome.fact.id, source.memory_id)
    return outcome


def _promote(desk: Desk, draft: Draft, source: Provenance) -> Outcome:
    first = replace(source, observed_at=None)
    draft = replace(draft, memory=replace(draft.memory, promoted_from=first))
    other = desk.in_other_categories(draft)
    if other is not None:
        conflict = desk.dispute(draft, other, OWNERSHIP, source.memory_id)
        return Outcome(draft=draft, disposition=CONFLICT, fact=other, scope=desk.scope, conflict=conflict)
    same = desk.saying_the_same(draft)
    if same is not None:
        return Outcome(draft=draft, disposition=DEDUPED, fact=_observe(desk, same, source), scope=desk.scope)
    owner = None if draft.memory.category in APPEND_ONLY else desk.owner(draft)
    if owner is None:
        return Outcome(draft=draft, disposition=PROMOTED, fact=desk.add(draft), scope=desk.scope)
    if same_preference(owner, draft):
        return Outcome(draft=draft, disposition=PROMOTED, fact=_observe(desk, owner, source), scope=desk.scope)
    conflict = desk.dispute(draft, owner, PROMOTION, source.memory_id)
    return Outcome(draft=draft, disposition=CONFLICT, fact=owner, scope=desk.scope, conflict=conflict)


def same_preference(owner: Fact, draft: Draft) -> bool:
    """Whether both are about the same preference, told by their words or else by their keys."""
    own = _slot(owner.text, owner.memory.key if owner.memory is not None else None, draft.memory.category)
    return own is not None and own == _slot(draft.text, draft.memory.key, draft.memory.category)


def _slot(text: str, key: str | None, category: str) -> Slot | None:
    if category != "preferences":
        return None
    return slot_of(text) or slot_in_key(key)


def _observe(desk: Desk, fact: Fact, source: Provenance) -> Fact:
    assert fact.memory is not None
    return desk.annotate(fact, observed(fact.memory, source))


def observed(memory: Memory, source: Provenance) -> Memory:
    """The memory with one more piece of evidence; a known one keeps the time at which it was first seen.

    The one that a memory was promoted from counts as its first.
    """
    known = list(memory.provenance)
    count = memory.provenance_count
    if not known and memory.promoted_from is not None:
        known = [replace(memory.promoted_from, observed_at=memory.first_at)]
        count = max(count, 1)
    for place, one in enumerate(known):
        if one.memory_id == source.memory_id:
            known[place] = replace(source, observed_at=one.observed_at or source.observed_at)
            break
    else:
        known.append(source)
        count += 1
    return replace(
        memory,
        promoted_from=memory.promoted_from or replace(source, observed_at=None),
        provenance=tuple(known[-PROVENANCE_KEPT:]),
        provenance_count=count,
    )
