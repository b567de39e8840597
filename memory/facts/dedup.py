"""Facts that may say the same: what is certain is settled at once, what needs judgement is queued and stays visible."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import lru_cache

from memory.facts.fact import Fact
from memory.facts.pairs import Pair
from memory.facts.record import to_record
from memory.facts.rules.clean import fold_line
from memory.facts.rules.compare import same_statement
from memory.recall.words import words
from memory.space import MemorySpace
from memory.store.journal import Batch

_ALIKE = 0.25                           # share of words from which two facts are compared
_UNSURE = 0.5                           # … and from which two facts without a slot need judgement
_SLICE = 200                            # facts looked at before others get their turn
_AT_ONCE = 20
_LOOKED_AT = 500

MERGE, REPLACE, KEEP_BOTH, GONE, WAIT = "merge", "replace", "keep_both", "gone", "wait"


async def compare_new(space: MemorySpace) -> int:
    """Compare facts not yet weighed with what resembles them. Returns how many pairs were settled or queued.

    What rules learnt has a slot and was compared as it was learnt; this is for facts that others
    wrote, on either side. What somebody stored under a key of its own is never merged.
    """
    bare = space.facts.has_in_slot("")
    taught = [fact for fact in space.facts.unweighed(_LOOKED_AT) if fact.memory is None]
    fresh = [fact for fact in taught if bare or fact.slot is None][:_AT_ONCE]
    pairs = [pair for fact in fresh if (pair := await _nearest(space, fact)) is not None]
    if not pairs:
        return 0
    done = 0
    async with space.journal.write() as batch:
        changed: set[str] = set()
        for pair in pairs:
            action, _ = _settle(space, batch, pair, changed)
            key = space.views.pending_pairs.key_of(pair)
            unsure = action is None and pair.similarity >= _UNSURE
            if (unsure or action == WAIT) and key not in space.views.pending_pairs:
                _queue(space, batch, pair, "alike", needs_model=unsure)
            done += action is not None
    return done


async def resolve_pairs(space: MemorySpace) -> int:
    """Settle queued pairs that rules can settle. Returns how many were; the others stay, marked."""
    if all(pair.needs_model for pair in space.views.pending_pairs):
        return 0
    settled = 0
    async with space.journal.write() as batch:
        changed: set[str] = set()
        for pair in [one for one in space.views.pending_pairs if not one.needs_model][:_AT_ONCE]:
            action, rule = _settle(space, batch, pair, changed)
            if action is None:
                _queue(space, batch, pair, "unsure", needs_model=True)
            if action in (None, WAIT):
                continue
            key = space.views.pending_pairs.key_of(pair)
            batch.add("pair.resolved", {"key": key, "action": action, "rule": rule})
            settled += 1
    return settled


def _settle(space: MemorySpace, batch: Batch, pair: Pair, changed: set[str]) -> tuple[str | None, str]:
    """Do with a pair what rules say; no action where they say nothing."""
    candidate, existing = space.facts.get(pair.candidate_id), space.facts.get(pair.existing_id)
    if {pair.candidate_id, pair.existing_id} & changed:
        return WAIT, "changed_just_now"
    if candidate is None or existing is None:
        return GONE, "one_is_gone"
    action, rule = decide(candidate, existing)
    if action in (MERGE, REPLACE):
        kept, dropped = (existing, candidate) if action == MERGE else (candidate, existing)
        changed.update((kept.id, dropped.id))   # one change of a fact per batch
        one = merged(kept, dropped, bump=action == MERGE)
        batch.add("fact.merged", {"fact": to_record(one), "gone": dropped.id, "rule": rule})
    return action, rule


def _queue(space: MemorySpace, batch: Batch, pair: Pair, rule: str, *, needs_model: bool) -> None:
    row = space.views.pending_pairs.to_row(replace(pair, needs_model=needs_model))
    batch.add("pair.queued", {"pair": row, "rule": rule})


def decide(candidate: Fact, existing: Fact) -> tuple[str | None, str]:
    """What becomes of two facts that resemble each other; no action where that is not certain."""
    mine, theirs = fold_line(candidate.text), fold_line(existing.text)
    if mine == theirs and candidate.negated == existing.negated:
        return MERGE, "same_text"
    if same_statement(candidate, existing):
        if mine in theirs:
            return MERGE, "contained"
        if theirs in mine:
            return REPLACE, "contains"
        return KEEP_BOTH, "same_statement"
    if candidate.slot is not None and existing.slot is not None:
        return KEEP_BOTH, "different_statements"
    return None, ""


async def _nearest(space: MemorySpace, fact: Fact) -> Pair | None:
    """The other fact about the same person that shares most words, if it shares enough."""
    own = _words(fact.text)
    best: tuple[float, Fact] | None = None
    for place, other in enumerate(list(space.facts)):
        if place % _SLICE == _SLICE - 1:
            await asyncio.sleep(0)
        if other.id == fact.id or other.entity != fact.entity:
            continue
        if other.superseded_by is not None or other.memory is not None:
            continue
        alike = _dice(own, _words(other.text))
        if alike >= _ALIKE and (best is None or (alike, best[1].id) > (best[0], other.id)):
            best = (alike, other)
    if best is None:
        return None
    similarity, other = best
    older, newer = sorted((other, fact), key=lambda one: (one.created_at, one.id))
    return Pair(
        candidate_id=newer.id,
        existing_id=older.id,
        candidate_text=newer.text,
        existing_text=older.text,
        entity=newer.entity,
        similarity=round(similarity, 4),
        queued_at=space.clock.now(),
    )


@lru_cache(maxsize=1 << 14)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(text))


def merged(kept: Fact, dropped: Fact, *, bump: bool) -> Fact:
    """The fact that two of them become; ``bump`` makes it weigh more."""
    merged_from = [*kept.extra.get("merged_from_ids", ()), dropped.id, *dropped.extra.get("merged_from_ids", ())]
    again = sorted({*kept.repeated_at, *dropped.repeated_at, max(kept.created_at, dropped.created_at)})
    return replace(
        kept,
        importance=min(10, kept.importance + 1) if bump else max(kept.importance, dropped.importance),
        created_at=min(kept.created_at, dropped.created_at),
        sources=tuple(dict.fromkeys((*dropped.sources, *kept.sources))),
        repeated_at=tuple(again),
        absorbed=kept.absorbed or dropped.absorbed,
        extra={**kept.extra, "merged_from_ids": list(dict.fromkeys(merged_from))},
    )


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
