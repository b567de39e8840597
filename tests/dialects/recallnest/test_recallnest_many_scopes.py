"""Questions about very many scopes, most of which are closed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from memory.scopes import read_scope
from memory.shelves import Shelves
from memory_server.service import Service
from tests.conftest import OpenEngine, client_of
from tests.dialects.recallnest.nest import DEMO, Nest
from tests.fakes import FixedClock

MANY = 70       # more than are searched as one pool
MIO = "character:Mio"


@pytest.fixture
async def crowded(open_engine: OpenEngine, clock: FixedClock) -> AsyncIterator[Nest]:
    """Of whose spaces only four may be open."""
    engine = await open_engine(open_spaces=4)
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        yield Nest(client, engine, clock)


async def closed(nest: Nest, scope: str) -> str:
    """Close the space of a scope; its name."""
    space = read_scope(scope).space
    await nest.engine.spaces.put_away(space)
    assert not nest.engine.spaces.is_open(space)
    return space


async def test_the_best_of_all_are_told_and_the_same_again_when_they_are_closed(crowded: Nest) -> None:
    for number in range(MANY):
        text = f"Docker of team {number} restarts" if number % 10 else f"Docker of team {number} restarts nightly"
        await crowded.store(text, f"project:{number:02}", category="entities")
        crowded.clock.advance(60)
    question = {"query": "docker restarts nightly", "limit": 20}
    first = await crowded.post("/v1/search", question)
    assert first["count"] >= MANY / 10
    scores = [row["score"] for row in first["results"]]
    assert scores == sorted(scores, reverse=True)
    # The seven that say all of it come first, from whichever pool they are.
    assert {row["scope"] for row in first["results"][:7]} == {f"project:{number:02}" for number in range(0, MANY, 10)}
    assert await crowded.post("/v1/search", question) == first
    assert len(crowded.engine.spaces.open_spaces) <= 8
    alone = await crowded.post("/v1/recall", {"query": "docker restarts", "scope": "project:31"})
    assert [row["text"] for row in alone["results"]] == ["Docker of team 31 restarts"]


async def test_a_window_without_a_scope_is_told_the_weightiest_of_all_user_scopes(crowded: Nest) -> None:
    for number in range(MANY):
        importance = 0.9 if number == 66 else 0.5
        await crowded.store(f"User has habit {number}", f"agent:{number:02}", category="profile", importance=importance)
    answer = await crowded.post("/v1/resume", {"limitPerSection": 1})
    assert answer["stableContext"] == ["Profile: User has habit 66"]


async def test_topics_asked_for_in_vain_are_looked_up_in_all_scopes(crowded: Nest) -> None:
    for number in range(MANY):
        await crowded.store(f"Note {number} about nothing", f"project:{number:02}")
    for query in ("deploy rollback", "zebra herd"):
        for _ in range(2):
            await crowded.texts(query, None)
    assert (await crowded.get("/v1/gaps"))["count"] == 2
    await crowded.store("Zebra herd: see the wiki", "project:69", category="entities")
    assert [gap["topic"] for gap in (await crowded.get("/v1/gaps"))["gaps"]] == ["deploy rollback"]


async def test_what_holds_nothing_is_not_opened(nest: Nest) -> None:
    body = {"input_history": '[{"role": "user", "content": "Nice weather today"}]'}
    await nest.client.post("/cache/Mio", json=body)
    await nest.store("Docker here", DEMO)
    space = await closed(nest, MIO)
    assert await nest.texts("docker", None) == ["Docker here"]
    assert not nest.engine.spaces.is_open(space)


async def test_what_was_erased_or_deleted_is_found_nowhere(nest: Nest) -> None:
    for scope in (DEMO, MIO):
        await nest.store(f"Zanzibar of {scope}", scope)
    assert len(await nest.texts("zanzibar", None)) == 2
    space = await closed(nest, DEMO)
    await closed(nest, MIO)
    await nest.client.post("/internal/owner/forget", json={"name": space, "match": "Zanzibar"})
    await closed(nest, DEMO)
    await nest.client.post("/internal/owner/character_delete", json={"name": "Mio"})
    assert await nest.texts("zanzibar", None) == []
    assert await nest.texts("zanzibar", MIO) == []


async def test_what_is_held_is_not_told_from_memory(nest: Nest) -> None:
    await nest.store("Docker of Mio", MIO)
    await nest.texts("docker", None)
    await closed(nest, MIO)
    nest.engine.claims.register("Mio", "a-token", None, hold=True)
    answer = await nest.post("/v1/search", {"query": "docker"})
    assert (answer["results"], answer["unreadScopes"]) == ([], [MIO])


async def test_conflicts_of_closed_scopes_are_listed(nest: Nest) -> None:
    await nest.store("The owner", category="entities", canonicalKey="k")
    refused = await nest.store("Another", category="profile", canonicalKey="k")
    await nest.texts("owner")
    await closed(nest, DEMO)
    rows = (await nest.get("/v1/conflicts"))["conflicts"]
    assert [row["conflictId"] for row in rows] == [refused["conflictId"]]
    body = {"conflictId": refused["conflictId"], "resolution": "keep_existing"}
    await nest.post("/v1/conflicts/resolve", body)
    assert (await nest.get("/v1/conflicts"))["conflicts"][0]["status"] == "kept-existing"


async def test_no_more_is_kept_than_there_is_room_for(nest: Nest) -> None:
    shelves = Shelves(room=3)
    spaces: list[Any] = []
    for scope, count in ((DEMO, 2), ("project:b", 2), ("project:c", 1)):
        for number in range(count):
            await nest.store(f"Note {number}", scope, canonicalKey=f"k{number}")
        await nest.texts("note", scope)
        async with nest.engine.scoped.writing(read_scope(scope)) as space:
            spaces.append(space)
            assert shelves.left(space) == (scope != "project:b")    # two would be too many
    assert len(shelves) == 2
    shelves.opened(spaces[0])
    assert shelves.left(spaces[1]) is True
    await nest.store("Unseen", "project:c")
    assert shelves.left(spaces[2]) is False                         # changed since it was searched
