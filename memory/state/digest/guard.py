"""What was forgotten, ready to be looked for in many lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from memory.facts.sameness import normal, same_fact, tokens

_LONG = 12      # characters from which a forgotten statement is also looked for inside others
_PARTS = re.compile(r"(?<=[.!?;。！？；\n])\s*")
_LABEL = re.compile(r"^\s*(?:[-•]\s*)?[\w ]{1,24}[:：]\s*")


class Guard:
    """Knows a line that says what was forgotten, in whatever words."""

    def __init__(self, texts: Iterable[str] = (), also: Callable[[str], bool] = lambda _text: False) -> None:
        """``also`` tells of a statement whether it was erased for good and must not return either."""
        self._texts = tuple(dict.fromkeys(text for text in texts if text.strip()))
        self._normal = {normal(text) for text in self._texts}
        self._long = tuple(text for text in sorted(self._normal) if len(text) >= _LONG)
        self._by_token: dict[str, list[str]] = {}
        for text in self._texts:
            for token in tokens(text):
                self._by_token.setdefault(token, []).append(text)
        self._also = also

    def __bool__(self) -> bool:
        return bool(self._texts)

    def covers(self, line: str) -> bool:
        """Whether a line is a forgotten statement, a rewording of one, or has one in it."""
        if self._also(line):
            return True
        if not self._texts:
            return False
        said = normal(line)
        if said in self._normal or any(text in said for text in self._long):
            return True
        near = {text for token in tokens(line) for text in self._by_token.get(token, ())}
        return any(same_fact(line, text) for text in near)

    def told_in(self, text: str) -> bool:
        """Whether anything in a longer text tells what was forgotten."""
        if not self._texts:
            return False
        said = normal(text)
        if any(_has_words(said, one) for one in self._normal):
            return True
        return any(self.covers(part) for part in _parts(text))


def _parts(text: str) -> Iterator[str]:
    """The sentences of a text, each also without its label."""
    for part in _PARTS.split(text):
        if part.strip():
            yield part
            bare = _LABEL.sub("", part).rstrip(" .;。；")
            if bare != part:
                yield bare


def _has_words(text: str, words: str) -> bool:
    """Whether ``words`` stand in a text, and not inside other words."""
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        before = start > 0 and _joined(text[start - 1], words[0])
        after = end < len(text) and _joined(words[-1], text[end])
        if not before and not after:
            return True
        start = text.find(words, start + 1)
    return False


def _joined(one: str, other: str) -> bool:
    return one.isascii() and other.isascii() and one.isalnum() and other.isalnum()
