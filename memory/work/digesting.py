"""Making digests: those that are owed, and by themselves where nobody can ask a model for one.

A scope in which something came in is looked at once nobody has written for a few seconds, or much waits, or the
oldest of it has waited long enough. All others cost nothing: what there is to do is noted when a space commits.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from memory.cast import Cast
from memory.clock import Clock
from memory.errors import MemoryServiceError, UnknownSpace
from memory.models.chat import Chat
from memory.scopes import reserved
from memory.settings import Settings
from memory.space import MemorySpace
from memory.spaces import Spaces
from memory.state.digest.making import make, make_quietly
from memory.state.digest.material import Kit
from memory.state.digest.rebuild import rebuild
from memory.state.digest.stage_two import tier_of
from memory.state.digest_jobs import DIGEST, REBUILD, is_digested, undigested
from memory.state.digest_runs import FAILED
from memory.state.facets import PERSONAL, Pack, resolve
from memory.store.journal import Batch
from memory.store.outbox import OutboxOp
from memory.work.outbox_worker import OutboxWorker

log = logging.getLogger(__name__)

QUIET = 5.0             # seconds without something new
MANY = 50               # rows that need not wait for quiet
LONGEST = 30.0          # seconds that anything waits
_PAUSE = 60.0           # seconds before a space that could not be dealt with is tried again
_DEATHS = 150           # times that the process may die during one digest before that is given up
_ACCOUNTS = reserved("accounts")


@dataclass(slots=True)
class _Waiting:
    """A space with something that no digest takes into account yet. Times are monotonic."""

    since: float
    changed: float
    row: int
    not_before: float = 0.0


class Digesting:
    """Performs the jobs, and goes over what waits."""

    def __init__(
        self, spaces: Spaces, cast: Cast, clock: Clock, chat: Chat, settings: Settings, admits: Callable[[str], bool]
    ) -> None:
        self.asked_for = True       # whether a model that is configured may be asked for digests
        self._spaces = spaces
        self._cast = cast
        self._clock = clock
        self._chat = chat
        self._settings = settings
        self._admits = admits
        self._waiting: dict[str, _Waiting] = {}
        # Apart from other owed work: nothing of that waits for a model's digest.
        self.worker = OutboxWorker(
            spaces,
            clock,
            {DIGEST: self.perform, REBUILD: self.perform_rebuild},
            attempts=settings.attempts,
            admits=admits,
            patient=True,
            buried=self._buried,
            deaths=_DEATHS,
        )

    # what is owed

    async def perform(self, space: MemorySpace, op: OutboxOp) -> None:
        await make(space, await self._kit(space), op)

    async def perform_rebuild(self, space: MemorySpace, op: OutboxOp) -> None:
        await rebuild(space, await self._kit(space), op)

    def _buried(self, space: MemorySpace, batch: Batch, op: OutboxOp, reason: str) -> None:
        """A job is given up: that is told with the others."""
        if op.kind in (DIGEST, REBUILD):
            row = space.views.digest_runs.next_row(
                job=op.id, kind=op.kind, status=FAILED, now=self._clock.now(), milliseconds=0, reason=reason
            )
            batch.add("digest_job.ended", {"run": row})

    async def _kit(self, space: MemorySpace) -> Kit:
        return Kit(names=self._cast.names(space.name), chat=self._chat, pack=await self._pack(space))

    async def _pack(self, space: MemorySpace) -> Pack:
        """The facets of a scope: of its owner's own pack, else of its template."""
        card, scope = space.views.card.card, space.views.scope.scope(space.name)
        own = None
        if scope is not None and scope.owner and self._spaces.exists(_ACCOUNTS):
            async with self._spaces.use(_ACCOUNTS) as accounts:
                own = accounts.views.accounts.of(scope.owner).pack
        return resolve(card.template if card is not None else PERSONAL, own, self._settings.facet_caps).pack

    # by itself

    def note(self, space: MemorySpace) -> None:
        """Take notice of a commit, or of a space that was opened."""
        if undigested(space) <= 0 or not is_digested(space):
            self._waiting.pop(space.name, None)
            return
        now, row = self._clock.monotonic(), space.turns.last_row
        waiting = self._waiting.get(space.name)
        if waiting is None:
            self._waiting[space.name] = _Waiting(since=now, changed=now, row=row)
        elif waiting.row != row:
            waiting.changed, waiting.row = now, row

    async def tick(self) -> None:
        """Digest what has waited long enough, unless a model is there to be asked for digests."""
        if self.asked_for and tier_of(self._chat) is not None:
            return
        for name, waiting in list(self._waiting.items()):
            if self._admits(name) and self._is_due(name, waiting):
                await self._digest(name, waiting)

    def _is_due(self, name: str, waiting: _Waiting) -> bool:
        now = self._clock.monotonic()
        if now < waiting.not_before:
            return False
        if now - waiting.changed >= QUIET or now - waiting.since >= LONGEST:
            return True
        space = next((space for space in self._spaces.open_spaces if space.name == name), None)
        return space is not None and undigested(space) > MANY

    async def _digest(self, name: str, waiting: _Waiting) -> None:
        try:
            async with self._spaces.use(name) as space:
                if space.journal.damage is not None:
                    self._waiting.pop(name, None)
                elif any(op.kind in (DIGEST, REBUILD) for op in space.outbox.pending.values()):
                    waiting.not_before = self._clock.monotonic() + QUIET    # whoever performs it sees to it all
                else:
                    self._waiting.pop(name, None)
                    await make_quietly(space, await self._kit(space))
                    self.note(space)
        except UnknownSpace:
            self._waiting.pop(name, None)
        except (MemoryServiceError, OSError) as error:
            self._put_off(name, waiting, error)
        except Exception as error:  # last handler: one scope that fails must not stop the others
            self._put_off(name, waiting, error)
            log.error("%s: no digest could be made (%s)", name, type(error).__name__)

    def _put_off(self, name: str, waiting: _Waiting, error: Exception) -> None:
        waiting.not_before = self._clock.monotonic() + _PAUSE
        self._waiting[name] = waiting
        log.info("%s: its digest waits (%s)", name, type(error).__name__)
