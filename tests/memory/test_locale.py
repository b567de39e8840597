from __future__ import annotations

import pytest

from memory.locale import LOCALES, country_of, detect, normalise


@pytest.mark.parametrize(
    ("code", "locale"),
    [
        ("zh", "zh"), ("zh-CN", "zh"), ("zh_CN.UTF-8", "zh"), ("zh-Hans", "zh"), ("ZH-TW", "zh-TW"), ("zh_hk", "zh-TW"),
        ("zh-Hant", "zh-TW"), ("zh-Hant-TW", "zh-TW"), ("schinese", "zh"), ("tchinese", "zh-TW"), ("english", "en"),
        ("EN-us", "en"), ("en", "en"), ("japanese", "ja"), ("ja_JP", "ja"), ("koreana", "ko"), ("ko-KR", "ko"),
        ("russian", "ru"), ("ru", "ru"), ("spanish", "es"), ("latam", "es"), ("es-419", "es"), ("portuguese", "pt"),
        ("brazilian", "pt"), ("pt-BR", "pt"), (" ja ", "ja"),
    ],
)  # fmt: skip
def test_a_known_spelling_is_understood(code: str, locale: str) -> None:
    assert normalise(code) == locale


@pytest.mark.parametrize("code", ["", " ", "fr", "klingon", "C", "enx", "../en", None, 5, ["en"], "e" * 1000])
def test_anything_else_is_no_language(code: object) -> None:
    assert normalise(code) is None


def test_every_locale_is_its_own_normal_form() -> None:
    assert [normalise(locale) for locale in LOCALES] == list(LOCALES)


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("今日はいい天気ですね", "ja"), ("カメラ", "ja"), ("오늘 날씨가 좋네요", "ko"), ("我用Python写代码", "zh"),
        ("我住在北京", "zh"), ("我們這個週末去爬山", "zh-TW"), ("Привет, как дела?", "ru"), ("Hello there", "en"),
        ("", "en"), ("12345 !?", "en"), ("😀", "en"), ("this is great ヽ(•‿•)ノ", "en"),
        ("鲜の味这家店真的很好吃啊大家快来", "zh"), ("¿Qué tal?", "en"),
    ],
)  # fmt: skip
def test_the_script_tells_the_language(text: str, locale: str) -> None:
    assert detect(text) == locale


@pytest.mark.parametrize(
    ("code", "country"),
    [("zh", "CN"), ("zh-TW", "TW"), ("en", "US"), ("en-GB", "GB"), ("pt", "PT"), ("pt_br", "BR"), ("brazilian", "BR"),
     ("es-419", "ES"), ("", "US"), ("zh-Hant-HK", "HK")],
)  # fmt: skip
def test_a_language_code_names_a_country(code: str, country: str) -> None:
    assert country_of(code) == country
