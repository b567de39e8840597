"""Reading one journal file: which lines are ours, which are foreign, where it is torn or damaged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

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
    torn: bool = False                # something uncommitted stands after ``committed_end``
    keep_after: list[bytes] = field(default_factory=list)  # foreign lines after ``committed_end``


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
        return Line(number, start, end, decode(value), readable=True)
    except (KeyError, TypeError, ValueError):
        return Line(number, start, end, None, readable=False)


def examine(data: bytes, *, after: int) -> Reading:
    """Read a segment that should continue after seq ``after``.

    Our seqs have no gaps, so damage is told exactly: an unreadable line between two of ours is
    somebody else's unless a seq is missing there.
    """
    found = Reading()
    expected = after + 1
    tail: list[Line] = []             # since the last commit
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
        tail.append(line)
        if event.commit:
            for past in tail:
                found.foreign += past.event is None and past.readable
                found.unreadable += not past.readable
            found.last_seq, found.last_id = event.seq, event.id
            found.committed_end = line.end
            tail.clear()
    for line in tail:
        if line.readable and line.event is None:
            found.foreign += 1
            found.keep_after.append(data[line.start : line.end])
        else:
            found.torn = True
    if not found.torn and len(data) > found.committed_end and not tail:
        found.torn = bool(data[found.committed_end :].strip())
    return found
