"""Which language a text is in, as far as its script tells: enough to keep texts from a model that cannot read them."""

from __future__ import annotations

import re
from typing import Final

# Script -> the language taken for it, and how much of a Latin letter's weight one of its characters has:
# a Han character carries about as much as half an English word.
_SCRIPTS: Final = (
    ("ja", 2.0, re.compile(r"[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9d]")),
    ("zh", 3.0, re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")),
    ("ko", 2.5, re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")),
    ("ru", 1.0, re.compile(r"[\u0400-\u052f]")),
    ("el", 1.0, re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")),
    ("ar", 1.2, re.compile(r"[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff]")),
    ("he", 1.2, re.compile(r"[\u0590-\u05ff]")),
    ("hi", 1.2, re.compile(r"[\u0900-\u097f]")),
    ("bn", 1.2, re.compile(r"[\u0980-\u09ff]")),
    ("ta", 1.2, re.compile(r"[\u0b80-\u0bff]")),
    ("th", 1.2, re.compile(r"[\u0e00-\u0e7f]")),
    ("ka", 1.0, re.compile(r"[\u10a0-\u10ff]")),
    ("hy", 1.0, re.compile(r"[\u0530-\u058f]")),
    ("en", 1.0, re.compile(r"[A-Za-z\u00c0-\u024f]")),
)
_LEAST_KANA: Final = 0.1    # of the CJK characters: Japanese mixes kana into Han, Chinese has none
_LONGEST: Final = 2000      # characters looked at


def main_language(text: str) -> str:
    """The tag of the language whose script prevails, such as ``zh``; ``und`` when there are no letters.

    Every language in Latin script counts as ``en``: only words can tell those apart.
    """
    weights = {tag: len(pattern.findall(text[:_LONGEST])) * weight for tag, weight, pattern in _SCRIPTS}
    kana, han = weights["ja"], weights["zh"]
    if kana and kana >= _LEAST_KANA * (kana + han):
        weights["ja"], weights["zh"] = kana + han, 0.0
    best = max(weights, key=lambda tag: weights[tag])
    return best if weights[best] > 0.0 else "und"
