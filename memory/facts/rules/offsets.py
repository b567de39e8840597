"""Offsets from a moment, by the clock and the calendar."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

UNITS = ("minute", "hour", "day", "week", "month", "year")

Offset = tuple[int, str]  # number and unit; negative is past


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A time expression before it is resolved: offsets from the anchor, and a wall time if one was named."""

    start: Offset
    end: Offset | None = None
    at: tuple[int, int] | None = None  # hour, minute
    grain: str = "day"  # the unit the speaker was as exact as, or "lately"
    relative: bool = True  # said relative to the moment ("tomorrow"), so the words alone go stale
    span: tuple[int, int] = (0, 0)  # where in the text it was found


def shift(anchor: datetime, amount: int, unit: str) -> datetime:
    """The anchor moved by so many units, by the calendar for months and years.

    Raises ValueError for an unknown unit, OverflowError beyond the years 1 to 9999.
    """
    if unit in ("minute", "hour"):
        span = timedelta(minutes=amount) if unit == "minute" else timedelta(hours=amount)
        return (anchor.astimezone(UTC) + span).astimezone(anchor.tzinfo)
    if unit in ("day", "week"):
        return anchor + timedelta(days=amount if unit == "day" else 7 * amount)
    if unit not in ("month", "year"):
        raise ValueError(f"unknown unit {unit!r}")
    months = anchor.year * 12 + anchor.month - 1 + (amount if unit == "month" else 12 * amount)
    year, month = divmod(months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError("outside the calendar")
    return anchor.replace(year=year, month=month + 1, day=min(anchor.day, days_in_month(year, month + 1)))


def days_in_month(year: int, month: int) -> int:
    """How many days the month has; month 1..12."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31
