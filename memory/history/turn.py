"""One message of a conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Content = str | list[Any]

HUMAN, AI, SYSTEM = "human", "ai", "system"

# The stamp that the companion's connector puts before assistant text: [20260501 Fri 14:30]
CONNECTOR_STAMP = re.compile(r"^\s*\[\d{8} [A-Z][a-z]{2} \d{2}:\d{2}\]\s?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as a caller sent it, decoded and checked but not yet kept."""

    kind: str                        # HUMAN, AI or SYSTEM
    content: Content
    said_at: datetime | None = None  # aware; when the caller says it was said
    speaker: str | None = None       # display name, when the caller gives one

    @property
    def text(self) -> str:
        return text_of(self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message that is kept: immutable, ordered by ``row``."""

    id: str
    row: int                         # place in the chronological table, from 1, never reused
    kind: str
    content: Content
    at: datetime                     # aware; when it was said, else when it arrived
    session: str                     # one per request that brought it
    speaker: str | None = None

    @property
    def text(self) -> str:
        return text_of(self.content)

    def to_json(self) -> dict[str, Any]:
        value: dict[str, Any] = {
            "id": self.id,
            "row": self.row,
            "type": self.kind,
            "content": self.content,
            "at": self.at.isoformat(),
            "session": self.session,
        }
        if self.speaker is not None:
            value["speaker"] = self.speaker
        return value

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Turn:
        return cls(
            id=value["id"],
            row=value["row"],
            kind=value["type"],
            content=value["content"],
            at=datetime.fromisoformat(value["at"]),
            session=value["session"],
            speaker=value.get("speaker"),
        )


def text_of(content: object) -> str:
    """The readable text of a content value: a string, or its text parts joined by line ends."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts: list[str] = []
        for part in content:
            if isinstance(part, str):
                parts.append(part)
            elif isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str):
                parts.append(part["text"])
        return "\n".join(parts)
    return ""


def without_stamp(text: str) -> str:
    """The text without the connector's leading time stamp."""
    return CONNECTOR_STAMP.sub("", text, count=1)
