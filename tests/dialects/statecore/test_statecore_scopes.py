"""Scopes, identity, isolation, and what is refused how."""

from __future__ import annotations

import pytest

from memory.store import layout
from tests.dialects.statecore.conftest import LOCAL, Client, World
from tests.dialects.statecore.surface import FROZEN

NOWHERE = "5b2f6d1e-8a4c-4d1b-9f3e-2c7a9b6d0e11"


async def test_a_new_scope_is_listed_once_and_active_on_both_mounts(world: World) -> None:
    made = await world.client().post("/scopes", {"name": "Demo", "goal": "ship", "template": "health"})
    assert set(made) == {"id", "name", "goal", "stage", "createdAt"}
    for prefix in ("", "/v1"):
        client = world.client(prefix=prefix)
        assert (await client.get("/scopes"))["items"] == [made]
        assert await client.get("/state") == {"activeScopeId": made["id"]}


async def test_scopes_come_newest_first_and_two_may_have_one_name(world: World, me: Client) -> None:
    first = await me.scope("Same")
    world.clock.advance(1)
    second = await me.scope("Same")
    assert [one["id"] for one in (await me.get("/scopes"))["items"]] == [second, first]


async def test_activating_one_that_is_not_there_changes_nothing(me: Client) -> None:
    scope = await me.scope()
    assert await me.post(f"/scopes/{NOWHERE}/active", status=404) == {"error": "Scope not found"}
    assert await me.get("/state") == {"activeScopeId": scope}


async def test_a_user_without_scopes_has_no_active_one(me: Client) -> None:
    assert await me.get("/state") == {"activeScopeId": None}
    assert await me.get("/scopes") == {"items": []}


async def test_scopes_and_the_active_one_survive_a_restart(world: World) -> None:
    scope = await world.client().scope(goal="ship")
    await world.restart()
    me = world.client()
    assert [one["goal"] for one in (await me.get("/scopes"))["items"]] == ["ship"]
    assert await me.get("/state") == {"activeScopeId": scope}


async def test_deleting_a_scope_leaves_nothing_of_it(world: World, me: Client) -> None:
    scope = await me.scope("Secret plan")
    await me.event(scope, "the password is swordfish")
    await me.note(scope, "swordfish is a note")
    await me.post("/reminders", {"scopeId": scope, "dueAt": "2030-01-01T00:00:00Z", "text": "swordfish"})
    assert await me.delete(f"/scopes/{scope}") == {"ok": True}
    assert await me.delete(f"/scopes/{scope}", 404) == {"error": "Scope not found"}
    assert await me.get("/state") == {"activeScopeId": None}
    assert (await me.get("/reminders"))["items"] == []
    await world.engine.catalogue.save()
    for path in world.root.rglob("*"):
        assert not path.is_file() or b"swordfish" not in path.read_bytes(), path


async def test_a_reminder_without_scope_survives_the_deletion_of_one(me: Client) -> None:
    scope = await me.scope()
    await me.post("/reminders", {"dueAt": "2030-01-01T00:00:00Z", "text": "stay"})
    await me.delete(f"/scopes/{scope}")
    assert [one["text"] for one in (await me.get("/reminders"))["items"]] == ["stay"]


# identity


@pytest.mark.parametrize(("method", "path"), [one for one in FROZEN if one[1] != "/health"])
async def test_without_identity_nothing_is_answered(world: World, method: str, path: str) -> None:
    answer = await world.client(None).ask(method, "/v1" + path.replace(":", ""), {} if method == "POST" else None)
    assert (answer.status_code, answer.json()) == (401, {"error": "Missing user identity header"})


async def test_the_telegram_identity_goes_first(world: World, me: Client) -> None:
    await me.scope()
    answer = await me.ask("GET", "/v1/scopes", headers={"x-telegram-user-id": "77"})
    assert answer.json() == {"items": []}


async def test_the_user_id_is_a_uuid_that_stays(world: World) -> None:
    scope = await world.client("ann").scope()
    before = (await world.client("ann").event(scope, "one"))["userId"]
    await world.restart()
    after = (await world.client("ann").event(scope, "two"))["userId"]
    assert before == after != "ann"


async def test_what_is_somebody_elses_is_as_if_it_were_not_there(world: World, me: Client, other: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "The office closes at six.")
    fact = (await me.facts(scope))["Notes"][0]
    reminder = await me.post("/reminders", {"scopeId": scope, "dueAt": "2030-01-01T00:00:00Z", "text": "x"})
    for client, theirs in ((other, scope), (me, NOWHERE)):
        asked = [
            ("POST", "/memory/events", {"scopeId": theirs, "type": "stream", "content": "x"}),
            ("POST", "/memory/retrieve", {"scopeId": theirs}),
            ("POST", "/memory/notes", {"scopeId": theirs, "text": "x"}),
            ("POST", "/memory/handoff", {"scopeId": theirs, "summary": "x"}),
            ("POST", "/memory/facts/forget", {"scopeId": theirs, "factKey": fact["factKey"]}),
            ("POST", "/reminders", {"scopeId": theirs, "dueAt": "2030-01-01T00:00:00Z", "text": "x"}),
            ("POST", f"/scopes/{theirs}/active", None),
            ("GET", f"/memory/facts?scopeId={theirs}", None),
            ("GET", f"/memory/facts/{fact['factId']}/provenance?scopeId={theirs}", None),
            ("GET", f"/facet-pack?scopeId={theirs}", None),
            ("GET", f"/memory/relationship-context/{theirs}", None),
            ("DELETE", f"/scopes/{theirs}", None),
        ]
        for method, path, body in asked:
            answer = await client.ask(method, f"/v1{path}", body)
            assert (answer.status_code, answer.json()) == (404, {"error": "Scope not found"}), path
    assert await other.post(f"/reminders/{reminder['id']}/cancel") == {"ok": False}
    assert await other.get("/scopes") == {"items": []}
    assert await other.get("/reminders") == {"items": [], "nextCursor": None}
    assert (await me.facts(scope))["Notes"]


