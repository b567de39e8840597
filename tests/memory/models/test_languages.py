"""Languages told by script."""

from __future__ import annotations

import pytest

from memory.models.languages import main_language
from memory.models.sentences import STATEMENTS


@pytest.mark.parametrize("language", ["en", "zh", "ja", "ko", "ru"])
def test_a_sentence_is_of_its_language(language: str) -> None:
    assert {main_language(sentence) for sentence in STATEMENTS[language]} == {language}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("我喜欢用 Python 写程序", "zh"),
        ("The word 咖啡 means coffee, and she says it often", "en"),
        ("ﾊﾝｶｸ ｶﾀｶﾅ", "ja"),
        ("שלום עולם", "he"),
        ("สวัสดี", "th"),
        ("", "und"),
        ("12:30 — 👍", "und"),
    ],
)
def test_the_prevailing_script_decides(text: str, language: str) -> None:
    assert main_language(text) == language
