"""Starting while storage is not ready: the port answers, nothing is touched, and a word from the companion opens it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.errors import RootTooNew
from memory.work.gate import StorageGate
from memory_server import opening
from memory_server.entrance import Entrance
from memory_server.guard import Guard
from memory_server.options import ServeOptions
from memory_server.service import Service
from tests.conftest import client_of
from tests.dialects.neko.companion_root import everything_under, fence, policy, write
from tests.dialects.neko.talk import exchange, history
from tests.dialects.raw_request import ask
from tests.test_serve import Served


@pytest.fixture
def starting(root: Path) -> Service:
    """A server that has not opened its root yet."""
    root.mkdir()
    return Service(instance_id="x", early_gate=StorageGate(root))


@pytest.fixture
def options(root: Path) -> ServeOptions:
    return ServeOptions(port=1, data_root=root, embedding_profile="off")


async def end(service: Service) -> None:
    if service.engine is not None:
        await opening.close_engine(service.engine)


async def test_a_ready_storage_is_opened_at_once(starting: Service, options: ServeOptions) -> None:
    opening.make_app(options, starting)
    await opening.start(starting)
    assert starting.blocking_reason is None
    await end(starting)


@pytest.mark.parametrize("flag", ["migration_pending", "recovery_required", "selection_required"])
async def test_a_storage_that_is_not_ready_is_left_untouched_until_it_is_told(
    starting: Service, options: ServeOptions, root: Path, flag: str
) -> None:
    policy(root, **{flag: True})
    before = everything_under(root)
    opening.make_app(options, starting)
    await opening.start(starting)
    async with client_of(starting) as client:
        health = (await client.get("/health")).json()
        assert (health["initialised"], health["limited_mode"], health["blocking_reason"]) == (False, True, flag)
        assert (await client.post("/internal/storage/startup/continue")).status_code == 409
        assert (await client.post("/cache/Mio", json=history(exchange(1)))).status_code == 409
        assert everything_under(root) == before
        policy(root)
        # It is ready, but nobody said so yet.
        assert (await client.get("/new_dialog/Mio")).json()["blocking_reason"] == "runtime_initializing"
        answers = await asyncio.gather(*(client.post("/internal/storage/startup/continue") for _ in range(5)))
        assert sorted(answer.json()["initialized"] for answer in answers) == [False] * 4 + [True]
        assert (await client.post("/cache/Mio", json=history(exchange(1)))).json()["status"] == "cached"
    await end(starting)


async def test_an_unfinished_boot_is_finished_by_opening(
    starting: Service, options: ServeOptions, root: Path
) -> None:
    fence(root, "bootstrap_importing")
    opening.make_app(options, starting)
    await opening.start(starting)
    state = json.loads((root / "root_state.json").read_bytes())
    assert (state["mode"], state["kept"], "last_good_boot_at" in state) == ("normal", [1], True)
    await end(starting)


async def test_a_root_of_a_newer_version_is_refused_at_the_start_and_on_request(
    starting: Service, options: ServeOptions, root: Path
) -> None:
    write(root / "memory-root.json", {"layout": 99, "root_id": "x"})
    opening.make_app(options, starting)
    with pytest.raises(RootTooNew):
        await opening.start(starting)
    async with client_of(starting) as client:
        response = await client.post("/internal/storage/startup/continue")
        assert (response.status_code, response.json()["ok"]) == (500, False)
        assert "99" in response.json()["error"]
        assert (await client.get("/health")).json()["blocking_reason"] == "startup_release_failed"


async def test_a_control_that_comes_too_early_waits_for_the_app(starting: Service, options: ServeOptions) -> None:
    entrance = Entrance(starting)
    app = Guard(entrance, starting)
    early = asyncio.create_task(ask(app, "POST", "/internal/storage/startup/continue"))
    await asyncio.sleep(0.01)
    assert not early.done()
    assert (await ask(app, "GET", "/health")).status == 200
    entrance.open(opening.make_app(options, starting))
    assert (await early).json == {"ok": True, "initialized": True}
    await end(starting)


async def test_it_does_not_wait_for_an_app_for_ever(starting: Service) -> None:
    app = Guard(Entrance(starting, patience=0.01), starting)
    answer = await ask(app, "POST", "/internal/storage/startup/block")
    assert (answer.status, answer.json["blocking_reason"]) == (409, "runtime_initializing")


@pytest.fixture
def served(root: Path) -> Iterator[Served]:
    root.mkdir()
    policy(root, selection_required=True)
    served = Served(root)
    yield served
    served.close()


def test_the_real_server_starts_in_limited_mode_and_serves_once_it_is_told(served: Served, root: Path) -> None:
    served.ready()
    assert served.client.get("/new_dialog/Mio").json()["blocking_reason"] == "selection_required"
    assert not (root / "memory").exists()
    policy(root)
    told = served.client.post("/internal/storage/startup/continue", json={"reason": "chosen"})
    assert (told.status_code, told.json()) == (200, {"ok": True, "initialized": True})
    body = {"input_history": json.dumps([{"role": "user", "content": "hello"}])}
    assert served.client.post("/cache/Mio", json=body).json() == {"status": "cached", "count": 1}
    served.process.terminate()
    assert served.ended() == 0
