"""What is documented is what is served, and the other way round; and how the paths behave as paths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory.work.gate import StorageGate
from memory_server.recallnest.routes import DOCUMENT, ENDPOINTS, openapi, routes
from memory_server.service import Service
from tests.conftest import client_of
from tests.dialects.recallnest.nest import DEMO, Nest
from tests.dialects.recallnest.published import OURS, PUBLISHED, QUERIES, REQUESTS

SNAPSHOT = Path(__file__).parent / "contract.json"
WORDS = ("title", "summary", "description")


@pytest.fixture
async def document(client: httpx2.AsyncClient) -> Any:
    answer = await client.get(DOCUMENT)
    assert answer.status_code == 200
    return answer.json()


def operations(document: Any) -> set[tuple[str, str]]:
    return {(method.upper(), path) for path, item in document["paths"].items() for method in item}


async def test_what_is_published_is_served_and_nothing_else(document: Any) -> None:
    routed = {
        (method, route.path)
        for route in routes()
        for method in route.methods or ()
        if method != "HEAD" and not route.path.endswith("/") and route.path != DOCUMENT
    }
    assert routed == PUBLISHED | OURS
    assert operations(document) == routed


async def test_every_documented_path_answers(document: Any, client: httpx2.AsyncClient) -> None:
    for method, path in sorted(operations(document)):
        answer = await client.request(method, path, json={} if method == "POST" else None)
        assert answer.status_code in (200, 400), (method, path, answer.text)
        assert str(answer.status_code) in document["paths"][path][method.lower()]["responses"]


@pytest.mark.parametrize("path", sorted(REQUESTS))
async def test_request_tables_are_the_published_ones(document: Any, path: str) -> None:
    reference = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    schema = document["components"]["schemas"][reference.rpartition("/")[2]]
    for field, (required, default) in REQUESTS[path].items():
        assert field in schema["properties"], field
        assert (field in schema.get("required", ())) is required, field
        if default is not None:
            assert schema["properties"][field].get("default") == default, field


@pytest.mark.parametrize("path", sorted(QUERIES))
async def test_query_parameters_are_the_published_ones(document: Any, path: str) -> None:
    parameters = {one["name"]: one["schema"] for one in document["paths"][path]["get"]["parameters"]}
    for name, default in QUERIES[path].items():
        assert name in parameters
        assert parameters[name].get("default") == default


async def test_the_contract_changes_only_on_purpose(document: Any) -> None:
    """Delete the file and run again to accept a change; it is written anew."""
    contract = reduced({"paths": document["paths"], "schemas": document["components"]["schemas"]})
    if not SNAPSHOT.exists():
        SNAPSHOT.write_text(json.dumps(contract, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert json.loads(SNAPSHOT.read_text(encoding="utf-8")) == contract


def reduced(value: Any) -> Any:
    """What a client may rely on: no titles, and no words for people."""
    if isinstance(value, list):
        return [reduced(one) for one in value]
    if isinstance(value, dict):
        return {key: reduced(one) for key, one in value.items() if key not in WORDS or isinstance(one, dict)}
    return value


def test_every_reference_in_the_document_leads_somewhere() -> None:
    text = json.dumps(openapi())
    schemas = openapi()["components"]["schemas"]
    found = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert found <= schemas.keys()
    ids = [item["operationId"] for path in openapi()["paths"].values() for item in path.values()]
    assert len(ids) == len(set(ids)) == len(ENDPOINTS)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/list"), ("POST", "/v1/brief"), ("GET", "/v1/recall"), ("DELETE", "/v1/store"), ("GET", "/nope"),
        ("POST", "/v1/health"), ("PUT", "/v1/conflicts"), ("GET", "/v1/lint"), ("POST", "/v1/store/more"),
    ],
)  # fmt: skip
async def test_unknown_paths_and_methods_are_404(client: httpx2.AsyncClient, method: str, path: str) -> None:
    answer = await client.request(method, path, json={} if method in ("POST", "PUT") else None)
    assert answer.status_code == 404
    assert isinstance(answer.json()["error"], str)


async def test_one_slash_at_the_end_is_tolerated(nest: Nest) -> None:
    answer = await nest.client.post("/v1/store/", json={"text": "x y", "scope": DEMO})
    assert answer.status_code == 201
    assert (await nest.client.get("/v1/stats/")).json()["totalMemories"] == 1


async def test_answers_are_json(nest: Nest) -> None:
    for answer in (await nest.client.get("/v1/health"), await nest.client.get("/nope")):
        assert answer.headers["content-type"].startswith("application/json")


async def test_while_storage_is_not_ready_everything_is_503() -> None:
    service = Service(instance_id="x", early_gate=StorageGate())
    async with client_of(service) as client:
        for method, path in sorted(PUBLISHED):
            answer = await client.request(method, path, json={} if method == "POST" else None)
            assert answer.status_code == 503
            body = answer.json()
            assert body["error_code"] == "storage_startup_blocked"
            assert (body["ok"], body["limited_mode"]) == (False, True)
            assert isinstance(body["error"], str)


# the server's own settings


async def test_a_default_scope_stands_in_for_a_missing_one(nest: Nest, service: Service) -> None:
    service.default_scope = "project:default"
    stored = await nest.post("/v1/store", {"text": "Docker is used here"})
    assert stored["scope"] == "project:default"
    found = await nest.post("/v1/recall", {"query": "docker"})
    assert [row["scope"] for row in found["results"]] == ["project:default"]
    captured = await nest.post("/v1/capture", {"memories": [{"text": "a b"}]})
    assert captured["memories"][0]["scope"] == "project:default"
    assert (await nest.post("/v1/resume", {}))["resolvedScope"] == "project:default"
    assert (await nest.post("/v1/auto-recall", {"message": "docker"}))["mode"] == "resume+search"


async def test_any_source_may_be_allowed_and_is_kept_beside_the_memory(nest: Nest, service: Service) -> None:
    body = {"text": "Stored by an example", "scope": DEMO, "source": "langchain-example"}
    assert "Expected 'manual' | 'agent' | 'api'" in await nest.refused("/v1/store", body)
    service.any_source = True
    stored = await nest.post("/v1/store", body)
    memory = (await nest.get(f"/v1/memories/{stored['id']}"))["memory"]
    assert (memory["source"], memory["metadata"]["sourceLabel"]) == ("api", "langchain-example")
    items = {"scope": DEMO, "memories": [{"text": "Another one", "source": "x-y"}]}
    assert (await nest.post("/v1/capture", items))["memories"][0]["source"] == "api"
