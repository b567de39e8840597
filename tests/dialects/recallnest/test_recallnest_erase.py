"""Erasing what was stored: from every file, with its earlier versions, its conflicts and the questions about it."""

from __future__ import annotations

from typing import Any

from memory.erase import find
from memory.scopes import read_scope
from memory.sessions.view import KEPT
from memory.space import MemorySpace
from tests.dialects.recallnest.nest import DEMO, Nest
from tests.memory.remembered import grep

NAME = "Zanzibar"


async def forget(nest: Nest, **fields: Any) -> Any:
    body = {"name": read_scope(DEMO).space, **fields}
    answer = await nest.client.post("/internal/owner/forget", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def find_in(space: MemorySpace, own: str) -> tuple[Any, ...]:
    return (await find(space, ids=[own])).items


async def test_a_text_goes_with_versions_conflicts_and_questions(nest: Nest) -> None:
    await nest.store(f"User was born in {NAME}", category="profile", canonicalKey="birthplace")
    await nest.store("User was born in Porto", category="profile", canonicalKey="birthplace")
    await nest.store(f"A team called {NAME}", category="entities", canonicalKey="birthplace")
    await nest.store("The parser is slow", category="entities", canonicalKey="parser")
    await nest.texts(f"who was born in {NAME}")
    await nest.engine.queries.write()
    receipt = await forget(nest, match=NAME)
    assert receipt["elsewhere"] == []
    await nest.engine.close()
    assert grep(nest.engine.settings.data_root, NAME) == []
    assert "The parser is slow" in (
        nest.engine.spaces.directory(read_scope(DEMO).space) / "facts.json"
    ).read_text(encoding="utf-8")


async def test_a_memory_erased_by_id_takes_its_history_along(nest: Nest) -> None:
    stored = await nest.store(f"The db in {NAME} is MySQL", category="entities", canonicalKey="db")
    await nest.store("The db is Postgres", category="entities", canonicalKey="db")
    await nest.store("The db of the user", category="profile", canonicalKey="db")
    await forget(nest, ids=[f"fact_{stored['id'].replace('-', '')}"])
    assert await nest.texts("db") == []
    assert (await nest.get("/v1/conflicts"))["count"] == 0
    assert (await nest.get("/v1/stats"))["totalMemories"] == 0
    assert grep(nest.engine.spaces.directory(read_scope(DEMO).space), NAME) == []
    # The key is free again.
    assert (await nest.store("The db is new", category="profile", canonicalKey="db"))["disposition"] == "stored"


async def test_a_deleted_character_leaves_no_checkpoint(nest: Nest) -> None:
    await nest.store("User likes tea", "character:Mio")
    for session, scope in (("s1", "character:Mio"), ("s2", DEMO)):
        await nest.post("/v1/checkpoint", {"sessionId": session, "scope": scope, "summary": f"{session} in {NAME}"})
    answer = await nest.client.post("/internal/owner/character_delete", json={"name": "Mio"})
    assert answer.status_code == 200, answer.text
    assert (await nest.get("/v1/checkpoint/latest", sessionId="s1"))["checkpoint"] is None
    assert (await nest.get("/v1/checkpoint/latest", sessionId="s2"))["checkpoint"]["summary"] == f"s2 in {NAME}"
    async with nest.engine.spaces.use("@checkpoints") as space:
        await space.flush()
        assert b"s1 in" not in b"".join(path.read_bytes() for path in space.directory.iterdir() if path.is_file())


async def test_checkpoints_that_are_no_longer_kept_go_too(nest: Nest) -> None:
    await nest.store("User likes tea", "character:Mio")
    ids = []
    for number in range(KEPT + 2):
        body = {"sessionId": "s1", "scope": "character:Mio", "summary": f"Step {number} in {NAME}"}
        ids.append((await nest.post("/v1/checkpoint", body))["checkpointId"])
        nest.clock.advance(60)
    await nest.post("/v1/checkpoint", {"sessionId": "s2", "scope": DEMO, "summary": "The parser"})
    async with nest.engine.spaces.use("@checkpoints") as space:
        assert len(space.views.checkpoints) == KEPT + 1
        assert len(await find_in(space, f"checkpoint_{ids[0].replace('-', '')}")) == 0  # no view knows its text
    await nest.client.post(
        "/internal/owner/forget", json={"name": "@checkpoints", "ids": [f"checkpoint_{ids[0].replace('-', '')}"]}
    )
    async with nest.engine.spaces.use("@checkpoints") as space:
        assert b"Step 0 " not in b"".join(path.read_bytes() for path in space.directory.iterdir() if path.is_file())
    answer = await nest.client.post("/internal/owner/character_delete", json={"name": "Mio"})
    assert answer.status_code == 200, answer.text
    await nest.engine.close()
    assert grep(nest.engine.settings.data_root, NAME) == []
