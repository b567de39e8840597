"""What may stand as the value of an English statement."""

from __future__ import annotations

import re

from memory.facts.rules.english.grammar import pattern
from memory.facts.rules.english.words import NOT_A_NAME

MOST_WORDS = 14


_SMALL_TALK = pattern(
    r"[\s,]+(?:though|tho|lol|lmao|haha+|hehe|btw|by the way|actually|tbh|ngl|honestly|for sure|of "
    r"course|you know|xd|okay|ok|"
    r"please|pls|fyi|literally|obviously|or something|and stuff|and all that|ugh+|sigh|smh|:\(|yikes|"
    r"whoops|woo+|omg|man|dude|bro|then|anyway|yay|to be honest)$"
)


_TAIL = pattern(
    r"[\s,]+(?:a lot|a ton|a bunch|so (?:so )*much|very much|too much|too|as well|anymore|right now|"
    r"now|these days|lately|recently|"
    r"nowadays|currently|in general|more than anything(?: else)?|the most|the best|at all|at the "
    r"moment|already|again|either|"
    r"forever|ever|all the time|for now|instead(?: of [\w' ]{1,30})?|yet|really|so far|instead|since forever|once)$"
)


_CUT = pattern(
    r"\s+(?:because|since|when|whenever|but|which|especially|so that|even though|although|until|while|"
    r"as long as|unlike|rather than|like i|as i)\b.*$"
)


_DEICTIC = pattern(
    r"^(?:it|its|it's|this|that|these|those|them|him|her|he|she|they|you|your|yours|us|me|how|what|"
    r"when|where|who|why|if|one|ones|"
    r"anything|nothing|something|someone|somebody|anyone|everyone|everybody|nobody|none|neither|both|"
    r"either|each|all(?! kinds| sorts| types|-)|"
    r"here|there|so|such|not|no|being (?:called|ignored|told)|"
    r"the (?:way|idea|sound(?! of)|thought|fact|vibe|look(?! of)|one|ones|first|second|third|last|"
    r"other|others|same|new one|latter|former|dress|plan|part|ending|"
    r"concept|feeling (?:of this)|thing|things|rest|new|update|result|answer|suggestion|joke|song|"
    r"picture|photo|color of|energy)\b(?! show| lines?)|"
    r"another|more|much|many|most of|some of|any of|a lot of|lots of (?:it|them)|seeing you|talking "
    r"to you|hearing|chatting|to (?:know|hear|see|think|say|admit|be honest)|"
    r"a (?:good|bit|little|lot|few|break|nap|question|minute|second|moment|feeling|idea|point|hug|"
    r"while|favor|favour|suggestion))\b"
)


_ADDRESS = pattern(r"\b(?:you|your|yours|yourself|our|(?-i:us)|ours)\b")


_POINTS_BACK = pattern(
    r"\b(?:it|them|him|he|she|they|one of those|something)\b|\b(?:this|that|these|those|who|whom|"
    r"her)$|^(?:is|are|was|were)\b"
)


_STRANDED = pattern(r"\b(?:to|on|of|for|with|about|through|from|in|at|is|are|and|or|by|than|the|a|my)$")


_BARE_THE = pattern(
    r"^the (?!beach|ocean|sea|rain|mountains?|countryside|snow|sun|forest|woods|city|outdoors|cold|"
    r"heat|dark|piano|guitar|violin|gym|theat|cinema|opera|library|stars|moon|"
    r"night|internet|\d0s|summer|winter|spring|fall|autumn|news|color|colour|sims|office|beatles|"
    r"smiths|cure)[\w'-]+$"
)


_JOIN = re.compile(r"\s*(?:,\s*(?:and |or )?|\s+(?:and|or|&)\s+)\s*", re.IGNORECASE)


_NOT_ITEM = pattern(
    r"\b(?:to|who|that|when|because|is|are|am|was|for|with|about|on|at|from|in|of|my|his|her|their|"
    r"than|over|between|cheese|chips|jelly|roll|butter|white|"
    r"go|do|be|have|get)\b"
)


def trimmed(text: str) -> str:
    """The text without small talk at its end."""
    return _stripped(text, _SMALL_TALK)


def without_tail(text: str) -> str:
    """The text without the adverbs at its end that change nothing about the value: too, now, anymore."""
    return _stripped(_stripped(trimmed(text), _TAIL), _SMALL_TALK)


def _stripped(text: str, tail: re.Pattern[str]) -> str:
    for _ in range(4):
        shorter = tail.sub("", text.strip(" ,.:;-!"))
        if shorter == text:
            break
        text = shorter
    return text.strip(" ,.:;-!")


def value_of(text: str, *, definite: bool = True) -> str | None:
    """The value that the words name, or None where they point at something said elsewhere or run on too long.

    Where ``definite`` is False, "the actors" points too: which ones, only the conversation knows.
    """
    value = _stripped(_stripped(_CUT.sub("", _stripped(trimmed(text), _TAIL)), _TAIL), _SMALL_TALK)
    if not value or "\ue002" in value or _DEICTIC.match(value) or _ADDRESS.search(value):
        return None
    if (
        _POINTS_BACK.search(value)
        or _STRANDED.search(value)
        or (not definite and _BARE_THE.match(value) and not value[4:5].isupper())
    ):
        return None
    return value if len(value.split()) <= MOST_WORDS and any(char.isalnum() for char in value) else None


def listed(value: str) -> list[str]:
    """ "tea, coffee and milk" as three values; one value where the parts may belong together."""
    parts = [part for part in _JOIN.split(value) if part]
    if not 1 < len(parts) <= 5 or any(
        len(part.split()) > 3 or _NOT_ITEM.search(part) or part.split()[0].lower() in ("then", "so", "also", "yes")
        for part in parts
    ):
        return [value]
    if parts[0].lower().startswith("the ") and not parts[0][4:5].isupper():
        return [value]
    # A verb in front ("playing chess and tennis") belongs to every part; leave such a list whole.
    if (
        len(parts[0].split()) > 1
        and parts[0].split()[0].endswith("ing")
        and not all(part.split()[0].endswith("ing") for part in parts[1:])
    ):
        return [value]
    return parts


def is_name(name: str) -> bool:
    words = name.split()
    return words[0].lower() not in NOT_A_NAME and len(name) <= 40 and not words[0].lower().endswith(("ing", "'s"))
