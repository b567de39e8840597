"""One daemon thread that does blocking jobs in turn, and can be left behind when a job never comes back."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from memory.clock import Clock

T = TypeVar("T")
_Job = tuple[Callable[[], Any], "asyncio.Future[Any]", asyncio.AbstractEventLoop]


class LaneClosed(Exception):
    """The job was not done: its lane takes no more."""


class Lane:
    """Takes jobs in order.

    Not an executor of the standard library: those wait for their threads at exit, and a stuck one is not worth that.
    """

    def __init__(self, name: str, clock: Clock) -> None:
        self.name = name
        self._clock = clock
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._started: float | None = None      # when the running job began; written by the thread
        self._closed = False

    def submit(self, job: Callable[[], T]) -> asyncio.Future[T]:
        """The job's future. Cancelling it skips the job if it has not begun; its result is dropped otherwise.

        The future raises what the job raised, or LaneClosed.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if self._closed:
            future.set_exception(LaneClosed())
            return future
        if self._thread is None:
            thread = threading.Thread(target=self._work, name=self.name, daemon=True)
            try:
                thread.start()
            except RuntimeError:
                # The system grants no further thread; the next job asks again.
                future.set_exception(MemoryError("no thread to be had"))
                return future
            self._thread = thread
        self._jobs.put((job, future, loop))
        return future

    def busy_for(self) -> float:
        """Seconds the running job has taken so far; 0 when there is none."""
        started = self._started
        return 0.0 if started is None else self._clock.monotonic() - started

    def close(self) -> None:
        """Take no more jobs; the thread ends after the running one, and what waits is turned away."""
        self._closed = True
        self._jobs.put(None)

    @property
    def alive(self) -> bool:
        """Whether its thread still runs."""
        return self._thread is not None and self._thread.is_alive()

    def _work(self) -> None:
        while (item := self._jobs.get()) is not None:
            job, future, loop = item
            if self._closed or future.cancelled():
                _settle(loop, future, None, LaneClosed())
                continue
            self._started = self._clock.monotonic()
            result: Any = None
            failure: BaseException | None = None
            try:
                result = job()
            except BaseException as error:  # handed to whoever waits; the thread itself must go on
                failure = error
            self._started = None
            _settle(loop, future, result, failure)
            # A model or an exception with its frames must not stay alive in an idle thread's locals.
            del item, job, future, loop, result, failure


def _settle(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], result: Any, failure: BaseException | None
) -> None:
    def finish() -> None:
        if future.done():
            return
        if failure is not None:
            future.set_exception(failure)
        else:
            future.set_result(result)

    # The loop may be gone by the time a long job ends.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(finish)
