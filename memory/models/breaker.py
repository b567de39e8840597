"""Leaving a failing model alone for a while, and telling what it has cost today."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime

from memory.clock import Clock

FAILURES = 5          # in a row, then the model is left alone
OPEN_SECONDS = 600.0


@dataclass(slots=True)
class Breaker:
    """Closed while calls succeed; open after five failures in a row; then one probe at a time."""

    clock: Clock
    failures: int = 0
    opened_at: float | None = None
    probing: bool = False

    @property
    def state(self) -> str:
        """``closed``, ``open`` or ``half-open``."""
        if self.opened_at is None:
            return "closed"
        return "half-open" if self.clock.monotonic() - self.opened_at >= OPEN_SECONDS else "open"

    def admits(self) -> bool:
        """Whether a call may be made now; a half-open breaker admits one until its outcome is known."""
        match self.state:
            case "closed":
                return True
            case "half-open" if not self.probing:
                self.probing = True
                return True
        return False

    def succeeded(self) -> None:
        self.failures, self.opened_at, self.probing = 0, None, False

    def failed(self) -> None:
        self.failures += 1
        if self.probing or self.failures >= FAILURES:
            self.opened_at = self.clock.monotonic()
        self.probing = False

    def gave_up(self) -> None:
        """The caller went away before the outcome was known."""
        self.probing = False


class Ledger:
    """Tokens and calls of the present local day, in total and by space."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._day: date | None = None
        self.tokens = 0
        self.calls = 0
        self.by_space: dict[str, int] = defaultdict(int)

    def _turn_page(self) -> None:
        today = self._clock.now().date()
        if today != self._day:
            self._day, self.tokens, self.calls = today, 0, 0
            self.by_space.clear()

    def may_spend(self, space: str, total: int | None, per_space: int | None) -> bool:
        """Whether the budgets of the day leave anything."""
        self._turn_page()
        if total is not None and self.tokens >= total:
            return False
        return per_space is None or self.by_space[space] < per_space

    def spend(self, space: str, tokens: int) -> None:
        """Note a call and what it cost."""
        self._turn_page()
        self.calls += 1
        self.tokens += tokens
        self.by_space[space] += tokens

    def to_json(self) -> dict[str, object]:
        self._turn_page()
        day = (self._day or self._clock.now().date()).isoformat()
        return {"day": day, "tokens": self.tokens, "calls": self.calls, "by_space": dict(self.by_space)}

    def restore(self, value: object) -> None:
        """Go on with a day that was begun before a restart."""
        if not isinstance(value, dict) or not isinstance(value.get("day"), str):
            return
        try:
            day = datetime.fromisoformat(value["day"]).date()
            tokens, calls = int(value.get("tokens", 0)), int(value.get("calls", 0))
            by_space = {str(name): int(count) for name, count in dict(value.get("by_space", {})).items()}
        except (TypeError, ValueError):
            return
        if day == self._clock.now().date():
            self._day, self.tokens, self.calls = day, tokens, calls
            self.by_space.update(by_space)
