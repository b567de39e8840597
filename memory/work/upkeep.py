"""What is done for scopes once a day: removing what is too old, and what a model says to people.

The catalogue tells which spaces have something to remove and which are spoken to, so no other one is opened.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import date

from memory.catalogue import Catalogue
from memory.clock import Clock
from memory.errors import MemoryServiceError, UnknownSpace
from memory.models.chat import Chat
from memory.models.jobs import REMIND
from memory.spaces import Spaces
from memory.state.daily import TEMPLATES, remind_daily
from memory.state.gc import collect

log = logging.getLogger(__name__)

_FROM = 9               # o'clock, local time, from which on people are spoken to
_MOST = 20              # scopes spoken to in one tick
_PAUSE = 900.0          # seconds before a space that could not be dealt with is tried again


class Upkeep:
    """Goes over what the catalogue names."""

    def __init__(
        self, spaces: Spaces, catalogue: Catalogue, clock: Clock, chat: Chat, admits: Callable[[str], bool]
    ) -> None:
        self._spaces = spaces
        self._catalogue = catalogue
        self._clock = clock
        self._chat = chat
        self._admits = admits
        self._spoken: dict[str, date] = {}      # scope → the day that is dealt with
        self._later: dict[str, float] = {}      # space → monotonic time before which it is left alone

    async def tick(self) -> None:
        now = self._clock.monotonic()
        self._later = {name: until for name, until in self._later.items() if until > now}
        for name in self._catalogue.over(self._clock.now()):
            if self._may(name):
                await self._collect(name)
        await self._speak()

    def _may(self, name: str) -> bool:
        return self._admits(name) and name not in self._later

    async def _collect(self, name: str) -> None:
        try:
            async with self._spaces.use(name) as space:
                await collect(space)
        except UnknownSpace:
            self._catalogue.forget(name)
        except (MemoryServiceError, OSError) as error:
            self._put_off(name, error)

    async def _speak(self) -> None:
        now = self._clock.now()
        today = now.date()
        self._spoken = {name: day for name, day in self._spoken.items() if day == today}
        if now.hour < _FROM:
            return
        asked = 0
        for name in self._catalogue.names():
            if name in self._spoken or not self._is_spoken_to(name) or not self._may(name):
                continue
            if asked == _MOST or not self._chat.usable(REMIND.tier, name):
                return
            asked += 1
            await self._speak_to(name, today)

    def _is_spoken_to(self, name: str) -> bool:
        entry = self._catalogue.get(name)
        return entry is not None and entry.card is not None and entry.card.template in TEMPLATES and bool(entry.digests)

    async def _speak_to(self, name: str, today: date) -> None:
        try:
            async with self._spaces.use(name) as space:
                done = await remind_daily(space, self._chat)
        except (MemoryServiceError, OSError) as error:
            self._put_off(name, error)
            return
        if done:
            self._spoken[name] = today
        else:
            self._later[name] = self._clock.monotonic() + _PAUSE

    def _put_off(self, name: str, error: Exception) -> None:
        self._later[name] = self._clock.monotonic() + _PAUSE
        log.warning("%s: its upkeep waits (%s)", name, type(error).__name__)
