"""The layers of a scope, and what a message would be answered from."""

from __future__ import annotations

from memory.state.grounding import gather
from memory.state.layers import read_layers
from memory_server.statecore import shown_layers
from memory_server.statecore.call import Answer, Call

_CONTEXT = "Show the current fast-layer context."
_GOAL = "What is the current architecture goal?"


async def working_state(call: Call[None]) -> Answer:
    """The latest working memory, whole and as it is shown."""
    async with call.using(call.scope_id) as (place, space):
        layers = await read_layers(space)
        return shown_layers.working_state(layers.working, space, place)


async def stable_state(call: Call[None]) -> Answer:
    """The latest state that a digest made, whole and as it is shown."""
    async with call.using(call.scope_id) as (_, space):
        return shown_layers.stable_state(await read_layers(space), space)


async def fast_view(call: Call[None]) -> Answer:
    """What a message would be answered from."""
    message = call.query.get("message") or _CONTEXT
    async with call.using(call.scope_id) as (place, space):
        return shown_layers.fast_view(await gather(space, message, call.engine.embedder), place)


async def layer_status(call: Call[None]) -> Answer:
    """How the layers stand, how far they agree, and how fresh they are."""
    message = call.query.get("message") or _GOAL
    async with call.using(call.scope_id) as (place, space):
        return shown_layers.layer_status(await gather(space, message, call.engine.embedder), message, place)
