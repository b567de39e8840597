"""Chinese time expressions."""

from __future__ import annotations

import re
from datetime import datetime

from memory.facts.rules import dates
from memory.facts.rules.numerals import CHINESE_NUMBER, chinese_number
from memory.facts.rules.offsets import Found, Offset

_DAY_NAMES = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6, "末": 5}
_FEASTS = {
    "平安夜": (12, 24),
    "圣诞节": (12, 25),
    "圣诞": (12, 25),
    "元旦": (1, 1),
    "情人节": (2, 14),
    "五一": (5, 1),
    "劳动节": (5, 1),
    "十一": (10, 1),
    "双十一": (11, 11),
    "清明": (4, 5),
    "国庆节": (10, 1),
    "国庆": (10, 1),
    "儿童节": (6, 1),
    "万圣节": (10, 31),
}
_NEAR: tuple[tuple[str, int], ...] = (
    ("大后天", 3),
    ("大前天", -3),
    ("后天", 2),
    ("前天|前晚", -2),
    ("明天|明儿|明早|明晚|明日", 1),
    ("昨天|昨晚|昨儿|昨日|昨夜", -1),
    ("今天|今晚|今早|今儿|今日|今夜|刚刚|刚才", 0),
)
_UNITS = {
    "分钟": "minute",
    "小时": "hour",
    "钟头": "hour",
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "年": "year",
}
_N = CHINESE_NUMBER
_AGO = re.compile(
    rf"(半|几|两三|好几|{_N})(?:多)?(个半|个)?(分钟|小时|钟头|天|周|星期|礼拜|月|年)多?(?:之|以)?(前|后|以后|之后)(?!天|年)"
)
_IN_DAYS = re.compile(r"过([两三几])天")
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DATE = re.compile(rf"(?:((?:19|20)\d\d|去|今|明|前|后)年)?({_N})月(?:份)?({_N})(?:日|号)")
_MONTH = re.compile(
    rf"(?:((?:19|20)\d\d|去|今|明|前|后)年)?(?<![\d个])({_N})月(?:份|初|中|底)?(?![\d一二三四五六七八九十])"
)
_MONTH_STEP = re.compile(rf"(上上|下下|上|下|这|本)个?月(?:(?:的)?({_N})(?:日|号))?(底|初)?")
_WEEK = re.compile(r"(上上|下下|上|下|这|本)个?(?:周|星期|礼拜)([一二三四五六日天末])?")
_WEEKDAY = re.compile(r"(?<!每)(?<!每个)(?:周|星期|礼拜)([一二三四五六日天末])(?!都)")
_YEAR_STEP = re.compile(r"(去|前|明|后)年")
_YEAR = re.compile(r"((?:19|20)\d\d)年(?![级])")
_THE_DAY = re.compile(rf"(?<![\d月第])({_N})(?:号)(?!线|楼|馆|店|院|机|桌|房|门)")
_END = re.compile(r"(月底|年底|年末)")
_FEW = re.compile(r"前几天|前两天|前些天")
_WHILE = re.compile(r"前阵子|前段时间|前一阵")
_LATELY = re.compile(r"最近|近来|近期|这几天|这两天|这阵子|这段时间|这些天")
_FEAST = re.compile(
    "(?<![\\d一二三四五六七八九月第百周期拜])(?:"
    + "|".join(sorted(_FEASTS, key=len, reverse=True))
    + ")(?![\\d月点个岁号日])"
)
_CLOCK = re.compile(
    rf"(凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|今晚|明晚|昨晚|明早|今早)?({_N})点(?:钟|整)?(半|({_N})分)?(?!儿)"
)
_YEARS = {"前": -2, "去": -1, "今": 0, "明": 1, "后": 2}
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}


def find(text: str, anchor: datetime, past: bool | None) -> Found | None:
    """The most exact expression of the text; an hour is added where one is named beside a day."""
    found = _exact(text, anchor, past) or _relative(text, anchor) or _named(text, anchor, past)
    if found is None or found.grain != "day":
        return found
    clock = _CLOCK.search(text)
    at = _clock(clock) if clock else None
    if at is None:
        return found
    return Found(start=found.start, at=at, grain="minute", relative=found.relative, span=found.span)


def _exact(text: str, anchor: datetime, past: bool | None) -> Found | None:
    if match := _ISO.search(text):
        year, month, day = (int(group) for group in match.groups())
        offset = dates.day_named(anchor, month, day, year, past) if 1 <= month <= 12 else None
        return Found(start=offset, relative=False, span=match.span()) if offset else None
    if match := _DATE.search(text):
        month_of, day_of = chinese_number(match[2]), chinese_number(match[3])
        if month_of is None or day_of is None or not 1 <= month_of <= 12:
            return None
        offset = dates.day_named(anchor, month_of, day_of, _year(anchor, match[1]), past)
        relative = bool(match[1]) and not match[1].isdecimal()
        return Found(start=offset, relative=relative, span=match.span()) if offset else None
    return None


