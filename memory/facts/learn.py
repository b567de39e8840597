"""Learning facts from what was said, by rules."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from memory.facts.fact import AI_DISCLOSURE, Fact, text_hash
from memory.facts.record import to_record
from memory.facts.rules.compare import contradicts, related_slots, same_statement
from memory.facts.rules.draft import Draft, Drop
from memory.facts.rules.extract import extract
from memory.facts.rules.promise import promises
from memory.history.turn import AI, HUMAN, Turn
from memory.people import Names
from memory.space import MemorySpace
from memory.store.journal import Batch

log = logging.getLogger(__name__)

CURSOR = "extracted_row"

_PAUSE = 0.001   # seconds between two turns, so that whoever waits for an answer comes first
_ROWS = 50       # turns read between two commits
_SCENE = 12      # earlier turns that may have opened a scene played between the two
_OCCASIONS = 50  # times that one fact was said which are kept


async def learn(space: MemorySpace, names: Names, op_id: str | None = None, *, most: int | None = None) -> int:
    """Learn from every turn behind the cursor, or from ``most`` of them. Returns how many facts were added.

    Facts and cursor move in one commit, so a crash repeats a step or none of it. ``op_id`` is
    finished with the last step. Where turns come in faster than they are read it ends with those
    that were there at its beginning and stays owed, so that other work has its turn too.
    """
    added = 0
    last_row = space.turns.last_row
    if most is not None:
        last_row = min(last_row, space.views.cursors.row(CURSOR) + most)
    while True:
        turns = await space.turns.after(space.views.cursors.row(CURSOR), _ROWS)
        drafts: list[tuple[Turn, Draft]] = []
        earlier = await space.turns.between(turns[0].row - _SCENE, turns[0].row - 1) if turns else []
        for turn in turns:
            drafts += [(turn, draft) for draft in _read(space, names, turn, earlier[-_SCENE:])]
            earlier.append(turn)
            await asyncio.sleep(_PAUSE)
        space.at("learn.thought")
        async with space.journal.write() as batch:
            if turns and space.views.cursors.row(CURSOR) < turns[-1].row:
                added += keep(space, batch, [one for one in drafts if not was_erased(space, names, *one)])
                batch.add("cursor.moved", {"name": CURSOR, "to": turns[-1].row})
            done = not turns or turns[-1].row >= space.turns.last_row
            if done and op_id is not None:
                batch.finish(op_id)
        space.at("learn.committed")
        if done or turns[-1].row >= last_row:
            return added


def _read(space: MemorySpace, names: Names, turn: Turn, earlier: Sequence[Turn]) -> Sequence[Draft]:
    drops: Iterable[Drop] = ()
    drafts: Sequence[Draft] = ()
    if turn.kind == HUMAN:
        drafts, drops = extract(turn, names, space.clock, recalled=space.shown, earlier=earlier)
    elif turn.kind == AI:
        drafts = promises(turn, names)
    if drops:
        counts = Counter(drop.reason for drop in drops)
        log.debug("%s: %s left out %s", space.name, turn.id, dict(counts))
    return drafts


def was_erased(space: MemorySpace, names: Names, turn: Turn, draft: Draft) -> bool:
    """Whether the turn was erased meanwhile, or the statement was once and must not come back."""
    return turn.id in space.forgotten.ids or space.forgotten.covers(draft.text, names)


def keep(space: MemorySpace, batch: Batch, drafts: Sequence[tuple[Turn, Draft]]) -> int:
    """Add what is new, note on what is known that it was said again, and mark what is replaced."""
    fresh: dict[str, Fact] = {}
    again: dict[str, Fact] = {}
    gone: set[str] = set()
    for turn, draft in drafts:
        standing = _standing(space, draft, {**again, **fresh}, gone)
        known = _known(space, standing, draft, again, gone)
        if known is not None:
            log.info("%s: dropped a repeat of %s from %s", space.name, known.id, turn.id)
            batch.add(
                "fact.dropped",
                {"hash": text_hash(draft.text), "of": known.id, "turn": turn.id, "reason": "repeat"},
            )
            (fresh if known.id in fresh else again)[known.id] = _said_again(known, draft, turn)
            continue
        fact = _fact(space, turn, draft)
        for old in standing:
            if contradicts(draft, old):
                gone.add(old.id)
                batch.add("fact.superseded", {"id": old.id, "by": fact.id, "turn": turn.id, "rule": "contradicts"})
        fresh[fact.id] = fact
    # A fact comes before what it replaces is marked, so that folding finds both.
    batch.entries[:0] = [
        ("fact.added", to_record(fact), {"fact_id": fact.id, "entity": fact.entity, "importance": fact.importance})
        for fact in fresh.values()
    ]
    for fact in again.values():
        if fact.id not in gone:
            batch.add("fact.repeated", {"fact": to_record(fact)})
    return len(fresh)


def _standing(space: MemorySpace, draft: Draft, changed: Mapping[str, Fact], gone: Collection[str]) -> list[Fact]:
    """Facts that a draft may repeat or contradict, as they are after what this batch already did to them."""
    slots = sorted(related_slots(draft.slot))
    lists = (space.facts, space.views.facts_archive)
    found = {fact.id: fact for slot in slots for facts in lists for fact in facts.in_slot(slot)}
    found |= {fact.id: fact for fact in changed.values() if fact.slot in slots}
    return [fact for fact in found.values() if fact.superseded_by is None and fact.id not in gone]


def _known(
    space: MemorySpace, standing: Sequence[Fact], draft: Draft, again: Mapping[str, Fact], gone: Collection[str]
) -> Fact | None:
    """The fact that says the same, whether or not it is archived."""
    for facts in (space.facts, space.views.facts_archive):
        same = facts.same_text(text_hash(draft.text))
        if same is not None and same.superseded_by is None and same.id not in gone:
            return again.get(same.id, same)
    return next((fact for fact in standing if fact.text == draft.text or same_statement(draft, fact)), None)


def _said_again(fact: Fact, draft: Draft, turn: Turn) -> Fact:
    """The fact with one more occasion on which it was said. The user's own word for it makes it theirs."""
    if draft.source == AI_DISCLOSURE:
        return fact
    return replace(
        fact,
        source=draft.source,
        sources=(*fact.sources, turn.id)[-_OCCASIONS:],
        repeated_at=(*fact.repeated_at, turn.at)[-_OCCASIONS:],
        correction=draft.correction,
        signal_processed=False,
        denied_in=None,
    )


def _fact(space: MemorySpace, turn: Turn, draft: Draft) -> Fact:
    now = space.clock.now()
    return Fact(
        id=space.ids.new("fact"),
        text=draft.text,
        created_at=min(turn.at, now),  # known since it was said, also when the conversation was brought in later
        entity=draft.entity,
        importance=draft.importance,
        source=draft.source,
        event_when_raw=draft.event_when_raw,
        event_start_at=draft.event_start_at or turn.at,
        event_end_at=draft.event_end_at,
        signal_processed=draft.source == AI_DISCLOSURE,
        method=draft.method,
        confidence=draft.confidence,
        sources=(turn.id,),
        row=turn.row,
        slot=draft.slot,
        object=draft.object,
        negated=draft.negated,
        correction=draft.correction,
    )
