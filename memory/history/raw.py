"""The raw events of a space, ready to be listed and ranked: what people and characters said, and documents.

Built from the turns when somebody first asks, kept up afterwards; nothing of it is written down.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from memory.history.event_notes import API, STREAM, EventNote, EventNotes
from memory.history.telling import kind_of
from memory.history.turn import AI, HUMAN, Turn, without_stamp
from memory.history.turns_db import TurnsDb
from memory.history.withheld import WithheldTurns
from memory.recall.plain_tokens import pairs, payload
from memory.recall.postings import LONGEST, Postings
from memory.recall.stopwords import ENGLISH

_READ = 1_000       # turns read at once …
_SLICE = 200        # … and dealt with before others have their turn


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEvent:
    """One event as it now reads."""

    id: str                             # of its first turn
    turn: str                           # … of the turn that has its text
    row: int
    at: datetime                        # aware; its own time
    text: str
    is_reply: bool                      # said by the character or an assistant
    type: str = STREAM
    source: str = API
    key: str | None = None
    pinned: bool = False
    updated_at: datetime | None = None
    tells: str | None = None            # see telling
    first: int = 0                      # row of its first turn, by which it keeps its place; 0: ``row`` itself


class RawEvents:
    """Events by id, in the order of their own times."""

    def __init__(self, turns: TurnsDb, notes: EventNotes, withheld: WithheldTurns) -> None:
        self._turns = turns
        self._notes = notes
        self._withheld = withheld
        self._busy = asyncio.Lock()
        self.reset()

    def reset(self) -> None:
        """Everything is to be read anew."""
        self._events: dict[str, RawEvent] = {}
        self._numbers: dict[str, int] = {}              # event → its number in the postings
        self._ids: list[str] = []                       # number → event
        self._order: list[tuple[float, int, str]] = []  # (time, row, id)
        self._of_turn: dict[str, str] = {}
        self._telling: dict[str, dict[str, None]] = {}
        self._unread: dict[str, None] = {}              # events whose words nobody asked for yet
        self._untold: dict[str, None] = {}              # … and of which nobody asked what they tell
        self._postings = Postings()
        self._erased: set[str] = set()                  # turns that were erased since the last ones were read
        self._row = 0
        self._life = object()       # another one after each reset

    def __len__(self) -> int:
        return len(self._events)

    def get(self, event_id: str) -> RawEvent | None:
        return self._events.get(event_id)

    def of_turn(self, turn_id: str) -> RawEvent | None:
        """The event whose present text a turn is."""
        return self._events.get(self._of_turn.get(turn_id, ""))

    async def refresh(self, *, words: bool = True, telling: bool = False) -> None:
        """Take in what came since somebody last asked.

        Finding events by their words, or by what they tell, takes more than listing them: what is not
        wanted here is made up for when it is, then in one go.
        """
        # A caller that goes away must not leave it half done.
        await asyncio.shield(asyncio.ensure_future(self._refresh()))
        while words and self._unread:
            self._read_words(_SLICE)
            await asyncio.sleep(0)
        while telling and self._untold:
            self._read_telling(_SLICE)
            await asyncio.sleep(0)

    def _read_words(self, most: int) -> None:
        for event_id in _first(self._unread, most):
            self._numbers[event_id] = self._postings.add(index_tokens(self._events[event_id].text))
            self._ids.append(event_id)

    def _read_telling(self, most: int) -> None:
        for event_id in _first(self._untold, most):
            event = self._events[event_id]
            kind = kind_of(event.text)
            if kind is not None:
                self._events[event_id] = replace(event, tells=kind)
                self._telling.setdefault(kind, {})[event_id] = None

    async def _refresh(self) -> None:
        async with self._busy:
            touched, self._notes.touched = self._notes.touched, set()
            while self._row < self._turns.last_row:
                life, self._erased = self._life, set()
                turns = await self._turns.after(self._row, _READ)
                if life is not self._life:
                    continue        # everything is read anew meanwhile
                for number, turn in enumerate(turns, 1):
                    self._take(turn)
                    if number % _SLICE == 0:
                        await asyncio.sleep(0)
                        if life is not self._life:
                            break
                if life is not self._life:
                    continue
                self._row = turns[-1].row if turns else self._turns.last_row
                if turns:
                    await asyncio.sleep(0)
            gone, self._withheld.touched = self._withheld.touched, set()
            for turn_id in gone:
                event_id = self._of_turn.get(turn_id)
                if event_id is not None and turn_id in self._withheld and self._events[event_id].turn == turn_id:
                    self._remove(event_id)
            for event_id in touched:
                self._note_anew(event_id)

    def forget(self, turn_ids: Iterable[str]) -> None:
        """Turns that were erased, also those that are just being read."""
        for turn_id in turn_ids:
            self._erased.add(turn_id)
            event_id = self._of_turn.get(turn_id)
            if event_id is not None:
                self._remove(event_id)

    # reading

    def newest(self, limit: int, before: tuple[float, int] | None = None) -> list[RawEvent]:
        """The latest events, latest first; with ``before`` those that come strictly before a :func:`place_of`."""
        end = len(self._order) if before is None else bisect_left(self._order, (*before, ""))
        return [self._events[one[2]] for one in reversed(self._order[max(end - limit, 0) : end])]

    @property
    def oldest_at(self) -> datetime | None:
        return self._events[self._order[0][2]].at if self._order else None

    def telling(self, kind: str) -> list[RawEvent]:
        """Events that tell of something, oldest first."""
        self._read_telling(len(self._untold))
        found = [self._events[one] for one in self._telling.get(kind, ())]
        return sorted(found, key=lambda event: (event.at, event.row))

    def saying(self, tokens: Collection[str], limit: int) -> list[RawEvent]:
        """The events with the most of the tokens."""
        self._read_words(len(self._unread))
        return [self._events[self._ids[number]] for number in self._postings.best(tokens, limit)]

    def count(self, token: str) -> int:
        """How many events have a token."""
        self._read_words(len(self._unread))
        return self._postings.count(token)

    def having(self, tokens: Sequence[str], events: Sequence[RawEvent]) -> list[list[str]]:
        """For each event, which of the tokens it has."""
        self._read_words(len(self._unread))
        return self._postings.having(tokens, [self._numbers[event.id] for event in events])

    def __iter__(self) -> Iterator[RawEvent]:
        return iter(list(self._events.values()))

    # changing

    def _take(self, turn: Turn) -> None:
        if turn.kind not in (HUMAN, AI) or turn.id in self._erased:
            return
        note = self._notes.of_turn(turn.id)
        if note is not None and note.current != turn.id:
            return
        text = turn.text if note is not None else without_stamp(turn.text)
        self._put(_event(turn, text, note, self._first_row(turn, note)))

    def _first_row(self, turn: Turn, note: EventNote | None) -> int:
        """Where an event stood when it came, whichever of its texts is read now."""
        if note is None or note.turns[0] == turn.id:
            return turn.row
        known, earlier = self._events.get(note.id), self._withheld.get(note.turns[0])
        if known is not None:
            return place_of(known)[1]
        return earlier.row if earlier is not None else turn.row

    def _put(self, event: RawEvent) -> None:
        if event.id in self._events:
            self._remove(event.id)
        self._events[event.id] = event
        self._of_turn[event.turn] = event.id
        self._unread[event.id] = None
        if not event.is_reply:
            self._untold[event.id] = None
        place = _place(event)
        if self._order and place < self._order[-1]:
            insort(self._order, place)
        else:
            self._order.append(place)

    def _remove(self, event_id: str) -> None:
        event = self._events.pop(event_id)
        self._of_turn.pop(event.turn, None)
        number = self._numbers.pop(event_id, None)
        if number is not None:
            self._postings.drop(number)
        self._unread.pop(event_id, None)
        self._untold.pop(event_id, None)
        place = _place(event)
        at = bisect_left(self._order, place)
        if at < len(self._order) and self._order[at] == place:
            del self._order[at]
        if event.tells is not None:
            self._telling[event.tells].pop(event_id, None)

    def _note_anew(self, event_id: str) -> None:
        """What is noted beside an event changed, and perhaps not its text."""
        event, note = self._events.get(event_id), self._notes.get(event_id)
        if event is None or note is None or note.current != event.turn:
            return
        self._events[event_id] = _told(event, note)


def _told(event: RawEvent, note: EventNote) -> RawEvent:
    return RawEvent(
        id=event.id,
        turn=event.turn,
        row=event.row,
        at=event.at,
        text=event.text,
        is_reply=event.is_reply,
        type=note.type,
        source=note.source,
        key=note.key,
        pinned=note.pinned,
        updated_at=note.updated_at,
        tells=event.tells,
        first=event.first,
    )


def _event(turn: Turn, text: str, note: EventNote | None, first: int) -> RawEvent:
    is_reply = turn.kind == AI
    event = RawEvent(
        id=note.id if note is not None else turn.id,
        turn=turn.id,
        row=turn.row,
        at=note.created_at if note is not None else turn.at,
        text=text,
        is_reply=is_reply,
        first=first,
    )
    return _told(event, note) if note is not None else event


def _first(ids: dict[str, None], most: int) -> Iterator[str]:
    """Up to ``most`` of the ids, each taken away."""
    for event_id in list(islice(ids, most)):
        del ids[event_id]
        yield event_id


def place_of(event: RawEvent) -> tuple[float, int]:
    """By what events are ordered: their own time, then the order in which they came."""
    return event.at.timestamp(), event.first or event.row


def _place(event: RawEvent) -> tuple[float, int, str]:
    return (*place_of(event), event.id)


def search_tokens(text: str) -> list[str]:
    """What a text is found by: ASCII words longer than two letters that say something, and pairs of CJK characters."""
    words = sorted(word for word in payload(text) if len(word) > 2 and word not in ENGLISH)
    return words if text.isascii() else [*words, *sorted(pairs(text))]


def index_tokens(text: str) -> list[str]:
    """The same, bounded; a long text in two scripts keeps something of both."""
    return _bounded(search_tokens(text), LONGEST)


def _bounded(tokens: list[str], limit: int) -> list[str]:
    if len(tokens) <= limit:
        return tokens
    words = [token for token in tokens if token.isascii()]
    others = [token for token in tokens if not token.isascii()]
    kept = min(len(words), max(limit // 2, limit - len(others)))
    return [*words[:kept], *others[: limit - kept]]
