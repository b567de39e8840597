"""Keeping the garbage collector from stopping everything while a large file becomes objects.

A full collection looks at every object there is: with a hundred thousand facts that is a third of
a second in which nothing else runs. What a load made stays anyway, so it is taken out of the
collector's sight afterwards.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

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
