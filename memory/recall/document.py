"""What recall searches."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

FACT, REFLECTION, FACT_ARCHIVE, TURN, PERSONA = "fact", "reflection", "fact_archive", "turn", "persona"
DEFAULT_TIERS = (FACT, REFLECTION, FACT_ARCHIVE)
TIERS = (*DEFAULT_TIERS, TURN, PERSONA)
CATEGORIES = ("profile", "preferences", "entities", "events", "cases", "patterns")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One searchable text with what ranking may use."""

    id: str
    tier: str
    text: str
    entity: str
    created_at: datetime              # aware
    start: datetime | None = None     # event window, aware, closed on both ends
    end: datetime | None = None
    order: int = 0                    # place in its source; neighbours have neighbouring orders (turns: the row)
    session: str | None = None        # what belongs together (turns: one conversation)
    speaker: str | None = None        # who said it, as a name
    importance: int = 5               # 1..10
    evidence: float = 0.0             # how often it was confirmed rather than disputed
    category: str | None = None       # one of CATEGORIES, for facts
    stored: bool = False              # somebody wrote it on purpose, rather than it being told from a conversation
    superseded: bool = False          # a newer statement replaced it
    hidden: bool = False              # suppressed, protected or disputed: never returned
    dated: bool = True                # False: its event time could not be read; outside every window
    sources: tuple[str, ...] = ()     # ids of what it rests on
    aliases: str = ""                 # words by which it is found as well; they are not part of what it means

    @property
    def searched(self) -> str:
        """The words that it is found by."""
        return f"{self.text}\n{self.aliases}" if self.aliases else self.text
