"""From what the speaker said of themselves to the same sentence about them; or to a quotation where that is unsafe."""

from __future__ import annotations

import re

from memory.facts.rules.english.words import set_of
from memory.people import Names

_TOKEN = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?|[^A-Za-z]+")


_WORD = re.compile(r"[A-Za-z]")


_ADVERBS = set_of(
    "really just also always usually often sometimes never still already actually totally absolutely "
    "definitely truly kinda mostly mainly generally normally typically currently now recently finally only "
    "even honestly personally rarely seldom occasionally probably genuinely secretly seriously literally both "
    "simply constantly regularly basically particularly especially strongly deeply lately so pretty very "
    "hardly barely no longer"
)


_FIXED = set_of(
    "was can can't will won't could must should may might did didn't had hadn't wasn't used would couldn't "
    "shouldn't went ate drank saw met bought sold got gave took made ran swam broke lost won found wrote drew "
    "sang flew drove rode fell fought caught taught built sent spent left slept woke began came became chose "
    "grew kept held led lent hung spoke burnt thought felt knew said told heard forgot threw wore stole shot "
    "rang paid stood sat understood meant dreamt learnt bit blew brought dug fed forgave froze hid laid lay "
    "rose shook shone slid stuck struck swore tore wept"
)


_ED_BUT_PRESENT = set_of("need feed bleed breed speed shed wed embed exceed proceed succeed seed weed heed")


_EITHER = set_of("read put cut hit quit set hurt let cost spread bet beat shut split burst cast")


_IRREGULAR = {
    "am": "is",
    "have": "has",
    "do": "does",
    "don't": "doesn't",
    "haven't": "hasn't",
    "go": "goes",
    "are": "is",
    "be": "is",
}


_SECOND_VERB = re.compile(
    r"(?<! to)(?<=\w) and (then |also |usually |always |sometimes )?(go|take|make|have|eat|drink|do|"
    r"watch|read|play|work|run|walk|cook|listen|study|"
    r"sleep|get|come|write|draw|spend|visit|call|check|feed|clean|train|practice|use|try|talk|start|"
    r"stop|stay|breathe|hate|live|love)(?= |$)",
    re.IGNORECASE,
)


_SECOND_HELP = re.compile(r"\b(and|but) (have|haven't|don't|am)(?= )", re.IGNORECASE)


_UNSAFE = re.compile(
    r"(?<![\w'])(?:i|i'd|i'm|me|my|mine|myself|we|we're|we've|we'll|(?-i:us)|our|ours|ourselves|you|"
    r"you're|you've|you'll|your|yours|yourself|ya|u|ur)(?![\w'])",
    re.IGNORECASE,
)


def quoted(clause: str, names: Names) -> str:
    """The clause in its own words."""
    return f'{names.master_in("en")} said: "{clause.strip()}"'


def told_of(clause: str, names: Names, *, past: bool = False) -> str | None:
    """The clause in the third person; None when a first or second person word could not be replaced."""
    master = names.master_in("en")
    # "The user" is a description, not a name: inside a sentence it takes a small letter.
    inside = master if names.master_is_named else master[0].lower() + master[1:]
    out: list[str] = []
    awaiting = False  # a verb that belongs to the speaker is still to come
    finite = False  # that verb is in the present tense
    before = ""
    for token in _TOKEN.findall(clause):
        word = token.lower()
        if word == "i":
            out.append(inside)
            awaiting = before != "and"  # "my sister and I live": the verb is for two
        elif word in ("my", "me", "your", "you"):
            owner = inside if word in ("my", "me") else names.neko
            out.append(possessive(owner) if word in ("my", "your") else owner)
            if word in ("my", "me"):
                awaiting = False
        elif awaiting and _WORD.match(token) and word not in _ADVERBS:
            awaiting = False
            agreed = agree(word, past=past)
            finite = finite or agreed != word
            out.append(agreed if agreed != word else token)
        else:
            out.append(token)
        before = word.strip() or before
    told = "".join(out).strip()
    if finite:
        told = _SECOND_VERB.sub(lambda match: f" and {match[1] or ''}{agree(match[2].lower())}", told)
        told = _SECOND_HELP.sub(lambda match: f"{match[1]} {agree(match[2].lower())}", told)
    return None if _left_over(told, names) else sentence(told)


def agree(verb: str, *, past: bool = False) -> str:
    """The form of a verb after "I" that fits a third person; modals and past forms stay as they are."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb in _FIXED or (verb.endswith("ed") and verb not in _ED_BUT_PRESENT) or (past and verb in _EITHER):
        return verb
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def possessive(name: str) -> str:
    """Anna's, James'."""
    return name + ("'" if name.endswith("s") else "'s")


def sentence(text: str) -> str:
    """A capital letter in front and a full stop behind."""
    text = text.strip(" ,;:-")
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?", '."', '"')) else ".")


def _left_over(told: str, names: Names) -> bool:
    for name in (names.master_in("en"), names.neko):
        told = told.replace(name, "")
    return bool(_UNSAFE.search(told))
