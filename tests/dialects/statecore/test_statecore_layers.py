"""The layers of a scope over HTTP: shapes, agreement, freshness, warnings, and what is in none of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.state.digest_state import DigestState, Held
from memory.state.digests import Digest, to_row
from tests.dialects.statecore.assistant import Assistant, work
from tests.dialects.statecore.conftest import Client, World
from tests.fakes import FixedClock

READS = ("working-state", "stable-state", "fast-view", "layer-status")
EVENTS = (
    "goal: Ship the memory server",
    "constraint: no Redis",
    "decision: use SQLite",
    "todo: write the docs",
    "question: which port?",
    "risk: the disk is small",
)


@pytest.fixture
async def lived(root: Path, clock: FixedClock) -> AsyncIterator[World]:
    """A server with a model."""
    made = World(root, clock)
    await made.start(chat=Assistant())
    yield made
    await made.stop()


async def read(client: Client, what: str, scope: str, message: str | None = None) -> Any:
    asked = f"&message={message}" if message is not None else ""
    answer = await client.ask("GET", f"/memory/{what}?scopeId={scope}{asked}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def tell(me: Client, scope: str, *lines: str) -> None:
    for line in lines:
        await me.event(scope, line)


async def commit(world: World, me: Client, scope: str, summary: str = "A digest.", **lines: Any) -> None:
    """A digest with a state, as if one had been made now."""
    held: dict[str, Any] = {
        name: Held(value=value) if isinstance(value, str) else tuple(Held(value=one) for one in value)
        for name, value in lines.items()
    }
    digest = Digest(
        id=world.engine.ids.new("digest"),
        summary=summary,
        created_at=world.clock.now(),
        state=DigestState(**held),
    )
    name = await space_of(world, me, scope)
    async with world.engine.spaces.use(name) as space, space.journal.write() as batch:
        batch.add("digest.committed", {"digest": to_row(digest)})


async def space_of(world: World, me: Client, scope: str) -> str:
    for name in world.engine.spaces.scopes():
        async with world.engine.spaces.use(name) as space:
            card = space.views.card.card
            if card is not None and card.id == scope:
                return name
    raise AssertionError(scope)


# shapes


@pytest.mark.parametrize("what", READS)
async def test_a_scope_has_to_be_named(me: Client, what: str) -> None:
    answer = await me.ask("GET", f"/memory/{what}")
    assert (answer.status_code, answer.json()) == (400, {"error": "scopeId required"})


@pytest.mark.parametrize("what", READS)
async def test_somebody_elses_layers_look_like_none(world: World, me: Client, other: Client, what: str) -> None:
    theirs = await other.scope()
    for scope in (theirs, "5b2f6d1e-8a4c-4d1b-9f3e-2c7a9b6d0e11", "no id"):
        answer = await me.ask("GET", f"/memory/{what}?scopeId={scope}")
        assert (answer.status_code, answer.json()) == (404, {"error": "Scope not found"})


async def test_an_empty_scope_has_empty_layers(me: Client) -> None:
    scope = await me.scope()
    assert await read(me, "working-state", scope) == {
        "scopeId": scope, "version": 0, "state": None, "view": None, "updatedAt": None,
    }  # fmt: skip
    assert await read(me, "stable-state", scope) == {
        "digestId": None, "state": None, "view": None, "consistency": None, "createdAt": None,
    }  # fmt: skip
    fast = await read(me, "fast-view", scope)
    assert (fast["workingMemoryVersion"], fast["stableStateVersion"]) == (None, None)
    context = fast["fastLayerContext"]
    assert {context[f"{name}Block"] for name in ("workingMemory", "stableState", "retrieval", "recentTurns")} == {
        "(none)"
    }
    assert context["summary"] == "message_only"
    status = await read(me, "layer-status", scope)
    assert status["warnings"] == []
    assert status["freshness"] == {
        "latestEventCreatedAt": None, "workingMemoryUpdatedAt": None, "stableStateCreatedAt": None,
        "workingMemoryLagMs": None, "stableStateLagMs": None,
        "workingMemoryCaughtUp": True, "stableStateCaughtUp": True,
    }  # fmt: skip


async def test_the_layers_have_the_published_shapes(lived: World) -> None:
    me = lived.client()
    scope = await me.scope()
    await tell(me, scope, *EVENTS)
    await me.post("/memory/digest", {"scopeId": scope})
    await work(lived)
    working = await read(me, "working-state", scope)
    assert set(working) == {"scopeId", "version", "state", "view", "updatedAt"}
    assert working["version"] == 1
    assert working["state"] == {
        "currentGoal": "Ship the memory server",
        "activeConstraints": ["no Redis"],
        "recentDecisions": ["use SQLite"],
        "openQuestions": ["which port?"],
        "taskFrame": "Ship the memory server",
        "sourceEventIds": working["state"]["sourceEventIds"],
    }
    listed = (await me.retrieve(scope))["events"]
    assert set(working["state"]["sourceEventIds"]) == {event["id"] for event in listed}
    assert working["view"] == {
        "goal": "Ship the memory server",
        "constraints": ["no Redis"],
        "decisions": ["use SQLite"],
        "openQuestions": ["which port?"],
        "taskFrame": "Ship the memory server",
    }
    stable = await read(me, "stable-state", scope)
    assert set(stable) == {"digestId", "state", "view", "consistency", "createdAt"}
    assert {name: stable["view"][name] for name in ("goal", "constraints", "decisions", "todos", "risks")} == {
        "goal": "Ship the memory server",
        "constraints": ["no Redis"],
        "decisions": ["use SQLite"],
        "todos": ["write the docs"],
        "risks": ["the disk is small"],
    }
    assert stable["state"]["stableFacts"]["goal"] == "Ship the memory server"
    fast = await read(me, "fast-view", scope, "What is the goal?")
    assert set(fast) == {
        "scopeId", "workingMemoryVersion", "stableStateVersion", "retrievalPlan", "fastLayerContext",
    }  # fmt: skip
    assert (fast["workingMemoryVersion"], fast["stableStateVersion"]) == (1, stable["digestId"])
    assert fast["retrievalPlan"] == {
        "mode": "light",
        "reason": "goal_lookup",
        "limit": 4,
        "query": "What is the goal?\nShip the memory server\nno Redis",
        "cacheHit": False,
    }
    assert set(fast["fastLayerContext"]) == {
        "systemContext", "workingMemoryBlock", "stableStateBlock", "retrievalBlock", "recentTurnsBlock",
        "retrievalHints", "summary",
    }  # fmt: skip
    status = await read(me, "layer-status", scope)
    assert set(status) == {
        "scopeId", "message", "workingMemoryVersion", "stableStateVersion", "workingMemoryView", "stableStateView",
        "fastLayerSummary", "retrievalPlan", "layerAlignment", "freshness", "warnings",
    }  # fmt: skip
    assert status["message"] == "What is the current architecture goal?"
    assert (status["workingMemoryView"], status["stableStateView"]) == (working["view"], stable["view"])


async def test_everything_fits_in_a_clean_scope(lived: World) -> None:
    me = lived.client()
    scope = await me.scope()
    await tell(me, scope, *EVENTS)
    await me.post("/memory/digest", {"scopeId": scope})
    await work(lived)
    lived.clock.advance(1)
    health = (await me.ask("GET", "/health")).json()
    status = await read(me, "layer-status", scope)
    probe = await me.post("/memory/runtime/turn", {"scopeId": scope, "message": "What is the current goal?"})
    assert (health["status"], health["featureLlm"]) == ("ok", True)
    assert status["layerAlignment"] == {
        "goalAligned": True, "sharedConstraintCount": 1, "sharedDecisionCount": 1, "fastPathReady": True,
    }  # fmt: skip
    assert status["freshness"]["workingMemoryCaughtUp"] is True
    assert status["freshness"]["stableStateCaughtUp"] is True
    assert status["warnings"] == []
    assert probe["warnings"] == []
    assert (probe["answer"], probe["answerMode"]) == (
        "Current goal: Ship the memory server.", "direct_state_fast_path",
    )  # fmt: skip
    assert probe["stableStateVersion"] == status["stableStateVersion"]
    assert probe["workingMemoryVersion"] == status["workingMemoryVersion"] == 1
    assert all(probe[name] for name in ("usedFastLayerContextSummary", "retrievalPlan", "layerAlignment", "evidence"))


# the compiled context


async def test_blocks_are_bounded(world: World, me: Client) -> None:
    scope = await me.scope()
    for number in range(6):
        await me.event(scope, f"apples number {number} " + "x" * 500)
        world.clock.advance(60)
    context = (await read(me, "fast-view", scope, "apples"))["fastLayerContext"]
    snippets = context["retrievalBlock"].splitlines()
    turns = context["recentTurnsBlock"].splitlines()
    assert [len(line) for line in snippets] == [len("- ") + 180] * 2
    assert [len(line) for line in turns] == [len("User: ") + 220] * 3
    assert context["summary"] == "retrieval:2; recent_turns:3"
    assert len(context["retrievalHints"]["priorityTerms"]) <= 8


async def test_replies_are_recalled_only_where_there_is_nothing_else(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "Assistant reply: apples are red")
    fast = await read(me, "fast-view", scope, "apples")
    assert fast["fastLayerContext"]["retrievalBlock"] == "- apples are red"
    await me.event(scope, "Apples grow here")
    fast = await read(me, "fast-view", scope, "apples")
    assert fast["fastLayerContext"]["retrievalBlock"] == "- Apples grow here"


async def test_what_is_sent_within_five_seconds_is_one_turn(world: World, me: Client) -> None:
    scope = await me.scope()
    for text, later in (("one", 5), ("two", 6), ("three", 1), ("Assistant reply: four", 1)):
        await me.event(scope, text)
        world.clock.advance(later)
    turns = (await read(me, "fast-view", scope, "ok"))["fastLayerContext"]["recentTurnsBlock"]
    assert turns == "User: one two\nUser: three\nAssistant: four"


async def test_what_is_open_is_told_as_such(world: World, me: Client) -> None:
    scope = await me.scope()
    await commit(world, me, scope, questions=[f"q{n}" for n in range(5)], risks=["r0", "r1"])
    hints = (await read(me, "fast-view", scope))["fastLayerContext"]["retrievalHints"]
    assert hints["exclusions"] == [*(f"unresolved:q{n}" for n in range(5)), "risk:r0"]


# agreement


async def warned(world: World, me: Client, lines: tuple[str, ...], **stable: Any) -> tuple[list[str], dict[str, Any]]:
    scope = await me.scope()
    await tell(me, scope, *lines)
    await work(world)
    await commit(world, me, scope, **stable)
    status = await read(me, "layer-status", scope)
    return status["warnings"], status["layerAlignment"]


async def test_goals_agree_whatever_their_case_and_blanks(world: World, me: Client) -> None:
    told, fit = await warned(world, me, ("goal:  Ship   It",), goal="ship it.")
    assert (told, fit["goalAligned"]) == ([], True)


@pytest.mark.parametrize(
    ("lines", "stable", "expected"),
    [
        (("goal: ship",), {}, ["stable_goal_missing"]),
        (("filler words",), {"goal": "ship"}, ["working_goal_missing"]),
        (("goal: ship",), {"goal": "rest"}, ["goal_mismatch"]),
        (("constraint: a",), {"constraints": ["b"]}, ["constraint_sets_do_not_overlap"]),
        (("decision: a",), {"decisions": ["b"]}, ["decision_sets_do_not_overlap"]),
        (("constraint: a",), {"constraints": ["b", "A"]}, []),
        (("constraint: a",), {"decisions": ["b"]}, []),
        (
            ("filler words",),
            {"goal": "ship\ntodo: docs"},
            ["stable_goal_contains_structured_lines", "working_goal_missing"],
        ),
    ],
)
async def test_what_does_not_fit_is_told(
    world: World, me: Client, lines: tuple[str, ...], stable: dict[str, Any], expected: list[str]
) -> None:
    told, fit = await warned(world, me, lines, **stable)
    assert told == expected
    assert fit["goalAligned"] is False


# freshness


async def test_layers_that_are_not_there_are_missed_once_something_was_said(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "hello")
    status = await read(me, "layer-status", scope)
    assert status["warnings"] == [
        "working_memory_missing_with_recent_events", "stable_state_missing_with_recent_events",
    ]  # fmt: skip
    assert status["layerAlignment"]["fastPathReady"] is False


@pytest.mark.parametrize(
    ("later", "working", "stable"), [(15, True, True), (16, False, True), (60, False, True), (61, False, False)]
)
async def test_a_layer_may_lag_a_little(world: World, me: Client, later: int, working: bool, stable: bool) -> None:
    scope = await me.scope()
    await me.event(scope, "hello")
    await work(world)
    await commit(world, me, scope)
    world.clock.advance(later)
    await me.event(scope, "again")
    fresh = (status := await read(me, "layer-status", scope))["freshness"]
    assert (fresh["workingMemoryLagMs"], fresh["stableStateLagMs"]) == (later * 1000, later * 1000)
    assert (fresh["workingMemoryCaughtUp"], fresh["stableStateCaughtUp"]) == (working, stable)
    expected = [] if working else ["working_memory_lagging_behind_events"]
    assert status["warnings"] == [*expected, *([] if stable else ["stable_state_lagging_behind_events"])]


async def test_what_is_brought_in_late_does_not_look_caught_up(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.post("/memory/events", {"scopeId": scope, "type": "document", "key": "k", "content": "old text"})
    await work(world)
    await commit(world, me, scope)
    world.clock.advance(3_600)
    long_ago = (world.clock.now() - timedelta(days=400)).isoformat()
    await me.event(scope, "it happened long ago", occurredAt=long_ago)
    fresh = (await read(me, "layer-status", scope))["freshness"]
    assert (fresh["workingMemoryLagMs"], fresh["workingMemoryCaughtUp"]) == (3_600_000, False)
    await work(world)
    await commit(world, me, scope)
    world.clock.advance(3_600)
    await me.post("/memory/events", {"scopeId": scope, "type": "document", "key": "k", "content": "new text"})
    fresh = (await read(me, "layer-status", scope))["freshness"]
    assert (fresh["stableStateLagMs"], fresh["stableStateCaughtUp"]) == (3_600_000, False)


# what nobody may see


async def test_what_is_forgotten_is_in_no_layer_at_once(lived: World) -> None:
    me = lived.client()
    secret = "The vault code is kept behind the blue clock"
    scope = await me.scope()
    await me.note(scope, secret)
    await tell(me, scope, f"constraint: {secret}", "goal: Ship the memory server", "decision: use SQLite")
    await me.post("/memory/digest", {"scopeId": scope})
    await work(lived)
    known = {"constraints": [secret], "decisions": ["use SQLite"]}
    await commit(lived, me, scope, summary=f"It is known that {secret}.", **known)
    assert "vault" in str([await read(me, what, scope, "vault code") for what in READS])
    await me.forget(scope, secret)
    for _ in range(2):
        told = [await read(me, what, scope, "vault") for what in READS]
        for what, answer in zip(READS, told, strict=True):
            if "message" in answer:
                answer["message"] = answer["retrievalPlan"]["query"] = ""
            answer.get("retrievalPlan", {}).pop("query", None)
            answer.get("fastLayerContext", {}).pop("retrievalHints", None)      # words of the message itself
            assert "vault" not in str(answer), what
            assert "clock" not in str(answer), what
        assert "use SQLite" in str(told)
        await work(lived)


async def test_reading_changes_nothing(world: World, me: Client) -> None:
    scope = await me.scope()
    await tell(me, scope, *EVENTS)
    await work(world)
    await commit(world, me, scope, goal="ship")
    async with world.engine.spaces.use(await space_of(world, me, scope)) as space:
        await space.save()
        before = space.journal.seq
        for what in READS:
            await read(me, what, scope)
        assert space.journal.seq == before
        assert not space.outbox.pending
