"""What the rule tests share: someone says something on Monday the fourth of May 2026, at ten."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from memory.facts.rules.draft import Draft
from memory.facts.rules.extract import extract
from memory.history.turn import AI, HUMAN, Content, Turn
from memory.people import Names
from tests.fakes import MORNING, FixedClock

NAMES = Names(neko="Luna")


def turn(content: Content, *, kind: str = HUMAN, speaker: str | None = None, at: datetime = MORNING) -> Turn:
    return Turn(id="turn_1", row=1, kind=kind, content=content, at=at, session="s", speaker=speaker)


def told(
    content: Content,
    *,
    names: Names = NAMES,
    kind: str = HUMAN,
    speaker: str | None = None,
    at: datetime = MORNING,
    recalled: Collection[str] = (),
    earlier: Sequence[Turn] = (),
) -> list[Draft]:
    """The drafts of one message."""
    said = turn(content, kind=kind, speaker=speaker, at=at)
    return extract(said, names, FixedClock(), recalled=recalled, earlier=earlier)[0]


def one(content: Content) -> Draft:
    """The only draft of a message."""
    drafts = told(content)
    assert len(drafts) == 1, [draft.text for draft in drafts]
    return drafts[0]


def reasons(content: Content, *, recalled: Collection[str] = ()) -> set[str]:
    """Why clauses of a message were left out."""
    return {drop.reason for drop in extract(turn(content), NAMES, FixedClock(), recalled=recalled)[1]}


__all__ = ["AI", "HUMAN", "NAMES", "Names", "one", "reasons", "told", "turn"]
