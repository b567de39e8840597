"""How many examples each property was tried on, for the line that the tests end with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

P = ParamSpec("P")

EXAMPLES: Counter[str] = Counter()


def counted(name: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Count the runs of a test that hypothesis drives."""

    def wrapped(test: Any) -> Any:
        inner = test.hypothesis.inner_test

        @wraps(inner)
        def counting(*args: Any, **kwargs: Any) -> None:
            EXAMPLES[name] += 1
            inner(*args, **kwargs)

        test.hypothesis.inner_test = counting
        return test

    return wrapped


def line() -> str:
    return ", ".join(f"{name} {count}" for name, count in EXAMPLES.items())
