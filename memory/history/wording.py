"""Text taken apart for the memo: into sentences, and those into words."""

from __future__ import annotations

import re

_SOLID = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"

# After closing punctuation of East Asian kind at once, after a full stop only before something that can begin a
# sentence. Every alternative consumes a run of blanks at most, so this is linear.
_ENDS = re.compile(r"(?<=[。！？；])|(?<=[!?;])\s+|(?<=[.…])\s+(?=[^a-zа-яё])|\n+")
_BLANKS = re.compile(r"\s+")
_CONTENT = re.compile(rf"[{_SOLID}]|[^\W_]{{2}}")
_RUNS = re.compile(rf"([{_SOLID}]+)|[^\W_{_SOLID}]+(?:'[^\W_{_SOLID}]+)?")


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, each on one line, in order; what holds no word is left out."""
    return [piece for raw in _ENDS.split(text) if (piece := _BLANKS.sub(" ", raw).strip()) and _CONTENT.search(piece)]


def words_of(lower: str) -> list[str]:
    """The words of a text in lower case; runs of Han, kana and Hangul as pairs of characters."""
    words: list[str] = []
    for match in _RUNS.finditer(lower.replace("’", "'")):
        run = match[1]
        if run is None:
            words.append(match[0])
        elif len(run) == 1:
            words.append(run)
        else:
            words += [run[at : at + 2] for at in range(len(run) - 1)]
    return words
