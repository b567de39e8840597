"""Operations behind which a language model stands."""

from __future__ import annotations

from memory.history.event_notes import API
from memory.state.answering import answer_question
from memory.state.plan import DEFAULT
from memory.state.turn import Asked, take_turn
from memory.state.write_tier import Policy
from memory_server.statecore import shown_layers
from memory_server.statecore.call import Answer, Call
from memory_server.statecore.wire import requests

_DOCUMENT_KEY = "documentKey"       # in the metadata of a turn


async def answer(call: Call[requests.Ask]) -> Answer:
    """Answer a question from what is remembered."""
    engine = call.engine
    async with call.using(call.body.scopeId) as (_, space):
        said, grounds = await answer_question(space, engine.chat, call.body.question, engine.embedder)
    return {"answer": said, "evidence": shown_layers.evidence(grounds)}


async def turn(call: Call[requests.Turn]) -> Answer:
    """Answer one message of a conversation, and remember it."""
    engine = call.engine
    async with call.using(call.body.scopeId) as (_, space):
        done = await take_turn(space, engine.chat, _asked(call.body), call.request, engine.embedder)
    return shown_layers.turn(done)


def _asked(body: requests.Turn) -> Asked:
    overrides = body.policyOverrides or requests.Overrides()
    named = body.documentKey or (body.metadata or {}).get(_DOCUMENT_KEY)
    return Asked(
        message=body.message,
        source=body.source or API,
        policy=Policy(
            profile=body.policyProfile or DEFAULT,
            tier=body.writeTier,
            promote_long=overrides.promoteLongFormToDocumented is True,
            digest=body.digestMode,
            digest_on_candidate=overrides.digestOnCandidate is True,
            recall_limit=overrides.recallLimit,
        ),
        document_key=named if isinstance(named, str) else None,
    )
