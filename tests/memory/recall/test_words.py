"""The tokenizer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.words import fold, is_fragment, term, words


def test_english_words_lose_case_ending_and_stop_words() -> None:
    assert words("Alice likes her DOGS, a lot!") == ["alic", "like", "dog", "lot"]


def test_an_irregular_form_is_its_word() -> None:
    assert words("bought") == words("buying") == words("buy")
    assert words("children") == words("kid") == words("child")


@pytest.mark.parametrize(("one", "other"), [
    ("Ｆｕｌｌ　ｗｉｄｔｈ　１２３", "full width 123"),
    ("ﾊﾟｿｺﾝ", "パソコン"),
    ("CAFÉ", "cafe"),
    ("我喜歡貓", "我喜欢猫"),
    ("圖書館", "图书馆"),
    ("Straße", "STRASSE"),
    ("Melanie's", "Melanie"),
    ("don't go", "dont go"),
    ("ｶﾞ", "ガ"),
])  # fmt: skip
def test_differences_of_case_width_accent_and_chinese_script_do_not_matter(one: str, other: str) -> None:
    assert words(one) == words(other)


def test_voicing_marks_of_kana_are_kept() -> None:
    assert words("ガス") != words("カス")


def test_chinese_gives_single_characters_with_a_subject_and_pairs() -> None:
    assert words("我喜欢猫") == ["喜", "欢", "猫", "我喜", "喜欢", "欢猫"]


def test_one_chinese_character_is_a_word() -> None:
    assert words("猫") == ["猫"]


def test_a_run_of_several_scripts_is_split_where_the_script_changes() -> None:
    assert words("我用Python写代码") == ["用", "我用", "python", "写", "代", "码", "写代", "代码"]
    assert words("5月2日") == ["5", "月", "2", "日"]


def test_japanese_is_split_into_kanji_katakana_and_hiragana() -> None:
    found = words("図書館でコーヒーを飲みました")
    assert {"図书", "书馆", "コー", "ーヒ", "飲み".replace("飲", "饮")} <= set(found)
    # Particles and endings are no words.
    assert not {"で", "を", "まし", "した"} & set(found)


def test_korean_words_lose_their_particles() -> None:
    assert words("책을") == words("책이") == words("책") == ["책"]
    assert set(words("도서관에서")) == set(words("도서관은")) == {"도서", "서관"}


def test_text_of_stop_words_has_no_words() -> None:
    assert words("What is it that you were to have been?") == []
    assert words("你们是什么的") == []
    assert words("それはです") == []


def test_other_languages_in_latin_script_are_stemmed_by_their_own_rules() -> None:
    asked, said = words("¿Qué libros le gustan a la usuaria?"), words("A la usuaria le gusta un libro que es muy largo")
    assert {"libr", "gust", "usuari"} <= set(asked) & set(said)
    assert words("новые книги") == words("новая книга")


@given(st.text(max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    tokens = words(text)
    assert all(token and not token.isspace() for token in tokens)
    assert tokens == words(text)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_a_term_is_the_same_number_in_every_process() -> None:
    # First eight bytes of BLAKE2b-64 of the token, little-endian, without the lowest bit.
    assert term("coffee") == 9082218884454554556
    assert 0 <= term("猫") < 2**63


def test_only_a_single_han_character_is_a_fragment() -> None:
    assert is_fragment("猫")
    assert not is_fragment("喜欢")
    assert not is_fragment("a")
