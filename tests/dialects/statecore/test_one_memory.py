"""One memory behind every dialect: what one takes in, the others find once; what one forgets, none shows."""

from __future__ import annotations

from typing import Any

from memory import characters
from memory.facts.learn import learn
from memory.funnel import count
from tests.dialects.neko.talk import assistant, history, user
from tests.dialects.statecore.conftest import MIA, Client, World
from tests.dialects.statecore.told import everything_told


async def cache(world: World, *said: dict[str, Any]) -> None:
    answer = await world.client(None).ask("POST", "/cache/Mia", history(said))
    assert answer.json() == {"status": "cached", "count": len(said)}


async def work(world: World) -> None:
    async with world.engine.spaces.use("Mia") as space:
        await world.engine.worker.perform_all(space)


async def asked(world: World, question: str, **more: Any) -> list[str]:
    answer = await world.client(None).ask("POST", "/query_memory/Mia", {"query": question, **more})
    return [hit["text"] for hit in answer.json()["results"]]


async def test_a_turn_that_the_companion_cached_is_an_event(world: World, me: Client) -> None:
    await cache(world, user("The ferry leaves at noon."), assistant("I will remember it."))
    found = (await me.retrieve(MIA))["events"]
    assert sorted(event["content"] for event in found) == ["I will remember it.", "The ferry leaves at noon."]
    best = (await me.retrieve(MIA, query="when does the ferry leave"))["events"][0]
    assert best["content"] == "The ferry leaves at noon."


async def test_an_event_is_found_by_the_companion_once_and_enters_no_conversation(world: World, me: Client) -> None:
    await cache(world, user("Hello."))
    await me.event(MIA, "The ferry leaves at noon.")
    assert (await asked(world, "ferry", tiers=["turn"])).count("The ferry leaves at noon.") == 1
    dialog = await world.client(None).ask("GET", "/get_recent_history/Mia")
    assert "ferry" not in dialog.text


async def test_a_fact_that_a_conversation_taught_is_in_the_registry(world: World, me: Client) -> None:
    await cache(world, user("I like green tea."), assistant("So do I."))
    await work(world)
    (item,) = (await me.facts(MIA))["Style"]
    assert item["text"] == "The user likes green tea."
    found = await me.get(f"/memory/facts/{item['factId']}/provenance?scopeId={MIA}")
    assert [one["content"] for one in found["evidence"]] == ["I like green tea."]


async def test_a_note_is_recalled_by_the_others_and_once(world: World, me: Client) -> None:
    await cache(world, user("Hello."))
    await me.note(MIA, "The spare key hangs behind the clock.")
    await work(world)
    assert await asked(world, "Where is the spare key?") == ["The spare key hangs behind the clock."]
    answer = await world.client(None).ask("POST", "/v1/recall", {"query": "spare key", "scope": MIA})
    assert answer.text.count("behind the clock") >= 1
    async with world.engine.spaces.use("Mia") as space:
        assert [fact.text for fact in space.facts] == ["The spare key hangs behind the clock."]


async def test_what_an_agent_stored_is_in_the_registry(world: World, me: Client) -> None:
    await cache(world, user("Hello."))
    stored = {"text": "The user prefers window seats.", "category": "preferences", "scope": MIA}
    assert (await world.client(None).ask("POST", "/v1/store", stored)).status_code == 201
    assert [item["text"] for item in (await me.facts(MIA))["Style"]] == ["The user prefers window seats."]


async def test_a_later_version_of_an_agents_memory_is_told_with_its_chain(world: World, me: Client) -> None:
    await cache(world, user("Hello."))
    for text in ("The deploy key is blue.", "The deploy key is red."):
        body = {"text": text, "category": "entities", "scope": MIA, "canonicalKey": "deploy-key"}
        await world.client(None).ask("POST", "/v1/store", body)
        world.clock.advance(1)
    (item,) = (await me.facts(MIA))["People"]
    assert item["text"] == "The deploy key is red."
    chain = (await me.get(f"/memory/facts/{item['factId']}/provenance?scopeId={MIA}"))["chain"]
    assert [one["content"] for one in chain] == ["The deploy key is blue.", "The deploy key is red."]
    assert chain[0]["supersededBy"] == chain[1]["id"]


