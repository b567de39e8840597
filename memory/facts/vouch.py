"""What of a model's answer is learnt: only what somebody stated of themselves, in words that were said.

A model points at statements; rules say whose they are, whether they were meant, and whether they are worth keeping.
Where its own wording loses or adds anything, the words of the speaker are kept instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory.facts.fact import AI_DISCLOSURE, MASTER, NEKO, USER_OBSERVATION
from memory.facts.rules.clean import Recalled
from memory.facts.rules.draft import Draft
from memory.facts.rules.event_when import resolve_raw
from memory.facts.rules.speech import language_of
from memory.facts.rules.stated import Stated
from memory.facts.secrets import redact
from memory.facts.windows import Said, Window
from memory.history.turn import AI, HUMAN, Turn
from memory.people import Names
from memory.recall.grounded import alike, grounded, units

_SAID = 0.5                             # share of a statement's words that one clause must hold
_CLOSE = 0.8                            # … and of both that must meet for the model's wording to stand
_SAME = 0.6                             # as the rules heard it
_TELLING = 2                            # words that a clause must have
_SURE = 0.6
_CHANCES, _MISTAKEN = 3, 0.2            # messages with nothing in them that show a model's judgement; share it may name
_NAMED = 0.1                            # what the message that a model names is preferred by

_DENIES = re.compile(
    r"\b(?:not|no|never|nobody|nothing|none|hardly|barely|without)\b|n't\b|[不没別别未无非]|ない|ません|않|안 |못|"
    r"\bне\b|\bни\w*\b|"
    r"\b(?:nunca|jamás|nada|não|nem|ningun\w*)\b",
    re.IGNORECASE,
)
_ONCE = re.compile(
    r"\b(?:used to|once|formerly|no longer|anymore|was|were|had|will|going to|almost|only|until)\b|以前|曾|之前|过去|"
    r"小时候|不再|当时|将|打算|差点|只",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[,，;；。、]|[.!?](?=\s)")
_SELF = re.compile(
    r"\b(?:I|me|my|mine|myself|we|us|our|you|your|yours)\b|[我你您咱俺]|私|僕|俺|あなた|나는|내가|저는|당신|\b(?:я|меня|мне|мой|ты|"
    r"вы|yo|mis?|tú|eu|meus?|minhas?|você)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One statement of an answer, checked by form."""

    text: str
    importance: int
    source: str
    message: int | None         # place in the window
    event_when: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouched:
    """What came of an answer: drafts with the turns they rest on, and how many statements were refused why."""

    drafts: list[tuple[Turn, Draft]]
    refused: dict[str, int]


def teaches(window: Window) -> bool:
    """Whether there is anything in a window that rules did not read and that a model may."""
    open_ = [one for said in window.said for one in said.heard.stated if is_open(said, one)]
    return any(one.lasting for one in open_) or (bool(open_) and len(_nothing(window)) >= _CHANCES)


def is_open(said: Said, one: Stated) -> bool:
    """Whether a statement may teach something new. No rule reads what the character says of itself."""
    return one.idle is None and (not one.known or said.turn.kind == AI)


def vouched(items: Sequence[Item], window: Window, names: Names, method: str, recalled: Recalled) -> Vouched:
    """What is learnt of an answer.

    What is not told by its words to last is taken from a model that shows judgement: one that passed over most of the
    messages in which there was nothing.
    """
    grounds = [_ground(item, window, names) for item in items]
    trusted = _shows_judgement(window, [said for said, _, _ in grounds if said is not None])
    drafts: list[tuple[Turn, Draft]] = []
    refused: dict[str, int] = {}
    taken: set[tuple[str, str]] = set()
    for item, (said, stated, why) in zip(items, grounds, strict=True):
        text = worded(item.text, stated, said, names) if said is not None and stated is not None else ""
        if said is not None and stated is not None and why is None:
            why = _why_not(text, stated, said, names, recalled, trusted=trusted)
            if why is None and (said.turn.id, stated.text) in taken:
                why = "twice"
        if said is None or stated is None or why is not None:
            refused[why or "unsaid"] = refused.get(why or "unsaid", 0) + 1
            continue
        taken.add((said.turn.id, stated.text))
        drafts.append((said.turn, _draft(text, item, stated, said, method)))
    return Vouched(drafts=drafts, refused=refused)


