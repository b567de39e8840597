"""Settling what contradicts the persona. What rules cannot decide stays queued, marked, for as long as it takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from memory.facts.fact import Fact
from memory.facts.rules.clean import fold_line
from memory.facts.rules.compare import Statement, contradicts
from memory.facts.rules.draft import is_single_valued
from memory.people import Names
from memory.persona.corrections import Correction
from memory.persona.entry import MANUAL, REFLECTED, Entry, manual_id, reworded
from memory.persona.pen import PersonaPen
from memory.persona.promote import entry_from, merge_into
from memory.persona.weigh import said_last
from memory.reflections import evidence as trust
from memory.reflections.claims import known_facts
from memory.reflections.pen import Because
from memory.reflections.reflection import MERGED, PROMOTE_BLOCKED, PROMOTED, Reflection
from memory.reflections.wording import about
from memory.space import MemorySpace

_AT_ONCE = 10
KEEP_NEW, KEEP_OLD, KEEP_BOTH, MERGE, GONE = "keep_new", "keep_old", "keep_both", "merge", "gone"


@dataclass(frozen=True, slots=True)
class Newer:
    """The newer side of a correction, as far as it is known."""

    fact: Fact | None = None
    reflection: Reflection | None = None
    changed: bool = False               # it was said with a cue of change
    said_at: datetime | None = None

    @property
    def statement(self) -> Statement | None:
        held = self.fact or self.reflection
        return held if held is not None and held.slot is not None else None


async def resolve_corrections(space: MemorySpace, names: Names) -> int:
    """Settle up to ten queued corrections, oldest first. Returns how many were settled."""
    if all(one.needs_model for one in space.views.corrections):
        return 0
    settled = 0
    async with space.journal.write() as batch:
        pen = PersonaPen(space, batch, space.clock.now())
        for correction in [one for one in pen.corrections() if not one.needs_model][:_AT_ONCE]:
            action, rule = _decide(pen, correction, names)
            if action is None:
                pen.left_to_model(correction)
                continue
            settle(pen, correction, action, Because(rule=rule, fact=correction.fact_id))
            settled += 1
    return settled


def _decide(pen: PersonaPen, correction: Correction, names: Names) -> tuple[str | None, str]:
    entry, newer = entry_of(pen, correction), newer_of(pen, correction)
    if entry is None:
        return GONE, "old_entry_gone"
    if fold_line(entry.text) == fold_line(correction.new_text):
        return MERGE, "same_text"
    statement = newer.statement
    if statement is not None and entry.slot is not None:
        if contradicts(statement, entry) or newer.changed:
            if is_single_valued(entry.slot) and not statement.negated and _is_newer(newer, entry):
                return KEEP_NEW, "newer_value"
            if newer.changed:
                return KEEP_NEW, "change_of_mind"
            return None, ""
        if statement.slot == entry.slot and not _share(statement.object, entry.object, names):
            return KEEP_BOTH, "different_objects"
    mine, theirs = fold_line(correction.new_text), fold_line(entry.text)
    if mine in theirs or theirs in mine:
        return MERGE, "contained"
    return None, ""


def settle(pen: PersonaPen, correction: Correction, action: str, because: Because) -> None:
    """Do what was decided, with the reflection that the new sentence came from too."""
    entry, newer = entry_of(pen, correction), newer_of(pen, correction)
    one = newer.reflection if newer.reflection is not None and not newer.reflection.is_terminal else None
    if action == KEEP_NEW and entry is not None:
        _replace(pen, entry, correction, newer, because)
        if one is not None:
            pen.entered(one.id, MERGED, because, absorbed_into=entry.id)
    elif action == MERGE and entry is not None and one is not None:
        merge_into(pen, entry, one, because)
    elif action == MERGE and entry is not None:
        if len(correction.new_text) > len(entry.text):
            pen.rewritten(reworded(entry, correction.new_text, pen.now, "correction"), "correction", because)
    elif action == KEEP_BOTH:
        _add(pen, correction, one, because)
    elif action == KEEP_OLD and one is not None:
        # It would contradict the entry again and again.
        pen.entered(one.id, PROMOTE_BLOCKED, because, promote_blocked_reason="kept_old")
    elif action == GONE and correction.reflection_id is None and correction.fact_id is None:
        _add(pen, correction, None, because)   # queued by another program, which kept nothing else of it
    pen.resolved(correction, action, because)


def _replace(pen: PersonaPen, entry: Entry, correction: Correction, newer: Newer, because: Because) -> None:
    """The entry says the new thing from now on; what it said before stays in its history."""
    held = newer.fact or newer.reflection
    if newer.reflection is not None:
        evidence, sources = newer.reflection.evidence, newer.reflection.source_fact_ids
    else:
        importance = newer.fact.importance if newer.fact is not None else 0
        evidence, sources = trust.seeded([importance], pen.now), (newer.fact.id,) if newer.fact is not None else ()
    fresh = reworded(
        entry, correction.new_text, pen.now, "correction",
        source_fact_id=correction.fact_id, evidence=evidence, source_fact_ids=sources,
    )  # fmt: skip
    if held is not None:
        fresh = replace(fresh, slot=held.slot, object=held.object, negated=held.negated)
    pen.rewritten(fresh, "correction", because)


def _add(pen: PersonaPen, correction: Correction, one: Reflection | None, because: Because) -> None:
    if one is not None:
        pen.added(entry_from(one, pen, REFLECTED), because)
        pen.entered(one.id, PROMOTED, because)
        return
    if any(entry.text == correction.new_text for entry in pen.entries(correction.entity)):
        return
    entry = Entry(
        id=manual_id(correction.new_text, pen.now),
        text=correction.new_text,
        entity=correction.entity,
        source=MANUAL,
        added_at=pen.now,
    )
    pen.added(entry, because)


def entry_of(pen: PersonaPen, correction: Correction) -> Entry | None:
    """The entry that holds the old sentence, as it is now."""
    if correction.entry_id is not None:
        return pen.entry(correction.entity, correction.entry_id)
    return next((one for one in pen.entries(correction.entity) if one.text == correction.old_text), None)


def newer_of(pen: PersonaPen, correction: Correction) -> Newer:
    """Where the new sentence came from, as far as it is known."""
    lists = (pen.space.facts, pen.space.views.facts_archive)
    if correction.fact_id is not None:
        fact = next(iter(known_facts([correction.fact_id], *lists)), None)
        if fact is not None:
            return Newer(fact=fact, changed=fact.correction, said_at=said_last(fact))
    if correction.reflection_id is not None:
        one = pen.reflection(correction.reflection_id)
        if one is not None:
            facts = known_facts(one.source_fact_ids, *lists)
            said = max((said_last(fact) for fact in facts), default=one.created_at)
            return Newer(reflection=one, changed=any(fact.correction for fact in facts), said_at=said)
    return Newer()


def _is_newer(newer: Newer, entry: Entry) -> bool:
    return newer.said_at is not None and (entry.added_at is None or newer.said_at > entry.added_at)


def _share(one: str | None, other: str | None, names: Names) -> bool:
    return bool(about(one or "", names) & about(other or "", names))
