"""How long a text is for a language model, estimated from its characters.

Every budget of ours is measured with this one counter. ``IDENTITY`` is the key under which cached counts are kept, so
that another counter never reuses them.
"""

from __future__ import annotations

import re

IDENTITY = "heuristic:v1"

# Kana, Han and Hangul syllables: about a token and a half each; any other four characters are about one.
_CJK = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]+")


def count(text: str) -> int:
    """Tokens in ``text``, at least 1: ``ceil(1.5 · CJK + 0.25 · other)``."""
    if text.isascii():
        return max(1, -(-len(text) // 4))
    cjk = len(text) - len(_CJK.sub("", text))
    # Quarters instead of floats: the sum is exact at any length.
    return max(1, -(-(6 * cjk + (len(text) - cjk)) // 4))
