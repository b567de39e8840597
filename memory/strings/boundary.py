"""The one line of /new_dialog after which the conversation starts, and how to find it.

A client splits the text at the end of this sentence, whatever language it is in. That works only if the sentence
stands there exactly once, so every other part is *defused*: where remembered text (or a name) contains the words that
close the sentence in any language, a zero-width space goes into them. A reader sees no difference, and no pattern
made from the catalogue finds it, however generous its wildcards are, because every such pattern needs those words.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

from memory.locale import LOCALES
from memory.strings.catalogue import TEXTS, say, template

ZERO_WIDTH_SPACE = "\u200b"

_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")
# A time is short and a name has at most 50 characters (and perhaps a defusing one); both stay on their line.
_WILDCARDS = {"time": r"(?P<time_%s>[^\n]{1,80}?)", "neko": r"(?P<neko_%s>[^\n]{1,80}?)"}

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip


def boundary(neko: str, now: datetime, locale: str) -> str:
    """The sentence, without a line end."""
    return say("boundary", locale, time=english_time(now), neko=defuse(neko))


def english_time(moment: datetime) -> str:
    """``Sunday, December 14, 2025 at 12:27 PM``, in every locale and whatever the machine's language is."""
    hour = moment.hour % 12 or 12
    half = "AM" if moment.hour < 12 else "PM"
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    return f"{day}, {month} {moment.day}, {moment.year} at {hour}:{moment.minute:02d} {half}"


@lru_cache(maxsize=16)
def boundary_pattern(locale: str | None = None) -> re.Pattern[str]:
    """A pattern that finds the sentence in one locale, or (None) in any.

    Time and name are wildcards; the rest is literal. In a text of ours it matches exactly once.
    """
    wanted = LOCALES if locale is None else (locale,)
    return re.compile("|".join(_one_pattern(each) for each in wanted))


def split_dialog(text: str, locale: str | None = None) -> tuple[str, str] | None:
    """What stands up to the end of the boundary sentence and what follows it; None if there is no such sentence."""
    match = boundary_pattern(locale).search(text)
    return None if match is None else (text[: match.end()], text[match.end() :].removeprefix("\n"))


def defuse(text: str) -> str:
    """The same text to a reader, but with no boundary sentence in it."""
    return _CLOSING.sub(lambda match: match[0][:1] + ZERO_WIDTH_SPACE + match[0][1:], text)


def _one_pattern(locale: str) -> str:
    parts = _PLACEHOLDER.split(template("boundary", locale))
    suffix = locale.replace("-", "_")
    return "".join(_WILDCARDS[part] % suffix if place % 2 else re.escape(part) for place, part in enumerate(parts))


# What closes the sentence after the last placeholder, stripped of the blanks that ``say`` may collapse around it.
_CLOSING = re.compile(
    "|".join(re.escape(_PLACEHOLDER.split(text)[-1].strip()) for text in TEXTS["boundary"].values()), re.IGNORECASE
)
