"""What is done for every character now and then, and the rounds in which it is done.

Characters somebody talked with within the hour are visited at each chore's own pace, all others once
an hour. Nobody is skipped: each tick begins after the character at which the last one ended.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from memory.cast import Cast
from memory.clock import Clock
from memory.errors import MemoryServiceError, UnknownSpace
from memory.facts.ageing import age
from memory.facts.dedup import resolve_pairs
from memory.facts.learn import CURSOR as LEARNT
from memory.facts.learn import learn
from memory.facts.recheck import recheck_facts
from memory.history.record import COMPRESS, owe_once
from memory.history.review import review
from memory.models.chat import Chat, NoChat, Tier
from memory.people import Names
from memory.persona import mind
from memory.persona.correct import resolve_corrections
from memory.persona.promote import promote
from memory.persona.refine import refine
from memory.persona.sweep import sweep
from memory.reflections.recheck import recheck
from memory.reflections.synthesize import synthesize
from memory.space import MemorySpace
from memory.spaces import Spaces

log = logging.getLogger(__name__)

POWERFUL, AUTO_REVIEW = "powerful_memory_enabled", "recent_memory_auto_review"

QUIET_AFTER = 10.0          # seconds without a word before maintenance may begin
LONG_QUIET = 1_800.0        # … after which a single new message is worth a review
DORMANT_EVERY = 3_600.0     # seconds between visits to a character that nobody talks with
_DORMANT_AT_ONCE = 4        # such visits in one tick
_SLOWEST = 3_600.0          # seconds that a failing chore waits at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One character's turn."""

    space: MemorySpace
    names: Names
    powerful: bool
    reviews: bool           # the recent window may be tidied
    quiet: bool             # nobody talks with the character right now
    long_quiet: bool
    judged: bool = False    # a model decides what is new to the persona
    placed: bool = False    # … and when things happened


@dataclass(frozen=True, slots=True, kw_only=True)
class Chore:
    """Something to do for a character again and again. The work is a plain function that a test can call."""

    name: str
    first: float            # seconds after the start before it is done for the first time
    every: float            # seconds
    work: Callable[[Visit], Awaitable[object]]
    when_quiet: bool = False
    when_changed: bool = False  # not until something was written since it was last done


async def listen(visit: Visit) -> None:
    """Catch up with whatever was said and not dealt with yet."""
    if visit.space.views.cursors.row(LEARNT) < visit.space.turns.last_row:
        await learn(visit.space, visit.names)
    await mind.attend_to(visit.space, visit.names, powerful=visit.powerful, judged=visit.judged)


async def maintain(visit: Visit) -> None:
    """What can wait until nobody talks: decisions put off, and the recent window."""
    if visit.powerful:
        await resolve_pairs(visit.space)
        await resolve_corrections(visit.space, visit.names)
    if visit.reviews and not visit.judged:
        await review(visit.space, quiet=visit.long_quiet)
    if len(visit.space.recent.entries) > visit.space.settings.recent_trigger:
        async with visit.space.journal.write() as batch:
            owe_once(visit.space, batch, COMPRESS)


async def put_in_order(visit: Visit) -> None:
    """The daily round."""
    await sweep(visit.space)
    await age(visit.space)


async def _promote(visit: Visit) -> None:
    await promote(visit.space, visit.names, powerful=visit.powerful, defer=visit.judged)


async def _refine(visit: Visit) -> None:
    if visit.powerful:
        await refine(visit.space)


async def _recheck(visit: Visit) -> None:
    if not visit.placed:
        await recheck(visit.space)
    await recheck_facts(visit.space, plain_only=visit.placed)


async def _synthesize(visit: Visit) -> None:
    await synthesize(visit.space, visit.names)


CHORES: tuple[Chore, ...] = (
    Chore(name="maintain", first=20.0, every=40.0, work=maintain, when_quiet=True),
    Chore(name="listen", first=60.0, every=40.0, work=listen),
    Chore(name="promote", first=150.0, every=180.0, work=_promote),
    Chore(name="recheck", first=180.0, every=30.0, work=_recheck, when_changed=True),
    Chore(name="synthesize", first=200.0, every=180.0, work=_synthesize, when_changed=True),
    Chore(name="put in order", first=250.0, every=3_600.0, work=put_in_order),
    Chore(name="refine", first=400.0, every=1_800.0, work=_refine, when_changed=True),
)


