"""Input of any size and shape: work is bounded, nothing raises, nothing is quoted in what is logged."""

from __future__ import annotations

import random

import pytest

from memory.facts.rules.clean import LONGEST_TURN
from memory.facts.rules.extract import MOST_DRAFTS, extract
from memory.facts.rules.promise import promises
from memory.facts.rules.speech import MOST_SENTENCES
from memory.history.turn import Content
from tests.fakes import FixedClock
from tests.memory.facts.rules_told import AI, NAMES, one, told, turn

MEBIBYTE = 1 << 20


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "I ",
        "I am ",
        "i love x and ",
        "I have a big ",
        "(",
        "[",
        "*",
        "* ",
        '"',
        '"a ',
        "<a ",
        "<a>",
        "<x></x>",
        "#",
        "- ",
        "@a",
        "f(",
        "```\n",
        "http://",
        "\n",
        "1",
        "一",
        "我",
        "我喜欢",
        "我喜欢猫，",
        "我在工作",
        "记住",
        "not ",
        "because ",
        "if i ",
        "my sister ",
        "\ud800",
        "\x00",
        "😀",
        "\ue0000\ue001",
        "。",
        "?",
    ],
    ids=repr,
)
def test_a_mebibyte_of_anything_is_read_within_bounds(piece: str) -> None:
    # That this ends within the time limit of a test is what shows that no pattern runs away.
    text = piece * (MEBIBYTE // len(piece))
    drafts, drops = extract(turn(text), NAMES, FixedClock())
    assert len(drafts) <= MOST_DRAFTS
    assert len(drops) <= LONGEST_TURN // 2
    assert len(promises(turn(text, kind=AI), NAMES)) <= 3


def test_the_first_sentences_of_a_long_message_are_read() -> None:
    drafts, drops = extract(turn("I live in Rome. " + "Nice day today. " * 1_000), NAMES, FixedClock())
    assert [draft.slot for draft in drafts] == ["home"]
    assert [drop.reason for drop in drops] == ["limit"]
    assert MOST_SENTENCES == 200


def test_text_beyond_the_limit_is_left_to_the_raw_history() -> None:
    assert told("x" * LONGEST_TURN + ". I live in Rome.") == []


def test_the_text_parts_of_list_content_are_read() -> None:
    draft = one([{"type": "text", "text": "I live in Rome"}, {"type": "image_url", "image_url": "I live in Oslo"}])
    assert draft.object == "rome"


@pytest.mark.parametrize("content", ["", "   ", [], "\n\n", "…"])
def test_empty_content_yields_nothing(content: Content) -> None:
    assert told(content) == []


def test_the_same_message_gives_the_same_drafts() -> None:
    said = "I live in Rome, I love tea and my cat is called Momo. 我明天有面试"
    assert told(said) == told(said)


def test_a_drop_carries_a_hash_and_no_text() -> None:
    _, drops = extract(turn("if I lived in Rome"), NAMES, FixedClock())
    assert [(drop.reason, len(drop.clause)) for drop in drops] == [("conditional", 16)]


WORDS = """
I I'm my you we am is have had love hate not don't never live work in at to a the and but because if
, . ? ! : ; ' " ( ) [ ] * < > cat tea Rome tomorrow yesterday 3pm 25 我 我们 你 他 的 了 不 没 是 在 住 喜欢 讨厌 会
要 明天 昨天 北京 猫 咖啡 ， 。 ？ “ ” 《 》 （ ） 吗 记住 别忘了
"""


@pytest.mark.parametrize("seed", range(20))
def test_no_mixture_of_words_raises_or_leaves_a_placeholder(seed: int) -> None:
    chance, words = random.Random(seed), WORDS.split()
    for _ in range(40):
        for draft in told(chance.choice(("", " ")).join(chance.choices(words, k=chance.randrange(40)))):
            assert draft.text
            assert not set(draft.text) & set("\ue000\ue001\ue002\ue003")
            assert 1 <= draft.importance <= 10
            assert 0.5 <= draft.confidence <= 1


@pytest.mark.parametrize("seed", range(10))
def test_no_text_raises(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(40):
        text = "".join(chr(chance.choice((chance.randrange(128), chance.randrange(0x110000)))) for _ in range(120))
        told(text)
        promises(turn(text, kind=AI), NAMES)
