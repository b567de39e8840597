"""Odd requests: what is at the edge of what was published, and what lies beyond it."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from memory.store import layout
from tests.dialects.statecore.conftest import Client, World

NOWHERE = "5b2f6d1e-8a4c-4d1b-9f3e-2c7a9b6d0e11"
LARGEST = 2**53 - 1


@pytest.mark.parametrize("number", ["9007199254740993", "1" + "0" * 30, "1e300"])
async def test_a_budget_beyond_all_counting_is_the_largest_there_is(me: Client, number: str) -> None:
    scope = await me.scope()
    await me.event(scope, "hello")
    raw = b'{"scopeId": "%s", "maxChars": %s}' % (scope.encode(), number.encode())
    found = await me.post("/memory/retrieve", raw=raw)
    assert found["budget"]["maxChars"] == LARGEST
    assert [event["content"] for event in found["events"]] == ["hello"]


@pytest.mark.parametrize("wrong", ["1.5", '"10"', "true", "null5", "1e999", "[]"])
async def test_a_budget_that_is_no_whole_number_is_refused(me: Client, wrong: str) -> None:
    scope = await me.scope()
    await me.post("/memory/retrieve", raw=b'{"scopeId": "%s", "maxChars": %s}' % (scope.encode(), wrong.encode()),
                  status=400)  # fmt: skip


async def test_a_whole_number_may_be_written_with_a_fraction_of_nothing(me: Client) -> None:
    scope = await me.scope()
    found = await me.post("/memory/retrieve", raw=b'{"scopeId": "%s", "limit": 2.0, "maxChars": 5e1}' % scope.encode())
    assert found["budget"]["maxChars"] == 50


def cursor(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "%00%ff",
        base64.urlsafe_b64encode(b"[" * 20_000).decode(),
        cursor(5),
        cursor(["somebody", "2030-01-01T00:00:00+00:00", "reminder_1"]),
        cursor({"a": 1, "b": 2, "c": 3}),
    ],
)
async def test_a_cursor_that_does_not_belong_here_leads_to_an_empty_page(me: Client, text: str) -> None:
    await me.post("/reminders", {"dueAt": "2030-01-01T00:00:00Z", "text": "x"})
    assert await me.get(f"/reminders?cursor={text}") == {"items": [], "nextCursor": None}


async def test_the_cursor_of_somebody_else_leads_to_an_empty_page(me: Client, other: Client) -> None:
    for client in (me, other):
        for _ in range(2):
            await client.post("/reminders", {"dueAt": "2030-01-01T00:00:00Z", "text": "x"})
    theirs = (await other.get("/reminders?limit=1"))["nextCursor"]
    assert await me.get(f"/reminders?cursor={theirs}") == {"items": [], "nextCursor": None}


@pytest.mark.parametrize(
    ("limit", "shown"), [("1", 1), ("2.9", 2), ("0", 1), ("-5", 1), ("many", 20), ("", 20), ("nan", 20), ("1000", 100)]
)
async def test_a_limit_of_a_page_is_brought_within_its_bounds(me: Client, limit: str, shown: int) -> None:
    for number in range(101 if shown == 100 else 21):
        await me.post("/reminders", {"dueAt": "2030-01-01T00:00:00Z", "text": str(number)})
    assert len((await me.get(f"/reminders?limit={limit}"))["items"]) == shown


async def test_a_body_that_nobody_needs_must_be_json_all_the_same(me: Client) -> None:
    scope = await me.scope()
    for path in (f"/scopes/{scope}/active", f"/reminders/{NOWHERE}/cancel"):
        assert await me.post(path, raw=b"{", status=400) == {"error": "Malformed JSON body"}
        await me.post(path, {"anything": 1})
        await me.post(path, raw=b"")


async def test_an_id_is_checked_in_a_body_and_just_not_found_elsewhere(me: Client) -> None:
    await me.post("/memory/retrieve", {"scopeId": "no id"}, 400)
    await me.post("/memory/retrieve", {"scopeId": 5}, 400)
    await me.post("/memory/retrieve", {"scopeId": None}, 400)
    for path in ("/memory/facts?scopeId=no+id", "/facet-pack?scopeId=%00", "/memory/relationship-context/no%20id"):
        assert await me.get(path, 404) == {"error": "Scope not found"}
    assert await me.get("/memory/digests/no%20id/selection", 404) == {"error": "Digest not found"}
    assert await me.delete("/scopes/no%20id", 404) == {"error": "Scope not found"}
    assert await me.post("/reminders/no%20id/cancel") == {"ok": False}


async def test_an_id_may_be_written_in_capitals(me: Client) -> None:
    scope = await me.scope()
    event = await me.event(scope.upper(), "hello")
    assert event["scopeId"] == scope
    assert (await me.get(f"/memory/facts?scopeId={scope.upper()}")) == {"groups": []}
    assert await me.post(f"/scopes/{scope.upper()}/active") == {"activeScopeId": scope}


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("1969-12-31T23:59:59.9996Z", "1969-12-31T23:59:59.999Z"),
        ("2024-02-29T12:00:00+05:45", "2024-02-29T06:15:00.000Z"),
    ],
)
async def test_an_event_may_stand_at_the_edge_of_the_calendar(world: World, sent: str, shown: str) -> None:
    me = world.client()
    scope = await me.scope()
    assert (await me.event(scope, "far away", occurredAt=sent))["createdAt"] == shown
    await world.restart()
    me = world.client()
    for asked in ({}, {"query": "far away"}):
        assert [event["createdAt"] for event in (await me.retrieve(scope, **asked))["events"]] == [shown]
    assert (await me.get(f"/memory/relationship-context/{scope}"))["durationDays"] >= 0


@pytest.mark.parametrize("wrong", ["2026-13-01T00:00:00Z", "2026-05-04", "2026-05-04T10:00:00", "now", 5, ""])
async def test_a_time_that_is_none_is_refused(me: Client, wrong: Any) -> None:
    scope = await me.scope()
    body = {"scopeId": scope, "type": "stream", "content": "x", "occurredAt": wrong}
    answer = await me.post("/memory/events", body, 400)
    assert [one["path"] for one in answer["details"]] == [["occurredAt"]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "letter"},
        {"source": "carrier pigeon"},
        {"content": ""},
        {"content": None},
        {"key": ""},
        {"pinned": "yes"},
        {"type": None},
    ],
)
async def test_an_event_that_is_not_as_published_is_refused(me: Client, wrong: dict[str, Any]) -> None:
    scope = await me.scope()
    await me.post("/memory/events", {"scopeId": scope, "type": "stream", "content": "x", **wrong}, 400)
    assert (await me.retrieve(scope))["events"] == []


@pytest.mark.parametrize("source", ["telegram", "cli", "api", "sdk"])
async def test_an_event_keeps_its_source(me: Client, source: str) -> None:
    scope = await me.scope()
    assert (await me.event(scope, "hello", source=source))["source"] == source
    assert (await me.event(scope, "hello"))["source"] == "api"


@pytest.mark.parametrize("template", ["project", "personal", "health", "learning"])
@pytest.mark.parametrize("stage", ["idea", "build", "test", "launch"])
async def test_every_stage_and_template_is_taken(me: Client, template: str, stage: str) -> None:
    made = await me.post("/scopes", {"name": "x", "stage": stage, "template": template})
    assert (made["stage"], made["goal"]) == (stage, None)
    assert (await me.get(f"/facet-pack?scopeId={made['id']}"))["name"] == template


@pytest.mark.parametrize("wrong", [{"name": ""}, {"template": "novel"}, {"stage": "IDEA"}, {"goal": ""}, {"name": 5}])
async def test_a_scope_that_is_not_as_published_is_refused(me: Client, wrong: dict[str, Any]) -> None:
    await me.post("/scopes", {"name": "x", **wrong}, 400)
    assert (await me.get("/scopes"))["items"] == []


@pytest.mark.parametrize("raw", [b"[]", b"null", b"5", b'"text"'])
async def test_a_body_that_is_no_object_is_told_so(me: Client, raw: bytes) -> None:
    assert (await me.post("/scopes", raw=raw, status=400))["error"] == "Validation failed"


async def test_text_that_looks_like_something_else_is_text(me: Client) -> None:
    scope = await me.scope()
    odd = ("a\x00b", "'; DROP TABLE facts; --", "{0.__class__}", "(a+)+$", "../../etc/passwd", "\u202eevil", "%s")
    for text in odd:
        assert (await me.event(scope, text))["content"] == text
        await me.retrieve(scope, query=text)
        await me.note(scope, text)
    assert len((await me.facts(scope))["Notes"]) == 7


# identity


@pytest.mark.parametrize("token", ["", "   "])
async def test_a_blank_identity_is_none(world: World, token: str) -> None:
    answer = await world.client(None).ask("GET", "/v1/scopes", headers={"x-user-id": token})
    assert (answer.status_code, answer.json()) == (401, {"error": "Missing user identity header"})


async def test_identities_of_different_kinds_are_different_users(world: World) -> None:
    nobody = world.client(None)
    seen = set()
    for headers in (
        {"x-user-id": "local-dev-user"},
        {"x-user-id": "local:local-dev-user"},
        {"x-user-id": "77"},
        {"x-telegram-user-id": "77"},
        {"x-telegram-user-id": "local-dev-user"},
        {"x-user-id": "77", "x-telegram-user-id": "78"},
    ):
        scope = (await nobody.ask("POST", "/v1/scopes", {"name": "x"}, headers=headers)).json()["id"]
        body = {"scopeId": scope, "type": "stream", "content": "x"}
        seen.add((await nobody.ask("POST", "/v1/memory/events", body, headers=headers)).json()["userId"])
    assert len(seen) == 6


async def test_the_telegram_identity_is_never_the_companions(world: World, me: Client) -> None:
    async with world.engine.spaces.use("Mia", create=True) as space, space.journal.write() as batch:
        batch.add("space.created", {})
    headers = {"x-user-id": "local-dev-user", "x-telegram-user-id": "local-dev-user"}
    answer = await me.ask("GET", "/v1/memory/facts?scopeId=character:Mia", headers=headers)
    assert answer.status_code == 404


# characters


async def test_a_character_that_is_configured_and_was_never_spoken_to_is_there(world: World) -> None:
    config = world.root / layout.CONFIG
    config.mkdir(parents=True, exist_ok=True)
    (config / layout.CHARACTERS).write_text(json.dumps({"猫娘": {"Mia": {}}}), encoding="utf-8")
    me = world.client()
    (listed,) = (await me.get("/scopes"))["items"]
    assert listed["name"] == "character:Mia"
    assert (await me.retrieve("character:Mia"))["events"] == []
    assert await me.get(f"/memory/facts?scopeId={listed['id']}") == {"groups": []}
    assert world.engine.spaces.names() == []        # looking made nothing
    await me.note("character:Mia", "The office closes at six.")
    assert [item["text"] for item in (await me.facts(listed["id"]))["Notes"]] == ["The office closes at six."]
    await world.client("somebody else").post("/memory/retrieve", {"scopeId": listed["id"]}, 404)


@pytest.mark.parametrize("spelled", ["Character:Mia", " character: Mia ", "character:Mia"])
async def test_a_character_is_named_in_every_spelling_of_the_kind(world: World, me: Client, spelled: str) -> None:
    async with world.engine.spaces.use("Mia", create=True) as space, space.journal.write() as batch:
        batch.add("space.created", {})
    event = await me.event(spelled, "hello")
    assert event["scopeId"] == (await me.get("/scopes"))["items"][0]["id"]
    reminder = await me.post("/reminders", {"scopeId": spelled, "dueAt": "2030-01-01T00:00:00Z", "text": "x"})
    assert reminder["scopeId"] == event["scopeId"]
