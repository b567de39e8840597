"""Several workers as one: what waits for others (an address that does not answer) must not hold up the rest."""

from __future__ import annotations

import asyncio

from memory.space import MemorySpace
from memory.work.outbox_worker import OutboxWorker


class Lanes:
    """Workers that each perform kinds of their own."""

    def __init__(self, *workers: OutboxWorker) -> None:
        self._workers = workers

    @property
    def idle(self) -> bool:
        """Whether nothing is due or running."""
        return all(worker.idle for worker in self._workers)

    @property
    def running(self) -> frozenset[str]:
        """Ids of the jobs that are performed at this moment."""
        return frozenset().union(*(worker.running for worker in self._workers))

    def owed(self, space: MemorySpace) -> None:
        """Note that a space owes work."""
        for worker in self._workers:
            worker.owed(space)

    def resume(self, name: str) -> None:
        """Work may begin again for a space that was kept from it."""
        for worker in self._workers:
            worker.resume(name)

    async def run(self) -> None:
        """Work until cancelled."""
        await asyncio.gather(*(worker.run() for worker in self._workers))

    async def perform_all(self, space: MemorySpace) -> None:
        """Perform every pending job of a space, lane after lane."""
        for worker in self._workers:
            await worker.perform_all(space)

    async def cancel(self, name: str) -> int:
        """Stop what runs for a space; it stays owed. Returns how many jobs were stopped."""
        return sum([await worker.cancel(name) for worker in self._workers])
