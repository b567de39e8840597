"""What happens to an English speaker in time."""

from __future__ import annotations

import re

from memory.facts.rules.clause import Finding
from memory.facts.rules.english.events import events
from memory.facts.rules.english.habits import habits
from memory.facts.rules.english.plans import plans
from memory.facts.rules.english.said import Said
from memory.facts.rules.english.states import states

_VAGUE = re.compile(
    r"\b(?:to|on|of|for|with|about|through|from|in|at|is|are|and|or|who|it's)$|\bsomething\b|^\w+ "
    r"(?:this|that|these|those)\b|^\w+ (?:a lot|a ton|so much|something\b.*|a place|a problem|some "
    r"(?:stuff|things)|things|stuff|nothing)$|^learned a lot\b|\b(?:it|them)\b(?! (?:was|is))",
    re.IGNORECASE,
)


def happening(said: Said) -> list[Finding]:
    """The plan, event, habit or state of a clause about the speaker."""
    for look in (plans, habits, events, states):
        finding, past = look(said)
        if finding is not None and not _VAGUE.search(finding.value):
            return [said.when(finding, past)]
    return []
