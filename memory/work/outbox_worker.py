"""Performs owed work: space by space, with retry and backoff, and gives up on poison."""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping

from memory.clock import Clock
from memory.errors import (
    DamagedSpace,
    JobFailed,
    MemoryServiceError,
    NotAsked,
    SpaceClosed,
    StorageBlocked,
    UnknownSpace,
)
from memory.space import MemorySpace
from memory.spaces import Spaces
from memory.store.journal import Batch
from memory.store.outbox import OutboxOp

log = logging.getLogger(__name__)

Perform = Callable[[MemorySpace, OutboxOp], Awaitable[None]]
Buried = Callable[[MemorySpace, Batch, OutboxOp, str], None]

_GATHER = 1.0        # seconds that work waits for more of the same
_AT_ONCE = 2         # spaces worked on at the same time
_TURNS = 20          # runs of one job before other spaces come first
_BACKOFF = (2.0, 8.0, 30.0, 120.0, 600.0)


class OutboxWorker:
    """Does what spaces owe. A job marks itself done in the commit that holds its effect."""

    def __init__(
        self,
        spaces: Spaces,
        clock: Clock,
        performers: Mapping[str, Perform],
        *,
        attempts: int,
        admits: Callable[[str], bool],
        at_once: int = _AT_ONCE,
        patient: bool = False,
        buried: Buried = lambda _space, _batch, _op, _reason: None,
        deaths: int | None = None,
    ) -> None:
        """``at_once`` is how many spaces are worked on at the same time.

        A job that failed is tried again whenever its space has something to do, at the latest after a pause;
        with ``patient`` never before that. ``buried`` adds to the batch in which a job is given up.
        ``deaths`` is how many runs may never come to their end before a job counts as poison, where that
        are more than may fail: for jobs that are bounded, and so not what the process died of.
        """
        self._deaths = max(deaths or attempts, attempts)
        self._failures: Counter[str] = Counter()    # job → runs that failed since the start
        self._buried = buried
        self._at_once = at_once
        self._resting: dict[str, float] | None = {} if patient else None    # job → until when
        self.running: set[str] = set()      # ids of the jobs that are performed at this moment
        self._spaces = spaces
        self._clock = clock
        self._performers = performers
        self._order = {kind: place for place, kind in enumerate(performers)}
        self._attempts = attempts
        self._admits = admits
        self._due: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()

    @property
    def idle(self) -> bool:
        """Whether nothing is due or running."""
        return not self._due and not self._busy

    def owed(self, space: MemorySpace) -> None:
        """Note that a space owes work. Called after each commit and when a space opens."""
        if space.journal.damage is None and any(
            op.kind in self._performers for op in space.outbox.pending.values()
        ):
            self._schedule(space.name, _GATHER)

    def resume(self, name: str) -> None:
        """Work may begin again for a space that was kept from it."""
        self._schedule(name, _GATHER)

    def _schedule(self, name: str, delay: float) -> None:
        when = self._clock.monotonic() + delay
        if name in self._due and self._due[name] <= when:
            return
        self._due[name] = when
        heapq.heappush(self._heap, (when, name))
        self._wake.set()

    async def run(self) -> None:
        """Work until cancelled."""
        try:
            while True:
                self._wake.clear()
                delay = self._start_due()
                try:
                    async with asyncio.timeout(delay):  # wait_for may swallow a cancellation
                        await self._wake.wait()
                except TimeoutError:
                    continue
        finally:
            running = list(self._busy.values())
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    def _start_due(self) -> float | None:
        """Start what is due and can be; returns the seconds until the next look."""
        now = self._clock.monotonic()
        while self._heap:
            when, name = self._heap[0]
            if self._due.get(name) != when:
                heapq.heappop(self._heap)  # was moved
            elif when > now:
                return when - now
            elif len(self._busy) >= self._at_once:
                return None  # whoever ends wakes us
            else:
                heapq.heappop(self._heap)
                del self._due[name]
                if name in self._busy:
                    self._schedule(name, _GATHER)
                    continue
                task = asyncio.create_task(self._work(name), name=f"owed {name}")
                self._busy[name] = task
                task.add_done_callback(lambda _, name=name: self._ended(name))  # type: ignore[misc]
        return None

    def _ended(self, name: str) -> None:
        self._busy.pop(name, None)
        self._wake.set()

    async def _work(self, name: str) -> None:
        if not self._admits(name):
            self._schedule(name, _BACKOFF[1])
            return
        try:
            async with self._spaces.use(name) as space:
                await self.perform_all(space)
        except UnknownSpace:
            return
        except DamagedSpace:
            return
        except (MemoryServiceError, OSError) as error:
            log.info("%s: owed work waits (%s)", name, type(error).__name__)
            self._schedule(name, _BACKOFF[1])
        except Exception as error:  # last handler: the worker goes on with the other spaces
            log.error("%s: owed work failed (%s)", name, type(error).__name__)
            self._schedule(name, _BACKOFF[1])

    async def perform_all(self, space: MemorySpace) -> None:
        """Perform every pending job of a space, in the order of the performers.

        A job that is not done after a run because there is more of it goes on in turns with the
        others, a few times; then other spaces come first.
        """
        if space.journal.damage is not None:
            raise space.journal.damage
        tried: set[str] = set()
        for _ in range(_TURNS):
            going_on = False
            for op in sorted(space.outbox.pending.values(), key=lambda op: self._order.get(op.kind, -1)):
                if self._rests(op):
                    continue
                if op.id in space.outbox.pending and op.kind in self._order and op.id not in tried:
                    if not self._admits(space.name) or space.wanted_back.is_set():
                        return
                    if await self._perform(space, op):
                        going_on = True
                    else:
                        tried.add(op.id)
            if not going_on:
                self._come_back(space)
                return
        self._schedule(space.name, _GATHER)

    def _rests(self, op: OutboxOp) -> bool:
        return self._resting is not None and self._resting.get(op.id, 0.0) > self._clock.monotonic()

    def _come_back(self, space: MemorySpace) -> None:
        """See to it that what rests is tried again, whatever else there was to do meanwhile."""
        if self._resting is None:
            return
        now = self._clock.monotonic()
        self._resting = {op_id: until for op_id, until in self._resting.items() if until > now}
        for op_id in space.outbox.pending.keys() & self._resting.keys():
            self._schedule(space.name, self._resting[op_id] - now)

    async def _perform(self, space: MemorySpace, op: OutboxOp) -> bool:
        """Whether the job went well and there is more of it."""
        if op.attempts >= self._deaths:
            await self._give_up(space, op, "failed too often")
            return False
        attempts = await space.outbox.attempt(op.id)
        space.at("work.attempted")
        self.running.add(op.id)
        try:
            await self._performers[op.kind](space, op)
        except asyncio.CancelledError:
            space.outbox.forgive(op.id)
            raise
        except Exception as error:  # last handler: counted, then tried again later
            if isinstance(error, NotAsked):     # a model cannot be asked now: that is no run of the job
                space.outbox.forgive(op.id)
                self._schedule(space.name, _BACKOFF[-1])
                return False
            if _is_storage(error):
                space.outbox.forgive(op.id)  # not the job's fault
                raise
            if isinstance(error, JobFailed):
                await self._give_up(space, space.outbox.pending.get(op.id, op), str(error))
                return False
            if self._deaths > self._attempts:
                self._failures[op.id] += 1
                attempts = self._failures[op.id]
            log.warning(
                "%s: %s %s failed (%s), run %d of %d",
                space.name, op.kind, op.id, type(error).__name__, attempts, self._attempts,
            )
            if attempts >= self._attempts:
                await self._give_up(space, space.outbox.pending.get(op.id, op), type(error).__name__)
            else:
                pause = _BACKOFF[min(attempts, len(_BACKOFF)) - 1]
                self._schedule(space.name, pause)
                if self._resting is not None:
                    self._resting[op.id] = self._clock.monotonic() + pause
            return False
        finally:
            self.running.discard(op.id)
        space.at("work.performed")
        self._failures.pop(op.id, None)
        if op.id not in space.outbox.pending:
            return False
        space.outbox.forgive(op.id)
        return True

    async def _give_up(self, space: MemorySpace, op: OutboxOp, reason: str) -> None:
        self._failures.pop(op.id, None)
        await space.outbox.bury(op, reason)
        async with space.journal.write() as batch:
            self._buried(space, batch, op, reason)
            batch.finish(op.id)
        log.error("%s: %s %s is given up (%s); it is kept among the dead letters", space.name, op.kind, op.id, reason)

    async def cancel(self, name: str) -> int:
        """Stop what runs for a space; it stays owed. Returns how many jobs were stopped."""
        self._due.pop(name, None)
        task = self._busy.get(name)
        if task is None:
            return 0
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return 1


def _is_storage(error: Exception) -> bool:
    """Whether the place to write to refused, rather than the job."""
    if isinstance(error, (TimeoutError, ConnectionError)):  # these are OSErrors too, but no disk's
        return False
    return isinstance(error, (OSError, DamagedSpace, SpaceClosed, StorageBlocked))
