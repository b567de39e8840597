from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import tokens
from memory.history.memo import Memo, is_memo, make_memo, parse_memo
from memory.history.turn import AI, HUMAN, SYSTEM, Turn
from memory.locale import LOCALES
from memory.people import Names
from memory.strings.catalogue import TEXTS

NAMES = Names(neko="Neko", master="Alice")
NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


def turn(row: int, text: str, *, kind: str = HUMAN, days_ago: float = 0.5, speaker: str | None = None) -> Turn:
    at = NOW - timedelta(days=days_ago) + timedelta(seconds=row)
    return Turn(id=f"turn_{row}", row=row, kind=kind, content=text, at=at, session="s", speaker=speaker)


def chat(*texts: str, start: int = 1) -> list[Turn]:
    return [turn(start + n, text, kind=HUMAN if n % 2 == 0 else AI) for n, text in enumerate(texts)]


def memo(turns: Sequence[Turn], previous: Memo | None = None, *, locale: str = "en", budget: int = 1_000) -> Memo:
    return make_memo(previous, turns, NAMES, locale, NOW, budget)


FILLER = [
    f"Yesterday the {animal} in the garden {verb} near the old {thing} by the river bank."
    for animal in ("cat", "dog", "fox", "hen", "owl", "frog")
    for verb in ("slept", "sang", "danced", "ate")
    for thing in ("tree", "bench", "gate", "well", "wall")
]


def test_a_line_has_date_speaker_and_sentence() -> None:
    made = memo(chat("I bought a red bicycle.", "[20260520 Wed 00:00] What a lovely colour!"))
    assert made.text == (
        "Memo from prior conversations: (excerpts)\n"
        "[05-20] Alice: I bought a red bicycle.\n"
        "[05-20] Neko: What a lovely colour!"
    )


def test_lines_carry_the_turns_they_come_from() -> None:
    made = memo(chat("I bought a red bicycle.", "What a lovely colour!"))
    assert [item.turn_id for item in made.items] == ["turn_1", "turn_2"]
    assert made.rows == (1, 2)


@pytest.mark.parametrize("locale", LOCALES)
def test_the_text_begins_with_the_prefix_of_its_language_and_says_that_it_is_excerpts(locale: str) -> None:
    text = memo(chat("I bought a red bicycle."), locale=locale).text
    assert text.startswith(TEXTS["memo_prefix"][locale] + TEXTS["memo_excerpts"][locale] + "\n")
    assert is_memo(text)


def test_nothing_said_makes_an_empty_memo_with_no_text() -> None:
    assert memo([]).text == ""
    assert memo([turn(1, "…!"), turn(2, "network error", kind=SYSTEM)]).items == ()


RULES = [
    "Please don't mention my ex again.", "From now on speak slowly.", "Remember that my sister visits on Friday.",
    "以后不要叫我宝贝。", "記得明天買牛奶。", "その話はしないでください。",
    "그 얘기는 하지 마세요.", "Не называй меня так.",
    "No me llames por la noche.", "Não fale sobre isso.", "I'm allergic to peanuts.", "Actually I live in Osaka.",
]  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_what_was_laid_down_is_kept_word_for_word_before_any_talk(rule: str) -> None:
    turns = [turn(1, rule), *(turn(n + 2, text) for n, text in enumerate(FILLER))]
    made = memo(turns, budget=120)
    assert rule in made.text
    assert len(made.items) > 1


def test_a_rule_survives_many_compressions_where_talk_fades() -> None:
    made = memo([turn(1, RULES[0]), turn(2, FILLER[0])], budget=150)
    for n in range(1, 20):
        made = memo([turn(10 * n + k, FILLER[5 * n + k]) for k in range(5)], made, budget=150)
    assert RULES[0] in made.text
    assert FILLER[0] not in made.text
    assert FILLER[99] in made.text


def test_a_flood_of_rules_leaves_room_for_what_was_talked_about() -> None:
    rules = [turn(n + 1, f"Please never mention the number {n} to anybody at all.") for n in range(300)]
    made = memo([*rules, turn(400, "My grandmother flew to Lisbon."), turn(401, "She loved it.")], budget=300)
    assert "Lisbon" in made.text


def test_the_same_rule_said_twice_stands_once_as_it_was_said_last() -> None:
    made = memo([turn(1, "Don't call me Ally!", days_ago=3), turn(2, "don't call me Ally.")])
    assert [item.turn_id for item in made.items] == ["turn_2"]


def test_a_plan_is_kept_before_mere_talk_and_a_promise_of_the_characters_too() -> None:
    turns = [turn(n + 1, text) for n, text in enumerate(FILLER)]
    turns[3:3] = [turn(500, "I'm going to Kyoto with my brother."), turn(501, "I promise to wait.", kind=AI)]
    text = memo(turns, budget=150).text
    assert "Alice: I'm going to Kyoto" in text
    assert "Neko: I promise" in text


def test_a_rule_in_the_characters_words_is_only_talk() -> None:
    made = memo([turn(1, "Don't eat raw beans.", kind=AI)])
    assert [item.kind for item in made.items] == ["talk"]


