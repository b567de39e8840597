"""What a model is shown to learn from: turns that are read together, and how far they have been read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory import tokens
from memory.facts.rules.clean import Recalled, own_lines
from memory.facts.rules.extract import hear
from memory.facts.rules.promise import promises
from memory.facts.rules.stated import Heard
from memory.facts.secrets import redact
from memory.history.turn import AI, HUMAN, Turn, without_stamp
from memory.locale import detect
from memory.models.prompt import neutral, one_line
from memory.people import Names
from memory.space import MemorySpace
from memory.store.journal import Batch

CURSOR, DISCLOSED, PASSES = "model_extracted_row", "model_disclosed_row", "model_passes"

LOOK_BACK = 200                         # turns before a model was first there that it still reads
_WINDOW_TOKENS, _MOST_MESSAGES = 6_000, 20
_MESSAGE_CHARS = 2_000                  # of a message, from its head and its tail
_SCENE = 12                             # earlier turns that may have opened a scene played between the two
_NOT_FACTS = frozenset({"instruction", "fiction", "unsafe"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a window."""

    turn: Turn
    text: str                   # as it is shown: in its speaker's own voice, without secrets
    heard: Heard                # what rules make of it

    @property
    def says_nothing(self) -> bool:
        """Whether rules are certain that there is nothing in it worth keeping."""
        return not self.heard.drafts and not any(one.known or one.is_open for one in self.heard.stated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Turns that are read together, and the row that the cursor has reached after them."""

    said: tuple[Said, ...]
    first: int
    last: int
    again: bool = False         # it was set aside once, so the cursor is beyond it already

    @property
    def ids(self) -> tuple[str, ...]:
        """What a question about it is remembered by."""
        return (f"rows {self.first}-{self.last}",)

    def lines(self, names: Names) -> list[str]:
        """The messages, numbered, for a prompt."""
        speakers = {HUMAN: neutral(names.master), AI: neutral(names.neko)}
        return [
            f"[{at}] {speakers.get(one.turn.kind, one.turn.kind)} | {one.text}"
            for at, one in enumerate(self.said, start=1)
        ]


async def window_of(
    space: MemorySpace, names: Names, turns: Sequence[Turn], *, whole: bool = False, again: bool = False
) -> Window:
    """What the user said in their own voice in these turns: all of it, or up to as much as one question holds."""
    recalled = Recalled(space.shown)
    earlier = await space.turns.between(max(turns[0].row - _SCENE, 1), turns[0].row - 1) if turns else []
    said: list[Said] = []
    spent, last = 0, turns[-1].row if turns else 0
    for turn in turns:
        one = _own(space, names, turn, recalled, earlier)
        earlier = [*earlier, turn][-_SCENE:]
        if one is None:
            continue
        spent += tokens.count(one.text)
        if said and (spent > _WINDOW_TOKENS or len(said) == _MOST_MESSAGES) and not whole:
            last = turn.row - 1
            break
        said.append(one)
    return Window(said=tuple(said), first=turns[0].row if turns else 0, last=last, again=again)


def both_sides(space: MemorySpace, names: Names, turns: Sequence[Turn], start: int) -> Window:
    """Turns between the first and the last message of the user: nothing the character said alone."""
    last = turns[-1].row if turns else space.views.cursors.row(CURSOR)
    recalled = Recalled(space.shown)
    said: list[Said] = []
    for turn in turns:
        earlier = [one.turn for one in said[-_SCENE:]]
        one = (_theirs if turn.kind == AI else _own)(space, names, turn, recalled, earlier)
        if one is not None:
            said.append(one)
    human = [at for at, one in enumerate(said) if one.turn.kind == HUMAN]
    said = said[human[0] : human[-1] + 1] if human else []
    while said and sum(tokens.count(one.text) for one in said) > _WINDOW_TOKENS:
        said = said[: len(said) // 2]
        last = said[-1].turn.row if said else last
    return Window(said=tuple(said), first=start + 1, last=last)


def _own(
    space: MemorySpace, names: Names, turn: Turn, recalled: Recalled, earlier: Sequence[Turn]
) -> Said | None:
    """What a turn of the user may teach. What rules take for a scene or for instructions is not shown at all."""
    if turn.kind != HUMAN or (turn.speaker is not None and not names.is_master(turn.speaker)):
        return None
    heard = hear(turn, names, space.clock, recalled, earlier=earlier)
    if any(drop.reason in _NOT_FACTS for drop in heard.drops):
        return None
    lines, _ = own_lines(turn.text, recalled)
    text = one_line(redact(" ".join(lines)).text, _MESSAGE_CHARS)
    return Said(turn=turn, text=text, heard=heard) if text else None


def _theirs(
    space: MemorySpace, names: Names, turn: Turn, recalled: Recalled, earlier: Sequence[Turn]
) -> Said | None:
    """What the character said, and what of it rules know for a promise."""
    heard = hear(turn, names, space.clock, recalled, earlier=earlier)
    text = one_line(redact(without_stamp(turn.text)).text, _MESSAGE_CHARS)
    heard = Heard(drafts=promises(turn, names), drops=heard.drops, stated=heard.stated)
    return Said(turn=turn, text=text, heard=heard) if text else None


def locale_of(space: MemorySpace, window: Window) -> str:
    """The language a window is asked about in."""
    return detect(" ".join(one.text[:200] for one in window.said[-20:])) or space.views.recent_meta.language or "en"


def cursor_of(space: MemorySpace) -> int:
    """The last row that a model has dealt with; where none ever was, a little before the present end."""
    value = space.views.cursors.value.get(CURSOR)
    return value if isinstance(value, int) else max(0, space.turns.last_row - LOOK_BACK)


def is_first_look(space: MemorySpace) -> bool:
    """Whether a model never read anything of it."""
    return CURSOR not in space.views.cursors.value


def rows_of(about: Sequence[str]) -> tuple[int, int]:
    """The rows of a window by what it is remembered by; zeros for anything else."""
    first, _, last = (about[0] if about else "").removeprefix("rows ").partition("-")
    return (int(first), int(last)) if first.isdecimal() and last.isdecimal() else (0, 0)


def move(space: MemorySpace, batch: Batch, window: Window, *, counted: bool) -> None:
    """Put the cursor behind a window; failures over parts of it are no windows of their own any more.

    ``counted`` says whether a model has read it, which brings the next reading of both sides closer.
    """
    parts = []
    for one in space.views.tries:
        first, last = rows_of(one.about)
        if one.about and one.about != window.ids and window.first <= first and 0 < last <= window.last:
            parts.append(one)
    keys = [space.views.tries.key_of(one) for one in parts if one.job == "extraction"]
    if keys:
        batch.add("try.over", {"keys": keys})
    if cursor_of(space) < window.last or is_first_look(space):
        batch.add("cursor.moved", {"name": CURSOR, "to": max(window.last, cursor_of(space))})
        if counted:
            batch.add("cursor.moved", {"name": PASSES, "to": space.views.cursors.row(PASSES) + 1})
