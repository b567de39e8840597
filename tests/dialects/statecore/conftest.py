"""An app with real ids, and clients who speak for somebody."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.types import ASGIApp

from memory import tenancy
from memory.courier import HttpCourier
from memory.engine import Engine
from memory.ids import RandomIds
from memory.models.chat import Chat
from memory.models.embedder import Embedder
from memory.settings import Settings
from memory.space import MemorySpace
from memory.state.digests import Digest, to_row
from memory.state.webhook import Courier
from memory.store.files import Disk
from memory.tenancy import public_id, user_of
from memory_server.app import create_app
from memory_server.service import Service
from tests.dialects.neko import talk
from tests.dialects.statecore.tally import EXAMPLES, line
from tests.fakes import FixedClock

LOCAL = "local-dev-user"
MIA = "character:Mia"


class Client:
    """Speaks for one user; answers are checked for their status."""

    def __init__(self, app: ASGIApp, user: str | None, prefix: str = "/v1") -> None:
        self.user = user
        self.prefix = prefix
        self._http = httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1:48912", trust_env=False
        )

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: dict[str, str] | None = None,
        raw: bytes | None = None,
    ) -> httpx2.Response:
        sent = {**({"x-user-id": self.user} if self.user is not None else {}), **(headers or {})}
        if raw is not None:
            sent["content-type"] = "application/json"
            return await self._http.request(method, path, content=raw, headers=sent)
        if body is None:
            return await self._http.request(method, path, headers=sent)
        return await self._http.request(method, path, json=body, headers=sent)

    async def post(self, path: str, body: Any = None, status: int = 201, **more: Any) -> Any:
        answer = await self.ask("POST", self.prefix + path, body, **more)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def get(self, path: str, status: int = 200) -> Any:
        answer = await self.ask("GET", self.prefix + path)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def delete(self, path: str, status: int = 200) -> Any:
        answer = await self.ask("DELETE", self.prefix + path)
        assert answer.status_code == status, answer.text
        return answer.json()

    # what most tests begin with

    async def scope(self, name: str = "Demo", **more: Any) -> str:
        made = await self.post("/scopes", {"name": name, **more})
        return str(made["id"])

    async def event(self, scope: str, content: str, **more: Any) -> Any:
        return await self.post("/memory/events", {"scopeId": scope, "type": "stream", "content": content, **more})

    async def note(self, scope: str, text: str) -> None:
        assert await self.post("/memory/notes", {"scopeId": scope, "text": text}) == {"ok": True}

    async def retrieve(self, scope: str, **more: Any) -> Any:
        return await self.post("/memory/retrieve", {"scopeId": scope, **more})

    async def facts(self, scope: str) -> dict[str, list[dict[str, Any]]]:
        found = await self.get(f"/memory/facts?scopeId={scope}")
        return {group["group"]: group["items"] for group in found["groups"]}

    async def forget(self, scope: str, text: str) -> str:
        """Forget the listed fact of that text; returns its id."""
        items = [item for group in (await self.facts(scope)).values() for item in group]
        item = next(item for item in items if item["text"] == text)
        await self.post("/memory/facts/forget", {"scopeId": scope, "factKey": item["factKey"]})
        return str(item["factId"])

    async def close(self) -> None:
        await self._http.aclose()


class World:
    """One data root and a server in front of it, which may be started anew."""

    def __init__(self, root: Path, clock: FixedClock) -> None:
        self.root = root
        self.clock = clock
        self._clients: list[Client] = []
        self.engine: Engine
        self.service: Service
        self.app: ASGIApp

    async def start(
        self,
        *,
        chat: Chat | None = None,
        embedder: Embedder | None = None,
        feature_llm: bool | None = None,
        courier: Courier | None = None,
        disk: Disk | None = None,
        **settings: Any,
    ) -> None:
        wanted = Settings(data_root=self.root, **{"background": False, **settings})
        self.engine = await Engine.open(
            wanted,
            clock=self.clock,
            ids=RandomIds(),
            chat=chat,
            embedder=embedder,
            disk=disk,
            courier=courier or HttpCourier(self.root, {}, self.clock),
        )
        self.service = Service(instance_id="an-instance", engine=self.engine, feature_llm=feature_llm)
        self.app = create_app(self.service)

    async def stop(self) -> None:
        for client in self._clients:
            await client.close()
        self._clients.clear()
        await self.engine.close()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    def using(self, scope: str) -> AbstractAsyncContextManager[MemorySpace]:
        """The space of one of the local user's scopes."""

        @asynccontextmanager
        async def used() -> AsyncIterator[MemorySpace]:
            user = user_of(f"local:{LOCAL}", is_local=True)
            async with tenancy.using(self.engine, user, scope) as (_, space):
                yield space

        return used()

    async def cache(self, *said: str) -> None:
        """Let the companion take in what the user said to Mia."""
        answer = await self.client(None).ask("POST", "/cache/Mia", talk.history([talk.user(text) for text in said]))
        assert answer.json() == {"status": "cached", "count": len(said)}

    async def work(self, scope: str) -> None:
        """Do what the scope is owed."""
        async with self.using(scope) as space:
            await self.engine.worker.perform_all(space)

    def client(self, user: str | None = LOCAL, prefix: str = "/v1") -> Client:
        client = Client(self.app, user, prefix)
        self._clients.append(client)
        return client


async def digested(world: World, scope: str, summary: str) -> str:
    """Let a scope of the local user's have a digest; returns its public id."""
    async with world.using(scope) as space, space.journal.write() as batch:
        digest = Digest(
            id=space.ids.new("digest"),
            summary=summary,
            created_at=world.clock.now(),
            rationale=("selected_stream:1",),
            drops=({"reason": "cap_evicted", "detail": {"facet": "notes", "cap": 30}},),
        )
        batch.add("digest.committed", {"digest": to_row(digest)})
    return public_id(digest.id)


@pytest.fixture
async def world(root: Path, clock: FixedClock) -> AsyncIterator[World]:
    made = World(root, clock)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
def me(world: World) -> Client:
    """The local user."""
    return world.client()


@pytest.fixture
def other(world: World) -> Client:
    return world.client("somebody else")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how much the properties were tried on."""
    if EXAMPLES:
        terminalreporter.write_line(f"examples: {line()}")
