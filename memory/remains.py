"""What journal lines and files still say of something erased, and taking it out of the lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import orjson

from memory.errors import MemoryServiceError
from memory.history.turns_scrub import structure_of, texts_in
from memory.selection import WORDLESS
from memory.space import MemorySpace
from memory.store import layout
from memory.store.events import Event, Owed
from memory.store.files import read
from memory.store.scrub import Eraser
from memory.store.segment import lines
from memory.store.sweep import files_below

ERASED = "erased"        # the type of a journal line that lost what it said; ``was`` tells the one it had
# Of the companion's keys, those that say which transition it was. It still counts as one.
_TRANSITION = ("from", "to", "archive_shard_path")

# Events in which nobody's words stand.
_WORDLESS_STEMS = frozenset(
    {
        "cursor", "cursors", "keys", "forgotten", "synthesis", "synthesis_backoff", "space", "scope", "try", "tries",
        "account", "accounts", "write", "answered", "turns_withheld",
        "digest_job", "digest_runs", ERASED,
    }
)
# Vectors hold no text, but tell what a text was about: they are removed and made again.
VECTOR_FILES = (layout.MEMORIES_VECTORS, layout.PERSONA_VECTORS, layout.TURNS_VECTORS)
WORDLESS_FILES = WORDLESS | {layout.VIEWS, layout.EVENTS_APPLIED, *VECTOR_FILES}
_ROOT_FILES = frozenset({layout.ROOT_STAMP, layout.LOCK, layout.TOMBSTONES, layout.CATALOGUE, layout.MODEL_USAGE})


class StillThere(MemoryServiceError):
    """Something that was to be erased could not be taken out of a file."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} still holds what was to be erased; stop whatever else writes there and run the command again"
        )
        self.path = path


class Scrub:
    """Takes out of journal lines what an erasing leaves nowhere."""

    def __init__(self, eraser: Eraser, before: int) -> None:
        self.broken: set[int] = set()   # seqs of events that cannot be folded without what they lost
        self._eraser = eraser
        self._before = before           # last seq before the batch that pinned the window

    def own(self, event: Event) -> Event:
        """The event without what goes: its place stays, and its type where anything else of it does."""
        if event.seq > self._before or event.type.partition(".")[0] in _WORDLESS_STEMS:
            return event
        data, taken = self._eraser.takes(event.data)
        by_turn = "hash" in event.data and event.data.get("turn") in self._eraser.ids
        if event.seq in self.broken or taken or by_turn or event.type.startswith("recent."):
            payload = {key: event.payload[key] for key in _TRANSITION if key in event.payload}
            return replace(event, type=ERASED, data={"was": event.type}, payload=payload, owed=self._owed(event))
        payload, owed = self._eraser.clean(event.payload), self._owed(event)
        if data is event.data and payload is event.payload and owed is event.owed:
            return event
        return replace(event, data=data, payload=payload, owed=owed)

    def _owed(self, event: Event) -> tuple[Owed, ...]:
        cleaned = [(op, self._eraser.clean(op.payload)) for op in event.owed]
        if all(payload is op.payload for op, payload in cleaned):
            return event.owed
        return tuple(replace(op, payload=payload) for op, payload in cleaned)

    def foreign(self, line: bytes) -> bytes:
        """A line of another program."""
        return self._eraser.clean_line(line, ())

    def holds(self, event: Event) -> bool:
        """Whether an event still says something that goes."""
        if event.type.partition(".")[0] in _WORDLESS_STEMS:
            return False
        said = (event.data, event.payload, *(op.payload for op in event.owed))
        return any(self._eraser.finds(value) for value in said)


def in_message(eraser: Eraser) -> Callable[[str], bool]:
    """Whether a text of the database holds something; most of them are JSON."""

    def holds(text: str) -> bool:
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            return eraser.holds(text)
        return eraser.finds(value) if isinstance(value, (dict, list)) else eraser.holds(text)

    return holds


def verify(space: MemorySpace, eraser: Eraser) -> None:
    found = next(_left(space, eraser), None)
    if found is not None:
        raise StillThere(found)


def count_left(space: MemorySpace, eraser: Eraser) -> int:
    return sum(1 for _ in _left(space, eraser))


def _left(space: MemorySpace, eraser: Eraser) -> Iterator[Path]:
    """Files of the space that still hold one of the texts."""
    if eraser.empty:
        return
    scrub = Scrub(eraser, before=space.journal.seq)
    journal = {layout.EVENTS, *(path.name for _, path in layout.segments(space.directory))}
    for path in files_below(space.directory):
        own = path.parent == space.directory
        if own and path.name in WORDLESS_FILES:
            continue
        if own and path.name == layout.TURNS:
            held = _left_in_database(path, eraser)
        elif own and path.name.startswith(layout.TURNS + "-"):
            continue  # read together with the database
        elif own and path.name in journal:
            held = _left_in_journal(read(path) or b"", scrub)
        else:
            held = eraser.left_in(read(path) or b"")
        if held:
            yield path


def _left_in_journal(data: bytes, scrub: Scrub) -> bool:
    for line in lines(data):
        raw = data[line.start : line.end]
        if line.event is None:
            if scrub.foreign(raw) != raw:
                return True
        elif scrub.holds(line.event):
            return True
    return False


def _left_in_database(path: Path, eraser: Eraser) -> bool:
    holds = in_message(eraser)
    structure = structure_of(path).encode()
    telling = {form for form in eraser.forms if form not in structure}
    for text in texts_in(path):
        if holds(text):
            return True
        raw = text.encode("utf-8", "surrogatepass")
        telling = {form for form in telling if form not in raw}
    # Free pages and the log: what stands there and nowhere in the tables can only be text of somebody's.
    files = (path, *(path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-journal")))
    found = [data for one in files if (data := read(one))]
    return any(form in data for form in telling for data in found)


def elsewhere(root: Path, eraser: Eraser) -> tuple[str, ...]:
    """Files of the root beside the memories that hold one of the texts: another program's, or a person's."""
    beside = [path for path in sorted(root.iterdir()) if path.is_file() and path.name not in _ROOT_FILES]
    for directory in (root / layout.CONFIG, layout.observations_directory(root), layout.queries_directory(root)):
        if directory.is_dir():
            beside += files_below(directory)
    return tuple(str(path.relative_to(root)) for path in beside if eraser.in_bytes(read(path) or b""))
