"""What was asked of a model and did not work out, by job and input: ``model_tries.json``. Holds ids, never texts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

BAD_MOST, SILENT_MOST = 5, 12           # bad answers, and calls without one, after which an input is set aside
HEALS_AFTER = timedelta(hours=5)        # between two probes of what was set aside
_PATIENT, _DOUBLINGS = 4, 7             # probes at that pace, about a day; then ever fewer, down to one a month
_DELAYS = (60.0, 300.0, 900.0, 3_600.0)
_MOST = 500                             # entries kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """One question. ``about`` are ids of what it was about, or the rows of a window."""

    job: str
    key: str
    at: datetime | None             # aware; of the last failure
    bad: int = 0                    # answers that were of no use
    silent: int = 0                 # calls that brought no answer
    revived: bool = False           # it was given a new start once because the model had been unwell
    settled: bool = False           # a model said that nothing follows: not asked again
    reason: str = ""
    about: tuple[str, ...] = ()

    @property
    def is_dead(self) -> bool:
        """Whether it failed so often that it is a dead letter: readable, probed now and then, retried on request."""
        return not self.settled and (self.bad >= BAD_MOST or self.silent >= SILENT_MOST)

    def rests_at(self, now: datetime) -> bool:
        """Whether it should not be asked now."""
        if self.settled:
            return True
        failures = self.bad + self.silent
        if not failures or self.at is None or self.at > now:
            return False
        if not self.is_dead:
            return now - self.at < timedelta(seconds=_DELAYS[min(failures, len(_DELAYS)) - 1])
        probes = max(self.bad - BAD_MOST, 0) + max(self.silent - SILENT_MOST, 0)
        return now - self.at < HEALS_AFTER * (1 << min(max(probes - _PATIENT, 0), _DOUBLINGS))


def key_of(ids: Iterable[str]) -> str:
    """The key of an input made of these parts, in whatever order."""
    joined = "\0".join(sorted(ids))
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Tries(Entries[Try]):
    """Failures by job and input, oldest first."""

    file = layout.MODEL_TRIES
    kind = "tries"

    def rests(self, job: str, key: str, now: datetime) -> bool:
        """Whether the input should not be put to a model now."""
        found = self.get(f"{job}:{key}")
        return found is not None and found.rests_at(now)

    def of(self, job: str) -> list[Try]:
        return [one for one in self if one.job == job]

    def dead(self) -> list[Try]:
        """The dead letters."""
        return [one for one in self if one.is_dead]

    def from_row(self, row: Mapping[str, Any]) -> Try | None:
        job, key, about = row.get("job"), row.get("key"), row.get("about")
        if not isinstance(job, str) or not isinstance(key, str) or not job or not key:
            return None
        try:
            at = datetime.fromisoformat(str(row["at"])) if row.get("at") else None
        except ValueError:
            at = None
        return Try(
            job=job,
            key=key,
            at=self.clock.local(at) if at is not None else None,
            bad=_count(row.get("bad")),
            silent=_count(row.get("silent")),
            settled=row.get("settled") is True,
            revived=row.get("revived") is True,
            reason=str(row.get("reason") or ""),
            about=tuple(map(str, about)) if isinstance(about, list) else (),
        )

    def to_row(self, entry: Try) -> dict[str, Any]:
        row: dict[str, Any] = {
            "job": entry.job,
            "key": entry.key,
            "at": entry.at.isoformat() if entry.at is not None else None,
            "bad": entry.bad,
            "silent": entry.silent,
            "reason": entry.reason,
            "about": list(entry.about),
        }
        return {**row, **{mark: True for mark in ("settled", "revived") if getattr(entry, mark)}}

    def key_of(self, entry: Try) -> str:
        return f"{entry.job}:{entry.key}"

    def take(self, event: Event) -> None:
        match event.type:
            case "try.failed" | "try.settled":
                row = event.data["try"]
                self.drop(f"{row['job']}:{row['key']}")      # the latest last
                self.put(row)
                self._shorten()
            case "try.again":
                for key in event.data["keys"]:
                    if (found := self.get(key)) is not None:
                        self.put({**self.to_row(found), "bad": 0, "silent": 0, "at": None})
            case "try.revived":
                for key in event.data["keys"]:
                    if (found := self.get(key)) is not None:
                        self.put({**self.to_row(found), "bad": 0, "silent": 0, "at": None, "revived": True})
            case "try.over":
                for key in event.data["keys"]:
                    self.drop(key)

    def _shorten(self) -> None:
        excess = len(self) - _MOST
        if excess > 0:
            order = sorted(self, key=lambda one: one.is_dead)  # stable: what is no dead letter goes first
            for one in order[:excess]:
                self.drop(self.key_of(one))


def _count(value: object) -> int:
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0
