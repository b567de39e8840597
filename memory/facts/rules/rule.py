"""A statement by its wording: what both languages' tables are made of."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One wording. Of its groups ``x`` (else ``y``, ``z``, ``q``) is the value, ``c`` a category, ``n`` a name.

    English patterns cover a whole clause, Chinese ones what follows the subject 我 and its adverbs.
    """

    slot: str
    pattern: re.Pattern[str]
    negated: bool = False  # the wording denies its value: "I hate …"
    bonus: int = 0  # added to the importance of the slot
    many: bool = False  # "tea and coffee" are two values
    past: bool | None = None  # how to read a bare weekday or date in it; True also means a past form
    value: str | None = None  # the value of a wording that names none
    whole: bool = False  # the value is kept as it is, without a look at what it points to
    correction: bool = False  # the wording itself tells of a change: "I used to …"
    flips: bool = True  # "I don't …" says the opposite; where False the denial means something else
    carried: bool = True  # holds also where the subject is left out
