"""Reflections and entries that say the very same become one."""

from __future__ import annotations

from collections import defaultdict
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
        pen.weighed(older.id, trust.joined(older.evidence, newer.evidence), PROMOTE_MERGE, because)
        pen.entered(newer.id, MERGED, because, absorbed_into=older.id)
        merged += 1
    return merged


def _merge_entries(pen: PersonaPen) -> int:
    merged = 0
    for older, newer, rule in _duplicates([entry for entry in pen.entries() if not entry.protected]):
        because = Because(rule=rule)
        kept = replace(
            older,
            evidence=trust.joined(older.evidence, newer.evidence),
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
    alike: defaultdict[tuple[str, bool, str | None], list[tuple[T, str]]] = defaultdict(list)
    exact: dict[tuple[str, bool, str], T] = {}
    taken: set[tuple[str, str]] = set()
    for newer in held:
        says = fold_line(_says(newer))
        group = alike[(newer.entity, newer.negated, newer.slot)]
        older, rule = exact.get((newer.entity, newer.negated, says)), "same_text"
        if older is None:
            older, rule = _containing(newer, says, group), "contained"
        if older is not None and (older.entity, older.id) not in taken:
            taken |= {(older.entity, older.id), (newer.entity, newer.id)}
            found.append((older, newer, rule))
            continue
        exact.setdefault((newer.entity, newer.negated, says), newer)
        group.append((newer, says))
    return found


def _containing(newer: T, says: str, group: Sequence[tuple[T, str]]) -> T | None:
    """One of the same statement whose wording is part of this one's, or the other way round."""
    return next(
        (older for older, theirs in group if (says in theirs or theirs in says) and same_statement(older, newer)), None
    )


def _says(held: Reflection | Entry) -> str:
    return (held.statement if isinstance(held, Reflection) else None) or held.text
