"""English habits: what the speaker does again and again, or no longer."""

from __future__ import annotations

import re

from memory.facts.rules.clause import Finding
from memory.facts.rules.english.grammar import whole
from memory.facts.rules.english.moments import EVERY, MANNER, NOTHING, POINTING, Look
from memory.facts.rules.english.said import Said
from memory.facts.rules.english.values import trimmed
from memory.facts.rules.english.words import PAST_VERB, PRESENT_VERB

_HABIT = whole(
    r"I (?P<adv>(?:really |also |still |just |almost )*(?:usually|always|often|never|normally|"
    r"typically|generally|rarely|seldom|regularly|tend to|mostly|sometimes|frequently|hardly ever|"
    r"almost never|occasionally)) (?P<x>.+)"
)


_OVER = whole(rf"I (?:don't|no longer) {MANNER}(?P<x>{PRESENT_VERB}\b(?!.*\b(?:you|your)\b).{{2,}}?)(?: anymore)?")


_HABIT_BARE = whole(rf"I (?:{MANNER})(?P<x>{PRESENT_VERB}\b.*)")


_HABIT_ANY = whole(
    rf"I {MANNER}(?P<x>(?!\w+ed\b|am\b|was\b|have to\b|need\b|want\b|feel\b|think\b|know\b|hate\b|"
    r"love\b|like\b|enjoy\b|miss\b|wish\b|hope\b|guess\b|can\b|could\b|will\b|would\b|don't\b|got\b|"
    rf"{PAST_VERB}\b)[a-z]{{2,12}} .+)"
)


_HABIT_NOT = re.compile(
    r"^(?:knew|thought|think|said|say|mind|wanted|want|expected|imagined|feel|felt|believe|believed|"
    r"wonder|wondered|hope|hoped|forget (?:your|you|that)|remember|love (?:talking|it|when)|had|have "
    r"(?:a good|fun|been|to|the|you)|"
    r"can|could|will|would|get (?:it|so|this|that)|know|understand|heard|seen|saw|been|told|tell|ask|"
    r"asked|gonna|going|agree|trust|miss|lie|lied|win|am|do (?:this|that|it)|really|a |the |thought|"
    r"realized|loved|liked|looked|was|were|give up|saying|got)\b",
    re.IGNORECASE,
)


def habits(said: Said) -> Look:
    """A habit; habits have no date."""
    text, spoken = said.text, said.spoken
    over = _OVER.match(text)
    if over and re.search(r"\b(?:anymore|no longer)\b", text, re.IGNORECASE) and not POINTING.search(over["x"]):
        return Finding(
            slot="habit", value=over["x"], text=said.told(trimmed(text)), negated=True, correction=True
        ), None
    match = _HABIT.match(text)
    often = bool(EVERY.search(spoken)) and not re.search(r"\ball the time\b.*\bnow\b", spoken)
    if match is None and often:
        match = _HABIT_BARE.match(text) or _HABIT_ANY.match(text)
    if match is None or _HABIT_NOT.match(match["x"]) or POINTING.search(match["x"]):
        return NOTHING
    adverb = match.groupdict().get("adv") or ""
    if (
        adverb
        and not often
        and (len(match["x"].split()) < 2 or not re.match(rf"{PRESENT_VERB}\b", match["x"], re.IGNORECASE))
    ):
        return NOTHING
    negated = bool(re.search(r"never|hardly|rarely|seldom", adverb, re.IGNORECASE))
    return Finding(slot="habit", value=match["x"], text=said.told(trimmed(text)), negated=negated), None
