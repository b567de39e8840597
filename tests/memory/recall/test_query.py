"""Routing: what is asked by text, by time, by both, by neither."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from memory.recall.document import FACT, FACT_ARCHIVE, PERSONA, REFLECTION, TURN
from tests.fakes import MORNING, ZONE
from tests.memory.recall.samples import ask, fact, facts, ids, indexed, texts, turn


def day(number: int, hour: int = 12) -> datetime:
    return datetime(2026, 5, number, hour, tzinfo=ZONE)


def test_a_text_finds_what_shares_its_words_best_first_by_rank() -> None:
    found = ask(indexed(facts("tea in a blue cup", "coffee in a blue cup", "nothing of the kind")), "blue coffee cup")
    assert [(hit.document.id, hit.score) for hit in found.hits] == [("fact_2", 0.016393), ("fact_1", 0.016129)]
    assert found.candidates_total == 3
    assert found.text == "blue coffee cup"


def test_text_and_time_ask_only_what_overlaps_the_time() -> None:
    memory = indexed([fact(1, "coffee", start=day(1)), fact(2, "coffee", start=day(2)), fact(3, "tea", start=day(1))])
    found = ask(memory, "coffee", time="2026-05-01")
    assert ids(found) == ["fact_1"]
    assert found.candidates_total == 2
    assert found.window is not None


def test_scores_are_made_of_what_overlaps_the_time_alone() -> None:
    # Were the idf taken from the whole memory, "tea" (rare there, common on the day) would win over "milk".
    crowd = [fact(number, "milk", start=day(9)) for number in range(10, 40)]
    those = [fact(1, "tea", start=day(1)), fact(2, "tea", start=day(1)), fact(3, "milk", start=day(1))]
    memory = indexed([*those, *crowd])
    assert ids(ask(memory, "tea milk", time="2026-05-01"))[0] == "fact_3"


@pytest.mark.parametrize("time", ["today", "20260501", "9999-12-31", "  "])
def test_an_unreadable_time_beside_a_text_is_ignored(time: str) -> None:
    found = ask(indexed(facts("coffee")), "coffee", time=time)
    assert ids(found) == ["fact_1"]
    assert found.window is None


@pytest.mark.parametrize("time", ["", "   ", "today"])
def test_neither_text_nor_a_readable_time_finds_nothing(time: str) -> None:
    found = ask(indexed(facts("coffee")), "  ", time=time)
    assert (found.hits, found.candidates_total, found.text) == ((), 0, "")


def test_a_time_alone_ranks_by_distance_inside_first_then_later_starts() -> None:
    memory = indexed([
        fact(1, "before", start=day(1, 0), end=day(1, 22)),        # two hours before the window
        fact(2, "early inside", start=day(2, 1)),
        fact(3, "late inside", start=day(2, 20)),
        fact(4, "starts on the edge", start=day(3, 0)),            # outside, no distance away
        fact(5, "long after", start=day(9)),
        fact(6, "reaches in", start=day(1, 0), end=day(2, 0)),
    ])  # fmt: skip
    found = ask(memory, time="2026-05-02")
    assert texts(found) == [
        "late inside", "early inside", "reaches in", "starts on the edge", "before", "long after",
    ]  # fmt: skip
    assert {hit.score for hit in found.hits} == {None}
    assert found.candidates_total == 6
    assert found.text == ""


def test_without_a_time_of_its_own_an_entry_stands_at_its_creation() -> None:
    memory = indexed([fact(1, "coffee", created_at=day(1))])
    assert ids(ask(memory, "coffee", time="2026-05-01")) == ["fact_1"]
    assert ids(ask(memory, "coffee", time="2026-05-02")) == []


def test_a_reversed_pair_is_taken_the_right_way_round() -> None:
    memory = indexed([fact(1, "coffee", start=day(4), end=day(1))])
    assert ids(ask(memory, "coffee", time="2026-05-02")) == ["fact_1"]


def test_an_entry_whose_time_cannot_be_read_is_outside_every_window_but_counts() -> None:
    memory = indexed([fact(1, "coffee from Kenya", dated=False), fact(2, "coffee from Peru")])
    assert ids(ask(memory, "coffee", time="2026")) == ["fact_2"]
    alone = ask(memory, time="2026")
    assert ids(alone) == ["fact_2"]
    assert alone.candidates_total == 2
    assert set(ids(ask(memory, "coffee"))) == {"fact_1", "fact_2"}


def test_a_limit_is_kept() -> None:
    memory = indexed(facts(*(f"coffee of the sort {number}" for number in range(20))))
    assert len(ask(memory, "coffee").hits) == 8
    assert len(ask(memory, "coffee", limit=3).hits) == 3
    assert len(ask(memory, time="2026", limit=5).hits) == 5


def test_only_the_wanted_tiers_are_asked() -> None:
    memory = indexed([
        fact(1, "coffee from Kenya"), fact(2, "coffee from Peru", tier=REFLECTION),
        fact(3, "coffee from Java", tier=FACT_ARCHIVE), fact(4, "coffee from Cuba", tier=PERSONA),
    ])  # fmt: skip
    assert set(ids(ask(memory, "coffee"))) == {"fact_1", "fact_2", "fact_3"}
    assert ids(ask(memory, "coffee", tiers=[PERSONA])) == ["fact_4"]
    found = ask(memory, "coffee", tiers=[FACT, PERSONA])
    assert set(ids(found)) == {"fact_1", "fact_4"}
    assert found.candidates_total == 2


def test_memories_and_conversation_are_asked_as_one() -> None:
    memories = indexed(facts("The user drinks coffee", "The user lives in Berlin"))
    talk = indexed([turn(1, "I had three cups of coffee"), turn(2, "Good night", at=MORNING)])
    found = ask([memories, talk], "coffee", tiers=[FACT, TURN])
    assert set(ids(found)) == {"fact_1", "turn_1"}
    assert found.candidates_total == 4


def test_neighbours_come_in_order_of_speaking_and_never_from_beyond_the_ends() -> None:
    talk = indexed([turn(row, text) for row, text in enumerate(("Hello", "The violin, since school", "Oh", "Yes"), 1)])
    hit = ask(talk, "violin", tiers=[TURN], context=2).hits[0]
    assert [document.text for document in hit.before] == ["Hello"]
    assert [document.text for document in hit.after] == ["Oh", "Yes"]


def test_facts_have_no_neighbours() -> None:
    hit = ask(indexed(facts("coffee", "tea")), "coffee", context=2).hits[0]
    assert (hit.before, hit.after) == ((), ())


def test_an_explanation_names_terms_ranks_and_what_each_kind_of_evidence_gave() -> None:
    talk = indexed([
        turn(1, "Which instrument do you play?", speaker="Bob"),
        turn(2, "The violin, since school", speaker="Alice"),
        turn(3, "The violin is hard", speaker="Bob"),
    ])  # fmt: skip
    hit = ask(talk, "Which violin does Alice play?", tiers=[TURN], explain=True).hits[0]
    assert hit.document.id == "turn_2"
    assert hit.explanation is not None
    assert hit.explanation.terms == ("violin",)
    assert hit.explanation.ranks == {"words": 1}
    assert hit.explanation.parts["speaker"] == 1.0
    assert hit.explanation.parts["date"] == 0.0
    assert hit.explanation.parts["neighbours"] > 0.0
    assert sum(hit.explanation.parts.values()) == pytest.approx(hit.explanation.total, abs=1e-5)
    assert ask(talk, "violin", tiers=[TURN]).hits[0].explanation is None


def test_the_same_memory_gives_the_same_answer_however_its_index_came_to_be() -> None:
    documents = [fact(number, f"coffee with milk and sort {number % 7}", created_at=MORNING) for number in range(30)]
    assert ids(ask(indexed(documents), "coffee milk")) == ids(ask(indexed(documents[::-1]), "coffee milk"))


def test_nothing_remembered_answers_nothing() -> None:
    assert ids(ask(indexed([]), "coffee")) == []
    assert ids(ask([], "coffee")) == []
    assert ids(ask(indexed([]), time="2026")) == []


def test_the_edges_of_the_calendar_can_be_remembered() -> None:
    memory = indexed([
        fact(1, "big bang", start=datetime(1, 1, 1, tzinfo=ZONE), end=datetime(9999, 12, 31, 23, tzinfo=ZONE)),
        fact(2, "coffee", start=day(1), end=day(1) + timedelta(days=3)),
    ])  # fmt: skip
    assert set(ids(ask(memory, time="2026-05-02"))) == {"fact_1", "fact_2"}
