"""What a sentence is about: its telling words, how rare they are, and how far another text shares them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache

from memory.people import Names
from memory.recall.words import fold, is_fragment, words

# Words of the templates and of nearly every statement about a person; they tell nothing about its subject.
_COMMON = (
    "like likes love loves enjoy enjoys prefer prefers hate hates dislike want wants need think feel feels really "
    "usually always often sometimes never every day days week time times lot thing things lately recently mentioned "
    "several said says told know going work works have has favourite favorite still also even just much many more"
)
# Where Chinese is cut before it is taken in pairs, so that no pair reaches from one word into the next.
_CHINESE_CUTS = re.compile(
    "最喜欢|喜欢|讨厌|非常|特别|最近|每天|每周|经常|常常|一直|总是|有时候?|觉得|感觉|知道|想要|打算|准备|说过|提到|多次|一起|自己|"
    "时候|现在|今天|明天|昨天|早上|晚上|我们|你们|他们|什么|这个|那个|可以|没有|不是|就是|还是|已经|一个|一下|真的|"
    "[的了很都也就还又是在把被给和跟与吗呢吧啊呀我你]"
)
_ANY_HAN = re.compile("[\u4e00-\u9fff]")
_LEAST_SHARED = 2           # distinctive words a text must share before it can be about the same
_ENOUGH = 0.35              # … and their weight among all of the sentence's
_MOST_CHARACTERS = 0.6
_RARE = 0.2                 # share of the known sentences above which a word distinguishes nothing
_FEW = 2                    # … in a small collection: this many sentences


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    return frozenset(token for word in _COMMON.split() for token in words(word))


@lru_cache(maxsize=8192)
def telling(text: str) -> frozenset[str]:
    """The words of a text that could tell what it is about; single characters only where there is nothing else."""
    if _ANY_HAN.search(text):
        text = _CHINESE_CUTS.sub(" ", fold(text)) or text
    tokens = frozenset(words(text))
    whole = frozenset(token for token in tokens if not is_fragment(token))
    return (whole or tokens) - _common()


def every_word(text: str) -> frozenset[str]:
    """All words of a text, for telling whether another one adds anything to it."""
    return frozenset(words(text))


@lru_cache(maxsize=64)
def _of_names(all_names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(token for name in all_names for token in words(name))


def about(text: str, names: Names) -> frozenset[str]:
    """The telling words of a text without those of the two people's names."""
    called = tuple(
        name for name in (names.neko, names.master, *names.neko_aliases, *names.master_aliases) if len(name) > 1
    )
    folded = fold(text)
    for name in called:
        if not name.isascii():  # part of a run of characters: its pairs reach into the neighbours
            folded = folded.replace(fold(name), " ")
    return telling(folded) - _of_names(called)


def dice(one: Collection[str], other: Collection[str]) -> float:
    """How much two sets of words have in common, 0..1."""
    if not one or not other:
        return 0.0
    first, second = frozenset(one), frozenset(other)
    return 2 * len(first & second) / (len(first) + len(second))


class Rarity:
    """How rare words are among the sentences that are known."""

    def __init__(self, sentences: Iterable[Collection[str]]) -> None:
        self._count = 0
        self._found: Counter[str] = Counter()
        for tokens in sentences:
            self._count += 1
            self._found.update(frozenset(tokens))

    def weight(self, token: str) -> float:
        found = self._found[token]
        return math.log((self._count - found + 0.5) / (found + 0.5) + 1.0)

    def distinguishes(self, token: str) -> bool:
        return self._found[token] <= max(_FEW, _RARE * self._count)

    def containment(self, sentence: Collection[str], text: Collection[str]) -> float:
        """The share of the sentence's words, by weight, that the text has too; 0..1."""
        whole = sum(map(self.weight, sentence))
        return sum(self.weight(token) for token in sentence if token in text) / whole if whole else 0.0

    def speaks_of(self, sentence: Collection[str], text: Collection[str]) -> float:
        """How surely the text is about what the sentence says; 0 when too little is shared to tell.

        Two distinctive words must be shared, or all there are in a sentence with fewer; of Chinese,
        which is taken in pairs of characters, most of the characters will do. One pair out of a
        longer word is chance.
        """
        distinctive = [token for token in sentence if self.distinguishes(token)]
        shared = [token for token in distinctive if token in text]
        if not shared or (len(shared) < min(_LEAST_SHARED, len(distinctive)) and not _covers(shared, distinctive)):
            return 0.0
        share = self.containment(sentence, text)
        return share if share >= _ENOUGH else 0.0


def _covers(shared: Collection[str], distinctive: Collection[str]) -> bool:
    """Whether the shared pairs of Han characters make up most of all there are."""
    every = {char for token in distinctive for char in token}
    found = {char for token in shared if _ANY_HAN.match(token) for char in token}
    return len(found) >= _MOST_CHARACTERS * len(every)
