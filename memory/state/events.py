"""Taking in raw events: streams that only grow, and documents that are replaced by their later text."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.history.event_notes import API, DOCUMENT, STREAM, EventNote, to_row
from memory.history.raw import RawEvent
from memory.history.record import POST_TURN, UPDATE_WORKING, owe_once
from memory.history.turn import AI, HUMAN, Turn
from memory.history.withheld import REPLACED, Withheld
from memory.history.withheld import to_row as withheld_row
from memory.space import MemorySpace
from memory.state.answered import Request, remember
from memory.state.working_update import keeps_working
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
    is_reply: bool = False                  # said by the character or an assistant


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
    before = space.views.answered.answer(request, space.clock.now())
    if request is not None and before is not None:
        return await _as_answered(space, str(before.get("id", request.key)), before)
    event = await add_to(space, batch, arriving)
    updated = event.updated_at.isoformat() if event.updated_at is not None else None
    answer = {
        "id": event.id, "turn": event.turn, "source": event.source, "pinned": event.pinned, "updated": updated,
    }  # fmt: skip
    for type_, data in remember(request, answer):
        batch.add(type_, data)
    return event


async def add_to(space: MemorySpace, batch: Batch, arriving: Arriving) -> RawEvent:
    """The same as part of a larger write."""
    now = space.clock.now()
    known = space.views.event_notes.keyed(arriving.type, arriving.key) if arriving.key is not None else None
    if known is None:
        return _new(space, batch, arriving, now)
    if arriving.type == STREAM:
        return await _present(space, known, known.id)
    return await _replace(space, batch, arriving, known, now)


def _new(space: MemorySpace, batch: Batch, arriving: Arriving, now: datetime) -> RawEvent:
    turn = _turn(space, batch, arriving, arriving.occurred_at or now)
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
    turn = _turn(space, batch, arriving, now)
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


async def _as_answered(space: MemorySpace, event_id: str, answer: Mapping[str, Any]) -> RawEvent:
    """An event as it read when a request for it was first answered; one that was erased since has no text."""
    note, told = space.views.event_notes.get(event_id), answer.get("turn")
    if not isinstance(told, str):
        return await _present(space, note, event_id)
    turn = (await space.turns.by_id([told], whole=True)).get(told)
    withheld = space.views.withheld.get(told)
    if turn is None or (withheld is not None and withheld.reason != REPLACED):  # what was forgotten is not told again
        turn = _gone(event_id, note, space.clock.now())
    updated = answer.get("updated")
    note = replace(
        note or EventNote(id=event_id, created_at=turn.at),
        source=str(answer.get("source") or API),
        pinned=answer.get("pinned") is True,
        updated_at=datetime.fromisoformat(updated) if isinstance(updated, str) else None,
    )
    return _raw(note, turn)


def _gone(event_id: str, note: EventNote | None, now: datetime) -> Turn:
    at = note.created_at if note is not None else now
    return Turn(id=event_id, row=0, kind=HUMAN, content="", at=at, session="")


def _turn(space: MemorySpace, batch: Batch, arriving: Arriving, at: datetime) -> Turn:
    before = sum(len(data["turns"]) for type_, data, _ in batch.entries if type_ == "turns.added")
    return Turn(
        id=space.ids.new("turn"),
        row=space.turns.last_row + before + 1,
        kind=AI if arriving.is_reply else HUMAN,
        content=arriving.content,
        at=at,
        session=space.ids.new("session"),
    )


def _say(space: MemorySpace, batch: Batch, turn: Turn) -> None:
    """The turn, outside the working window. In a character's memory it is learnt from like any other."""
    batch.add("turns.added", said(turn))
    if not space.name.startswith("@"):
        owe_once(space, batch, POST_TURN)
    if keeps_working(space):
        owe_once(space, batch, UPDATE_WORKING)


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
        is_reply=turn.kind == AI,
        type=note.type,
        source=note.source,
        key=note.key,
        pinned=note.pinned,
        updated_at=note.updated_at,
    )
