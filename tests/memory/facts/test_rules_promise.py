"""The character's promises."""

from __future__ import annotations

from memory.facts.fact import AI_DISCLOSURE, NEKO
from memory.facts.rules.draft import Draft
from memory.facts.rules.promise import promises
from tests.memory.facts.rules_told import AI, NAMES, Names, turn


def promised(content: str, names: Names = NAMES) -> list[Draft]:
    return promises(turn(content, kind=AI), names)


def test_a_promise_is_kept_as_the_characters_own() -> None:
    (draft,) = promised("[20260504 Mon 10:00] Okay, I promise to wake you up at 7 tomorrow!")
    assert draft.text == "Luna promises to wake the user up at 7 tomorrow."
    assert (draft.entity, draft.source, draft.importance, draft.slot) == (NEKO, AI_DISCLOSURE, 6, "promise")


def test_a_chinese_promise_is_kept() -> None:
    (draft,) = promised("放心，我答应你明天叫你起床。")
    assert draft.text == "Luna答应主人明天叫主人起床。"
    assert draft.event_when_raw == {"start": {"offset": 1, "unit": "day"}, "end": None}


def test_to_remember_is_a_promise() -> None:
    assert promised("我会记得你对花生过敏的")[0].text == "Luna会记得主人对花生过敏的。"
    assert promised("I'll never forget your birthday")[0].text == "Luna will never forget the user's birthday."


def test_a_promise_that_cannot_be_turned_round_is_quoted() -> None:
    (draft,) = promised("I promise that you can always talk to me")
    assert draft.text == 'Luna said: "I promise that you can always talk to me"'


def test_nothing_else_that_the_character_says_is_kept() -> None:
    for said in (
        "I love tuna.",
        "I live in the cloud",
        "Do you want me to promise?",
        "I can't promise anything",
        "我住在你心里",
        "If you come back I promise to sing",
    ):
        assert promised(said) == []


def test_only_the_character_promises() -> None:
    assert promises(turn("I promise to call you tomorrow"), NAMES) == []
    assert promises(turn("I promise to call you tomorrow", kind=AI, speaker="Dave"), NAMES) == []
    assert promises(turn("I promise to call you tomorrow", kind=AI, speaker="luna"), NAMES)


def test_at_most_three_promises_of_a_turn_are_kept() -> None:
    said = " ".join(f"I promise to bring you {thing}." for thing in ("tea", "jam", "figs", "soup"))
    assert len(promised(said)) == 3
