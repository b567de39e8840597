"""POST /query_memory: its routing as seen from outside, and the form of its answers."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from memory.engine import Engine
from memory_server.app import dialects
from memory_server.service import Service
from tests.conftest import Perform
from tests.dialects.neko.talk import assistant, history, user
from tests.dialects.raw_request import HOST, JSON
from tests.dialects.raw_request import ask as send
from tests.fakes import FixedClock

NOTHING = {"results": [], "query": "", "candidates_total": 0, "elapsed_ms": 0.0}


@pytest.fixture
async def told(client: httpx2.AsyncClient, perform: Perform) -> httpx2.AsyncClient:
    """Three facts, said on three days."""
    messages = [
        user("I live in Lisbon.", timestamp="2026-05-01T09:00:00"),
        assistant("How nice"),
        user("I have a dog named Biscuit.", timestamp="2026-05-02T09:00:00"),
        user("I'm allergic to peanuts.", timestamp="2026-05-03T09:00:00"),
    ]
    await client.post("/cache/Mio", json=history(messages))
    await perform("Mio")
    return client


async def ask(client: httpx2.AsyncClient, **body: Any) -> dict[str, Any]:
    response = await client.post("/query_memory/Mio", json=body)
    assert response.status_code == 200
    answer = response.json()
    assert isinstance(answer, dict)
    return answer


def found(answer: dict[str, Any]) -> str:
    """The word that tells which facts came, in order."""
    words = ("Lisbon", "Biscuit", "peanuts")
    return " ".join(next(word for word in words if word in result["text"]) for result in answer["results"])


async def test_words_find_what_they_name(told: httpx2.AsyncClient) -> None:
    answer = await ask(told, query=" Who is Biscuit? ")
    assert found(answer) == "Biscuit"
    assert list(answer) == ["results", "query", "candidates_total", "elapsed_ms"]
    assert (answer["query"], answer["candidates_total"]) == ("Who is Biscuit?", 3)
    result = answer["results"][0]
    assert list(result) == [
        "id", "text", "tier", "entity", "score", "created_at", "event_start_at", "event_end_at", "sources",
    ]  # fmt: skip
    assert result["id"].startswith("fact_")
    assert (result["tier"], result["entity"]) == ("fact", "master")
    assert result["score"] == 0.016393          # 1 / 61: first in one list
    assert result["event_start_at"] == "2026-05-02T09:00:00"
    assert result["sources"] == ["turn_3"]


async def test_words_and_a_time_find_what_fits_both(told: httpx2.AsyncClient) -> None:
    query = "What does the user have or live in?"
    assert found(await ask(told, query=query, time="2026-05-02")) == "Biscuit"
    assert sorted(found(await ask(told, query=query, time="2026-05-01/2026-05-02")).split()) == ["Biscuit", "Lisbon"]
    answer = await ask(told, query=query, time="2026-05-02")
    assert (answer["candidates_total"], "time" in answer) == (1, False)


async def test_a_time_alone_sorts_by_distance_from_it(told: httpx2.AsyncClient) -> None:
    answer = await ask(told, time=" 2026-05-02 ")
    # The first of May ends fifteen hours before the day, the third begins nine hours after it.
    assert found(answer) == "Biscuit peanuts Lisbon"
    assert (answer["time"], answer["query"], answer["candidates_total"]) == ("2026-05-02", "", 3)
    assert [result["score"] for result in answer["results"]] == [None, None, None]


async def test_a_time_nobody_can_read_is_ignored_beside_words(told: httpx2.AsyncClient) -> None:
    answer = await ask(told, query="Biscuit", time="last week")
    assert (found(answer), answer["candidates_total"]) == ("Biscuit", 3)


@pytest.mark.parametrize(
    "body",
    [{}, {"query": "", "time": ""}, {"query": None, "time": None}, {"query": "  "}, {"time": "last week"},
     {"time": "2026-13"}],
)  # fmt: skip
async def test_nothing_asked_is_nothing_found(told: httpx2.AsyncClient, body: dict[str, Any]) -> None:
    assert await ask(told, **body) == NOTHING


async def test_an_unknown_character_knows_nothing_in_the_usual_form(client: httpx2.AsyncClient) -> None:
    answer = await ask(client, query="anything")
    assert answer == {**NOTHING, "query": "anything", "elapsed_ms": answer["elapsed_ms"]}
    answer = await ask(client, time="2026")
    assert answer == {**NOTHING, "time": "2026", "elapsed_ms": answer["elapsed_ms"]}


async def test_the_elapsed_time_is_measured(told: httpx2.AsyncClient, clock: FixedClock) -> None:
    assert (await ask(told, query="Biscuit"))["elapsed_ms"] == 0.0      # this clock stands still


async def test_a_limit_cuts_the_list(told: httpx2.AsyncClient) -> None:
    assert len((await ask(told, time="2026"))["results"]) == 3
    assert len((await ask(told, time="2026", limit=2))["results"]) == 2


async def test_eight_is_the_usual_limit(client: httpx2.AsyncClient, perform: Perform) -> None:
    colours = ("red", "green", "blue", "black", "white", "brown", "grey", "pink", "violet", "orange")
    await client.post("/cache/Mio", json=history([user(f"I have a {colour} car.") for colour in colours]))
    tiers = ["turn"]
    assert len((await ask(client, query="car", tiers=tiers))["results"]) == 8
    assert len((await ask(client, query="car", tiers=tiers, limit=50))["results"]) == 10


async def test_the_raw_conversation_is_found_where_it_is_wanted(told: httpx2.AsyncClient) -> None:
    assert (await ask(told, query="nice"))["results"] == []
    (result,) = (await ask(told, query="nice", tiers=["turn"]))["results"]
    assert (result["id"], result["tier"], result["entity"]) == ("turn_2", "turn", "neko")
    assert result["text"] == "How nice"


@pytest.mark.parametrize(
    "body",
    [{"query": 7}, {"time": ["2026"]}, {"query": {}}, {"limit": 0}, {"limit": 51}, {"limit": "8"}, {"tiers": []},
     {"tiers": ["dream"]}, {"tiers": "fact"}],
)  # fmt: skip
async def test_fields_of_the_wrong_type_are_422(client: httpx2.AsyncClient, body: dict[str, Any]) -> None:
    response = await client.post("/query_memory/Mio", json=body)
    assert response.status_code == 422
    detail = response.json()["detail"]
    assert detail[0]["loc"][:2] == ["body", next(iter(body))]


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{"])
async def test_a_body_that_is_no_object_is_422(client: httpx2.AsyncClient, body: bytes) -> None:
    assert (await client.post("/query_memory/Mio", content=body, headers=[JSON])).status_code == 422


async def test_a_failure_inside_is_an_empty_answer_that_tells_no_reason(
    client: httpx2.AsyncClient, engine: Engine
) -> None:
    (engine.settings.data_root / "memory" / "Mio").symlink_to(engine.settings.data_root)
    answer = await ask(client, query=" as it came ", time="2026")
    assert answer == {**NOTHING, "query": " as it came ", "error_code": "hybrid_recall_failed"}
    assert await ask(client, query=None) == {**NOTHING, "error_code": "hybrid_recall_failed"}


async def test_what_recall_answered_is_not_learnt_from_its_repetition(
    told: httpx2.AsyncClient, engine: Engine, perform: Perform
) -> None:
    answer = await ask(told, query="Biscuit")
    text = answer["results"][0]["text"]
    await told.post("/cache/Mio", json=history([user(text)]))
    await perform("Mio")
    assert (await ask(told, query="Biscuit"))["candidates_total"] == 3


async def test_before_the_engine_is_there_recall_is_503() -> None:
    # With the guard in front, limited mode answers before this can happen; the dialect holds without it, too.
    app = dialects(Service(instance_id="x"))
    answer = await send(app, "POST", "/query_memory/Mio", headers=[HOST, JSON], body=b'{"query": "x"}')
    assert (answer.status, set(answer.json)) == (503, {"detail"})
