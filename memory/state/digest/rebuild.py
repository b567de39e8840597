"""Making the whole chain of digests anew, from the events as they now read. It appears at once or not at all."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.errors import JobFailed
from memory.space import MemorySpace
from memory.state.digest.making import Draw, after, ending, enter, finished, ledger_of, protected_in
from memory.state.digest.material import Kit, gone_turns, grounds_of, piece_of, subject_of, think
from memory.state.digest.piece import Piece, in_order
from memory.state.digest.run import Made
from memory.state.digest.select import REBUILT
from memory.state.digest.stage_two import Written, projected, tier_of, write_up
from memory.state.digest_jobs import CURSOR, SINCE_LAST_GOOD, owe_digest
from memory.state.digests import STATES, Digest, to_row
from memory.store.journal import Batch
from memory.store.outbox import OutboxOp

log = logging.getLogger(__name__)

EMPTY = "rebuild_range_empty"
_WRITTEN = 12           # links of the chain, the newest, of which a model writes the text


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """What is to be read again."""

    first: datetime | None      # aware, included; the event's own time
    last: datetime | None
    good: Digest | None         # the digest that the chain goes on from
    upto: int                   # the last row

    @property
    def is_whole(self) -> bool:
        """Whether everything up to the last row is in the state that results."""
        return self.last is None and (self.first is None or self.good is not None)

    def holds(self, piece: Piece, created: datetime) -> bool:
        if piece.row > self.upto:
            return False
        if self.first is None and self.good is not None and piece.row <= self.good.upto:
            return False
        return (self.first is None or created >= self.first) and (self.last is None or created <= self.last)


async def rebuild(space: MemorySpace, kit: Kit, op: OutboxOp) -> None:
    """Perform an owed rebuilding. Raises JobFailed where there is nothing to read in the range."""
    ended = ending(space, op)
    space.digesting.add(op.id)
    try:
        latest = space.views.digests.latest
        wanted = _range(space, op.payload)
        pieces = await _pieces(space, wanted)
        if not pieces:
            raise JobFailed(EMPTY)
        draws = await _think(space, kit, wanted, pieces)
        space.at("digest.thought")
        async with space.journal.write() as batch:
            group = str(op.payload.get("group") or "") or None
            # Nobody folds meanwhile: whoever writes holds the lock.
            made = await space.disk.run(_chain, space, kit, batch, draws)
            chain = [
                replace(digest, rebuild_group_id=group, upto=upto)
                for digest, upto in zip(made, _reach(pieces, wanted.upto), strict=True)
            ]
            kept = len(chain) - STATES      # places before it lose their states
            for place, digest in enumerate(chain):
                kept_whole = digest if place >= kept else replace(digest, state=None)
                batch.add("digest.committed", {"digest": to_row(kept_whole)})
            if wanted.is_whole:
                batch.add("cursor.moved", {"name": CURSOR, "to": wanted.upto})
                if space.views.digests.latest is not latest:
                    owe_digest(space, batch)        # of what another digest took in meanwhile
            ended(batch, chain[-1].id, chain[-1].created_at)
        log.info("%s: %d digests rebuilt", space.name, len(chain))
    finally:
        space.digesting.discard(op.id)


def _range(space: MemorySpace, payload: Mapping[str, Any]) -> Range:
    good: Digest | None = None
    if payload.get("strategy") == SINCE_LAST_GOOD:
        good = next(
            (
                one
                for one in space.views.digests.newest_first
                if one.state is not None and (one.consistency is None or one.consistency.ok)
            ),
            None,
        )
    return Range(
        first=_moment(payload.get("from")), last=_moment(payload.get("to")), good=good, upto=space.turns.last_row
    )


def _moment(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None


async def _pieces(space: MemorySpace, wanted: Range) -> list[Piece]:
    await space.raw.refresh()
    found = [piece for event in space.raw if wanted.holds(piece := piece_of(event), event.at)]
    return sorted(found, key=in_order)


async def _think(space: MemorySpace, kit: Kit, wanted: Range, pieces: Sequence[Piece]) -> list[Draw]:
    """One draw for every stretch of events, each on the state that the one before came to."""
    before = wanted.good
    state = before.state if before is not None else None
    stretches = [pieces[start : start + REBUILT] for start in range(0, len(pieces), REBUILT)]
    draws: list[Draw] = []
    for number, stretch in enumerate(stretches):
        grounds = await grounds_of(space, kit, before, REBUILT)
        made = await think(space, state, stretch, grounds)
        subject = await subject_of(space, kit, before)
        written = projected(made, subject)
        if tier_of(kit.chat) is not None and number >= len(stretches) - _WRITTEN:
            written = await write_up(space, kit.chat, made, subject)
        draws.append(Draw(made=made, written=written))
        state = made.state
        before = Digest(
            id="", summary=written.text.summary, created_at=space.clock.now(), changes=written.text.changes,
            next_steps=written.text.steps, state=state,
        )  # fmt: skip
        await asyncio.sleep(0)
    return draws


def _reach(pieces: Sequence[Piece], upto: int) -> list[int]:
    """For each link of the chain the row up to which it surely takes everything into account."""
    found = [upto]
    for start in range(len(pieces) - (len(pieces) - 1) % REBUILT - 1, 0, -REBUILT):
        found.append(min(found[-1], min(piece.row for piece in pieces[start : start + REBUILT]) - 1))
    return found[::-1]


def _chain(space: MemorySpace, kit: Kit, batch: Batch, draws: Sequence[Draw]) -> list[Digest]:
    """The digests of the chain; what all of it says of facts is written once, as it stands at its end."""
    protected: list[tuple[str, str]] = []
    last = draws[-1]
    if space.views.card.card is not None:
        ledger = ledger_of(space, kit, last.made.log, after(space.views.digests.latest, space.clock.now()))
        enter(ledger, _together(draws), _facts(draws), gone_turns(space))
        ledger.write(batch)
        protected = protected_in(ledger)
    base = space.views.digests.latest
    chain: list[Digest] = []
    for draw in draws:
        base = finished(space, kit, base, draw, protected if draw is last else ())
        chain.append(base)
    return chain


def _together(draws: Sequence[Draw]) -> Made:
    """All that was found, over the last state."""
    made = Made(state=draws[-1].made.state, log=draws[-1].made.log)
    for draw in draws:
        made.routed += draw.made.routed
        made.ended += draw.made.ended
        made.documents += draw.made.documents
        made.deltas += draw.made.deltas
    return made


def _facts(draws: Sequence[Draw]) -> Written:
    return replace(draws[-1].written, facts=tuple(fact for draw in draws for fact in draw.written.facts))

