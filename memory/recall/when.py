"""Windows of time, and the closed grammar callers write them in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memory.clock import Clock

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# A digit is an ASCII digit: other scripts' digits are not part of the grammar.
_YEAR = re.compile(r"[0-9]{4}")
_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_HOUR = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}(?::[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?)?"
    r"(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeWindow:
    """A half-open stretch of time: ``start`` belongs to it, ``end`` does not. Both are aware."""

    start: datetime
    end: datetime

    def overlaps(self, start: datetime, end: datetime) -> bool:
        """Whether the closed interval from ``start`` to ``end`` touches the window."""
        return start < self.end and end >= self.start

    def distance(self, start: datetime, end: datetime) -> float:
        """Seconds from the closed interval to the nearest edge of the window; 0 inside.

        An interval that begins exactly at the right edge is outside, at distance 0.
        """
        if self.overlaps(start, end):
            return 0.0
        if end < self.start:
            return (self.start - end).total_seconds()
        return (start - self.end).total_seconds()


def seconds(moment: datetime) -> float:
    """An aware moment as seconds since 1970 in UTC; safe over the whole calendar."""
    return (moment - EPOCH).total_seconds()


def interval(start: datetime | None, end: datetime | None, otherwise: datetime) -> tuple[datetime, datetime]:
    """The closed interval an event fills: a missing side is copied from the other, a reversed pair is swapped."""
    first = start or end or otherwise
    last = end or start or otherwise
    return (first, last) if first <= last else (last, first)


def parse_window(text: str, clock: Clock) -> TimeWindow | None:
    """Read a time expression; ``None`` when it is not one.

    One token is a year, month, day or hour, or an ISO date and time, which stands for the
    local hour around it. Two tokens joined by ``/``, ``..`` or ``...`` cover both and what
    lies between. Naive values are local wall time. Nothing else is accepted.
    """
    text = text.strip()
    for joint in ("/", "...", ".."):
        if joint in text:
            left, _, right = text.partition(joint)
            first, second = _token(left.strip(), clock), _token(right.strip(), clock)
            if first is None or second is None:
                return None
            return TimeWindow(start=min(first.start, second.start), end=max(first.end, second.end))
    return _token(text, clock)


def _token(text: str, clock: Clock) -> TimeWindow | None:
    # The first pattern that fits decides the grain: a day that overflows is not retried as an hour.
    try:
        if _DAY.fullmatch(text):
            day = datetime.fromisoformat(text)
            return _local(day, day + timedelta(days=1), clock)
        if _HOUR.fullmatch(text):
            hour = datetime.fromisoformat(text)
            return _local(hour, hour + timedelta(hours=1), clock)
        if _MONTH.fullmatch(text):
            month = datetime.fromisoformat(f"{text}-01")
            return _local(month, (month + timedelta(days=31)).replace(day=1), clock)
        if _YEAR.fullmatch(text):
            year = datetime.fromisoformat(f"{text}-01-01")
            return _local(year, year.replace(year=year.year + 1), clock)
        if _MOMENT.fullmatch(text):
            moment = clock.local(datetime.fromisoformat(text.upper().replace(",", ".")))
            hour = moment.replace(minute=0, second=0, microsecond=0)
            return TimeWindow(start=hour, end=hour + timedelta(hours=1))
    except (ValueError, OverflowError):
        return None
    return None


def _local(start: datetime, end: datetime, clock: Clock) -> TimeWindow:
    return TimeWindow(start=clock.local(start), end=clock.local(end))
