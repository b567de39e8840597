"""One turn of an assistant: its message is answered from what is remembered, and both are remembered before anybody
is told the answer."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.errors import ModelFailed, NotAsked
from memory.history.event_notes import API, DOCUMENT
from memory.models.chat import Chat
from memory.models.embedder import Embedder
from memory.space import MemorySpace
from memory.state import direct
from memory.state.answered import Request, remember
from memory.state.answering import reply, turn_messages
from memory.state.digest_jobs import owe_digest
from memory.state.direct import Known
from memory.state.events import Arriving, add_to
from memory.state.grounding import Grounds, gather
from memory.state.meaning import NOBODY
from memory.state.plan import PROFILES
from memory.state.working_cues import REPLY
from memory.state.working_update import owe_update
from memory.state.write_tier import DOCUMENTED, EPHEMERAL, Decided, Policy, digests, document_key, pieces, tier_of
from memory.store.journal import Batch

log = logging.getLogger(__name__)

DIRECT, BY_MODEL = "direct_state_fast_path", "llm_fast_path"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A message, checked, and how it is to be dealt with."""

    message: str
    source: str = API
    policy: Policy = field(default_factory=Policy)
    document_key: str | None = None     # None: made from the text, where one is needed


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDone:
    """What became of a turn. Versions and grounds are those before it."""

    answer: str
    mode: str
    tier: str
    digests: bool                       # whether a digest follows
    working_version: int | None
    stable_version: str | None          # id of a digest
    grounds: Grounds
    notes: tuple[str, ...]


class Unanswered(ModelFailed):
    """No model answered. ``kept`` tells whether the message is remembered all the same; sent again it is so once.

    ``asked`` is false where none may be asked now.
    """

    def __init__(self, error: ModelFailed, *, kept: bool) -> None:
        super().__init__("answer", type(error).__name__, retryable=error.retryable)
        self.kept = kept
        self.asked = not isinstance(error, NotAsked)


async def take_turn(
    space: MemorySpace, chat: Chat, asked: Asked, request: Request | None = None, embedder: Embedder = NOBODY
) -> TurnDone:
    """Answer a message and make it, the answer and all work that follows durable, in one commit.

    Where no model answers the message alone is kept. Raises Unanswered, KeyReused, SpaceClosed.
    """
    before = space.views.answered.answer(request, space.clock.now())
    policy = asked.policy
    grounds = await gather(
        space, asked.message, embedder, profile=PROFILES[policy.profile], recall_limit=policy.recall_limit
    )
    if before is not None:
        return await _answered_before(space, before, grounds)
    tier = tier_of(asked.message, policy)
    answer, mode = await _answer(space, chat, asked, tier.value, grounds)
    triggers, why = digests(tier.value, policy)
    layers = grounds.layers
    done = TurnDone(
        answer=answer,
        mode=mode,
        tier=tier.value,
        digests=triggers,
        working_version=layers.working.version if layers.working is not None else None,
        stable_version=layers.digest.id if layers.digest is not None else None,
        grounds=grounds,
        notes=(f"write_tier:{tier.reason}", f"answer:{mode}", f"digest:{why}"),
    )
    space.at("turn.answered")
    async with space.journal.write() as batch:
        before = space.views.answered.answer(request, space.clock.now())
        if before is None:
            await _keep(space, batch, asked, tier, done, request)
    if before is not None:      # the same request came twice at once, and the other one was faster
        return await _answered_before(space, before, grounds)
    log.info("%s: a %s turn was answered by %s", space.name, tier.value, mode)
    return done


async def _answer(space: MemorySpace, chat: Chat, asked: Asked, tier: str, grounds: Grounds) -> tuple[str, str]:
    known = Known(stable=grounds.layers.stable, working=grounds.layers.working_state, recalled=grounds.recalled)
    answer = direct.answer(asked.message, known)
    if answer is not None:
        return answer, DIRECT
    try:
        return await reply(space, chat, turn_messages(asked.message, grounds)), BY_MODEL
    except ModelFailed as error:
        raise Unanswered(error, kept=await _keep_unanswered(space, asked, tier)) from error


# what is kept


async def _keep(
    space: MemorySpace, batch: Batch, asked: Asked, tier: Decided, done: TurnDone, request: Request | None
) -> None:
    """The message, the answer, and what is owed for them."""
    reply_id = None
    if tier.value != EPHEMERAL:
        mark = _mark(asked.message)
        if space.views.answered.answer(mark, space.clock.now()):
            for type_, data in remember(mark, {}):      # kept when nobody answered it; now somebody does
                batch.add(type_, data)
        else:
            await _keep_message(space, batch, asked, tier.value)
        text = f"{REPLY} {done.answer}" if space.name.startswith("@") else done.answer
        reply_id = (await add_to(space, batch, Arriving(content=text, source=asked.source, is_reply=True))).id
        owe_update(space, batch)
    if done.digests:
        owe_digest(space, batch)
    told = {
        "reply": reply_id,
        "mode": done.mode,
        "tier": done.tier,
        "digests": done.digests,
        "working": done.working_version,
        "stable": done.stable_version,
    }
    if reply_id is not None:
        for type_, data in remember(request, told):
            batch.add(type_, data)


async def _keep_message(space: MemorySpace, batch: Batch, asked: Asked, tier: str) -> None:
    if tier == DOCUMENTED:
        key = document_key(asked.message, asked.document_key)
        await add_to(space, batch, Arriving(content=asked.message, type=DOCUMENT, source=asked.source, key=key))
        return
    for piece in pieces(asked.message):
        await add_to(space, batch, Arriving(content=piece, source=asked.source))


async def _keep_unanswered(space: MemorySpace, asked: Asked, tier: str) -> bool:
    """The message without an answer, and a mark by which it is known when it is sent again."""
    if tier == EPHEMERAL:
        return False
    mark = _mark(asked.message)
    async with space.journal.write() as batch:
        if not space.views.answered.answer(mark, space.clock.now()):
            await _keep_message(space, batch, asked, tier)
            owe_update(space, batch)
            for type_, data in remember(mark, {"unanswered": True}):
                batch.add(type_, data)
    log.info("%s: a %s turn was not answered", space.name, tier)
    return True


def _mark(message: str) -> Request:
    told = hashlib.sha256(f"unanswered\n{message}".encode("utf-8", "surrogatepass")).hexdigest()
    return Request(key=told, body=told)


async def _answered_before(space: MemorySpace, before: Mapping[str, Any], grounds: Grounds) -> TurnDone:
    """The same answer once more. What was forgotten meanwhile is not told again."""
    own = str(before["reply"])
    turn = (await space.turns.by_id([own])).get(own)
    text = turn.text if turn is not None else ""
    hidden = grounds.layers.discretion.hides(text)
    return TurnDone(
        answer="" if hidden else text.removeprefix(REPLY).strip() if space.name.startswith("@") else text,
        mode=str(before["mode"]),
        tier=str(before["tier"]),
        digests=before["digests"] is True,
        working_version=before["working"],
        stable_version=before["stable"],
        grounds=grounds,
        notes=("answered_before",),
    )
