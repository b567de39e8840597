"""From a named day, weekday or month to the offset of it that the speaker meant."""

from __future__ import annotations

from datetime import date, datetime

from memory.facts.rules.offsets import Offset, days_in_month


def weekday_near(anchor: datetime, weekday: int, past: bool | None) -> Offset:
    """The last such weekday when telling of the past, else the coming one; never today. Monday is 0."""
    if past:
        return -((anchor.weekday() - weekday - 1) % 7 + 1), "day"
    return (weekday - anchor.weekday() - 1) % 7 + 1, "day"


def weekday_of_week(anchor: datetime, weekday: int, weeks: int) -> Offset:
    """That weekday in the week so many weeks away; weeks begin on Monday."""
    return weekday - anchor.weekday() + 7 * weeks, "day"


def day_named(anchor: datetime, month: int, day: int, year: int | None, past: bool | None) -> Offset | None:
    """A month and day; without a year the one that fits the tense, else the nearest. None if there is no such day."""
    if year is not None:
        return _days(anchor, year, month, day)
    around = (anchor.year - 1, anchor.year, anchor.year + 1)
    offsets = [offset for each in around if (offset := _days(anchor, each, month, day))]
    if past is not None:
        offsets = [offset for offset in offsets if (offset[0] <= 0 if past else offset[0] >= 0)]
    return min(offsets, key=lambda offset: abs(offset[0]), default=None)


def day_of_month(anchor: datetime, day: int, past: bool | None, months: int | None = None) -> Offset | None:
    """ "The 15th": of the month so many months away, or of the nearest month that fits the tense."""
    here = anchor.year * 12 + anchor.month - 1
    offsets = []
    for step in (months,) if months is not None else (-1, 0, 1):
        year, month = divmod(here + step, 12)
        if 1 <= year <= 9999 and 1 <= day <= days_in_month(year, month + 1):
            offsets.append(_days(anchor, year, month + 1, day))
    known = [offset for offset in offsets if offset is not None]
    if months is None and past is not None:
        known = [offset for offset in known if (offset[0] <= 0 if past else offset[0] >= 0)]
    return min(known, key=lambda offset: abs(offset[0]), default=None)


def month_named(anchor: datetime, month: int, year: int | None, past: bool | None) -> Offset:
    """A month; without a year the one that fits the tense, else the nearest."""
    if year is not None:
        return (year - anchor.year) * 12 + month - anchor.month, "month"
    away = month - anchor.month
    choices = [away - 12, away, away + 12]
    if past is not None:
        choices = [choice for choice in choices if (choice <= 0 if past else choice >= 0)]
    return min(choices, key=abs), "month"


def _days(anchor: datetime, year: int, month: int, day: int) -> Offset | None:
    try:
        return (date(year, month, day) - anchor.date()).days, "day"
    except ValueError:
        return None
