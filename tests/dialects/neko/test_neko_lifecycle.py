"""/health, /shutdown, and what is answered while storage is not ready."""

from __future__ import annotations

import httpx2

from memory.engine import Engine
from memory_server.service import Service
from memory_server.version import VERSION
from tests.conftest import OpenEngine, client_of
from tests.dialects.neko.talk import exchange, history
from tests.fakes import FixedClock, WordEmbedder

IDENTITY = {"app": "N.E.K.O", "service": "memory", "status": "ok", "instance_id": "an-instance"}


async def test_health_says_who_answers_and_how_it_is(client: httpx2.AsyncClient, engine: Engine) -> None:
    response = await client.get("/health")
    assert response.status_code == 200
    assert list(response.json())[:4] == list(IDENTITY)
    assert response.json().items() >= {
        **IDENTITY,
        "version": VERSION,
        "initialised": True,
        "limited_mode": False,
        "blocking_reason": None,
        "root_id": engine.root_id,
        "spaces": 0,
        "open_spaces": 0,
        "owed": 0,
        "oldest_owed_age_seconds": None,
        "last_failed_write_at": None,
        "refused_writes": 0,
        "write_fence": None,
        "damaged": 0,
        "embeddings": {"profile": None, "state": "disabled", "reason": "switched off", "pending": 0},
    }.items()


async def test_health_tells_of_owed_work_and_its_age(client: httpx2.AsyncClient, clock: FixedClock) -> None:
    await client.post("/cache/Mio", json=history(exchange(1)))
    clock.advance(90)
    health = (await client.get("/health")).json()
    assert (health["spaces"], health["open_spaces"], health["owed"]) == (1, 1, 1)
    assert health["oldest_owed_age_seconds"] == 90.0


async def test_health_names_the_embedder(open_engine: OpenEngine) -> None:
    engine = await open_engine(embedder=WordEmbedder())
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        embeddings = (await client.get("/health")).json()["embeddings"]
    assert embeddings == {"profile": "words", "state": "ready", "reason": None, "pending": 0}


async def test_the_root_keeps_its_id(open_engine: OpenEngine) -> None:
    first = await open_engine()
    await first.close()
    assert (await open_engine()).root_id == first.root_id


async def test_shutdown_ends_the_process_where_that_is_allowed(client: httpx2.AsyncClient, service: Service) -> None:
    stopped = []
    service.stop = lambda: stopped.append(True)
    response = await client.post("/shutdown")
    assert (response.status_code, response.json()) == (200, {"status": "shutdown_signal_received"})
    assert stopped == [True]


async def test_shutdown_says_where_it_is_not(client: httpx2.AsyncClient) -> None:
    response = await client.post("/shutdown")
    assert response.status_code == 200
    assert response.json()["status"] == "shutdown_disabled"
    assert response.json()["message"]


async def test_a_foreign_page_is_refused_in_limited_mode_too(client: httpx2.AsyncClient, service: Service) -> None:
    service.engine = None
    response = await client.get("/health", headers={"Origin": "https://example.com"})
    assert response.status_code == 403
