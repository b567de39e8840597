"""What the two languages have in common: a clause on its way to becoming a draft, and what a rule finds in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from memory.facts.fact import MASTER
from memory.facts.rules.compare import fold_object
from memory.facts.rules.draft import Draft, slot_of
from memory.facts.rules.event_when import When
from memory.people import Names


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One statement as spoken, cleaned for the rules."""

    text: str
    correction: bool = False  # came with a cue of change
    remember: bool = False  # the speaker asked for it to be kept
    asked: bool = False  # a request softened into a question: "call me Tom, ok?"
    carried: bool = False  # its subject comes from the clause before or is left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule saw: the slot and value, and the sentence to keep (already in the third person or quoted)."""

    slot: str
    value: str  # as spoken; folded when it becomes a draft
    text: str
    entity: str = MASTER
    negated: bool = False
    correction: bool = False
    bonus: int = 0  # added to the importance of the slot
    when: When | None = None
    confidence: float | None = None  # instead of the slot's own


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """Who tells, when; what every rule needs to know beside the clause."""

    names: Names
    anchor: datetime
    heard: str = ""  # the whole turn, for what only the rest of it can tell


def to_draft(finding: Finding, clause: Clause, language: str) -> Draft:
    """The finding as a draft, weighed by its slot, by correction and by an explicit wish to be remembered."""
    slot = slot_of(finding.slot)
    correction = finding.correction or clause.correction
    importance = min(10, slot.importance + finding.bonus + (1 if correction else 0))
    if clause.remember:
        importance = 10
    confidence = slot.confidence if finding.confidence is None else finding.confidence
    if clause.carried:
        confidence = max(0.5, confidence - 0.2)
    when = finding.when
    return Draft(
        text=finding.text,
        language=language,
        entity=finding.entity,
        importance=importance,
        confidence=round(confidence, 2),
        event_when_raw=when.raw if when else None,
        event_start_at=when.start if when else None,
        event_end_at=when.end if when else None,
        slot=finding.slot,
        object=fold_object(finding.value),
        negated=finding.negated,
        correction=correction,
    )


def dated(finding: Finding, when: When | None, language: str) -> Finding:
    """The finding with its time, and with the date beside words that would go stale ("tomorrow (2026-05-08)")."""
    if when is None:
        return finding
    label = when.label(language)
    text = finding.text
    if label:
        body, end = (text[:-1], text[-1]) if text[-1:] in ".。" else (text, "")
        text = f"{body}（{label}）{end}" if language == "zh" else f"{body} ({label}){end}"
    return replace(finding, text=text, when=when)
