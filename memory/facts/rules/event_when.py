"""Time expressions of plain speech, resolved against the moment they were said.

``resolve`` finds the first certain expression of a text. Offsets keep the wall time of the anchor ("tomorrow" is the
same hour a day later) and follow the calendar for months and years: a month after 31 January is the last of February.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memory.facts.rules import when_chinese, when_english
from memory.facts.rules.offsets import UNITS, Offset, shift

_LONGEST = 2_000  # characters of a text that are looked at; a clause is far shorter


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """When something happened or will, as said and as resolved. ``end`` is None where only a start is known."""

    raw: Mapping[str, Any]  # {"start": {"offset": int, "unit": str} | None, "end": … | None}
    start: datetime | None
    end: datetime | None = None
    grain: str = "day"  # the unit the speaker was as exact as
    relative: bool = True  # said relative to the moment ("tomorrow"), so the words alone go stale
    span: tuple[int, int] = (0, 0)  # where in the text it was found

    def label(self, language: str) -> str | None:
        """The date for a reader who was not there, like 2026-05-08; None where the words are exact by themselves."""
        if self.start is None or not self.relative:
            return None
        if self.grain in ("minute", "hour"):
            return f"{self.start:%Y-%m-%d %H:%M}"
        if self.grain == "week":
            monday = self.start - timedelta(days=self.start.weekday())
            return f"{monday:%Y-%m-%d}那周" if language == "zh" else f"week of {monday:%Y-%m-%d}"
        pattern = {"day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}.get(self.grain)
        return self.start.strftime(pattern) if pattern else None


_FINDERS = {"en": when_english.find, "zh": when_chinese.find}


def resolve(text: str, anchor: datetime, language: str, past: bool | None = None) -> When | None:
    """The first certain time expression of an English ("en") or Chinese ("zh") text, anchored on an aware moment.

    ``past`` says how to read "on Friday" or "2 May": before the anchor, after it, or whichever is nearer. None when
    there is no such expression, the language is another, or the moment lies outside the years 1 to 9999.
    """
    finder = _FINDERS.get(language[:2])
    found = finder(text[:_LONGEST], anchor, past) if finder else None
    if found is None:
        return None
    try:
        start = shift(anchor, *found.start)
        end = shift(anchor, *found.end) if found.end else None
    except (OverflowError, ValueError):
        return None
    offset, grain = found.start, found.grain
    if found.at is not None:
        start = start.replace(hour=found.at[0], minute=found.at[1], second=0, microsecond=0)
        wall = start.replace(tzinfo=None) - anchor.replace(tzinfo=None)
        offset, grain = (round(wall.total_seconds() / 60), "minute"), "minute"
    raw = {"start": _as_json(offset), "end": _as_json(found.end) if found.end else None}
    return When(raw=raw, start=start, end=end, grain=grain, relative=found.relative, span=found.span)


def resolve_raw(raw: object, anchor: datetime) -> When | None:
    """An ``event_when`` value from elsewhere, cleaned and resolved; None when neither side is usable."""
    if not isinstance(raw, Mapping):
        return None
    start, end = _offset(raw.get("start")), _offset(raw.get("end"))
    if start is None and end is None:
        return None
    try:
        moments = [shift(anchor, *side) if side else None for side in (start, end)]
    except (OverflowError, ValueError):
        return None
    clean = {"start": _as_json(start) if start else None, "end": _as_json(end) if end else None}
    return When(raw=clean, start=moments[0], end=moments[1], grain=(start or end or (0, "day"))[1])


def _as_json(offset: Offset) -> dict[str, Any]:
    return {"offset": offset[0], "unit": offset[1]}


def _offset(value: object) -> Offset | None:
    if not isinstance(value, Mapping) or value.get("unit") not in UNITS:
        return None
    amount = value.get("offset")
    if isinstance(amount, str):
        try:
            amount = int(amount)
        except ValueError:
            return None
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        return None
    try:
        return int(amount), str(value["unit"])
    except (OverflowError, ValueError):  # infinity, not a number
        return None
