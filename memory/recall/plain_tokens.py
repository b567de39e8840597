"""Words as they are typed: ASCII words, and pairs of CJK characters. Nothing is stemmed or folded but case."""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z0-9]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")


def payload(text: str) -> frozenset[str]:
    """The ASCII words, short ones too."""
    return frozenset(_WORD.findall(text.lower()))


def pairs(text: str) -> frozenset[str]:
    """Overlapping pairs of the characters of every CJK run; a lone character as it is."""
    found: set[str] = set()
    for run in _CJK.findall(text):
        found.update(run[at : at + 2] for at in range(len(run) - 1)) if len(run) > 1 else found.add(run)
    return frozenset(found)
