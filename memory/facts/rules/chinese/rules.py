"""All Chinese rules, in the order in which they are tried."""

from __future__ import annotations

from memory.facts.rules.chinese.selves import HEALTH, SELVES
from memory.facts.rules.chinese.tastes import TASTES
from memory.facts.rules.chinese.ties import TIES
from memory.facts.rules.chinese.ways import WAYS

RULES = (*SELVES, *HEALTH, *TIES, *TASTES, *WAYS)