def _relative(text: str, anchor: datetime) -> Found | None:
    for pattern, days in _NEAR:
        for word in pattern.split("|"):
            if (at := text.find(word)) >= 0:
                return Found(start=(days, "day"), span=(at, at + len(word)))
    if match := _AGO.search(text):
        return _counted(match)
    if match := _IN_DAYS.search(text):
        coming = 3 if match[1] == "几" else chinese_number(match[1])
        return Found(start=(coming, "day"), grain="few", relative=False, span=match.span()) if coming else None
    if match := _WEEK.search(text):
        return _week(anchor, match)
    if match := _MONTH_STEP.search(text):
        return _month_step(anchor, match)
    return None


def _named(text: str, anchor: datetime, past: bool | None) -> Found | None:
    if match := _MONTH.search(text):
        month = chinese_number(match[2])
        if month is not None and 1 <= month <= 12:
            start = dates.month_named(anchor, month, _year(anchor, match[1]), past)
            return Found(start=start, grain="month", relative=not (match[1] or "").isdecimal(), span=match.span())
    if match := _END.search(text):
        offset = dates.day_named(anchor, 12, 31, anchor.year, None)
        if match[0] == "月底":
            offset = dates.month_named(anchor, anchor.month, anchor.year, None)
        return Found(start=offset, grain="month", span=match.span()) if offset else None
    if match := _YEAR_STEP.search(text):
        return Found(start=(_YEARS[match[1]], "year"), grain="year", span=match.span())
    if match := _YEAR.search(text):
        return Found(start=(int(match[1]) - anchor.year, "year"), grain="year", relative=False, span=match.span())
    if match := _WEEKDAY.search(text):
        offset = dates.weekday_near(anchor, _DAY_NAMES[match[1]], past)
        if match[1] == "末":
            return _weekend(dates.weekday_of_week(anchor, 5, -1 if past and anchor.weekday() < 5 else 0)[0], match)
        return Found(start=offset, span=match.span())
    if match := _THE_DAY.search(text):
        day = chinese_number(match[1])
        nearest = dates.day_of_month(anchor, day, past) if day else None
        return Found(start=nearest, span=match.span()) if nearest else None
    if match := _FEAST.search(text):
        month, day = _FEASTS[match[0]]
        feast = dates.day_named(anchor, month, day, None, past)
        return Found(start=feast, span=match.span()) if feast else None
    for pattern, start, grain in (
        (_FEW, (-3, "day"), "few"),
        (_WHILE, (-2, "week"), "few"),
        (_LATELY, (-7, "day"), "lately"),
    ):
        if match := pattern.search(text):
            return Found(start=start, grain=grain, relative=False, span=match.span())
    return None


def _year(anchor: datetime, word: str | None) -> int | None:
    if not word:
        return None
    return int(word) if word.isdecimal() else anchor.year + _YEARS[word]


def _counted(match: re.Match[str]) -> Found | None:
    unit = _UNITS[match[3]]
    sign = -1 if match[4] == "前" else 1
    if match[1] == "半":
        half = {"hour": (30, "minute"), "day": (12, "hour"), "month": (15, "day"), "year": (6, "month")}.get(unit)
        return Found(start=(sign * half[0], half[1]), grain=half[1], span=match.span()) if half else None
    amount = 3 if match[1] in ("几", "两三", "好几") else chinese_number(match[1])
    return Found(start=(sign * amount, unit), grain=unit, span=match.span()) if amount is not None else None


def _week(anchor: datetime, match: re.Match[str]) -> Found:
    weeks = _STEPS[match[1]]
    if match[2] is None:
        return Found(start=(weeks, "week"), grain="week", span=match.span())
    offset = dates.weekday_of_week(anchor, _DAY_NAMES[match[2]], weeks)
    return _weekend(offset[0], match) if match[2] == "末" else Found(start=offset, span=match.span())


def _weekend(saturday: int, match: re.Match[str]) -> Found:
    return Found(start=(saturday, "day"), end=(saturday + 1, "day"), span=match.span())


def _month_step(anchor: datetime, match: re.Match[str]) -> Found:
    months = _STEPS[match[1]]
    day = chinese_number(match[2]) if match[2] else None
    offset: Offset | None = dates.day_of_month(anchor, day, None, months) if day else None
    if offset is not None:
        return Found(start=offset, span=match.span())
    return Found(start=(months, "month"), grain="month", span=match.span())


def _clock(match: re.Match[str]) -> tuple[int, int] | None:
    hour = chinese_number(match[2])
    minute = 30 if match[3] == "半" else chinese_number(match[4]) if match[4] else 0
    half = match[1] or ""
    if hour is None or minute is None or (not half and hour < 13):
        return None  # 三点 alone: morning or afternoon is anyone's guess
    if half in ("下午", "傍晚", "晚上", "今晚", "明晚", "昨晚") and hour < 12:
        hour += 12
    return (hour, minute) if hour < 24 and minute < 60 else None
