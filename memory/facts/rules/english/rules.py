"""All English rules, in the order in which they are tried."""

from __future__ import annotations

from memory.facts.rules.english.selves import HEALTH, WHO_AM_I
from memory.facts.rules.english.tastes import TASTES
from memory.facts.rules.english.ties import TIES
from memory.facts.rules.english.ways import WAYS

RULES = (*WHO_AM_I, *HEALTH, *TIES, *WAYS, *TASTES)