def test_a_question_is_no_rule() -> None:
    assert [item.kind for item in memo([turn(1, "Remember my dog?"), turn(2, "你记得我的名字吗？")]).items] == [
        "talk", "talk",
    ]  # fmt: skip


def test_at_most_two_sentences_of_talk_come_from_one_message() -> None:
    made = memo([turn(1, " ".join(FILLER[::11])), turn(2, FILLER[1])])
    assert [item.turn_id for item in made.items].count("turn_1") == 2


def test_lines_are_in_the_order_in_which_things_were_said() -> None:
    texts = [text for pair in zip(FILLER[::9], RULES, strict=False) for text in pair]
    made = memo([turn(n + 1, text) for n, text in enumerate(texts)])
    assert [item.at for item in made.items] == sorted(item.at for item in made.items if item.at)


def test_another_speaker_is_named() -> None:
    assert "] Bob: I like tea." in memo([turn(1, "I like tea.", speaker="Bob\n")]).text


def test_what_is_a_week_old_moves_under_a_line_unless_it_was_laid_down() -> None:
    made = memo([turn(1, RULES[0], days_ago=30), turn(2, FILLER[0], days_ago=8), turn(3, FILLER[7])])
    assert [line.split(": ", 1)[-1] for line in made.text.split("\n")[1:]] == [RULES[0], FILLER[7], "---", FILLER[0]]


@pytest.mark.parametrize("locale", LOCALES)
def test_a_memo_by_somebody_else_is_carried_on_line_by_line(locale: str) -> None:
    foreign = TEXTS["memo_prefix"][locale] + "Alice has a cat.\nShe learns French [since May].\n---\nShe moved once."
    previous = parse_memo(foreign, "en")
    assert previous is not None
    made = memo([turn(1, FILLER[0])], previous)
    assert made.text.split("\n")[1:] == [
        "Alice has a cat.", "She learns French [since May].", f"[05-20] Alice: {FILLER[0]}", "---", "She moved once.",
    ]  # fmt: skip


def test_one_long_paragraph_is_carried_on_by_its_sentences() -> None:
    previous = parse_memo("Memo from prior conversations: " + " ".join(FILLER[:30]), "en")
    assert previous is not None
    assert [item.sentence for item in previous.items] == FILLER[:30]
    made = memo([turn(1, "I like tea a lot.")], previous, budget=200)
    assert "I like tea" in made.text
    assert FILLER[0] in made.text


def test_our_own_text_can_be_read_back_as_a_foreign_memo() -> None:
    made = memo(chat("I bought a red bicycle.", "What a lovely colour!"))
    again = parse_memo(made.text, "en")
    assert again is not None
    assert again.text == made.text


@pytest.mark.parametrize("text", ["", "hello", "A memo", "network error"])
def test_any_other_system_message_is_no_memo(text: str) -> None:
    assert not is_memo(text)
    assert parse_memo(text, "en") is None


def test_rows_cover_everything_a_chain_of_memos_stands_for() -> None:
    first = memo([turn(3, FILLER[0])])
    assert memo([turn(9, FILLER[1])], first).rows == (3, 9)


def test_json_and_back_is_the_same_memo() -> None:
    previous = parse_memo("Memo from prior conversations: x y z.", "en")
    made = memo([turn(n + 1, text) for n, text in enumerate([*RULES, *FILLER])], previous)
    assert Memo.from_json(json.loads(json.dumps(made.to_json()))) == made


def test_a_memo_of_ten_thousand_turns_keeps_to_its_budget() -> None:
    turns = [turn(n + 1, f"{FILLER[n % 120]} Number {n}.", kind=HUMAN if n % 2 else AI) for n in range(10_000)]
    made = memo([turn(0, RULES[0]), *turns])
    assert 500 < tokens.count(made.text) <= 1_000
    assert RULES[0] in made.text


@pytest.mark.parametrize(
    "text", ["a" * 200_000, "don't " * 50_000, ". " * 100_000, "not" + " x" * 100_000, "不" * 99_999]
)
def test_a_monstrous_message_is_survived_within_the_budget(text: str) -> None:
    made = memo([turn(1, text), turn(2, "I like tea.")])
    assert "I like tea." in made.text
    assert tokens.count(made.text) <= 1_000


words = st.sampled_from(["tea", "don't", "remember", "cat", "不要", "明天", ".", "。", "?", "\n", "=", "---", "I"])
sayings = st.lists(words, max_size=12).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(sayings, st.booleans(), st.integers(0, 20)), max_size=25), st.integers(40, 300))
def test_whatever_is_said_the_memo_fits_is_stable_and_invents_nothing(
    said: list[tuple[str, bool, int]], budget: int
) -> None:
    turns = [
        turn(n + 1, text, kind=HUMAN if human else AI, days_ago=days) for n, (text, human, days) in enumerate(said)
    ]
    made = memo(turns, memo(turns[:5], budget=budget), budget=budget)
    assert made == memo(turns, memo(turns[:5], budget=budget), budget=budget)
    assert made.text == "" or tokens.count(made.text) <= budget
    everything = [" ".join(each.text.split()) for each in turns]
    assert all(any(item.sentence in text for text in everything) for item in made.items)
    assert all("\n" not in item.line for item in made.items)
    assert Memo.from_json(made.to_json()) == made
