"""Learning facts from what was said, by rules."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence

from memory.facts.fact import AI_DISCLOSURE, Fact, text_hash
from memory.facts.record import to_record
from memory.facts.rules.compare import contradicts, same_statement
from memory.facts.rules.draft import Draft, Drop
from memory.facts.rules.extract import extract
from memory.facts.rules.promise import promises
from memory.history.turn import AI, HUMAN, Turn
from memory.people import Names
from memory.space import MemorySpace
from memory.store.journal import Batch

log = logging.getLogger(__name__)

CURSOR = "extracted_row"

_ROWS = 50  # turns read between two commits


async def learn(space: MemorySpace, names: Names, op_id: str | None = None) -> int:
    """Learn from every turn behind the cursor. Returns how many facts were added.

    Facts and cursor move in one commit, so a crash repeats a step or none of it. ``op_id`` is
    finished with the last step, unless more turns came meanwhile.
    """
    added = 0
    while True:
        turns = await space.turns.after(space.views.cursors.row(CURSOR), _ROWS)
        drafts = [(turn, draft) for turn in turns for draft in _read(space, names, turn)]
        space.at("learn.thought")
        async with space.journal.write() as batch:
            if turns and space.views.cursors.row(CURSOR) < turns[-1].row:
                added += _keep(space, batch, drafts)
                batch.add("cursor.moved", {"name": CURSOR, "to": turns[-1].row})
            done = not turns or turns[-1].row >= space.turns.last_row
            if done and op_id is not None:
                batch.finish(op_id)
        space.at("learn.committed")
        if done:
            return added


def _read(space: MemorySpace, names: Names, turn: Turn) -> Sequence[Draft]:
    drops: Iterable[Drop] = ()
    drafts: Sequence[Draft] = ()
    if turn.kind == HUMAN:
        drafts, drops = extract(turn, names, space.clock, recalled=space.shown)
    elif turn.kind == AI:
        drafts = promises(turn, names)
    if drops:
        counts = Counter(drop.reason for drop in drops)
        log.debug("%s: %s left out %s", space.name, turn.id, dict(counts))
    return drafts


def _keep(space: MemorySpace, batch: Batch, drafts: Sequence[tuple[Turn, Draft]]) -> int:
    """Add what is new, log what is not, and mark what is replaced."""
    fresh: list[Fact] = []
    gone: set[str] = set()
    for turn, draft in drafts:
        known = _known(space, [fact for fact in fresh if fact.id not in gone], draft)
        if known is not None:
            log.info("%s: dropped a repeat of %s from %s", space.name, known.id, turn.id)
            batch.add(
                "fact.dropped",
                {"hash": text_hash(draft.text), "of": known.id, "turn": turn.id, "reason": "repeat"},
            )
            continue
        fact = _fact(space, turn, draft)
        for old in [*space.facts.in_slot(draft.slot or ""), *fresh]:
            if old.superseded_by is None and old.id not in gone and contradicts(draft, old):
                gone.add(old.id)
                batch.add("fact.superseded", {"id": old.id, "by": fact.id, "turn": turn.id, "rule": "contradicts"})
        fresh.append(fact)
    # A fact comes before what it replaces is marked, so that folding finds both.
    batch.entries[:0] = [
        ("fact.added", to_record(fact), {"fact_id": fact.id, "entity": fact.entity, "importance": fact.importance})
        for fact in fresh
    ]
    return len(fresh)


def _known(space: MemorySpace, fresh: Sequence[Fact], draft: Draft) -> Fact | None:
    """The active fact that says the same."""
    same = space.facts.same_text(text_hash(draft.text))
    if same is not None and same.superseded_by is None:
        return same
    candidates = [*(space.facts.in_slot(draft.slot) if draft.slot else ()), *fresh]
    return next(
        (
            fact
            for fact in candidates
            if fact.superseded_by is None and (fact.text == draft.text or same_statement(draft, fact))
        ),
        None,
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
        slot=draft.slot,
        object=draft.object,
        negated=draft.negated,
    )
