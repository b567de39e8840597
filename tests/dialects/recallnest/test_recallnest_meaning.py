"""Recall by meaning beside recall by words: what the legs say, and that scores stay comparable."""

from __future__ import annotations

import httpx2
import pytest

from memory.engine import Engine
from memory.scopes import read_scope
from memory_server.service import Service
from tests.conftest import OpenEngine, client_of
from tests.dialects.recallnest.nest import DEMO, OTHER, Nest
from tests.fakes import FixedClock, WordEmbedder


@pytest.fixture
async def engine(open_engine: OpenEngine) -> Engine:
    return await open_engine(embedder=WordEmbedder())


@pytest.fixture
def nest(client: httpx2.AsyncClient, engine: Engine, clock: FixedClock) -> Nest:
    return Nest(client, engine, clock)


async def embedded(nest: Nest) -> None:
    for _ in range(20):
        await nest.engine.backfill.tick()


async def test_a_hit_says_what_each_leg_thinks_of_it(nest: Nest) -> None:
    await nest.store("the staging cluster runs in europe", category="entities")
    await nest.store("ana bakes bread on sundays", category="entities")
    await embedded(nest)
    answer = await nest.post("/v1/search", {"query": "staging cluster europe", "scope": DEMO})
    first = answer["results"][0]
    assert first["text"] == "the staging cluster runs in europe"
    assert first["sources"].keys() == {"vector", "bm25", "fused"}
    assert (first["sources"]["vector"]["rank"], first["sources"]["bm25"]["rank"]) == (1, 1)
    assert first["score"] >= 0.7


async def test_unrelated_questions_stay_low_also_with_vectors(nest: Nest) -> None:
    for text in ("the staging cluster runs in europe", "ana bakes bread on sundays", "deploys need two reviews"):
        await nest.store(text, category="entities")
    await embedded(nest)
    answer = await nest.post("/v1/search", {"query": "zebras cross rivers", "scope": DEMO})
    assert all(row["score"] < 0.3 for row in answer["results"])


async def test_vectors_of_several_scopes_are_compared_together(nest: Nest) -> None:
    await nest.store("the staging cluster runs in europe", DEMO, category="entities")
    await nest.store("the staging cluster runs in asia", OTHER, category="entities")
    await embedded(nest)
    answer = await nest.post("/v1/search", {"query": "staging cluster"})
    assert {row["scope"] for row in answer["results"]} == {DEMO, OTHER}
    assert {row["sources"]["vector"]["rank"] for row in answer["results"]} == {1, 2}
    alone = await nest.post("/v1/search", {"query": "staging cluster", "scope": OTHER})
    assert [row["scope"] for row in alone["results"]] == [OTHER]


async def test_a_closed_scope_is_compared_by_meaning_too(nest: Nest) -> None:
    await nest.store("the staging cluster runs in europe", DEMO, category="entities")
    await nest.store("ana bakes bread on sundays", OTHER, category="entities")
    await embedded(nest)
    question = {"query": "staging cluster europe"}
    first = await nest.post("/v1/search", question)
    space = read_scope(DEMO).space
    await nest.engine.spaces.put_away(space)
    assert await nest.post("/v1/search", question) == first
    assert not nest.engine.spaces.is_open(space)
    assert first["results"][0]["sources"].keys() == {"vector", "bm25", "fused"}


async def test_a_text_without_a_vector_is_found_by_its_words(nest: Nest) -> None:
    await nest.store("the staging cluster runs in europe", category="entities")
    await embedded(nest)
    await nest.store("the proxy of the staging cluster", category="entities")
    assert "the proxy of the staging cluster" in await nest.texts("staging proxy")


async def test_a_revised_text_is_not_found_by_its_old_meaning(nest: Nest) -> None:
    key = {"category": "entities", "canonicalKey": "db"}
    await nest.store("the database is mysql on ubuntu", **key)
    await embedded(nest)
    await nest.store("postgres now", **key)
    await embedded(nest)
    assert await nest.texts("mysql ubuntu") == []


async def test_a_name_is_no_part_of_what_is_embedded(nest: Nest) -> None:
    await nest.store("the staging cluster runs in europe", category="entities", tags=["old faithful"])
    await embedded(nest)
    assert await nest.texts("old faithful") == ["the staging cluster runs in europe"]
    assert isinstance(nest.engine.embedder, WordEmbedder)
    assert "the staging cluster runs in europe" in nest.engine.embedder.embedded
    assert not any("faithful" in text for text in nest.engine.embedder.embedded if text != "old faithful")


async def test_a_start_uses_both_legs(nest: Nest) -> None:
    await nest.store("bread is baked on sundays", category="cases")
    await nest.store("the staging cluster was restarted", category="cases")
    await embedded(nest)
    answer = await nest.post("/v1/resume", {"scope": DEMO, "task": "restart the staging cluster", "limitPerSection": 1})
    assert answer["recentCases"] == ["the staging cluster was restarted"]


async def test_no_model_is_no_failure(nest: Nest, service: Service) -> None:
    await nest.store("the staging cluster runs in europe", category="entities")
    async with client_of(service) as client:
        answer = await client.post("/v1/search", json={"query": "staging cluster"})
    assert answer.json()["results"][0]["sources"].keys() == {"bm25", "fused"}
