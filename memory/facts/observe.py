"""Learning facts from what was said, by a model: what rules cannot read. Rules go first, and what they heard stands.

Two passes. The first shows the user's messages alone, the second, less often, both sides with what is known already;
what only the character said of itself or of the user never speaks for or against anything that is held.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from memory import tokens
from memory.facts.fact import AI_DISCLOSURE, ENTITIES, MASTER, USER_OBSERVATION, Fact, text_hash
from memory.facts.learn import keep, was_erased
from memory.facts.observe_prompts import BOTH_SIDES, USER_ONLY
from memory.facts.rules.clean import Recalled, own_lines
from memory.facts.rules.draft import Draft
from memory.facts.rules.event_when import resolve_raw
from memory.facts.rules.extract import extract
from memory.facts.secrets import redact
from memory.history.turn import AI, HUMAN, Turn, without_stamp
from memory.history.wording import sentences_of
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.jobs import DISCLOSE, EXTRACT
from memory.models.prompt import ask, language_of, neutral, one_line
from memory.people import Names
from memory.recall.grounded import alike, grounded
from memory.space import MemorySpace
from memory.store.journal import Batch
from memory.thinking import Answer, Unfit, as_list, as_text, is_due, place, think, worked
from memory.tries import key_of

log = logging.getLogger(__name__)

CURSOR, DISCLOSED, PASSES = "model_extracted_row", "model_disclosed_row", "model_passes"

ENOUGH = 10                             # messages of the user that are worth a call
WAITS = timedelta(minutes=5)            # … and how long fewer of them wait
_ROWS = 200                             # turns of one window
_LOOK_BACK = 200                        # turns before a model was first there that it still reads
_WINDOW_TOKENS, _MOST_MESSAGES = 6_000, 20
_MESSAGE_CHARS = 2_000                  # of a message, from its head and its tail
_EVERY = 3                              # first passes to one second pass
_MOST, _LONGEST = 20, 400               # items of an answer; characters of one
_KNOWN = 30                             # facts shown as known
_SAID = 0.5                             # share of its words that must have been said
_SAME, _REPEATS = 0.6, 0.85             # as the rules heard it; as something known says it
_SURE = 0.6
_NOT_FACTS = frozenset({"instruction", "fiction", "unsafe"})
# What a message of one sentence is no statement for, whatever a model makes of it.
_NOT_STATED = frozenset(
    {"question", "conditional", "hypothetical", "reported", "sarcasm", "quoted", "code", "recalled"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Turns that are read together, and the row that the cursor has reached after them."""

    turns: tuple[Turn, ...]
    heard: tuple[str, ...]      # what each says in its speaker's own voice
    first: int
    last: int
    again: bool = False         # it was set aside once, so the cursor is beyond it already


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One statement of an answer, checked by form."""

    text: str
    importance: int
    entity: str
    source: str
    message: int | None         # place in the window
    event_when: Any


async def observe(space: MemorySpace, names: Names, chat: Chat, *, eager: bool = False) -> int:
    """Read the next window of the user's messages, if it is time. Returns how many facts were added.

    With ``eager`` a single message is enough.

    Facts and cursor move in one commit. A window that fails stays; after the last failure it is set aside, tried
    again every few hours, and the cursor goes on: nothing is lost and nothing waits behind it.
    """
    window = await _set_aside(space, names, chat) or await _next_window(space, names, eager=eager)
    if window is None:
        return 0
    ids = (f"rows {window.first}-{window.last}",)
    if not window.turns:
        await _move(space, window)
        return 0
    if not is_due(space, chat, EXTRACT, ids):
        return 0
    locale = _locale(space, window)
    messages = ask(USER_ONLY, locale, _people(names, locale), conversation=_lines(window, names))
    answer = await think(space, chat, EXTRACT, ids, messages, _reader(window, names, None))
    if answer is not None:
        return await _take(space, names, window, answer, CURSOR)
    if not window.again and _is_dead(space, EXTRACT.name, ids):
        await _move(space, window)
    return 0


async def observe_both(space: MemorySpace, names: Names, chat: Chat) -> int:
    """Every third time, read what both sides said in those turns. Returns how many facts were added."""
    cursors = space.views.cursors
    if cursors.row(PASSES) < _EVERY:
        return 0
    start = cursors.row(DISCLOSED) or max(0, cursors.row(CURSOR) - _LOOK_BACK)
    turns = [turn for turn in await space.turns.between(start + 1, cursors.row(CURSOR)) if turn.text.strip()]
    turns = turns[:_ROWS]
    window = _both_sides(space, names, turns, start)
    ids = (f"rows {window.first}-{window.last}",)
    if not window.turns:
        await _move_disclosed(space, window.last)
        return 0
    if not is_due(space, chat, DISCLOSE, ids):
        return 0
    locale = _locale(space, window)
    since = window.turns[0].at
    known = sorted(
        (fact for fact in space.facts if fact.created_at >= since and fact.superseded_by is None),
        key=lambda fact: (-fact.importance, fact.id),
    )[:_KNOWN]
    messages = ask(
        BOTH_SIDES, locale, _people(names, locale),
        conversation=_lines(window, names), known=[one_line(fact.text, _LONGEST) for fact in known],
    )  # fmt: skip
    answer = await think(space, chat, DISCLOSE, ids, messages, _reader(window, names, AI_DISCLOSURE))
    if answer is not None:
        return await _take(space, names, window, answer, DISCLOSED)
    if _is_dead(space, DISCLOSE.name, ids):
        await _move_disclosed(space, window.last)
    return 0


# windows


async def _next_window(space: MemorySpace, names: Names, *, eager: bool) -> Window | None:
    """The next turns behind the cursor, if they are enough or waited long enough."""
    cursor = cursor_of(space)
    if cursor >= space.turns.last_row:
        return None
    turns = await space.turns.after(cursor, _ROWS)
    if not turns:
        return None
    window = await _window(space, names, turns)
    waits = space.clock.now() - window.turns[0].at if window.turns else timedelta()
    if window.turns and len(window.turns) < ENOUGH and waits < WAITS and not eager:
        return None
    return window


async def _set_aside(space: MemorySpace, names: Names, chat: Chat) -> Window | None:
    """A window that was given up before and may be tried again."""
    for one in space.views.tries.of(EXTRACT.name):
        first, last = _rows_of(one.about)
        if last and last <= cursor_of(space) and is_due(space, chat, EXTRACT, one.about):
            turns = [turn for turn in await space.turns.between(first, last) if turn.row <= last]
            window = await _window(space, names, turns, whole=True)
            if window.turns:
                return Window(turns=window.turns, heard=window.heard, first=first, last=last, again=True)
            async with space.journal.write() as batch:      # erased meanwhile
                batch.add("try.over", {"keys": [f"{one.job}:{one.key}"]})
    return None


async def _window(space: MemorySpace, names: Names, turns: Sequence[Turn], *, whole: bool = False) -> Window:
    """What the user said in their own voice in these turns, up to as much as one question holds."""
    shown = Recalled(space.shown)
    earlier = await space.turns.between(max(turns[0].row - 12, 1), turns[0].row - 1) if turns else []
    said: list[tuple[Turn, str]] = []
    spent, last = 0, turns[-1].row if turns else 0
    for turn in turns:
        text = _own_words(space, names, turn, shown, earlier)
        earlier = [*earlier, turn][-12:]
        if not text:
            continue
        spent += tokens.count(text)
        if said and (spent > _WINDOW_TOKENS or len(said) == _MOST_MESSAGES) and not whole:
            last = turn.row - 1
            break
        said.append((turn, text))
    first = turns[0].row if turns else 0
    return Window(turns=tuple(turn for turn, _ in said), heard=tuple(text for _, text in said), first=first, last=last)


def _own_words(space: MemorySpace, names: Names, turn: Turn, shown: Recalled, earlier: Sequence[Turn]) -> str:
    """What a turn may teach; "" for nothing. What rules take for a scene or for instructions is not shown at all."""
    if turn.kind != HUMAN or (turn.speaker is not None and not names.is_master(turn.speaker)):
        return ""
    _, drops = extract(turn, names, space.clock, recalled=space.shown, earlier=earlier)
    if any(drop.reason in _NOT_FACTS for drop in drops):
        return ""
    lines, _ = own_lines(turn.text, shown)
    return one_line(redact(" ".join(lines)).text, _MESSAGE_CHARS)


def _both_sides(space: MemorySpace, names: Names, turns: Sequence[Turn], start: int) -> Window:
    """Turns between the first and the last message of the user: nothing the character said alone."""
    last = turns[-1].row if turns else space.views.cursors.row(CURSOR)
    shown = Recalled(space.shown)
    said: list[tuple[Turn, str]] = []
    for turn in turns:
        if turn.kind == AI:
            said.append((turn, one_line(redact(without_stamp(turn.text)).text, _MESSAGE_CHARS)))
        elif text := _own_words(space, names, turn, shown, [one for one, _ in said[-12:]]):
            said.append((turn, text))
    human = [at for at, (turn, _) in enumerate(said) if turn.kind == HUMAN]
    said = said[human[0] : human[-1] + 1] if human else []
    while said and sum(tokens.count(text) for _, text in said) > _WINDOW_TOKENS:
        said = said[: len(said) // 2]
        last = said[-1][0].row if said else last
    return Window(
        turns=tuple(turn for turn, _ in said), heard=tuple(text for _, text in said), first=start + 1, last=last
    )


def cursor_of(space: MemorySpace) -> int:
    """The last row that a model has dealt with; where none ever was, a little before the present end."""
    value = space.views.cursors.value.get(CURSOR)
    return value if isinstance(value, int) else max(0, space.turns.last_row - _LOOK_BACK)


def is_first_look(space: MemorySpace) -> bool:
    """Whether a model never read anything of it."""
    return CURSOR not in space.views.cursors.value


def _rows_of(about: Sequence[str]) -> tuple[int, int]:
    first, _, last = (about[0] if about else "").removeprefix("rows ").partition("-")
    return (int(first), int(last)) if first.isdecimal() and last.isdecimal() else (0, 0)


def _is_dead(space: MemorySpace, job: str, ids: Sequence[str]) -> bool:
    found = space.views.tries.get(f"{job}:{key_of(ids)}")
    return found is not None and found.is_dead


def _forget_parts(space: MemorySpace, batch: Batch, window: Window) -> None:
    """Failures over a part of a window that grew since are no windows of their own."""
    own = key_of((f"rows {window.first}-{window.last}",))
    parts = []
    for one in space.views.tries.of(EXTRACT.name):
        first, last = _rows_of(one.about)
        if one.key != own and window.first <= first and last <= window.last:
            parts.append(space.views.tries.key_of(one))
    if parts:
        batch.add("try.over", {"keys": parts})


async def _move(space: MemorySpace, window: Window) -> None:
    async with space.journal.write() as batch:
        _forget_parts(space, batch, window)
        if cursor_of(space) < window.last:
            batch.add("cursor.moved", {"name": CURSOR, "to": window.last})


async def _move_disclosed(space: MemorySpace, row: int) -> None:
    async with space.journal.write() as batch:
        batch.add("cursor.moved", {"name": DISCLOSED, "to": max(row, space.views.cursors.row(DISCLOSED))})
        batch.add("cursor.moved", {"name": PASSES, "to": 0})


# asking


def _people(names: Names, locale: str) -> dict[str, str]:
    return {"master": names.master_in(language_of(locale)), "neko": names.neko}


def _lines(window: Window, names: Names) -> list[str]:
    speakers = {HUMAN: neutral(names.master), AI: neutral(names.neko)}
    pairs = zip(window.turns, window.heard, strict=True)
    return [f"[{at}] {speakers.get(turn.kind, turn.kind)} | {text}" for at, (turn, text) in enumerate(pairs, start=1)]


def _locale(space: MemorySpace, window: Window) -> str:
    return detect(" ".join(text[:200] for text in window.heard[-20:])) or space.views.recent_meta.language or "en"


def _reader(window: Window, names: Names, source: str | None) -> Callable[[Any], list[Item]]:
    """Reads an answer. Without a default ``source`` everything is the user's own, and what is no list is empty.

    An answer nothing of which was said is of no use: the model made it up, or obeyed somebody else.
    """

    def read(value: Any) -> list[Item]:
        try:
            rows = as_list(value, "facts")
        except Unfit:
            if source is not None:
                raise
            return []
        items = [item for row in rows[:_MOST] if (item := _item(row, len(window.turns), source)) is not None]
        if items and all(grounded(item.text, window.heard, names) < _SAID for item in items):
            raise Unfit("nobody said any of it")
        return items

    return read


def _item(row: dict[str, Any], count: int, source: str | None) -> Item | None:
    text = as_text(row.get("text"), _LONGEST)
    if not text:
        return None
    importance, entity = row.get("importance"), row.get("entity")
    exact = importance if isinstance(importance, int) and not isinstance(importance, bool) else 5
    told = row.get("source") if row.get("source") in (USER_OBSERVATION, AI_DISCLOSURE) else source
    return Item(
        text=text,
        importance=min(max(exact, 1), 10),
        entity=entity if entity in ENTITIES else MASTER,
        source=USER_OBSERVATION if source is None else str(told),
        message=place(row.get("message"), count),
        event_when=row.get("event_when"),
    )


# taking what was said


async def _take(space: MemorySpace, names: Names, window: Window, answer: Answer[list[Item]], cursor: str) -> int:
    found = (_draft(space, names, window, item, answer.method) for item in answer.value)
    drafts = [draft for draft in found if draft is not None]
    async with space.journal.write() as batch:
        here = {turn.id for turn in window.turns}
        fresh = [one for one in drafts if not was_erased(space, names, *one) and not _is_known(space, here, one[1])]
        added = keep(space, batch, fresh)
        if cursor == CURSOR and cursor_of(space) < window.last:
            batch.add("cursor.moved", {"name": CURSOR, "to": window.last})
            batch.add("cursor.moved", {"name": PASSES, "to": space.views.cursors.row(PASSES) + 1})
        elif cursor == DISCLOSED:
            batch.add("cursor.moved", {"name": DISCLOSED, "to": window.last})
            batch.add("cursor.moved", {"name": PASSES, "to": 0})
        if cursor == CURSOR:
            _forget_parts(space, batch, window)
        worked(space, batch, answer)
    log.info("%s: %d of %d statements of a model were new", space.name, added, len(answer.value))
    return added


def _draft(space: MemorySpace, names: Names, window: Window, item: Item, method: str) -> tuple[Turn, Draft] | None:
    """What an item is worth: nothing where it was not said, or was said otherwise as far as rules can tell."""
    kind = HUMAN if item.source == USER_OBSERVATION else AI
    said = [(turn, text) for turn, text in zip(window.turns, window.heard, strict=True) if turn.kind == kind]
    if not said:
        return None
    named = window.turns[item.message] if item.message is not None else None
    share, turn = max(
        ((grounded(item.text, [text], names) + 0.1 * (one is named), one) for one, text in said),
        key=lambda pair: pair[0],
    )
    if max(share, grounded(item.text, [text for _, text in said], names)) < _SAID:
        log.info("%s: a statement of a model is dropped: nobody said it", space.name)
        return None
    if item.text in Recalled(space.shown):
        return None
    heard, drops = extract(turn, names, space.clock, recalled=space.shown)
    if not heard and len(sentences_of(turn.text)) < 2 and any(drop.reason in _NOT_STATED for drop in drops):
        return None     # a question, a guess, somebody else's words
    if any(alike(item.text, draft.text) >= _SAME for draft in heard):
        return None     # the rules heard it themselves, or the opposite of it
    when = resolve_raw(item.event_when, turn.at)
    draft = Draft(
        text=item.text,
        language=language_of(detect(item.text)),
        entity=item.entity,
        importance=item.importance,
        confidence=_SURE,
        event_when_raw=when.raw if when is not None else None,
        event_start_at=when.start if when is not None else None,
        event_end_at=when.end if when is not None else None,
        method=method,
        source=item.source,
    )
    return turn, draft


def _is_known(space: MemorySpace, turns: set[str], draft: Draft) -> bool:
    """Whether a fact says it already: one drawn from these very turns, or nearly word for word."""
    same = space.facts.same_text(text_hash(draft.text))
    if same is not None and turns & set(same.sources):
        return True
    return any(_says(fact, draft, turns) for fact in space.facts if fact.entity == draft.entity)


def _says(fact: Fact, draft: Draft, turns: set[str]) -> bool:
    if fact.superseded_by is not None or fact.memory is not None or fact.text == draft.text:
        return False
    return alike(fact.text, draft.text) >= (_SAME if turns & set(fact.sources) else _REPEATS)
