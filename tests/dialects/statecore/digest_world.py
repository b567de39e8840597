"""A server whose model writes digests as it is told, and its owed work done by hand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from memory import tenancy
from memory.space import MemorySpace
from memory.tenancy import user_of
from tests.dialects.statecore.conftest import LOCAL, Client, World
from tests.fakes import FixedClock, ScriptedChat

USER = user_of(f"local:{LOCAL}", is_local=True)
PLAIN = {"summary": "All goes well.", "changes": ["something"], "nextSteps": ["Review the plan"], "profileFacts": []}


def said(**more: Any) -> str:
    """A model's answer to a digest."""
    return json.dumps({**PLAIN, **more}, ensure_ascii=False)


def found(*facts: tuple[str, str]) -> str:
    """An answer with facts, each with its facet."""
    return said(profileFacts=[{"facet": facet, "value": value} for facet, value in facts])


@asynccontextmanager
async def digesting(root: Path, *answers: str | Exception, gate: asyncio.Event | None = None) -> AsyncIterator[World]:
    """A world with a model."""
    world = World(root, FixedClock())
    await world.start(chat=ScriptedChat(*(answers or (said(),)), gate=gate))
    try:
        yield world
    finally:
        await world.stop()


def inside(world: World, scope: str) -> Any:
    return tenancy.using(world.engine, USER, scope)


async def perform(world: World, scope: str) -> None:
    """Do what a scope owes."""
    async with inside(world, scope) as (_, space):
        await world.engine.worker.perform_all(space)


async def digest(world: World, me: Client, scope: str) -> str:
    """Ask for a digest and have it made; returns the id of the job."""
    world.clock.advance(1)
    job = (await me.post("/memory/digest", {"scopeId": scope}))["jobId"]
    await perform(world, scope)
    return str(job)


async def state(world: World, scope: str, query: str = "") -> Any:
    inner = world.client(prefix="")
    return await inner.get(f"/memory/state?scopeId={scope}{query}")


async def listed(world: World, scope: str, query: str = "") -> list[dict[str, Any]]:
    inner = world.client(prefix="")
    answer = await inner.get(f"/memory/digests?scopeId={scope}{query}")
    return list(answer["items"])


async def metrics(world: World, scope: str) -> dict[str, Any]:
    return dict(await world.client(prefix="").get(f"/metrics/digest/{scope}"))


async def selection(me: Client, digest_id: str) -> dict[str, Any]:
    return dict(await me.get(f"/memory/digests/{digest_id}/selection"))


async def reasons(world: World, me: Client, scope: str) -> list[str]:
    """Why the newest digest left something out."""
    newest = (await listed(world, scope))[0]
    return [drop["reason"] for drop in (await selection(me, newest["id"]))["drops"]]


def texts(space: MemorySpace) -> list[str]:
    return [fact.text for fact in space.facts]
