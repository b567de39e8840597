"""How events and facts are ranked, and how an answer is filled up to a number of characters."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory.state.budget import Item, fill
from memory.state.ranking import read_question
from tests.dialects.statecore.conftest import Client, World
from tests.fakes import WordEmbedder


def match(found: Any, content: str) -> Any:
    (event,) = [event for event in found["events"] if event["content"] == content]
    return next(one for one in found["retrieval"]["matches"] if one["id"] == event["id"])


# ranking


async def test_an_event_behind_many_later_ones_is_found_by_its_words(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "The spare key hangs behind the clock.")
    async with world.using(scope):
        for number in range(210):       # more than are looked at for being new
            await me.event(scope, f"lunch number {number}")
    found = await me.retrieve(scope, query="where is the spare key", limit=5)
    assert found["events"][0]["content"] == "The spare key hangs behind the clock."
    first = found["retrieval"]["matches"][0]
    assert "lexical" in first["rankingReason"]
    assert "recency" not in first["rankingReason"]
    # the pool: the clamp of 4 × 5 to 40 newest, and the one with the words
    assert found["retrieval"]["candidateCount"] == 41


async def test_a_long_question_is_asked_for_its_rarest_words(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "A zeppelin was seen.")
    common = " ".join(f"alpha{number}" for number in range(40))     # first in the alphabet, and too many
    async with world.using(scope):
        for _ in range(60):
            await me.event(scope, common)
    found = await me.retrieve(scope, query=f"{common} nowhere zeppelin", limit=1)
    assert found["retrieval"]["candidateCount"] == 41       # the newest forty, and the one with the rare word
    none = await me.retrieve(scope, query="nowhere", limit=1)
    assert none["retrieval"]["candidateCount"] == 40


async def test_recency_lies_between_the_oldest_and_the_newest_of_the_pool(world: World, me: Client) -> None:
    scope = await me.scope()
    now = world.clock.now()
    for days, said in ((10, "ferry at noon"), (0, "ferry at night"), (5, "ferry at dawn")):
        await me.event(scope, said, occurredAt=(now - timedelta(days=days)).isoformat())
    found = await me.retrieve(scope, query="ferry")
    scores = {said: match(found, said)["recencyScore"] for said in ("ferry at noon", "ferry at dawn", "ferry at night")}
    assert scores == {"ferry at noon": 0.0, "ferry at dawn": 0.5, "ferry at night": 1.0}


async def test_the_final_score_follows_from_the_others(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "storage is sqlite", pinned=True)
    world.clock.advance(60)
    await me.event(scope, "storage and release are planned")
    await me.event(scope, "nothing of that kind")
    found = await me.retrieve(scope, query="storage release")
    for one in found["retrieval"]["matches"]:
        pin = 0.25 if "pinned" in one["rankingReason"] else 0.0
        expected = 0.8 * one["heuristicScore"] + 0.2 * one["recencyScore"] + pin
        assert one["finalScore"] == pytest.approx(expected, abs=0.002)
        assert 0 <= one["heuristicScore"] <= 1
        assert 0 <= one["recencyScore"] <= 1
    assert match(found, "nothing of that kind")["heuristicScore"] == 0.0
    assert match(found, "storage and release are planned")["heuristicScore"] == 1.0


async def test_a_rare_word_counts_for_more_than_a_common_one(me: Client) -> None:
    scope = await me.scope()
    for number in range(8):
        await me.event(scope, f"the meeting number {number} was long")
    await me.event(scope, "a zeppelin over town")
    found = await me.retrieve(scope, query="meeting zeppelin")
    assert found["events"][0]["content"] == "a zeppelin over town"


async def test_a_pin_does_not_lift_what_has_nothing_to_do_with_the_question(me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "something else entirely", pinned=True)
    await me.event(scope, "storage is sqlite")
    found = await me.retrieve(scope, query="storage sqlite")
    assert [event["content"] for event in found["events"]] == ["storage is sqlite", "something else entirely"]


async def test_equals_come_newest_first(world: World, me: Client) -> None:
    scope = await me.scope()
    for said in ("ferry one", "ferry two", "ferry three"):
        await me.event(scope, said)             # all at one moment
    found = await me.retrieve(scope, query="ferry")
    assert [event["content"] for event in found["events"]] == ["ferry three", "ferry two", "ferry one"]


@pytest.mark.parametrize(
    ("asked", "concepts"),
    [
        ("what did we decide", ("decision",)),
        ("is anything blocked", ("constraint",)),
        ("the next step, and what is done", ("todo", "status")),
        ("we mustard", ()),
        ("a blockade", ()),
    ],
)
def test_a_question_asks_for_the_whole_of_its_concept(asked: str, concepts: tuple[str, ...]) -> None:
    assert read_question(asked).concepts == concepts


async def test_what_was_chosen_answers_a_question_about_decisions(me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "lunch was good")
    await me.event(scope, "we chose sqlite")
    await me.event(scope, "dinner was good")
    found = await me.retrieve(scope, query="which decision was made")
    assert found["events"][0]["content"] == "we chose sqlite"
    assert "concepts=decision" in found["retrieval"]["matches"][0]["rankingReason"]


async def test_a_match_tells_of_documents_by_their_key(me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "the plan is to ship", type="document", key="doc:plan")
    first = (await me.retrieve(scope, query="plan"))["retrieval"]["matches"][0]
    assert (first["sourceType"], first["key"]) == ("document", "doc:plan")


# meaning


async def embedded(world: World, scope: str) -> None:
    async with world.using(scope):
        for _ in range(5):
            await world.engine.backfill.tick()


async def test_with_a_model_the_meaning_counts_and_is_told(world: World) -> None:
    await world.stop()
    await world.start(embedder=WordEmbedder())
    me = world.client()
    scope = await me.scope()
    await me.event(scope, "is it on at an in")      # nothing of it is a word for the index
    await me.event(scope, "the ferry leaves")
    await embedded(world, scope)
    found = await me.retrieve(scope, query="is it on at an in")
    told = found["retrieval"]
    assert (told["mode"], told["embeddingRequested"], told["embeddingConfigured"]) == ("hybrid", True, True)
    assert told["reranked"] is True
    assert "degraded" not in told
    best = told["matches"][0]
    assert found["events"][0]["content"] == "is it on at an in"
    assert (best["heuristicScore"], best["embeddingScore"]) == (0.0, 1.0)
    assert best["finalScore"] == pytest.approx(0.55 + 0.2 * best["recencyScore"], abs=0.001)
    assert best["rankingReason"].startswith("embedding_rerank, sources=")
    assert "vector" in best["rankingReason"]


async def test_an_event_without_a_vector_yet_is_found_all_the_same(world: World) -> None:
    await world.stop()
    await world.start(embedder=WordEmbedder())
    me = world.client()
    scope = await me.scope()
    await me.event(scope, "lunch was good")
    await embedded(world, scope)
    await me.event(scope, "the ferry leaves at noon")
    found = await me.retrieve(scope, query="ferry leaves noon")
    assert found["events"][0]["content"] == "the ferry leaves at noon"
    assert "embeddingScore" not in found["retrieval"]["matches"][0]


async def test_what_was_forgotten_is_not_found_by_its_meaning(world: World) -> None:
    await world.stop()
    await world.start(embedder=WordEmbedder())
    me = world.client()
    scope = await me.scope()
    await me.event(scope, "we use pnpm in this house")
    await me.event(scope, "lunch was good")
    await me.note(scope, "We use pnpm")
    await embedded(world, scope)
    await me.forget(scope, "We use pnpm")
    found = await me.retrieve(scope, query="we use pnpm in this house")
    assert [event["content"] for event in found["events"]] == ["lunch was good"]


class Broken(WordEmbedder):
    state = "failed"


async def test_a_model_that_fails_is_no_hybrid_and_is_told(world: World) -> None:
    await world.stop()
    await world.start(embedder=Broken())
    me = world.client()
    scope = await me.scope()
    await me.event(scope, "the ferry leaves")
    told = (await me.retrieve(scope, query="ferry"))["retrieval"]
    assert (told["mode"], told["reranked"], told["embeddingRequested"]) == ("heuristic", False, True)
    assert [one["stage"] for one in told["degraded"]] == ["vector_search"]
    assert told["degraded"][0]["error"]


# the budget


async def test_facts_take_their_share_at_most_and_say_why(me: Client) -> None:
    scope = await me.scope()
    for text in ("a" * 30, "b" * 30, "c" * 5):
        await me.note(scope, text)
    await me.event(scope, "d" * 20)
    budget = (found := await me.retrieve(scope, maxChars=100))["budget"]
    # 40 of 100 for facts: the first that is tried fits, the second does not, the third does again
    assert budget["factShareCap"] == 40
    assert sorted(len(one["content"]) for one in found["factRegistry"]) == [5, 30]
    assert (budget["factChars"], budget["eventChars"], budget["usedChars"]) == (35, 20, 55)
    assert [(one["kind"], one["reason"], one["chars"]) for one in budget["dropped"]] == [("fact", "fact_share_cap", 30)]


@pytest.mark.parametrize(
    ("most", "fact", "reason"),
    [(100, 35, "budget_exhausted"), (120, 49, "fact_share_cap")],   # 30 are left of 40; 48 may be taken of 50
)
def test_facts_are_short_of_room_where_the_digest_took_it(most: int, fact: int, reason: str) -> None:
    nothing: list[Item[str]] = []
    digest, facts = Item(value="d", id="d", text="d" * 70), [Item(value="f", id="f", text="f" * fact)]
    assert [one.reason for one in fill(most, digest, facts, nothing).budget.dropped] == [reason]


async def test_one_that_does_not_fit_keeps_none_behind_it_out(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "s" * 10)
    world.clock.advance(1)
    await me.event(scope, "L" * 500)
    found = await me.retrieve(scope, maxChars=100)
    assert [event["content"] for event in found["events"]] == ["s" * 10]
    assert [one["chars"] for one in found["budget"]["dropped"]] == [500]


async def test_the_budget_stands_at_the_top_with_a_question_and_without(me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "hello there")
    assert "retrieval" not in (plain := await me.retrieve(scope, maxChars=5))
    assert plain["budget"]["droppedCounts"] == {"digest": 0, "fact": 0, "event": 1}
    asked = await me.retrieve(scope, query="hello", maxChars=5)
    assert asked["budget"]["droppedCounts"]["event"] == 1
    assert (asked["retrieval"]["returnedCount"], asked["retrieval"]["matches"]) == (0, [])
    assert asked["retrieval"]["candidateCount"] == 1


async def test_a_hundred_drops_are_listed_and_all_are_counted(me: Client) -> None:
    scope = await me.scope()
    for number in range(30):
        await me.note(scope, f"note{number} alpha{number} beta{number}")
    for number in range(90):
        await me.event(scope, f"event number {number}")
    budget = (await me.retrieve(scope, limit=100, maxChars=1))["budget"]
    assert budget["droppedCounts"] == {"digest": 0, "fact": 30, "event": 90}
    assert (len(budget["dropped"]), budget["itemsOmitted"]) == (100, 20)
    assert [one["kind"] for one in budget["dropped"]] == ["fact"] * 30 + ["event"] * 70
    assert budget["usedChars"] == 0


async def test_a_handoff_costs_nothing(me: Client) -> None:
    scope = await me.scope()
    await me.post("/memory/handoff", {"scopeId": scope, "summary": "x" * 2000})
    found = await me.retrieve(scope, maxChars=1)
    assert len(found["handoff"]["content"]) == 2000
    assert found["budget"]["usedChars"] == 0


async def test_characters_are_counted_as_clients_count_them(me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "😀好a")      # 2 + 1 + 1 units
    assert (await me.retrieve(scope, maxChars=3))["budget"]["dropped"][0]["chars"] == 4
    assert (await me.retrieve(scope, maxChars=4))["budget"]["usedChars"] == 4


async def test_with_a_question_the_facts_that_answer_it_go_in_first(world: World, me: Client) -> None:
    scope = await me.scope()
    for text in ("Lunch is at noon every day.", "The ferry leaves at eight.", "The cat sleeps at night."):
        await me.note(scope, text)
        world.clock.advance(60)
    found = await me.retrieve(scope, query="when does the ferry leave", maxChars=80)
    assert found["factRegistry"][0]["content"] == "The ferry leaves at eight."
    scores = [one["score"] for one in found["budget"]["dropped"] if one["kind"] == "fact"]
    assert scores == [0.0, 0.0]
    # without a question the surest and then the newest, and no score
    newest = await me.retrieve(scope, maxChars=80)
    assert [one["content"] for one in newest["factRegistry"]] == ["The cat sleeps at night."]
    assert all("score" not in one for one in newest["budget"]["dropped"])
    # and without a budget as they were learnt
    plain = await me.retrieve(scope, query="when does the ferry leave")
    assert plain["factRegistry"][0]["content"] == "Lunch is at noon every day."
