"""What ranking knows of a document besides its words, as one row of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from math import tanh

import numpy as np

from memory.recall import words
from memory.recall.cues import is_question
from memory.recall.document import CATEGORIES, TIERS, TURN, Document
from memory.recall.segment import ASKING, CATEGORY_SHIFT, SUPERSEDED, TEMPORAL, Ints
from memory.recall.when import interval, seconds

TIER_CODES = {tier: code for code, tier in enumerate(TIERS)}
CATEGORY_CODES: dict[str | None, int] = {category: code for code, category in enumerate(CATEGORIES, 1)}
NOBODY = -1
# Stands before an entity where a document names no speaker; no display name begins with it.
ENTITY_MARK = "\x00"

# A silence of this many seconds ends one conversation and begins another.
_SILENCE = 3 * 3600.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading a text once told of it."""

    tokens: int             # how many
    tells_time: bool
    text: int               # hash of it


def text_hash(text: str) -> int:
    """64 bits that change when the text does."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


class Recorder:
    """Gives speakers and sessions their codes and counts the tokens of each session.

    A document belongs to the session it names. Of those that name none, turns that follow each
    other without a long silence are one session, and everything else belongs to its day.
    """

    def __init__(self) -> None:
        self.speakers: dict[str, int] = {}
        self._raw_speakers: dict[str, int] = {}
        self._sessions: dict[str, int] = {}
        self._tokens: Ints = np.zeros(16, dtype=np.int64)
        self._count = 0
        self._published: Ints | None = None
        self._talk = NOBODY
        self._talk_at = 0.0

    def record(self, document: Document, serial: int, read: Reading) -> tuple[object, ...]:
        """The document's row of ``segment.RECORD``. Rows are to be asked for in order of serial."""
        first, last = interval(document.start, document.end, document.created_at)
        start = seconds(first)
        if document.tier == TURN and document.session is None:
            session = self._talk_of(start)
        else:
            session = self._named(f"{document.tier}/{document.session or first.toordinal()}")
        self._tokens[session] += read.tokens
        self._published = None
        flags = (
            (SUPERSEDED if document.superseded else 0)
            | (TEMPORAL if read.tells_time else 0)
            | (ASKING if is_question(document.text) else 0)
            | CATEGORY_CODES.get(document.category, 0) << CATEGORY_SHIFT
        )
        dated = document.dated
        return (
            start if dated else np.nan,
            seconds(last) if dated else np.nan,
            seconds(document.created_at),
            serial,
            document.order,
            read.text,
            session,
            self.speaker(document.speaker or f"{ENTITY_MARK}{document.entity}"),
            first.toordinal() if dated else 0,
            last.toordinal() if dated else 0,
            (min(max(document.importance, 0), 10) - 5) / 5 + tanh(document.evidence / 2),
            first.month * 32 + first.day if dated else 0,
            TIER_CODES.get(document.tier, len(TIER_CODES)),
            flags,
        )

    def forget(self, session: int, tokens: int) -> None:
        """A document of that session and length left."""
        self._tokens[session] -= tokens
        self._published = None

    def speaker(self, name: str | None) -> int:
        if name is None:
            return NOBODY
        code = self._raw_speakers.get(name)
        if code is None:
            folded = words.fold(name).strip(" ")
            code = self.speakers.setdefault(folded, len(self.speakers)) if folded else NOBODY
            self._raw_speakers[name] = code
        return code

    def session_tokens(self) -> Ints:
        """Tokens by session code; a copy that never changes."""
        if self._published is None:
            self._published = self._tokens[: self._count].copy()
        return self._published

    def _talk_of(self, start: float) -> int:
        if self._talk == NOBODY or abs(start - self._talk_at) > _SILENCE:
            self._talk = self._new()
        self._talk_at = start
        return self._talk

    def _named(self, name: str) -> int:
        code = self._sessions.get(name)
        if code is None:
            code = self._sessions[name] = self._new()
        return code

    def _new(self) -> int:
        if self._count == len(self._tokens):
            self._tokens = np.concatenate([self._tokens, np.zeros_like(self._tokens)])
        self._count += 1
        return self._count - 1
