"""What a conversation opens with, over HTTP: from what was told, from facts, and from the settled goal."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from memory.state.digest_state import DigestState, Held
from memory.state.digests import Digest, to_row
from tests.dialects.neko.talk import assistant, history, user
from tests.dialects.statecore.assistant import work
from tests.dialects.statecore.conftest import Client, World

MIA = "character:Mia"


async def known(me: Client, scope: str) -> Any:
    return await me.get(f"/memory/relationship-context/{scope}")


async def talk(world: World, *texts: str) -> None:
    said = [message for text in texts for message in (user(text), assistant("I see."))]
    await world.client(None).ask("POST", "/cache/Mia", history(said))
    await work(world)


async def test_what_a_conversation_taught_is_told_once(world: World, me: Client) -> None:
    await talk(world, "My cat is called Tama.", "I live in Porto.", "I want to become a pilot.")
    found = await known(me, MIA)
    assert "The user lives in Porto." in found["personalDetails"]
    assert len(found["personalDetails"]) == len(set(found["personalDetails"]))
    assert any("pilot" in goal for goal in found["activeGoals"])


async def test_the_settled_goal_goes_before_the_one_that_the_scope_was_made_for(world: World, me: Client) -> None:
    scope = await me.scope(template="personal", goal="run a marathon")
    assert (await known(me, scope))["activeGoals"] == ["run a marathon"]
    digest = Digest(
        id=world.engine.ids.new("digest"),
        summary="A digest.",
        created_at=world.clock.now(),
        state=DigestState(goal=Held(value="walk a mile")),
    )
    for name in world.engine.spaces.scopes():
        async with world.engine.spaces.use(name) as space:
            if space.views.card.card is not None:
                async with space.journal.write() as batch:
                    batch.add("digest.committed", {"digest": to_row(digest)})
    assert (await known(me, scope))["activeGoals"] == ["walk a mile"]


async def test_follow_ups_are_the_three_oldest_from_seven_days_on(world: World, me: Client) -> None:
    scope = await me.scope(template="personal")
    for days in (30, 20, 10, 8, 7, 1):
        at = (world.clock.now() - timedelta(days=days)).isoformat()
        await me.event(scope, f"I will call my aunt number {days}.", occurredAt=at)
    assert (await known(me, scope))["pendingFollowUps"] == [
        f'commitment: "I will call my aunt number {days}...." ({days} days ago)' for days in (30, 20, 10)
    ]


async def test_a_promise_that_is_only_held_as_a_fact_is_followed_up_too(world: World, me: Client) -> None:
    nobody = world.client(None)
    await nobody.ask("POST", "/cache/Mia", history([user("Hello."), assistant("I promise to sing for you tomorrow.")]))
    await work(world)
    assert (await known(me, MIA))["pendingFollowUps"] == []
    world.clock.advance(8 * 86_400)
    (found,) = (await known(me, MIA))["pendingFollowUps"]
    assert found.startswith('commitment: "')
    assert found.endswith("(8 days ago)")


async def test_what_is_forgotten_is_in_none_of_it(world: World, me: Client) -> None:
    await talk(world, "I live in Porto.", "I am so tired today.")
    items = [item for group in (await me.facts(MIA)).values() for item in group]
    assert "Porto" in str(await known(me, MIA))
    async with world.engine.spaces.use("Mia") as space:
        fact = next(fact for fact in space.facts if "Porto" in fact.text)
    await me.post("/memory/facts/forget", {"scopeId": MIA, "factKey": fact.id})
    await me.event(MIA, "My home: the user lives in Porto.")      # said again in other words
    found = await known(me, MIA)
    assert "Porto" not in str(found)
    assert found["currentFeeling"] == "I am so tired today."
    assert items == [] or "Porto" not in str(items)
