"""Events for digests, a minute apart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from memory.state.digest.piece import Piece
from memory.state.digest.run import Grounds, Made, run
from memory.state.digest_state import DigestState
from memory.state.facets import PACKS

BEGAN = datetime(2026, 5, 4, tzinfo=UTC)
EMPTY = DigestState()


def piece(number: int, text: str, **more: Any) -> Piece:
    own = {"id": f"turn_{number}", "turn": f"turn_{number}", "row": number, "at": BEGAN + timedelta(minutes=number)}
    return Piece(**{**own, "text": text, **more})


def document(number: int, text: str, key: str = "spec", **more: Any) -> Piece:
    return piece(number, text, key=key, is_document=True, **more)


def told(*texts: str, before: DigestState = EMPTY, first: int = 1, **grounds: Any) -> Made:
    """What becomes of a state when these are said."""
    return digested([piece(number, text) for number, text in enumerate(texts, start=first)], before, **grounds)


def digested(pieces: Sequence[Piece], before: DigestState = EMPTY, **grounds: Any) -> Made:
    return run(before, pieces, Grounds(**{"pack": PACKS["project"], "window": 50, **grounds}))


def values(made: Made, name: str) -> list[str]:
    return [line.value for line in made.state.of(name)]
