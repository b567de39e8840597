"""English chat spellings and contractions, in their plain form."""

from __future__ import annotations

import re

from memory.facts.rules.english.grammar import pattern
from memory.facts.rules.numerals import ENGLISH_NUMBER

_SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (pattern(rf"(?<![\w'])(?:{written})(?![\w'])"), plain)
    for written, plain in (
        (r"i'?m|iam", "I am"),
        (r"i'?ve", "I have"),
        (r"i'll", "I will"),
        (r"ill(?= (?:be|go|have|try|visit|start))", "I will"),
        (r"(?<=my )names?'s|(?<=my )names(?= [a-z])|^names(?= [a-z]+)|^name's", "name is"),
        (r"(?<=my )birthday's", "birthday is"),
        (r"tomorrow's(?= my)", "tomorrow is"),
        (r"its(?= my)|it's(?= my)", "it is"),
        (r"(my (?:favourite|favorite|fav) \w+)'s", r"\1 is"),
        (r"(my birthday):", r"\1 is"),
        (
            r"(my (?:\w+ )?\w+)'s(?= (?:called|named|getting|moving|having|visiting|coming|going|turning|an?|"
            r"from|pregnant|sick|allergic|vegan|in (?:college|the hospital|town)) )",
            r"\1 is",
        ),
        (r"dont|don't|do not", "don't"),
        (r"doesnt|does not", "doesn't"),
        (r"didnt|did not", "didn't"),
        (r"cant|can not|cannot", "can't"),
        (r"wont|will not", "won't"),
        (r"isnt", "isn't"),
        (r"arent", "aren't"),
        (r"wasnt", "wasn't"),
        (r"couldnt", "couldn't"),
        (r"wouldnt", "wouldn't"),
        (r"shouldnt", "shouldn't"),
        (r"havent|have not", "haven't"),
        (r"hasnt", "hasn't"),
        (r"thats", "that's"),
        (r"gonna|gunna", "going to"),
        (r"wanna", "want to"),
        (r"gotta", "have to"),
        (r"i am going to|im going to", "I am going to"),
        (r"hafta", "have to"),
        (r"u", "you"),
        (r"ur", "your"),
        (r"luv", "love"),
        (r"realy|rlly|rly", "really"),
        (r"alergic|allergick|alergic", "allergic"),
        (r"vegeterian|vegitarian", "vegetarian"),
        (r"bday|b-day|birtday", "birthday"),
        (r"fav|fave|favorit|favrite|favourit|favorite|favourite", "favourite"),
        (r"tomorow|tommorow|tommorrow|tmrw?|2moro", "tomorrow"),
        (r"yday", "yesterday"),
        (r"coz|cuz|cos|bc|cause", "because"),
        (r"n|&", "and"),
        (r"rn", "right now"),
        (r"w/", "with"),
        (r"any more|any longer", "anymore"),
        (r"atm", "at the moment"),
        (r"favourites", "favourites"),
        (r"prolly|probs", "probably"),
        (r"nd", "and"),
        (r"thru", "through"),
        (r"i have got", "I have"),
        (r"i have gotten", "I got"),
        (r"i d", "I would"),
    )
)


_AS_TOLD = pattern(
    r"^(?:(?:well|so|ok|and|but|hey|again)[, ]+)?(?:(?:as|like) (?:i|you) (?:already |just )?(?:said|"
    r"told you|mentioned|know)(?: before| earlier| already| yesterday| last time)?[,: ]+"
    r"|(?:i (?:think |believe |know )?)?i(?:'ve| have)? (?:already |just )?told you(?: before| "
    r"already| yesterday)?(?: that)?[,: ]+(?=(?:i|i'm|im|my|i've)\b)"
    r"|you (?:already )?know(?: that)?,? (?=(?:i|i'm|im|my|i've)\b))"
)


_SO_OLD = pattern(rf"^I am an? ({ENGLISH_NUMBER})[- ]years?[- ]old (?=\w)(.+)$")


_ONE_FROM = pattern(
    r"^(I am an? .{0,30}?\b(?:student|man|woman|guy|girl|dude|teacher|engineer|developer|nurse|artist|"
    r"designer|mom|dad|programmer|writer)) from ([\w ,]{2,30})$"
)


def normalise(text: str) -> str:
    """Contractions and chat spellings in their plain form; the words otherwise as spoken."""
    text = _AS_TOLD.sub("", text)
    for written, plain in _SPELLINGS:
        text = written.sub(plain, text)
    text = _SO_OLD.sub(r"I am \1 years old and I am a \2", text)
    text = _ONE_FROM.sub(r"\1 and I am from \2", text)
    return " ".join(re.sub(r"(?<![\w'])i(?![\w'])", "I", text).split())
