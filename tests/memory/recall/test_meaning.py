"""The leg of meaning beside that of words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.recall.cosine import Vectors, VectorSnapshot
from memory.recall.document import TURN
from memory.recall.meaning import Alone, Dense
from memory.recall.query import Answer, Query, answer
from tests.fakes import FixedClock
from tests.memory.recall.samples import fact, facts, ids, indexed, turn

EAST = np.array([1, 0, 0], dtype=np.float32)
NORTH = np.array([0, 1, 0], dtype=np.float32)
BETWEEN = np.array([0.8, 0.6, 0], dtype=np.float32)
UP = np.array([0, 0, 1], dtype=np.float32)


def vectors(**by_id: NDArray[np.float32]) -> VectorSnapshot:
    held = Vectors(3)
    held.put(list(by_id), np.stack(list(by_id.values())))
    return held.snapshot()


def asked(snapshot: object, text: str, dense: Dense | None, **fields: object) -> Answer:
    clock = FixedClock()
    query = Query(text=text, **fields)  # type: ignore[arg-type]
    return answer([snapshot], query, now=clock.now(), clock=clock, dense=dense)  # type: ignore[list-item]


def test_a_document_first_in_both_legs_has_both_scores() -> None:
    memory = indexed(facts("The user drinks coffee", "The user likes tea"))
    dense = Dense(query=EAST, documents=[vectors(fact_1=EAST, fact_2=UP)], floor=0.3)
    found = asked(memory, "coffee", dense)
    assert [(hit.document.id, hit.score) for hit in found.hits] == [("fact_1", 0.032787)]


def test_a_document_without_any_of_the_words_is_found_by_meaning() -> None:
    memory = indexed(facts("The user drinks espresso", "The user likes cycling"))
    dense = Dense(query=EAST, documents=[vectors(fact_1=BETWEEN, fact_2=UP)], floor=0.3)
    assert ids(asked(memory, "hot beverages", dense)) == ["fact_1"]
    assert ids(asked(memory, "hot beverages", None)) == []


def test_what_is_below_the_floor_and_shares_no_word_is_no_answer() -> None:
    memory = indexed(facts("The user drinks espresso"))
    dense = Dense(query=EAST, documents=[vectors(fact_1=BETWEEN)], floor=0.9)
    assert ids(asked(memory, "hot beverages", dense)) == []


def test_a_document_without_a_vector_is_still_found_by_words() -> None:
    memory = indexed(facts("The user drinks coffee", "The user likes tea"))
    dense = Dense(query=EAST, documents=[vectors(fact_2=EAST)], floor=0.3)
    assert set(ids(asked(memory, "coffee", dense))) == {"fact_1", "fact_2"}


def test_a_vector_of_what_is_not_asked_or_no_longer_known_finds_nothing() -> None:
    memory = indexed([fact(1, "The user drinks espresso", tier="persona")])
    dense = Dense(query=EAST, documents=[vectors(fact_1=EAST, fact_9=EAST)], floor=0.3)
    assert ids(asked(memory, "hot beverages", dense)) == []


def test_a_turn_counts_together_with_the_one_before_it() -> None:
    # Both short answers are equally near the question by themselves; turn 4 follows what the question is about.
    talk = indexed([turn(1, "The weather was fine"), turn(2, "Yes, both"), turn(3, "Any dogs?"), turn(4, "Yes, two")])
    near = np.array([0.6, 0.8, 0], dtype=np.float32)
    held = vectors(turn_1=UP, turn_2=near, turn_3=EAST, turn_4=near)
    found = asked(talk, "puppies", Dense(query=EAST, documents=[held], floor=0.5), tiers=[TURN], explain=True)
    ranks = {hit.document.id: hit.explanation.ranks["meaning"] for hit in found.hits if hit.explanation is not None}
    assert ranks["turn_4"] < ranks["turn_2"]


def alone(least: float, apart: float = 0.0, crowd: float = 0.0) -> Alone:
    return Alone(least=least, crowd=crowd, apart=apart)


def test_while_no_word_is_shared_only_what_is_very_near_is_an_answer() -> None:
    memory = indexed(facts("The user drinks espresso", "The user likes cycling"))
    held = vectors(fact_1=BETWEEN, fact_2=UP)       # cosines .8 and 0
    assert ids(asked(memory, "hot beverages", Dense(query=EAST, documents=[held], floor=0.5, alone=alone(0.9)))) == []
    found = asked(memory, "hot beverages", Dense(query=EAST, documents=[held], floor=0.5, alone=alone(0.7)))
    assert ids(found) == ["fact_1"]


def test_while_no_word_is_shared_what_is_as_near_as_everything_else_is_no_answer() -> None:
    memory = indexed(facts("The user drinks espresso", "The user likes cycling"))
    held = vectors(fact_1=BETWEEN, fact_2=BETWEEN)
    dense = Dense(query=EAST, documents=[held], floor=0.5, alone=alone(0.7, apart=0.1))
    assert ids(asked(memory, "hot beverages", dense)) == []


def test_the_more_texts_there_are_the_nearer_one_must_be() -> None:
    # 0.7 for ten, 0.8 for a hundred, 0.9 for a thousand
    assert [alone(0.7, crowd=0.1).answers(0.85, 0.0, size) for size in (5, 10, 100, 1000)] == [True, True, True, False]


def test_once_a_word_is_shared_the_lower_floor_holds() -> None:
    memory = indexed(facts("The user drinks espresso", "The user likes hot soup"))
    held = vectors(fact_1=BETWEEN, fact_2=UP)
    found = asked(memory, "hot beverages", Dense(query=EAST, documents=[held], floor=0.5, alone=alone(0.9)))
    assert set(ids(found)) == {"fact_1", "fact_2"}


def test_what_has_no_vector_yet_is_not_held_back_by_it() -> None:
    # What shares more words with the question is nearer to it; the fifth, of which only words are known, has them all.
    texts = [f"The user keeps bees {'and honey ' if number < 2 else ''}near place {number}" for number in range(4)]
    memory = indexed(facts(*texts, "The user keeps bees, honey and wax"))
    rows = [np.array([c, np.sqrt(1 - c * c), 0], dtype=np.float32) for c in (0.9, 0.9, 0.7, 0.7)]
    held = vectors(**{f"fact_{number}": row for number, row in enumerate(rows, 1)})
    found = asked(memory, "bees honey wax", Dense(query=EAST, documents=[held], floor=0.5))
    assert ids(found)[0] == "fact_5"


def test_an_explanation_names_the_ranks_in_both_legs() -> None:
    memory = indexed(facts("The user drinks coffee", "The user drinks coffee or tea"))
    dense = Dense(query=EAST, documents=[vectors(fact_1=NORTH, fact_2=EAST)], floor=0.3)
    hit = asked(memory, "coffee", dense, explain=True).hits[0]
    assert hit.explanation is not None
    assert set(hit.explanation.ranks) == {"words", "meaning"}
