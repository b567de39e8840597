"""Owing a digest, or a rebuilding of the whole chain, and how these jobs went."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.space import MemorySpace
from memory.state.digest_runs import DigestRun
from memory.store.journal import Batch

DIGEST, REBUILD = "digest", "digest_rebuild"        # forever: they stand in journals
CURSOR = "digested_row"                             # the last row that the state takes into account
FULL, SINCE_LAST_GOOD = "full", "since_last_good"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """How the jobs of a space went."""

    total: int
    failed: int
    last_run_at: datetime | None = None     # aware
    last_ms: int | None = None
    last_status: str | None = None          # done or failed

    @property
    def success_rate(self) -> float | None:
        """0..1; None where there was none."""
        return (self.total - self.failed) / self.total if self.total else None


def owe_digest(space: MemorySpace, batch: Batch) -> str:
    """Owe a digest of everything there is by the end of the batch; returns the id of the job.

    One that waits already will do. One that is running has read what it digests, so another is owed after it.
    """
    waiting = [op.id for op in space.outbox.pending.values() if op.kind == DIGEST and op.id not in space.digesting]
    waiting += [op.id for op in batch.owed if op.kind == DIGEST]
    if waiting:
        return waiting[0]
    batch.owe(DIGEST, {})
    return batch.owed[-1].id


def owe_rebuild(
    space: MemorySpace,
    batch: Batch,
    *,
    first: datetime | None = None,
    last: datetime | None = None,
    strategy: str = FULL,
) -> tuple[str, str]:
    """Owe a new chain of digests over the events of that time, both ends included; ids of the job and the chain."""
    group = space.ids.new("rebuild")
    payload = {
        "group": group,
        "strategy": strategy,
        "from": first.isoformat() if first is not None else None,
        "to": last.isoformat() if last is not None else None,
    }
    batch.owe(REBUILD, payload)
    return batch.owed[-1].id, group


async def ask_digest(space: MemorySpace) -> str:
    """The same as a write of its own; the job is durable when its id is returned."""
    async with space.journal.write() as batch:
        return owe_digest(space, batch)


async def ask_rebuild(
    space: MemorySpace, *, first: datetime | None = None, last: datetime | None = None, strategy: str = FULL
) -> tuple[str, str]:
    async with space.journal.write() as batch:
        return owe_rebuild(space, batch, first=first, last=last, strategy=strategy)


def undigested(space: MemorySpace) -> int:
    """How many rows came in that the state does not take into account yet."""
    return space.turns.last_row - space.views.cursors.row(CURSOR)


def is_digested(space: MemorySpace) -> bool:
    """Whether digests are made of a space by themselves: of a scope, and where somebody once asked for one."""
    views = space.views
    return views.card.card is not None or len(views.digest_runs) > 0 or len(views.digests) > 0


def digest_metrics(space: MemorySpace) -> Metrics:
    last: DigestRun | None = space.views.digest_runs.last
    if last is None:
        return Metrics(total=0, failed=0)
    return Metrics(
        total=last.number,
        failed=last.failures,
        last_run_at=last.ended_at,
        last_ms=last.milliseconds,
        last_status=last.status,
    )
