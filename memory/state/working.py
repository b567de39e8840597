"""What is being worked on now, told from the latest events by rules: the same events always give the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.facts.sameness import normal
from memory.state import working_cues as cues

_PROGRESS = 3               # latest remarks on progress that are kept
_LEAST_SOURCES = 10
_JOINED = " | "


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is kept."""

    turns: int              # events that are read
    items: int              # of each list

    @property
    def window(self) -> int:
        """Events among which those, and the latest goal, are looked for."""
        return max(3 * self.turns, self.turns + 8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One event as it is read here."""

    turn: str               # id of the turn with its text
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line, and the turns without which it would not stand here."""

    text: str
    turns: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, "sources": list(self.turns)}

    @classmethod
    def from_json(cls, value: object) -> Item | None:
        text = value.get("text") if isinstance(value, Mapping) else None
        if not isinstance(value, Mapping) or not isinstance(text, str) or not text.strip():
            return None
        return cls(text=text, turns=_ids(value.get("sources")))


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingState:
    """Lists are oldest first."""

    goal: Item | None = None
    constraints: tuple[Item, ...] = ()
    decisions: tuple[Item, ...] = ()
    questions: tuple[Item, ...] = ()
    progress: tuple[Item, ...] = ()
    framed: Item | None = None          # what a model made the task out to be
    sources: tuple[str, ...] = ()       # turns that were read

    @property
    def progress_summary(self) -> str | None:
        return _JOINED.join(one.text for one in self.progress) or None

    @property
    def frame(self) -> str | None:
        """What the work is about, in one line."""
        told = (self.framed, self.goal, *self.progress[-1:], *self.decisions[-1:], *self.constraints[:1])
        return next((one.text for one in told if one is not None), None)

    def only(self, keeps: Callable[[Item], bool]) -> WorkingState:
        """The state without the lines that are not to be kept."""

        def kept(items: tuple[Item, ...]) -> tuple[Item, ...]:
            return tuple(filter(keeps, items))

        return replace(
            self,
            goal=self.goal if self.goal is not None and keeps(self.goal) else None,
            constraints=kept(self.constraints),
            decisions=kept(self.decisions),
            questions=kept(self.questions),
            progress=kept(self.progress),
            framed=self.framed if self.framed is not None and keeps(self.framed) else None,
        )

    def without(self, turns: Collection[str]) -> WorkingState:
        """The state without whatever rests on one of these turns; the same object where nothing does."""
        found = replace(
            self.only(lambda item: not any(turn in turns for turn in item.turns)),
            sources=tuple(turn for turn in self.sources if turn not in turns),
        )
        return self if found == self else found

    def to_json(self) -> dict[str, Any]:
        return {
            "goal": self.goal.to_json() if self.goal is not None else None,
            "constraints": [one.to_json() for one in self.constraints],
            "decisions": [one.to_json() for one in self.decisions],
            "questions": [one.to_json() for one in self.questions],
            "progress": [one.to_json() for one in self.progress],
            "framed": self.framed.to_json() if self.framed is not None else None,
            "sources": list(self.sources),
        }

    @classmethod
    def from_json(cls, value: object) -> WorkingState:
        """Whatever can be read of it."""
        given: Mapping[str, Any] = value if isinstance(value, Mapping) else {}

        def items(name: str) -> tuple[Item, ...]:
            rows = given.get(name)
            found = map(Item.from_json, rows) if isinstance(rows, list) else ()
            return tuple(one for one in found if one is not None)

        return cls(
            goal=Item.from_json(given.get("goal")),
            constraints=items("constraints"),
            decisions=items("decisions"),
            questions=items("questions"),
            progress=items("progress"),
            framed=Item.from_json(given.get("framed")),
            sources=_ids(given.get("sources")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Working:
    """A state with its number."""

    version: int                # from 1; one more with each update
    updated_at: datetime        # aware
    state: WorkingState

    def to_json(self) -> dict[str, Any]:
        return {"version": self.version, "updated": self.updated_at.isoformat(), "state": self.state.to_json()}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Working | None:
        """None for what is none."""
        version = value.get("version")
        try:
            updated = datetime.fromisoformat(str(value.get("updated")))
        except ValueError:
            return None
        if not isinstance(version, int) or isinstance(version, bool) or version < 1 or updated.tzinfo is None:
            return None
        return cls(version=version, updated_at=updated, state=WorkingState.from_json(value.get("state")))


def build(said: Sequence[Said], limits: Limits, hides: Callable[[str], bool]) -> WorkingState:
    """The state that events (oldest first, without replies) give. ``hides`` names lines that are not to be kept."""
    window = said[-limits.window :]
    read = [(one, [found for found in cues.read(one.text) if not hides(found[1])]) for one in window]
    kept = read[-limits.turns :]
    goal = next((one for one in reversed(read) if any(kind == cues.GOAL for kind, _ in one[1])), None)
    if goal is not None and goal not in kept:
        kept.insert(0, goal)
    found: dict[str, dict[str, Item]] = {}
    for one, lines in kept:
        for kind, line in lines:
            items, key = found.setdefault(kind, {}), normal(line)
            before = items.pop(key, None)       # said again, it is among the latest
            items[key] = Item(text=line, turns=(*(before.turns if before is not None else ()), one.turn))

    def latest(kind: str, most: int) -> tuple[Item, ...]:
        return tuple(found.get(kind, {}).values())[-most:]

    return WorkingState(
        goal=next(iter(latest(cues.GOAL, 1)), None),
        constraints=latest(cues.CONSTRAINT, limits.items),
        decisions=latest(cues.DECISION, limits.items),
        questions=latest(cues.QUESTION, limits.items),
        progress=latest(cues.PROGRESS, _PROGRESS),
        sources=tuple(one.turn for one, _ in kept)[-max(2 * limits.items, _LEAST_SOURCES) :],
    )


def added(items: tuple[Item, ...], texts: Sequence[str], turns: tuple[str, ...], most: int) -> tuple[Item, ...]:
    """A list with what it lacks."""
    known = {normal(one.text) for one in items}
    fresh = {key: text for text in texts if (key := normal(text)) and key not in known}
    return (*items, *(Item(text=text, turns=turns) for text in fresh.values()))[-most:]


def _ids(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
