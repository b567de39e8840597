"""Sending reminders when they are due. The catalogue tells which spaces have one, so none has to be open."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from memory.catalogue import Catalogue
from memory.clock import Clock
from memory.errors import DamagedSpace, MemoryServiceError, UnknownSpace
from memory.spaces import Spaces
from memory.state.remind import send_due

log = logging.getLogger(__name__)

_AT_ONCE = 8            # spaces opened at the same time
_PAUSE = 30.0           # seconds before a space that could not be used is tried again


class DueReminders:
    """One pass visits every space that has something due."""

    def __init__(self, spaces: Spaces, catalogue: Catalogue, clock: Clock, admits: Callable[[str], bool]) -> None:
        self._spaces = spaces
        self._catalogue = catalogue
        self._clock = clock
        self._admits = admits
        self._later: dict[str, float] = {}      # space → monotonic time before which it is left alone

    async def tick(self) -> None:
        now = self._clock.monotonic()
        self._later = {name: until for name, until in self._later.items() if until > now}
        due = [
            name
            for name in self._catalogue.due(self._clock.now())
            if name not in self._later and self._admits(name)
        ]
        for start in range(0, len(due), _AT_ONCE):
            await asyncio.gather(*map(self._send, due[start : start + _AT_ONCE]))

    async def _send(self, name: str) -> None:
        try:
            async with self._spaces.use(name) as space:
                await send_due(space)
        except UnknownSpace:
            self._catalogue.forget(name)
        except (DamagedSpace, MemoryServiceError, OSError) as error:
            self._later[name] = self._clock.monotonic() + _PAUSE
            log.warning("%s: reminders wait (%s)", name, type(error).__name__)
