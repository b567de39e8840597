"""Giving the texts of all characters their vectors, little by little, and anew after a change of the model.

Spaces somebody uses come first, then every other space once. Until a text has its vector it is found by its words.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator

from memory.cast import Cast
from memory.clock import Clock
from memory.embed import embed
from memory.errors import MemoryServiceError
from memory.models.embedder import Embedder
from memory.space import MemorySpace
from memory.spaces import Spaces

log = logging.getLogger(__name__)

_BATCH = 32                 # texts in one go
_TURN = 4                   # batches for one space before the next one's turn
_LONGEST = 10.0             # seconds that one tick works at most
_PAUSE, _PAUSES = 0.02, 50  # seconds to wait for requests to end, and how often at most
_MANY = 64                  # new vectors that are written down at once …
_KEEP_EVERY = 30.0          # … and seconds after which fewer are
_REST = 30.0                # seconds that a space is left alone after its files refused
_LIST_EVERY = 60.0          # seconds between two looks at which spaces there are


class Backfill:
    """Makes the vectors that are missing."""

    def __init__(
        self, spaces: Spaces, cast: Cast, clock: Clock, embedder: Embedder, admits: Callable[[str], bool]
    ) -> None:
        self._spaces = spaces
        self._cast = cast
        self._clock = clock
        self._embedder = embedder
        self._admits = admits
        self._model: str | None = None
        self._seen: set[str] = set()                # spaces that were complete once, for this model
        self._left: dict[str, int] = {}             # texts without a vector, as of the last look at a space
        self._woken: set[str] = set()               # spaces that were opened for this alone
        self._kept: dict[str, float] = {}           # when a space's vectors were last written down
        self._resting: dict[str, float] = {}        # spaces to be left alone, and until when
        self._steps = 0                             # how often something was done
        self._wanted: set[str] = set()              # spaces that somebody asked for
        self._names: list[str] = []                 # every space there is, as of the last look
        self._listed: float | None = None           # … and when that was

    @property
    def pending(self) -> int:
        """Texts known to lack a vector of the present model; 0 where nothing makes any."""
        if self._embedder.fingerprint is None or self._embedder.state == "disabled":
            return 0
        awake = {space.name: _pending(space) for space in self._spaces.open_spaces if space.journal.damage is None}
        return sum({**self._left, **awake}.values())

    def again(self, name: str) -> None:
        """Look at a space once more, and soon: somebody waits for its vectors."""
        self._seen.discard(name)
        self._resting.pop(name, None)
        self._wanted.add(name)

    async def tick(self) -> None:
        """Work for a while, if there is anything to do and a model to do it with."""
        await self._embedder.look()
        model = self._embedder.fingerprint
        if model != self._model:
            self._model, self._seen, self._left = model, set(), {}
        if model is None or self._embedder.state == "disabled":
            return
        until = self._clock.monotonic() + _LONGEST
        steps = -1
        while (names := list(self._next())) and steps != self._steps and self._clock.monotonic() < until:
            steps = self._steps
            for name in names:
                if not await self._work_for(name):
                    return
        await self._warm_up()

    async def _warm_up(self) -> None:
        """A question never waits for the model to be loaded: it is, as soon as there is anything to compare with."""
        if self._embedder.state != "ready" and any(
            source.hashes for space in self._spaces.open_spaces for source in space.library.vectors.sources
        ):
            await self._embedder.embed([], purpose="passage")

    def _next(self) -> Iterator[str]:
        """Spaces with something to do: all that are open, the latest written first, and one of the others."""
        awake = sorted(self._spaces.open_spaces, key=lambda space: -space.written_at)
        for space in awake:
            if self._may(space.name) and space.journal.damage is None and self._wants_work(space):
                yield space.name
        known = {space.name for space in awake}
        for name in (*sorted(self._wanted), *self._known_names()):
            if name not in known and name not in self._seen and self._may(name):
                yield name
                return

    def _known_names(self) -> list[str]:
        """Every space, listed now and then: a new one is open first, and comes among those that are."""
        now = self._clock.monotonic()
        if self._listed is None or now - self._listed >= _LIST_EVERY:
            self._names, self._listed = [*self._spaces.names(), *self._spaces.scopes()], now
            self._forget_gone(set(self._names) | {space.name for space in self._spaces.open_spaces})
        return self._names

    def _forget_gone(self, present: set[str]) -> None:
        self._seen &= present
        self._woken &= present
        self._wanted &= present
        for kept in (self._left, self._kept, self._resting):
            for name in kept.keys() - present:
                del kept[name]

    def _may(self, name: str) -> bool:
        return self._admits(name) and self._resting.get(name, 0.0) <= self._clock.monotonic()

    def _wants_work(self, space: MemorySpace) -> bool:
        library = space.library
        if library.vectors.fingerprint != self._model or library.unseen or library.vectors.wanting:
            return True
        return self._worth_keeping(space, 1) and self._is_due(space)

    async def _work_for(self, name: str) -> bool:
        """Give a space its turn. False when the embedder gives nothing now."""
        if all(space.name != name for space in self._spaces.open_spaces):
            self._woken.add(name)
        self._wanted.discard(name)
        goes_on = True
        try:
            async with self._spaces.use(name) as space:
                goes_on = await self._fill(space)
        except (MemoryServiceError, OSError) as error:
            log.info("%s: gets no vectors now (%s)", name, type(error).__name__)
            self._resting[name] = self._clock.monotonic() + _REST
        if name in self._woken and name in self._seen:
            self._woken.discard(name)
            await self._spaces.put_away(name)
        return goes_on

    async def _fill(self, space: MemorySpace) -> bool:
        if space.journal.damage is not None:
            self._seen.add(space.name)
            self._steps += 1
            return True
        for _ in range(_TURN):
            await self._quiet()
            if not self._admits(space.name) or space.wanted_back.is_set():
                return True
            made = await embed(space, self._cast.names(space.name), self._embedder, _BATCH)
            self._left[space.name] = _pending(space)
            if made is None:
                return space.wanted_back.is_set()
            self._steps += 1
            if not made:
                self._seen.add(space.name)
                await self._keep(space, done=True)
                return True
        await self._keep(space, done=False)
        return True

    async def _quiet(self) -> None:
        """Let requests go first. A busy server gets its vectors too, only later."""
        for _ in range(_PAUSES):
            if self._spaces.leases <= 1:    # our own
                return
            await asyncio.sleep(_PAUSE)

    async def _keep(self, space: MemorySpace, *, done: bool) -> None:
        if not done:
            await space.keep_vectors(done=False)
        elif self._worth_keeping(space, _MANY) or (self._worth_keeping(space, 1) and self._is_due(space)):
            self._kept[space.name] = self._clock.monotonic()
            await space.keep_vectors(done=True)

    def _worth_keeping(self, space: MemorySpace, least: int) -> bool:
        return sum(source.unsaved for source in space.library.vectors.sources) >= least

    def _is_due(self, space: MemorySpace) -> bool:
        last = self._kept.get(space.name)
        return last is None or self._clock.monotonic() - last >= _KEEP_EVERY


def _pending(space: MemorySpace) -> int:
    return space.library.vectors.wanting + space.library.unseen
