"""What goes in and what comes out: events, notes, handoffs, retrieval."""

from __future__ import annotations

from memory import tenancy
from memory.state import notes
from memory.state.events import Arriving, add_event
from memory.state.retrieve import Wish, retrieve
from memory_server.statecore import shown
from memory_server.statecore.call import Answer, Call
from memory_server.statecore.wire import requests


async def add(call: Call[requests.NewEvent]) -> Answer:
    """Take in a raw event."""
    body = call.body
    arriving = Arriving(
        content=body.content,
        type=body.type,
        source=body.source,
        key=body.key,
        occurred_at=body.occurredAt,
        pinned=body.pinned,
    )
    async with call.using(body.scopeId) as (place, space):
        return shown.event(await add_event(space, arriving, call.request), call.user, place)


async def note(call: Call[requests.Note]) -> Answer:
    """Note a statement for good."""
    async with call.using(call.body.scopeId) as (_, space):
        resolved = await tenancy.pack_of(call.engine, call.user, space)
        await notes.note(space, call.body.text, resolved.pack, call.request)
    return {"ok": True}


async def hand_over(call: Call[requests.HandOver]) -> Answer:
    """Record where a session stopped, or that nothing is handed over any more."""
    body = call.body
    async with call.using(body.scopeId) as (_, space):
        if body.clear:
            done = await notes.clear_handoff(space, call.request)
        else:
            done = await notes.hand_over(
                space, body.summary or "", tuple(body.openQuestions), tuple(body.nextSteps), call.request
            )
    answer: dict[str, object] = {"ok": True, "superseded": done.superseded}
    if done.id is not None:
        answer["handoffId"] = tenancy.public_id(done.id)
    if done.cleared is not None:
        answer["cleared"] = done.cleared
    return answer


async def find(call: Call[requests.Retrieve]) -> Answer:
    """The last digest, facts and events, for a question or the newest, within a number of characters."""
    body = call.body
    async with call.using(body.scopeId) as (_, space):
        wish = Wish(query=body.query or "", limit=body.limit, max_chars=body.maxChars)
        return shown.retrieved(await retrieve(space, wish, call.engine.embedder), space)
