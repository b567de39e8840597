"""The guard of the published contract: table, routes, document, page and snapshot say the same."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from memory_server.app import dialects
from memory_server.statecore.frozen import (
    OPERATIONS,
    VERSION,
    DebugSurfaceRoutes,
    InternalControlRoutes,
    PublicRuntimeRoutes,
)
from memory_server.statecore.internal import INTERNAL
from memory_server.statecore.openapi import document
from tests.dialects.statecore.compatibility import breaks, version_fits
from tests.dialects.statecore.conftest import Client, World
from tests.dialects.statecore.surface import FROZEN, NEVER_PREFIXED, OF_ANOTHER_CONTRACT

SNAPSHOT = Path(__file__).with_name("frozen.json")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "statecore.md"
RANDOM_ID = "5b2f6d1e-8a4c-4d1b-9f3e-2c7a9b6d0e11"


def braced(path: str) -> str:
    return re.sub(r":(\w+)", r"{\1}", path)


def test_the_table_holds_the_22_operations_on_20_paths() -> None:
    table = [(one.method, one.path) for one in OPERATIONS]
    assert sorted(table) == sorted(FROZEN)
    assert (len(table), len({path for _, path in table})) == (22, 20)


def test_what_is_served_under_the_prefix_is_in_the_table_or_of_another_contract(world: World) -> None:
    served = {
        (method, route.path.rstrip("/"))
        for route in dialects(world.service).routes
        if isinstance(route, Route) and route.path.startswith("/v1/")
        for method in route.methods or ()
        if method != "HEAD"
    }
    own = {(method, path) for method, path in served if path not in OF_ANOTHER_CONTRACT}
    assert own == {(method, f"/v1{braced(path)}") for method, path in FROZEN}
    assert served - own, "the other contract is served"


def test_every_operation_is_served_without_the_prefix_too(world: World) -> None:
    served = {
        (method, route.path)
        for route in dialects(world.service).routes
        if isinstance(route, Route)
        for method in route.methods or ()
    }
    assert {(method, braced(path)) for method, path in FROZEN} <= served


def test_the_three_groups_together_are_what_is_served(world: World) -> None:
    groups = [*PublicRuntimeRoutes.values(), *DebugSurfaceRoutes.values(), *InternalControlRoutes.values()]
    assert set(Counter(groups).values()) == {1}
    assert sorted(groups) == sorted(f"{one.method} {one.path}" for one in (*OPERATIONS, *INTERNAL))
    assert {f"{method} {path}" for method, path in FROZEN} <= set(groups)


def test_what_is_internal_is_served_without_the_prefix(world: World) -> None:
    served = {
        (method, route.path)
        for route in dialects(world.service).routes
        if isinstance(route, Route)
        for method in route.methods or ()
    }
    assert {(one.method, braced(one.path)) for one in INTERNAL} <= served
    assert not {(one.method, f"/v1{braced(one.path)}") for one in INTERNAL} & served


@pytest.mark.parametrize(("method", "path"), NEVER_PREFIXED)
async def test_what_is_internal_is_not_under_the_prefix(me: Client, method: str, path: str) -> None:
    assert (await me.ask(method, f"/v1{path}", {} if method != "GET" else None)).status_code == 404


# the document


def test_the_document_has_the_frozen_operations_alone() -> None:
    paths = document()["paths"]
    assert re.fullmatch(r"3\.0\.\d+", document()["openapi"])
    assert {(method.upper(), path) for path, methods in paths.items() for method in methods} == {
        (method, f"/v1{braced(path)}") for method, path in FROZEN
    }
    assert sorted(path for path, methods in paths.items() if len(methods) > 1) == ["/v1/reminders", "/v1/scopes"]


def test_the_version_is_of_the_contract() -> None:
    assert re.fullmatch(r"1\.\d+\.\d+", VERSION)
    assert tuple(map(int, VERSION.split("."))) >= (1, 5, 0)
    assert document()["info"]["version"] == VERSION


def test_each_operation_says_how_it_answers() -> None:
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            expected = {"201", "400"} if method == "post" else {"200", "400"}
            assert set(operation["responses"]) == expected, path
            problem = operation["responses"]["400"]["content"]["application/json"]["schema"]
            assert problem["required"] == ["error"]
            assert problem["properties"]["details"]["type"] == "array"
            answer = operation["responses"][min(expected)]["content"]["application/json"]["schema"]
            assert answer.get("additionalProperties", True) is True


def test_identity_is_asked_for_everywhere_but_for_health() -> None:
    whole = document()
    assert whole["components"]["securitySchemes"] == {"apiKey": {"type": "apiKey", "in": "header", "name": "x-user-id"}}
    assert whole["security"] == [{"apiKey": []}]
    free = [
        path for path, methods in whole["paths"].items() for one in methods.values() if one.get("security") == []
    ]
    assert free == ["/v1/health"]


def test_parameters_are_told() -> None:
    paths = document()["paths"]
    for path, methods in paths.items():
        for operation in methods.values():
            named = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "path" and one["required"]}
            assert named == set(re.findall(r"\{(\w+)\}", path))
    scope = {"name": "scopeId", "in": "query", "required": True, "schema": {"type": "string", "format": "uuid"}}
    assert scope in paths["/v1/memory/facts"]["get"]["parameters"]
    assert scope in paths["/v1/memory/facts/{factId}/provenance"]["get"]["parameters"]
    assert {**scope, "required": False} in paths["/v1/facet-pack"]["get"]["parameters"]


def test_what_is_not_frozen_is_not_in_the_document() -> None:
    def fields(path: str, method: str = "post") -> set[str]:
        response = document()["paths"][path][method]["responses"]
        schema = (response.get("201") or response["200"])["content"]["application/json"]["schema"]
        return set(schema["properties"])

    assert fields("/v1/memory/retrieve") == {"digest", "events", "factRegistry", "handoff", "budget"}
    assert fields("/v1/memory/answer") == {"answer"}
    assert fields("/v1/memory/runtime/turn") == {"answer", "answerMode", "writeTier", "digestTriggered"}
    assert fields("/v1/memory/digests/{digestId}/selection", "get") == {"rationale", "drops"}
    assert "personaPrompt" not in fields("/v1/memory/relationship-context/{scopeId}", "get")


async def test_the_document_needs_no_identity(world: World) -> None:
    answer = await world.client(None).ask("GET", "/openapi.json")
    assert answer.status_code == 200
    assert answer.json() == document()


# the page


def test_the_page_lists_the_same_operations() -> None:
    page = PAGE.read_text(encoding="utf-8").partition("## The frozen operations")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (GET|POST|DELETE|PATCH|PUT) \| `(/v1/[^`]+)` \|", page, re.MULTILINE)
    assert sorted(rows) == sorted((method, f"/v1{path}") for method, path in FROZEN)


# the snapshot


def snapshot() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    return kept


def test_the_document_is_the_one_that_was_kept() -> None:
    assert breaks(snapshot(), document()) == []
    assert version_fits(snapshot(), document())
    assert snapshot() == document(), "the change only adds: raise VERSION and write frozen.json anew"


@pytest.mark.parametrize(
    "change",
    [
        lambda doc: doc["paths"].pop("/v1/state"),
        lambda doc: answer(doc, "/v1/scopes", "post", "201")["properties"].pop("goal"),
        lambda doc: answer(doc, "/v1/scopes", "post", "201")["properties"]["name"].update(type="integer"),
        lambda doc: answer(doc, "/v1/scopes", "post", "201")["required"].append("template"),
        lambda doc: body(doc, "/v1/memory/notes")["required"].append("source"),
        lambda doc: body(doc, "/v1/memory/notes")["properties"]["text"].update(maxLength=400),
        lambda doc: body(doc, "/v1/scopes")["properties"]["stage"]["enum"].remove("idea"),
        lambda doc: doc["paths"]["/v1/facet-pack"]["get"]["parameters"][0].update(required=True),
        lambda doc: doc["paths"]["/v1/reminders"]["get"]["parameters"].pop(),
        lambda doc: doc["paths"]["/v1/reminders"]["get"]["parameters"][1]["schema"].update(type="integer"),
        lambda doc: doc["paths"]["/v1/facet-pack"]["get"]["parameters"][0].update(name="scope"),
        lambda doc: doc["paths"]["/v1/state"]["get"]["responses"].pop("400"),
        lambda doc: doc["paths"]["/v1/health"]["get"].pop("security"),
        lambda doc: doc["paths"]["/v1/state"]["get"].update(requestBody=request_of(doc, "/v1/memory/notes")),
        lambda doc: body(doc, "/v1/memory/notes")["properties"]["text"].update(pattern="^x"),
        lambda doc: body(doc, "/v1/memory/notes").update(additionalProperties=False),
        lambda doc: body(doc, "/v1/reminders")["properties"]["scopeId"].pop("nullable"),
        lambda doc: body(doc, "/v1/memory/events")["properties"].pop("occurredAt"),
        lambda doc: retrieved_fact(doc)["properties"].pop("evidenceId"),
        lambda doc: retrieved_fact(doc)["properties"]["confidence"].update(type="string"),
        lambda doc: retrieved_fact(doc)["required"].remove("type"),
    ],
)
def test_what_takes_something_back_is_found(change: Any) -> None:
    changed = copy.deepcopy(dict(document()))
    change(changed)
    assert breaks(document(), changed)


def test_other_words_alone_raise_the_end_of_the_version() -> None:
    changed = copy.deepcopy(dict(document()))
    changed["paths"]["/v1/state"]["get"]["summary"] = "Which scope is active"
    assert breaks(document(), changed) == []
    assert not version_fits(document(), changed)
    major, minor, patch = map(int, VERSION.split("."))
    changed["info"]["version"] = f"{major}.{minor}.{patch + 1}"
    assert version_fits(document(), changed)
    # a field that is called like a word of the document is none
    body(changed, "/v1/memory/notes")["properties"]["title"] = {"type": "string"}
    assert not version_fits(document(), changed)


@pytest.mark.parametrize(
    "change",
    [
        lambda doc: doc["paths"].update({"/v1/more": copy.deepcopy(doc["paths"]["/v1/state"])}),
        lambda doc: answer(doc, "/v1/scopes", "post", "201")["properties"].update(more={"type": "string"}),
        lambda doc: body(doc, "/v1/memory/notes")["properties"].update(more={"type": "string"}),
        lambda doc: body(doc, "/v1/scopes")["properties"]["stage"]["enum"].append("retired"),
    ],
)
def test_what_only_adds_is_let_through_with_a_new_version(change: Any) -> None:
    changed = copy.deepcopy(dict(document()))
    change(changed)
    assert breaks(document(), changed) == []
    assert not version_fits(document(), changed)
    major, minor, _ = map(int, VERSION.split("."))
    changed["info"]["version"] = f"{major}.{minor + 1}.0"
    assert version_fits(document(), changed)
    changed["info"]["version"] = f"{major + 1}.0.0"
    assert not version_fits(document(), changed)


def answer(doc: Any, path: str, method: str, status: str) -> Any:
    return doc["paths"][path][method]["responses"][status]["content"]["application/json"]["schema"]


def request_of(doc: Any, path: str) -> Any:
    return doc["paths"][path]["post"]["requestBody"]


def body(doc: Any, path: str) -> Any:
    return request_of(doc, path)["content"]["application/json"]["schema"]


def retrieved_fact(doc: Any) -> Any:
    return answer(doc, "/v1/memory/retrieve", "post", "201")["properties"]["factRegistry"]["items"]
