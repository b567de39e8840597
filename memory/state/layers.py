"""The layers of a scope as they stand: working memory, stable state, how they fit together and how fresh they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memory.facts.fact import Fact
from memory.facts.sameness import normal
from memory.history.turn import AI, HUMAN
from memory.space import MemorySpace
from memory.state import registry, structured
from memory.state.digest_jobs import undigested
from memory.state.digest_reading import told
from memory.state.digest_state import DigestState
from memory.state.digests import Digest
from memory.state.discretion import Discretion, discretion_of
from memory.state.stable import StableView, view_of
from memory.state.structured import labelled, lines_of
from memory.state.working import Working, WorkingState

WORKING_LAG = timedelta(seconds=15)     # behind the latest event that still counts as caught up
STABLE_LAG = timedelta(seconds=60)

_LEAKS = frozenset(
    {
        structured.CONSTRAINT, structured.DECISION, structured.TODO, structured.QUESTION, structured.RISK,
        structured.STATUS,
    }
)  # fmt: skip
_STOPS = " .。!！"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """How far working memory and stable state say the same."""

    goal_aligned: bool
    shared_constraints: int
    shared_decisions: int
    fast_path_ready: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How far the layers lag behind what was said. Times are aware; None where there is none."""

    latest_event: datetime | None       # when the newest change came in, whatever time it claims
    working_updated: datetime | None
    stable_created: datetime | None
    stable_current: bool = False        # the state takes everything into account, whenever it was made

    @property
    def working_lag(self) -> timedelta | None:
        return _lag(self.latest_event, self.working_updated)

    @property
    def stable_lag(self) -> timedelta | None:
        lag = _lag(self.latest_event, self.stable_created)
        return timedelta(0) if lag is not None and self.stable_current else lag

    @property
    def working_caught_up(self) -> bool:
        return self.latest_event is None or (self.working_lag is not None and self.working_lag <= WORKING_LAG)

    @property
    def stable_caught_up(self) -> bool:
        return self.latest_event is None or (self.stable_lag is not None and self.stable_lag <= STABLE_LAG)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """Everything that may be told of the layers; what was forgotten is in none of it."""

    working: Working | None
    digest: Digest | None               # the latest with a state
    state: DigestState
    stable: StableView
    alignment: Alignment
    freshness: Freshness
    warnings: tuple[str, ...]
    facts: tuple[Fact, ...] = field(repr=False)
    discretion: Discretion = field(repr=False)

    @property
    def working_state(self) -> WorkingState:
        return self.working.state if self.working is not None else WorkingState()


async def read_layers(space: MemorySpace) -> Layers:
    """Read only."""
    await space.raw.refresh()
    discretion = await discretion_of(space)
    working = space.views.working.current
    if working is not None:
        shown = working.state.only(lambda item: not discretion.hides(item.text, item.turns))
        working = Working(version=working.version, updated_at=working.updated_at, state=shown)
    digest = latest_with_state(space, discretion)
    state = digest.state if digest is not None and digest.state is not None else DigestState()
    facts = tuple(registry.active(space))
    stable = view_of(state, ((registry.facet_of(fact), fact.text) for fact in facts))
    freshness = Freshness(
        latest_event=_latest_arrival(space),
        working_updated=working.updated_at if working is not None else None,
        stable_created=digest.created_at if digest is not None else None,
        stable_current=undigested(space) <= 0,
    )
    present = working.state if working is not None else WorkingState()
    return Layers(
        working=working,
        digest=digest,
        state=state,
        stable=stable,
        alignment=align(present, stable, ready=working is not None and digest is not None),
        freshness=freshness,
        warnings=tuple(warnings(present, stable, freshness)),
        facts=facts,
        discretion=discretion,
    )


def latest_with_state(space: MemorySpace, discretion: Discretion) -> Digest | None:
    """The latest digest that has a state, as it may be told."""
    latest = next((one for one in space.views.digests.newest_first if one.state is not None), None)
    return told(latest, discretion) if latest is not None else None


def _latest_arrival(space: MemorySpace) -> datetime | None:
    """When the newest event that is shown came in, or got its present text."""
    for kept in reversed(space.turns.tail):
        if kept.turn.kind in (HUMAN, AI) and kept.turn.id not in space.views.withheld:
            return kept.received
    newest = space.raw.newest(1)
    return newest[0].updated_at or newest[0].at if newest else None


# how they fit together


def align(working: WorkingState, stable: StableView, *, ready: bool) -> Alignment:
    """``ready`` says that both layers are there at all."""
    goals = _goal(working.goal.text if working.goal is not None else None), _goal(stable.goal)
    return Alignment(
        goal_aligned=bool(goals[0]) and goals[0] == goals[1],
        shared_constraints=len(_texts(working, "constraints") & set(map(normal, stable.constraints))),
        shared_decisions=len(_texts(working, "decisions") & set(map(normal, stable.decisions))),
        fast_path_ready=ready,
    )


def warnings(working: WorkingState, stable: StableView, freshness: Freshness) -> Iterator[str]:
    """What looks wrong, by names that programs know."""
    goal = working.goal.text if working.goal is not None else None
    if _leaks(goal):
        yield "working_goal_contains_structured_lines"
    if _leaks(stable.goal):
        yield "stable_goal_contains_structured_lines"
    if stable.goal and not goal:
        yield "working_goal_missing"
    elif goal and not stable.goal:
        yield "stable_goal_missing"
    elif goal and stable.goal and _goal(goal) != _goal(stable.goal):
        yield "goal_mismatch"
    for name, others in (("constraints", stable.constraints), ("decisions", stable.decisions)):
        own = _texts(working, name)
        if own and others and not own & set(map(normal, others)):
            yield f"{name.removesuffix('s')}_sets_do_not_overlap"
    if not freshness.working_caught_up:
        missing = freshness.working_updated is None
        yield "working_memory_missing_with_recent_events" if missing else "working_memory_lagging_behind_events"
    if not freshness.stable_caught_up:
        missing = freshness.stable_created is None
        yield "stable_state_missing_with_recent_events" if missing else "stable_state_lagging_behind_events"


def _lag(event: datetime | None, layer: datetime | None) -> timedelta | None:
    return max(event - layer, timedelta(0)) if event is not None and layer is not None else None


def _goal(text: str | None) -> str:
    """A goal as it is compared: what ends a sentence counts for nothing."""
    return normal(text or "").rstrip(_STOPS)


def _texts(working: WorkingState, name: str) -> set[str]:
    return {normal(item.text) for item in (working.constraints if name == "constraints" else working.decisions)}


def _leaks(goal: str | None) -> bool:
    return any(found is not None and found[0] in _LEAKS for found in map(labelled, lines_of(goal or "")))
