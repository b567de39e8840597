"""Forgetting a fact: it is retired, its evidence is kept from every reader, and no wording of it may return.

Nothing is deleted here, see ``erase`` for that. Whoever checks the registry by a fact's id still
finds the retired entry, without what it rested on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory.facts.evidence import is_shown
from memory.facts.fact import Fact
from memory.facts.retired import FORGOTTEN, REPLACED, Retired
from memory.facts.retired import to_row as retired_row
from memory.facts.sameness import is_telling, normal, stands_in
from memory.history.compress import SUMMARISE
from memory.history.raw import RawEvent, search_tokens
from memory.history.record import UPDATE_WORKING, owe_once
from memory.history.redact import Gone, Window, redact
from memory.history.turn import Turn
from memory.history.withheld import FORGOTTEN as EVIDENCE_FORGOTTEN
from memory.history.withheld import Withheld
from memory.history.withheld import to_row as withheld_row
from memory.space import MemorySpace
from memory.store.journal import Batch
from memory.store.scrub import Eraser

log = logging.getLogger(__name__)

_LONG = 12          # characters from which evidence is also looked for inside other texts
_LOOKED_AT = 20_000 # events that may hold it
_INDEXED = 512      # characters up to which the index surely has every word of an event


@dataclass(slots=True, kw_only=True)
class _Going:
    """What is to go."""

    rows: dict[str, Retired] = field(default_factory=dict)
    turns: dict[str, Turn] = field(default_factory=dict)

    @property
    def ids(self) -> set[str]:
        return set(self.rows)

    @property
    def texts(self) -> list[str]:
        return [one.fact.text for one in self.rows.values()]


async def forget(space: MemorySpace, find: Callable[[], Iterable[Fact]]) -> int:
    """Forget the facts that ``find`` names under the write lock, and what says the same or led to them.

    Returns how many entries were retired; 0 where there was nothing, which is no failure.
    """
    await space.raw.refresh()
    async with space.journal.write() as batch:
        facts = list(find())
        if not facts:
            return 0
        await space.raw.refresh()       # what came in meanwhile
        now = space.clock.now()
        going = _Going()
        for fact in _with_equals(space, facts):
            _gather(space, going, fact, now)
        await _gather_turns(space, going)
        eraser = _eraser(going)
        batch.add("fact.retired", {"rows": [retired_row(one) for one in going.rows.values()]})
        if going.turns:
            withheld = [
                Withheld(id=turn.id, row=turn.row, reason=EVIDENCE_FORGOTTEN, at=now) for turn in going.turns.values()
            ]
            batch.add("turns.withheld", {"turns": [withheld_row(one) for one in withheld]})
        _clear_window(space, batch, going, eraser)
        _clear_impressions(space, batch, going, eraser)
        if not space.views.working.empty:
            owe_once(space, batch, UPDATE_WORKING)
    space.forget_shown(eraser.holds)
    log.info("%s: forgot %d entries and %d turns", space.name, len(going.rows), len(going.turns))
    return len(going.rows)


# facts


def _with_equals(space: MemorySpace, facts: Sequence[Fact]) -> list[Fact]:
    """The facts, and whatever else holds and says the very same."""
    texts = {normal(fact.text) for fact in facts}
    found = {fact.id: fact for fact in facts}
    for held in (space.facts, space.views.facts_archive):
        for fact in held:
            if fact.id not in found and is_shown(fact) and _says(fact, texts):
                found[fact.id] = fact
    return list(found.values())


def _says(fact: Fact, texts: Collection[str]) -> bool:
    return normal(fact.text) in texts or any(_within(text, fact.text) for text in texts)


def _within(text: str, other: str) -> bool:
    return is_telling(text) and stands_in(text, other)


def _gather(space: MemorySpace, going: _Going, fact: Fact, now: datetime) -> None:
    """The fact with its earlier versions and the evidence that it was promoted from."""
    going.rows[fact.id] = Retired(fact=fact, reason=FORGOTTEN, at=now, guards=True)
    for earlier in _earlier(space, fact.id, {fact.id}):
        if earlier.id not in going.rows:
            going.rows[earlier.id] = Retired(fact=earlier, reason=REPLACED, guards=True)
    memory = fact.memory
    if memory is None:
        return
    for source in (memory.promoted_from, *memory.provenance):
        led = space.facts.get(source.memory_id) if source is not None else None
        if led is not None and led.memory is not None and led.memory.is_evidence and led.id not in going.rows:
            going.rows[led.id] = Retired(fact=led, reason=FORGOTTEN, at=now, guards=True)


def _earlier(space: MemorySpace, fact_id: str, seen: set[str]) -> Iterator[Fact]:
    """Every version that led to a fact, wherever it is kept."""
    held = (*space.facts, *space.views.facts_archive, *(one.fact for one in space.views.retired))
    found = [fact for fact in held if fact.superseded_by == fact_id and fact.id not in seen]
    found += [
        replace(version.fact, id=version.id, superseded_by=version.heir)
        for version in space.views.versions.of(fact_id)
        if version.id not in seen
    ]
    for fact in found:
        seen.add(fact.id)
        yield fact
        yield from _earlier(space, fact.id, seen)


# turns


async def _gather_turns(space: MemorySpace, going: _Going) -> None:
    """What the facts rest on, and every event that says one of them."""
    wanted = dict.fromkeys(one for retired in going.rows.values() for one in retired.fact.sources)
    for text in map(normal, going.texts):
        for event in _may_say(space, text):
            if normal(event.text) == text or _within(text, event.text):
                wanted[event.turn] = None
    for turn_id in list(wanted):
        note = space.views.event_notes.of_turn(turn_id)
        if note is not None:        # the document as it now reads, too
            wanted[note.current] = None
    found = await space.turns.by_id(list(wanted), whole=True)
    going.turns = {turn_id: found[turn_id] for turn_id in wanted if turn_id in found}


def _may_say(space: MemorySpace, text: str) -> Iterator[RawEvent]:
    """The events that may have a text in them."""
    tokens = search_tokens(text)
    if not tokens:
        yield from space.raw
        return
    yield from space.raw.saying(tokens, _LOOKED_AT)
    yield from (event for event in space.raw if len(event.text) > _INDEXED)


def _eraser(going: _Going) -> Eraser:
    facts = [text.strip() for text in going.texts if text.strip()]
    evidence = [text for turn in going.turns.values() if (text := turn.text.strip())]
    parts = [*filter(is_telling, facts), *(text for text in evidence if len(text) >= _LONG)]
    return Eraser(ids=[*going.ids, *going.turns], parts=parts, wholes=[*facts, *evidence])


# what was made of them


def _clear_window(space: MemorySpace, batch: Batch, going: _Going, eraser: Eraser) -> None:
    """The working window without the turns, and with a memo that does not tell of them."""
    before = Window(entries=space.recent.entries, meta=space.views.recent_meta.value)
    rows = [turn.row for turn in going.turns.values()]
    gone = Gone(ids=set(going.turns), rows=rows, holds=eraser.holds, finds=eraser.finds)
    after = redact(before, gone, lambda: space.ids.new("memo"))
    if list(after.entries) != list(before.entries):
        batch.add("recent.edited", {"entries": [entry.to_json() for entry in after.entries]})
    if after.meta != before.meta:
        batch.add("recent.meta_edited", {"value": dict(after.meta)})
    old, new = before.meta.get("memo_id"), after.meta.get("memo_id")
    if new is not None and new != old:
        for op in space.outbox.pending.values():
            if op.kind == SUMMARISE and op.payload.get("memo_id") == old:
                batch.owe(SUMMARISE, {"memo_id": new})


def _clear_impressions(space: MemorySpace, batch: Batch, going: _Going, eraser: Eraser) -> None:
    """Reflections, persona entries and open questions that rest on the facts or say them."""
    ids = going.ids
    reflections = [one.id for one in space.reflections if ids & set(one.source_fact_ids) or eraser.holds(one.text)]
    if reflections:
        batch.add("reflections.edited", {"put": [], "drop": reflections})
    gone = {*ids, *reflections}
    surfaced = [
        one.reflection_id
        for one in space.views.surfaced
        if one.reflection_id in gone or eraser.holds(one.text)
    ]
    if surfaced:
        batch.add("surfaced.edited", {"put": [], "drop": surfaced})
    entries = [
        [entry.entity, entry.id]
        for entry in space.persona
        if not entry.protected
        and (entry.source_id in gone or gone & set(entry.source_fact_ids) or eraser.holds(entry.text))
    ]
    if entries:
        batch.add("persona.erased", {"ids": entries})
    corrections = space.views.corrections
    for correction in corrections:
        concerned = correction.fact_id in gone or correction.reflection_id in gone
        if concerned or eraser.holds(correction.new_text) or eraser.holds(correction.old_text):
            batch.add("correction.resolved", {"key": corrections.key_of(correction)})
    conflicts = [
        one.id
        for one in space.views.conflicts
        if one.existing_id in gone or one.source_id in gone
        or eraser.holds(one.incoming.text) or eraser.holds(one.existing.text)
    ]  # fmt: skip
    if conflicts:
        batch.add("conflicts.edited", {"put": [], "drop": conflicts})
