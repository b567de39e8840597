"""Scopes and which of them is active."""

from __future__ import annotations

from memory import tenancy
from memory.tenancy import NewScope
from memory_server.statecore import shown
from memory_server.statecore.call import Answer, Call
from memory_server.statecore.wire import requests


async def create(call: Call[requests.NewScope]) -> Answer:
    """Make a scope; it becomes the active one."""
    body = call.body
    wanted = NewScope(name=body.name, goal=body.goal, stage=body.stage, template=body.template)
    return shown.scope(await tenancy.create_scope(call.engine, call.user, wanted))


async def list_(call: Call[None]) -> Answer:
    """The caller's scopes, the newest first."""
    return {"items": [shown.scope(card) for card in await tenancy.list_scopes(call.engine, call.user)]}


async def activate(call: Call[None]) -> Answer:
    """Make a scope the active one."""
    return {"activeScopeId": await tenancy.activate(call.engine, call.user, call.path["id"])}


async def state(call: Call[None]) -> Answer:
    """The caller's active scope."""
    return {"activeScopeId": await tenancy.active_scope(call.engine, call.user)}


async def delete(call: Call[None]) -> Answer:
    """Erase a scope with everything in it."""
    await tenancy.delete_scope(call.engine, call.user, call.path["id"])
    return {"ok": True}