def _ground(item: Item, window: Window, names: Names) -> tuple[Said | None, Stated | None, str | None]:
    """The statement that an item is about: the one that holds most of its words."""
    kind = HUMAN if item.source == USER_OBSERVATION else AI
    best: tuple[float, Said, Stated] | None = None
    home: tuple[float, Said] | None = None      # the message as a whole, where none of its clauses counts
    for at, said in enumerate(window.said):
        if said.turn.kind != kind:
            continue
        named = _NAMED * (at == item.message)
        whole = grounded(item.text, [said.text], names)
        if whole >= _SAID and (home is None or whole + named > home[0]):
            home = (whole + named, said)
        for stated in said.heard.stated:
            share = grounded(item.text, [stated.text], names)
            rank = share + named + 0.01 * is_open(said, stated)
            if share >= _SAID and (best is None or rank > best[0]):
                best = (rank, said, stated)
    if best is None:
        return (home[1], None, "unstated") if home is not None else (None, None, "unsaid")
    _, said, stated = best
    return said, stated, None if is_open(said, stated) else "known" if stated.known else stated.idle


def _shows_judgement(window: Window, named: Sequence[Said]) -> bool:
    nothing = {said.turn.id for said in _nothing(window)}
    mistaken = nothing & {said.turn.id for said in named}
    return len(nothing) >= _CHANCES and len(mistaken) <= _MISTAKEN * len(nothing)


def _nothing(window: Window) -> list[Said]:
    return [said for said in window.said if said.turn.kind == HUMAN and said.says_nothing]


def worded(text: str, stated: Stated, said: Said, names: Names) -> str:
    """The model's words where they say just what was said, else those of the speaker."""
    people = (names.master, names.master_in(stated.language), names.neko, *names.master_aliases, *names.neko_aliases)
    bare = text
    for name in sorted(filter(None, people), key=len, reverse=True):
        bare = bare.replace(name, " ")
    speaker = names.master_in(stated.language)
    called = (names.neko,) if said.turn.kind == AI else (speaker, names.master, "the user", "用户")
    opens = text.casefold().startswith(tuple(map(str.casefold, called)))
    # Other languages leave the speaker out: without a name the sentence would be nobody's.
    own = stated.language not in ("en", "zh") or re.match(r"(?:I|my)\b|我", stated.text, re.IGNORECASE) is not None
    same = (
        not _SELF.search(bare)
        and (opens or not own)
        and len(_PARTS.findall(text.rstrip("。.!！ "))) <= len(_PARTS.findall(stated.text))
        and (language_of(bare) or language_of(stated.text)) == language_of(stated.text)
        and grounded(text, [stated.text], names) >= _CLOSE
        and grounded(stated.text, [text], names) >= _CLOSE
        and bool(_DENIES.search(text)) == bool(_DENIES.search(stated.text))
        and bool(_ONCE.search(text)) == bool(_ONCE.search(stated.text))
    )
    return text if same else stated.told


def _why_not(
    text: str, stated: Stated, said: Said, names: Names, recalled: Recalled, *, trusted: bool
) -> str | None:
    """Why a statement that stands on an open clause is not learnt; None where it is."""
    if len(units(stated.text) - units(names.master) - units(names.neko)) < _TELLING:
        return "little"
    if not stated.lasting and not trusted:
        return "unclear"
    if text in recalled or stated.text in recalled:
        return "recalled"
    if redact(text).text != text:
        return "secret"
    if any(alike(text, draft.text) >= _SAME for draft in said.heard.drafts):
        return "known"          # the rules heard it themselves, or the opposite of it
    return None


def _draft(text: str, item: Item, stated: Stated, said: Said, method: str) -> Draft:
    """Its subject is whoever said it, whatever the model called it."""
    when = resolve_raw(item.event_when, said.turn.at)
    of_character = said.turn.kind == AI
    return Draft(
        text=text,
        language=stated.language,
        entity=NEKO if of_character else MASTER,
        importance=item.importance,
        confidence=_SURE,
        event_when_raw=when.raw if when is not None else None,
        event_start_at=when.start if when is not None else None,
        event_end_at=when.end if when is not None else None,
        method=method,
        source=AI_DISCLOSURE if of_character else USER_OBSERVATION,
    )
