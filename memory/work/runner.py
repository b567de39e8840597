"""Supervised loops: they start, survive an error, and stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Loop:
    """Something done again and again. The tick is a plain function that a test can call."""

    name: str
    every: float                            # seconds between the end of one tick and the next
    tick: Callable[[], Awaitable[None]]
    first: float | None = None              # seconds before the first tick; default: ``every``


class Runner:
    """Runs loops until stopped. A tick that fails, or is not admitted, waits for its next time."""

    def __init__(self, admits: Callable[[], bool] = lambda: True) -> None:
        self._admits = admits
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, loops: Iterable[Loop]) -> None:
        self._tasks += [asyncio.create_task(_run(loop, self._admits), name=loop.name) for loop in loops]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()


async def _run(loop: Loop, admits: Callable[[], bool]) -> None:
    await asyncio.sleep(loop.every if loop.first is None else loop.first)
    while True:
        try:
            if admits():
                await loop.tick()
        except Exception as error:  # last handler: a loop never dies quietly
            log.error("loop %r failed: %s", loop.name, type(error).__name__, exc_info=log.isEnabledFor(logging.DEBUG))
        await asyncio.sleep(loop.every)
