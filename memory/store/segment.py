"""Reading one journal file: which lines are ours, which are foreign, where it is torn or damaged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import orjson

from memory.store.events import Event, decode

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a segment. ``event`` is None for a foreign or unreadable one."""

    number: int
    start: int
    end: int
    event: Event | None
    readable: bool
    ours: bool = False


@dataclass(slots=True)
class Reading:
    """What a whole segment holds."""

    first_seq: int = 0                # 0: no line of ours
    last_seq: int = 0                 # last committed
    last_id: str | None = None        # event_id of the last readable line, foreign ones included
    committed_end: int = 0            # offset behind the last committed line of ours
    foreign: int = 0
    unreadable: int = 0               # lines that belong to nobody; harmless, since no seq is missing
    damaged_line: int | None = None   # a seq of ours is missing before this line
    torn: bytes = b""                 # the uncommitted lines after ``committed_end``
    uncommitted: bool = False         # an event of ours is among them
    keep_after: list[bytes] = field(default_factory=list)  # lines of others after ``committed_end``


def lines(data: bytes) -> Iterator[Line]:
    """The lines of a segment with their byte ranges; blank ones are passed over."""
    start, number = 0, 0
    size = len(data)
    while start < size:
        end = data.find(b"\n", start)
        end = size if end < 0 else end + 1
        number += 1
        raw = data[start:end].strip(b"\r\n \t")
        if number == 1 and raw.startswith(_BOM):
            raw = raw[len(_BOM) :]
        if raw:
            yield _line(number, start, end, raw)
        start = end


def _line(number: int, start: int, end: int, raw: bytes) -> Line:
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return Line(number, start, end, None, readable=False)
    if not isinstance(value, dict):
        return Line(number, start, end, None, readable=False)
    if not isinstance(value.get("seq"), int):
        return Line(number, start, end, None, readable=True)
    try:
        return Line(number, start, end, decode(value), readable=True, ours=True)
    except (KeyError, TypeError, ValueError):
        return Line(number, start, end, None, readable=False)


def examine(data: bytes, *, after: int) -> Reading:
    """Read a segment that should continue after seq ``after``.

    Our seqs have no gaps, so damage is told exactly: an unreadable line between two of ours is
    somebody else's unless a seq is missing there.
    """
    found = Reading()
    expected = after + 1
    tail: list[Line] = []             # since the last commit; without the events, which may hold very much
    for line in lines(data):
        if line.event is None:
            tail.append(line)
            continue
        event = line.event
        if event.seq != expected:
            found.damaged_line = line.number
            break
        if not found.first_seq:
            found.first_seq = event.seq
        expected += 1
        tail.append(replace(line, event=None))
        if event.commit:
            for past in tail:
                found.foreign += past.readable and not past.ours
                found.unreadable += not past.readable
            found.last_seq, found.last_id = event.seq, event.id
            found.committed_end = line.end
            tail.clear()
    _read_tail(found, tail, data)
    return found


def _read_tail(found: Reading, tail: list[Line], data: bytes) -> None:
    """Tell what a crash of ours left after the last commit from what others appended.

    Half a line of ours is the end of the file, or follows events of ours. An unreadable line
    before readable ones of others is theirs.
    """
    found.uncommitted = any(line.ours for line in tail)
    last_readable = max((place for place, line in enumerate(tail) if line.readable), default=-1)
    for place, line in enumerate(tail):
        if line.ours or (not line.readable and (found.uncommitted or place > last_readable)):
            found.torn += data[line.start : line.end]
            continue
        found.foreign += line.readable
        found.unreadable += not line.readable
        found.keep_after.append(data[line.start : line.end])