class Rounds:
    """Goes from character to character."""

    def __init__(
        self,
        spaces: Spaces,
        cast: Cast,
        clock: Clock,
        admits: Callable[[str], bool],
        sync_cards: Callable[[MemorySpace], Awaitable[object]],
        chores: Sequence[Chore] = CHORES,
        *,
        chat: Chat | None = None,
    ) -> None:
        self._chat = chat or NoChat()
        self._spaces = spaces
        self._cast = cast
        self._clock = clock
        self._admits = admits
        self._sync_cards = sync_cards
        self._chores = chores
        self._began = clock.monotonic()
        self._due: dict[str, dict[str, float]] = {}      # character → chore → monotonic
        self._failures: dict[tuple[str, str], int] = {}
        self._done_at: dict[tuple[str, str], int] = {}   # seq of the journal before a chore was last done
        self._visited: dict[str, float] = {}
        self._last = ""

    async def tick(self) -> None:
        """Do whatever is due for everybody, one character at a time."""
        names = self._spaces.names()
        self._forget_gone(names)
        later = [name for name in names if name > self._last]
        dormant = 0
        awake = {space.name for space in self._spaces.open_spaces if self._silence(space) < DORMANT_EVERY}
        for name in [*later, *names[: len(names) - len(later)]]:
            if not self._admits(name):
                continue
            due = self._due_chores(name)
            if name not in awake:
                if dormant == _DORMANT_AT_ONCE or not self._may_wake(name):
                    continue
                dormant += 1
                due = list(self._chores)
            if due:
                await self._visit(name, due)
                self._last = name
            await asyncio.sleep(0)

    async def _visit(self, name: str, chores: Sequence[Chore]) -> None:
        try:
            async with self._spaces.use(name) as space:
                await self._sync_cards(space)
                for chore in chores:
                    if not self._admits(name) or space.wanted_back.is_set() or space.journal.damage is not None:
                        return
                    await self._do(chore, self._visit_of(space))
        except UnknownSpace:
            return
        except (MemoryServiceError, OSError) as error:
            log.info("%s: the rounds pass it by (%s)", name, type(error).__name__)
        finally:
            self._visited[name] = self._clock.monotonic()

    async def _do(self, chore: Chore, visit: Visit) -> None:
        if chore.when_quiet and not visit.quiet:
            return
        key, seq = (visit.space.name, chore.name), visit.space.journal.seq
        now = self._clock.monotonic()
        if chore.when_changed and self._done_at.get(key) == seq:
            self._due[key[0]][key[1]] = now + chore.every
            return
        try:
            await chore.work(visit)
        except MemoryServiceError:
            raise
        except Exception as error:  # last handler: one chore that fails must not stop the others
            failures = self._failures[key] = self._failures.get(key, 0) + 1
            log.error("%s: %r failed (%s), %d times in a row", *key, type(error).__name__, failures)
            self._due[key[0]][key[1]] = now + min(chore.every * 2.0**failures, _SLOWEST)
        else:
            self._failures.pop(key, None)
            self._done_at[key] = seq
            self._due[key[0]][key[1]] = now + chore.every

    def _visit_of(self, space: MemorySpace) -> Visit:
        silence = self._silence(space)
        return Visit(
            space=space,
            names=self._cast.names(space.name),
            powerful=self._cast.switch(POWERFUL),
            reviews=self._cast.switch(AUTO_REVIEW),
            quiet=silence >= QUIET_AFTER,
            long_quiet=silence >= LONG_QUIET,
            judged=self._chat.usable(Tier.CORRECTION, space.name),
            placed=self._chat.usable(Tier.SUMMARY, space.name),
        )

    def _silence(self, space: MemorySpace) -> float:
        """Seconds since somebody talked with the character."""
        return float("inf") if space.spoken_at is None else self._clock.monotonic() - space.spoken_at

    def _due_chores(self, name: str) -> list[Chore]:
        now = self._clock.monotonic()
        due = self._due.setdefault(name, {chore.name: self._began + chore.first for chore in self._chores})
        return [chore for chore in self._chores if due[chore.name] <= now]

    def _may_wake(self, name: str) -> bool:
        now = self._clock.monotonic()
        if name not in self._visited:
            return now - self._began >= max(chore.first for chore in self._chores)
        return now - self._visited[name] >= DORMANT_EVERY

    def _forget_gone(self, names: Sequence[str]) -> None:
        present = set(names)
        kept: Mapping[str, dict[str, float]] = {name: due for name, due in self._due.items() if name in present}
        self._due = dict(kept)
        self._visited = {name: at for name, at in self._visited.items() if name in present}
