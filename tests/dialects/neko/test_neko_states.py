"""Every route in every state that storage and a character can be in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory.engine import Engine
from memory_server.app import dialects
from memory_server.guard import ALWAYS
from memory_server.neko.errors import rendered
from memory_server.service import Service
from tests.conftest import OpenEngine, Perform, client_of
from tests.dialects.neko.companion_root import bytes_under, everything_under, fence, policy, write
from tests.dialects.neko.surface import SERVED
from tests.dialects.neko.talk import exchange, history, user

CLAIM = "derived_task_claim_token=t&derived_task_claim_generation=1"

BODIES: Mapping[str, Any] = {
    "/cache/{name}": history(exchange(7)),
    "/process/{name}": history(exchange(7)),
    "/renew/{name}": history(exchange(7)),
    "/settle/{name}": history(exchange(7)),
    "/query_memory/{name}": {"query": "Lisbon"},
    "/record_surfaced/{name}": {"reflection_ids": ["ref_1"]},
    "/internal/storage/startup/block": {"reason": " upstream failed "},
}
ZEROS = {
    "facts_added": 0, "reflections_synthesized": 0, "reflections_confirmed": 0, "reflections_promoted": 0,
    "reflections_merged": 0, "reflections_denied": 0, "reflections_archived": 0, "persona_entries_added": 0,
    "persona_entries_rewritten": 0, "persona_entries_archived": 0,
}  # fmt: skip
WEEK = {"since": "2026-04-27T10:00:00", "until": "2026-05-04T10:00:00"}
RELEASED = {
    "status": "success", "character_name": "Mio", "cancelled_derived_tasks": 0, "derived_task_claim_token": "t",
}  # fmt: skip


async def ask(client: httpx2.AsyncClient, method: str, path: str, name: str = "Mio") -> httpx2.Response:
    where = path.replace("{name}", name).replace("{query}", "Lisbon")
    if path.startswith("/release_character"):
        where += f"?{CLAIM}"
    body = BODIES.get(path, {} if method == "POST" else None)
    return await client.request(method, where, json=body)


@pytest.fixture
async def told(client: httpx2.AsyncClient, perform: Perform) -> httpx2.AsyncClient:
    """One fact and two messages."""
    await client.post("/cache/Mio", json=history([user("I live in Lisbon."), *exchange(1)[1:]]))
    await perform("Mio")
    return client


# --- Normal ---------------------------------------------------------------------------------------------------

NORMAL: Mapping[str, Any] = {
    "/health": {"status": "ok", "limited_mode": False},
    "/shutdown": {"status": "shutdown_disabled"},
    "/reload": {"status": "success"},
    "/release_character/{name}": RELEASED,
    "/internal/storage/startup/continue": {"ok": True, "initialized": False},
    "/internal/storage/startup/block": {"ok": True, "limited_mode": True, "reason": "upstream failed"},
    "/internal/memory/reset_confirmed_at": {"ok": True, "count": 0},
    "/cache/{name}": {"status": "cached", "count": 2},
    "/process/{name}": {"status": "processed"},
    "/renew/{name}": {"status": "processed"},
    "/settle/{name}": {"status": "settled"},
    "/new_dialog/{name}": "Lisbon",
    "/get_recent_history/{name}": "Lisbon",
    "/query_memory/{name}": {"query": "Lisbon", "candidates_total": 1},
    "/search_for_memory/{name}/{query}": "Lisbon",
    "/get_settings/{name}": "Lisbon",
    "/get_persona/{name}": {},
    "/last_conversation_gap/{name}": {"gap_seconds": 0.0},
    "/reflect/{name}": {"reflection": None, "auto_transitions": 0},
    "/followup_topics/{name}": {"topics": []},
    "/record_surfaced/{name}": {"ok": True},
    "/cancel_correction/{name}": {"status": "no_task"},
    "/api/memory/funnel/{name}": {"lanlan_name": "Mio", **WEEK, "counts": {**ZEROS, "facts_added": 1}},
}


def test_the_table_has_every_path() -> None:
    assert set(NORMAL) == {path for _, path in SERVED}


@pytest.mark.parametrize(("method", "path"), sorted(SERVED))
async def test_every_route_answers_in_the_normal_state(told: httpx2.AsyncClient, method: str, path: str) -> None:
    response = await ask(told, method, path)
    assert response.status_code == 200
    expected = NORMAL[path]
    if isinstance(expected, str):
        assert expected in response.text
        assert path == "/new_dialog/{name}" or isinstance(response.json(), str)
    else:
        assert response.json().items() >= expected.items()


# --- A character nobody knows -----------------------------------------------------------------------------------

UNKNOWN: Mapping[str, Any] = {
    "/new_dialog/{name}": "",
    "/get_recent_history/{name}": "There is no conversation history yet.",
    "/query_memory/{name}": {"results": [], "query": "Lisbon", "candidates_total": 0, "elapsed_ms": 0.0},
    "/get_settings/{name}": "Mio记得{}",
    "/get_persona/{name}": {},
    "/last_conversation_gap/{name}": {"gap_seconds": -1},
    "/reflect/{name}": {"reflection": None, "auto_transitions": 0},
    "/followup_topics/{name}": {"topics": []},
    "/record_surfaced/{name}": {"ok": True},
    "/cancel_correction/{name}": {"status": "no_task"},
    "/api/memory/funnel/{name}": {"lanlan_name": "Mio", **WEEK, "counts": ZEROS},
    "/internal/memory/reset_confirmed_at": {"ok": True, "count": 0},
    "/release_character/{name}": RELEASED,
}


@pytest.mark.parametrize("path", UNKNOWN)
async def test_an_unknown_character_is_answered_and_not_made(
    client: httpx2.AsyncClient, root: Path, path: str
) -> None:
    before = everything_under(root)
    method = next(method for method, served in SERVED if served == path)
    response = await ask(client, method, path)
    assert response.status_code == 200
    assert (response.text if path == "/new_dialog/{name}" else response.json()) == UNKNOWN[path]
    assert everything_under(root) == before


# --- Limited mode -----------------------------------------------------------------------------------------------


def limit(service: Service, engine: Engine, root: Path, reason: str) -> None:
    match reason:
        case "runtime_initializing":
            service.engine = None
        case "storage_startup_blocked_after_init":
            engine.gate.blocked = True
        case "storage_policy_unavailable":
            write(root / "storage_policy.json", "{")
        case _:
            policy(root, **{reason: True})


REASONS = (
    "runtime_initializing", "storage_startup_blocked_after_init", "migration_pending", "recovery_required",
    "selection_required", "storage_policy_unavailable",
)  # fmt: skip


@pytest.mark.parametrize("reason", REASONS)
async def test_in_limited_mode_every_route_but_the_controls_is_409(
    told: httpx2.AsyncClient, service: Service, engine: Engine, root: Path, reason: str
) -> None:
    limit(service, engine, root, reason)
    for method, path in [*sorted(SERVED), ("GET", "/nowhere"), ("GET", "/healthy"), ("GET", "/health/")]:
        if path in ALWAYS:
            continue
        response = await ask(told, method, path)
        assert response.status_code == 409, path
        assert response.json() == {
            "ok": False,
            "error_code": "storage_startup_blocked",
            "blocking_reason": reason,
            "limited_mode": True,
            "error": f"the memory is not available yet: {reason}",
        }


@pytest.mark.parametrize("reason", REASONS)
async def test_the_controls_answer_in_limited_mode(
    told: httpx2.AsyncClient, service: Service, engine: Engine, root: Path, reason: str
) -> None:
    limit(service, engine, root, reason)
    health = (await told.get("/health")).json()
    assert (health["status"], health["limited_mode"], health["blocking_reason"]) == ("ok", True, reason)
    assert (await told.post("/shutdown")).json()["status"] == "shutdown_disabled"
    blocked = await told.post("/internal/storage/startup/block", json={"reason": "x"})
    assert blocked.json() == {"ok": True, "limited_mode": True, "reason": "x"}


@pytest.mark.parametrize("reason", REASONS[2:])
async def test_continuing_is_refused_while_storage_is_not_ready(
    told: httpx2.AsyncClient, service: Service, engine: Engine, root: Path, reason: str
) -> None:
    limit(service, engine, root, reason)
    response = await told.post("/internal/storage/startup/continue", json={"reason": "x"})
    assert (response.status_code, response.json()) == (
        409,
        {
            "ok": False,
            "error_code": "storage_startup_blocked",
            "blocking_reason": reason,
            "error": f"the storage is not ready yet: {reason}",
        },
    )


async def test_block_and_continue_take_turns_without_opening_anything_anew(
    told: httpx2.AsyncClient, engine: Engine
) -> None:
    for _ in range(2):
        for _ in range(2):
            assert (await told.post("/internal/storage/startup/block")).status_code == 200
        assert (await told.get("/get_settings/Mio")).status_code == 409
        for _ in range(2):
            assert (await told.post("/internal/storage/startup/continue")).json() == {"ok": True, "initialized": False}
        assert "Lisbon" in (await told.get("/get_settings/Mio")).json()


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{", b'{"reason": 7}'])
async def test_the_controls_take_any_body(client: httpx2.AsyncClient, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    for action in ("block", "continue"):
        response = await client.post(f"/internal/storage/startup/{action}", content=body, headers=headers)
        assert response.status_code == 200


async def test_writes_refused_at_the_door_are_counted(told: httpx2.AsyncClient, engine: Engine) -> None:
    engine.gate.blocked = True
    for path in ("/cache/{name}", "/process/{name}", "/reflect/{name}", "/record_surfaced/{name}"):
        await ask(told, "POST", path)
    await told.get("/new_dialog/Mio")
    assert (await told.get("/health")).json()["refused_writes"] == 4


async def test_nothing_that_was_refused_is_done_later(told: httpx2.AsyncClient, engine: Engine) -> None:
    engine.gate.blocked = True
    await ask(told, "POST", "/cache/{name}")
    engine.gate.blocked = False
    assert "question 7" not in (await told.get("/get_recent_history/Mio")).json()


# --- Before the engine is open ------------------------------------------------------------------------------------


async def test_continuing_opens_the_engine_once_however_often_it_is_asked(open_engine: OpenEngine) -> None:
    service = Service(instance_id="x", open_engine=open_engine)
    async with client_of(service) as client:
        assert (await client.get("/get_settings/Mio")).json()["blocking_reason"] == "runtime_initializing"
        answers = [
            (await client.post("/internal/storage/startup/continue")).json()["initialized"] for _ in range(3)
        ]
        assert answers == [True, False, False]
        assert (await client.get("/get_settings/Mio")).json() == "Mio记得{}"


async def test_an_engine_that_does_not_open_is_500_and_can_be_asked_for_again(open_engine: OpenEngine) -> None:
    failing = True

    async def open_it() -> Engine:
        if failing:
            raise PermissionError(13, "Permission denied")
        return await open_engine()

    service = Service(instance_id="x", open_engine=open_it)
    async with client_of(service) as client:
        response = await client.post("/internal/storage/startup/continue")
        assert (response.status_code, response.json()) == (
            500, {"ok": False, "error": "the disk refused: Permission denied"},
        )  # fmt: skip
        assert (await client.get("/get_settings/Mio")).json()["blocking_reason"] == "startup_release_failed"
        failing = False
        assert (await client.post("/internal/storage/startup/continue")).json() == {"ok": True, "initialized": True}
        assert (await client.get("/get_settings/Mio")).status_code == 200


async def test_blocking_before_the_engine_is_open_keeps_it_closed_afterwards(open_engine: OpenEngine) -> None:
    service = Service(instance_id="x")

    async def open_it() -> Engine:
        return await open_engine(gate=service.early_gate)

    service.open_engine = open_it
    async with client_of(service) as client:
        await client.post("/internal/storage/startup/block")
        await service.start()
        blocked = (await client.get("/get_settings/Mio")).json()
        assert blocked["blocking_reason"] == "storage_startup_blocked_after_init"


async def test_recall_without_an_engine_is_503_behind_the_door(service: Service) -> None:
    # The door refuses it first, so this answers only where a dialect is mounted without one.
    service.engine = None
    transport = httpx2.ASGITransport(dialects(service))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", trust_env=False) as client:
        assert (await client.post("/query_memory/Mio", json={"query": "x"})).status_code == 503


# --- The write fence ----------------------------------------------------------------------------------------------

MODES = ("maintenance_readonly", "bootstrap_readonly", "bootstrap_importing")
FENCED: Mapping[str, Any] = {
    **{path: {"status": "error"} for path in ("/cache/{name}", "/process/{name}", "/renew/{name}", "/settle/{name}")},
    "/reflect/{name}": {"reflection": None, "auto_transitions": 0},
    "/record_surfaced/{name}": {"ok": True},
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("method", "path"), sorted(SERVED))
async def test_behind_the_fence_only_writing_is_refused(
    told: httpx2.AsyncClient, root: Path, method: str, path: str, mode: str
) -> None:
    fence(root, mode)
    response = await ask(told, method, path)
    assert response.status_code == 200
    expected = FENCED.get(path, NORMAL[path])
    if isinstance(expected, str):
        assert expected in response.text
    else:
        assert response.json().items() >= expected.items()


async def test_a_fenced_write_is_visible_and_goes_through_once_the_fence_is_gone(
    told: httpx2.AsyncClient, root: Path
) -> None:
    fence(root, "maintenance_readonly")
    answer = (await told.post("/cache/Mio", json=history(exchange(7)))).json()
    assert (answer["status"], "maintenance_readonly" in answer["message"]) == ("error", True)
    health = (await told.get("/health")).json()
    assert (health["refused_writes"], health["write_fence"], health["limited_mode"]) == (
        1, "maintenance_readonly", False,
    )  # fmt: skip
    fence(root, "normal")
    assert (await told.post("/cache/Mio", json=history(exchange(7)))).json() == {"status": "cached", "count": 2}
    assert (await told.get("/get_recent_history/Mio")).json().count("question 7") == 1
    assert (await told.get("/health")).json()["write_fence"] is None


async def test_behind_the_fence_no_file_of_a_memory_changes(
    told: httpx2.AsyncClient, engine: Engine, root: Path
) -> None:
    async with engine.spaces.use("Mio") as space:
        await space.save()
    before = bytes_under(root / "memory")
    fence(root, "maintenance_readonly")
    for method, path in sorted(SERVED - {("POST", "/release_character/{name}")}):
        await ask(told, method, path)
    async with engine.spaces.use("Mio") as space:
        await space.save()
    assert bytes_under(root / "memory") == before


async def test_a_companions_folder_first_read_behind_the_fence_is_adopted_after_it(
    client: httpx2.AsyncClient, root: Path
) -> None:
    folder = root / "memory" / "Rin"
    folder.mkdir()
    rows = [{"type": "human", "data": {"content": "hello there"}}]
    (folder / "recent.json").write_text(json.dumps(rows))
    fence(root, "maintenance_readonly")
    assert "hello there" in (await client.get("/get_recent_history/Rin")).json()
    assert (await client.post("/cache/Rin", json=history(exchange(1)))).json()["status"] == "error"
    assert [path.name for path in folder.iterdir()] == ["recent.json"]
    fence(root, "normal")
    assert (await client.post("/cache/Rin", json=history(exchange(1)))).json()["status"] == "cached"
    shown = (await client.get("/get_recent_history/Rin")).json()
    assert shown.count("hello there") == shown.count("question 1") == 1


async def test_a_character_can_be_released_behind_the_fence(
    told: httpx2.AsyncClient, engine: Engine, root: Path
) -> None:
    fence(root, "maintenance_readonly")
    assert (await ask(told, "POST", "/release_character/{name}")).json() == RELEASED
    assert engine.spaces.open_spaces == []


async def test_a_write_that_no_handler_answers_for_is_409_in_the_companions_form(
    told: httpx2.AsyncClient, root: Path, engine: Engine, service: Service
) -> None:
    fence(root, "bootstrap_importing")
    with pytest.raises(Exception, match="bootstrap_importing") as raised:
        engine.gate.check_write()
    response = rendered(raised.value, "/somewhere", "Mio")
    assert response.status_code == 409
    assert json.loads(bytes(response.body)) == {
        "success": False,
        "error": "CLOUDSAVE_WRITE_FENCE_ACTIVE",
        "code": "CLOUDSAVE_WRITE_FENCE_ACTIVE",
        "mode": "bootstrap_importing",
        "operation": "save",
        "target": "memory/Mio/events.ndjson",
        "retryable": True,
    }


# --- A character that somebody holds --------------------------------------------------------------------------------

CANCELLED = ("/cache/{name}", "/process/{name}", "/renew/{name}", "/settle/{name}", "/reflect/{name}")
HELD: Mapping[str, Any] = {
    **{path: answer for path, answer in UNKNOWN.items() if path != "/reflect/{name}"},
    "/query_memory/{name}": {
        "results": [], "query": "Lisbon", "candidates_total": 0, "elapsed_ms": 0.0,
        "error_code": "hybrid_recall_failed",
    },
}  # fmt: skip


async def hold(client: httpx2.AsyncClient) -> None:
    query = "derived_task_claim_token=holder&derived_task_claim_generation=1&hold_derived_task_admission=true"
    assert (await client.post(f"/release_character/Mio?{query}")).status_code == 200


@pytest.mark.parametrize("path", CANCELLED)
@pytest.mark.parametrize("body", [None, b"{", b'{"input_history": "[]"}'])
async def test_a_write_to_a_held_character_is_cancelled_whatever_it_brings(
    told: httpx2.AsyncClient, path: str, body: bytes | None
) -> None:
    await hold(told)
    headers = {"Content-Type": "application/json"}
    response = await told.post(path.replace("{name}", "Mio"), content=body, headers=headers)
    assert response.status_code == 409
    assert (response.json()["status"], set(response.json())) == ("cancelled", {"status", "message"})


@pytest.mark.parametrize("path", HELD)
async def test_a_held_character_is_left_alone_by_every_other_route(
    told: httpx2.AsyncClient, root: Path, path: str
) -> None:
    await hold(told)
    # Its files may be anywhere by now; nobody may look for them, let alone make them.
    (root / "memory" / "Mio").rename(root / "moved")
    before = everything_under(root)
    method = next(method for method, served in SERVED if served == path)
    response = await ask(told, method, path)
    assert response.status_code == 200
    assert (response.text if path == "/new_dialog/{name}" else response.json()) == HELD[path]
    assert everything_under(root) == before


async def test_an_invalid_name_is_400_before_it_is_anybodys(told: httpx2.AsyncClient) -> None:
    await hold(told)
    assert (await told.post("/cache/..", json={})).status_code in (400, 404)
    assert (await told.post("/cache/CON", json={})).status_code == 400


async def test_a_held_name_is_recognised_however_it_is_spelt(client: httpx2.AsyncClient) -> None:
    await client.post("/cache/Zoé", json=history(exchange(1)))
    query = "derived_task_claim_token=h&derived_task_claim_generation=1&hold_derived_task_admission=true"
    assert (await client.post(f"/release_character/%20Zoe%CC%81?{query}")).status_code == 200
    assert (await client.post("/cache/Zoe%CC%81%20", json=history(exchange(2)))).status_code == 409
