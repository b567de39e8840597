"""Releasing a character and taking it back: what one call answers, and the sequences in which they are really made."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory.engine import Engine
from memory.store.files import Disk
from memory.work.claims import WITHDRAWN_KEPT
from memory_server.service import Service
from tests.conftest import OpenEngine, client_of
from tests.dialects.neko.companion_root import configure, everything_under
from tests.dialects.neko.talk import exchange, history
from tests.fakes import ScriptedChat

MIO = Path("memory/Mio")


class Companion:
    """The main process: it makes the calls that character administration makes."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self.client = client

    async def release(
        self, name: str, token: str, *, generation: int | str | None = 1, hold: bool | str | None = None
    ) -> httpx2.Response:
        query: dict[str, str] = {"derived_task_claim_token": token}
        if generation is not None:
            query["derived_task_claim_generation"] = str(generation)
        if hold is not None:
            query["hold_derived_task_admission"] = str(hold).lower()
        return await self.client.post(f"/release_character/{name}", params=query)

    async def reload(
        self,
        *,
        resume: dict[str, int] | None = None,
        release: dict[str, list[str]] | None = None,
    ) -> None:
        """Sends only the fields it needs."""
        body: dict[str, Any] = {}
        if resume:
            body |= {"resume_derived_task_names": [*resume], "resume_derived_task_generations": resume}
        if release:
            body["release_derived_task_claims"] = release
        response = await self.client.post("/reload", json=body) if body else await self.client.post("/reload")
        assert response.status_code == 200
        assert response.json()["status"] == "success"

    async def write(self, name: str, number: int = 1) -> str:
        """What a history write ends in."""
        response = await self.client.post(f"/cache/{name}", json=history(exchange(number)))
        assert (response.status_code == 409) == (response.json()["status"] == "cancelled")
        return str(response.json()["status"])

    async def history(self, name: str) -> str:
        return str((await self.client.get(f"/get_recent_history/{name}")).json())


@pytest.fixture
def companion(client: httpx2.AsyncClient) -> Companion:
    return Companion(client)


@pytest.fixture
async def mio(companion: Companion, root: Path) -> Companion:
    """Mio is configured and has a memory."""
    configure(root, "Mio")
    assert await companion.write("Mio", 0) == "cached"
    return companion


# --- One call -------------------------------------------------------------------------------------------------


async def test_a_release_answers_with_its_claim(mio: Companion) -> None:
    response = await mio.release("Mio", "t", generation=3, hold=True)
    assert (response.status_code, response.json()) == (
        200,
        {
            "status": "success",
            "character_name": "Mio",
            "cancelled_derived_tasks": 0,
            "derived_task_claim_token": "t",
        },
    )


@pytest.mark.parametrize(
    "query",
    ["", "derived_task_claim_token=t", "derived_task_claim_generation=1",
     "derived_task_claim_token=&derived_task_claim_generation=1",
     "derived_task_claim_token=%20&derived_task_claim_generation=1",
     f"derived_task_claim_token={'t' * 513}&derived_task_claim_generation=1"],
)  # fmt: skip
async def test_a_claim_that_is_missing_is_400_and_closes_nothing(
    mio: Companion, engine: Engine, query: str
) -> None:
    response = await mio.client.post(f"/release_character/Mio?{query}")
    assert response.status_code == 400
    assert response.json().items() >= {"status": "error", "character_name": "Mio"}.items()
    assert (engine.claims.names(), len(engine.spaces.open_spaces)) == ([], 1)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ("derived_task_claim_generation=one", "derived_task_claim_generation"),
        ("derived_task_claim_generation=", "derived_task_claim_generation"),
        ("derived_task_claim_generation=1.5", "derived_task_claim_generation"),
        (f"derived_task_claim_generation={'9' * 5000}", "derived_task_claim_generation"),
        ("derived_task_claim_generation=1&hold_derived_task_admission=perhaps", "hold_derived_task_admission"),
    ],
)
async def test_a_query_of_the_wrong_form_is_422(mio: Companion, engine: Engine, more: str, field: str) -> None:
    response = await mio.client.post(f"/release_character/Mio?derived_task_claim_token=t&{more}")
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["query", field]
    assert engine.claims.names() == []


