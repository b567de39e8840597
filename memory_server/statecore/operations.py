"""Looking after the memory: raw events in pages, vectors, contradictions, webhooks, queues and counts."""

from __future__ import annotations

import math
from datetime import UTC

from memory import embed
from memory.errors import BadInput
from memory.history.raw import place_of
from memory.queues import queues as count_queues
from memory.state.contradiction import check
from memory.state.digest_jobs import digest_metrics
from memory.state.usage import count_tools
from memory.state.webhooks import set_webhook
from memory.tenancy import spaces_of
from memory_server.statecore import shown
from memory_server.statecore.call import Answer, Call, Refused, has_model
from memory_server.statecore.pages import read_cursor, read_limit, write_cursor
from memory_server.statecore.wire import requests

_USUAL, _MOST = 20, 100
_BACKFILLED = 1_000         # events of one request
_SHOWN = 200                # characters of a fact in a sentence

_Place = tuple[float, int]


async def events(call: Call[None]) -> Answer:
    """The raw events of a scope, the newest first."""
    limit = read_limit(call.query.get("limit"), _USUAL, _MOST)
    async with call.using(call.scope_id) as (place, space):
        before = _before(call, place.id)
        if before is _NOWHERE:
            return {"items": [], "nextCursor": None}
        await space.raw.refresh(words=False)
        found = space.raw.newest(limit + 1, before)
        page = found[:limit]
        cursor = None
        if len(found) > limit:
            cursor = write_cursor(call.user.id, place.id, *place_of(page[-1]))
        return {"items": [shown.event(one, call.user, place) for one in page], "nextCursor": cursor}


_NOWHERE: _Place = (-math.inf, 0)


def _before(call: Call[None], scope_id: str) -> _Place | None:
    text = call.query.get("cursor")
    if not text:
        return None
    parts = read_cursor(text, 4)
    if parts is None or parts[:2] != [call.user.id, scope_id]:
        return _NOWHERE
    at, row = parts[2:]
    if not isinstance(at, float) or not isinstance(row, int) or not math.isfinite(at):
        return _NOWHERE
    return at, row


async def check_contradiction(call: Call[requests.Claim]) -> Answer:
    """Whether a statement stands against what is known; without a model nothing is checked."""
    engine = call.engine
    async with call.using(call.body.scopeId) as (_, space):
        if not has_model(call.service):
            return {"hasContradiction": False, "message": None, "checked": False}
        verdict = await check(space, engine.cast.names(space.name), engine.chat, call.body.content)
    message = None
    if verdict.against is not None:
        message = f"This contradicts what is known: {verdict.against.text[:_SHOWN]}"
    return {"hasContradiction": message is not None, "message": message, "checked": verdict.checked}


async def backfill(call: Call[requests.OneScope]) -> Answer:
    """Have the newest events that lack a vector given one."""
    engine = call.engine
    async with call.using(call.body.scopeId) as (place, space):
        queued = await embed.lacking(space, engine.cast.names(space.name), engine.embedder, _BACKFILLED)
    if queued:
        engine.backfill.again(place.space)
    return {"queued": queued}


async def webhook(call: Call[requests.Webhook]) -> Answer:
    """Set where the scope's reminders are delivered to, or that they are not."""
    url = call.body.notificationWebhook
    async with call.using(call.path["id"]) as (_, space):
        if url is not None:
            try:
                await call.engine.courier.check(url)
            except BadInput as refused:
                raise Refused(f"{refused.field}: {refused.why}") from None
        await set_webhook(space, url)
    return {"ok": True}


async def metrics(call: Call[None]) -> Answer:
    """How the digests of a scope went, and how many of its events have a vector."""
    engine = call.engine
    async with call.using(call.path["scopeId"]) as (_, space):
        found = digest_metrics(space)
        covered = await embed.coverage(space, engine.cast.names(space.name), engine.embedder)
    return {
        "total": found.total,
        "failed": found.failed,
        "successRate": found.success_rate,
        "lastRunAt": shown.moment(found.last_run_at) if found.last_run_at is not None else None,
        "lastDurationMs": found.last_ms,
        "lastStatus": found.last_status,
        "embeddings": {
            "events": covered.events,
            "embedded": covered.embedded,
            "missing": covered.missing,
            "coverage": round(covered.embedded / covered.events, 4) if covered.events else None,
        },
    }


async def queues(call: Call[None]) -> Answer:
    """What is done at this moment, waits, and was given up, over the caller's scopes."""
    found = await count_queues(call.engine, await spaces_of(call.engine, call.user))
    return {
        name: {"active": queue.active, "waiting": queue.waiting, "failed": queue.failed}
        for name, queue in found.items()
    }


async def tool_usage(call: Call[None]) -> Answer:
    """How often each tool was used today, as an agent's tools wrote it down."""
    engine = call.engine
    today = engine.clock.now().astimezone(UTC).date()
    return {
        "today": today.isoformat(),
        "counts": await engine.run(count_tools, engine.settings.data_root, today),
    }
