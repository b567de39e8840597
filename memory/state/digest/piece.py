"""A raw event as a digest reads it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.state.digest_state import DOCUMENT, EVENT, Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One event with its present text."""

    id: str
    turn: str                   # the turn that has the text
    row: int                    # the learning clock: rows only grow, whatever time an event claims
    at: datetime                # aware; its own time, of a document that of its text
    text: str
    key: str | None = None
    is_document: bool = False
    is_reply: bool = False      # said by a character or an assistant
    pinned: bool = False

    def reference(self, kind: str | None) -> Reference:
        """What something rests on that was taken from here."""
        return Reference(
            id=self.id,
            source=DOCUMENT if self.is_document else EVENT,
            key=self.key if self.is_document else None,
            kind=kind,
            turn=self.turn,
        )


def in_order(piece: Piece) -> tuple[float, int]:
    """The key that puts pieces in order, oldest first."""
    return piece.at.timestamp(), piece.row
