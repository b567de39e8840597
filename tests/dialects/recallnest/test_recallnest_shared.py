"""A character is one memory, whoever speaks to it; and scopes live beside the characters."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from memory.facts.ageing import age
from memory.store import layout
from tests.conftest import Perform
from tests.dialects.recallnest.nest import DEMO, Nest

MIO = "character:Mio"


async def say(nest: Nest, text: str, name: str = "Mio") -> None:
    body = {"input_history": f'[{{"role": "user", "content": "{text}"}}]'}
    answer = await nest.client.post(f"/cache/{name}", json=body)
    assert answer.json()["status"] == "cached"


async def query(nest: Nest, text: str, name: str = "Mio") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (await nest.client.post(f"/query_memory/{name}", json={"query": text})).json()[
        "results"
    ]
    return rows


async def test_what_is_stored_for_a_character_is_recalled_by_the_companion(nest: Nest) -> None:
    await nest.store("User prefers green tea without sugar", MIO, category="preferences", importance=0.9)
    found = await query(nest, "green tea")
    assert [(row["text"], row["tier"], row["entity"]) for row in found] == [
        ("User prefers green tea without sugar", "fact", "master")
    ]
    dialog = (await nest.client.get("/new_dialog/Mio")).text
    assert "User prefers green tea without sugar" in dialog


async def test_what_the_companion_learnt_is_evidence_here(nest: Nest, perform: Perform) -> None:
    await say(nest, "I live in Berlin and I love ramen.")
    await perform("Mio", times=2)
    found = (await nest.post("/v1/recall", {"query": "Berlin", "scope": MIO}))["results"]
    assert found[0]["scope"] == MIO
    assert found[0]["boundary"] == {
        "layer": "evidence",
        "authority": "transcript-ingest",
        "conflictPolicy": "append-only",
        "originalCategory": "profile",
        "downgradedFrom": "profile",
    }
    # Who somebody is, told in passing, counts as an event until it is promoted.
    assert (found[0]["category"], found[0]["canonicalKey"], found[0]["source"]) == ("events", None, "conversation")
    stats = await nest.get("/v1/stats")
    assert stats["byScope"][MIO] == stats["totalMemories"] >= 2


async def test_what_the_companion_learnt_can_be_promoted(nest: Nest, perform: Perform) -> None:
    await say(nest, "I live in Berlin.")
    await perform("Mio", times=2)
    source = (await nest.post("/v1/recall", {"query": "Berlin", "scope": MIO}))["results"][0]
    body = {"memoryId": source["id"], "scope": MIO, "text": "User lives in Berlin"}
    answer = await nest.post("/v1/promote", body)
    assert (answer["disposition"], answer["category"], answer["sourceCategory"]) == ("promoted", "profile", "events")
    assert answer["sourceMemoryId"] == source["id"]
    resumed = await nest.post("/v1/resume", {"scope": MIO})
    assert resumed["stableContext"] == ["Profile: User lives in Berlin"]


async def test_what_the_user_took_back_is_found_no_more(nest: Nest, perform: Perform) -> None:
    await say(nest, "I live in Berlin.")
    await perform("Mio", times=2)
    nest.clock.advance(3600)
    await say(nest, "I moved to Madrid, I live in Madrid now.")
    await perform("Mio", times=2)
    texts = await nest.texts("where does the user live Berlin Madrid", MIO)
    assert any("Madrid" in text for text in texts)
    assert not any("Berlin" in text for text in texts)


async def test_a_stored_memory_never_ages_into_the_archive(nest: Nest, perform: Perform) -> None:
    await nest.store("User prefers green tea", MIO, category="preferences")
    async with nest.engine.spaces.use("Mio") as space:
        (fact,) = space.facts
        async with space.journal.write() as batch:
            batch.add("fact.absorbed", {"ids": [fact.id]})
        nest.clock.advance(timedelta(days=400).total_seconds())
        await age(space)
        assert [one.id for one in space.facts] == [fact.id]
    assert await nest.texts("green tea", MIO) == ["User prefers green tea"]


async def test_the_same_said_in_talk_does_not_replace_what_was_stored(nest: Nest, perform: Perform) -> None:
    stored = await nest.store("I love ramen.", MIO, category="preferences")
    await say(nest, "I love ramen.")
    await perform("Mio", times=3)
    memory = (await nest.get(f"/v1/memories/{stored['id']}"))["memory"]
    assert (memory["text"], memory["boundary"]["layer"]) == ("I love ramen.", "durable")


async def test_a_characters_name_is_spelled_exactly(nest: Nest) -> None:
    await nest.store("User likes tea", "character:Mio")
    assert await nest.texts("tea", "character:mio") == []
    assert await nest.texts("tea", "Character:Mio") == ["User likes tea"]


async def test_a_name_that_no_character_may_have_is_no_scope(nest: Nest) -> None:
    for name in ("character:a/b", "character:", "character:api", "character:" + "x" * 51):
        assert "error" in await nest.post("/v1/store", {"text": "x y", "scope": name}, status=400)


async def test_scopes_are_directories_of_their_own_beside_the_characters(nest: Nest) -> None:
    await nest.store("User likes tea", DEMO)
    await nest.store("User likes tea", MIO)
    root = nest.engine.settings.data_root
    assert nest.engine.spaces.names() == ["Mio"]
    (directory,) = layout.scopes_directory(root).iterdir()
    assert directory.name.startswith("project-demo-")
    async with nest.engine.spaces.use(nest.engine.spaces.scopes()[0]) as space:
        await space.flush()
        assert space.views.scope.value == {"dialect": "recallnest", "owner": "", "name": DEMO}


async def test_a_session_has_a_directory_only_once_a_memory_is_stored_in_it(nest: Nest) -> None:
    await nest.post("/v1/checkpoint", {"sessionId": "s1", "summary": "x"})
    await nest.post("/v1/resume", {"sessionId": "s1"})
    await nest.post("/v1/recall", {"query": "x y", "sessionId": "s1"})
    await nest.post("/v1/workflow-observe", {"workflowId": "w", "summary": "s", "scope": "session:s1"})
    assert nest.engine.spaces.scopes() == ["@checkpoints"]
    await nest.store("Docker", "session:s1")
    assert len(nest.engine.spaces.scopes()) == 2


async def test_the_companions_conversation_is_no_memory_of_this_dialect(nest: Nest) -> None:
    await say(nest, "Nice weather is what we have today")
    assert await nest.texts("weather", MIO) == []
