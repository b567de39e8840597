"""A small JSON file that another program writes, read again whenever it changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from enum import Enum, auto
from pathlib import Path
from typing import Any

import orjson

from memory.store.files import Disk, Print, look, read
from memory.store.view import Unreadable, parse_object

log = logging.getLogger(__name__)


class State(Enum):
    """What the last look at the file found."""

    MISSING = auto()
    READABLE = auto()
    UNREADABLE = auto()     # it is there and holds no JSON object
    UNREACHABLE = auto()    # the file system would not say


class Watched:
    """A JSON object in the first of several places that has the file. Looking at it costs one stat per place."""

    def __init__(self, *places: Path) -> None:
        self._places = places
        self._seen: tuple[Path, Print] | None = None
        self._state = State.MISSING
        self._value: Mapping[str, Any] | None = None

    def current(self) -> Mapping[str, Any] | None:
        """The content; what was last readable if the file is not so now; None if there is no file."""
        return self.look()[1]

    def look(self) -> tuple[State, Mapping[str, Any] | None]:
        """How the file is now, and :meth:`current`."""
        self._look_again()
        return self._state, self._value

    def amend(self, disk: Disk, change: Callable[[dict[str, Any]], Mapping[str, Any] | None]) -> bool:
        """Rewrite the file from what it holds; ``change`` answers None to leave it alone.

        Check and write are one step: nothing is written over a file that changed meanwhile, none
        is made, and an unreadable one stays. Blocks. Raises OSError.
        """
        found = self._find()
        if found is None:
            return False
        path, seen = found
        try:
            wanted = change(parse_object(read(path) or b""))
        except Unreadable:
            return False
        if wanted is None:
            return False
        data = orjson.dumps(wanted, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        return disk.replace(path, [data], "amend", unless_changed=seen) is not None

    def _look_again(self) -> None:
        try:
            seen = self._find()
            if self._state is not State.UNREACHABLE and seen == self._seen:
                return
            data = read(seen[0]) if seen is not None else None
        except OSError as error:
            if self._state is not State.UNREACHABLE:
                log.warning("%s cannot be reached (%s)", self._places[0].name, type(error).__name__)
            self._state = State.UNREACHABLE
            return
        self._seen = seen
        if data is None:
            self._state, self._value = State.MISSING, None
            return
        try:
            self._value = parse_object(data)
            self._state = State.READABLE
        except Unreadable:
            log.warning("%s is unreadable", self._places[0].name)
            self._state = State.UNREADABLE

    def _find(self) -> tuple[Path, Print] | None:
        for place in self._places:
            try:
                seen = look(place)
            except NotADirectoryError:
                continue
            if seen is not None:
                return place, seen
        return None
