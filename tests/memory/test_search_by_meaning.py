"""Recall by words and meaning together, and what becomes of it when the model does not do its part."""

from __future__ import annotations

import pytest

from memory.recall.document import FACT
from memory_server.service import Service
from tests.conftest import OpenEngine, client_of
from tests.fakes import WordEmbedder
from tests.memory.embedders import Fickle, ask, scores, texts_of
from tests.memory.remembered import NAME, learn_all, say

# Shares two of three words with the second turn, which is a cosine of 0.67, and none that recall by words looks at.
QUESTION = "what about that"
TURNS = ("I love espresso", "well what about tea then")


@pytest.fixture
def model() -> Fickle:
    return Fickle()


async def test_a_turn_without_a_telling_word_is_found_by_its_vector(open_engine: OpenEngine) -> None:
    engine = await open_engine(embedder=WordEmbedder())
    await say(engine, *TURNS)
    assert texts_of(await ask(engine, QUESTION)) == []
    await engine.backfill.tick()
    assert texts_of(await ask(engine, QUESTION))[:1] == [TURNS[1]]


async def test_first_in_both_legs_is_the_published_score(open_engine: OpenEngine) -> None:
    engine = await open_engine(embedder=WordEmbedder())
    await say(engine, *TURNS)
    assert scores(await ask(engine, "espresso"))[:1] == [0.016393]
    await engine.backfill.tick()
    assert scores(await ask(engine, "espresso"))[:1] == [0.032787]


async def test_facts_have_their_vectors_too(open_engine: OpenEngine) -> None:
    engine = await open_engine(embedder=WordEmbedder())
    await say(engine, "I live in Lisbon.")
    await learn_all(engine)
    await engine.backfill.tick()
    found = await ask(engine, "Lisbon", tier=FACT, explain=True)
    assert found.hits[0].explanation is not None
    assert found.hits[0].explanation.ranks == {"words": 1, "meaning": 1}


async def test_an_unrelated_question_still_finds_nothing(open_engine: OpenEngine) -> None:
    engine = await open_engine(embedder=WordEmbedder())
    await say(engine, *TURNS)
    await engine.backfill.tick()
    assert texts_of(await ask(engine, "quantum chromodynamics")) == []


async def test_a_question_in_a_language_that_the_model_does_not_know_is_answered_by_words(
    open_engine: OpenEngine,
) -> None:
    model = Fickle(languages=("en",))
    engine = await open_engine(embedder=model)
    await say(engine, "我喜欢喝绿茶", "I love green tea")
    await engine.backfill.tick()
    assert model.passages == ["I love green tea"]
    found = await ask(engine, "绿茶", explain=True)
    assert texts_of(found)[0] == "我喜欢喝绿茶"
    assert found.hits[0].explanation is not None
    assert set(found.hits[0].explanation.ranks) == {"words"}


async def test_a_model_that_fails_changes_nothing_but_the_ranking(open_engine: OpenEngine, model: Fickle) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, *TURNS)
    await engine.backfill.tick()
    model.fail("model file missing: model.onnx")
    assert scores(await ask(engine, "espresso"))[:1] == [0.016393]
    await say(engine, "Later I had matcha")
    await engine.backfill.tick()
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        told = (await client.get("/health")).json()["embeddings"]
        reply = await client.post(f"/query_memory/{NAME}", json={"query": "matcha", "tiers": ["turn"]})
    assert told == {"profile": "words", "state": "failed", "reason": "model file missing: model.onnx", "pending": 1}
    assert reply.json()["results"][0]["text"] == "Later I had matcha"


async def test_once_it_is_repaired_the_rest_follows(open_engine: OpenEngine, model: Fickle) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, *TURNS)
    await engine.backfill.tick()
    model.fail("out of memory")
    await say(engine, "Later I had matcha")
    await engine.backfill.tick()
    model.repair()
    await engine.backfill.tick()
    assert engine.backfill.pending == 0
    assert model.passages.count("Later I had matcha") == 1
    assert scores(await ask(engine, "matcha"))[:1] == [0.032787]


async def test_a_question_does_not_wait_for_a_model_that_hangs(open_engine: OpenEngine, model: Fickle) -> None:
    engine = await open_engine(embedder=model, query_vector_wait=0.01)
    await say(engine, *TURNS)
    await engine.backfill.tick()
    model.hanging = True
    assert scores(await ask(engine, "espresso"))[:1] == [0.016393]


async def test_a_model_of_another_kind_is_not_compared_with_old_vectors(
    open_engine: OpenEngine, model: Fickle
) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, *TURNS)
    await engine.backfill.tick()
    model.become("words:2")
    assert scores(await ask(engine, "espresso"))[:1] == [0.016393]
    await engine.backfill.tick()
    assert scores(await ask(engine, "espresso"))[:1] == [0.032787]


async def test_the_route_uses_the_model(open_engine: OpenEngine) -> None:
    engine = await open_engine(embedder=WordEmbedder())
    await say(engine, *TURNS)
    await engine.backfill.tick()
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        reply = await client.post(f"/query_memory/{NAME}", json={"query": "espresso", "tiers": ["turn"]})
    assert reply.json()["results"][0]["score"] == 0.032787
