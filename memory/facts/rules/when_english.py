"""English time expressions."""

from __future__ import annotations

import re
from datetime import datetime

from memory.facts.rules import dates
from memory.facts.rules.numerals import ENGLISH_NUMBER, english_number
from memory.facts.rules.offsets import Found, Offset

_MONTH_NAMES = (
    "jan(?:uary)?",
    "feb(?:ruary)?",
    "mar(?:ch)?",
    "apr(?:il)?",
    "may",
    "june?",
    "july?",
    "aug(?:ust)?",
    "sept?(?:ember)?",
    "oct(?:ober)?",
    "nov(?:ember)?",
    "dec(?:ember)?",
)
MONTH = "(?:" + "|".join(_MONTH_NAMES) + r")\b\.?"
_MONTHS = [re.compile(name, re.IGNORECASE) for name in _MONTH_NAMES]
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAY = "(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
_DAY_NAME = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_UNIT = "(?:min(?:ute)?|hour|hr|day|week|month|year|yr)"
_COUNT = rf"(?:{ENGLISH_NUMBER}|an?|a couple(?: of)?|couple(?: of)?|a few|few|several|half an?)"
_SHORT = {"min": "minute", "hr": "hour", "yr": "year"}
_FEASTS = {
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "xmas": (12, 25),
    "new year's eve": (12, 31),
    "new years eve": (12, 31),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
    "valentines day": (2, 14),
}

