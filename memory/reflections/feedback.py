"""What a user's message says about a topic that the character raised."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memory.people import Names
from memory.reflections.replies import Reply
from memory.reflections.surfaced import CONFIRMED, DENIED, IGNORED
from memory.reflections.wording import Rarity, about

WAITS_FOR = 2           # messages of the user that may still be the answer
_LEAST_NAMED = 2        # words of a thing that going on about it must name, or all there are
_REBUTTED_FROM = 0.5    # share of what is claimed that a denial must name, unasked


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a topic, and how much it says."""

    feedback: str               # one of CONFIRMED, DENIED, IGNORED
    amount: float = 0.0         # what it adds to the trust
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """What the character raised."""

    words: Collection[str]      # the telling words of it
    thing: Collection[str]      # those of the thing itself, or all of them
    negated: bool               # it says that something is not so
    heard: int                  # messages of the user since then
    sole: bool                  # nothing else was raised with it: a mere yes or no is meant for it


def answer_to(raised: Raised, reply: Reply, rarity: Rarity, names: Names) -> Answer | None:
    """The answer in one message, or None if a later one may hold it."""
    first = raised.heard == 0
    said = frozenset(word for clause in reply.clauses for word in about(clause, names))
    shared = any(word in said and rarity.distinguishes(word) for word in raised.words)
    if first and reply.denies and (raised.sole or shared):
        return Answer(DENIED, rule="answer_no")
    if not raised.negated and names_in(reply.denying(), raised.words, rarity, names):
        return Answer(DENIED, rule="denies_object")
    if first and reply.affirms and (raised.sole or shared):
        return Answer(CONFIRMED, 1.0, rule="answer_yes")
    thing = [word for word in raised.thing if rarity.distinguishes(word)]
    named = sum(word in said for word in thing)
    if thing and named >= min(_LEAST_NAMED, len(thing)) and not reply.asked and not reply.denying():
        return Answer(CONFIRMED, 0.5, rule="goes_on_about_it")
    return Answer(IGNORED, rule="passed_over") if raised.heard + 1 >= WAITS_FOR else None


def names_in(clauses: Collection[str], topic: Collection[str], rarity: Rarity, names: Names) -> bool:
    """Whether one of the clauses names something distinctive of the topic."""
    for clause in clauses:
        said = about(clause, names)
        if any(word in said and rarity.distinguishes(word) for word in topic):
            return True
    return False


def rebuts(claimed: Collection[str], reply: Reply, names: Names) -> bool:
    """Whether a message, unasked, denies what is claimed: at least half of it, named in the denial itself."""
    if not claimed:
        return False
    for clause in reply.denying():
        said = about(clause, names)
        if sum(word in said for word in claimed) >= _REBUTTED_FROM * len(claimed):
            return True
    return False
