"""Reading single fields of a row that anybody may have written: what is missing or wrong takes its default."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memory.clock import Clock, naive_local


def text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def number(value: object, default: float = 0.0) -> float:
    """A finite number, or the default."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return default
    return float(value) if abs(value) < 1e9 else default  # also leaves out what is not a number


def count(value: object) -> int:
    """A whole number of at least 0."""
    return max(int(number(value)), 0)


def texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def moment(value: object, clock: Clock) -> datetime | None:
    """An aware moment from the companion's local form, or from any ISO form with an offset."""
    if not isinstance(value, str):
        return None
    try:
        return clock.local(datetime.fromisoformat(value))
    except ValueError:
        return None


def stamp(value: datetime | None) -> str | None:
    """The companion's on-disk form."""
    return naive_local(value) if value is not None else None


def born(row: dict[str, Any] | Any, clock: Clock) -> datetime | None:
    """``created_at`` with the offset that stands beside it, if one does."""
    created, offset = row.get("created_at"), row.get("utc_offset")
    if isinstance(created, str) and isinstance(offset, str) and offset:
        try:
            written = datetime.fromisoformat(created)
            return written if written.tzinfo is not None else datetime.fromisoformat(f"{created}{offset}")
        except ValueError:
            pass
    return moment(created, clock)
