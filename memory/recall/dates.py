"""Dates in the text of a question, as stretches of days."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

from memory.recall import words

_WEEK = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class DateHint:
    """Days the question speaks of.

    Either the proleptic ordinals from ``first`` to ``last``, both included, or, where no year
    is told, the ``month`` and perhaps the ``day`` of any year.
    """

    first: int = 0
    last: int = 0
    month: int | None = None
    day: int | None = None

    @property
    def exact(self) -> bool:
        """Whether it names days rather than months or years."""
        if self.month is not None:
            return self.day is not None
        return self.last - self.first < _WEEK


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_WEEKDAYS = {
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6,
}  # fmt: skip
_WEEKDAYS |= dict(zip("一二三四五六日", range(7), strict=True)) | {"天": 6}
_WEEKDAYS |= dict(zip("月火水木金土", range(6), strict=True)) | dict(zip("월화수목금토일", range(7), strict=True))
_SEASONS = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12,
    "봄": 3, "여름": 6, "가을": 9, "겨울": 12,
}  # fmt: skip
_SMALL = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_SMALL |= {"nine": 9, "ten": 10, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3}
_SMALL |= {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_SMALL |= {"한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5}

# Anything worth a closer look; most questions have none of these.
_SIGN = re.compile(
    r"[0-9]|[年月日号周]|天|星期|礼拜|[년월일주해달]|작년|어제|그제|그저께|오늘"
    r"|\b(?:today|tonight|yesterday|tomorrow|ago|last|this|next|previous|past"
    r"|jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec"
    r"|january|february|march|april|june|july|august|september|october|november|december)\b"
)
_ONES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS = (
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
    "nineteenth",
)  # fmt: skip
_ORDINALS = {
    word: number
    for number, word in enumerate(
        (*_ONES, *_TEENS, "twentieth", *(f"twenty-{one}" for one in _ONES), "thirtieth", "thirty-first"), 1
    )
}
_DAY = r"[0-9]{1,2}(?:st|nd|rd|th)?|" + "|".join(sorted(_ORDINALS, key=len, reverse=True))
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
# Words that are a month wherever they stand.
_MONTH_SURE = "|".join(
    sorted((name for name in _MONTHS if name not in ("may", "mar", "march", "sep")), key=len, reverse=True)
)
_WEEKDAY = "|".join(name for name in _WEEKDAYS if name.isascii())
_COUNT = r"[0-9]{1,3}|" + "|".join(sorted((name for name in _SMALL if name.isascii()), key=len, reverse=True))
_HAN_COUNT = r"[0-9]{1,3}|[一二两三四五六七八九十]"
_HAN_NUMBER = r"[0-9]{1,2}|[一二三四五六七八九十]{1,3}"

Match = re.Match[str]
Reader = Callable[[Match, date], Iterator[DateHint]]


def dates_in(text: str, today: date) -> list[DateHint]:
    """The dates ``text`` speaks of, in English, Chinese, Japanese or Korean, seen from ``today``."""
    folded = words.fold(text)
    if not _SIGN.search(folded):
        return []
    hints: list[DateHint] = []
    for pattern, read in _PATTERNS:
        def take(match: Match, read: Reader = read) -> str:
            with suppress(ValueError, OverflowError):
                hints.extend(read(match, today))
            return " ; "  # what was read is not read again, and its two sides do not meet
        folded = pattern.sub(take, folded)
    return hints


def _days(first: date, last: date) -> DateHint:
    return DateHint(first=first.toordinal(), last=last.toordinal())


def _year(year: int) -> DateHint:
    return _days(date(year, 1, 1), date(year, 12, 31))


def _month(year: int, month: int) -> DateHint:
    first = date(year, month, 1)
    return _days(first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1))


def _season(year: int, month: int) -> DateHint:
    # Winter runs into the next year; its last month is taken as the same as its first two.
    return DateHint(
        first=date(year, month, 1).toordinal(), last=date(year, month, 1).toordinal() + 91
    )


def _on(day: int, month: int, year: int | None) -> Iterator[DateHint]:
    if year is None:
        date(2000, month, day)  # refuses a day that does not exist
        yield DateHint(month=month, day=day)
        yield DateHint(month=month)
        return
    exactly = date(year, month, day)
    yield _days(exactly, exactly)
    yield _month(year, month)


def _number(text: str) -> int:
    """A small number in digits, in words, or in Chinese numerals up to 99."""
    if text.isdigit():
        return int(text)
    if text in _SMALL:
        return _SMALL[text]
    tens, ten, ones = text.partition("十")
    return (_SMALL.get(tens, 1) * 10 if ten else 0) + (_SMALL.get(ones, 0) if ones else 0)


def _whole_date(match: Match, today: date) -> Iterator[DateHint]:
    year, month, day = match.group("y", "m", "d")
    return _on(int(day), int(month), int(year))


def _named_day(match: Match, today: date) -> Iterator[DateHint]:
    year = match.group("y")
    day = _ORDINALS.get(match["d"]) or int(match["d"][:2].rstrip("snrt"))
    return _on(day, _MONTHS[match["m"]], int(year) if year else None)


def _named_month(match: Match, today: date) -> Iterator[DateHint]:
    month, year = _MONTHS[match["m"]], match.group("y")
    if year:
        yield _month(int(year), month)
    else:
        yield DateHint(month=month)


def _han_date(match: Match, today: date) -> Iterator[DateHint]:
    """Year, month, day in the order of East Asia; the year may be a word, each may be missing."""
    year: int | None = None
    if match["y"]:
        year = int(match["y"])
    elif match["r"]:
        year = today.year + _YEAR_WORDS[match["r"]]
    month = _number(match["m"]) if match["m"] else None
    day = _number(match["d"]) if match["d"] else None
    season = match["s"]
    if month is not None and day is not None:
        yield from _on(day, month, year)
    elif month is not None and year is not None:
        yield _month(year, month)
    elif month is not None:
        date(2000, month, 1)
        yield DateHint(month=month)
    elif year is not None and season:
        yield _season(year, _SEASONS[season])
    elif year is not None:
        yield _year(year)


def _season_of(match: Match, today: date) -> Iterator[DateHint]:
    month = _SEASONS[match["s"]]
    if match["y"]:
        year = int(match["y"])
    else:
        # The last summer that is over, or the one that runs.
        year = today.year if date(today.year, month, 1) <= today else today.year - 1
        if match["w"] == "last" and date(year, month, 1).toordinal() + 91 > today.toordinal():
            year -= 1
    yield _season(year, month)


def _plain_year(match: Match, today: date) -> Iterator[DateHint]:
    yield _year(int(match["y"]))


_DAY_WORDS = {
    "today": 0, "tonight": 0, "yesterday": -1, "last night": -1, "the day before yesterday": -2, "tomorrow": 1,
    "今天": 0, "昨天": -1, "昨晚": -1, "今晚": 0, "前天": -2, "大前天": -3, "明天": 1, "后天": 2,
    "今日": 0, "昨日": -1, "一昨日": -2, "おととい": -2, "きのう": -1, "明日": 1, "明后日": 2,
    "오늘": 0, "어제": -1, "어젯밤": -1, "그제": -2, "그저께": -2, "내일": 1, "모레": 2,
}  # fmt: skip
_YEAR_WORDS = {
    "去年": -1, "昨年": -1, "前年": -2, "一昨年": -2, "今年": 0, "明年": 1, "来年": 1,
    "작년": -1, "지난해": -1, "재작년": -2, "올해": 0, "내년": 1,
}  # fmt: skip
_WEEK_WORDS = {
    "last": -1, "previous": -1, "past": -1, "this": 0, "next": 1, "上上": -2, "上": -1, "这": 0, "本": 0, "下": 1,
    "先先": -2, "先": -1, "今": 0, "来": 1, "지난": -1, "저번": -1, "이번": 0, "다음": 1,
}  # fmt: skip


def _day_word(match: Match, today: date) -> Iterator[DateHint]:
    day = today + timedelta(days=_DAY_WORDS[match["w"]])
    yield _days(day, day)


def _week(match: Match, today: date) -> Iterator[DateHint]:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=_WEEK_WORDS[match["w"]])
    weekday = match.groupdict().get("k")
    if weekday in ("weekend", "末", "말"):
        yield _days(monday + timedelta(days=5), monday + timedelta(days=6))
    elif weekday and weekday != "week":
        day = monday + timedelta(days=_WEEKDAYS[weekday])
        if weekday.isascii() and match["w"] != "next":
            # "Last Friday" is the nearest Friday that is over.
            back = (today.weekday() - _WEEKDAYS[weekday]) % 7 or 7
            day = today - timedelta(days=back)
        yield _days(day, day)
        yield _days(day - timedelta(days=day.weekday()), day + timedelta(days=6 - day.weekday()))
    else:
        yield _days(monday, monday + timedelta(days=6))


def _relative_month(match: Match, today: date) -> Iterator[DateHint]:
    yield _shifted(today, _WEEK_WORDS[match["w"]])


def _relative_year(match: Match, today: date) -> Iterator[DateHint]:
    yield _year(today.year + _WEEK_WORDS[match["w"]])


def _shifted(today: date, months: int) -> DateHint:
    count = today.year * 12 + today.month - 1 + months
    return _month(count // 12, count % 12 + 1)


def _ago(match: Match, today: date) -> Iterator[DateHint]:
    count = _number(match["n"])
    unit = match["u"]
    if unit in ("day", "天", "日", "일"):
        day = today - timedelta(days=count)
        yield _days(day, day)
    elif unit in ("week", "周", "星期", "礼拜", "周间", "주", "주일"):
        day = today - timedelta(weeks=count)
        yield _days(day - timedelta(days=3), day + timedelta(days=3))
    elif unit in ("month", "月", "个月", "か月", "ヶ月", "カ月", "달", "개월"):
        yield _shifted(today, -count)
    else:
        yield _year(today.year - count)


def _alternatives(table: dict[str, int]) -> str:
    return "|".join(sorted(table, key=len, reverse=True))


_PATTERNS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(r"(?<![0-9])(?P<y>[0-9]{4})[-/.](?P<m>[0-9]{1,2})[-/.](?P<d>[0-9]{1,2})(?![0-9])"), _whole_date),
    (
        re.compile(
            rf"\b(?P<m>{_MONTH})\.? (?:the )?(?P<d>{_DAY})\b(?!:)(?:,? (?P<y>[0-9]{{4}})\b)?"
        ),
        _named_day,
    ),
    (
        re.compile(rf"\b(?P<d>{_DAY}) (?:of )?(?P<m>{_MONTH})\b\.?(?:,? (?P<y>[0-9]{{4}})\b)?"),
        _named_day,
    ),
    (re.compile(rf"\b(?P<m>{_MONTH})\.?,? (?:of )?(?P<y>[0-9]{{4}})\b"), _named_month),
    (
        re.compile(rf"\b(?:in|during|of|since|by|early|late|mid|around|last|this) (?P<m>{_MONTH})\b(?P<y>)"),
        _named_month,
    ),
    (re.compile(rf"\b(?P<m>{_MONTH_SURE})\b(?P<y>)"), _named_month),
    (
        re.compile(
            r"(?:\b(?P<w>last|this|past) |\b)(?P<s>spring|summer|autumn|fall|winter)(?: of|,)? (?P<y>[0-9]{4})\b"
        ),
        _season_of,
    ),
    (re.compile(r"\b(?P<w>last|this|past) (?P<s>spring|summer|autumn|fall|winter)\b(?P<y>)"), _season_of),
    (re.compile(rf"(?:\b(?P<n>{_COUNT}) (?P<u>day|week|month|year)s? ago\b)"), _ago),
    (
        re.compile(
            rf"(?P<n>{_HAN_COUNT})(?P<u>天|日|周间|周|个?星期|个?礼拜|个月|か月|ヶ月|カ月|月|年)(?:以|之)?前"
        ),
        _ago,
    ),
    (re.compile(r"(?P<n>[0-9]{1,3}|한|두|세|네|다섯) ?(?P<u>일|주일|주|달|개월|년) 전"), _ago),
    (re.compile(rf"\b(?P<w>last|this|next|previous|past) (?P<k>week|weekend|{_WEEKDAY})\b"), _week),
    (re.compile(r"\b(?P<w>last|this|next|previous|past) month\b"), _relative_month),
    (re.compile(r"\b(?P<w>last|this|next|previous|past) year\b"), _relative_year),
    (re.compile(rf"\b(?P<w>{_alternatives({w: n for w, n in _DAY_WORDS.items() if w.isascii()})})\b"), _day_word),
    (
        re.compile(
            rf"(?:(?P<y>[0-9]{{4}}) ?[年년]|(?P<r>{_alternatives(_YEAR_WORDS)}))(?:의|の|的)? ?"
            rf"(?:(?P<m>{_HAN_NUMBER})[月월](?: ?(?P<d>{_HAN_NUMBER})[日号일]?)?|(?P<s>[春夏秋冬봄]|여름|가을|겨울))?"
        ),
        _han_date,
    ),
    (
        re.compile(rf"(?P<y>)(?P<r>)(?P<s>)(?P<m>{_HAN_NUMBER})[月월](?!曜)(?: ?(?P<d>{_HAN_NUMBER})[日号일]?)?"),
        _han_date,
    ),
    (re.compile(r"(?P<w>上上|上|这|本|下)(?:一?个?)(?:周|星期|礼拜)(?P<k>[一二三四五六日天末])?"), _week),
    (re.compile(r"(?P<w>先先|先|今|来)周(?:の?(?P<k>[月火水木金土日](?=曜)|末))?"), _week),
    (re.compile(r"(?P<w>지난|저번|이번|다음) ?주 ?(?P<k>말|[월화수목금토일](?=요일))?"), _week),
    (re.compile(r"(?P<w>上上|上|这|本|下)(?:一?个?)月"), _relative_month),
    (re.compile(r"(?P<w>先先|先|今|来)月"), _relative_month),
    (re.compile(r"(?P<w>지난|저번|이번|다음) ?달"), _relative_month),
    (re.compile(f"(?P<w>{_alternatives({w: n for w, n in _DAY_WORDS.items() if not w.isascii()})})"), _day_word),
    (re.compile(r"(?<![0-9])(?P<y>(?:19|20)[0-9]{2})(?![0-9])"), _plain_year),
)
