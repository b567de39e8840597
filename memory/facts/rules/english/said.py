"""An English clause taken apart."""

from __future__ import annotations

from memory.facts.rules.clause import Finding, Telling, dated
from memory.facts.rules.draft import TIMELESS
from memory.facts.rules.english.voice import quoted, sentence, told_of
from memory.facts.rules.event_when import resolve


class Said:
    """A clause taken apart: the time in front ("yesterday"), and the rest."""

    def __init__(self, text: str, lead: str, telling: Telling) -> None:
        self.text, self.lead, self.telling = text, lead, telling

    @property
    def spoken(self) -> str:
        """The clause as it was said, time and all."""
        return f"{self.lead} {self.text}".strip()

    def told(self, text: str, *, past: bool = False) -> str:
        """The text in the third person with the time put back in front, or quoted."""
        names = self.telling.names
        told = told_of(text, names, past=past)
        if told is None:
            return quoted(f"{self.lead} {text}".strip(), names)
        if not self.lead:
            return told
        start = names.master_in("en")
        if not names.master_is_named and told.startswith(start):
            told = told[0].lower() + told[1:]
        return sentence(f"{self.lead} {told}")

    def when(self, finding: Finding, past: bool | None) -> Finding:
        """The finding with the time the clause names, unless its slot knows none."""
        if finding.slot.partition(":")[0] in TIMELESS:
            return finding
        return dated(finding, resolve(self.spoken, self.telling.anchor, "en", past), "en")
