"""What is really answered: as the document says, alike on both mounts, and without changing anything by reading."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from memory.store.files import Disk
from memory_server.statecore.openapi import document
from tests.dialects.statecore.conftest import LOCAL, Client, World, digested
from tests.dialects.statecore.shapes import misfits
from tests.dialects.statecore.surface import FROZEN
from tests.fakes import ScriptedChat, WordEmbedder

RANDOM_ID = "5b2f6d1e-8a4c-4d1b-9f3e-2c7a9b6d0e11"


def documented(method: str, path: str) -> tuple[str, Any]:
    plain = "/v1" + path.partition("?")[0]
    for template, methods in document()["paths"].items():
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
        if re.fullmatch(pattern, plain) and method.lower() in methods:
            return f"{method} {template}", methods[method.lower()]["responses"]
    raise AssertionError(path)


async def everything(world: World, client: Client) -> list[tuple[str, str, Any]]:
    """One request for each operation, in an order in which all of them succeed."""
    scope = await client.scope(goal="ship it", template="personal")
    await client.event(scope, "I like rye bread. I am happy today.")
    await client.note(scope, "The office closes at six.")
    fact = (await client.facts(scope))["Notes"][0]
    await client.post("/memory/handoff", {"scopeId": scope, "summary": "stopped here", "nextSteps": ["go on"]})
    reminder = await client.post("/reminders", {"scopeId": scope, "dueAt": "2027-01-01T00:00:00Z", "text": "call"})
    digest = await digested(world, scope, "Goal: ship it.")
    return [
        ("POST", "/scopes", {"name": "Another"}),
        ("GET", "/scopes", None),
        ("POST", f"/scopes/{scope}/active", None),
        ("GET", "/state", None),
        ("POST", "/memory/events", {"scopeId": scope, "type": "document", "key": "spec", "content": "text"}),
        ("POST", "/memory/retrieve", {"scopeId": scope, "query": "bread", "maxChars": 30}),
        ("GET", f"/memory/facts?scopeId={scope}", None),
        ("GET", f"/memory/facts/{fact['factId']}/provenance?scopeId={scope}", None),
        ("GET", f"/memory/digests/{digest}/selection", None),
        ("POST", "/memory/answer", {"scopeId": scope, "question": "Which bread?"}),
        ("POST", "/memory/runtime/turn", {"scopeId": scope, "message": "Which bread do I like?"}),
        ("POST", "/memory/digest", {"scopeId": scope}),
        ("POST", "/memory/facts/forget", {"scopeId": scope, "factKey": fact["factKey"]}),
        ("GET", f"/facet-pack?scopeId={scope}", None),
        ("POST", "/memory/notes", {"scopeId": scope, "text": "Lunch is at noon."}),
        ("POST", "/memory/handoff", {"scopeId": scope, "clear": True}),
        ("GET", f"/memory/relationship-context/{scope}", None),
        ("POST", "/reminders", {"dueAt": "2027-01-01T00:00:00Z", "text": "call"}),
        ("GET", "/reminders", None),
        ("POST", f"/reminders/{reminder['id']}/cancel", None),
        ("GET", "/health", None),
        ("DELETE", f"/scopes/{scope}", None),
    ]


@pytest.mark.parametrize("prefix", ["/v1", ""])
async def test_every_operation_answers_as_the_document_says(world: World, prefix: str) -> None:
    await world.stop()
    await world.start(chat=ScriptedChat("You like rye bread."))
    client = world.client(prefix=prefix)
    seen = set()
    for method, path, sent in await everything(world, client):
        given = await client.ask(method, prefix + path, sent)
        operation, schemas = documented(method, path)
        seen.add(operation)
        status = "201" if method == "POST" else "200"
        assert str(given.status_code) == status, (path, given.text)
        assert list(misfits(given.json(), schemas[status]["content"]["application/json"]["schema"])) == [], path
    assert len(seen) == 22


async def test_every_operation_without_a_model_answers_as_the_document_says(world: World, me: Client) -> None:
    refused = set()
    for method, path, sent in await everything(world, me):
        given = await me.ask(method, f"/v1{path}", sent)
        if given.status_code == 400:
            refused.add(path)
        _, schemas = documented(method, path)
        schema = schemas[str(given.status_code)]["content"]["application/json"]["schema"]
        assert list(misfits(given.json(), schema)) == [], path
    assert refused == {"/memory/answer", "/memory/runtime/turn", "/memory/digest"}


async def test_both_mounts_answer_a_read_alike(world: World) -> None:
    await world.stop()
    await world.start(chat=ScriptedChat("You like rye bread."))
    client = world.client()
    compared = 0
    for method, path, sent in await everything(world, client):
        if method == "GET" or path == "/memory/retrieve":
            given = [await client.ask(method, prefix + path, sent) for prefix in ("/v1", "")]
            assert given[0].status_code == given[1].status_code
            if path != "/health":       # there each mount speaks for another dialect too
                assert given[0].json() == given[1].json(), path
            compared += 1
    assert compared == sum(method == "GET" for method, _ in FROZEN) + 1


async def test_both_mounts_write_to_one_memory(world: World) -> None:
    new, old = world.client(), world.client(prefix="")
    scope = await old.scope()
    await new.event(scope, "said through one")
    await old.event(scope, "said through the other")
    await new.note(scope, "We use pnpm")
    await old.note(scope, "We use pnpm")
    found = await old.retrieve(scope)
    assert {one["content"] for one in found["events"]} == {"said through one", "said through the other"}
    assert [one["content"] for one in found["factRegistry"]] == ["We use pnpm"]
    assert await old.delete(f"/scopes/{scope}") == {"ok": True}
    await new.delete(f"/scopes/{scope}", 404)


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


async def test_reading_changes_nothing_on_disk(world: World) -> None:
    requests = await everything(world, world.client())
    await world.restart()
    await world.stop()
    before = contents(world.root / "memory")
    await world.start()
    me = world.client()
    for method, path, sent in requests:
        if method == "GET" or path == "/memory/retrieve":
            answer = await me.ask(method, f"/v1{path}", sent)
            assert answer.status_code in (200, 201), path
    await me.get("/reminders?limit=1&status=scheduled")
    await me.get("/facet-pack")
    await world.stop()
    after = contents(world.root / "memory")
    assert {name for name in {*before, *after} if before.get(name) != after.get(name)} == set()
    await world.start()


async def test_what_goes_wrong_inside_is_not_told_outside(world: World) -> None:
    full = False

    def step(_point: str) -> None:
        if full:
            raise OSError(28, "No space left on device", "/home/somebody/secret")

    await world.stop()
    await world.start(disk=Disk(step))
    me = world.client()
    scope = await me.scope()
    full = True
    answer = await me.ask("POST", "/v1/memory/notes", {"scopeId": scope, "text": "We use pnpm"})
    assert (answer.status_code, answer.json()) == (500, {"error": "Internal server error"})
    full = False
    await me.note(scope, "We use pnpm")


# health


async def test_health_answers_without_identity_and_with_one_on_both_paths(world: World) -> None:
    told = {}
    for user in (None, LOCAL, "somebody else"):
        for path in ("/health", "/v1/health"):
            answer = await world.client(user).ask("GET", path)
            assert answer.status_code == 200
            told[path] = answer.json()
    for body in told.values():
        assert body["status"] == "ok"
        assert {"featureLlm", "workingMemory", "retrieve", "model"} <= body.keys()
    assert {"app", "service", "instance_id"} <= told["/health"].keys()
    assert {"version", "totalMemories", "timestamp"} <= told["/v1/health"].keys()


async def test_health_says_that_nothing_is_on_where_nothing_is(me: Client) -> None:
    told = await me.get("/health")
    assert told["featureLlm"] is False
    assert told["retrieve"] | {"embeddingCandidateLimit": 1} == {
        "useEmbeddings": False, "useVectorSearch": False, "embeddingCandidateLimit": 1,
    }  # fmt: skip
    assert told["model"] == {
        "provider": "none", "model": "", "baseUrl": "", "chatModel": "", "structuredOutputModel": "",
        "embeddingModel": None,
    }  # fmt: skip
    assert told["workingMemory"] == {"enabled": True, "useLlm": False, "maxRecentTurns": 6, "maxItemsPerField": 10}


async def test_health_tells_what_is_on_and_no_secret(world: World) -> None:
    await world.stop()
    await world.start(chat=ScriptedChat("x"), embedder=WordEmbedder(), working_turns=8, working_llm=True)
    told = await world.client().get("/health")
    assert told["featureLlm"] is True
    assert (told["retrieve"]["useEmbeddings"], told["retrieve"]["useVectorSearch"]) == (True, True)
    assert told["model"] == {
        "provider": "openai-compatible", "model": "scripted", "baseUrl": "http://127.0.0.1:9/v1",
        "chatModel": "scripted", "runtimeModel": "scripted", "runtimeModelBaseUrl": "http://127.0.0.1:9/v1",
        "runtimeMaxOutputTokens": 400,
        "structuredOutputModel": "scripted", "embeddingModel": "words",
    }  # fmt: skip
    assert "secret" not in str(told)
    assert (told["workingMemory"]["useLlm"], told["workingMemory"]["maxRecentTurns"]) == (True, 8)


async def test_health_says_that_the_feature_is_off_where_it_was_switched_off(world: World) -> None:
    await world.stop()
    await world.start(chat=ScriptedChat("x"), feature_llm=False)
    assert (await world.client().get("/health"))["featureLlm"] is False
    assert await world.client().post("/memory/answer", {}, 400) == {"error": "FEATURE_LLM disabled"}


async def test_with_a_model_the_body_is_looked_at_before_the_scope(world: World) -> None:
    await world.stop()
    await world.start(chat=ScriptedChat("x"))
    me = world.client()
    for path, field in (("/memory/answer", "question"), ("/memory/runtime/turn", "message"), ("/memory/digest", None)):
        answer = await me.post(path, {"scopeId": "no id"}, 400)
        assert answer["error"] == "Validation failed"
        assert {tuple(one["path"]) for one in answer["details"]} == {("scopeId",), *([(field,)] if field else [])}
        sent = {"scopeId": RANDOM_ID, **({field: "x"} if field else {})}
        assert await me.post(path, sent, 404) == {"error": "Scope not found"}
