"""What must hold whatever comes: budget, pages, isolation, forgetting, concurrency, keys, clocks."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.facts.sameness import same_fact
from memory.models.chat import Chat
from memory.state.budget import Item, fill, units
from memory.state.facets import fact_key
from memory_server.statecore.internal import INTERNAL
from tests.dialects.statecore.conftest import MIA, World, digested
from tests.dialects.statecore.surface import FROZEN
from tests.dialects.statecore.tally import counted
from tests.dialects.statecore.told import everything_told
from tests.fakes import FixedClock, ScriptedChat

FEW = settings(max_examples=30, deadline=None)
SOME = settings(max_examples=40, deadline=None)
MANY = settings(max_examples=200, deadline=None)


def lived(story: Callable[[World], Awaitable[None]], chat: Chat | None = None) -> None:
    """A story on a root of its own."""

    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            world = World(Path(folder) / "root", FixedClock())
            await world.start(chat=chat)
            try:
                await story(world)
            finally:
                await world.stop()

    asyncio.run(run())


# 4 budget

texts = st.text(alphabet=st.sampled_from("ab 你好😀"), min_size=1, max_size=40)


@counted("budget")
@MANY
@given(st.integers(1, 300), st.none() | texts, st.lists(texts, max_size=12), st.lists(texts, max_size=12))
def test_the_budget_is_kept_and_told_truly(most: int, digest: str | None, facts: list[str], events: list[str]) -> None:
    def filled(max_chars: int) -> Any:
        return fill(
            max_chars,
            Item(value="d", id="d", text=digest) if digest is not None else None,
            [Item(value=text, id=str(place), text=text, score=0.5) for place, text in enumerate(facts)],
            [Item(value=text, id=str(place), text=text) for place, text in enumerate(events)],
        )

    got = filled(most)
    budget = got.budget
    assert budget.used <= most
    assert budget.fact_chars <= most * 2 // 5
    assert budget.used == budget.digest_chars + budget.fact_chars + budget.event_chars
    assert budget.fact_chars == sum(map(units, got.facts))
    assert budget.event_chars == sum(map(units, got.events))
    assert (got.digest is not None) + budget.counts["digest"] == (digest is not None)
    assert len(got.facts) + budget.counts["fact"] == len(facts)
    assert len(got.events) + budget.counts["event"] == len(events)
    assert len(budget.dropped) + budget.omitted == sum(budget.counts.values())
    more = filled(most + 7)
    assert got.digest is None or more.digest is not None


noted = st.lists(st.text(alphabet="abcdefgh", min_size=3, max_size=30), max_size=5, unique=True)


@counted("budget over http")
@SOME
@given(
    said=st.lists(texts, min_size=1, max_size=6),
    noted=noted,
    digest=st.none() | texts,
    most=st.integers(1, 200),
    more=st.integers(1, 100),
    query=st.none() | st.just("abc 你好"),
    limit=st.integers(1, 8),
)
def test_what_is_told_of_a_budget_is_true(
    said: list[str], noted: list[str], digest: str | None, most: int, more: int, query: str | None, limit: int
) -> None:
    async def story(world: World) -> None:
        me = world.client()
        scope = await me.scope()
        for text in said:
            await me.event(scope, text)
        for text in noted:
            await me.note(scope, text)
        if digest is not None:
            await digested(world, scope, digest)
        asked: dict[str, Any] = {"limit": limit, **({"query": query} if query is not None else {})}
        plain = await me.retrieve(scope, **asked)
        assert "budget" not in plain
        rich = await me.retrieve(scope, **asked, maxChars=1_000_000)
        for part in ("digest", "events", "handoff", "retrieval"):
            assert rich.get(part) == plain.get(part)
        by_id = {one["id"]: one for one in plain["factRegistry"]}
        assert {one["id"]: one for one in rich["factRegistry"]} == by_id
        tight = await me.retrieve(scope, **asked, maxChars=most)
        budget = tight["budget"]
        assert budget["usedChars"] == budget["digestChars"] + budget["factChars"] + budget["eventChars"] <= most
        assert budget["factChars"] <= budget["factShareCap"] == 2 * most // 5
        assert budget["digestChars"] == units(tight["digest"] or "")
        assert budget["factChars"] == sum(units(one["content"]) for one in tight["factRegistry"])
        assert budget["eventChars"] == sum(units(one["content"]) for one in tight["events"])
        kept = {"digest": int(tight["digest"] is not None), "fact": len(tight["factRegistry"]),
                "event": len(tight["events"])}  # fmt: skip
        there = {"digest": int(plain["digest"] is not None), "fact": len(by_id), "event": len(plain["events"])}
        assert {kind: kept[kind] + count for kind, count in budget["droppedCounts"].items()} == there
        assert len(budget["dropped"]) + budget["itemsOmitted"] == sum(budget["droppedCounts"].values())
        assert [one for one in plain["events"] if one in tight["events"]] == tight["events"]
        larger = await me.retrieve(scope, **asked, maxChars=most + more)
        assert tight["digest"] is None or larger["digest"] is not None

    lived(story)


# 5 pages


@counted("pages")
@FEW
@given(st.lists(st.integers(0, 3), min_size=1, max_size=9), st.integers(1, 4), st.lists(st.integers(0, 3), max_size=3))
def test_pages_put_together_are_the_whole_list(days: list[int], limit: int, later: list[int]) -> None:
    async def story(world: World) -> None:
        me = world.client()
        scope = await me.scope()
        start = datetime(2030, 1, 1, tzinfo=UTC)

        async def remind(day: int, where: str | None) -> str:
            due = (start + timedelta(days=day)).isoformat().replace("+00:00", "Z")
            made = await me.post("/reminders", {"scopeId": where, "dueAt": due, "text": "x"})
            return str(made["id"])

        first = [await remind(day, scope if place % 2 else None) for place, day in enumerate(days)]
        whole = (await me.get("/reminders?limit=100"))["items"]
        assert len(whole) == len(days)
        seen: list[str] = []
        path, inserts = f"/reminders?limit={limit}", list(later)
        while True:
            page = await me.get(path)
            assert len(page["items"]) <= limit
            seen += [one["id"] for one in page["items"]]
            if page["nextCursor"] is None:
                break
            if inserts:
                await remind(inserts.pop(), None)
            path = f"/reminders?limit={limit}&cursor={page['nextCursor']}"
        assert len(seen) == len(set(seen))
        assert [one for one in seen if one in first] == [one["id"] for one in whole]

    lived(story)


# 6 isolation


def asked(own: dict[str, str]) -> list[tuple[str, str, Any]]:
    """One request for each operation that takes an id, and for each that lists."""
    scope = own["scope"]
    bodies: dict[str, dict[str, Any]] = {
        "/memory/events": {"type": "stream", "content": "x"},
        "/memory/retrieve": {"query": "x"},
        "/memory/answer": {"question": "x"},
        "/memory/runtime/turn": {"message": "x"},
        "/memory/digest": {},
        "/memory/facts/forget": {"factKey": own["key"]},
        "/memory/notes": {"text": "x"},
        "/memory/handoff": {"clear": True},
        "/reminders": {"dueAt": "2030-01-01T00:00:00Z", "text": "x"},
    }
    found: list[tuple[str, str, Any]] = []
    for method, path in FROZEN:
        if (method, path) in {("POST", "/scopes"), ("GET", "/health")}:
            continue
        ids = [own["fact"], own["handoff"], own["event"]] if ":factId" in path else [""]
        for fact_id in ids:
            there = path.replace(":factId", fact_id).replace(":digestId", own["digest"])
            there = there.replace(":scopeId", scope)
            there = there.replace(":id", own["reminder"] if path.startswith("/reminders") else scope)
            query = f"?scopeId={scope}" if path.startswith("/memory/facts") or path == "/facet-pack" else ""
            body = {"scopeId": scope, **bodies[path]} if path in bodies and method == "POST" else None
            found.append((method, f"/v1{there}{query}", body))
    for one in INTERNAL:
        there = one.path.replace(":scopeId", scope).replace(":id", scope)
        body = {"scopeId": scope, "content": "x", "notificationWebhook": None} if one.method != "GET" else None
        found.append((one.method, there if body else f"{there}?scopeId={scope}&message=x", body))
    return found


@counted("isolation")
@FEW
@given(st.uuids(), st.text(alphabet="abcdefghij-", min_size=1, max_size=12), st.booleans())
def test_what_is_anothers_answers_like_what_is_nobodys(random_id: Any, user: str, with_model: bool) -> None:
    async def story(world: World) -> None:
        me, stranger = world.client(), world.client(f"user {user}")
        scope = await me.scope()
        await me.note(scope, "The spare key hangs behind the clock.")
        fact = (await me.facts(scope))["Notes"][0]
        reminder = await me.post("/reminders", {"scopeId": scope, "dueAt": "2030-01-01T00:00:00Z", "text": "x"})
        handoff = await me.post("/memory/handoff", {"scopeId": scope, "summary": "x"})
        own = {
            "scope": scope, "fact": fact["factId"], "key": fact["factKey"], "handoff": handoff["handoffId"],
            "reminder": reminder["id"], "digest": await digested(world, scope, "Goal: ship it."),
            "event": (await me.event(scope, "hello"))["id"],
        }  # fmt: skip
        unknown = {name: own["key"] if name == "key" else str(random_id) for name in own}
        before = await me.retrieve(scope)
        for one, other in zip(asked(own), asked(unknown), strict=True):
            got, expected = await stranger.ask(*one), await stranger.ask(*other)
            assert (got.status_code, got.json()) == (expected.status_code, expected.json()), one[1]
        assert await me.retrieve(scope) == before

    lived(story, ScriptedChat("x") if with_model else None)


# 7 forgetting

_WORDS = ("amber", "birch", "cobalt", "dune", "ember", "fjord", "garnet", "harbour", "indigo", "juniper", "kelp")
words = st.lists(st.sampled_from(_WORDS), min_size=5, max_size=8, unique=True)


@counted("forgetting")
@SOME
@given(words, st.booleans(), st.sampled_from(["nowhere", "event", "document", "cached"]), st.booleans())
def test_what_is_forgotten_is_told_nowhere(chosen: list[str], restarted: bool, before: str, local: bool) -> None:
    text = " ".join(chosen)
    # six of ten words in common at least: one word less, in another order
    paraphrase = " ".join(reversed(chosen[:-1]))
    question = " ".join(reversed(chosen))
    assert same_fact(text, paraphrase)

    async def story(world: World) -> None:
        me = world.client()
        scope = MIA if local else await me.scope()
        if local:
            await world.cache("Hello.", f"Somebody said {text} today" if before == "cached" else "Good morning.")
        if before == "event":
            await me.event(scope, f"Somebody said {text} today")
        elif before == "document":
            await me.event(scope, f"Chapter one: {text}. Chapter two.", type="document", key="book")
        await me.event(scope, "unrelated lunch talk")
        await me.note(scope, text)
        await me.post("/memory/handoff", {"scopeId": scope, "summary": f"stopped\n{text}"})
        await digested(world, scope, f"Goal: ship it. {text.upper()}; done.")
        await world.work(scope)
        fact_id = await me.forget(scope, text)
        if restarted:
            await world.restart()
            me = world.client()
        told = await everything_told(world, question, scope)
        assert text not in told.lower()
        assert "unrelated lunch talk" in told
        audit = await me.get(f"/memory/facts/{fact_id}/provenance?scopeId={scope}")
        assert audit["fact"]["retiredReason"] == "forgotten"
        assert audit["evidence"] == []
        # said once more in other words, by whoever teaches the memory facts
        await me.event(scope, f"I heard that {paraphrase}")
        if local:
            await world.cache(f"Remember that {paraphrase}")
        await world.work(scope)
        facts = [one["content"] for one in (await me.retrieve(scope))["factRegistry"]]
        assert not any(same_fact(fact, text) for fact in facts)
        assert text not in (await everything_told(world, question, scope)).lower()
        async with world.using(scope) as space:
            names = world.engine.cast.names(space.name)
            assert space.forgotten.covers(text, names)
            assert space.forgotten.covers(paraphrase, names)

    lived(story)


# 8 concurrency


@counted("concurrency")
@FEW
@given(st.integers(2, 8), st.integers(2, 6), st.booleans())
def test_writes_at_the_same_time_all_survive_and_a_deletion_wins(notes: int, handoffs: int, deleted: bool) -> None:
    async def story(world: World) -> None:
        me = world.client()
        scope = await me.scope()
        texts = [f"note{number} alpha{number} beta{number} gamma{number}" for number in range(notes)]
        work = [me.ask("POST", "/v1/memory/notes", {"scopeId": scope, "text": text}) for text in texts]
        work += [
            me.ask("POST", "/v1/memory/handoff", {"scopeId": scope, "summary": f"stop {number}"})
            for number in range(handoffs)
        ]
        if deleted:
            work.insert(len(work) // 2, me.ask("DELETE", f"/v1/scopes/{scope}"))
        answers = await asyncio.gather(*work)
        if deleted:
            assert {answer.status_code for answer in answers} <= {200, 201, 404, 503}
            await me.post("/memory/retrieve", {"scopeId": scope}, 404)
            assert [name for name in world.engine.spaces.scopes() if name != "@accounts"] == []
            return
        assert {answer.status_code for answer in answers} == {201}
        assert sorted(item["text"] for item in (await me.facts(scope))["Notes"]) == sorted(texts)
        assert (await me.retrieve(scope))["handoff"]["versionCount"] == handoffs
        assert sum(not answer.json().get("superseded", True) for answer in answers) == 1

    lived(story)


# 10 keys


@counted("keys")
@MANY
@given(
    st.text(min_size=1, max_size=20),
    st.lists(st.text(alphabet="abc好", min_size=1, max_size=5), min_size=1, max_size=4),
)
def test_a_key_is_the_same_whatever_case_and_blanks(group: str, parts: list[str]) -> None:
    plain, wide = " ".join(parts), "  " + " \t ".join(parts).upper() + "\n"
    assert fact_key(group, plain) == fact_key(group, wide)
    assert fact_key(f"{group}x", plain) != fact_key(group, plain)


@counted("one word apart")
@MANY
@given(
    st.text(alphabet="数据库存储项目使用喜欢", min_size=4, max_size=20),
    st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=8), min_size=2, max_size=2, unique=True),
)
def test_chinese_statements_that_differ_in_one_word_are_two(said: str, names: list[str]) -> None:
    one, other = (f"{said} {name}" for name in names)
    assert not same_fact(one, other)
    assert same_fact(one, one)


# 12 clocks


@counted("clocks")
@FEW
@given(st.lists(st.integers(-20_000, 20_000), min_size=1, max_size=6))
def test_events_of_every_age_are_listed_found_and_counted(days: list[int]) -> None:
    async def story(world: World) -> None:
        me = world.client()
        scope = await me.scope()
        now = world.clock.now().astimezone(UTC)
        made = {}
        for number, day in enumerate(days):
            at = (now + timedelta(days=day)).isoformat()
            event = await me.event(scope, f"ferry {number}", occurredAt=at)
            made[event["content"]] = event["createdAt"]
        listed = (await me.retrieve(scope))["events"]
        assert {one["content"]: one["createdAt"] for one in listed} == made
        assert [one["createdAt"] for one in listed] == sorted(made.values(), reverse=True)
        found = await me.retrieve(scope, query="ferry")
        assert {one["content"] for one in found["events"]} == set(made)
        assert found["retrieval"]["candidateCount"] == len(days)
        context = await me.get(f"/memory/relationship-context/{scope}")
        assert context["durationDays"] == max(0, -min(days))

    lived(story)
