"""Small numbers as people write them: digits, English words, Chinese numerals."""

from __future__ import annotations

_ENGLISH = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
_TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fourty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_CHINESE = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "兩": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}

_TENS_PATTERN = "|".join(_TENS)
_UNITS_PATTERN = "|".join(list(_ENGLISH)[1:10])
ENGLISH_NUMBER = rf"(?:\d{{1,4}}|(?:{_TENS_PATTERN})(?:[- ](?:{_UNITS_PATTERN}))?|{'|'.join(list(_ENGLISH)[1:])})"
CHINESE_NUMBER = r"(?:\d{1,4}|[零〇一二两兩三四五六七八九十百]{1,5})"


def english_number(text: str) -> int | None:
    """``25``, ``three``, ``twenty-five``; None for anything else."""
    word = text.strip().casefold().replace("-", " ")
    if word.isdecimal():
        return int(word)
    if word in _ENGLISH:
        return _ENGLISH[word]
    tens, _, unit = word.partition(" ")
    if tens in _TENS and (not unit or unit in _ENGLISH):
        return _TENS[tens] + _ENGLISH.get(unit, 0)
    return None


def chinese_number(text: str) -> int | None:
    """``25``, ``二十五``, ``两``, ``一百零三``; None for anything else. Numbers below one thousand."""
    word = text.strip()
    if word.isdecimal():
        return int(word)
    if not word or any(char not in _CHINESE and char not in "十百" for char in word):
        return None
    if "十" not in word and "百" not in word:
        return int("".join(str(_CHINESE[char]) for char in word))
    hundreds, _, rest = word.rpartition("百")
    total = _CHINESE.get(hundreds[-1:], 1) * 100 if "百" in word else 0
    tens, mark, unit = rest.lstrip("零〇").partition("十")
    if mark:
        return total + _CHINESE.get(tens[-1:], 1) * 10 + _CHINESE.get(unit[:1], 0)
    return total + _CHINESE.get(tens[:1], 0)
