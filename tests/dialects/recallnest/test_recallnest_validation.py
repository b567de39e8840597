"""Bodies that are wrong: 400 with a sentence that says all of it, never 500, and nothing kept."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_server.recallnest.routes import ENDPOINTS
from tests.dialects.recallnest.nest import DEMO, Nest

POSTS = sorted(one.path for one in ENDPOINTS if one.method == "POST")


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("raw", [b"{bad json", b"[1,2]", b'"text"', b"5", b"null", b'{"text": NaN}', b"\xff\xfe{}"])
async def test_what_is_no_object_is_refused(client: httpx2.AsyncClient, path: str, raw: bytes) -> None:
    answer = await client.post(path, content=raw, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()) == (400, {"error": "Request body must be a JSON object"})


@pytest.mark.parametrize("path", POSTS)
async def test_an_empty_body_is_an_empty_object(client: httpx2.AsyncClient, path: str) -> None:
    answer = await client.post(path)
    assert answer.status_code in (200, 400)
    assert "JSON object" not in answer.text


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/v1/store", {}, "text is required; scope is required"),
        ("/v1/store", {"text": "   ", "scope": DEMO}, "text is required"),
        ("/v1/store", {"text": None, "scope": DEMO}, "text is required"),
        ("/v1/store", {"text": 12345, "scope": DEMO, "tags": "no"}, (
            "text: Expected string, received number; tags: Expected array, received string"
        )),
        ("/v1/store", {"text": "x", "scope": DEMO, "category": "fact"}, "category: Invalid enum value"),
        (
            "/v1/store",
            {"text": "x", "scope": DEMO, "importance": 1.5},
            "importance: Number must be less than or equal to 1",
        ),
        (
            "/v1/store",
            {"text": "x", "scope": DEMO, "importance": True},
            "importance: Expected number, received boolean",
        ),
        (
            "/v1/store",
            {"text": "x", "scope": DEMO, "importance": "0.5"},
            "importance: Expected number, received string",
        ),
        ("/v1/store", {"text": "x", "scope": DEMO, "tags": list("abcdefghi")}, "tags must contain at most 8 items"),
        ("/v1/store", {"text": "x", "scope": DEMO, "tags": ["a", 5]}, "tags[1]: Expected string, received number"),
        ("/v1/store", {"text": "x", "scope": DEMO, "tags": [" "]}, "tags[0] is required"),
        ("/v1/store", {"text": "x" * 16_001, "scope": DEMO}, "text must be at most 16000 characters"),
        ("/v1/store", {"text": "x", "scope": "s" * 641}, "scope must be at most 640 characters"),
        ("/v1/store", {"text": "x", "scope": DEMO, "canonicalKey": " "}, "canonicalKey is required"),
        ("/v1/store", {"text": "x", "scope": "character:../x"}, "scope"),
        ("/v1/store", {"text": "x", "scope": "project:*"}, "scope must name one scope"),
        ("/v1/capture", {"memories": [{"text": "x"}]}, (
            "memories[0].scope is required for each memory when capture scope is not provided"
        )),
        ("/v1/capture", {"scope": DEMO, "memories": []}, "memories must contain at least 1 item"),
        ("/v1/capture", {"scope": DEMO, "memories": [{"text": "x"}] * 21}, "memories must contain at most 20 items"),
        ("/v1/pattern", {"title": "x"}, "scope is required; trigger is required; steps must contain at least 1 item"),
        ("/v1/pattern", {"title": "x", "trigger": "y", "steps": list("123456789"), "scope": DEMO}, (
            "steps must contain at most 8 items"
        )),
        ("/v1/case", {"title": "x"}, (
            "scope is required; problem is required; solutionSteps must contain at least 1 item"
        )),
        ("/v1/promote", {"memoryId": "deadbeef"}, "scope is required"),
        ("/v1/checkpoint", {"summary": "x"}, "sessionId is required"),
        ("/v1/checkpoint", {"sessionId": "s", "summary": "x", "scope": "project:*"}, "scope must name one scope"),
        ("/v1/consolidate", {"scope": "project:*"}, "scope must name one scope"),
        ("/v1/checkpoint", {"sessionId": "x", "summary": " \n"}, "summary is required"),
    ],
)  # fmt: skip
async def test_everything_that_is_wrong_is_said_at_once(
    nest: Nest, path: str, body: dict[str, Any], said: str
) -> None:
    assert said in await nest.refused(path, body)
    assert (await nest.get("/v1/stats"))["totalMemories"] == 0


async def test_unknown_fields_are_passed_over(nest: Nest) -> None:
    answer = await nest.store("x y", somethingElse={"a": 1})
    assert "somethingElse" not in answer


async def test_blanks_and_repeated_tags_are_no_difference(nest: Nest) -> None:
    stored = await nest.store("x y", " project:demo ", tags=["Work flow", "work  flow", "git"])
    assert stored["scope"] == DEMO
    memory = (await nest.get(f"/v1/memories/{stored['id']}"))["memory"]
    assert memory["metadata"]["tags"] == ["Work flow", "git"]


async def test_half_a_character_is_mended(client: httpx2.AsyncClient) -> None:
    raw = b'{"text": "half \\ud83d of it", "scope": "project:demo"}'
    answer = await client.post("/v1/store", content=raw, headers={"Content-Type": "application/json"})
    assert answer.status_code == 201
    assert "half \ufffd of it" in (await client.post("/v1/search", json={"query": "half"})).text


async def test_a_batch_of_the_longest_texts_comes_in(nest: Nest) -> None:
    texts = [{"text": f"{number} " + "漢字" * 7_900, "category": "entities"} for number in range(20)]
    answer = await nest.post("/v1/capture", {"scope": DEMO, "memories": texts}, status=201)
    assert answer["stored"] == 20


async def test_limits_are_at_least_four_times_those_of_the_original(nest: Nest) -> None:
    await nest.store("x" * 16_000, "s" * 640, tags=["t" * 160], canonicalKey="k" * 480)
    await nest.post("/v1/checkpoint", {
        "sessionId": "s" * 640, "scope": "p" * 640, "summary": "z" * 2_400, "task": "t" * 960,
        "decisions": [f"{number}" * 100 for number in range(24)], "entities": [f"e{number}" for number in range(32)],
        "files": [f"f{number}" for number in range(48)],
    })  # fmt: skip
    await nest.post("/v1/pattern", {
        "title": "t" * 480, "trigger": "w" * 960, "steps": ["s" * 880], "outcome": "o" * 960,
        "tools": [f"tool{number}" for number in range(24)], "scope": DEMO,
    })  # fmt: skip
    await nest.post("/v1/workflow-observe", {
        "workflowId": "w" * 480, "summary": "s" * 1_600, "source": "x" * 160, "signal": "y" * 480,
    })  # fmt: skip


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    [
        "text", "scope", "category", "tags", "importance", "query", "message", "limit", "memories", "title", "steps",
        "memoryId", "conflictId", "sessionId", "summary", "workflowId", "profile", "canonicalKey", "updatedAt",
    ]
)  # fmt: skip


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)
@given(body=st.dictionaries(FIELDS, VALUES, max_size=6), path=st.sampled_from(POSTS))
async def test_no_body_is_a_fault_of_the_server(nest: Nest, body: dict[str, Any], path: str) -> None:
    answer = await nest.client.post(path, json=body)
    assert answer.status_code in (200, 201, 400), (path, body, answer.text)
