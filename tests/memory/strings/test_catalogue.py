from __future__ import annotations

import re
import string

import pytest

from memory.locale import LOCALES
from memory.strings.catalogue import TEXTS, say, sentences, template

EVERY = [(string_id, locale) for string_id in TEXTS for locale in LOCALES]


@pytest.mark.parametrize("string_id", TEXTS)
def test_a_sentence_exists_in_every_locale_with_the_same_placeholders(string_id: str) -> None:
    texts = TEXTS[string_id]
    assert tuple(texts) == LOCALES
    placeholders = {locale: frozenset(re.findall(r"\{(\w+)\}", text)) for locale, text in texts.items()}
    # Some languages say who is meant in the sentence where others leave it to the context.
    assert all(found <= {"neko", "master", "time", "elapsed", "holiday"} for found in placeholders.values())
    if not string_id.endswith("_unnamed"):
        assert len(set(placeholders.values())) == 1


@pytest.mark.parametrize(("string_id", "locale"), EVERY)
def test_a_sentence_is_one_line_without_ruler_or_stray_brace(string_id: str, locale: str) -> None:
    text = template(string_id, locale)
    assert "\n" not in text
    assert "=" not in text
    assert all(field is None or field.isalpha() for _, field, _, _ in string.Formatter().parse(text))


@pytest.mark.parametrize(("string_id", "locale"), EVERY)
def test_the_unnamed_form_does_not_name_the_human(string_id: str, locale: str) -> None:
    if string_id.endswith("_unnamed"):
        assert "{master}" not in template(string_id, locale)


def test_an_unknown_locale_gets_english() -> None:
    assert say("no_history", "tlh") == say("no_history", "en")


@pytest.mark.parametrize("name", ["{time}", "{0}", "%s", "{neko.__class__}", "\\1", "$x", "{"])
def test_a_name_is_never_interpreted(name: str) -> None:
    assert say("about_neko", "en", neko=name) == f"About {name}"


def test_a_name_never_starts_a_line() -> None:
    assert say("about_neko", "en", neko="a\n### b\u2028c") == "About a ### b c"


def test_sentences_are_joined_as_the_language_writes() -> None:
    assert sentences("en", "A.", "B.") == "A. B."
    assert sentences("zh", "甲。", "乙。") == "甲。乙。"