@pytest.mark.parametrize(
    ("value", "held"), [("true", True), ("True", True), ("1", True), ("false", False), ("0", False)]
)
async def test_hold_is_understood_in_the_usual_spellings(
    mio: Companion, engine: Engine, value: str, held: bool
) -> None:
    await mio.release("Mio", "t", hold=value)
    assert engine.claims.held("Mio") is held


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"null", b"[]", b'"x"', b'{"resume_derived_task_names": "Mio"}',
     b'{"resume_derived_task_names": [7, null, "", "CON"], "resume_derived_task_generations": {"Mio": 9}}',
     b'{"release_derived_task_claims": ["t"]}', b'{"release_derived_task_claims": {"Mio": "t"}}',
     b'{"release_derived_task_claims": {"Mio": [7, "", null], "Rin": ["t"], "": ["t"]}}'],
)  # fmt: skip
async def test_a_reload_leaves_out_what_it_cannot_use(mio: Companion, engine: Engine, body: bytes) -> None:
    await mio.release("Mio", "t", hold=True)
    response = await mio.client.post("/reload", content=body, headers={"Content-Type": "application/json"})
    assert (response.status_code, response.json()["status"]) == (200, "success")
    assert engine.claims.active("Mio", "t")


@pytest.mark.parametrize(
    ("generations", "open_again"),
    [
        ({"Mio": 4}, True),
        ({"Mio": 3}, False),        # what was claimed is what is published
        ([4], True),
        ([3], False),
        ({"Mio": "4"}, True),       # not usable, so nobody knows which identity it is
        ({"Mio": -1}, True),
        ({"Mio": True}, True),
        ({}, True),
        ("4", True),
        (None, True),
    ],
)
async def test_generations_come_by_name_or_beside_the_names(
    mio: Companion, generations: object, open_again: bool
) -> None:
    await mio.release("Mio", "t", generation=3, hold=True)
    body = {"resume_derived_task_names": ["Mio"], "resume_derived_task_generations": generations}
    await mio.client.post("/reload", json=body)
    assert (await mio.write("Mio") == "cached") is open_again


async def test_an_array_of_generations_stays_beside_names_that_are_left_out(mio: Companion) -> None:
    await mio.release("Mio", "t", generation=3, hold=True)
    body = {"resume_derived_task_names": [7, "CON", "Mio"], "resume_derived_task_generations": [9, 9, 3]}
    await mio.client.post("/reload", json=body)
    assert await mio.write("Mio") == "cancelled"


# --- The outcomes of the published matrix -----------------------------------------------------------------------


async def test_a_claim_stays_until_a_reload_names_it(mio: Companion) -> None:
    assert (await mio.release("Mio", "t", hold=True)).status_code == 200
    await mio.reload()
    await mio.reload(release={"Mio": ["another"]})
    await mio.reload(release={"Rin": ["t"]})
    assert await mio.write("Mio") == "cancelled"
    await mio.reload(release={"Mio": ["t"]})
    assert await mio.write("Mio") == "cached"


async def test_the_same_token_may_be_sent_again_while_it_is_active(mio: Companion) -> None:
    for _ in range(3):
        assert (await mio.release("Mio", "t", hold=True)).json()["status"] == "success"
    await mio.reload(release={"Mio": ["t"]})
    assert await mio.write("Mio") == "cached"


@pytest.mark.parametrize("seen", [True, False])
async def test_a_withdrawn_token_is_409_whether_it_is_late_or_a_replay(
    mio: Companion, engine: Engine, seen: bool
) -> None:
    if seen:
        await mio.release("Mio", "t", hold=True)
    await mio.reload(release={"Mio": ["t"]})
    assert await mio.write("Mio") == "cached"
    for _ in range(2):
        response = await mio.release("Mio", "t", hold=True)
        assert response.status_code == 409
        assert response.json().items() >= {"status": "cancelled", "character_name": "Mio"}.items()
    assert [space.name for space in engine.spaces.open_spaces] == ["Mio"]
    assert await mio.write("Mio", 2) == "cached"


