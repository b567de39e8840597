"""English statements that become facts."""

from __future__ import annotations

import pytest

from memory.facts.fact import MASTER, NEKO, RELATIONSHIP
from tests.memory.facts.rules_told import Names, one, told

STATEMENTS = [
    # said, slot, object, text
    ("My name is Rebecca, nice to meet you", "name", "rebecca", "The user's name is Rebecca."),
    ("you can call me Dee", "alias", "dee", "The user wants to be called Dee."),
    ("I live in Berlin.", "home", "berlin", "The user lives in Berlin."),
    ("i moved to Munich", "home", "munich", "The user moved to Munich."),
    ("I'm from Texas", "origin", "texas", "The user is from Texas."),
    ("im 27 btw", "age", "27", "The user is 27."),
    ("my birthday is the 14th of October", "birthday", "10 14", "The user's birthday is the 14th of October."),
    ("I work as a nurse", "job", "nurse", "The user works as a nurse."),
    ("I'm a software engineer", "job", "software engineer", "The user is a software engineer."),
    ("i work at the city library", "workplace", "city library", "The user works at the city library."),
    ("I study marine biology", "major", "marine biology", "The user studies marine biology."),
    ("I'm allergic to shellfish", "allergy", "shellfish", "The user is allergic to shellfish."),
    ("im vegan", "diet", "vegan", "The user is vegan."),
    ("my sister lives in Paris", "family", "sister lives in paris", "The user's sister lives in Paris."),
    ("my gf is korean", "family", "gf is korean", "The user's gf is korean."),
    ("I have a cat named Momo", "pet", "cat momo", "The user has a cat named Momo."),
    ("i really love thunderstorms", "preference", "thunderstorms", "The user really loves thunderstorms."),
    ("my fav color is teal", "favourite:color", "teal", "The user's favourite color is teal."),
    ("i'm scared of spiders", "fear", "spiders", "The user is scared of spiders."),
    (
        "I usually wake up at 6 and go running",
        "habit",
        "wake up at 6 and go running",
        "The user usually wakes up at 6 and goes running.",
    ),
    ("I can play the cello", "skill", "play cello", "The user can play the cello."),
    ("I'm learning Korean", "learning", "korean", "The user is learning Korean."),
    ("my dream is to open a bookshop", "wish", "open bookshop", "The user's dream is to open a bookshop."),
    ("I've been feeling really anxious lately", "state", "anxious", "The user has been feeling really anxious lately."),
    ("i passed my driving test", "event", "passed driving test", "The user passed the user's driving test."),
]


@pytest.mark.parametrize(("said", "slot", "value", "text"), STATEMENTS, ids=[row[0] for row in STATEMENTS])
def test_a_statement_about_oneself_becomes_a_fact_in_the_third_person(
    said: str, slot: str, value: str, text: str
) -> None:
    draft = one(said)
    assert (draft.slot, draft.object, draft.text) == (slot, value, text)
    assert (draft.entity, draft.language, draft.negated) == (MASTER, "en", False)


@pytest.mark.parametrize(
    ("said", "slot", "value"),
    [
        ("I don't like coffee", "preference", "coffee"),
        ("I hate mondays", "preference", "mondays"),
        ("I can't swim", "skill", "swim"),
        ("i never eat breakfast", "habit", "eat breakfast"),
        ("I don't have any siblings", "family", "siblings"),
        ("I'm not a teacher", "job", "teacher"),
        ("i dont eat pork", "diet", "pork"),
    ],
)
def test_a_denial_keeps_its_polarity(said: str, slot: str, value: str) -> None:
    draft = one(said)
    assert (draft.slot, draft.object, draft.negated) == (slot, value, True)


@pytest.mark.parametrize(
    "said",
    [
        "I don't live in Rome anymore",
        "actually my favourite color is red",
        "no wait, my birthday is May 3rd",
        "I'm from Wales, not England",
        "I no longer work at Nokia",
        "i used to love horror films",
        "I'm not a teacher but a nurse",
    ],
)
def test_a_cue_of_change_marks_a_correction_and_weighs_more(said: str) -> None:
    draft = one(said)
    assert draft.correction
    assert draft.importance >= 8


def test_what_is_taken_back_in_the_same_breath_does_not_stand() -> None:
    draft = one("I'm not a teacher, I'm a nurse")
    assert (draft.slot, draft.object, draft.negated, draft.correction) == ("job", "nurse", False, True)


def test_a_configured_name_is_used() -> None:
    (draft,) = told("I love my cat", names=Names(neko="Luna", master="Alice"))
    assert draft.text == "Alice loves Alice's cat."


def test_you_becomes_the_character_where_the_sentence_allows_it() -> None:
    (draft,) = told("i'm going to take you to the beach tomorrow")[:1] or (None,)
    assert draft is None or "Luna" in draft.text


def test_a_sentence_that_cannot_be_turned_round_is_quoted() -> None:
    draft = one("my ex and i share custody of our son")
    assert draft.text == 'The user said: "my ex and I share custody of our son"'


def test_statements_strung_together_become_facts_of_their_own() -> None:
    drafts = told("hey im from cork, i live in leeds and work as a nurse")
    assert [(draft.slot, draft.object) for draft in drafts] == [("origin", "cork"), ("home", "leeds"), ("job", "nurse")]


def test_a_list_of_likes_becomes_a_fact_each() -> None:
    drafts = told("I like tea, coffee and hot chocolate")
    assert [draft.text for draft in drafts] == [
        "The user likes tea.",
        "The user likes coffee.",
        "The user likes hot chocolate.",
    ]


def test_a_statement_before_a_question_counts() -> None:
    assert one("my favorite band is Muse, what about you?").object == "muse"


def test_a_question_that_only_softens_a_wish_about_the_name_does_not_undo_it() -> None:
    assert one("call me Tommy, ok?").object == "tommy"


def test_what_should_be_remembered_is_as_important_as_can_be() -> None:
    draft = one("please remember that my locker code is 4821")
    assert (draft.slot, draft.importance, draft.text) == ("remember", 10, "The user's locker code is 4821.")


def test_a_wish_to_remember_keeps_the_slot_of_what_is_said() -> None:
    draft = one("don't forget, i'm allergic to penicillin!!")
    assert (draft.slot, draft.importance) == ("allergy", 10)


def test_the_subject_that_chat_leaves_out_is_put_back() -> None:
    draft = one("just adopted a puppy!")
    assert draft.text == "The user just adopted a puppy."
    assert draft.confidence < 0.9


def test_facts_about_the_character_and_the_bond_have_their_own_subjects() -> None:
    assert one("you are my best friend").entity == NEKO
    bond = one("we promised to watch the meteor shower together")
    assert (bond.entity, bond.text) == (RELATIONSHIP, "The user and Luna promised to watch the meteor shower together.")


def test_we_is_not_the_two_who_talk_when_others_are_about() -> None:
    assert told("Went out with my family. We played games together") == []


def test_a_third_persons_statement_keeps_its_subject() -> None:
    (draft,) = told("My roommate Jess is allergic to peanuts")
    assert draft.text == "The user's roommate Jess is allergic to peanuts."
    assert draft.slot == "people"


def test_the_five_weightiest_statements_are_kept() -> None:
    drafts = told("I like tea. I like jam. I like rye. I like soup. I like figs. My name is Ada. I'm allergic to nuts.")
    assert len(drafts) == 5
    assert {"name", "allergy"} <= {draft.slot for draft in drafts}
