"""How much of what is claimed was really said: the guard against what a model made up or was talked into."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memory.people import Names
from memory.recall.words import fold, words

_HAN = re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff]")
_NUMBER = re.compile(r"\d+")
_NOBODY_NAMED = ("The user", "用户", "主人")


@lru_cache(maxsize=4096)
def units(text: str) -> frozenset[str]:
    """Words of a text, and of Chinese its telling characters: what another wording of the same would share."""
    found = words(text)
    return frozenset(char for token in found for char in (_HAN.findall(token) or [token]))


def numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(fold(text)))


class Heard:
    """What was said, to hold many claims against."""

    def __init__(self, texts: Iterable[str]) -> None:
        said = list(texts)
        self._known = frozenset[str]().union(*map(units, said))
        self._numbers = frozenset[str]().union(*map(numbers, said))

    def share(self, claim: str, names: Names) -> float:
        """The share of a claim's words, those of names aside, that were said; 0 when a number in it was not."""
        people = (names.master, names.neko, *names.master_aliases, *names.neko_aliases, *_NOBODY_NAMED)
        if not numbers(claim) <= self._numbers:
            return 0.0
        own = units(claim)
        own = own - frozenset[str]().union(*map(units, people)) or own
        return len(own & self._known) / len(own) if own else 0.0


def grounded(claim: str, heard: Iterable[str], names: Names) -> float:
    """The same for a single claim."""
    return Heard(heard).share(claim, names)


def alike(one: str, other: str) -> float:
    """What two texts have in common, 0..1; 0 when their numbers differ."""
    mine, theirs = units(one), units(other)
    if not mine or not theirs or numbers(one) != numbers(other):
        return 0.0
    return 2 * len(mine & theirs) / (len(mine) + len(theirs))
