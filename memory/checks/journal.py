"""Reading the journal of a space that nobody opens: its seqs, its damage, and what it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.checks.finding import Finding, Level, Repair, name_of
from memory.store import layout
from memory.store.events import Event
from memory.store.files import read
from memory.store.segment import Line, lines


@dataclass(slots=True)
class Told:
    """What the committed events of a journal say, as far as its seqs have no gap."""

    seq: int = 0                                                     # last committed
    turns: dict[int, dict[str, Any]] = field(default_factory=dict)   # by row, those that were not erased
    last_row: int = 0                                                # the highest that was ever given
    owed: dict[str, str] = field(default_factory=dict)               # id → kind, of what is not done
    done: set[str] = field(default_factory=set)
    damaged: tuple[Path, int] | None = None                          # file, and the offset behind its last commit
    beyond: int = 0                                                  # highest seq that stands behind the damage
    foreign: int = 0
    unreadable: int = 0


class JournalReader:
    """Reads the segments in order and hands every event on."""

    def __init__(self, directory: Path, fold: Callable[[Event], None]) -> None:
        self.told = Told()
        self._directory = directory
        self._fold_views = fold

    def run(self) -> Iterator[Finding]:
        """Read everything; yields what is wrong."""
        for first, path in layout.segments(self._directory):
            if self.told.damaged is None and first != self.told.seq + 1:
                self.told.damaged = path, 0
                yield self._missing(path, 1)
            yield from self._read(path, active=False)
        yield from self._read(self._directory / layout.EVENTS, active=True)
        if self.told.foreign:
            yield self._found(
                "foreign", Level.NOTE,
                f"The journal has {self.told.foreign} lines of another program; they are kept.",
            )  # fmt: skip
        if self.told.unreadable and self.told.damaged is None:
            yield self._found(
                "unreadable_lines", Level.NOTE, f"{self.told.unreadable} lines of the journal belong to nobody."
            )

    def _read(self, path: Path, *, active: bool) -> Iterator[Finding]:
        data = read(path) or b""
        pending: list[Event] = []
        end = 0
        last: Line | None = None
        for line in lines(data):
            last = line
            if line.event is None:
                self.told.foreign += line.readable
                self.told.unreadable += not line.readable
                continue
            if self.told.damaged is not None:
                self.told.beyond = max(self.told.beyond, line.event.seq)
            elif line.event.seq != self.told.seq + len(pending) + 1:
                self.told.damaged = path, end
                self.told.beyond = line.event.seq
                yield self._missing(path, line.number)
            else:
                pending.append(line.event)
                if line.event.commit:
                    yield from self._take(pending, path, line)
                    pending, end = [], line.end
        if self.told.damaged is None and last is not None and (pending or not last.readable):
            yield self._unfinished(path, len(data) - end, end, last, active=active)

    def _unfinished(self, path: Path, size: int, end: int, last: Line, *, active: bool) -> Finding:
        if not active:
            self.told.damaged = path, end
            return self._missing(path, last.number)
        return self._found(
            "torn", Level.WARNING,
            f"{path.name} ends in {size} bytes that were never committed, as a crash leaves them; the next opening "
            "keeps them aside.",
            repair=Repair.OPEN,
        )  # fmt: skip

    def _missing(self, path: Path, line: int) -> Finding:
        return self._found(
            "damaged", Level.ERROR,
            f"{path.name} is damaged before line {line}: event {self.told.seq + 1} is missing, so nothing can be "
            "written here until it is repaired or restored from a backup.",
            path=path,
        )  # fmt: skip

    def _take(self, events: list[Event], path: Path, line: Line) -> Iterator[Finding]:
        for event in events:
            try:
                self._fold(event)
            except (AttributeError, LookupError, TypeError, ValueError):
                yield self._found(
                    "not_understood", Level.ERROR,
                    f"Event {event.seq} ({event.type}) at or before line {line.number} of {path.name} cannot be "
                    "understood; the space opens for reading only.",
                )  # fmt: skip
        self.told.seq = events[-1].seq

    def _fold(self, event: Event) -> None:
        told = self.told
        for op in event.owed:
            told.owed[op.id] = op.kind
        for op_id in event.done:
            told.owed.pop(op_id, None)
            told.done.add(op_id)
        if event.type in ("turns.added", "turns.adopted"):
            told.turns |= {turn["row"]: turn for turn in event.data["turns"]}
            told.last_row = max([told.last_row, *(turn["row"] for turn in event.data["turns"])])
        elif event.type == "turns.erased":
            for row in event.data["rows"]:
                told.turns.pop(row, None)
            told.last_row = max([told.last_row, *event.data["rows"]])
        self._fold_views(event)

    def _found(self, code: str, level: Level, sentence: str, **more: Any) -> Finding:
        return Finding(space=name_of(self._directory), code=code, level=level, sentence=sentence, **more)
