"""What is needed to open a conversation that sounds like it remembers somebody: by rules, without a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.history.telling import COMMITMENT, EXPERIENCE, FEELING, PERSONAL_DETAIL
from memory.space import MemorySpace
from memory.state import registry
from memory.state.budget import cut

_FEELING_LASTS = timedelta(days=7)
_FOLLOW_UP_FROM = timedelta(days=7)
_FOLLOW_UPS = 3
_SHOWN = 60             # UTF-16 units of a follow-up
_PROMPTS = {
    "personal": "Speak as somebody who has known this person for a while; bring up what they told where it helps.",
    "health": "Speak as a careful companion of this person's health; never contradict what is known of it.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    """What is known of somebody, in short."""

    duration_days: int
    personal_details: tuple[str, ...] = ()
    active_goals: tuple[str, ...] = ()
    current_feeling: str | None = None
    pending_follow_ups: tuple[str, ...] = ()
    persona_prompt: str | None = None


async def relationship(space: MemorySpace, template: str) -> Relationship:
    """Read only."""
    await space.raw.refresh()
    raw, now = space.raw, space.clock.now()
    oldest = raw.oldest_at
    facts = [(registry.facet_of(fact), fact.text) for fact in registry.active(space)]
    card = space.views.card.card
    feelings = [event for event in raw.telling(FEELING) if timedelta(0) <= now - event.at <= _FEELING_LASTS]
    goal = (card.goal,) if card is not None and card.goal else ()
    return Relationship(
        duration_days=max((now - oldest).days, 0) if oldest is not None else 0,
        personal_details=_once(
            [
                *(event.text for event in raw.telling(PERSONAL_DETAIL)),
                *(text for facet, text in facts if facet == "identity"),
            ]
        ),
        active_goals=_once([*goal, *(text for facet, text in facts if facet == "goals")]),
        current_feeling=feelings[-1].text if feelings else None,
        pending_follow_ups=_follow_ups(space, now),
        persona_prompt=_PROMPTS.get(template),
    )


def _follow_ups(space: MemorySpace, now: datetime) -> tuple[str, ...]:
    told = [(kind, event) for kind in (COMMITMENT, EXPERIENCE) for event in space.raw.telling(kind)]
    old = sorted(
        ((kind, event) for kind, event in told if now - event.at > _FOLLOW_UP_FROM),
        key=lambda one: (one[1].at, one[1].row),
    )
    return tuple(
        f'{kind}: "{cut(event.text, _SHOWN)}..." ({(now - event.at).days} days ago)'
        for kind, event in old[:_FOLLOW_UPS]
    )


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
