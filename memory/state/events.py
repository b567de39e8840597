"""Taking in raw events: streams that only grow, and documents that are replaced by their later text."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.history.event_notes import API, DOCUMENT, STREAM, EventNote, to_row
from memory.history.raw import RawEvent
from memory.history.record import POST_TURN, owe_once
from memory.history.turn import HUMAN, Turn
from memory.history.withheld import REPLACED, Withheld
from memory.history.withheld import to_row as withheld_row
from memory.space import MemorySpace
from memory.state.answered import Request, remember
from memory.store.journal import Batch

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arriving:
    """An event as a caller sent it, checked."""

    content: str
    type: str = STREAM
    source: str = API
    key: str | None = None                  # documents have one
    occurred_at: datetime | None = None     # aware; may lie far back, or ahead
    pinned: bool | None = None              # None: as it was


async def add_event(space: MemorySpace, arriving: Arriving, request: Request | None = None) -> RawEvent:
    """Make an event durable and return it as it now reads. No model is asked.

    A document replaces the text of the one with its key; the same text again changes nothing. A
    keyed stream event that is there already is left as it is. Raises KeyReused.
    """
    async with space.journal.write() as batch:
        event = await _add(space, batch, arriving, request)
    log.info("%s: event %s", space.name, event.id)
    return event


async def _add(space: MemorySpace, batch: Batch, arriving: Arriving, request: Request | None) -> RawEvent:
    now = space.clock.now()
    before = space.views.answered.answer(request, now)
    if before is not None:
        return await _present(space, space.views.event_notes.get(str(before["id"])), str(before["id"]))
    known = space.views.event_notes.keyed(arriving.type, arriving.key) if arriving.key is not None else None
    if known is None:
        event = _new(space, batch, arriving, now)
    elif arriving.type == STREAM:
        event = await _present(space, known, known.id)
    else:
        event = await _replace(space, batch, arriving, known, now)
    for type_, data in remember(request, {"id": event.id}):
        batch.add(type_, data)
    return event


def _new(space: MemorySpace, batch: Batch, arriving: Arriving, now: datetime) -> RawEvent:
    turn = _turn(space, arriving.content, arriving.occurred_at or now)
    _say(space, batch, turn)
    note = EventNote(
        id=turn.id,
        type=arriving.type,
        source=arriving.source,
        key=arriving.key,
        pinned=arriving.pinned is True,
        created_at=turn.at,
        turns=(turn.id,),
    )
    if note.type == DOCUMENT or note.key is not None or note.pinned or note.source != API:
        batch.add("event.noted", {"note": to_row(note)})
    return _raw(note, turn)


async def _replace(
    space: MemorySpace, batch: Batch, arriving: Arriving, known: EventNote, now: datetime
) -> RawEvent:
    present = (await space.turns.by_id([known.current], whole=True)).get(known.current)
    pinned = known.pinned if arriving.pinned is None else arriving.pinned
    if present is not None and present.text == arriving.content:
        note = replace(known, pinned=pinned)
        if note != known:
            batch.add("event.noted", {"note": to_row(note)})
        return _raw(note, present)
    turn = _turn(space, arriving.content, now)
    note = replace(
        known, pinned=pinned, source=arriving.source, updated_at=now, turns=(*known.turns, turn.id)
    )
    batch.add("event.noted", {"note": to_row(note)})
    _say(space, batch, turn)
    if present is not None and present.id not in space.views.withheld:
        row = withheld_row(Withheld(id=present.id, row=present.row, reason=REPLACED, at=now))
        batch.add("turns.withheld", {"turns": [row]})
    return _raw(note, turn)


async def _present(space: MemorySpace, note: EventNote | None, event_id: str) -> RawEvent:
    """An event that is there, as it now reads."""
    current = note.current if note is not None else event_id
    turn = (await space.turns.by_id([current], whole=True)).get(current)
    if turn is None or current in space.views.withheld:     # what was forgotten is not told again
        turn = _gone(event_id, note, space.clock.now())
    return _raw(note or EventNote(id=event_id, created_at=turn.at, turns=(turn.id,)), turn)


def _gone(event_id: str, note: EventNote | None, now: datetime) -> Turn:
    at = note.created_at if note is not None else now
    return Turn(id=event_id, row=0, kind=HUMAN, content="", at=at, session="")


def _turn(space: MemorySpace, content: str, at: datetime) -> Turn:
    return Turn(
        id=space.ids.new("turn"),
        row=space.turns.last_row + 1,
        kind=HUMAN,
        content=content,
        at=at,
        session=space.ids.new("session"),
    )


def _say(space: MemorySpace, batch: Batch, turn: Turn) -> None:
    """The turn, outside the working window. In a character's memory it is learnt from like any other."""
    batch.add("turns.added", said(turn))
    if not space.name.startswith("@"):
        owe_once(space, batch, POST_TURN)


def said(turn: Turn) -> Mapping[str, Any]:
    """The data of an event that adds a turn which belongs to no conversation."""
    return {"turns": [turn.to_json()], "language": None, "outside": [turn.id]}


def _raw(note: EventNote, turn: Turn) -> RawEvent:
    return RawEvent(
        id=note.id,
        turn=turn.id,
        row=turn.row,
        at=note.created_at,
        text=turn.text,
        is_reply=False,
        type=note.type,
        source=note.source,
        key=note.key,
        pinned=note.pinned,
        updated_at=note.updated_at,
    )
