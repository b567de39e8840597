"""How the jobs that make digests went: ``digest_jobs.json``. Nobody's words stand in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.clock import Clock
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

DONE, FAILED = "done", "failed"
KEPT = 200          # jobs that are told one by one; all are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestRun:
    """One job that came to its end."""

    id: str                         # of the job
    kind: str                       # digest or digest_rebuild
    status: str                     # done or failed
    ended_at: datetime              # aware
    milliseconds: int               # from the beginning of the run that ended it
    reason: str | None = None       # why it failed
    digest: str | None = None       # id of the last digest it made
    number: int = 1                 # how many there were with this one
    failures: int = 0               # … and how many of them failed


def to_row(run: DigestRun) -> dict[str, Any]:
    return {
        "id": run.id,
        "kind": run.kind,
        "status": run.status,
        "at": run.ended_at.isoformat(),
        "ms": run.milliseconds,
        "reason": run.reason,
        "digest": run.digest,
        "number": run.number,
        "failures": run.failures,
    }


class DigestRuns(Entries[DigestRun]):
    """The latest jobs, oldest first."""

    file = layout.DIGEST_JOBS
    kind = "digest_runs"

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)

    @property
    def last(self) -> DigestRun | None:
        """The one that ended last."""
        return max(self, key=lambda run: run.number, default=None)

    def next_row(
        self, *, job: str, kind: str, status: str, now: datetime, milliseconds: int,
        reason: str | None = None, digest: str | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """The row of a job that ends now."""
        last = self.last
        return to_row(
            DigestRun(
                id=job,
                kind=kind,
                status=status,
                ended_at=now,
                milliseconds=max(milliseconds, 0),
                reason=reason[:200] if reason is not None else None,
                digest=digest,
                number=(last.number if last is not None else 0) + 1,
                failures=(last.failures if last is not None else 0) + (status == FAILED),
            )
        )

    def from_row(self, row: Mapping[str, Any]) -> DigestRun | None:
        own, kind, status = row.get("id"), row.get("kind"), row.get("status")
        spent, number, failures = row.get("ms"), row.get("number"), row.get("failures")
        reason, digest = row.get("reason"), row.get("digest")
        try:
            at = datetime.fromisoformat(str(row.get("at")))
        except ValueError:
            return None
        if not isinstance(own, str) or not own or at.tzinfo is None:
            return None
        return DigestRun(
            id=own,
            kind=str(kind),
            status=FAILED if status == FAILED else DONE,
            ended_at=at,
            milliseconds=spent if isinstance(spent, int) else 0,
            reason=reason if isinstance(reason, str) else None,
            digest=digest if isinstance(digest, str) else None,
            number=number if isinstance(number, int) else 1,
            failures=failures if isinstance(failures, int) else 0,
        )

    def to_row(self, entry: DigestRun) -> dict[str, Any]:
        return to_row(entry)

    def key_of(self, entry: DigestRun) -> str:
        return entry.id

    def take(self, event: Event) -> None:
        if event.type == "digest_job.ended":
            self.put(event.data["run"])
            for key in list(self._entries)[: max(len(self) - KEPT, 0)]:
                self.drop(key)
