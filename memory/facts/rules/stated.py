"""What a message states, clause by clause, also where no rule knows what it says: the ground others must stand on."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory.facts.rules.draft import Draft, Drop
from memory.facts.rules.tongue import Tongue

_PASSING = ("moment", "errand", "mood")    # what may last all the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """One clause that was neither asked nor imagined, reported, quoted or played."""

    text: str                   # as spoken
    language: str               # "en", "zh" or another
    told: str = ""              # about its speaker in the third person, or quoted
    known: bool = False         # rules drew facts from it
    idle: str | None = None     # why it is not worth keeping, or not certain whom it is about
    lasting: bool = True        # its words are of what lasts; where they are not it may still matter

    @property
    def is_open(self) -> bool:
        """Whether it may teach something that rules did not read."""
        return not self.known and self.idle is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What one message teaches by rules, what was left out, and what it states besides."""

    drafts: list[Draft] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    stated: list[Stated] = field(default_factory=list)


def idle_reason(text: str, tongue: Tongue) -> str | None:
    """Why a clause is not worth keeping: "nobody" and "others" where it is not the speaker it is about."""
    if not tongue.own.search(text):
        return "nobody"
    if tongue.others.search(tongue.mine.sub(" ", text)):
        return "others"
    lasting = bool(tongue.lasting.search(text))
    return next(
        (reason for reason, wording in tongue.idle if wording.search(text) and not (lasting and reason in _PASSING)), None
    )


def is_lasting(text: str, tongue: Tongue) -> bool:
    """Whether the words of a clause are of what lasts."""
    return bool(tongue.telling.search(text) or tongue.lasting.search(text))
