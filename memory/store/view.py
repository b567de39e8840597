"""A view: what a file says, computed by folding events."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import islice
from typing import Any

import orjson

from memory.clock import Clock
from memory.store.events import Event
from memory.store.inline import Fields, Inline, nothing

_LARGE = 256 * 1024
_LINES = 500
_BLANKS = re.compile(r"[ \t\n\r]*")
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)

Change = tuple[str, Mapping[str, Any]]  # an event's type and data, not yet written


class Unreadable(ValueError):
    """A view file does not hold what it should."""


class View(ABC):
    """Folds events; knows how far it has come."""

    seq: int = 0

    @abstractmethod
    def fold(self, event: Event) -> None:
        """Take in one event. Types of other views are passed over; folding twice changes nothing."""


class FileView(View):
    """A view with a file of its own that other programs may read and edit."""

    file: str
    prompt: bool = False          # follows a write within milliseconds, since others read it
    dirty: int = 0                # entries changed since the last save
    inline: Inline | None = None  # what of a cache stands in the rows of the file

    @abstractmethod
    def reset(self) -> None:
        """Forget everything; ``seq`` becomes 0."""

    def leave(self) -> Iterator[None]:
        """``reset`` with a pause to be taken at each yield, for what may be large."""
        self.reset()
        yield None

    @abstractmethod
    def read(self, data: bytes, clock: Clock) -> None:
        """Take over a file's content. Raises Unreadable; the view is then as after ``reset``."""

    @abstractmethod
    def render(self) -> Callable[[], Iterable[bytes]]:
        """Capture the present state and return what makes the file's bytes from it, on any thread."""

    def render_file(self) -> Callable[[], Iterable[bytes]]:
        """The same with the cache that stands in the rows."""
        return self.render()

    def inline_fields(self) -> Fields:
        """The cache's fields by key and text of an entry, for any thread."""
        return nothing if self.inline is None else self.inline.fields(self.size)

    @abstractmethod
    def adoption(self) -> list[Change]:
        """The present state as events of whole values; the first one resets."""

    @abstractmethod
    def edits(self, base: FileView, edited: FileView, clock: Clock) -> list[Change]:
        """What somebody changed in the file: ``edited`` against the ``base`` it started from.

        Decided under the write lock against the present state, which may be later than ``base``.
        """

    @property
    def empty(self) -> bool:
        """Whether there is nothing that would need a file."""
        return False

    @property
    def size(self) -> int:
        """How many entries the file has, to tell a tenth of it."""
        return 0


def list_of_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """A JSON list, one entry per line, in chunks that are made one after the other."""
    remaining, before = iter(lines), b"[\n"
    while some := list(islice(remaining, _LINES)):
        yield before + b",\n".join(some)
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def parse_list(data: bytes) -> list[Any]:
    """A JSON list from a file. Raises Unreadable for anything else.

    A large file is read entry by entry, so that other threads are not kept waiting.
    """
    if len(data) > _LARGE:
        try:
            if data.startswith(b"[\n"):
                return [
                    orjson.loads(line.rstrip().removesuffix(b","))
                    for line in BytesIO(data)
                    if line not in (b"[\n", b"]\n")
                ]
        except orjson.JSONDecodeError:
            pass  # written by somebody else in another form
        try:
            return list(_entries(data.decode("utf-8-sig")))
        except (ValueError, RecursionError):
            pass  # not a list either: told below
    value = parse(data)
    if not isinstance(value, list):
        raise Unreadable("not a list")
    return value


def _entries(text: str) -> Iterator[Any]:
    """The entries of a list in whatever form, one after the other. Raises ValueError."""
    mend = _mended if _HALF_PAIR.search(text) else _as_it_is
    mark, at = _mark(text, 0)
    if mark != "[":
        raise ValueError("not a list")
    mark, after = _mark(text, at)
    while mark != "]":
        entry, at = _DECODER.raw_decode(text, _mark(text, at)[1] - 1)
        yield mend(entry)
        mark, at = _mark(text, at)
        if mark not in (",", "]"):
            raise ValueError("not a list")
        after = at
    if _mark(text, after)[0]:
        raise ValueError("more than a list")


def _mark(text: str, at: int) -> tuple[str, int]:
    """The first character from a place on that is not blank, and the place after it."""
    match = _BLANKS.match(text, at)
    assert match is not None
    return text[match.end() : match.end() + 1], match.end() + 1


def parse_object(data: bytes) -> dict[str, Any]:
    """A JSON object from a file. Raises Unreadable for anything else."""
    value = parse(data)
    if not isinstance(value, dict):
        raise Unreadable("not an object")
    return value


def parse(data: bytes) -> Any:
    """JSON from a file, with or without a byte order mark. Raises Unreadable.

    What other programs write though JSON forbids it (NaN, half of a surrogate pair) is read with
    null and U+FFFD in its place, rather than giving up a whole file for it.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return _mended(json.loads(data.decode(), parse_constant=lambda _: None))
    except (ValueError, RecursionError) as error:
        raise Unreadable("not JSON") from error


def _as_it_is(value: Any) -> Any:
    return value


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_mended(one) for one in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(one) for key, one in value.items()}
    return value


def in_chunks(entries: Sequence[Any], type_: str, field: str, size: int = 200) -> list[Change]:
    """Whole values as several events of bounded size; the first one resets."""
    return [
        (type_, {"reset": start == 0, field: list(entries[start : start + size])})
        for start in range(0, max(len(entries), 1), size)
    ]
