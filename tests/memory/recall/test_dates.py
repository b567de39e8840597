"""Dates in the text of a question."""

from __future__ import annotations

from datetime import date

import pytest

from memory.recall.dates import DateHint, dates_in

TODAY = date(2026, 5, 20)  # a Wednesday


def days(first: str, last: str | None = None) -> DateHint:
    return DateHint(
        first=date.fromisoformat(first).toordinal(), last=date.fromisoformat(last or first).toordinal()
    )


@pytest.mark.parametrize(
    "text",
    [
        "2 May 2023", "May 2nd, 2023", "the 2nd of May 2023", "the second of May 2023", "2023-05-02", "2023/5/2",
        "2023年5月2日", "2023년 5월 2일",
    ],
)  # fmt: skip
def test_a_whole_date_names_its_day_and_its_month(text: str) -> None:
    assert dates_in(f"{text}", TODAY) == [days("2023-05-02"), days("2023-05-01", "2023-05-31")]


@pytest.mark.parametrize(
    "text", ["on May 2nd", "2 May", "5月2日", "5月2号", "５月２日", "五月二日", "5月2號", "5월 2일에"]
)
def test_a_day_without_a_year_is_that_day_of_any_year(text: str) -> None:
    assert dates_in(text, TODAY) == [DateHint(month=5, day=2), DateHint(month=5)]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("in March 2023", days("2023-03-01", "2023-03-31")),
        ("2023年3月", days("2023-03-01", "2023-03-31")),
        ("in May", DateHint(month=5)),
        ("12月", DateHint(month=12)),
        ("in 2022", days("2022-01-01", "2022-12-31")),
        ("summer of 2022", days("2022-06-01", "2022-08-31")),
        ("last summer", days("2025-06-01", "2025-08-31")),
        ("去年夏天", days("2025-06-01", "2025-08-31")),
        ("去年の夏", days("2025-06-01", "2025-08-31")),
        ("작년 여름", days("2025-06-01", "2025-08-31")),
        ("去年5月", days("2025-05-01", "2025-05-31")),
        ("yesterday", days("2026-05-19")),
        ("昨天", days("2026-05-19")),
        ("昨日", days("2026-05-19")),
        ("어제", days("2026-05-19")),
        ("前天", days("2026-05-18")),
        ("three days ago", days("2026-05-17")),
        ("3天前", days("2026-05-17")),
        ("3日前", days("2026-05-17")),
        ("3일 전", days("2026-05-17")),
        ("last week", days("2026-05-11", "2026-05-17")),
        ("上周", days("2026-05-11", "2026-05-17")),
        ("上個星期", days("2026-05-11", "2026-05-17")),
        ("先週", days("2026-05-11", "2026-05-17")),
        ("지난주", days("2026-05-11", "2026-05-17")),
        ("last weekend", days("2026-05-16", "2026-05-17")),
        ("先週末", days("2026-05-16", "2026-05-17")),
        ("last month", days("2026-04-01", "2026-04-30")),
        ("上个月", days("2026-04-01", "2026-04-30")),
        ("先月", days("2026-04-01", "2026-04-30")),
        ("지난달", days("2026-04-01", "2026-04-30")),
        ("two years ago", days("2024-01-01", "2024-12-31")),
    ],
)
def test_words_for_time_are_seen_from_today(text: str, hint: DateHint) -> None:
    assert dates_in(text, TODAY) == [hint]


@pytest.mark.parametrize("text", ["last Friday", "上周五", "先週の金曜日", "지난주 금요일"])
def test_a_weekday_of_last_week_names_the_day_and_its_week(text: str) -> None:
    assert dates_in(text, TODAY) == [days("2026-05-15"), days("2026-05-11", "2026-05-17")]


@pytest.mark.parametrize(
    "text", ["What may happen next?", "iphone 15", "5 people", "一二三", "May 45", "February 30", "2月30日", ""]
)
def test_what_is_no_date_gives_no_hint_of_a_day(text: str) -> None:
    assert not any(hint.exact for hint in dates_in(text, TODAY))


def test_a_number_too_large_for_the_calendar_is_passed_over() -> None:
    assert dates_in("999 years ago and in 9999", TODAY) == [days("1027-01-01", "1027-12-31")]
