"""Weighing what is held against what the user said lately: a fact speaks for it, against it, or neither."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime

from memory.facts.fact import USER_OBSERVATION, Fact
from memory.facts.rules.draft import METHOD, is_single_valued
from memory.people import Names
from memory.persona.corrections import Correction
from memory.persona.entry import Entry
from memory.persona.pen import PersonaPen
from memory.reflections import evidence as trust
from memory.reflections.claims import bearing_of, known_facts
from memory.reflections.evidence import Evidence
from memory.reflections.pen import USER_FACT, Because
from memory.reflections.reflection import Reflection
from memory.space import MemorySpace

_AT_ONCE = 20               # facts per commit, the weightiest first
_LOOKED_AT = 500            # of those that wait
_ONE_ROUND = 1_000          # facts; what another program left may be very much, and other work waits
_BY_RULE = 0.5              # weight of what a rule sees, against what a model or the user says outright
_SURE = 0.7                 # confidence of a fact that may question the persona


async def weigh(space: MemorySpace, names: Names) -> int:
    """Weigh the facts that were not yet, up to a number in one go. Returns how many facts were.

    A fact and what follows from it are written together, so nothing is counted twice.
    """
    weighed = 0
    while weighed < _ONE_ROUND and _is_any(space):
        async with space.journal.write() as batch:
            waiting = _waiting(space)[:_AT_ONCE]
            if not waiting:
                break
            pen = PersonaPen(space, batch, space.clock.now())
            for fact in waiting:
                if fact.source == USER_OBSERVATION and fact.superseded_by is None and fact.memory is None:
                    _weigh(pen, fact, names)
                    await asyncio.sleep(0)  # a large persona takes its time; others may read meanwhile
            batch.add("fact.weighed", {"ids": [fact.id for fact in waiting], "method": METHOD})
            weighed += len(waiting)
        space.at("weigh.committed")
    return weighed


def said_last(fact: Fact) -> datetime:
    """When it was said the last time."""
    return fact.repeated_at[-1] if fact.repeated_at else fact.created_at


def _is_any(space: MemorySpace) -> bool:
    return any(facts.unweighed(1) for facts in (space.facts, space.views.facts_archive))


def _waiting(space: MemorySpace) -> list[Fact]:
    found = [fact for facts in (space.facts, space.views.facts_archive) for fact in facts.unweighed(_LOOKED_AT)]
    return sorted(found, key=lambda fact: (-fact.importance, fact.created_at, fact.id))


def _weigh(pen: PersonaPen, fact: Fact, names: Names) -> None:
    for one in pen.alive():
        evidence, because = _effect(pen, fact, one, one.evidence, names)
        if because is not None:
            pen.weighed(one.id, evidence, USER_FACT, because)
    for entry in pen.entries(fact.entity):
        if entry.protected:
            continue
        evidence, because = _effect(pen, fact, entry, entry.evidence, names)
        if because is None:
            continue
        pen.entry_weighed(replace(entry, evidence=evidence), USER_FACT, because)
        if because.rule != "same_statement" and because.rule != "same_wording" and _questions(fact):
            pen.queued(_correction(pen, entry, fact), because)


def _effect(
    pen: PersonaPen, fact: Fact, held: Reflection | Entry, evidence: Evidence, names: Names
) -> tuple[Evidence, Because | None]:
    """The trust that a fact leaves something with, and why; no reason when it leaves it alone."""
    said = min(said_last(fact), pen.now)
    known_since = held.created_at if isinstance(held, Reflection) else held.added_at
    if fact.id in held.source_fact_ids and (known_since is None or said <= known_since):
        return evidence, None                    # it is drawn from this very saying
    sources = known_facts(held.source_fact_ids, pen.space.facts, pen.space.views.facts_archive)
    bearing = bearing_of(fact, held, sources, names)
    if bearing is None:
        return evidence, None
    because = Because(rule=bearing.rule, turn=fact.sources[-1] if fact.sources else None, fact=fact.id)
    if not bearing.supports:
        return trust.disputed(evidence, 1.0 if fact.correction else 0.5, said), because
    if evidence.reinforced_at is not None and evidence.reinforced_at.date() == said.date():
        return evidence, None                    # once a day: what is said over and over in one talk is one saying
    return trust.reinforced_by_fact(evidence, said, weight=_BY_RULE), because


def _questions(fact: Fact) -> bool:
    return (fact.confidence or 0.0) >= _SURE and (fact.correction or is_single_valued(fact.slot))


def _correction(pen: PersonaPen, entry: Entry, fact: Fact) -> Correction:
    return Correction(
        old_text=entry.text,
        new_text=fact.text,
        entity=entry.entity,
        created_at=pen.now,
        fact_id=fact.id,
        entry_id=entry.id,
    )
