"""What a new window starts from: what is known for good, how work is done here, and where it stood.

Everything comes from the scope that was asked for, and from nowhere else. Only a window that names
no scope is told who its user is from the scopes that belong to the user.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime

from memory.clock import Clock
from memory.facts.fact import Fact
from memory.facts.memory import CASES, ENTITIES, PATTERN, PATTERNS, PREFERENCES, PROFILE
from memory.models.embedder import Embedder
from memory.recall.profiles import Meant, Profile, Wish
from memory.recollect import Meaning, NamesOf, Recollected, best, pools, recollect, scopes_wanted
from memory.scoped import Scoped
from memory.scopes import Scope, Wanted, read_scope, spelled
from memory.sessions.checkpoint import Checkpoint, resolve_scope
from memory.sessions.unforgotten import unforgotten
from memory.sessions.view import Checkpoints
from memory.shelves import Shelved

LINE_LIMIT = 880            # characters of a line
SUMMARY_LIMIT = 3_200
_CHECKPOINT_LINES = 3
_SURE = 0.7                 # score from which evidence of a solved case is told
_LONG_CASE = 80             # characters of it

_SECTIONS = (PROFILE, PREFERENCES, ENTITIES, PATTERNS, CASES)
_OF_THE_USER = (PROFILE, PREFERENCES)
_LABELS = {PROFILE: "Profile", PREFERENCES: "Preference", ENTITIES: "Entity"}
_USER_LEVEL = ("memory", "agent", "user", "global")
_BLANKS = re.compile(r"\s+")

@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What a new window is told."""

    resolved_scope: str | None
    stable: Sequence[str]
    patterns: Sequence[str]
    cases: Sequence[str]
    checkpoint: Checkpoint | None
    generated_at: datetime              # aware
    unread: Sequence[str] = ()          # names of scopes that could not be looked into

    @property
    def summary(self) -> str:
        told = (
            f"Loaded {len(self.stable)} stable context item(s), {len(self.patterns)} pattern(s), "
            f"and {len(self.cases)} case(s)."
        )
        if self.checkpoint is not None:
            day = self.checkpoint.updated_at.astimezone(UTC).date().isoformat()
            text = self.checkpoint.summary.rstrip(" .。")
            told += f" Latest checkpoint from {self.checkpoint.session_id} on {day}: {text}."
        return _cut(told, SUMMARY_LIMIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What a new window says of itself."""

    task: str | None = None
    scope: str | None = None
    session_id: str | None = None
    limit: int = 3                      # lines of each section
    with_checkpoint: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The checkpoint that a window goes on from, and the scope it belongs to."""

    checkpoint: Checkpoint | None
    scope: str | None


async def find_place(window: Window, checkpoints: Checkpoints | None, scoped: Scoped) -> Place:
    """A session's checkpoint counts only within the scope that was named, if one was."""
    found: Checkpoint | None = None
    wanted = resolve_scope(window.scope) if window.scope is not None else None
    if checkpoints is not None:
        if window.session_id is not None:
            found = checkpoints.latest(session_id=window.session_id, scope=wanted)
        if found is None and wanted is not None:
            found = checkpoints.latest(scope=wanted)
    found = await unforgotten(found, scoped)
    if window.scope is not None:
        return Place(checkpoint=found, scope=window.scope)
    if found is not None:
        return Place(checkpoint=found, scope=await _scope_of(found, scoped))
    return Place(checkpoint=None, scope=f"session:{window.session_id}" if window.session_id is not None else None)


async def _scope_of(checkpoint: Checkpoint, scoped: Scoped) -> str:
    """Where the memories beside a checkpoint are: as its writer spelled the scope, if anything is there."""
    if checkpoint.scope != checkpoint.resolved_scope:
        async with scoped.reading(read_scope(checkpoint.scope)) as space:
            if space is not None:
                return checkpoint.scope
    return checkpoint.resolved_scope


async def start(
    window: Window,
    place: Place,
    scoped: Scoped,
    *,
    profile: Profile,
    clock: Clock,
    names_of: NamesOf,
    embedder: Embedder,
    wait: float,
) -> Start:
    """Compose what a new window is told. Changes nothing that is remembered."""
    checkpoint = place.checkpoint if window.with_checkpoint else None
    known = place.checkpoint
    seed = window.task or (known.task or known.summary if known is not None else None)
    wanted = Wanted(text=place.scope)
    scopes = await (_of_the_user(scoped) if place.scope is None else scopes_wanted(scoped, wanted))
    names = _SECTIONS if place.scope is not None else _OF_THE_USER
    sections = _Sections(seed=seed, profile=profile, limit=window.limit, names=names)
    meaning = Meaning(embedder, wait)
    unread: list[Scope] = []
    async with aclosing(pools(scoped, scopes, names_of, None if wanted.is_one else unread)) as them:
        async for pool in them:
            await sections.look_into(pool, clock, await meaning.of(seed, pool) if seed else None)
    found = sections.found()
    return Start(
        resolved_scope=place.scope,
        stable=_stable(found, checkpoint, window.limit),
        patterns=_lines(found.get(PATTERNS, ()), _pattern_line, window.limit),
        cases=_lines(found.get(CASES, ()), _plain_line, window.limit),
        checkpoint=checkpoint,
        generated_at=clock.now(),
        unread=tuple(spelled(unread)),
    )


async def _of_the_user(scoped: Scoped) -> list[Scope]:
    everything = await scoped.holding_something(Wanted())
    return [scope for scope in everything if scope.folded.partition(":")[0] in _USER_LEVEL]


class _Sections:
    """What the sections are filled from: what has to do with the task, and what weighs most."""

    def __init__(self, *, seed: str | None, profile: Profile, limit: int, names: Sequence[str]) -> None:
        self._wishes = {
            name: Wish(text=seed or "", profile=profile, limit=2 * limit, categories=(name,)) for name in names
        }
        self._limit = 2 * limit
        self._related: dict[str, list[Recollected]] = {name: [] for name in names}
        self._weighty: dict[str, list[Fact]] = {name: [] for name in names}

    async def look_into(self, pool: Sequence[Shelved], clock: Clock, meant: Meant | None) -> None:
        for name, wish in self._wishes.items():
            if wish.text:
                found = await recollect(pool, wish, clock, meant=meant)
                self._related[name] = best(wish, self._related[name], found)
            weighty = [fact for shelf in pool for fact in _weightiest(shelf, name, self._limit)] + self._weighty[name]
            weighty.sort(key=_recent_first if name == CASES else _weightiest_first)
            self._weighty[name] = weighty[: self._limit]

    def found(self) -> dict[str, list[Fact]]:
        """Memories by section: those that have to do with the task, then the weightiest.

        Ways of working are told for a task only if they have to do with it, unless none has.
        """
        sections = {}
        for name, hits in self._related.items():
            related = [
                *(one.fact for one in hits if _is_stored(one.fact)),
                *(one.fact for one in hits if name == CASES and _is_sure_case(one)),
            ]
            known = {fact.id for fact in related}
            others = () if name == PATTERNS and related else self._weighty[name]
            sections[name] = [*related, *(fact for fact in others if fact.id not in known)]
        return sections


def _weightiest(shelf: Shelved, category: str, count: int) -> list[Fact]:
    """The most important ones; of cases the newest."""
    held = shelf.facts.holdings
    ids = held.newest(category, count) if category == CASES else held.weightiest(category, count)
    return [fact for one in ids if (fact := shelf.facts.get(one)) is not None]


def _is_stored(fact: Fact) -> bool:
    return fact.memory is not None and not fact.memory.is_evidence


def _is_sure_case(one: Recollected) -> bool:
    return not _is_stored(one.fact) and one.graded.score >= _SURE and len(one.fact.text) >= _LONG_CASE


def _weightiest_first(fact: Fact) -> tuple[float, float, str]:
    assert fact.memory is not None
    return -fact.memory.importance, -fact.created_at.timestamp(), fact.id


def _recent_first(fact: Fact) -> tuple[float, str]:
    return -fact.created_at.timestamp(), fact.id


# lines


def _stable(found: Mapping[str, Sequence[Fact]], checkpoint: Checkpoint | None, limit: int) -> list[str]:
    """One line of each kind in turn, each key and text once."""
    columns = [_labelled(label, found.get(category, ())) for category, label in _LABELS.items()]
    columns.append(_checkpoint_lines(checkpoint) if checkpoint is not None else [])
    lines = [line for row in itertools.zip_longest(*columns) for line in row if line is not None]
    return list(dict.fromkeys(lines))[:limit]


def _labelled(label: str, facts: Iterable[Fact]) -> list[str]:
    keys: set[str] = set()
    lines = []
    for fact in facts:
        key = (fact.memory.key if fact.memory is not None else None) or fact.id
        if key not in keys:
            keys.add(key)
            lines.append(f"{label}: {_plain_line(fact)}")
    return lines


def _checkpoint_lines(checkpoint: Checkpoint) -> list[str]:
    told = [
        ("Checkpoint summary", checkpoint.summary),
        ("Checkpoint focus", checkpoint.task),
        ("Checkpoint decision", next(iter(checkpoint.decisions), None)),
        ("Checkpoint next", next(iter(checkpoint.next_actions), None)),
        ("Checkpoint entity", next(iter(checkpoint.entities), None)),
    ]
    lines = [f"{label}: {_cut(text, LINE_LIMIT)}" for label, text in told if text]
    return lines[:_CHECKPOINT_LINES]


def _lines(facts: Iterable[Fact], line_of: Callable[[Fact], str], limit: int) -> list[str]:
    return list(itertools.islice(_once(line_of(fact) for fact in facts), limit))


def _once(lines: Iterable[str]) -> Iterator[str]:
    return iter(dict.fromkeys(lines))


def _plain_line(fact: Fact) -> str:
    return _cut(fact.text, LINE_LIMIT)


def _pattern_line(fact: Fact) -> str:
    parts = fact.memory.structure if fact.memory is not None else None
    if parts is None or parts.get("kind") != PATTERN:
        return _plain_line(fact)
    line = f"Workflow pattern: {parts.get('title')}"
    if parts.get("tools"):
        line += f" Tools: {', '.join(parts['tools'])}"
    line += f" Use when: {parts.get('trigger')}"
    if parts.get("steps"):
        line += f" Steps: 1. {parts['steps'][0]}"
    return _cut(line, LINE_LIMIT)


def _cut(text: str, limit: int) -> str:
    line = _BLANKS.sub(" ", text).strip()
    return line if len(line) <= limit else f"{line[: limit - 3].rstrip()}..."