async def test_what_is_forgotten_is_gone_from_every_dialect_for_good(world: World) -> None:
    me = world.client()
    await cache(world, user("I like green tea."), assistant("Noted."), user("My cat is called Tama."))
    await work(world)
    assert "green tea" in await everything_told(world, "What tea does the user like?")
    fact_id = await me.forget(MIA, "The user likes green tea.")

    async def is_gone() -> None:
        told = await everything_told(world, "What does the user like to drink?")
        assert "green" not in told
        assert "Tama" in told

    await is_gone()
    await world.restart()
    await is_gone()
    async with world.engine.spaces.use("Mia") as space:     # the whole conversation is read once more
        async with space.journal.write() as batch:
            batch.add("cursor.moved", {"name": "extracted_row", "to": 0})
        await learn(space, world.engine.cast.names("Mia"))
        assert [fact.text for fact in space.facts if "tea" in fact.text] == []
    await is_gone()
    await world.restart()
    await is_gone()
    audit = await world.client().get(f"/memory/facts/{fact_id}/provenance?scopeId={MIA}")
    assert (audit["fact"]["content"], audit["fact"]["retiredReason"]) == ("The user likes green tea.", "forgotten")
    assert audit["evidence"] == []


async def test_a_reworded_version_does_not_come_back(world: World) -> None:
    me = world.client()
    await cache(world, user("I like green tea."))
    await work(world)
    await me.forget(MIA, "The user likes green tea.")
    await cache(world, user("I really like green tea!"))
    await work(world)
    assert [item["text"] for group in (await me.facts(MIA)).values() for item in group] == []


async def test_what_was_forgotten_may_be_noted_again_on_purpose(world: World) -> None:
    me = world.client()
    await cache(world, user("I like green tea."))
    await work(world)
    await me.forget(MIA, "The user likes green tea.")
    await me.note(MIA, "The user likes green tea.")
    assert [item["text"] for item in (await me.facts(MIA))["Notes"]] == ["The user likes green tea."]


async def test_a_forgotten_note_leaves_the_memo_and_the_window_alone(world: World, me: Client) -> None:
    await cache(world, user("The ferry leaves at noon."), assistant("Noted."))
    await me.note(MIA, "The spare key hangs behind the clock.")
    await me.forget(MIA, "The spare key hangs behind the clock.")
    assert await asked(world, "Where is the spare key?") == []
    assert "ferry" in (await world.client(None).ask("GET", "/new_dialog/Mia")).text


async def test_an_agents_memory_is_forgotten_with_all_its_versions(world: World, me: Client) -> None:
    await cache(world, user("Hello."))
    for text in ("The deploy key is blue.", "The deploy key is red."):
        body = {"text": text, "category": "entities", "scope": MIA, "canonicalKey": "deploy-key"}
        await world.client(None).ask("POST", "/v1/store", body)
    await me.forget(MIA, "The deploy key is red.")
    told = await everything_told(world, "Which colour has the deploy key?")
    assert "is red" not in told
    assert "is blue" not in told


async def test_what_the_owner_erased_is_gone_from_the_registry(world: World, me: Client) -> None:
    await cache(world, user("I like green tea."), assistant("Noted."))
    await work(world)
    await me.note(MIA, "Green tea is served at four.")
    answer = await world.client(None).ask("POST", "/internal/owner/forget", {"name": "Mia", "match": "green tea"})
    assert answer.status_code == 200
    assert "reen tea" not in await everything_told(world, "What does the user like?")
    assert (await me.facts(MIA)) == {}


async def test_erasing_takes_what_was_only_withheld(world: World, me: Client) -> None:
    await cache(world, user("I like green tea."), assistant("Noted."))
    await work(world)
    await me.forget(MIA, "The user likes green tea.")
    await world.client(None).ask("POST", "/internal/owner/forget", {"name": "Mia", "match": "green tea"})
    await world.stop()
    for path in (world.root / "memory").rglob("*"):
        assert not path.is_file() or b"green tea" not in path.read_bytes(), path
    await world.start()


