"""Wording a reflection: a frame around what the user said, never anything of its own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory import tokens
from memory.facts.fact import Fact
from memory.locale import detect
from memory.people import Names
from memory.reflections.reflection import LONGEST
from memory.reflections.wording import about, dice, every_word
from memory.strings.durations import elapsed

MOST_SENTENCES = 3
_ADDS = 0.25                # share of its words that must be new for a sentence to add anything
_DAY = 86_400
_ENDS = " .。!！;；"


def occasions(facts: Sequence[Fact]) -> list[datetime]:
    """Every time that one of them was said, oldest first."""
    return sorted(moment for fact in facts for moment in (fact.created_at, *fact.repeated_at))


def choose(facts: Sequence[Fact], names: Names) -> list[Fact]:
    """The fact in the middle of the others, and up to two more that add something to it."""
    words = {fact.id: about(fact.text, names) for fact in facts}
    times = {fact.id: 1 + len(fact.repeated_at) for fact in facts}

    def centrality(fact: Fact) -> float:
        near = sum(times[other.id] * dice(words[fact.id], words[other.id]) for other in facts if other is not fact)
        return near + times[fact.id]

    ranked = sorted(facts, key=lambda fact: (-centrality(fact), -fact.importance, fact.created_at, fact.id))
    chosen = ranked[:1]
    for fact in ranked[1:]:
        if len(chosen) == MOST_SENTENCES:
            break
        said = every_word(fact.text)
        known = frozenset[str]().union(*(every_word(other.text) for other in chosen))
        if len(said - known) >= _ADDS * len(said):
            chosen.append(fact)
    return chosen


def compose(facts: Sequence[Fact], names: Names) -> tuple[str, str]:
    """The text of a reflection on these facts, and what it states without the frame. At most 150 tokens."""
    chosen = choose(facts, names)
    said = occasions(facts)
    days = (said[-1].date() - said[0].date()).days
    text = statement = ""
    for count in range(len(chosen), 0, -1):
        sentences = [fact.text.strip().rstrip(_ENDS) for fact in chosen[:count]]
        text, statement = _framed(sentences, len(said), days, names)
        if tokens.count(text) <= LONGEST:
            break
    return text, statement


def _framed(sentences: Sequence[str], times: int, days: int, names: Names) -> tuple[str, str]:
    language = detect(sentences[0])
    if language.startswith("zh"):
        statement = "；".join(sentences) + "。"
        count = f"共{times}次" + (f"，前后{elapsed(days * _DAY, language)}" if days else "")
        return f"{names.master_in('zh')}多次提到（{count}）：{statement}", statement
    statement = "; ".join(sentences) + "."
    if language != "en":
        return statement, statement
    count = f"{times} times" + (f" over {elapsed(days * _DAY, language)}" if days else "")
    return f"{names.master_in('en')} has mentioned this several times ({count}): {statement}", statement
