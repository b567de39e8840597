from __future__ import annotations

import unicodedata

import pytest

from memory.errors import BadInput
from memory.names import CHARACTERS_MESSAGE, LENGTH_MESSAGE, check_name, from_raw_path_segment

HOSTILE = [
    "a/b", "/", "../x", "..", ".", "a..b", "a.", "a\\b", "C:x", "a*b", "a?b", "a<b", "a>b", 'a"b', "a|b", "a:b",
    "CON", "con", "Nul.txt", "aux.a.b", "com1", "LPT9", "COM¹", "prn .txt", "CLOCK$", "api", "WS", "Health",
    "Memory_Browser", "l2d",
    "a@b", "@scopes", "a%b", "a%2Fb", "a\x00b", "a\nb", "a\tb", "a\x7fb", "a\x85b",
    "a\u202eb", "a\u2066b", "a\u200bb", "a\u200db", "a\ufeffb", "a\u2028b", "a\ud800b", "a\u3164b", "\u115f",
    "a\ue000b", "a\u0378b",
    "😀", "a❤b", "a+b", "a=b", "a,b", "a;b", "a#b", "a&b", "~a", "a`b", "$a", "{0}", "a!b", "\u037e",
    "x\u0301", "❤\ufe0f",
]  # fmt: skip

GOOD = [
    "小天", "Alice", "ねこ", "고양이", "Мурка", "José", "a b", "a_b-c", "N.E.K.O", "v1.2", ".hidden", "(x)", "（猫）",
    "小・天", "小·天", "a•b", "O'Neil", "O’Neil", "42", "½", "a\u3000b", "console", "com", "com10", "apiary", "ＣＯＮ",
]  # fmt: skip


@pytest.mark.parametrize("raw", HOSTILE)
def test_a_hostile_name_is_refused_for_its_characters(raw: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_name(raw)
    assert caught.value.why == CHARACTERS_MESSAGE


@pytest.mark.parametrize("raw", ["", " ", "\u3000\t\n", "x" * 51, "猫" * 51, "x" * 100_000, "e\u0301" * 51])
def test_an_empty_or_long_name_is_refused_for_its_length(raw: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_name(raw)
    assert caught.value.why == LENGTH_MESSAGE


@pytest.mark.parametrize("raw", GOOD)
def test_an_ordinary_name_is_kept_as_it_is(raw: str) -> None:
    assert check_name(raw) == raw


def test_surrounding_blanks_are_removed() -> None:
    assert check_name(" \u3000小天 \n") == "小天"


def test_the_decomposed_spelling_becomes_the_composed_one() -> None:
    assert check_name(unicodedata.normalize("NFD", "José が 한")) == "José が 한"


def test_fifty_code_points_are_counted_after_normalising() -> None:
    assert check_name("e\u0301" * 50) == "é" * 50


def test_the_longest_name_leaves_room_for_a_suffix_in_a_directory_entry() -> None:
    # U+20000 takes four bytes, the most there are.
    assert len(check_name("\U00020000" * 50).encode()) + len(".tmp-0123456789abcdef") <= 255


def test_the_order_of_the_checks_decides_which_message_a_long_bad_name_gets() -> None:
    with pytest.raises(BadInput) as caught:
        check_name("a/" * 40)
    assert caught.value.why == CHARACTERS_MESSAGE


def test_a_percent_encoded_segment_is_decoded() -> None:
    assert from_raw_path_segment(b"%E5%B0%8F%E5%A4%A9") == "小天"
    assert from_raw_path_segment("小天".encode()) == "小天"
    assert from_raw_path_segment(b"a%20b%20") == "a b"


@pytest.mark.parametrize(
    "raw",
    [
        b"a%2Fb", b"a%2fb", b"%2e%2e", b"..", b"%2E%2E%2Fetc", b"a%5Cb", b"%00", b"a%00b", b"%ff", b"%c0%af", b"%E5%B0",
        b"%ed%a0%80", b"%E2%80%AE", b"a%252Fb", b"%zz", b"a%", b"a+b", b"%40scopes", b"a%0Ab", b"%F0%9F%98%80",
    ],
)  # fmt: skip
def test_a_hostile_segment_is_refused(raw: bytes) -> None:
    with pytest.raises(BadInput) as caught:
        from_raw_path_segment(raw)
    assert caught.value.why == CHARACTERS_MESSAGE


def test_a_refusal_does_not_repeat_the_name() -> None:
    with pytest.raises(BadInput) as caught:
        check_name("secret/name")
    assert "secret" not in str(caught.value)