async def test_deleting_a_character_here_empties_it_everywhere(world: World, me: Client) -> None:
    await cache(world, user("I like green tea."))
    await me.delete(f"/scopes/{MIA}")
    await me.post("/memory/retrieve", {"scopeId": MIA}, 404)
    answer = await world.client(None).ask("POST", "/query_memory/Mia", {"query": "tea", "tiers": ["turn"]})
    assert answer.json()["results"] == []


async def test_the_counts_are_those_of_the_log(world: World, me: Client) -> None:
    began = world.clock.now()
    await cache(world, user("I like green tea."))
    await work(world)
    await me.note(MIA, "The spare key hangs behind the clock.")
    world.clock.advance(1)
    async with world.engine.spaces.use("Mia") as space:
        assert (await count(space, began, world.clock.now())).facts_added == 2


async def test_agents_do_not_see_the_scopes_of_this_dialect(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "The spare key hangs behind the clock.")
    answer = await world.client(None).ask("POST", "/v1/recall", {"query": "spare key", "allScopes": True})
    assert "clock" not in answer.text


async def test_a_revised_note_is_told_by_the_others_as_it_now_stands(world: World, me: Client) -> None:
    await cache(world, user("Hello."))
    texts = [f"the release of the memory server is planned for week {number}" for number in (41, 42)]
    for text in texts:
        world.clock.advance(1)
        await me.note(MIA, text)
    await work(world)
    question = "When is the release of the memory server?"
    assert await asked(world, question) == [texts[1]]
    told = await everything_told(world, question)
    assert "week 42" in told
    assert "week 41" not in told


async def test_of_a_document_the_others_tell_the_latest_text_once(world: World, me: Client) -> None:
    await cache(world, user("Hello."))
    for text in ("The ferry leaves at noon.", "The ferry leaves at night."):
        world.clock.advance(1)
        await me.event(MIA, text, type="document", key="timetable")
    await work(world)
    found = await asked(world, "When does the ferry leave?", tiers=["turn"])
    assert [text for text in found if "ferry" in text] == ["The ferry leaves at night."]
    assert "at noon" not in await everything_told(world, "When does the ferry leave?")


async def test_what_an_agent_captured_is_told_here_once(world: World, me: Client) -> None:
    await cache(world, user("Hello."))
    text = "The spare key hangs behind the clock in the hall."
    captured = {"memories": [{"text": text, "category": "events"}], "scope": MIA}
    answer = await world.client(None).ask("POST", "/v1/capture", captured)
    assert answer.status_code == 201, answer.text
    found = await me.retrieve(MIA, query="spare key")
    assert str(found).count("behind the clock") == 1


async def test_an_event_at_the_edge_of_the_calendar_harms_no_dialect(world: World) -> None:
    me = world.client()
    await cache(world, user("Hello."))
    for at in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"):
        await me.event(MIA, f"The ferry left at {at}.", occurredAt=at)
    await work(world)
    for _ in range(2):
        told = await everything_told(world, "When did the ferry leave?")
        assert "0001-01-01T00:00:00+14:00" in told
        assert "9999-12-31T23:59:59-12:00" in told
        await world.restart()


async def test_a_short_statement_is_gone_from_whatever_had_it_in_it(world: World) -> None:
    me = world.client()
    await cache(world, user("昨天医生说我对花生过敏，要小心"), assistant("记住了。"), user("My cat is called Tama."))
    await me.note(MIA, "我对花生过敏")
    await work(world)
    await me.forget(MIA, "我对花生过敏")
    for _ in range(2):
        told = await everything_told(world, "过敏吗")
        assert "花生过敏" not in told
        assert "Tama" in told
        await world.restart()


