"""What is asked of a language model: a tier and messages in, text out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol

from memory.errors import ModelFailed


class Tier(StrEnum):
    """Which of the configured models does the work."""

    SUMMARY = "summary"
    CORRECTION = "correction"
    EMOTION = "emotion"
    CHAT = "chat"


class Chat(Protocol):
    """Talks to the configured models."""

    def configured(self, tier: Tier) -> bool:
        """Whether a model stands behind the tier now."""
        ...

    async def reply(self, tier: Tier, messages: Sequence[Mapping[str, str]], *, max_tokens: int) -> str:
        """The model's answer to ``[{"role", "content"}]``. Raises ModelFailed."""
        ...


class NoChat:
    """No model at all: a real and permanent way to run."""

    def configured(self, tier: Tier) -> bool:
        return False

    async def reply(self, tier: Tier, messages: Sequence[Mapping[str, str]], *, max_tokens: int) -> str:
        raise ModelFailed(tier, "no model is configured", retryable=False)


_FENCE = re.compile(r"^\s*```[a-zA-Z0-9]*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)


def json_reply(tier: Tier, text: str) -> Any:
    """The first JSON value in an answer, with or without a code fence around it. Raises ModelFailed."""
    fenced = _FENCE.match(text)
    body = fenced.group(1) if fenced else text
    decoder = json.JSONDecoder()
    for start in (place for place, char in enumerate(body) if char in "{["):
        try:
            return decoder.raw_decode(body, start)[0]
        except (json.JSONDecodeError, RecursionError):
            continue
    raise ModelFailed(tier, "the answer holds no JSON", retryable=True)
