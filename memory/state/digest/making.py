"""Making a digest: read what is new, think, and commit text, state, facts and the end of the job as one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from memory.facts.fact import Fact
from memory.space import MemorySpace
from memory.state.digest.align import Draft, Text, align
from memory.state.digest.classes import routes
from memory.state.digest.consistency import REPEATED, Verdict, check
from memory.state.digest.guard import Guard
from memory.state.digest.material import Kit, gone_turns, grounds_of, guard_of, pending, subject_of, think
from memory.state.digest.merge import CONSTRAINTS, DECISIONS, QUESTIONS, TODOS, prune
from memory.state.digest.run import FROM_DOCUMENT, FROM_STREAM, Made
from memory.state.digest.select import Log
from memory.state.digest.stage_two import Subject, Written, consolidated, projected, tier_of, write_up
from memory.state.digest_jobs import CURSOR
from memory.state.digest_runs import DONE
from memory.state.digest_state import DigestState
from memory.state.digests import Conflict, Consistency, Digest, to_row
from memory.state.facets import NOTES, Pack
from memory.state.register import Ledger, Merged, Proposal
from memory.store.journal import Batch
from memory.store.outbox import OutboxOp

log = logging.getLogger(__name__)

_TRIES = 5              # times that somebody else's digest may come in between
_TICK = timedelta(milliseconds=1)
_KINDS = {DECISIONS: "decision", CONSTRAINTS: "constraint", TODOS: "todo", QUESTIONS: "question"}
_OPEN = {"question": "open_question"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """One digest, thought out and not yet committed."""

    made: Made
    written: Written
    merged: tuple[Merged, ...] = ()


@dataclass(slots=True, kw_only=True)
class Commit:
    """What goes into one batch."""

    ended: Callable[[Batch, str, datetime], None] = field(default=lambda _batch, _digest, _now: None)
    cursor: int | None = None       # the last row that is taken into account


def ending(space: MemorySpace, op: OutboxOp) -> Callable[[Batch, str, datetime], None]:
    """Ends a job in the batch that holds what it made, and says how long it took."""
    began = space.clock.monotonic()

    def ended(batch: Batch, digest: str, now: datetime) -> None:
        spent = int((space.clock.monotonic() - began) * 1000)
        row = space.views.digest_runs.next_row(
            job=op.id, kind=op.kind, status=DONE, now=now, milliseconds=spent, digest=digest
        )
        batch.add("digest_job.ended", {"run": row})
        batch.finish(op.id)

    return ended


async def make(space: MemorySpace, kit: Kit, op: OutboxOp) -> None:
    """Perform an owed digest. Whatever came in before it began is in it; the job ends in the commit that holds it."""
    ended = ending(space, op)
    space.digesting.add(op.id)
    try:
        for _ in range(_TRIES):
            if op.id not in space.outbox.pending or await _once(space, kit, ended):
                return
        raise RuntimeError("other digests keep coming in between")
    finally:
        space.digesting.discard(op.id)


async def make_quietly(space: MemorySpace, kit: Kit) -> bool:
    """A digest by rules alone, where it would change something. Whether one was committed."""
    base = space.views.digests.latest
    upto = space.turns.last_row
    pieces = await pending(space, upto)
    grounds = await grounds_of(space, kit, base)
    made = await think(space, base.state if base is not None else None, pieces, grounds)
    before = base.state if base is not None and base.state is not None else DigestState()
    if made.state.says_the_same(before) and not made.routed:
        async with space.journal.write() as batch:
            if space.views.cursors.row(CURSOR) < upto:
                batch.add("cursor.moved", {"name": CURSOR, "to": upto})
        return False
    written = projected(made, await subject_of(space, kit, base))
    return await commit(space, kit, base, Draw(made=made, written=written), Commit(cursor=upto))


async def _once(space: MemorySpace, kit: Kit, ended: Callable[[Batch, str, datetime], None]) -> bool:
    """Whether it could be committed: nobody else's digest came in between."""
    base = space.views.digests.latest
    upto = space.turns.last_row
    pieces = await pending(space, upto)
    grounds = await grounds_of(space, kit, base)
    made = await think(space, base.state if base is not None else None, pieces, grounds)
    subject = await subject_of(space, kit, base)
    if not pieces:
        made.log.rationale.append("no_new_events_since_last_digest")
        written = _unchanged(made, subject)
    elif tier_of(kit.chat) is None:
        written = projected(made, subject)
    else:
        written = await write_up(space, kit.chat, made, subject)
    space.at("digest.thought")
    merged = await _consolidate(space, kit, made, written) if pieces else ()
    return await commit(
        space, kit, base, Draw(made=made, written=written, merged=merged), Commit(ended=ended, cursor=upto)
    )


