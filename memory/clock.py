"""Time: the only module that asks the machine what time it is."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time and knows the local zone."""

    def now(self) -> datetime:
        """The present moment, aware, in the local zone."""
        ...

    def local(self, moment: datetime) -> datetime:
        """The same moment, aware, in the local zone; a naive value is taken as local wall time."""
        ...

    def monotonic(self) -> float:
        """Seconds since some fixed point; never goes back."""
        ...


class SystemClock:
    """The machine's clock and zone."""

    def now(self) -> datetime:
        return datetime.now().astimezone()

    def local(self, moment: datetime) -> datetime:
        try:
            return moment.astimezone()
        except (OverflowError, OSError, ValueError):
            # The edge of the calendar has no offset to convert by; keep the wall time.
            return moment.replace(tzinfo=datetime.now().astimezone().tzinfo)

    def monotonic(self) -> float:
        return time.monotonic()


def naive_local(moment: datetime) -> str:
    """The companion's on-disk form: local wall time without its offset."""
    return moment.replace(tzinfo=None).isoformat()
