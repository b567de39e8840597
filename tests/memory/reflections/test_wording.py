"""Whether one text is about what another says."""

from __future__ import annotations

import pytest

from memory.reflections.wording import Rarity, about
from tests.memory.mind_world import NAMES

KNOWN = (
    "Lin likes jasmine tea", "Lin likes football", "Lin loves hiking in the mountains", "Lin plays the guitar",
    "Lin hates coffee", "Lin lives in Rotterdam", "Lin喜欢茉莉花茶", "Lin喜欢足球比赛", "Lin喜欢爬山",
    "Lin每天晚上都弹吉他", "Lin最喜欢绿茶", "Lin住在杭州",
)  # fmt: skip


def speaks(statement: str, text: str) -> bool:
    return Rarity(about(one, NAMES) for one in KNOWN).speaks_of(about(statement, NAMES), about(text, NAMES)) > 0


def test_names_and_the_words_of_every_statement_tell_nothing() -> None:
    assert about("Lin really likes this, Momo", NAMES) == frozenset()
    assert about("Lin最近特别喜欢", NAMES) == frozenset()


def test_chinese_is_not_paired_across_words() -> None:
    assert about("Lin最近很想家", NAMES) == {"想家"}


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("Lin likes jasmine tea", "Shall I make you some jasmine tea?"),
        ("Lin hates coffee", "I know how you feel about coffee."),
        ("Lin喜欢茉莉花茶", "要不要喝茉莉花茶？"),
        ("Lin每天晚上都弹吉他", "吉他练得怎么样？"),
        ("Lin最喜欢绿茶", "给你泡了绿茶"),
    ],
)
def test_a_text_on_the_same_thing_is_about_it(statement: str, text: str) -> None:
    assert speaks(statement, text)


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("Lin likes jasmine tea", "Do you like it here?"),
        ("Lin loves hiking in the mountains", "I love you, Lin!"),
        ("Lin likes jasmine tea", "Tea is ready."),             # one word out of two
        ("Lin喜欢茉莉花茶", "我也喜欢你呀"),                      # 喜欢 is in every statement
        ("Lin喜欢茉莉花茶", "玫瑰花茶也不错"),                    # one pair out of a longer word
        ("Lin喜欢足球比赛", "今天的歌唱比赛真精彩"),
        ("Lin住在杭州", ""),
    ],
)
def test_a_chance_likeness_is_not(statement: str, text: str) -> None:
    assert not speaks(statement, text)
