"""How the jobs that models do are doing: by whom each is done now, what waits for it, and what was given up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from weakref import WeakKeyDictionary

from memory.facts.windows import CURSOR as OBSERVED
from memory.facts.windows import cursor_of
from memory.history.compress import SUMMARISE as OWED_SUMMARY
from memory.models import jobs
from memory.models.chat import Chat
from memory.models.jobs import JOBS, Job
from memory.persona.listen import AVOIDED, REBUTTED
from memory.persona.signals import CURSOR as SIGNALLED
from memory.reflections.confirm import promotion_rule
from memory.reflections.recheck import SCHEMA
from memory.reflections.synthesize import LEAST_FACTS, usable
from memory.space import MemorySpace
from memory.state.digest_jobs import DIGEST, REBUILD

MODEL, RULES, PAUSED = "model", "rules", "paused"


Backlog = tuple[int, datetime | None]   # how many wait, and since when the oldest


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """One job over the spaces that were looked at."""

    name: str
    tier: str
    done_by: str                    # MODEL, RULES or PAUSED
    backlog: int                    # turns, facts, reflections or questions that wait for it
    oldest: datetime | None         # aware; since when the first of them does, as far as it is known
    dead_letters: int
    breaker: str | None             # of its tier: closed, open or half-open; None without a model


class Survey:
    """Looks at spaces again only when something was written there, or a minute has passed."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[MemorySpace, tuple[tuple[int, int], dict[str, Backlog]]] = WeakKeyDictionary()

    def __call__(
        self, spaces: Iterable[MemorySpace], chat: Chat, *, powerful: bool, paused: bool
    ) -> list[JobState]:
        """The state of every job. Reads what is in memory, asks nobody."""
        looked_at = [(space, self._backlogs(space)) for space in spaces]
        found = []
        for job in JOBS:
            waiting = [backlogs[job.name] for _, backlogs in looked_at]
            known = [oldest for _, oldest in waiting if oldest is not None]
            found.append(
                JobState(
                    name=job.name,
                    tier=str(job.tier),
                    done_by=_done_by(job, chat, powerful=powerful, paused=paused),
                    backlog=sum(count for count, _ in waiting),
                    oldest=min(known, default=None),
                    dead_letters=sum(one.is_dead for space, _ in looked_at for one in space.views.tries.of(job.name)),
                    breaker=chat.breaker_state(job.tier),
                )
            )
        return found

    def _backlogs(self, space: MemorySpace) -> dict[str, Backlog]:
        moment = (space.journal.seq, int(space.clock.monotonic() // 60))
        known = self._known.get(space)
        if known is None or known[0] != moment:
            known = (moment, {job.name: _backlog(space, job) for job in JOBS})
            self._known[space] = known
        return known[1]


def _backlog(space: MemorySpace, job: Job) -> Backlog:
    waiting = list(_waiting(space, job))
    return sum(count for count, _ in waiting), min((at for _, at in waiting if at is not None), default=None)


def _done_by(job: Job, chat: Chat, *, powerful: bool, paused: bool) -> str:
    if paused or (job.powerful and not powerful):
        return PAUSED
    return MODEL if chat.usable(job.tier) else RULES


def _waiting(space: MemorySpace, job: Job) -> Iterator[tuple[int, datetime | None]]:
    """What waits for a job: how many, and since when."""
    views, now = space.views, space.clock.now()
    match job:
        case jobs.SUMMARISE:
            yield from ((1, op.owed_at) for op in space.outbox.pending.values() if op.kind == OWED_SUMMARY)
        case jobs.EXTRACT:
            yield _rows_behind(space, cursor_of(space))
        case jobs.SIGNAL:
            first, last = views.cursors.row(SIGNALLED), views.cursors.row(OBSERVED)
            if first < last:
                yield from ((1, fact.created_at) for fact in space.facts if first < fact.row <= last)
        case jobs.SYNTHESIZE:
            facts = usable(space)
            if len(facts) >= LEAST_FACTS:
                yield len(facts), facts[0].created_at
        case jobs.REWORD:
            yield from ((1, one.created_at) for one in space.reflections.alive() if one.needs_model)
        case jobs.RECHECK:
            yield from ((1, one.created_at) for one in space.reflections.alive() if one.schema_version < SCHEMA)
            yield from ((space.facts.first_schema_count, fact.created_at) for fact in space.facts.first_schema(1))
        case jobs.FEEDBACK:
            yield from ((1, one.surfaced_at) for one in views.surfaced.open() if one.voiced_in is not None)
        case jobs.REBUT | jobs.AVOID:
            cursor = REBUTTED if job is jobs.REBUT else AVOIDED
            if cursor in views.cursors.value:
                yield _rows_behind(space, views.cursors.row(cursor))
        case jobs.DEDUP:
            yield from ((1, pair.queued_at) for pair in views.pending_pairs if pair.needs_model)
        case jobs.PROMOTE:
            for one in space.reflections.alive():
                if promotion_rule(one, now, powerful=True) is not None:
                    yield 1, one.created_at
        case jobs.DIGEST:
            yield from ((1, op.owed_at) for op in space.outbox.pending.values() if op.kind in (DIGEST, REBUILD))
        case jobs.CORRECT:
            yield from ((1, one.created_at) for one in views.corrections if one.needs_model)


def _rows_behind(space: MemorySpace, row: int) -> tuple[int, datetime | None]:
    behind = space.turns.last_row - row
    oldest = next((kept.turn.at for kept in space.turns.tail if kept.turn.row > row), None)
    return max(behind, 0), oldest if behind > 0 else None
