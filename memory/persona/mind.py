"""What a character's mind is asked from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from random import Random
from typing import Any

from memory.facts.dedup import compare_new
from memory.facts.record import EMBEDDING
from memory.people import Names
from memory.persona.attend import attend
from memory.persona.cards import card_changes
from memory.persona.promote import promote
from memory.persona.render import Known, persona_block
from memory.persona.weigh import weigh
from memory.reflections import topics
from memory.reflections.record import public, to_record
from memory.reflections.reflection import CONFIRMED
from memory.reflections.synthesize import synthesize
from memory.space import MemorySpace


def render(space: MemorySpace, names: Names, locale: str, now: datetime) -> str:
    """The persona block of a new conversation, without a final line end; "" when nothing is known. Writes nothing."""
    known = Known(
        entries=list(space.persona),
        reflections=list(space.reflections),
        facts=space.facts.untold(),
    )
    return persona_block(known, names, locale, now)


def persona_json(space: MemorySpace) -> dict[str, Any]:
    """The whole persona document, without vectors."""
    return {key: _without_vectors(value) for key, value in space.persona.document().items()}


async def sync_cards(space: MemorySpace, card: Mapping[str, Any], master_card: Mapping[str, Any]) -> bool:
    """Bring the protected entries up to the two cards; returns whether anything changed.

    Not to be called while nothing says what the cards are: an empty card means one without fields.
    """
    if not card_changes(space.persona, card, master_card):
        return False
    async with space.journal.write() as batch:
        for type_, data in card_changes(space.persona, card, master_card):
            batch.add(type_, data)
    return True


def active_topics(space: MemorySpace, now: datetime, random: Random) -> list[dict[str, Any]]:
    """At most three reflections to raise with the user, as rows without vectors. Writes nothing."""
    return [public(one) for one in topics.topics(space, now, random)]


async def record_surfaced(space: MemorySpace, ids: Sequence[str]) -> None:
    """Note which topics were offered; unknown ids are passed over."""
    await topics.record_surfaced(space, ids)


async def reflect(
    space: MemorySpace, names: Names, *, powerful: bool = True, judged: bool = False
) -> dict[str, Any] | None:
    """Draw one reflection if there is anything to draw it from, and confirm and promote what is due.

    Returns the reflection as a row without vectors, or None.
    """
    drawn = await synthesize(space, names)
    await promote(space, names, powerful=powerful, defer=judged)
    return public(drawn) if drawn is not None else None


async def attend_to(space: MemorySpace, names: Names, *, powerful: bool = True, judged: bool = False) -> None:
    """Draw from what was said lately whatever follows from it for what is held.

    To be called after facts were learnt from it. Without ``powerful`` nothing is weighed. With ``judged``
    a model decides what is new to the persona.
    """
    await attend(space, names, powerful=powerful)
    if powerful:
        await compare_new(space)
        await weigh(space, names)
    await promote(space, names, powerful=powerful, defer=judged)


def undecided(space: MemorySpace) -> dict[str, int]:
    """What waits for a model, by kind; all of it stays as it is until then."""
    return {
        "fact_pairs": sum(pair.needs_model for pair in space.views.pending_pairs),
        "corrections": sum(one.needs_model for one in space.views.corrections),
        "reflections": sum(one.needs_model for one in space.reflections.alive()),
    }


async def reset_confirmed(space: MemorySpace) -> int:
    """Let every confirmed reflection's age begin now, so that none is promoted by it at once. Returns how many."""
    if not space.reflections.in_status(CONFIRMED):
        return 0
    async with space.journal.write() as batch:
        now = space.clock.now()
        confirmed = space.reflections.in_status(CONFIRMED)
        for one in confirmed:
            fresh = replace(one, entered={**one.entered, CONFIRMED: now})
            batch.add("reflection.revised", {"reflection": to_record(fresh), "rule": "reset_confirmed_at"})
    return len(confirmed)


def _without_vectors(section: Any) -> Any:
    if not isinstance(section, Mapping) or not isinstance(section.get("facts"), list):
        return section
    rows = [
        {key: value for key, value in row.items() if key not in EMBEDDING} if isinstance(row, Mapping) else row
        for row in section["facts"]
    ]
    return {**section, "facts": rows}