_TOMORROW = "(?:tomorrow|tomorow|tommorow|tommorrow|tmrw?|2moro)"
_NEAR_DAYS: tuple[tuple[str, int], ...] = (
    (rf"(?:the )?day after {_TOMORROW}", 2),
    (r"(?:the )?day before yesterday", -2),
    (_TOMORROW, 1),
    (r"yesterday|yday|last night", -1),
    (r"today|tonight|tonite|this (?:morning|afternoon|evening)|earlier today", 0),
)


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{pattern})(?![\w'])", re.IGNORECASE)


_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_MONTH_DAY = _words(rf"({MONTH})\s?(\d{{1,2}})(?:st|nd|rd|th)?(?:,? ((?:19|20)\d\d))?")
_DAY_MONTH = _words(rf"(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTH})(?:,? ((?:19|20)\d\d))?")
_NEAR = [(_words(pattern), days) for pattern, days in _NEAR_DAYS]
_AGO = _words(rf"({_COUNT}) ({_UNIT})s? (?:ago|back)")
_IN = _words(rf"in ({_COUNT}) ({_UNIT})s?(?:'s?)?(?: time)?|({_COUNT}) ({_UNIT})s? from (?:now|today)")
_WEEKDAY_WEEK = _words(rf"({WEEKDAY}) (next|last) week|(next|last) week,? (?:on )?({WEEKDAY})")
_THIS_WEEKDAY = _words(rf"(next|last|this(?: coming| past)?|coming) ({WEEKDAY})")
_WEEKDAY = _words(rf"(?<!every )(?<!each )(?:on ({WEEKDAY})|({_DAY_NAME}))(?: (?:morning|afternoon|evening|night))?")
_WEEKEND = _words(r"(next|last|this(?: coming| past)?|(?:at |on |over )?the) weekend")
_MONTH_OF = _words(
    rf"(?:(next|last|this) ({MONTH})|({MONTH}) (next|last|this) year|(?:in|since|by|early|late) "
    rf"({MONTH})"
    r"(?: ((?:19|20)\d\d))?)"
)
_STEP = _words(r"(?:the )?(week|month|year) after next|(next|last|this)(?: past)? (week|month|year)")
_THE_DAY = _words(r"(?:on |by )the (\d{1,2})(?:st|nd|rd|th)")
_YEAR = _words(r"(?:in|since|back in) ((?:19|20)\d\d)")
_FEAST = _words("|".join(_FEASTS))
_LATELY = _words(r"lately|recently|these days|nowadays|(?:the |these )?(?:past|last) (?:few|couple of|several) days")
_NOW = _words(r"just now|right now|at the moment|now")
_CLOCK = _words(r"at (\d{1,2})(?:[:.](\d\d))? ?(am|pm|a\.m\.|p\.m\.|o'clock)?")


def find(text: str, anchor: datetime, past: bool | None) -> Found | None:
    """The most exact expression of the text; an hour is added where one is named beside a day."""
    found = _day(text, anchor, past)
    if found is None or found.grain != "day":
        return found
    clock = _CLOCK.search(text)
    at = _clock(clock) if clock else None
    if at is None:
        return found
    return Found(start=found.start, at=at, grain="minute", relative=found.relative, span=found.span)


def _day(text: str, anchor: datetime, past: bool | None) -> Found | None:
    if match := _ISO.search(text):
        year, month, day = (int(group) for group in match.groups())
        return _exact(dates.day_named(anchor, month, day, year, past) if 1 <= month <= 12 else None, match)
    if match := _MONTH_DAY.search(text):
        return _exact(_dated(anchor, match[1], match[2], match[3], past), match)
    if match := _DAY_MONTH.search(text):
        return _exact(_dated(anchor, match[2], match[1], match[3], past), match)
    for pattern, days in _NEAR:
        if match := pattern.search(text):
            return Found(start=(days, "day"), span=match.span())
    if match := _AGO.search(text):
        return _counted(match[1], match[2], -1, match)
    if past is not True and (match := _IN.search(text)):
        return _counted(match[1] or match[3], match[2] or match[4], 1, match)
    return _named(text, anchor, past)


def _named(text: str, anchor: datetime, past: bool | None) -> Found | None:
    if match := _WEEKDAY_WEEK.search(text):
        weekday, word = (match[1], match[2]) if match[1] else (match[4], match[3])
        weeks = 1 if word.casefold() == "next" else -1
        return Found(start=dates.weekday_of_week(anchor, _weekday(weekday), weeks), span=match.span())
    if match := _THIS_WEEKDAY.search(text):
        return Found(start=_this_weekday(anchor, match[1].casefold(), _weekday(match[2])), span=match.span())
    if match := _WEEKEND.search(text):
        return _weekend(anchor, match, past)
    if match := _MONTH_OF.search(text):
        return _month_of(anchor, match, past)
    if match := _STEP.search(text):
        steps = 2 if match[1] else {"next": 1, "last": -1, "this": 0}[match[2].casefold()]
        unit = (match[1] or match[3]).casefold()
        return Found(start=(steps, unit), grain=unit, span=match.span())
    if match := _WEEKDAY.search(text):
        return Found(start=dates.weekday_near(anchor, _weekday(match[1] or match[2]), past), span=match.span())
    if match := _THE_DAY.search(text):
        offset = dates.day_of_month(anchor, int(match[1]), past)
        return Found(start=offset, span=match.span()) if offset else None
    if match := _YEAR.search(text):
        return Found(start=(int(match[1]) - anchor.year, "year"), grain="year", relative=False, span=match.span())
    if match := _FEAST.search(text):
        month, day = _FEASTS[match[0].casefold()]
        offset = dates.day_named(anchor, month, day, None, past)
        return Found(start=offset, span=match.span()) if offset else None
    if match := _NOW.search(text):
        return Found(start=(0, "day"), grain="now", relative=False, span=match.span())
    if match := _LATELY.search(text):
        return Found(start=(-7, "day"), grain="lately", relative=False, span=match.span())
    return None


def _exact(offset: Offset | None, match: re.Match[str]) -> Found | None:
    return Found(start=offset, relative=False, span=match.span()) if offset else None


def _dated(anchor: datetime, month: str, day: str, year: str | None, past: bool | None) -> Offset | None:
    return dates.day_named(anchor, month_number(month), int(day), int(year) if year else None, past)


def month_number(name: str) -> int:
    """1 for ``Jan`` or ``january``; the name must match ``MONTH``."""
    return next(index for index, pattern in enumerate(_MONTHS, 1) if pattern.match(name))


def _counted(count: str, unit: str, sign: int, match: re.Match[str]) -> Found | None:
    word, unit = count.casefold(), unit.casefold()
    unit = _SHORT.get(unit, unit)
    if word.startswith("half"):
        half = {"hour": (30, "minute"), "day": (12, "hour"), "month": (15, "day"), "year": (6, "month")}.get(unit)
        return Found(start=(sign * half[0], half[1]), grain=half[1], span=match.span()) if half else None
    if word in ("a", "an"):
        amount: int | None = 1
    elif "couple" in word:
        amount = 2
    elif word.endswith(("few", "several")):
        amount = 3
    else:
        amount = english_number(word)
    return Found(start=(sign * amount, unit), grain=unit, span=match.span()) if amount is not None else None


def _weekday(name: str) -> int:
    return _DAYS.index(name.casefold()[:3])


def _this_weekday(anchor: datetime, word: str, weekday: int) -> Offset:
    if word == "next":
        return dates.weekday_of_week(anchor, weekday, 1)
    if word == "last" or word.endswith("past"):
        return dates.weekday_near(anchor, weekday, True)
    return dates.weekday_near(anchor, weekday, False)


def _weekend(anchor: datetime, match: re.Match[str], past: bool | None) -> Found:
    word = match[1].casefold()
    if word == "next":
        start = dates.weekday_of_week(anchor, 5, 1)[0]
    elif word == "last" or word.endswith("past") or (past and anchor.weekday() < 5):
        start = dates.weekday_of_week(anchor, 5, -1)[0]
    else:
        start = dates.weekday_of_week(anchor, 5, 0)[0]
    return Found(start=(start, "day"), end=(start + 1, "day"), span=match.span())


def _month_of(anchor: datetime, match: re.Match[str], past: bool | None) -> Found:
    name = match[2] or match[3] or match[5]
    word = (match[1] or match[4] or "").casefold()
    year: int | None = int(match[6]) if match[6] else None
    if match[4]:
        year = anchor.year + {"next": 1, "last": -1, "this": 0}[word]
    elif word:
        past = {"next": False, "last": True, "this": past}[word]
    start = dates.month_named(anchor, month_number(name), year, past)
    return Found(start=start, grain="month", relative=year is None or bool(match[4]), span=match.span())


def _clock(match: re.Match[str]) -> tuple[int, int] | None:
    hour, minute, half = int(match[1]), int(match[2] or 0), (match[3] or "").casefold()
    if not half and not match[2]:
        return None  # "at 3": morning or afternoon is anyone's guess
    if half.startswith("p") and hour < 12:
        hour += 12
    elif half.startswith("a") and hour == 12:
        hour = 0
    return (hour, minute) if hour < 24 and minute < 60 and half != "o'clock" else None
