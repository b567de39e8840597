"""Digests over time: made by themselves, rebuilt, forgotten from, erased from."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from memory.erase import erase, find
from memory.state.digest_jobs import undigested
from tests.dialects.statecore.conftest import Client, World
from tests.dialects.statecore.digest_world import (
    digest,
    digesting,
    inside,
    listed,
    metrics,
    perform,
    said,
    state,
)
from tests.dialects.statecore.test_statecore_digest import project

# by themselves, without a model


async def test_nothing_is_digested_while_somebody_still_writes(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "Decision: use SQLite")
    await world.engine.digesting.tick()
    assert (await me.retrieve(scope))["digest"] is None
    world.clock.advance(4)
    await me.event(scope, "Decision: use ink")
    world.clock.advance(4)
    await world.engine.digesting.tick()
    assert (await me.retrieve(scope))["digest"] is None
    world.clock.advance(1)      # five seconds of quiet
    await world.engine.digesting.tick()
    assert (await me.retrieve(scope))["digest"] == "Decisions: use SQLite; use ink."


async def test_the_first_of_many_waits_half_a_minute_at_most(world: World, me: Client) -> None:
    scope = await me.scope()
    for number in range(11):
        await me.event(scope, f"Decision: paint wall {number}")
        await world.engine.digesting.tick()
        world.clock.advance(3)
    await world.engine.digesting.tick()
    assert (await me.retrieve(scope))["digest"] is not None


async def test_many_events_need_no_quiet(world: World, me: Client) -> None:
    scope = await me.scope()
    for number in range(51):
        await me.event(scope, f"Decision: paint wall {number}")
    await world.engine.digesting.tick()
    assert (await me.retrieve(scope))["digest"] is not None


async def test_what_changes_nothing_makes_no_digest_and_is_not_looked_at_again(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "Decision: use SQLite")
    world.clock.advance(6)
    await world.engine.digesting.tick()
    await me.event(scope, "ok")
    world.clock.advance(6)
    await world.engine.digesting.tick()
    assert len(await listed(world, scope)) == 1
    async with inside(world, scope) as (_, space):
        assert undigested(space) == 0
        seq = space.journal.seq
        world.clock.advance(60)
        await world.engine.digesting.tick()
        assert space.journal.seq == seq
    status = await world.client(prefix="").get(f"/memory/layer-status?scopeId={scope}")
    assert status["freshness"]["stableStateCaughtUp"] is True


async def test_a_scope_that_was_closed_meanwhile_is_digested_after_a_restart(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "Decision: use SQLite")
    await world.restart()
    await world.engine.sweep()
    world.clock.advance(6)
    await world.engine.digesting.tick()
    assert (await world.client().retrieve(scope))["digest"] == "Decisions: use SQLite."


async def test_a_character_is_digested_once_somebody_asked_for_it(world: World, me: Client, root: Path) -> None:
    async with world.engine.spaces.use("Mio", create=True) as space, space.journal.write() as batch:
        batch.owe("post_turn", {})
    await me.event("character:Mio", "Decision: use SQLite")
    world.clock.advance(60)
    await world.engine.digesting.tick()
    assert (await me.retrieve("character:Mio"))["digest"] is None
    await world.stop()
    async with digesting(root) as asked:
        await digest(asked, asked.client(), "character:Mio")
    await world.start()
    me = world.client()
    await me.event("character:Mio", "Decision: use ink")
    world.clock.advance(60)
    await world.engine.digesting.tick()
    assert "use ink" in (await me.retrieve("character:Mio"))["digest"]


async def test_with_a_model_to_ask_nothing_is_made_unasked(root: Path) -> None:
    async with digesting(root) as world:
        me = world.client()
        scope = await project(world, me)
        world.clock.advance(60)
        await world.engine.digesting.tick()
        assert await listed(world, scope) == []


# rebuilding


async def rebuilt(world: World, scope: str, **more: Any) -> str:
    inner = world.client(prefix="")
    world.clock.advance(1)
    answer = await inner.post("/memory/digest/rebuild", {"scopeId": scope, **more})
    await perform(world, scope)
    return str(answer["rebuildGroupId"])


def lines_of(snapshot: Any) -> Any:
    """A state without the registry, whose times differ."""
    return {key: value for key, value in snapshot["state"].items() if key != "factRegistry"}


async def test_a_history_rebuilt_twice_gives_the_same_state_and_counts(root: Path) -> None:
    async with digesting(root) as world:
        me = world.client()
        scope = await project(world, me, *(f"Decision: paint wall {number}" for number in range(90)))
        await digest(world, me, scope)
        facts = await me.facts(scope)
        first = await rebuilt(world, scope)
        chain = await listed(world, scope, f"&rebuildGroupId={first}")
        assert len(chain) == 2      # 96 events in stretches of 80
        one = await state(world, scope)
        second = await rebuilt(world, scope)
        other = await state(world, scope)
        assert first != second
        assert lines_of(one) == lines_of(other)
        assert one["state"]["transitionSummary"] == other["state"]["transitionSummary"]
        inner = world.client(prefix="")
        histories = [
            (await inner.get(f"/memory/state/history?scopeId={scope}&rebuildGroupId={group}"))["items"]
            for group in (first, second)
        ]
        assert list(map(lines_of, histories[0])) == list(map(lines_of, histories[1]))
        assert await me.facts(scope) == facts


async def test_a_short_history_rebuilt_is_as_it_was_digested(root: Path) -> None:
    async with digesting(root) as world:
        me = world.client()
        scope = await project(world, me)
        await digest(world, me, scope)
        before = await state(world, scope)
        await rebuilt(world, scope)
        after = await state(world, scope)
        assert lines_of(before) == lines_of(after)


async def test_notes_handoffs_and_what_is_forgotten_outlive_a_rebuilding(root: Path) -> None:
    async with digesting(root) as world:
        me = world.client()
        scope = await project(world, me)
        await digest(world, me, scope)
        await me.note(scope, "The spare key hangs behind the clock.")
        await me.post("/memory/handoff", {"scopeId": scope, "summary": "stopped at the importer"})
        await me.forget(scope, "use SQLite for storage")
        await rebuilt(world, scope)
        everything = [await me.retrieve(scope), await state(world, scope), await me.facts(scope)]
        assert "SQLite" not in str(everything)
        assert "spare key" in str(everything)
        assert "stopped at the importer" in str(everything)


async def test_an_empty_range_fails_the_job_and_changes_nothing(root: Path) -> None:
    async with digesting(root) as world:
        me = world.client()
        scope = await project(world, me)
        await digest(world, me, scope)
        await rebuilt(world, scope, to="2001-01-01T00:00:00Z")
        assert len(await listed(world, scope)) == 1
        counted = await metrics(world, scope)
        assert (counted["total"], counted["failed"], counted["lastStatus"]) == (2, 1, "failed")


async def test_a_range_takes_both_its_ends(root: Path) -> None:
    async with digesting(root) as world:
        me = world.client()
        scope = await me.scope()
        for day in (1, 2, 3, 4):
            await me.event(scope, f"Decision: paint wall {day}", occurredAt=f"2026-05-0{day}T00:00:00Z")
        await rebuilt(world, scope, **{"from": "2026-05-02T00:00:00Z", "to": "2026-05-03T00:00:00Z"})
        decided = (await state(world, scope))["state"]["stableFacts"]["decisions"]
        assert decided == ["paint wall 2", "paint wall 3"]


async def test_since_the_last_good_one_goes_on_from_its_state(root: Path) -> None:

    wrong = said(summary="The team will not use SQLite for storage.")
    async with digesting(root, said(), wrong, wrong, said()) as world:
        me = world.client()
        scope = await project(world, me)
        await digest(world, me, scope)
        await me.event(scope, "Decision: print on paper")
        await digest(world, me, scope)      # degraded
        group = await rebuilt(world, scope, strategy="since_last_good")
        (only,) = await listed(world, scope, f"&rebuildGroupId={group}")
        held = (await state(world, scope))["state"]
        assert held["stableFacts"]["decisions"] == ["use SQLite for storage", "print on paper"]
        assert held["transitionSummary"] == {"decisions:add": 1}
        assert only["summary"].endswith("All goes well.")


# forgetting and erasing


async def test_what_is_forgotten_after_a_digest_is_told_by_none_of_its_reads(root: Path) -> None:
    async with digesting(root) as world:
        me, inner = world.client(), world.client(prefix="")
        scope = await project(world, me)
        await digest(world, me, scope)
        await me.event(scope, "Decision: print on paper")
        await digest(world, me, scope)
        await me.forget(scope, "use SQLite for storage")
        told = [
            await me.retrieve(scope),
            await listed(world, scope),
            await state(world, scope),
            await inner.get(f"/memory/state/history?scopeId={scope}"),
            await inner.get(f"/memory/stable-state?scopeId={scope}"),
            *[await me.get(f"/memory/digests/{one['id']}/selection") for one in await listed(world, scope)],
        ]
        assert "SQLite" not in str(told)
        assert (await me.retrieve(scope))["digest"].startswith("Goal: ship the memory server.")
        assert "print on paper" in str(told)


async def test_erasing_a_text_takes_it_out_of_digests_and_states(root: Path) -> None:
    async with digesting(root) as world:
        me = world.client()
        scope = await project(world, me)
        await digest(world, me, scope)
        async with inside(world, scope) as (_, space):
            names = world.engine.cast.names(space.name)
            receipt = await erase(space, await find(space, text="on this machine"), names)
            assert receipt.items["digest"] == 1
            held = b"".join(path.read_bytes() for path in space.directory.rglob("*") if path.is_file())
            assert b"on this machine" not in held
        assert "this machine" not in str([await state(world, scope), await me.retrieve(scope)])
        await rebuilt(world, scope)
        assert "use SQLite for storage" in str(await state(world, scope))


async def test_a_line_goes_with_the_event_it_rests_on(root: Path) -> None:
    async with digesting(root) as world:
        me = world.client()
        scope = await project(world, me)
        for number in range(9):      # so that the newest summary names eight others
            await me.event(scope, f"Decision: paint wall {number}")
        await digest(world, me, scope)
        async with inside(world, scope) as (_, space):
            await space.raw.refresh()
            (event,) = [one for one in space.raw if "SQLite" in one.text]
            names = world.engine.cast.names(space.name)
            await erase(space, await find(space, ids=[event.turn]), names)
        assert "SQLite" not in str([await state(world, scope), await listed(world, scope)])


async def test_only_the_newest_hundred_keep_their_states(root: Path) -> None:
    async with digesting(root) as world:
        me = world.client()
        scope = await me.scope()
        for number in range(103):
            await me.event(scope, f"Decision: paint wall {number}")
            await me.post("/memory/digest", {"scopeId": scope})
            await perform(world, scope)
        async with inside(world, scope) as (_, space):
            digests = space.views.digests.newest_first
            assert [one.state is not None for one in digests] == [True] * 100 + [False] * 3
            assert digests[-1].summary
            assert digests[0].created_at - digests[-1].created_at >= timedelta(milliseconds=102)
