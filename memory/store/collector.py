"""Keeping the making and dropping of very many objects from stopping everything else.

A full collection looks at every object there is: with a hundred thousand facts that is a third of
a second in which nothing else runs. What a load made stays anyway, so it is taken out of the
collector's sight afterwards.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

_MANY = 10_000      # entries that take milliseconds to fall apart

_loads = 0


@contextmanager
def resting() -> Iterator[None]:
    """No collections inside the block; what it made is frozen at its end."""
    global _loads
    _loads += 1
    gc.disable()
    try:
        yield
    finally:
        _loads -= 1
        if not _loads:
            gc.freeze()
            gc.enable()


def each_once(entries: list[T]) -> Iterator[T]:
    """The entries of a list, which keeps none of them: a long one would take long to fall apart as a whole."""
    entries.reverse()
    while entries:
        yield entries.pop()


def let_go(*contents: dict[Any, Any] | list[Any] | set[Any]) -> None:
    """Drop what nobody else holds: at once, or of very much one entry after the other, beside everything else."""
    if sum(map(len, contents)) > _MANY:
        threading.Thread(target=_empty, args=(list(contents),), name="let go", daemon=True).start()


def _empty(contents: list[dict[Any, Any] | list[Any] | set[Any]]) -> None:
    for one in contents:
        take = one.popitem if isinstance(one, dict) else one.pop
        while one:
            take()
