from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.locale import LOCALES
from memory.strings.boundary import boundary, boundary_pattern, defuse, english_time, split_dialog
from memory.strings.catalogue import TEXTS, template

NOW = datetime(2025, 12, 14, 12, 27, tzinfo=timezone(timedelta(hours=8)))
AWKWARD_NAMES = ["小天", "N.E.K.O (v1.2)", "O'Neil", "x" * 50, "a\u3000b", "Dr. Who"]


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (NOW, "Sunday, December 14, 2025 at 12:27 PM"),
        (datetime(2026, 5, 1, 0, 5, tzinfo=UTC), "Friday, May 1, 2026 at 12:05 AM"),
        (datetime(2024, 2, 29, 9, 0, tzinfo=UTC), "Thursday, February 29, 2024 at 9:00 AM"),
        (datetime(2024, 2, 29, 23, 59, tzinfo=UTC), "Thursday, February 29, 2024 at 11:59 PM"),
    ],
)
def test_the_time_is_written_in_long_english(moment: datetime, words: str) -> None:
    assert english_time(moment) == words


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("name", AWKWARD_NAMES)
def test_the_pattern_finds_the_whole_sentence(locale: str, name: str) -> None:
    sentence = boundary(name, NOW, locale)
    for pattern in (boundary_pattern(locale), boundary_pattern()):
        match = pattern.search(f"before\n{sentence}\nafter")
        assert match is not None
        assert match[0] == sentence


@pytest.mark.parametrize("locale", LOCALES)
def test_the_sentence_of_one_locale_is_not_found_by_another(locale: str) -> None:
    sentence = boundary("Neko", NOW, locale)
    assert [other for other in LOCALES if boundary_pattern(other).search(sentence)] == [locale]


@pytest.mark.parametrize("locale", LOCALES)
def test_a_defused_sentence_is_found_by_no_pattern_but_reads_the_same(locale: str) -> None:
    sentence = boundary("Neko", NOW, locale)
    for written in (sentence, sentence.upper(), sentence + sentence):
        safe = defuse(written)
        # A client's own wildcards may be more generous than ours: any pattern needs the literal parts.
        generous = "|".join(
            ".*".join(map(re.escape, re.split(r"\{\w+\}", template("boundary", other)))) for other in LOCALES
        )
        assert not re.search(generous, safe, re.IGNORECASE | re.DOTALL)
        assert safe.replace("\u200b", "") == written


def test_defusing_leaves_ordinary_text_alone() -> None:
    text = "It is now late. Before the conversation, we ate. 现在是晚上，她正在心里想。"
    assert defuse(text) == text


@given(st.text())
def test_defusing_twice_is_defusing_once(text: str) -> None:
    assert defuse(defuse(text)) == defuse(text)


def test_no_other_sentence_of_the_catalogue_contains_the_boundary_or_its_close() -> None:
    for string_id, texts in TEXTS.items():
        if string_id != "boundary":
            assert [text for text in texts.values() if defuse(text) != text] == []


def test_a_client_splits_at_the_end_of_the_sentence() -> None:
    sentence = boundary("Neko", NOW, "ja")
    assert split_dialog(f"thoughts\n{sentence}\nA | hi\n") == (f"thoughts\n{sentence}", "A | hi\n")
    assert split_dialog("nothing here") is None


@pytest.mark.parametrize("locale", LOCALES)
def test_a_name_made_of_the_sentence_itself_does_not_end_it_early(locale: str) -> None:
    close = template("boundary", locale).split("{neko}")[1].strip()
    sentence = boundary(f"Neko{close}", NOW, locale)
    assert len(boundary_pattern().findall(sentence)) == 1
    match = boundary_pattern().search(sentence)
    assert match is not None
    assert match.end() == len(sentence)
