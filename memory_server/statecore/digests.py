"""Digests: asking for one, the chain of them, and the states that they hold."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from memory.state.digest_jobs import ask_digest, ask_rebuild
from memory.state.digest_reading import told
from memory.state.digests import Digest
from memory.state.discretion import discretion_of
from memory.tenancy import public_id
from memory_server.statecore import shown_state
from memory_server.statecore.call import Answer, Call
from memory_server.statecore.pages import read_cursor, read_limit, write_cursor
from memory_server.statecore.wire import requests

_USUAL, _MOST = 20, 100
_USUAL_STATES, _MOST_STATES = 10, 50


async def digest(call: Call[requests.OneScope]) -> Answer:
    """Ask for a digest of what came since the last one. The job is durable once this is answered."""
    async with call.using(call.body.scopeId) as (_, space):
        return {"jobId": await ask_digest(space)}


async def rebuild(call: Call[requests.Rebuild]) -> Answer:
    """Ask for a new chain of digests over the events of a time."""
    body = call.body
    async with call.using(body.scopeId) as (_, space):
        job, group = await ask_rebuild(
            space, first=body.first, last=body.to, strategy=body.strategy
        )
    return {"jobId": job, "rebuildGroupId": public_id(group)}


async def digests(call: Call[None]) -> Answer:
    """The digests of a scope, the newest first."""
    limit = read_limit(call.query.get("limit"), _USUAL, _MOST)
    async with call.using(call.scope_id) as (place, space):
        found = _of_group(space.views.digests.newest_first, call.query.get("rebuildGroupId"))
        after = call.query.get("cursor")
        if after:
            parts = read_cursor(after, 4)
            place_of = _place(parts[2:]) if parts and parts[:2] == [call.user.id, place.id] else None
            found = [one for one in found if place_of is not None and (one.created_at, one.id) < place_of]
        page = found[:limit]
        cursor = None
        if len(found) > limit:
            last = page[-1]
            cursor = write_cursor(call.user.id, place.id, last.created_at.isoformat(), last.id)
        discretion = await discretion_of(space)
        items = [shown_state.digest(told(one, discretion), place) for one in page]
        return {"items": items, "nextCursor": cursor}


def _place(parts: list[object]) -> tuple[datetime, str] | None:
    at, own = parts
    try:
        moment = datetime.fromisoformat(str(at))
    except ValueError:
        return None
    return (moment, str(own)) if moment.tzinfo is not None else None


def _of_group(found: Iterable[Digest], group: str | None) -> list[Digest]:
    """Those of a rebuilding, where one is asked for."""
    if not group:
        return list(found)
    return [
        one
        for one in found
        if one.rebuild_group_id is not None and public_id(one.rebuild_group_id) == group.strip().lower()
    ]


async def state(call: Call[None]) -> Answer:
    """The newest state."""
    async with call.using(call.scope_id) as (_, space):
        latest = next((one for one in space.views.digests.newest_first if one.state is not None), None)
        if latest is None:
            return shown_state.NO_SNAPSHOT
        return shown_state.snapshot(told(latest, await discretion_of(space)), space)


async def history(call: Call[None]) -> Answer:
    """The newest states, the newest first."""
    limit = read_limit(call.query.get("limit"), _USUAL_STATES, _MOST_STATES)
    async with call.using(call.scope_id) as (_, space):
        found = _of_group(space.views.digests.newest_first, call.query.get("rebuildGroupId"))
        with_state = [one for one in found if one.state is not None][:limit]
        discretion = await discretion_of(space)
        return {"items": [shown_state.snapshot(told(one, discretion), space) for one in with_state]}
