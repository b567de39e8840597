"""What is settled, as it is shown: the latest digest's state, and what is known of the person. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from memory.state.digest_state import Changed, DigestState, Held

PROFILE = ("identity", "relationships", "ongoing", "goals", "followUps")    # facets that are shown beside the state
_PROFILE_MOST = 15      # lines of one of them


@dataclass(frozen=True, slots=True, kw_only=True)
class StableView:
    """Lists are oldest first."""

    goal: str | None = None
    constraints: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    todos: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    profile: Mapping[str, tuple[str, ...]] = field(default_factory=dict)    # facet → lines; no empty ones


def view_of(state: DigestState, profile: Iterable[tuple[str, str]] = ()) -> StableView:
    """The state as it is shown, with facts given as (facet, text), oldest first."""
    lines: dict[str, list[str]] = {name: [] for name in PROFILE}
    for facet, text in profile:
        if facet in lines and text not in lines[facet]:
            lines[facet].append(text)
    return StableView(
        goal=state.goal.value if state.goal is not None else None,
        constraints=_values(state.constraints),
        decisions=_values(state.decisions),
        todos=_values(state.todos),
        questions=_values(state.questions),
        risks=_values(state.risks),
        profile={name: tuple(found[-_PROFILE_MOST:]) for name, found in lines.items() if found},
    )


def only(state: DigestState, keeps: Callable[[Held], bool], keeps_change: Callable[[Changed], bool]) -> DigestState:
    """The state without the lines and changes that are not to be told."""
    return replace(
        state,
        goal=state.goal if state.goal is not None and keeps(state.goal) else None,
        constraints=tuple(filter(keeps, state.constraints)),
        decisions=tuple(filter(keeps, state.decisions)),
        todos=tuple(filter(keeps, state.todos)),
        questions=tuple(filter(keeps, state.questions)),
        risks=tuple(filter(keeps, state.risks)),
        context=tuple(filter(keeps, state.context)),
        changes=tuple(filter(keeps_change, state.changes)),
    )


def _values(lines: tuple[Held, ...]) -> tuple[str, ...]:
    return tuple(one.value for one in lines)