async def test_a_checkpoint_is_told_without_what_was_forgotten(world: World, me: Client) -> None:
    await cache(world, user("Hello."))
    nobody = world.client(None)
    saved = {
        "sessionId": "s1", "scope": MIA, "summary": "Ported the lexer.\nWe use pnpm here.",
        "decisions": ["We use pnpm", "Ship on Friday"], "openLoops": ["Do we use pnpm?"],
        "nextActions": ["Write tests"],
    }  # fmt: skip
    assert (await nobody.ask("POST", "/v1/checkpoint", saved)).status_code == 201
    await me.note(MIA, "We use pnpm")
    assert "pnpm" in await everything_told(world, "What was decided?")
    await me.forget(MIA, "We use pnpm")
    told = await everything_told(world, "What was decided?")
    assert "we use pnpm" not in told.lower()
    assert "Ported the lexer." in told
    assert "Write tests" in told


async def test_forgetting_in_one_memory_leaves_that_of_another_character_alone(world: World, me: Client) -> None:
    await cache(world, user("I like green tea."))
    told = history([user("I like green tea.")])
    await world.client(None).ask("POST", "/cache/Ben", told)
    await work(world)
    async with world.engine.spaces.use("Ben") as space:
        await world.engine.worker.perform_all(space)
    await me.forget(MIA, "The user likes green tea.")
    assert [item["text"] for item in (await me.facts("character:Ben"))["Style"]] == ["The user likes green tea."]


async def test_a_character_that_the_companion_removed_is_gone_here(world: World, me: Client) -> None:
    await cache(world, user("I like green tea."))
    scope = (await me.event(MIA, "The ferry leaves at noon."))["scopeId"]
    await me.post("/reminders", {"scopeId": MIA, "dueAt": "2030-01-01T00:00:00Z", "text": "call"})
    await characters.delete(world.engine, "Mia")
    for asked_for in (MIA, scope):
        assert await me.post("/memory/retrieve", {"scopeId": asked_for}, 404) == {"error": "Scope not found"}
    assert (await me.get("/scopes"))["items"] == []
    assert (await me.get("/reminders"))["items"] == []


# what agents keep


async def test_what_agents_keep_is_the_local_users_too_and_nobody_elses(
    world: World, me: Client, other: Client
) -> None:
    nobody = world.client(None)
    stored = {"text": "The user prefers window seats.", "category": "preferences", "scope": "project:demo"}
    await nobody.ask("POST", "/v1/store", stored)
    checkpoint = {"sessionId": "s1", "scope": "project:demo", "summary": "Ported the lexer."}
    await nobody.ask("POST", "/v1/checkpoint", checkpoint)
    (listed,) = (await me.get("/scopes"))["items"]
    assert listed["name"] == "project:demo"
    scope = listed["id"]
    assert [item["text"] for item in (await me.facts(scope))["Style"]] == ["The user prefers window seats."]
    assert (await me.event(scope, "The ferry leaves at noon."))["scopeId"] == scope
    reminder = await me.post("/reminders", {"scopeId": scope, "dueAt": "2030-01-01T00:00:00Z", "text": "call"})
    assert (await me.get("/reminders"))["items"] == [reminder]
    assert reminder["scopeId"] == scope
    assert (await other.get("/scopes"))["items"] == []
    await other.post("/memory/retrieve", {"scopeId": scope}, 404)
    await me.note(scope, "The spare key hangs behind the clock.")
    found = await nobody.ask("POST", "/v1/recall", {"query": "spare key", "scope": "project:demo"})
    assert "behind the clock" in found.text
    await me.forget(scope, "The user prefers window seats.")
    asked_for = {"query": "Which seats does the user prefer?", "scope": "project:demo"}
    assert "window" not in (await nobody.ask("POST", "/v1/recall", asked_for)).text
    await me.delete(f"/scopes/{scope}")
    assert (await me.get("/scopes"))["items"] == []
    assert "clock" not in (await nobody.ask("POST", "/v1/recall", {"query": "spare key", "scope": "project:demo"})).text
    latest = await nobody.ask("GET", "/v1/checkpoint/latest?scope=project:demo")
    assert latest.json() == {"checkpoint": None}
