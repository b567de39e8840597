"""The one client that talks to a model provider: OpenAI-compatible ``/chat/completions``.

Keys and texts are never logged. No temperature is sent. Addresses of this machine are never
asked through a proxy. A call is made once; trying again is the business of the job, which knows
what it is worth.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2

from memory import tokens
from memory.clock import Clock
from memory.errors import EmptyAnswer, ModelFailed, NotAsked
from memory.models.breaker import Breaker, Ledger
from memory.models.chat import Tier
from memory.models.tiers import LONGEST, ModelSettings, TierSettings

# It writes whole addresses into its log, and a provider's key may stand in one.
logging.getLogger("httpx2").setLevel(logging.WARNING)

REPLY_LIMIT = 2 * 1024 * 1024   # bytes of one answer
_OTHER_FIELD = "max_completion_tokens"


@dataclass(slots=True)
class _Desk:
    """What is kept for one tier while its settings stand."""

    settings: TierSettings
    breaker: Breaker
    places: asyncio.Semaphore
    limit_field: str = "max_tokens"


class HttpChat:
    """A Chat over HTTP."""

    def __init__(self, settings: Callable[[], ModelSettings], clock: Clock) -> None:
        self.ledger = Ledger(clock)
        self._settings = settings
        self._clock = clock
        self._desks: dict[Tier, _Desk] = {}
        self._clients: dict[bool, httpx2.AsyncClient] = {}

    def configured(self, tier: Tier) -> bool:
        return tier in self._settings().tiers

    def usable(self, tier: Tier, space: str = "") -> bool:
        """Whether a model is configured, not being left alone, and within today's budgets."""
        desk = self._desk(tier)
        return desk is not None and desk.breaker.state != "open" and self._affords(space)

    def model(self, tier: Tier) -> str | None:
        settings = self._settings().tiers.get(tier)
        return settings.model if settings is not None else None

    def address(self, tier: Tier) -> str | None:
        settings = self._settings().tiers.get(tier)
        return settings.base_url if settings is not None else None

    def _affords(self, space: str) -> bool:
        budget = self._settings()
        return self.ledger.may_spend(space, budget.daily_tokens, budget.daily_tokens_per_character)

    def breaker_state(self, tier: Tier) -> str | None:
        """``closed``, ``open`` or ``half-open``; None without a model."""
        desk = self._desk(tier)
        return desk.breaker.state if desk is not None else None

    def _desk(self, tier: Tier) -> _Desk | None:
        settings = self._settings().tiers.get(tier)
        if settings is None:
            self._desks.pop(tier, None)
            return None
        desk = self._desks.get(tier)
        if desk is None or desk.settings != settings:  # another model begins without the old one's record
            desk = _Desk(settings, Breaker(self._clock), asyncio.Semaphore(settings.concurrency))
            self._desks[tier] = desk
        return desk

    async def reply(
        self,
        tier: Tier,
        messages: Sequence[Mapping[str, str]],
        *,
        max_tokens: int,
        seconds: float | None = None,
        space: str = "",
    ) -> str:
        """The model's answer. Raises ModelFailed, at the latest after the tier's timeout."""
        desk = self._desk(tier)
        if desk is None:
            raise NotAsked(tier, "no model is configured", retryable=False)
        if not self._affords(space):
            raise NotAsked(tier, "today's token budget is spent", retryable=True)
        if not desk.breaker.admits():
            raise NotAsked(tier, "the model failed too often and is left alone for a while", retryable=True)
        try:
            async with asyncio.timeout(min(seconds or LONGEST, desk.settings.timeout)), desk.places:
                text, spent = await self._call(tier, desk, messages, max_tokens)
        except TimeoutError as error:
            desk.breaker.failed()
            raise ModelFailed(tier, "no answer in time", retryable=True) from error
        except ModelFailed:
            desk.breaker.failed()
            raise
        except BaseException:
            desk.breaker.gave_up()
            raise
        desk.breaker.succeeded()
        self.ledger.spend(space, spent)
        return text

    async def _call(
        self, tier: Tier, desk: _Desk, messages: Sequence[Mapping[str, str]], max_tokens: int
    ) -> tuple[str, int]:
        response = await self._post(tier, desk, messages, max_tokens)
        if response.status_code == 400 and desk.limit_field in response.text and desk.limit_field != _OTHER_FIELD:
            desk.limit_field = _OTHER_FIELD  # newer endpoints know the limit under this name only
            response = await self._post(tier, desk, messages, max_tokens)
        if response.status_code != 200:
            retryable = response.status_code in (408, 409, 425, 429) or response.status_code >= 500
            raise ModelFailed(tier, f"the provider answered {response.status_code}", retryable=retryable)
        try:
            value = response.json()
            text = value["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise ModelFailed(tier, "the answer is not a chat completion", retryable=True) from error
        if not isinstance(text, str) or not text.strip():
            raise EmptyAnswer(tier)
        return text, _spent(value, messages, text)

    async def _post(
        self, tier: Tier, desk: _Desk, messages: Sequence[Mapping[str, str]], max_tokens: int
    ) -> httpx2.Response:
        settings = desk.settings
        headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
        body: dict[str, Any] = {"model": settings.model, "messages": list(messages)}
        if max_tokens:
            body[desk.limit_field] = max_tokens
        client = self._client(_is_loopback(settings.base_url))
        try:
            async with client.stream(
                "POST", f"{settings.base_url}/chat/completions", json=body, headers=headers
            ) as response:
                size = 0
                parts: list[bytes] = []
                async for part in response.aiter_bytes():
                    size += len(part)
                    if size > REPLY_LIMIT:
                        raise ModelFailed(tier, "the answer is too long", retryable=False)
                    parts.append(part)
                return httpx2.Response(response.status_code, content=b"".join(parts))
        except httpx2.HTTPError as error:
            why = f"the provider cannot be reached ({type(error).__name__})"
            raise ModelFailed(tier, why, retryable=True) from error

    def _client(self, loopback: bool) -> httpx2.AsyncClient:
        if loopback not in self._clients:
            self._clients[loopback] = httpx2.AsyncClient(trust_env=not loopback, timeout=LONGEST)
        return self._clients[loopback]

    def usage(self) -> dict[str, object]:
        return self.ledger.to_json()

    def resume(self, usage: object) -> None:
        self.ledger.restore(usage)

    async def close(self) -> None:
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()


def _spent(value: Mapping[str, Any], messages: Sequence[Mapping[str, str]], text: str) -> int:
    """Tokens of a call as the provider counts them, else as we do."""
    usage = value.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, Mapping) else None
    if isinstance(total, int) and total >= 0:
        return total
    return tokens.count(text) + sum(tokens.count(message["content"]) for message in messages)


def _is_loopback(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
