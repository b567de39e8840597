"""The store of workflow observations: a journal of its own beside the memories, only ever appended to."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory.clock import Clock
from memory.errors import MemoryServiceError
from memory.facts.secrets import redact_all
from memory.ids import Ids
from memory.scopes import fold_scope
from memory.sessions.workflow import Observation, observation_id
from memory.store.events import Event
from memory.store.files import Disk
from memory.store.journal import Journal

log = logging.getLogger(__name__)

RECORDED = "observation.recorded"

_KEPT = 4_000       # latest observations of one workflow in one scope that are looked at


@dataclass(slots=True)
class _Course:
    """One workflow in one scope."""

    workflow_id: str
    scope: str
    latest_at: datetime
    kept: deque[Observation] = field(default_factory=lambda: deque(maxlen=_KEPT))


class Observations:
    """Opened when it is first used."""

    def __init__(
        self,
        directory: Path,
        disk: Disk,
        clock: Clock,
        ids: Ids,
        *,
        permit: Callable[[], None],
        segment_bytes: int,
    ) -> None:
        self._clock = clock
        self._journal = Journal(
            directory, disk, clock, ids,
            fold=self._fold, recover=self._reopen, permit=permit, failed=lambda: None, segment_bytes=segment_bytes,
        )  # fmt: skip
        self._journal.may_create = True
        self._opening = asyncio.Lock()
        self._opened = False
        self._seq = 0
        self._courses: dict[tuple[str, str], _Course] = {}
        self._ids: set[str] = set()
        self._keyed: dict[str, Observation] = {}

    async def record(self, wanted: Observation) -> Observation:
        """Keep an observation; one with a known idempotency key is answered with the first. Its id is made here.

        Raises what a write to a journal raises.
        """
        await self._open()
        async with self._journal.write() as batch:
            key = wanted.idempotency_key
            if key is not None and key in self._keyed:
                return self._keyed[key]
            made = replace(_without_secrets(wanted), id=self._fresh_id(wanted))
            batch.add(RECORDED, {"observation": made.to_json()})
        return made

    async def note(self, wanted: Observation) -> None:
        """Keep what this service observed of itself. Nothing fails for want of it."""
        try:
            await self.record(wanted)
        except (MemoryServiceError, OSError) as error:
            log.warning("an observation of %s was not kept (%s)", wanted.workflow_id, type(error).__name__)

    def _fresh_id(self, wanted: Observation) -> str:
        plain = observation_id(wanted.workflow_id, wanted.outcome, wanted.recorded_at)
        number, found = 1, plain
        while found in self._ids:
            number += 1
            found = f"{plain}-{number}"
        return found

    async def of(self, workflow_id: str, scope: str | None) -> tuple[list[Observation], datetime | None]:
        """What was observed of a workflow, in one scope or all, and when last. Times to come count as now."""
        await self._open()
        courses = [
            course
            for (workflow, folded), course in self._courses.items()
            if workflow == workflow_id and (scope is None or folded == fold_scope(scope))
        ]
        latest = max((course.latest_at for course in courses), default=None)
        return [one for course in courses for one in self._until_now(course)], latest

    async def courses(self, scope: str | None) -> list[tuple[str, str, list[Observation], datetime]]:
        """Every workflow of every scope, or of one: its id, the scope, what was observed, and when last."""
        await self._open()
        return [
            (course.workflow_id, course.scope, self._until_now(course), course.latest_at)
            for (_, folded), course in sorted(self._courses.items())
            if scope is None or folded == fold_scope(scope)
        ]

    def _until_now(self, course: _Course) -> list[Observation]:
        now = self._clock.now()
        return [one if one.recorded_at <= now else replace(one, recorded_at=now) for one in course.kept]

    async def _open(self) -> None:
        async with self._opening:
            if not self._opened:
                await self._reopen()
                self._opened = True

    async def _reopen(self) -> None:
        await self._journal.open()
        async for events in self._journal.events(self._seq):
            self._fold(events)

    def _fold(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.seq <= self._seq:
                continue
            self._seq = event.seq
            if event.type != RECORDED:
                continue
            try:
                self._take(Observation.from_json(event.data["observation"]))
            except (LookupError, TypeError, ValueError):
                log.warning("an observation could not be read and is passed over")

    def _take(self, one: Observation) -> None:
        place = (one.workflow_id, fold_scope(one.scope))
        course = self._courses.get(place)
        if course is None:
            course = self._courses[place] = _Course(one.workflow_id, one.scope, one.recorded_at)
        course.kept.append(one)
        course.latest_at = max(course.latest_at, one.recorded_at)
        self._ids.add(one.id)
        if one.idempotency_key is not None:
            self._keyed.setdefault(one.idempotency_key, one)


def _without_secrets(wanted: Observation) -> Observation:
    texts = {name: redact_all(getattr(wanted, name), {}) for name in ("summary", "signal", "task", "tags", "tools")}
    clean: dict[str, Any] = {name: tuple(text) if isinstance(text, list) else text for name, text in texts.items()}
    return replace(wanted, **clean)
