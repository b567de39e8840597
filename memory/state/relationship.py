"""What is needed to open a conversation that sounds like it remembers somebody: by rules, without a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from memory.facts.fact import Fact
from memory.facts.sameness import normal
from memory.history.telling import COMMITMENT, EXPERIENCE, FEELING, PERSONAL_DETAIL
from memory.space import MemorySpace
from memory.state import registry
from memory.state.budget import cut
from memory.state.discretion import Discretion, discretion_of
from memory.state.layers import latest_with_state

_FEELING_LASTS = timedelta(days=7)
_FOLLOW_UP_FROM = timedelta(days=7)
_FOLLOW_UPS = 3
_IDENTITY, _FOLLOW_UP = "identity", "followUps"
_GOALS = frozenset({"goals", "fitnessGoals", "learningGoals"})
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
    """Read only. Nothing of what was forgotten is in it."""
    await space.raw.refresh()
    discretion = await discretion_of(space)
    now, oldest = space.clock.now(), space.raw.oldest_at
    facts = [fact for fact in registry.active(space) if not discretion.hides(fact.text)]
    details = [event.text for event in space.raw.telling(PERSONAL_DETAIL) if not discretion.hides(event.text)]
    return Relationship(
        duration_days=max((now - oldest).days, 0) if oldest is not None else 0,
        personal_details=_once([*details, *(fact.text for fact in facts if registry.facet_of(fact) == _IDENTITY)]),
        active_goals=_once(
            [*_goal(space, discretion), *(fact.text for fact in facts if registry.facet_of(fact) in _GOALS)]
        ),
        current_feeling=_feeling(space, discretion, now),
        pending_follow_ups=_follow_ups(space, facts, discretion, now),
        persona_prompt=_PROMPTS.get(template),
    )


def _feeling(space: MemorySpace, discretion: Discretion, now: datetime) -> str | None:
    lately = (
        event.text
        for event in reversed(space.raw.telling(FEELING))
        if timedelta(0) <= now - event.at <= _FEELING_LASTS
    )
    return next((text for text in lately if not discretion.hides(text)), None)


def _goal(space: MemorySpace, discretion: Discretion) -> list[str]:
    """What is settled as the goal; before a digest told, what the scope was made for."""
    latest = latest_with_state(space, discretion)
    if latest is not None and latest.state is not None and latest.state.goal is not None:
        return [latest.state.goal.value]
    card = space.views.card.card
    return [card.goal] if card is not None and card.goal and not discretion.hides(card.goal) else []


def _follow_ups(space: MemorySpace, facts: list[Fact], discretion: Discretion, now: datetime) -> tuple[str, ...]:
    """The oldest of what is to be asked about: what was told, and what is held for it and was not told so."""
    told = [(kind, event) for kind in (COMMITMENT, EXPERIENCE) for event in space.raw.telling(kind)]
    turns = {event.turn for _, event in told}
    found = [(event.at, kind, event.text) for kind, event in told]
    found += [
        (fact.created_at, COMMITMENT, fact.text)
        for fact in facts
        if registry.facet_of(fact) == _FOLLOW_UP and not turns & set(fact.sources)
    ]
    old = sorted(one for one in found if now - one[0] > _FOLLOW_UP_FROM)
    shown = islice((one for one in old if not discretion.hides(one[2])), _FOLLOW_UPS)
    return tuple(f'{kind}: "{cut(text, _SHOWN)}..." ({(now - at).days} days ago)' for at, kind, text in shown)


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for text in texts:
        found.setdefault(normal(text), text)
    return tuple(found.values())
