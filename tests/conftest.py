"""An engine on a temporary folder, and a client for the app in front of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Protocol

import httpx2
import pytest

from memory.engine import Engine
from memory.models.chat import Chat
from memory.models.embedder import Embedder
from memory.settings import Settings
from memory.store.files import Disk
from memory.work.gate import StorageGate
from memory_server.app import create_app
from memory_server.service import Service
from tests.fakes import CountingIds, FixedClock


class OpenEngine(Protocol):
    """Opens the root of this test; what is opened is closed at its end. Further arguments are settings."""

    async def __call__(
        self,
        *,
        chat: Chat | None = None,
        embedder: Embedder | None = None,
        disk: Disk | None = None,
        gate: StorageGate | None = None,
        **settings: Any,
    ) -> Engine: ...


class Perform(Protocol):
    """Does the work that a character is owed now; with ``times``, what that leads to as well."""

    async def __call__(self, name: str, *, times: int = 1) -> None: ...


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data root that does not exist yet."""
    return tmp_path / "root"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def ids() -> CountingIds:
    return CountingIds()


@pytest.fixture
async def open_engine(root: Path, clock: FixedClock, ids: CountingIds) -> AsyncIterator[OpenEngine]:
    opened: list[Engine] = []

    async def open_it(
        *,
        chat: Chat | None = None,
        embedder: Embedder | None = None,
        disk: Disk | None = None,
        gate: StorageGate | None = None,
        **settings: Any,
    ) -> Engine:
        wanted = Settings(data_root=root, **{"background": False, **settings})
        engine = await Engine.open(wanted, clock=clock, ids=ids, chat=chat, embedder=embedder, disk=disk, gate=gate)
        opened.append(engine)
        return engine

    yield open_it
    for engine in opened:
        await engine.close()


@pytest.fixture
async def engine(open_engine: OpenEngine) -> Engine:
    """No model, no embedder, no background work."""
    return await open_engine()


@pytest.fixture
def service(engine: Engine) -> Service:
    return Service(instance_id="an-instance", engine=engine)


@pytest.fixture
async def client(service: Service) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(service) as client:
        yield client


@pytest.fixture
def perform(engine: Engine) -> Perform:
    async def perform_it(name: str, *, times: int = 1) -> None:
        for _ in range(times):
            async with engine.spaces.use(name) as space:
                await engine.worker.perform_all(space)

    return perform_it


def client_of(service: Service) -> httpx2.AsyncClient:
    """A client whose requests reach the app in this process."""
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(create_app(service)), base_url="http://127.0.0.1:48912", trust_env=False
    )
