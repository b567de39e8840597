"""One digest's deterministic stages: from a state and the events since to the next state. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from memory.facts.sameness import same_fact
from memory.state.digest import kinds
from memory.state.digest.classes import routes
from memory.state.digest.guard import Guard
from memory.state.digest.merge import Ended, Merge, prune
from memory.state.digest.piece import Piece, in_order
from memory.state.digest.select import LATER, Log, Read, deltas, portions, read, select
from memory.state.digest_state import DigestState, Reference
from memory.state.facets import Pack

# Confidence of what is taken from an event, by what the event is.
FROM_DOCUMENT, FROM_STREAM, PROTECTED_STREAM = 0.85, 0.6, 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """A statement that belongs to a facet."""

    facet: str
    text: str
    confidence: float
    piece: Piece
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a run is held against."""

    told: str = ""                              # text of the last digest
    pack: Pack
    goal: str | None = None                     # of the scope, for a state that has none
    window: int = LATER
    guard: Guard = field(default_factory=Guard)
    held: tuple[tuple[str, float], ...] = ()    # facts of write-protected facets with their confidence
    gone: frozenset[str] = frozenset()          # turns that are kept back as evidence of what was forgotten


@dataclass(slots=True, kw_only=True)
class Made:
    """What a run came to."""

    state: DigestState
    log: Log = field(default_factory=Log)
    routed: list[Routed] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)
    documents: list[Read] = field(default_factory=list)
    deltas: list[Read] = field(default_factory=list)


def begin(before: DigestState) -> Made:
    """A run that has read nothing yet."""
    return Made(state=replace(before, transitions={}))


def split(pieces: Iterable[Piece], grounds: Grounds) -> list[list[Read]]:
    """The events in the stretches in which they are taken."""
    return list(portions(read_all(sorted(pieces, key=in_order), grounds), grounds.window))


def read_all(pieces: Iterable[Piece], grounds: Grounds) -> list[Read]:
    """What the events say, in their order."""
    wanted = routes(grounds.pack)
    return [read(piece, wanted) for piece in pieces]


def step(made: Made, portion: Sequence[Read], grounds: Grounds) -> None:
    """Take one stretch of events into the run."""
    chosen = select(portion, made.log)
    fresh = deltas(chosen.stream, grounds.told)
    merge = Merge(made.state, allows=lambda text: not grounds.guard.covers(text), protects=_protects(grounds))
    merge.transitions.update(made.state.transitions)
    merge.take(chosen.documents, fresh)
    made.state = merge.state()
    made.ended += merge.ended
    made.documents += chosen.documents
    made.deltas += fresh
    made.routed += _routed([*chosen.documents, *fresh], grounds, made.log)


def end(made: Made, grounds: Grounds) -> None:
    """What comes after the last stretch."""
    merge = Merge(made.state)
    merge.transitions.update(made.state.transitions)
    if grounds.goal and made.state.goal is None and not grounds.guard.covers(grounds.goal):
        merge.set_goal(grounds.goal, None)
    made.state = prune(merge.state(), grounds.guard.covers, _gone(grounds))


def run(before: DigestState, pieces: Iterable[Piece], grounds: Grounds) -> Made:
    """All of it: the same state, events and grounds give the same."""
    made = begin(before)
    for portion in split(pieces, grounds):
        step(made, portion, grounds)
    end(made, grounds)
    return made


def _gone(grounds: Grounds) -> Callable[[Reference], bool]:
    return lambda reference: reference.turn in grounds.gone


def _protects(grounds: Grounds) -> Callable[[str, float], bool]:
    def protects(value: str, authority: float) -> bool:
        return any(confidence > authority and same_fact(value, text) for text, confidence in grounds.held)

    return protects


def _routed(found: Sequence[Read], grounds: Grounds, log: Log) -> Iterable[Routed]:
    wanted = routes(grounds.pack)
    for one in found:
        for statement, class_ in one.said:
            facet = grounds.pack.get(wanted.get(class_ or "", ""))
            if facet is None:
                if statement.kind in (kinds.DECISION, kinds.CONSTRAINT):
                    log.drop("no_display_group", event=one.piece.id, kind=statement.kind)
                continue
            weaker = PROTECTED_STREAM if facet.write_protected else FROM_STREAM
            yield Routed(
                facet=facet.name,
                text=statement.text,
                confidence=FROM_DOCUMENT if one.piece.is_document else weaker,
                piece=one.piece,
                kind=statement.kind,
            )
