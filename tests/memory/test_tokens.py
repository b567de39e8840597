from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import tokens


@pytest.mark.parametrize(
    ("text", "count"),
    [("我喜欢猫", 6), ("abcd", 1), ("我喜欢hello", 6), ("", 1), ("abcde", 2), ("カメラ", 5), ("고양이", 5)],
)
def test_a_count_is_one_and_a_half_per_cjk_character_and_a_quarter_per_other(text: str, count: int) -> None:
    assert tokens.count(text) == count


@given(st.text(), st.text())
def test_a_joined_text_never_counts_more_than_its_parts(left: str, right: str) -> None:
    assert tokens.count(left + right) <= tokens.count(left) + tokens.count(right)