# characters


async def test_a_character_is_the_local_users_scope_and_nobody_elses(world: World, me: Client, other: Client) -> None:
    async with world.engine.spaces.use("Mia", create=True) as space, space.journal.write() as batch:
        batch.add("space.created", {})
    listed = (await me.get("/scopes"))["items"]
    assert [one["name"] for one in listed] == ["character:Mia"]
    event = await me.event("character:Mia", "hello")
    assert event["scopeId"] == listed[0]["id"]
    assert (await me.retrieve(listed[0]["id"]))["events"] == (await me.retrieve("character:Mia"))["events"]
    assert (await other.get("/scopes"))["items"] == []
    for scope in ("character:Mia", listed[0]["id"]):
        await other.post("/memory/retrieve", {"scopeId": scope}, 404)


async def test_a_character_that_is_not_there_is_not_made(world: World, me: Client) -> None:
    for name in ("character:Nobody", "character:../x", "character:a/b"):
        await me.post("/memory/events", {"scopeId": name, "type": "stream", "content": "x"}, 404)
    assert world.engine.spaces.names() == []


# refusals


async def test_a_body_that_is_not_as_it_should_be_is_told_place_by_place(me: Client) -> None:
    answer = await me.post("/scopes", {"stage": "someday", "goal": ""}, 400)
    assert answer["error"] == "Validation failed"
    assert {tuple(one["path"]) for one in answer["details"]} == {("name",), ("stage",), ("goal",)}
    assert all(one["message"] and one["code"] for one in answer["details"])


async def test_what_was_sent_is_never_quoted(me: Client) -> None:
    answer = await me.post("/memory/notes", {"scopeId": "swordfish", "text": "swordfish" * 100}, 400)
    assert "swordfish" not in str(answer)


async def test_no_json_is_malformed(me: Client) -> None:
    for raw in (b"{", b"nothing", b'{"name": NaN}', b"\xff"):
        assert await me.post("/scopes", raw=raw, status=400) == {"error": "Malformed JSON body"}


async def test_a_large_body_is_refused(me: Client) -> None:
    for prefix in ("/v1", ""):
        answer = await me.ask("POST", f"{prefix}/memory/events", raw=b'{"content": "' + b"x" * 1_048_576 + b'"}')
        assert (answer.status_code, answer.json()) == (413, {"error": "Request body too large"})


async def test_a_missing_scope_in_the_query_is_told(me: Client) -> None:
    assert await me.get("/memory/facts", 400) == {"error": "scopeId required"}
    assert await me.get("/memory/facts/x/provenance", 400) == {"error": "scopeId required"}


async def test_fields_that_nobody_published_are_passed_over(me: Client) -> None:
    await me.post("/scopes", {"name": "x", "colour": "red"})


async def test_an_unknown_path_or_method_is_404(me: Client) -> None:
    for method, path in (("GET", "/memory/notes"), ("PUT", "/v1/scopes"), ("GET", "/v1/nothing"), ("POST", "/state")):
        answer = await me.ask(method, path)
        assert answer.status_code == 404
        assert answer.json()["error"]


async def test_limits_count_utf16_units(me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "😀" * 250)
    answer = await me.post("/memory/notes", {"scopeId": scope, "text": "😀" * 250 + "x"}, 400)
    assert answer["details"][0]["code"] == "too_big"


async def test_half_a_character_does_no_harm(me: Client) -> None:
    scope = await me.scope()
    raw = b'{"scopeId": "%s", "type": "stream", "content": "half \\ud83d of it"}' % scope.encode()
    assert (await me.post("/memory/events", raw=raw))["content"] == "half \N{REPLACEMENT CHARACTER} of it"


async def test_while_storage_is_not_ready_it_is_503_with_the_keys_of_the_companion(world: World, me: Client) -> None:
    scope = await me.scope()
    world.engine.gate.blocked = True
    for method, path, body in (
        ("GET", "/v1/scopes", None),
        ("GET", "/scopes", None),
        ("POST", "/v1/memory/notes", {"scopeId": scope, "text": "x"}),
        ("POST", "/memory/retrieve", {"scopeId": scope}),
        ("GET", "/v1/health", None),
    ):
        answer = await me.ask(method, path, body)
        assert answer.status_code == 503, path
        assert set(answer.json()) == {"ok", "error_code", "blocking_reason", "limited_mode", "error"}
    assert (await me.ask("GET", "/health")).status_code == 200


# without a model


async def test_without_a_model_its_operations_refuse_whatever_is_sent(me: Client) -> None:
    for path in ("/memory/answer", "/memory/runtime/turn"):
        assert await me.post(path, {}, 400) == {"error": "FEATURE_LLM disabled"}
    assert await me.post("/memory/digest", {}, 400) == {
        "error": "FEATURE_LLM disabled. Enable FEATURE_LLM=true and configure MODEL_* or OPENAI_* to run digest."
    }


async def test_the_local_token_is_not_special_otherwise(world: World) -> None:
    assert world.service.local_token == LOCAL
    assert (world.root / layout.MEMORY).is_dir()
