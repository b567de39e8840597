"""What is asked of a language model: a tier and messages in, text out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol

from memory.errors import BadAnswer, NotAsked


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

    def usable(self, tier: Tier, space: str = "") -> bool:
        """Whether that model may be asked now: it is not being left alone, and today's budget is not spent."""
        ...

    def model(self, tier: Tier) -> str | None:
        """The name of the tier's model, to mark what it said; None without one."""
        ...

    def address(self, tier: Tier) -> str | None:
        """Where the tier's model is asked, as it was configured; None without one."""
        ...

    async def reply(
        self,
        tier: Tier,
        messages: Sequence[Mapping[str, str]],
        *,
        max_tokens: int,
        seconds: float | None = None,
        space: str = "",
    ) -> str:
        """The model's answer to ``[{"role", "content"}]``, on the account of ``space``. Raises ModelFailed.

        ``max_tokens`` bounds the answer; 0 leaves that to the model.
        """
        ...

    def breaker_state(self, tier: Tier) -> str | None:
        """``closed``, ``open`` or ``half-open``; None without a model."""
        ...

    def usage(self) -> dict[str, object]:
        """Calls and tokens of the present day: ``day``, ``calls``, ``tokens``, ``by_space``. Empty without a model."""
        ...

    def resume(self, usage: object) -> None:
        """Go on with a day's count that :meth:`usage` gave before a restart."""
        ...

    async def close(self) -> None:
        """Let go of what it holds open."""
        ...


class NoChat:
    """No model at all: a real and permanent way to run."""

    def configured(self, tier: Tier) -> bool:
        return False

    def usable(self, tier: Tier, space: str = "") -> bool:
        return False

    def model(self, tier: Tier) -> str | None:
        return None

    def address(self, tier: Tier) -> str | None:
        return None

    async def reply(
        self,
        tier: Tier,
        messages: Sequence[Mapping[str, str]],
        *,
        max_tokens: int,
        seconds: float | None = None,
        space: str = "",
    ) -> str:
        raise NotAsked(tier, "no model is configured", retryable=False)

    def breaker_state(self, tier: Tier) -> str | None:
        return None

    def usage(self) -> dict[str, object]:
        return {}

    def resume(self, usage: object) -> None:
        return None

    async def close(self) -> None:
        return None


def method_of(chat: Chat, tier: Tier) -> str:
    """How what the tier's model says is marked: ``model:<tier>:<name>``."""
    return f"model:{tier}:{(chat.model(tier) or 'unnamed')[:80]}"


_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_LONGEST = 200_000      # characters of an answer that are read
_STARTS = 50            # places at which a value is looked for
_MENDED = 3             # … and at which a broken one is mended
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")


def json_reply(tier: Tier, text: str) -> Any:
    """The first JSON value in an answer, whatever stands around it. Raises BadAnswer.

    Thinking aloud and code fences are passed over, a comma too many is forgiven, and of an answer that was cut off
    everything up to its last whole element counts.
    """
    body = _THOUGHT.sub("", text[:_LONGEST])
    decoder = json.JSONDecoder()
    starts = [match.start() for match in re.finditer(r"[{\[]", body)][:_STARTS]
    for number, start in enumerate(starts):
        rest = body[start:]
        mended = (_TRAILING_COMMA.sub(r"\1", rest), _closed(rest)) if number < _MENDED else ()
        for candidate in (rest, *mended):
            try:
                return decoder.raw_decode(candidate)[0]
            except (json.JSONDecodeError, RecursionError):
                continue
    raise BadAnswer(tier, "the answer holds no JSON")


def _closed(text: str) -> str:
    """A value that was cut off, up to its last whole element, with its brackets closed."""
    open_: list[str] = []
    whole: tuple[int, str] = (0, "")
    quoted = escaped = False
    for place, char in enumerate(text):
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "{[":
            open_.append("}" if char == "{" else "]")
        elif char in "}]":
            if not open_ or open_.pop() != char:
                break
            whole = (place + 1, "".join(reversed(open_)))
    end, closing = whole
    return text[:end] + closing