def _unchanged(made: Made, subject: Subject) -> Written:
    """Nothing came in: the same text, and no changes."""
    previous = subject.previous
    if previous is None or not previous.summary:
        return projected(made, subject)
    return Written(text=Text(summary=previous.summary, changes=(), steps=previous.next_steps[:3]))


# facts


def proposals(made: Made, written: Written, pack: Pack) -> Iterable[Proposal]:
    """What the rules and a model found, in the order in which it is to be written."""
    ended = {(one.field, one.value) for one in made.ended}
    standing = {(name, held.value) for name, held in made.state.lines()}
    field_of = {kind: name for name, kind in _KINDS.items()}
    for one in made.routed:
        place = (field_of.get(one.kind, ""), one.text)
        if place in ended and place not in standing:
            continue        # came and went within this run
        yield Proposal(
            facet=one.facet,
            text=one.text,
            confidence=one.confidence,
            from_document=one.piece.is_document,
            sources=(one.piece.turn,),
            row=one.piece.row,
        )
    document = made.documents[-1].piece if made.documents else None
    said = made.deltas[-1].piece if made.deltas else None
    for fact in written.facts:
        facet = pack.get(fact.facet)
        by_document = facet is not None and facet.document_authority
        rests_on = (document if by_document or said is None else said) or said or document
        if rests_on is None:
            continue
        yield Proposal(
            facet=fact.facet,
            text=fact.value,
            confidence=FROM_DOCUMENT if rests_on.is_document else FROM_STREAM,
            from_document=rests_on.is_document,
            sources=(rests_on.turn,),
            row=rests_on.row,
            entities=fact.entities,
        )


def enter(ledger: Ledger, made: Made, written: Written, gone: frozenset[str]) -> None:
    """Write what was found into the ledger, and end what no longer holds."""
    wanted = routes(ledger.pack)

    def facet_of(name: str) -> str:
        kind = _KINDS.get(name, "")
        return wanted.get(kind) or wanted.get(_OPEN.get(kind, ""), "")

    for one in made.ended:
        if not one.by:
            ledger.end(facet_of(one.field), one.value, one.why)
    for proposal in proposals(made, written, ledger.pack):
        if not gone.issuperset(proposal.sources):
            ledger.propose(proposal)
    for one in made.ended:
        if one.by:
            ledger.end(facet_of(one.field), one.value, one.why, one.by)


def ledger_of(space: MemorySpace, kit: Kit, log_: Log, now: datetime) -> Ledger:
    return Ledger(
        space=space,
        pack=kit.pack,
        log=log_,
        now=now,
        forgotten=lambda text: space.forgotten.covers(text, kit.names),
    )


async def _consolidate(space: MemorySpace, kit: Kit, made: Made, written: Written) -> tuple[Merged, ...]:
    """Ask about the facets that this digest changes; nothing of it is written yet."""
    if space.views.card.card is None or written.degraded is not None or tier_of(kit.chat) is None:
        return ()
    trial = ledger_of(space, kit, Log(), space.clock.now())
    enter(trial, made, written, gone_turns(space))
    found: list[Merged] = []
    for facet in [one.name for one in kit.pack.facets if one.name in trial.changed and one.name != NOTES]:
        facts = [(fact.text, _is_from_document(space, fact)) for fact in trial.standing(facet)]
        merged = await consolidated(
            space, kit.chat, facet, facts,
            lambda why, facet=facet: made.log.drop("consolidation_skipped", facet=facet, why=why),  # type: ignore[misc]
        )  # fmt: skip
        if merged is not None:
            found.append(merged)
    return tuple(found)


