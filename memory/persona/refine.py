"""Reflections and entries that say the very same become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from memory.facts.rules.clean import fold_line
from memory.facts.rules.compare import same_statement
from memory.persona.entry import Entry, reworded
from memory.persona.pen import PersonaPen
from memory.reflections import evidence as trust
from memory.reflections.pen import PROMOTE_MERGE, Because
from memory.reflections.reflection import MERGED, Reflection
from memory.space import MemorySpace

T = TypeVar("T", Reflection, Entry)


async def refine(space: MemorySpace) -> int:
    """Merge exact and contained duplicates about one person. Returns how many were merged away."""
    if len(space.reflections.alive()) < 2 and len(space.persona) < 2:
        return 0
    async with space.journal.write() as batch:
        pen = PersonaPen(space, batch, space.clock.now())
        return _merge_reflections(pen) + _merge_entries(pen)


def _merge_reflections(pen: PersonaPen) -> int:
    merged = 0
    for older, newer, rule in _duplicates(pen.alive()):
        because = Because(rule=rule)
        pen.weighed(older.id, trust.merged(older.evidence, newer.evidence, pen.now), PROMOTE_MERGE, because)
        pen.entered(newer.id, MERGED, because, absorbed_into=older.id)
        merged += 1
    return merged


def _merge_entries(pen: PersonaPen) -> int:
    merged = 0
    for older, newer, rule in _duplicates([entry for entry in pen.entries() if not entry.protected]):
        because = Because(rule=rule)
        kept = replace(
            older,
            evidence=trust.merged(older.evidence, newer.evidence, pen.now),
            merged_from_ids=tuple(dict.fromkeys((*older.merged_from_ids, newer.id, *newer.merged_from_ids))),
            source_fact_ids=tuple(sorted({*older.source_fact_ids, *newer.source_fact_ids})),
        )
        pen.entry_weighed(kept, PROMOTE_MERGE, because)
        if len(newer.text) > len(older.text):
            pen.rewritten(reworded(kept, newer.text, pen.now, "refine"), "refine", because)
        pen.removed(newer, because)
        merged += 1
    return merged


def _duplicates(held: Sequence[T]) -> list[tuple[T, T, str]]:
    """Pairs of an older and a newer one that say the same; each takes part in one pair at most."""
    found: list[tuple[T, T, str]] = []
    taken: set[tuple[str, str]] = set()
    for place, newer in enumerate(held):
        for older in held[:place]:
            keys = {(older.entity, older.id), (newer.entity, newer.id)}
            if keys & taken or older.entity != newer.entity or older.negated != newer.negated:
                continue
            rule = _sameness(older, newer)
            if rule is not None:
                taken |= keys
                found.append((older, newer, rule))
                break
    return found


def _sameness(older: T, newer: T) -> str | None:
    mine, theirs = fold_line(_says(older)), fold_line(_says(newer))
    if mine == theirs:
        return "same_text"
    if same_statement(older, newer) and (mine in theirs or theirs in mine):
        return "contained"
    return None


def _says(held: Reflection | Entry) -> str:
    return (held.statement if isinstance(held, Reflection) else None) or held.text
