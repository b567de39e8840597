"""What stands in the rows of a view's file beside what the view folds: a cache, never memory.

It is no part of an entry, so that neither events nor edits know of it, and a file that is made again from the
journal merely lacks it until it is filled again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

# (key of an entry, its text) → further fields of its row
Fields = Callable[[str, str], Mapping[str, Any]]


class Inline(Protocol):
    """The cache of one view's file."""

    def begin(self) -> None:
        """The file is read from its beginning: what was taken before no longer stands there."""
        ...

    def take(self, key: str, row: Mapping[str, Any]) -> None:
        """A row was read. May be called on any thread, one at a time."""
        ...

    def fields(self, entries: int) -> Fields:
        """Capture the present state for writing a file of that many entries, on any thread."""
        ...


def nothing(key: str, text: str) -> Mapping[str, Any]:
    """The fields where there is no cache."""
    return {}
