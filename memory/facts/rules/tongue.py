"""What the reader of a turn needs from a language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from memory.facts.rules.clause import Clause, Finding, Telling
from memory.people import Names


@dataclass(frozen=True, slots=True, kw_only=True)
class Tongue:
    """One language: how it is cut into clauses, what disqualifies them, and what they say."""

    normalise: Callable[[str], str]
    split_asked: Callable[[str], tuple[str, bool] | None]  # the told part before a question, and whether it is softened
    clauses: Callable[[str, bool], list[Clause]]  # whether a subject left out at the start can only be the speaker
    find: Callable[[Clause, Telling], list[Finding]]
    restore: Callable[[str], dict[int, str]]  # from the characters the rules read back to those that were written
    first_person: re.Pattern[str]  # the sentence is about its speaker
    other_person: re.Pattern[str]  # the sentence speaks of someone else
    instruction: re.Pattern[str]  # the whole turn is an order to the system
    joking: re.Pattern[str]  # the whole turn was not meant
    frame: re.Pattern[str]  # from here on the turn is fiction, a text to work on, or an example
    sentence_drops: tuple[tuple[str, re.Pattern[str]], ...]
    clause_drops: tuple[tuple[str, re.Pattern[str]], ...]
    longest_clause: int  # characters
    own: re.Pattern[str]  # the clause names its speaker
    mine: re.Pattern[str]  # somebody of whom it is told that they are the speaker's
    others: re.Pattern[str]  # somebody else, or something that only the talk around it tells
    idle: tuple[tuple[str, re.Pattern[str]], ...]  # true, and not worth keeping
    telling: re.Pattern[str]  # its words are of what lasts
    lasting: re.Pattern[str]  # with it, what else would pass lasts
    told: Callable[[Clause, Names], str]  # the clause about its speaker, or quoted
