"""What a scope knows about a question, or knows latest, within a number of characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.facts.fact import Fact
from memory.history.raw import RawEvent
from memory.models.embedder import Embedder
from memory.sessions.handoffs import Handoff
from memory.space import MemorySpace
from memory.state import registry
from memory.state.budget import Budget, Item, fill
from memory.state.digest_reading import latest_told
from memory.state.digests import Digest
from memory.state.meaning import NOBODY, NOT_ASKED, Near, near
from memory.state.ranking import Ranked, idf, rank, read_question, relevance

LIMIT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is asked for. A blank question asks for what is newest."""

    query: str = ""
    limit: int = LIMIT
    max_chars: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """How the events were found."""

    candidates: int
    matches: tuple[Ranked, ...]
    meaning: Near = NOT_ASKED


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found."""

    digest: Digest | None
    events: tuple[RawEvent, ...]
    facts: tuple[registry.Entry, ...]
    handoff: Handoff | None
    handoffs: int                   # ever recorded
    budget: Budget | None = None
    ranking: Ranking | None = None


async def retrieve(space: MemorySpace, wish: Wish, embedder: Embedder = NOBODY) -> Found:
    """Read only. Without a number of characters nothing is cut and facts stand as they were learnt."""
    await space.raw.refresh(words=bool(wish.query.strip()))
    question = read_question(wish.query) if wish.query.strip() else None
    ranked: Sequence[Ranked] = ()
    candidates, meaning = 0, NOT_ASKED
    if question is None:
        events = space.raw.newest(wish.limit)
    else:
        meaning = await near(space, wish.query, embedder)
        ranked, candidates = rank(space.raw, question, wish.limit, meaning)
        events = [one.event for one in ranked]
    facts = registry.active(space)
    digest = await latest_told(space)
    budget = None
    if wish.max_chars is not None:
        weights = idf(space.raw, question) if question is not None else None
        filled = fill(
            wish.max_chars,
            Item(value=digest.id, id=digest.id, text=digest.summary) if digest is not None else None,
            _in_order(facts, weights),
            [Item(value=event, id=event.id, text=event.text) for event in events],
        )
        budget, facts, events = filled.budget, filled.facts, filled.events
        digest = digest if filled.digest is not None else None
    kept = {event.id for event in events}
    return Found(
        digest=digest,
        events=tuple(events),
        facts=tuple(map(registry.entry_of, facts)),
        handoff=_told_handoff(space),
        handoffs=len(space.views.handoffs),
        budget=budget,
        ranking=Ranking(
            candidates=candidates,
            matches=tuple(one for one in ranked if one.event.id in kept),
            meaning=meaning,
        )
        if question is not None
        else None,
    )


def _told_handoff(space: MemorySpace) -> Handoff | None:
    """The active handoff without what was forgotten since."""
    handoff = space.views.handoffs.active
    if handoff is None:
        return None
    content = space.views.retired.untold(handoff.content)
    return replace(handoff, content=content) if content.strip() else None


def _in_order(facts: Sequence[Fact], weights: dict[str, float] | None) -> list[Item[Fact]]:
    """The facts in which the budget tries them: by relevance where there is a question, then by confidence and age."""
    items = [
        Item(value=fact, id=fact.id, text=fact.text, score=relevance(fact, weights) if weights is not None else None)
        for fact in facts
    ]
    return sorted(
        items,
        key=lambda item: (
            -(item.score or 0.0),
            -registry.entry_of(item.value).confidence,
            -item.value.created_at.timestamp(),
            item.id,
        ),
    )