@asynccontextmanager
async def in_use(engine: Engine, name: str = "Mio") -> AsyncIterator[asyncio.Event]:
    """Somebody uses the memory until the event is set."""
    done, began = asyncio.Event(), asyncio.Event()

    async def use() -> None:
        async with engine.spaces.use(name):
            began.set()
            await done.wait()

    using = asyncio.create_task(use())
    await began.wait()
    yield done
    done.set()
    await using


async def begun(engine: Engine, release: asyncio.Task[httpx2.Response]) -> None:
    """Until a release waits for whoever uses the memory."""
    while not engine.spaces.closing("Mio"):
        assert not release.done()
        await asyncio.sleep(0)


async def test_a_release_that_is_compensated_while_it_waits_closes_nothing(mio: Companion, engine: Engine) -> None:
    async with in_use(engine) as done:
        releasing = asyncio.create_task(mio.release("Mio", "t", hold=True))
        await begun(engine, releasing)
        await mio.reload(release={"Mio": ["t"]})        # does not wait for it
        done.set()
        response = await releasing
    assert (response.status_code, response.json()["status"]) == (409, "cancelled")
    assert [space.name for space in engine.spaces.open_spaces] == ["Mio"]
    assert await mio.write("Mio") == "cached"


async def test_a_release_that_takes_too_long_withdraws_its_own_claim(
    mio: Companion, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.lifecycle.BUDGET", 0.05)
    async with in_use(engine):
        response = await mio.release("Mio", "t", hold=True)
        assert response.status_code == 500
        assert response.json().items() >= {"status": "error", "character_name": "Mio"}.items()
        assert await mio.write("Mio") == "cached"
    assert (await mio.release("Mio", "t", hold=True)).status_code == 409
    assert (await mio.release("Mio", "another", hold=True)).status_code == 200


async def test_a_failed_release_reopens_only_if_nobody_else_holds_the_name(
    mio: Companion, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.lifecycle.BUDGET", 0.05)
    async with in_use(engine):
        engine.claims.register("Mio", "another", 1, hold=True)
        assert (await mio.release("Mio", "t", hold=True)).status_code == 500
        assert await mio.write("Mio") == "cancelled"
    await mio.reload(release={"Mio": ["another"]})
    assert await mio.write("Mio") == "cached"


async def test_a_disk_that_refuses_the_last_save_is_500_and_loses_nothing(open_engine: OpenEngine) -> None:
    full = False

    def refuse(point: str) -> None:
        if full and point.startswith(("save", "stamp")):
            raise OSError(28, "No space left on device")

    engine = await open_engine(disk=Disk(refuse))
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        companion = Companion(client)
        await companion.write("Mio")
        full = True
        response = await companion.release("Mio", "t", hold=True)
        assert (response.status_code, response.json()["status"]) == (500, "error")
        full = False
        assert "question 1" in await companion.history("Mio")
        assert await companion.write("Mio", 2) == "cached"
        assert (await companion.release("Mio", "u", hold=True)).status_code == 200


async def test_two_operations_on_one_name_reopen_it_only_when_both_are_over(mio: Companion) -> None:
    first, second = await asyncio.gather(
        mio.release("Mio", "a", hold=True), mio.release("Mio", "b", generation=2, hold=True)
    )
    assert (first.status_code, second.status_code) == (200, 200)
    await mio.reload(release={"Mio": ["a"]})
    assert await mio.write("Mio") == "cancelled"
    await mio.reload(release={"Mio": ["b"]})
    assert await mio.write("Mio") == "cached"


async def test_publishing_an_identity_keeps_the_claims_made_on_it(mio: Companion) -> None:
    await mio.release("Mio", "old", generation=4, hold=True)
    await mio.release("Mio", "new", generation=5, hold=True)
    await mio.reload(resume={"Mio": 5})
    assert await mio.write("Mio") == "cancelled"
    await mio.reload(resume={"Mio": 6})
    assert await mio.write("Mio") == "cached"


async def test_without_hold_writing_goes_on_and_background_work_does_not(mio: Companion, engine: Engine) -> None:
    assert (await mio.release("Mio", "t")).status_code == 200
    assert await mio.write("Mio", 1) == "cached"
    assert "question 1" in await mio.history("Mio")
    async with engine.spaces.use("Mio") as space:
        await engine.worker.perform_all(space)
        assert len(space.outbox.pending) == 1           # still owed
        await mio.reload(release={"Mio": ["t"]})
        await engine.worker.perform_all(space)
        assert len(space.outbox.pending) == 0


async def test_with_hold_nothing_is_admitted(mio: Companion) -> None:
    await mio.release("Mio", "t", hold=True)
    for path in ("/cache", "/process", "/renew", "/settle", "/reflect"):
        response = await mio.client.post(f"{path}/Mio", json=history(exchange(1)))
        assert (response.status_code, response.json()["status"]) == (409, "cancelled")
    response = await mio.client.post("/record_surfaced/Mio", json={"reflection_ids": ["x"]})
    assert (response.status_code, response.json()) == (200, {"ok": True})
    assert (await mio.client.get("/new_dialog/Mio")).text == ""


async def test_after_a_restart_nobody_holds_anything_and_a_late_reload_does_no_harm(
    mio: Companion, engine: Engine, open_engine: OpenEngine
) -> None:
    await mio.release("Mio", "t", hold=True)
    await engine.close()
    async with client_of(Service(instance_id="x", engine=await open_engine())) as client:
        again = Companion(client)
        assert await again.write("Mio") == "cached"
        await again.reload(release={"Mio": ["t"]})
        assert await again.write("Mio", 2) == "cached"


async def test_four_thousand_withdrawals_are_remembered(mio: Companion) -> None:
    await mio.reload(release={"Mio": ["first", *(str(number) for number in range(WITHDRAWN_KEPT - 1))]})
    assert (await mio.release("Mio", "first")).status_code == 409
    await mio.reload(release={"Mio": ["one more"]})
    assert (await mio.release("Mio", "0")).status_code == 200           # the one nobody asked for longest
    assert (await mio.release("Mio", "first")).status_code == 409


# --- Whoever was admitted before ----------------------------------------------------------------------------------


async def test_a_request_admitted_before_the_hold_may_finish(mio: Companion, engine: Engine) -> None:
    async with in_use(engine) as done:
        releasing = asyncio.create_task(mio.release("Mio", "t", hold=True))
        await begun(engine, releasing)
        assert await mio.write("Mio") == "cancelled"
        # Whoever has the memory writes on.
        space = engine.spaces.open_spaces[0]
        async with space.journal.write() as batch:
            batch.add("work.noted", {})
        done.set()
        assert (await releasing).status_code == 200
    assert engine.spaces.open_spaces == []


async def test_a_summary_under_way_is_given_up_for_a_release(open_engine: OpenEngine, root: Path) -> None:
    chat = ScriptedChat(json.dumps({"summary": "never"}), gate=asyncio.Event())
    engine = await open_engine(chat=chat, summary_wait=60.0)
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        companion = Companion(client)
        for number in range(15):
            await companion.write("Mio", number)
        settling = asyncio.create_task(client.post("/settle/Mio", json=history([])))
        await asyncio.wait_for(chat.waiting.wait(), 10)
        waiting = asyncio.create_task(client.get("/new_dialog/Mio"))
        assert (await companion.release("Mio", "t", hold=True)).status_code == 200
        assert (await settling).json() == {"status": "settled"}      # with excerpts in its place
        assert (await waiting).status_code == 200
        shutil.rmtree(root / MIO)
        chat_gate = chat.waiting
        chat_gate.set()
        await asyncio.sleep(0.05)
        assert not (root / MIO).exists()


async def test_owed_work_under_way_is_stopped_counted_and_still_owed(open_engine: OpenEngine, root: Path) -> None:
    gate = asyncio.Event()
    chat = ScriptedChat(json.dumps({"summary": "They spoke."}), gate=gate)
    engine = await open_engine(chat=chat, summary_wait=0.01, background=True)
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        companion = Companion(client)
        for number in range(15):
            await companion.write("Mio", number)
        await client.post("/settle/Mio", json=history([]))      # owes the summary
        engine.clock.advance(60)  # type: ignore[attr-defined]
        chat.waiting.clear()
        engine.worker.resume("Mio")
        engine.clock.advance(60)  # type: ignore[attr-defined]
        engine.worker.resume("Rin")     # wakes it
        await asyncio.wait_for(chat.waiting.wait(), 10)
        response = await companion.release("Mio", "t", hold=True)
        assert (response.status_code, response.json()["cancelled_derived_tasks"]) == (200, 1)
        gate.set()
        await companion.reload(release={"Mio": ["t"]})
        async with engine.spaces.use("Mio") as space:
            assert "summarise_recent" in {op.kind for op in space.outbox.pending.values()}


# --- The sequences that the companion really performs ---------------------------------------------------------------


async def test_create(companion: Companion, root: Path) -> None:
    configure(root, "Mio")
    await companion.reload(resume={"Mio": 1})
    assert await companion.write("Mio") == "cached"


async def test_create_over_a_name_that_was_deleted(mio: Companion, root: Path, engine: Engine) -> None:
    await mio.release("Mio", "t", generation=1, hold=True)
    shutil.rmtree(root / MIO)
    configure(root)
    await mio.reload()
    assert "Mio" in engine.tombstones
    configure(root, "Mio")
    await mio.reload(resume={"Mio": 2})
    assert await mio.write("Mio", 5) == "cached"
    assert "question 0" not in await mio.history("Mio")
    assert "Mio" not in engine.tombstones


async def test_rename(mio: Companion, root: Path) -> None:
    await mio.release("Mio", "t", generation=1, hold=True)
    (root / MIO).rename(root / "memory" / "Rin")
    configure(root, "Rin")
    await mio.reload(resume={"Rin": 2})
    assert await mio.write("Rin", 1) == "cached"
    shown = await mio.history("Rin")
    assert "question 0" in shown
    assert "question 1" in shown
    # The old name stays closed on purpose, whatever else is reloaded.
    await mio.reload()
    await mio.reload(resume={"Rin": 2})
    assert await mio.write("Mio", 2) == "cancelled"
    assert not (root / MIO).exists()


async def test_the_work_a_renamed_memory_owes_is_taken_up(mio: Companion, root: Path, engine: Engine) -> None:
    await mio.release("Mio", "t", generation=1, hold=True)
    (root / MIO).rename(root / "memory" / "Rin")
    configure(root, "Rin")
    await mio.reload(resume={"Rin": 2})
    assert not engine.worker.idle


async def test_delete(mio: Companion, root: Path) -> None:
    await mio.release("Mio", "t", generation=1, hold=True)
    shutil.rmtree(root / MIO)
    configure(root)
    await mio.reload()
    await mio.reload(resume={"Rin": 2})
    assert await mio.write("Mio") == "cancelled"
    assert (await mio.client.get("/new_dialog/Mio")).text == ""
    assert everything_under(root / "memory") == []


async def test_a_deleted_name_stays_closed_over_a_restart_until_it_is_published(
    mio: Companion, root: Path, engine: Engine, open_engine: OpenEngine
) -> None:
    await mio.release("Mio", "t", generation=1, hold=True)
    shutil.rmtree(root / MIO)
    configure(root)
    await mio.reload()
    await engine.close()
    async with client_of(Service(instance_id="x", engine=await open_engine())) as client:
        again = Companion(client)
        assert await again.write("Mio") == "cancelled"
        assert await again.write("Rin") == "cached"     # an unknown name nobody deleted
        assert not (root / MIO).exists()
        configure(root, "Mio")
        await again.reload(resume={"Mio": 1})
        assert await again.write("Mio") == "cached"


async def test_a_name_put_back_by_hand_is_open_again(
    mio: Companion, root: Path, engine: Engine, open_engine: OpenEngine
) -> None:
    await mio.release("Mio", "t", generation=1, hold=True)
    shutil.copytree(root / MIO, root / "kept")
    shutil.rmtree(root / MIO)
    configure(root)
    await mio.reload()
    await engine.close()
    (root / "kept").rename(root / MIO)
    async with client_of(Service(instance_id="x", engine=await open_engine())) as client:
        assert await Companion(client).write("Mio") == "cached"


async def test_a_rename_or_delete_that_fails_is_taken_back(mio: Companion, root: Path) -> None:
    await mio.release("Mio", "t", generation=1, hold=True)
    (root / MIO).rename(root / "aside")
    (root / "aside").rename(root / MIO)
    await mio.reload(release={"Mio": ["t"]})
    assert await mio.write("Mio") == "cached"
    assert "question 0" in await mio.history("Mio")


async def test_a_release_that_failed_is_compensated_and_may_not_arrive_any_more(mio: Companion) -> None:
    await mio.reload(release={"Mio": ["t"]})
    assert (await mio.release("Mio", "t", hold=True)).status_code == 409
    assert await mio.write("Mio") == "cached"


async def test_a_download_over_a_character(mio: Companion, root: Path, engine: Engine) -> None:
    """Files are replaced under a claim without hold; the identity and the claim come in one reload."""
    await mio.write("Rin", 7)
    await mio.release("Rin", "r", hold=True)
    await mio.release("Mio", "t", generation=3)
    shutil.rmtree(root / MIO)
    shutil.copytree(root / "memory" / "Rin", root / MIO)
    await mio.reload(resume={"Mio": 4}, release={"Mio": ["t"]})
    shown = await mio.history("Mio")
    assert "question 7" in shown
    assert "question 0" not in shown
    assert await mio.write("Mio", 8) == "cached"
    assert not engine.claims.retired("Mio")


async def test_a_download_over_a_character_that_was_used_meanwhile(mio: Companion, root: Path) -> None:
    await mio.write("Rin", 7)
    await mio.release("Rin", "r", hold=True)
    await mio.release("Mio", "t", generation=3)
    assert "question 0" in await mio.history("Mio")     # opens it again, as it may
    shutil.rmtree(root / MIO)
    shutil.copytree(root / "memory" / "Rin", root / MIO)
    await mio.reload(resume={"Mio": 4}, release={"Mio": ["t"]})
    shown = await mio.history("Mio")
    assert "question 7" in shown
    assert "question 0" not in shown


@pytest.mark.parametrize("used", [False, True])
async def test_files_that_are_half_in_place_are_not_opened_before_the_claim_ends(
    mio: Companion, root: Path, engine: Engine, used: bool
) -> None:
    await mio.write("Rin", 7)
    await mio.release("Rin", "r", hold=True)
    await mio.release("Mio", "t", generation=3)
    if used:
        assert await mio.write("Mio", 1) == "cached"
    shutil.rmtree(root / MIO)
    (root / MIO).mkdir()
    source = (root / "memory" / "Rin" / "events.ndjson").read_bytes()
    (root / MIO / "events.ndjson").write_bytes(source[: len(source) // 2])
    half = everything_under(root / MIO)
    for _ in range(2):
        assert await mio.write("Mio", 2) == "cancelled"
        assert "question" not in await mio.history("Mio")
    await asyncio.sleep(0.1)        # whatever was still to be saved
    assert everything_under(root / MIO) == half
    assert (root / MIO / "events.ndjson").read_bytes() == source[: len(source) // 2]
    shutil.copytree(root / "memory" / "Rin", root / MIO, dirs_exist_ok=True)
    await mio.reload(resume={"Mio": 4}, release={"Mio": ["t"]})
    assert "question 7" in await mio.history("Mio")
    assert await mio.write("Mio", 3) == "cached"


async def test_nothing_is_added_to_a_journal_that_somebody_else_put_there(mio: Companion, root: Path) -> None:
    """Also without any claim: the write is refused, and the next one goes to what is there."""
    await mio.write("Rin", 7)
    await mio.release("Rin", "r", hold=True)
    other = (root / "memory" / "Rin" / "events.ndjson").read_bytes()
    journal = root / MIO / "events.ndjson"
    journal.unlink()
    journal.write_bytes(other)
    assert await mio.write("Mio", 1) == "cancelled"
    assert journal.read_bytes() == other


async def test_a_claimed_directory_that_went_away_is_forgotten_by_a_reload(
    mio: Companion, root: Path, engine: Engine
) -> None:
    """As when a subscription ends while the character is still being talked with."""
    await mio.release("Mio", "t", generation=1)
    assert await mio.write("Mio", 1) == "cached"
    shutil.rmtree(root / MIO)
    configure(root)
    await mio.reload(release={"Mio": ["t"]})
    assert await mio.write("Mio", 2) == "cancelled"
    assert not (root / MIO).exists()
    assert not engine.spaces.exists("Mio")


async def test_a_release_repeated_after_the_character_was_used_knows_its_files(mio: Companion) -> None:
    for number in range(3):
        assert (await mio.release("Mio", "t", generation=1)).status_code == 200
        assert await mio.write("Mio", number) == "cached"


async def test_a_download_that_is_given_up(mio: Companion) -> None:
    await mio.release("Mio", "t", generation=3)
    await mio.reload(release={"Mio": ["t"]})
    assert await mio.write("Mio") == "cached"
    assert "question 0" in await mio.history("Mio")


async def test_several_characters_are_unsubscribed_from(companion: Companion, root: Path) -> None:
    names = ["Mio", "Rin", "Sei"]
    configure(root, *names)
    for name in names:
        await companion.write(name)
    responses = await asyncio.gather(*(companion.release(name, f"token {name}") for name in names))
    assert [response.status_code for response in responses] == [200] * 3
    for name in names[:2]:
        shutil.rmtree(root / "memory" / name)
    configure(root, "Sei")
    body = {name: [f"token {name}"] for name in names}
    for _ in range(3):      # retried in the background when it seems to have failed
        await companion.reload(release=body)
    assert await companion.write("Sei", 2) == "cached"
    # The two are gone, and a late turn of theirs does not bring them back.
    assert [await companion.write(name, 2) for name in names[:2]] == ["cancelled", "cancelled"]
    assert [path.name for path in (root / "memory").iterdir()] == ["Sei"]


async def test_a_character_of_an_illegal_name_is_deleted_without_a_release(mio: Companion, root: Path) -> None:
    illegal = root / "memory" / "a:b"
    illegal.mkdir()
    response = await mio.release("a:b", "t", hold=True)
    assert (response.status_code, response.json()["character_name"]) == (400, "a:b")
    shutil.rmtree(illegal)
    await mio.reload()
    assert await mio.write("Mio") == "cached"


async def test_a_caller_that_is_cancelled_compensates_once_its_release_is_over(
    mio: Companion, engine: Engine
) -> None:
    async with in_use(engine) as done:
        releasing = asyncio.create_task(mio.release("Mio", "t", hold=True))
        await begun(engine, releasing)
        done.set()
        assert (await releasing).status_code == 200
    await mio.reload(release={"Mio": ["t"]})
    assert await mio.write("Mio") == "cached"


async def test_an_illegal_or_unknown_name_among_others_keeps_none_of_them_closed(mio: Companion) -> None:
    await mio.release("Mio", "t", hold=True)
    await mio.reload(release={"CON": ["x"], "Nobody": ["y"], "Mio": ["t"]})
    assert await mio.write("Mio") == "cached"


# --- Out of order, and all at once ----------------------------------------------------------------------------------


async def test_a_compensation_that_overtakes_its_release_leaves_the_name_open(mio: Companion, engine: Engine) -> None:
    """Whatever order the two arrive in, and however often the release is retried."""
    for number in range(20):
        token = f"t{number}"
        releases = [asyncio.create_task(mio.release("Mio", token, hold=True)) for _ in range(3)]
        if number % 2:
            await asyncio.sleep(0)
        await mio.reload(release={"Mio": [token]})
        statuses = {(await release).status_code for release in releases}
        assert statuses <= {200, 409}
        assert engine.claims.names() == []
        assert await mio.write("Mio", number) == "cached"


async def test_a_late_reload_does_not_reopen_a_name_under_a_newer_operation(mio: Companion) -> None:
    await mio.release("Mio", "first", generation=1, hold=True)
    await mio.release("Mio", "second", generation=2, hold=True)
    await mio.reload(release={"Mio": ["first"]})
    await mio.reload(resume={"Mio": 2})         # the first operation's, arriving late
    assert await mio.write("Mio") == "cancelled"
    await mio.reload(release={"Mio": ["second"]})
    assert await mio.write("Mio") == "cached"


async def test_many_operations_and_turns_at_once_lose_nothing_and_leave_nothing_closed(
    companion: Companion, engine: Engine
) -> None:
    kept: dict[str, list[int]] = {"Mio": [], "Rin": [], "Sei": []}

    async def talk(name: str, start: int) -> None:
        for number in range(start, start + 20):
            if await companion.write(name, number) == "cached":
                kept[name].append(number)
            await asyncio.sleep(0)

    async def administer(name: str, worker: int) -> None:
        for number in range(8):
            token = f"{name} {worker} {number}"
            response = await companion.release(name, token, generation=number, hold=number % 2 == 0)
            assert response.status_code == 200
            if number % 3 == 0:
                await companion.reload()
            await companion.reload(release={name: [token]})

    await asyncio.gather(
        *(talk(name, 100 * place) for name in kept for place in range(3)),
        *(administer(name, worker) for name in kept for worker in range(2)),
    )
    assert engine.claims.names() == []
    for name, numbers in kept.items():
        async with engine.spaces.use(name) as space:
            found = [turn.text for turn in await space.turns.after(0, 10_000) if turn.text.startswith("question")]
        assert sorted(found) == sorted(f"question {number}" for number in numbers)


async def test_a_directory_deleted_right_after_its_release_stays_deleted(open_engine: OpenEngine, root: Path) -> None:
    """Under load, with background work; the benchmark of the same name does it two hundred times."""
    engine = await open_engine(background=True, save_delay=0.0)
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        companion = Companion(client)
        for number in range(6):
            stop = asyncio.Event()

            async def load(stop: asyncio.Event = stop) -> None:
                for turn in range(10_000):
                    await asyncio.sleep(0)      # a refused write has nothing to wait for
                    if stop.is_set():
                        return
                    await companion.write("Mio", turn)
                    await client.get("/new_dialog/Mio")
                    await client.post("/query_memory/Mio", json={"query": "question", "tiers": ["fact", "turn"]})

            loads = [asyncio.create_task(load()) for _ in range(3)]
            assert await companion.write("Mio", 20_000) == "cached"
            engine.worker.resume("Mio")
            await asyncio.sleep(0.01)
            token = f"t{number}"
            assert (await companion.release("Mio", token, generation=number, hold=True)).status_code == 200
            shutil.rmtree(root / MIO)
            await asyncio.sleep(0.02)
            assert not (root / MIO).exists()
            await companion.reload()
            assert await companion.write("Mio") == "cancelled"
            stop.set()
            await asyncio.gather(*loads)
            assert not (root / MIO).exists()
            await companion.reload(resume={"Mio": number + 1})


# --- Reload ---------------------------------------------------------------------------------------------------------


async def test_a_reload_takes_in_what_changed_on_disk(mio: Companion, root: Path, engine: Engine) -> None:
    async with engine.spaces.use("Mio") as space:
        await space.save()
    rows = json.loads((root / MIO / "recent.json").read_bytes())
    rows[0]["data"]["content"] = "an edited question"
    (root / MIO / "recent.json").write_text(json.dumps(rows))
    configure(root, "Mio", master="Alex")
    await mio.reload()
    assert "Alex | an edited question" in await mio.history("Mio")


async def test_a_reload_that_fails_changes_nothing_but_the_claims(mio: Companion, root: Path) -> None:
    configure(root, "Mio", master="Alex")
    assert "Alex | question 0" in await mio.history("Mio")
    await mio.release("Mio", "t", generation=1, hold=True)
    (root / "config" / "characters.json").write_text("{ half of a file")
    body = {"release_derived_task_claims": {"Mio": ["t"]}}
    response = await mio.client.post("/reload", json=body)
    assert (response.status_code, response.json()["status"]) == (200, "error")
    assert "characters.json" in response.json()["message"]
    assert "Alex | question 0" in await mio.history("Mio")
    assert await mio.write("Mio") == "cached"


async def test_one_memory_that_cannot_be_read_again_fails_the_reload_and_none_but_itself(
    mio: Companion, root: Path
) -> None:
    configure(root, "Mio", "Rin")
    await mio.write("Rin", 7)
    journal = root / MIO / "events.ndjson"
    journal.rename(root / "kept")
    journal.mkdir()
    (root / "memory" / "Rin" / "recent.json").write_text('[{"type": "human", "data": {"content": "edited"}}]')
    response = await mio.client.post("/reload")
    assert (response.status_code, response.json()["status"]) == (200, "error")
    assert "edited" in await mio.history("Rin")
    assert await mio.write("Mio", 1) == "error"
    journal.rmdir()
    (root / "kept").rename(journal)
    await mio.reload()
    assert await mio.write("Mio", 1) == "cached"
    assert "question 0" in await mio.history("Mio")