def _is_from_document(space: MemorySpace, fact: Fact) -> bool:
    notes = (space.views.event_notes.of_turn(turn) for turn in fact.sources)
    return any(note is not None and note.type == "document" for note in notes)


# committing


async def commit(space: MemorySpace, kit: Kit, base: Digest | None, draw: Draw, how: Commit) -> bool:
    """Commit a digest, held against what came in meanwhile. False where another digest did."""
    async with space.journal.write() as batch:
        if space.views.digests.latest is not base:
            return False
        # Nobody folds meanwhile: whoever writes holds the lock.
        digest = await space.disk.run(add, space, kit, batch, base, draw, how)
        if how.cursor is not None and space.views.cursors.row(CURSOR) < how.cursor:
            batch.add("cursor.moved", {"name": CURSOR, "to": how.cursor})
        how.ended(batch, digest.id, digest.created_at)
    space.at("digest.committed")
    log.info("%s: digest %s committed", space.name, digest.id)
    return True


def add(space: MemorySpace, kit: Kit, batch: Batch, base: Digest | None, draw: Draw, how: Commit) -> Digest:
    """Put a digest and its facts into a batch, without what was forgotten since it was thought out."""
    made = draw.made
    protected: list[tuple[str, str]] = []
    if space.views.card.card is not None:
        ledger = ledger_of(space, kit, made.log, after(base, space.clock.now()))
        enter(ledger, made, draw.written, gone_turns(space))
        for merged in draw.merged:
            ledger.consolidate(merged)
        ledger.write(batch)
        protected = protected_in(ledger)
    else:
        made.log.rationale.append("facts_left_to_learning")
    digest = finished(space, kit, base, draw, protected)
    if how.cursor is not None:
        digest = replace(digest, upto=how.cursor)
    batch.add("digest.committed", {"digest": to_row(digest)})
    return digest


def protected_in(ledger: Ledger) -> list[tuple[str, str]]:
    """What no digest may contradict, as (facet, text)."""
    return [
        (facet.name, fact.text)
        for facet in ledger.pack.facets
        if facet.write_protected
        for fact in ledger.standing(facet.name)
    ]


def finished(
    space: MemorySpace, kit: Kit, base: Digest | None, draw: Draw, protected: Sequence[tuple[str, str]]
) -> Digest:
    """The digest as it is committed: pruned, held against the state once more, later than the one before."""
    made = draw.made
    guard, gone = guard_of(space, kit.names), gone_turns(space)
    state = prune(made.state, guard.covers, lambda reference: reference.turn in gone)
    text = _told(draw.written.text, state, made.state, guard)
    verdict = check(text, state, base.changes if base is not None else (), protected)
    return Digest(
        id=space.ids.new("digest"),
        summary=text.summary,
        created_at=after(base, space.clock.now()),
        changes=text.changes,
        next_steps=text.steps,
        rationale=made.log.lines(),
        drops=tuple(made.log.drops),
        state=state,
        consistency=_consistency(verdict, draw.written),
    )


def _told(text: Text, state: DigestState, before: DigestState, guard: Guard) -> Text:
    """The text, made anew from the state where it says what was forgotten meanwhile."""
    whole = "\n".join((text.summary, *text.changes, *text.steps))
    if state == before and not guard.told_in(whole):
        return text
    fresh = align(state, Draft())
    return replace(fresh, summary=fresh.summary or "Nothing is settled yet.")


def after(base: Digest | None, now: datetime) -> datetime:
    """Now, or a millisecond after the digest before: the newest is told by its time."""
    return max(now, base.created_at + _TICK) if base is not None else now


def _consistency(verdict: Verdict, written: Written) -> Consistency:
    errors = tuple(one for one in verdict.errors if one != REPEATED)
    return Consistency(
        ok=not errors and written.degraded is None,
        errors=errors,
        warnings=verdict.warnings,
        conflicts=tuple(
            Conflict(code=one.code, fact=one.fact[:500], line=one.line[:500]) for one in verdict.conflicts[:20]
        ),
        degraded=written.degraded,
        degraded_errors=written.errors,
    )

