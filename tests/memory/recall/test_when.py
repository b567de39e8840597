"""The closed grammar of time, and what windows measure."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from memory.recall.when import TimeWindow, interval, parse_window
from tests.fakes import ZONE, FixedClock


def local(year: int, month: int, day: int, hour: int = 0) -> datetime:
    return datetime(year, month, day, hour, tzinfo=ZONE)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-05-01T14", local(2026, 5, 1, 14), local(2026, 5, 1, 15)),
        ("2026-05-01 14", local(2026, 5, 1, 14), local(2026, 5, 1, 15)),
        ("2026-05-01", local(2026, 5, 1), local(2026, 5, 2)),
        ("2026-12", local(2026, 12, 1), local(2027, 1, 1)),
        ("2024-02", local(2024, 2, 1), local(2024, 3, 1)),
        ("2026", local(2026, 1, 1), local(2027, 1, 1)),
        ("  2026-05-01\n", local(2026, 5, 1), local(2026, 5, 2)),
    ],
)
def test_a_token_is_the_hour_day_month_or_year_it_names(text: str, start: datetime, end: datetime) -> None:
    assert parse_window(text, FixedClock()) == TimeWindow(start=start, end=end)


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-01T14:30", "2026-05-01T14:30:00", "2026-05-01 14:30:59.999", "2026-05-01T14:30:00+02:00",
        "2026-05-01T12:30:00Z", "2026-05-01T18:00:00+05:30", "2026-05-01T14+02:00",
    ],
)  # fmt: skip
def test_a_full_timestamp_is_its_containing_local_hour(text: str) -> None:
    # The test's zone is two hours ahead of UTC; 18:00+05:30 is 12:30 in UTC.
    assert parse_window(text, FixedClock()) == TimeWindow(start=local(2026, 5, 1, 14), end=local(2026, 5, 1, 15))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-05-01/2026-05-07", local(2026, 5, 1), local(2026, 5, 8)),
        ("2026-05-07/2026-05-01", local(2026, 5, 1), local(2026, 5, 8)),
        ("2026-05..2026-06", local(2026, 5, 1), local(2026, 7, 1)),
        ("2026-05...2026-06", local(2026, 5, 1), local(2026, 7, 1)),
        ("2026-05-01T09 / 2026-05-01T18", local(2026, 5, 1, 9), local(2026, 5, 1, 19)),
        ("2025/2026-02", local(2025, 1, 1), local(2026, 3, 1)),
    ],
)
def test_a_pair_covers_both_tokens_and_what_lies_between(text: str, start: datetime, end: datetime) -> None:
    assert parse_window(text, FixedClock()) == TimeWindow(start=start, end=end)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "/", "..", "today", "last week", "20260501", "2026-W18", "2026-121", "2026/05/01", "2026-5-1",
        "26-05-01", "2026-13", "2026-02-30", "2026-05-01T24", "2026-05-01T", "0000", "9999", "9999-12", "9999-12-31",
        "9999-12-31T23", "2026-05-01/", "/2026-05-01", "2026-05-01/today", "2026-05-01/2026-05-02/2026-05-03",
        "2026..", "2026-05-01T14:60", "٢٠٢٦", "２０２６", "2026-05-01x", "+2026", "-2026", "2026-05-01T1430",
        "2026-05-01T14:30:00+25:00",
    ],
)  # fmt: skip
def test_anything_else_is_no_time(text: str) -> None:
    assert parse_window(text, FixedClock()) is None


def test_an_event_touches_a_window_when_it_begins_before_its_end_and_ends_at_or_after_its_start() -> None:
    window = TimeWindow(start=local(2026, 5, 1), end=local(2026, 5, 2))
    assert window.overlaps(local(2026, 4, 1), local(2026, 5, 1))
    assert not window.overlaps(local(2026, 4, 1), local(2026, 5, 1) - timedelta(microseconds=1))
    assert window.overlaps(local(2026, 5, 1, 23), local(2026, 6, 1))
    assert not window.overlaps(local(2026, 5, 2), local(2026, 6, 1))


def test_distance_is_to_the_nearest_edge_and_nothing_inside() -> None:
    window = TimeWindow(start=local(2026, 5, 1), end=local(2026, 5, 2))
    assert window.distance(local(2026, 4, 30), local(2026, 4, 30, 22)) == 2 * 3600
    assert window.distance(local(2026, 5, 2, 1), local(2026, 5, 9)) == 3600
    assert window.distance(local(2026, 5, 1, 5), local(2026, 5, 1, 6)) == 0
    # It begins exactly at the right edge: outside, but no distance away.
    assert not window.overlaps(local(2026, 5, 2), local(2026, 5, 2))
    assert window.distance(local(2026, 5, 2), local(2026, 5, 2)) == 0


def test_a_missing_side_is_copied_and_a_reversed_pair_is_swapped() -> None:
    early, late, learnt = local(2026, 5, 1), local(2026, 5, 3), local(2026, 6, 1)
    assert interval(early, None, learnt) == (early, early)
    assert interval(None, late, learnt) == (late, late)
    assert interval(None, None, learnt) == (learnt, learnt)
    assert interval(late, early, learnt) == (early, late)
