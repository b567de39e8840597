"""Time expressions, anchored on the message they were said in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memory.facts.rules.event_when import resolve, resolve_raw
from tests.memory.facts.rules_told import one, told

MONDAY = datetime(2026, 5, 4, 10, 0, tzinfo=timezone(timedelta(hours=8)))


def day(text: str, language: str, *, past: bool | None = None, anchor: datetime = MONDAY) -> str | None:
    when = resolve(text, anchor, language, past)
    return f"{when.start:%Y-%m-%d}" if when and when.start else None


ENGLISH = [
    ("today", None, "2026-05-04"),
    ("yesterday", None, "2026-05-03"),
    ("the day after tomorrow", None, "2026-05-06"),
    ("the day before yesterday", None, "2026-05-02"),
    ("tonight", None, "2026-05-04"),
    ("tmrw", None, "2026-05-05"),
    ("3 days ago", None, "2026-05-01"),
    ("a few days ago", None, "2026-05-01"),
    ("two weeks ago", None, "2026-04-20"),
    ("in ten days", None, "2026-05-14"),
    ("next week", None, "2026-05-11"),
    ("last month", None, "2026-04-04"),
    ("half a year ago", None, "2025-11-04"),
    ("next year", None, "2027-05-04"),
    ("lately", None, "2026-04-27"),
    ("on Friday", False, "2026-05-08"),
    ("on Friday", True, "2026-05-01"),
    ("next Friday", None, "2026-05-15"),
    ("last Friday", None, "2026-05-01"),
    ("this weekend", None, "2026-05-09"),
    ("on May 2nd", True, "2026-05-02"),
    ("on May 2nd", False, "2027-05-02"),
    ("the 15th of June 2027", None, "2027-06-15"),
    ("2026-05-20", None, "2026-05-20"),
    ("on the 21st", False, "2026-05-21"),
    ("in March", True, "2026-03-04"),
    ("on Christmas Eve", False, "2026-12-24"),
]
CHINESE = [
    ("今天", None, "2026-05-04"),
    ("刚刚", None, "2026-05-04"),
    ("昨天", None, "2026-05-03"),
    ("前天", None, "2026-05-02"),
    ("大后天", None, "2026-05-07"),
    ("明晚", None, "2026-05-05"),
    ("三天前", None, "2026-05-01"),
    ("两周后", None, "2026-05-18"),
    ("半年前", None, "2025-11-04"),
    ("十分钟前", None, "2026-05-04"),
    ("前几天", None, "2026-05-01"),
    ("最近", None, "2026-04-27"),
    ("上周", None, "2026-04-27"),
    ("下个月", None, "2026-06-04"),
    ("去年", None, "2025-05-04"),
    ("下周五", None, "2026-05-15"),
    ("周五", False, "2026-05-08"),
    ("周五", True, "2026-05-01"),
    ("这周末", None, "2026-05-09"),
    ("5月2日", True, "2026-05-02"),
    ("5月20号", False, "2026-05-20"),
    ("2026-05-20", None, "2026-05-20"),
    ("下个月5号", None, "2026-06-05"),
    ("明年三月", None, "2027-03-04"),
    ("十五号", False, "2026-05-15"),
    ("过几天", None, "2026-05-07"),
]


@pytest.mark.parametrize(("text", "past", "expected"), ENGLISH)
def test_english_expressions_are_resolved(text: str, past: bool | None, expected: str) -> None:
    assert day(text, "en", past=past) == expected


@pytest.mark.parametrize(("text", "past", "expected"), CHINESE)
def test_chinese_expressions_are_resolved(text: str, past: bool | None, expected: str) -> None:
    assert day(text, "zh", past=past) == expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("every Friday", "en"),
        ("on Fridays", "en"),
        ("i sat in the sun", "en"),
        ("每周五一起", "zh"),
        ("每周五", "zh"),
        ("4号线", "zh"),
    ],
)
def test_what_recurs_or_only_looks_like_a_time_is_none(text: str, language: str) -> None:
    assert day(text, language) is None


def test_months_and_years_follow_the_calendar() -> None:
    # The last day of a longer month becomes the last of a shorter one; 29 February has no twin in 2025.
    assert day("a month ago", "en", anchor=MONDAY.replace(month=3, day=31)) == "2026-02-28"
    assert day("一年前", "zh", anchor=datetime(2028, 2, 29, tzinfo=UTC)) == "2027-02-28"
    assert day("下个月", "zh", anchor=datetime(2026, 12, 31, tzinfo=UTC)) == "2027-01-31"


def test_the_offsets_are_kept_as_they_were_said() -> None:
    when = resolve("two months ago", MONDAY, "en")
    assert when is not None
    assert when.raw == {"start": {"offset": -2, "unit": "month"}, "end": None}
    weekend = resolve("this weekend", MONDAY, "en")
    assert weekend is not None
    assert weekend.raw == {"start": {"offset": 5, "unit": "day"}, "end": {"offset": 6, "unit": "day"}}


def test_an_hour_that_is_named_is_kept() -> None:
    when = resolve("tomorrow at 3pm", MONDAY, "en")
    assert when is not None
    assert when.start == MONDAY.replace(day=5, hour=15)
    # 29 hours from ten in the morning.
    assert when.raw["start"] == {"offset": 29 * 60, "unit": "minute"}


def test_beyond_the_calendar_there_is_no_time() -> None:
    assert resolve("next year", datetime(9999, 6, 1, tzinfo=UTC), "en") is None
    assert resolve("9999 years ago", MONDAY, "en") is None
    assert resolve("tomorrow", MONDAY, "fr") is None


@pytest.mark.parametrize(
    "raw",
    [
        None,
        3,
        {},
        {"start": {"offset": "x", "unit": "day"}},
        {"start": {"offset": 1, "unit": "fortnight"}},
        {"start": {"offset": float("inf"), "unit": "day"}},
    ],
)
def test_an_unusable_value_from_elsewhere_is_no_time(raw: object) -> None:
    assert resolve_raw(raw, MONDAY) is None


def test_a_value_from_elsewhere_keeps_its_usable_side() -> None:
    when = resolve_raw({"start": {"offset": "-1", "unit": "day"}, "end": {"offset": 1, "unit": "eon"}}, MONDAY)
    assert when is not None
    assert (when.start, when.end) == (MONDAY - timedelta(days=1), None)
    assert when.raw == {"start": {"offset": -1, "unit": "day"}, "end": None}


def test_a_fact_is_dated_from_the_message_and_says_the_date() -> None:
    (draft,) = told("i have an exam tomorrow", at=datetime(2025, 12, 31, 23, 0, tzinfo=UTC))
    assert draft.text == "The user has an exam tomorrow (2026-01-01)."
    assert draft.event_start_at == datetime(2026, 1, 1, 23, 0, tzinfo=UTC)
    assert draft.event_when_raw == {"start": {"offset": 1, "unit": "day"}, "end": None}


def test_a_habit_has_no_date() -> None:
    assert one("I play tennis on Fridays").event_start_at is None
    assert one("我每周五去游泳").event_start_at is None


def test_a_birthday_said_by_the_day_is_kept_by_the_date() -> None:
    assert one("my birthday is tomorrow").object == "05 05"
    assert one("今天是我生日").object == "05 04"
