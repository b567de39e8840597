"""What was erased and must not be learnt again: ``forgotten.json``.

Of an erased statement only salted hashes of its words stay, enough to know it when it comes back
in other words, and of everything erased its id, so that work begun before knows that it is gone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import orjson

from memory.clock import Clock
from memory.people import DEFAULT_MASTER, Names
from memory.recall.words import words
from memory.store import layout
from memory.store.events import Event
from memory.store.view import Change, FileView, parse_object

ALIKE = 0.8        # share of the words that two statements must have in common, seen from either side
_DIGITS = 16       # of a hash
# How a human without a configured name is spoken of; one may be configured later.
_NOBODY_NAMED = ("The user", "用户", DEFAULT_MASTER)


class Forgotten(FileView):
    """Tombstones of statements, and the ids of what is gone."""

    file = layout.FORGOTTEN

    def __init__(self, also: Callable[[str], bool] = lambda _text: False) -> None:
        self._also = also       # whether a statement was retired by forgetting and must not return either
        self.salt = ""
        self.ids: dict[str, None] = {}
        self._stones: dict[frozenset[str], None] = {}

    def __len__(self) -> int:
        return len(self._stones)

    def reset(self) -> None:
        self.salt, self.ids, self._stones, self.seq = "", {}, {}, 0

    @property
    def empty(self) -> bool:
        return not self._stones and not self.ids

    @property
    def size(self) -> int:
        return len(self._stones)

    def covers(self, text: str, names: Names) -> bool:
        """Whether a statement says what an erased or forgotten one said."""
        if self._also(text):
            return True
        if not self._stones:
            return False
        said = frozenset(_hashes(tokens_of(text, names), self.salt))
        return bool(said) and any(_alike(said, stone) for stone in self._stones)

    def stones_for(self, texts: Iterable[str], names: Names, salt: str) -> dict[str, Any]:
        """What ``forgotten.added`` says of statements that are erased; a salt once chosen stays."""
        salt = self.salt or salt
        stones = {tuple(sorted(_hashes(tokens_of(text, names), salt))): None for text in texts}
        return {"salt": salt, "stones": [list(stone) for stone in stones if stone]}

    # the file

    def fold(self, event: Event) -> None:
        match event.type:
            case "forgotten.added":
                self._take(event.data)
                self.dirty += 1
            case "forgotten.adopted":
                seq = self.seq
                self.reset()
                self.seq = seq
                self._take(event.data)
                self.dirty += 1
        self.seq = event.seq

    def _take(self, value: Mapping[str, Any]) -> None:
        self.salt = str(value.get("salt") or self.salt)
        self._stones |= dict.fromkeys(frozenset(map(str, stone)) for stone in value.get("stones", ()))
        self.ids |= dict.fromkeys(map(str, value.get("ids", ())))

    def read(self, data: bytes, clock: Clock) -> None:
        self.reset()
        value = parse_object(data)
        if all(isinstance(value.get(key, []), list) for key in ("stones", "ids")):
            self._take(value)

    def _value(self) -> dict[str, Any]:
        return {"salt": self.salt, "stones": [sorted(stone) for stone in self._stones], "ids": list(self.ids)}

    def render(self) -> Callable[[], Iterable[bytes]]:
        value = self._value()
        return lambda: [orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)]

    def adoption(self) -> list[Change]:
        return [] if self.empty else [("forgotten.adopted", self._value())]

    def edits(self, base: FileView, edited: FileView, clock: Clock) -> list[Change]:
        return []  # nothing a person would edit; our copy is written again


def tokens_of(text: str, names: Names) -> set[str]:
    """The words of a statement without the names of the two it is about."""
    people = (names.master, names.neko, *names.master_aliases, *names.neko_aliases, *_NOBODY_NAMED)
    said = set(words(text))
    return (said - set().union(*map(words, people))) or said


def _hashes(tokens: Collection[str], salt: str) -> set[str]:
    return {hashlib.sha256(f"{salt}{token}".encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS] for token in tokens}


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    both = len(one & other)
    return both >= ALIKE * len(one) and both >= ALIKE * len(other)
