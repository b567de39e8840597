"""Noting something on purpose, and handing work over to the next session."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.facts.evidence import is_shown
from memory.facts.fact import MASTER, STORED, Fact
from memory.facts.keys import canonical_key
from memory.facts.memory import EVENTS, Memory, points_of, structured
from memory.facts.record import to_record
from memory.facts.retired import CAP_EVICTED, REPLACED, Retired
from memory.facts.retired import to_row as retired_row
from memory.facts.sameness import normal, revises
from memory.history.turn import SYSTEM, Turn
from memory.sessions.handoffs import USER_CLEARED, Handoff, content_of
from memory.sessions.handoffs import to_row as handoff_row
from memory.space import MemorySpace
from memory.state import registry
from memory.state.answered import Request, remember
from memory.state.events import said
from memory.state.facets import NOTES, Pack
from memory.store.journal import Batch

log = logging.getLogger(__name__)

_IMPORTANCE = 0.7
_FALLBACK_CAP = 30


async def note(space: MemorySpace, text: str, pack: Pack, request: Request | None = None) -> None:
    """Keep a statement as it was written. No model is asked.

    The same note twice is one. One that reads as a later wording of another takes its place, and
    the other one stays as its earlier version. Beyond the cap the oldest is retired. A note that
    says what was forgotten lifts that. Raises KeyReused.
    """
    async with space.journal.write() as batch:
        now = space.clock.now()
        if space.views.answered.answer(request, now) is not None:
            return
        for type_, data in remember(request, {"ok": True}):
            batch.add(type_, data)
        standing = _standing(space)
        wanted = normal(text)
        if not any(normal(fact.text) == wanted for fact in standing):
            _put(space, batch, text, standing, pack, now)


def _standing(space: MemorySpace) -> list[Fact]:
    """The notes that hold, oldest first."""
    return [fact for fact in space.facts.in_slot(registry.NOTE) if is_shown(fact)]


def _put(space: MemorySpace, batch: Batch, text: str, standing: list[Fact], pack: Pack, now: datetime) -> None:
    lifted = [one.fact.id for one in space.views.retired.saying(text)]
    if lifted:
        batch.add("fact.unguarded", {"ids": lifted})
    turn = Turn(
        id=space.ids.new("turn"),
        row=space.turns.last_row + 1,
        kind=SYSTEM,
        content=text,
        at=now,
        session=space.ids.new("session"),
    )
    batch.add("turns.added", said(turn))
    old = next((fact for fact in reversed(standing) if revises(text, fact.text)), None)
    fact = _fact(space, text, turn, now)
    batch.add(
        "fact.added",
        to_record(fact),
        {"fact_id": fact.id, "entity": fact.entity, "importance": fact.importance},
    )
    rows = []
    if old is not None:
        rows.append(retired_row(Retired(fact=replace(old, superseded_by=fact.id), reason=REPLACED)))
        log.info("%s: note %s replaces %s", space.name, fact.id, old.id)
    kept = [one for one in standing if old is None or one.id != old.id]
    facet = pack.get(NOTES)
    cap = facet.cap if facet is not None else _FALLBACK_CAP
    for one in kept[: max(len(kept) + 1 - cap, 0)]:
        rows.append(retired_row(Retired(fact=one, reason=CAP_EVICTED, at=now)))
        log.info("%s: note %s evicted", space.name, one.id)
    if rows:
        batch.add("fact.retired", {"rows": rows})


def _fact(space: MemorySpace, text: str, turn: Turn, now: datetime) -> Fact:
    memory = Memory(
        category=EVENTS,
        importance=_IMPORTANCE,
        boundary=structured(EVENTS),
        key=canonical_key(EVENTS, text),
        first_at=now,
    )
    return Fact(
        id=space.ids.new("fact"),
        text=text,
        created_at=now,
        entity=MASTER,
        importance=points_of(_IMPORTANCE),
        source=STORED,
        event_start_at=now,
        signal_processed=True,
        confidence=memory.confidence,
        sources=(turn.id,),
        row=turn.row,
        slot=registry.NOTE,
        memory=memory,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOver:
    """What became of a handoff."""

    superseded: bool                # whether another one was active
    id: str | None = None           # None: nothing was set
    cleared: bool | None = None     # None: nothing was to be cleared

    def to_json(self) -> dict[str, Any]:
        return {"superseded": self.superseded, "id": self.id, "cleared": self.cleared}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> HandedOver:
        """What was answered; nothing of it is there any more once the handoff was erased."""
        return cls(superseded=value.get("superseded") is True, id=value.get("id"), cleared=value.get("cleared"))


async def hand_over(
    space: MemorySpace,
    summary: str,
    open_questions: tuple[str, ...] = (),
    next_steps: tuple[str, ...] = (),
    request: Request | None = None,
) -> HandedOver:
    """Record where a session stopped; what stood before is kept as superseded. Raises KeyReused."""
    async with space.journal.write() as batch:
        now = space.clock.now()
        if (known := space.views.answered.answer(request, now)) is not None:
            return HandedOver.from_json(known)
        handoff = Handoff(
            id=space.ids.new("handoff"), content=content_of(summary, open_questions, next_steps), at=now
        )
        done = HandedOver(superseded=space.views.handoffs.active is not None, id=handoff.id)
        batch.add("handoff.set", {"handoff": handoff_row(handoff)})
        for type_, data in remember(request, done.to_json()):
            batch.add(type_, data)
    log.info("%s: handoff %s", space.name, handoff.id)
    return done


async def clear_handoff(space: MemorySpace, request: Request | None = None) -> HandedOver:
    """Retire the active handoff, if there is one; it is kept. Raises KeyReused."""
    async with space.journal.write() as batch:
        now = space.clock.now()
        if (known := space.views.answered.answer(request, now)) is not None:
            return HandedOver.from_json(known)
        active = space.views.handoffs.active
        done = HandedOver(superseded=active is not None, cleared=active is not None)
        if active is not None:
            retired = replace(active, retired_at=now, retired_reason=USER_CLEARED)
            batch.add("handoff.cleared", {"handoff": handoff_row(retired)})
        for type_, data in remember(request, done.to_json()):
            batch.add(type_, data)
    return done
