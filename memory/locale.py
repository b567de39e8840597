"""The languages our sentences exist in, and how callers spell them."""

from __future__ import annotations

import re

ZH, ZH_TW, EN, JA, KO, RU, ES, PT = "zh", "zh-TW", "en", "ja", "ko", "ru", "es", "pt"
LOCALES = (ZH, ZH_TW, EN, JA, KO, RU, ES, PT)
DEFAULT_LOCALE = EN

_STEAM = {
    "schinese": ZH, "tchinese": ZH_TW, "english": EN, "japanese": JA, "koreana": KO, "korean": KO, "russian": RU,
    "spanish": ES, "latam": ES, "portuguese": PT, "brazilian": PT,
}  # fmt: skip
_PRIMARY = {"en": EN, "ja": JA, "ko": KO, "ru": RU, "es": ES, "pt": PT}
_COUNTRIES = {ZH: "CN", ZH_TW: "TW", EN: "US", JA: "JP", KO: "KR", RU: "RU", ES: "ES", PT: "PT"}

_SUBTAGS = re.compile(r"[-_.@]")
_REGION = re.compile(r"[A-Za-z]{2}")

_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fd-\u30ff\uff66-\uff9d]")
_HANGUL = re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")

# Frequent characters that only one of the two Chinese scripts uses.
_TRADITIONAL = frozenset(
    "們這個來說時會對學國過經點樣還開關話見問長東車書買賣讓請謝誰嗎麼沒給認識語電腦應該愛機號碼"
    "錢萬與為從當無聽覺寫讀歡樂師實現發頭體親"
)
_SIMPLIFIED = frozenset(
    "们这个来说时会对学国过经点样还开关话见问长东车书买卖让请谢谁吗么没给认识语电脑应该爱机号码"
    "钱万与为从当无听觉写读欢乐师实现发头体亲"
)

_SAMPLE = 2_000                 # characters looked at; the start of a text tells its language


def normalise(code: object) -> str | None:
    """One of ``LOCALES`` for a Steam language name or a BCP-47-like code; None for anything else, also for nothing.

    ``zh_CN.UTF-8``, ``EN-us`` and ``es-419`` are understood. Whoever wants a language in any case adds
    ``or DEFAULT_LOCALE``; nobody should keep that guess.
    """
    if not isinstance(code, str) or len(code) > 64:
        return None
    wanted = code.strip().lower()
    if wanted in _STEAM:
        return _STEAM[wanted]
    primary = _SUBTAGS.split(wanted, 1)[0]
    if primary == "zh":
        return ZH_TW if any(mark in wanted for mark in ("tw", "hant", "hk")) else ZH
    return _PRIMARY.get(primary)


def country_of(code: str) -> str:
    """The ISO country whose holidays go with a language code: its region if it names one, else the usual one."""
    for subtag in _SUBTAGS.split(code.strip())[1:]:
        if _REGION.fullmatch(subtag):
            return subtag.upper()
    if code.strip().lower() == "brazilian":
        return "BR"
    return _COUNTRIES[normalise(code) or DEFAULT_LOCALE]


def detect(text: str) -> str:
    """The locale a text looks to be in by its script, for when nobody said.

    A Han or Hangul character weighs about four Latin letters, as it carries a word's worth more. A little kana inside
    Chinese (a smiley's ``ノ``, a fashionable ``の``) does not make it Japanese. Spanish and Portuguese look like
    English by script and are reported as it.
    """
    sample = text[:_SAMPLE]
    if sample.isascii():
        return EN
    kana, han, hangul = (len(script.findall(sample)) for script in (_KANA, _HAN, _HANGUL))
    latin, cyrillic = len(_LATIN.findall(sample)), len(_CYRILLIC.findall(sample))
    weights = {ZH: 4 * (kana + han), KO: 4 * hangul, EN: latin, RU: cyrillic}
    best = max(weights, key=lambda locale: weights[locale])
    if weights[best] == 0:
        return EN
    if best != ZH:
        return best
    if 8 * kana >= kana + han:
        return JA if kana > 1 or han else EN
    chinese = [char for char in sample if char in _TRADITIONAL or char in _SIMPLIFIED]
    traditional = sum(char in _TRADITIONAL for char in chinese)
    return ZH_TW if traditional > len(chinese) - traditional else ZH
