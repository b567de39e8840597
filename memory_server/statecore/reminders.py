"""Reminders, of a scope or of nothing in particular."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from datetime import datetime

from memory import tenancy
from memory.errors import UnknownSpace
from memory.space import MemorySpace
from memory.state import remind
from memory.state.reminders import STATUSES, Due
from memory.tenancy import ACCOUNTS, character_id, entry_of, public_id, spaces_of
from memory_server.statecore import shown
from memory_server.statecore.call import Answer, Call
from memory_server.statecore.pages import read_cursor, read_limit, write_cursor
from memory_server.statecore.wire import requests
from memory_server.statecore.wire.requests import Invalid

_USUAL, _MOST = 20, 100


async def create(call: Call[requests.NewReminder]) -> Answer:
    """Make a reminder."""
    body = call.body
    scope_id: str | None = None
    if body.scopeId is None:
        async with tenancy.accounts(call.engine) as space:
            made = await remind.schedule(space, call.user.id, body.text, body.dueAt)
    else:
        async with call.using(body.scopeId) as (place, space):
            scope_id = place.id
            made = await remind.schedule(space, call.user.id, body.text, body.dueAt)
    await call.engine.due.tick()
    return shown.reminder(made, scope_id)


async def list_(call: Call[None]) -> Answer:
    """The caller's reminders of all scopes, the earliest due first."""
    status = call.query.get("status") or None
    if status is not None and status not in STATUSES:
        raise Invalid([{"code": "invalid_enum_value", "path": ["status"], "message": f"must be one of {STATUSES}"}])
    limit = read_limit(call.query.get("limit"), _USUAL, _MOST)
    after = _after(call.query.get("cursor"), call.user.id)
    if after is _NOWHERE:
        return {"items": [], "nextCursor": None}
    known = [
        (due.due_at, due.id, name)
        for name, due in await _due(call)
        if (status is None or due.status == status) and (after is None or (due.due_at, due.id) > after)
    ]
    known.sort()
    page = known[:limit]
    items = []
    for _, own, name in page:
        item = await _shown(call, name, own)
        if item is not None:
            items.append(item)
    if len(known) <= limit:
        return {"items": items, "nextCursor": None}
    due_at, own, _ = page[-1]
    return {"items": items, "nextCursor": write_cursor(call.user.id, due_at.isoformat(), own)}


async def cancel(call: Call[None]) -> Answer:
    """Cancel a reminder that was not sent yet."""
    asked = call.path["id"].lower()
    for name, due in await _due(call):
        if public_id(due.id) == asked:
            try:
                async with call.engine.spaces.use(name) as space:
                    return {"ok": await remind.cancel(space, due.id, call.user.id)}
            except UnknownSpace:
                break
    return {"ok": False}


async def _due(call: Call[None]) -> list[tuple[str, Due]]:
    """Every reminder of the caller's, with the space in which it is."""
    found: list[tuple[str, Due]] = []
    for name in await spaces_of(call.engine, call.user):
        entry = await entry_of(call.engine, name)
        if entry is not None:
            found += [(name, due) for due in entry.reminders if due.owner == call.user.id]
    return found


async def _shown(call: Call[None], name: str, own: str) -> dict[str, object] | None:
    using: AbstractAsyncContextManager[MemorySpace] = call.engine.spaces.use(name)
    try:
        async with using as space:
            one = space.views.reminders.get(own)
            card = space.views.card.card
    except UnknownSpace:
        return None
    if one is None:
        return None
    if name == ACCOUNTS:
        return shown.reminder(one, None)
    return shown.reminder(one, card.id if card is not None else character_id(name))


# A cursor names the last row that was shown; one that does not belong here leads nowhere.

_Place = tuple[datetime, str]
_NOWHERE: _Place = (datetime.fromisoformat("9999-12-31T00:00:00+00:00"), "")


def _after(text: str | None, user_id: str) -> _Place | None:
    if not text:
        return None
    parts = read_cursor(text, 3)
    if parts is None:
        return _NOWHERE
    owner, due, own = parts
    try:
        due_at = datetime.fromisoformat(due)
    except (ValueError, TypeError):
        return _NOWHERE
    if owner != user_id or due_at.tzinfo is None or not isinstance(own, str):
        return _NOWHERE
    return due_at, own
