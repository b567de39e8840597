"""Learning facts from what was said, by a model: what rules cannot read. Rules go first, and what they heard stands.

Two passes. The first shows the user's messages alone, the second, less often, both sides with what is known already;
what only the character said of itself never speaks for or against anything that is held. Where rules are certain that
there is nothing to find, no model is asked.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from memory.facts.fact import AI_DISCLOSURE, USER_OBSERVATION, Fact, text_hash
from memory.facts.learn import keep, was_erased
from memory.facts.observe_prompts import BOTH_SIDES, USER_ONLY
from memory.facts.rules.clean import Recalled
from memory.facts.rules.draft import Draft
from memory.facts.vouch import Item, teaches, vouched
from memory.facts.windows import (
    CURSOR,
    DISCLOSED,
    LOOK_BACK,
    PASSES,
    Window,
    both_sides,
    cursor_of,
    locale_of,
    move,
    rows_of,
    window_of,
)
from memory.models.chat import Chat
from memory.models.jobs import DISCLOSE, EXTRACT
from memory.models.prompt import ask, language_of, one_line
from memory.people import Names
from memory.recall.grounded import Heard, alike
from memory.space import MemorySpace
from memory.thinking import Answer, Unfit, as_list, as_text, is_due, place, think, worked
from memory.tries import key_of

log = logging.getLogger(__name__)

ENOUGH = 10                             # messages of the user that are worth a call
WAITS = timedelta(minutes=5)            # … and how long fewer of them wait
_ROWS = 200                             # turns of one window
_EVERY = 3                              # first passes to one second pass
_MOST, _LONGEST = 20, 400               # items of an answer; characters of one
_KNOWN = 30                             # facts shown as known
_SAID = 0.5                             # share of its words that must have been said
_SAME, _REPEATS = 0.6, 0.85             # as a fact from these very turns says it; as any other does


async def observe(space: MemorySpace, names: Names, chat: Chat, *, eager: bool = False) -> int:
    """Read the next window of the user's messages, if it is time. Returns how many facts were added.

    With ``eager`` a single message is enough.

    Facts and cursor move in one commit. A window that fails stays; after the last failure it is set aside, tried
    again every few hours, and the cursor goes on: nothing is lost and nothing waits behind it.
    """
    if not chat.usable(EXTRACT.tier, space.name):
        return 0
    window = await _set_aside(space, names, chat) or await _next_window(space, names, eager=eager)
    if window is None:
        return 0
    if not teaches(window):
        await _pass_over(space, window)
        return 0
    if not is_due(space, chat, EXTRACT, window.ids):
        return 0
    locale = locale_of(space, window)
    messages = ask(USER_ONLY, locale, _people(names, locale), conversation=window.lines(names))
    answer = await think(space, chat, EXTRACT, window.ids, messages, _reader(window, names, None))
    if answer is not None:
        return await _take(space, names, window, answer, CURSOR)
    if not window.again and _is_dead(space, EXTRACT.name, window):
        await _pass_over(space, window)
    return 0


async def observe_both(space: MemorySpace, names: Names, chat: Chat) -> int:
    """Every third time, read what both sides said in those turns. Returns how many facts were added."""
    cursors = space.views.cursors
    if cursors.row(PASSES) < _EVERY:
        return 0
    start = cursors.row(DISCLOSED) or max(0, cursors.row(CURSOR) - LOOK_BACK)
    turns = [turn for turn in await space.turns.between(start + 1, cursors.row(CURSOR)) if turn.text.strip()]
    window = both_sides(space, names, turns[:_ROWS], start)
    if not teaches(window):
        await _move_disclosed(space, window.last)
        return 0
    if not is_due(space, chat, DISCLOSE, window.ids):
        return 0
    locale = locale_of(space, window)
    since = window.said[0].turn.at
    known = sorted(
        (fact for fact in space.facts if fact.created_at >= since and fact.superseded_by is None),
        key=lambda fact: (-fact.importance, fact.id),
    )[:_KNOWN]
    messages = ask(
        BOTH_SIDES, locale, _people(names, locale),
        conversation=window.lines(names), known=[one_line(fact.text, _LONGEST) for fact in known],
    )  # fmt: skip
    answer = await think(space, chat, DISCLOSE, window.ids, messages, _reader(window, names, AI_DISCLOSURE))
    if answer is not None:
        return await _take(space, names, window, answer, DISCLOSED)
    if _is_dead(space, DISCLOSE.name, window):
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
    window = await window_of(space, names, turns)
    waits = space.clock.now() - window.said[0].turn.at if window.said else timedelta()
    if window.said and len(window.said) < ENOUGH and waits < WAITS and not eager:
        return None
    return window


async def _set_aside(space: MemorySpace, names: Names, chat: Chat) -> Window | None:
    """A window that was given up before and may be tried again."""
    for one in space.views.tries.of(EXTRACT.name):
        first, last = rows_of(one.about)
        if last and last <= cursor_of(space) and is_due(space, chat, EXTRACT, one.about):
            turns = [turn for turn in await space.turns.between(first, last) if turn.row <= last]
            window = await window_of(space, names, turns, whole=True, again=True)
            if teaches(window):
                return Window(said=window.said, first=first, last=last, again=True)
            async with space.journal.write() as batch:      # erased meanwhile, or read by rules
                batch.add("try.over", {"keys": [f"{one.job}:{one.key}"]})
    return None


def _is_dead(space: MemorySpace, job: str, window: Window) -> bool:
    found = space.views.tries.get(f"{job}:{key_of(window.ids)}")
    return found is not None and found.is_dead


async def _pass_over(space: MemorySpace, window: Window) -> None:
    async with space.journal.write() as batch:
        move(space, batch, window, counted=bool(window.said) and not _is_dead(space, EXTRACT.name, window))


async def _move_disclosed(space: MemorySpace, row: int) -> None:
    async with space.journal.write() as batch:
        batch.add("cursor.moved", {"name": DISCLOSED, "to": max(row, space.views.cursors.row(DISCLOSED))})
        batch.add("cursor.moved", {"name": PASSES, "to": 0})


# asking


def _people(names: Names, locale: str) -> dict[str, str]:
    return {"master": names.master_in(language_of(locale)), "neko": names.neko}


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
        items = [item for row in rows[:_MOST] if (item := _item(row, len(window.said), source)) is not None]
        heard = Heard(one.text for one in window.said)
        if items and all(heard.share(item.text, names) < _SAID for item in items):
            raise Unfit("nobody said any of it")
        return items

    return read


def _item(row: dict[str, Any], count: int, source: str | None) -> Item | None:
    text = as_text(row.get("text"), _LONGEST)
    if not text:
        return None
    importance = row.get("importance")
    exact = importance if isinstance(importance, int) and not isinstance(importance, bool) else 5
    told = row.get("source") if row.get("source") in (USER_OBSERVATION, AI_DISCLOSURE) else source
    return Item(
        text=text,
        importance=min(max(exact, 1), 10),
        source=USER_OBSERVATION if source is None else str(told),
        message=place(row.get("message"), count),
        event_when=row.get("event_when"),
    )


# taking what was said


async def _take(space: MemorySpace, names: Names, window: Window, answer: Answer[list[Item]], cursor: str) -> int:
    found = vouched(answer.value, window, names, answer.method, Recalled(space.shown))
    async with space.journal.write() as batch:
        here = {one.turn.id for one in window.said}
        fresh = [
            one for one in found.drafts if not was_erased(space, names, *one) and not _is_known(space, here, one[1])
        ]
        added = keep(space, batch, fresh)
        if cursor == CURSOR:
            move(space, batch, window, counted=True)
        else:
            batch.add("cursor.moved", {"name": DISCLOSED, "to": window.last})
            batch.add("cursor.moved", {"name": PASSES, "to": 0})
        worked(space, batch, answer)
    log.info(
        "%s: %d of %d statements of a model were new; refused %s", space.name, added, len(answer.value), found.refused
    )
    return added


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
