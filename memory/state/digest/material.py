"""What a digest is made from: the events that are new, what they are held against, the stages without a model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.history.raw import RawEvent
from memory.history.withheld import FORGOTTEN
from memory.models.chat import Chat
from memory.people import Names
from memory.space import MemorySpace
from memory.state import registry
from memory.state.digest.guard import Guard
from memory.state.digest.piece import Piece, in_order
from memory.state.digest.run import Grounds, Made, begin, end, read_all, step
from memory.state.digest.select import FIRST, LATER, Read, portions
from memory.state.digest.stage_two import Subject
from memory.state.digest_jobs import CURSOR
from memory.state.digest_reading import told
from memory.state.digest_state import DigestState
from memory.state.digests import Digest
from memory.state.discretion import discretion_of
from memory.state.facets import Pack
from memory.state.register import held_by_documents

_ROWS = 200             # turns read at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What making a digest needs beside the space."""

    names: Names
    chat: Chat
    pack: Pack


async def pending(space: MemorySpace, upto: int) -> list[Piece]:
    """The events that no digest took into account yet, as they now read."""
    await space.raw.refresh(words=False)
    found: dict[str, Piece] = {}
    row = space.views.cursors.row(CURSOR)
    while row < upto and (turns := await space.turns.after(row, _ROWS)):
        for turn in turns:
            if turn.row <= upto and (event := _event_of(space, turn.id)) is not None and event.row > row:
                found[event.id] = piece_of(event)
        row = turns[-1].row
        await asyncio.sleep(0)
    return list(found.values())


def _event_of(space: MemorySpace, turn_id: str) -> RawEvent | None:
    note = space.views.event_notes.of_turn(turn_id)
    event = space.raw.get(note.id if note is not None else turn_id)
    return event if event is not None and event.turn == turn_id else None


def piece_of(event: RawEvent) -> Piece:
    return Piece(
        id=event.id,
        turn=event.turn,
        row=event.row,
        at=event.updated_at or event.at,
        text=event.text,
        key=event.key,
        is_document=event.type == "document",
        is_reply=event.is_reply,
        pinned=event.pinned,
    )


async def grounds_of(space: MemorySpace, kit: Kit, base: Digest | None, window: int | None = None) -> Grounds:
    card = space.views.card.card
    pack = kit.pack if card is not None else replace(kit.pack, facets=())    # characters have learning of their own
    return Grounds(
        told=told(base, await discretion_of(space)).summary if base is not None else "",
        pack=pack,
        goal=card.goal if card is not None else None,
        window=window or (LATER if base is not None else FIRST),
        guard=guard_of(space, kit.names),
        held=held_by_documents(registry.active(space), kit.pack),
        gone=gone_turns(space),
    )


def guard_of(space: MemorySpace, names: Names) -> Guard:
    texts = [one.fact.text for one in space.views.retired.forgotten()]
    erased = len(space.forgotten) > 0
    return Guard(texts, lambda text: erased and space.forgotten.covers(text, names))


def gone_turns(space: MemorySpace) -> frozenset[str]:
    """Turns that nothing may rest on any more."""
    kept_back = {one.id for one in space.views.withheld if one.reason == FORGOTTEN}
    return frozenset(kept_back | space.forgotten.ids.keys())


async def subject_of(space: MemorySpace, kit: Kit, base: Digest | None) -> Subject:
    card = space.views.card.card
    previous = told(base, await discretion_of(space)) if base is not None else None
    protected = {facet.name for facet in kit.pack.facets if facet.write_protected}
    facts = [(registry.facet_of(fact), fact.text) for fact in registry.active(space)]
    return Subject(
        scope={"name": card.name, "goal": card.goal or "", "stage": card.stage} if card is not None else {},
        pack=kit.pack if card is not None else replace(kit.pack, facets=()),
        previous=previous,
        forgotten=[one.fact.text for one in space.views.retired.forgotten()],
        protected=[one for one in facts if one[0] in protected],
    )


async def think(
    space: MemorySpace, before: DigestState | None, pieces: Sequence[Piece], grounds: Grounds
) -> Made:
    """The deterministic stages, off the event loop and with pauses for others."""
    made = begin(before or DigestState())
    found: list[Read] = []
    ordered = sorted(pieces, key=in_order)
    for start in range(0, len(ordered), _ROWS):     # a thread cannot be stopped: little at a time
        found += await space.disk.run(read_all, ordered[start : start + _ROWS], grounds)
    for portion in portions(found, grounds.window):
        await space.disk.run(step, made, portion, grounds)
        await asyncio.sleep(0)
    await space.disk.run(end, made, grounds)
    return made
