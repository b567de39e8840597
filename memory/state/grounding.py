"""What an answer rests on: the layers, the events that were recalled, the digest, the latest turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from memory.history.event_notes import STREAM
from memory.history.raw import RawEvent
from memory.models.embedder import Embedder
from memory.sessions.handoffs import Handoff
from memory.space import MemorySpace
from memory.state import registry
from memory.state.digest_reading import told
from memory.state.digests import Digest
from memory.state.discretion import Discretion
from memory.state.fast_view import FastView, Spoken, compile_view
from memory.state.layers import Layers, read_layers
from memory.state.meaning import NOBODY, near
from memory.state.plan import DEFAULT, FULL, NONE, PROFILES, Plan, Profile, plan
from memory.state.ranking import Ranked, idf, rank, read_question, relevance
from memory.state.working_cues import REPLY, is_reply

_TURNS_SHOWN = 3                        # of what is compiled without a profile of its own
_TOGETHER = timedelta(seconds=5)        # between two messages of one turn
_FACTS = 30                             # that a prompt holds
_QUERY = 2_000                          # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """Everything a message or question may be answered from. What was forgotten is in none of it."""

    layers: Layers
    plan: Plan
    events: tuple[Ranked, ...]          # the best first
    digest: Digest | None
    facts: tuple[str, ...]              # the most relevant first
    handoff: Handoff | None
    turns: tuple[Spoken, ...]           # oldest first
    view: FastView

    @property
    def recalled(self) -> list[str]:
        """Texts of the events that are no replies."""
        return [one.event.text for one in self.events if not says_reply(one.event)]


def says_reply(event: RawEvent) -> bool:
    """Whether an event is what an assistant said."""
    return event.is_reply or is_reply(event.text)


def spoken(event: RawEvent) -> Spoken:
    """The event as somebody said it."""
    text = event.text.lstrip()[len(REPLY) :].strip() if is_reply(event.text) else event.text
    return Spoken(text=text, is_reply=says_reply(event))


async def gather(
    space: MemorySpace,
    message: str,
    embedder: Embedder = NOBODY,
    *,
    profile: Profile = PROFILES[DEFAULT],
    recall_limit: int | None = None,
) -> Grounds:
    """What a message is answered from, as far as it needs the past. Read only; nothing is remembered in between."""
    layers = await read_layers(space)
    wanted = plan(message, profile, recall_limit)
    if wanted.mode != NONE:
        wanted = replace(wanted, query=_query(message, layers))
    return await _grounds(space, message, layers, wanted, embedder, turns=profile.turns)


async def gather_for(space: MemorySpace, question: str, limit: int, embedder: Embedder = NOBODY) -> Grounds:
    """What a question is answered from, whatever it is about. Read only."""
    layers = await read_layers(space)
    wanted = Plan(mode=FULL, reason="question", limit=limit, query=question[:_QUERY])
    return await _grounds(space, question, layers, wanted, embedder, turns=_TURNS_SHOWN)


async def _grounds(
    space: MemorySpace, message: str, layers: Layers, wanted: Plan, embedder: Embedder, *, turns: int
) -> Grounds:
    discretion = layers.discretion
    events = await _recall(space, wanted, discretion, embedder)
    latest = tuple(latest_turns(space, turns, discretion))
    return Grounds(
        layers=layers,
        plan=wanted,
        events=tuple(events),
        digest=_digest(space, layers),
        facts=tuple(_facts(space, layers, wanted.query or message)),
        handoff=_handoff(space, discretion),
        turns=latest,
        view=compile_view(
            message, layers.working_state, layers.stable, [spoken(one.event) for one in events], latest
        ),
    )


def _digest(space: MemorySpace, layers: Layers) -> Digest | None:
    """The latest digest, where anything of its text may be told."""
    latest = space.views.digests.latest
    if latest is None:
        return None
    known = layers.digest if layers.digest is not None and layers.digest.id == latest.id else None
    shown = known or told(latest, layers.discretion)
    return shown if shown.summary else None


def _query(message: str, layers: Layers) -> str:
    """The message, and what the work is about."""
    working, stable = layers.working_state, layers.stable
    parts = [
        message[:_QUERY],
        working.goal.text if working.goal is not None else "",
        stable.goal or "",
        *(one.text for one in working.constraints[:1]),
        *stable.constraints[:1],
    ]
    return "\n".join(dict.fromkeys(part for part in map(str.strip, parts) if part))


async def _recall(space: MemorySpace, wanted: Plan, discretion: Discretion, embedder: Embedder) -> list[Ranked]:
    if wanted.query is None:
        return []
    meaning = await near(space, wanted.query, embedder)
    found, _ = rank(space.raw, read_question(wanted.query), wanted.limit, meaning)
    return [one for one in found if not discretion.hides(one.event.text)]


def _facts(space: MemorySpace, layers: Layers, question: str) -> list[str]:
    """Facts that hold; where there are many, those that say most about the question, and then the latest."""
    facts = [fact for fact in layers.facts if not layers.discretion.hides(fact.text)]
    if len(facts) > _FACTS:
        weights = idf(space.raw, read_question(question))
        facts = sorted(facts, key=lambda fact: (-relevance(fact, weights), -fact.created_at.timestamp(), fact.id))
        return [fact.text for fact in facts[:_FACTS]]
    return [registry.entry_of(fact).content for fact in reversed(facts)]


def _handoff(space: MemorySpace, discretion: Discretion) -> Handoff | None:
    active = space.views.handoffs.active
    if active is None:
        return None
    kept = [line for line in active.content.split("\n") if not discretion.hides(line)]
    return replace(active, content="\n".join(kept)) if any(line.strip() for line in kept) else None


def latest_turns(space: MemorySpace, limit: int, discretion: Discretion) -> list[Spoken]:
    """The latest turns, oldest first: what somebody sends within five seconds is one."""
    events = [
        one
        for one in reversed(space.raw.newest(4 * limit))
        if one.type == STREAM and not discretion.hides(one.text)
    ]
    groups: list[list[RawEvent]] = []
    for event in events:
        before = groups[-1][-1] if groups else None
        if before is not None and not (says_reply(before) or says_reply(event)) and event.at - before.at <= _TOGETHER:
            groups[-1].append(event)
        else:
            groups.append([event])
    return [_together(group) for group in groups[-limit:]]


def _together(events: Sequence[RawEvent]) -> Spoken:
    said = [spoken(one) for one in events]
    return Spoken(text="\n".join(one.text for one in said), is_reply=said[0].is_reply)
