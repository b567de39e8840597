"""The client against a provider that behaves in every way that providers do, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from memory.errors import ModelFailed
from memory.model_config import ModelConfig
from memory.models.breaker import FAILURES, OPEN_SECONDS
from memory.models.chat import Tier
from memory.models.chat_http import HttpChat
from tests.fakes import FixedClock

Answer = tuple[int, bytes]
MESSAGES = [{"role": "user", "content": "hello"}]


def completion(text: str, tokens: int = 7) -> Answer:
    value = {"choices": [{"message": {"content": text}}], "usage": {"total_tokens": tokens}}
    return 200, json.dumps(value).encode()


class Provider:
    """An HTTP server that answers as it is told and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[str] = []
        self.answer: Callable[[dict[str, Any]], Answer] = lambda body: completion("fine")
        self.delay = 0.0
        self.port = 0
        self.running = 0
        self.most_at_once = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lengths = [line[15:] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
                length = int(lengths[0])
                body = json.loads(await reader.readexactly(length))
                self.headers.append(head.decode())
                self.asked.append(body)
                self.running += 1
                self.most_at_once = max(self.most_at_once, self.running)
                await asyncio.sleep(self.delay)
                self.running -= 1
                status, content = self.answer(body)
                writer.write(f"HTTP/1.1 {status} X\r\ncontent-length: {len(content)}\r\n\r\n".encode() + content)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def chatting(root: Path, clock: FixedClock, more: str = "") -> AsyncIterator[tuple[HttpChat, Provider]]:
    provider = Provider()
    server = await asyncio.start_server(provider.serve, "127.0.0.1", 0)
    provider.port = server.sockets[0].getsockname()[1]
    (root / "config").mkdir()
    address = f"http://127.0.0.1:{provider.port}/v1"
    (root / "config" / "models.toml").write_text(
        f'{more}\n[summary]\nmodel = "small"\nbase_url = "{address}"\napi_key = "secret-key"\n'
    )
    chat = HttpChat(ModelConfig(root, {}).current, clock)
    try:
        yield chat, provider
    finally:
        await chat.close()
        server.close()
        await server.wait_closed()


async def test_a_reply_is_the_text_of_the_first_choice_and_no_temperature_is_sent(tmp_path: Path) -> None:
    async with chatting(tmp_path, FixedClock()) as (chat, provider):
        assert await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=50) == "fine"
    assert provider.asked == [{"model": "small", "messages": MESSAGES, "max_tokens": 50}]
    assert "authorization: bearer secret-key" in provider.headers[0].lower()


async def test_a_tier_without_a_model_is_an_error_at_the_call(tmp_path: Path) -> None:
    async with chatting(tmp_path, FixedClock()) as (chat, provider):
        assert not chat.configured(Tier.EMOTION)
        with pytest.raises(ModelFailed, match="no model is configured"):
            await chat.reply(Tier.EMOTION, MESSAGES, max_tokens=50)
    assert provider.asked == []


@pytest.mark.parametrize(
    ("answer", "retryable"),
    [
        ((429, b"{}"), True),
        ((500, b"oops"), True),
        ((401, b"{}"), False),
        ((200, b"not json"), True),
        ((200, b'{"choices": []}'), True),
        (completion("   "), True),
    ],
)
async def test_a_bad_answer_is_a_failure_that_says_whether_to_try_again(
    tmp_path: Path, answer: Answer, retryable: bool
) -> None:
    async with chatting(tmp_path, FixedClock()) as (chat, provider):
        provider.answer = lambda body: answer
        with pytest.raises(ModelFailed) as caught:
            await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=50)
    assert caught.value.retryable is retryable
    assert "secret-key" not in str(caught.value)


async def test_an_endpoint_that_names_the_limit_differently_is_asked_again_under_that_name(tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> Answer:
        if "max_tokens" in body:
            return 400, b'{"error": {"message": "Unsupported parameter: max_tokens"}}'
        return completion("fine")

    async with chatting(tmp_path, FixedClock()) as (chat, provider):
        provider.answer = answer
        assert await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=9) == "fine"
        assert await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=9) == "fine"
    # Twice for the first call, once for the second, which knows by then.
    assert [body.get("max_completion_tokens") for body in provider.asked] == [None, 9, 9]


async def test_a_late_answer_is_a_failure_after_the_given_seconds(tmp_path: Path) -> None:
    async with chatting(tmp_path, FixedClock()) as (chat, provider):
        provider.delay = 30.0
        with pytest.raises(ModelFailed, match="no answer in time"):
            await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=50, seconds=0.05)


async def test_a_model_that_keeps_failing_is_left_alone_and_then_probed_once(tmp_path: Path) -> None:
    clock = FixedClock()
    async with chatting(tmp_path, clock) as (chat, provider):
        provider.answer = lambda body: (500, b"")
        for _ in range(FAILURES + 3):
            with pytest.raises(ModelFailed):
                await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=50)
        assert len(provider.asked) == FAILURES
        assert chat.breaker_state(Tier.SUMMARY) == "open"
        clock.advance(OPEN_SECONDS)
        with pytest.raises(ModelFailed):
            await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=50)
        assert len(provider.asked) == FAILURES + 1
        assert chat.breaker_state(Tier.SUMMARY) == "open"
        clock.advance(OPEN_SECONDS)
        provider.answer = lambda body: completion("back")
        assert await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=50) == "back"
        assert chat.breaker_state(Tier.SUMMARY) == "closed"


async def test_no_more_calls_run_at_once_than_the_tier_allows(tmp_path: Path) -> None:
    async with chatting(tmp_path, FixedClock()) as (chat, provider):
        provider.delay = 0.02
        await asyncio.gather(*(chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=5) for _ in range(6)))
    assert len(provider.asked) == 6
    assert provider.most_at_once == 2  # the default


async def test_the_budget_of_a_day_stops_calls_until_the_next_day(tmp_path: Path) -> None:
    clock = FixedClock()
    async with chatting(tmp_path, clock, "daily_tokens = 100\ndaily_tokens_per_character = 10") as (chat, provider):
        provider.answer = lambda body: completion("fine", tokens=10)
        await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=5, space="Mio")
        with pytest.raises(ModelFailed, match="budget"):
            await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=5, space="Mio")
        for number in range(9):  # ten calls of ten tokens spend the hundred
            await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=5, space=f"other {number}")
        with pytest.raises(ModelFailed, match="budget"):
            await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=5, space="one more")
        clock.advance(86_400)
        await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=5, space="Mio")
    assert len(provider.asked) == 11


async def test_settings_follow_the_file_and_an_unreadable_file_keeps_the_last_ones(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.mkdir()
    environment = {"MEMORY_EMOTION_MODEL": "tiny", "MEMORY_EMOTION_BASE_URL": "http://localhost:1/v1"}
    settings = ModelConfig(tmp_path, environment)
    assert set(settings.current().tiers) == {Tier.EMOTION}
    (config / "models.toml").write_text('[default]\nmodel = "one"\nbase_url = "https://example.org/v1/"\n')
    assert {tier: one.model for tier, one in settings.current().tiers.items()} == {
        Tier.SUMMARY: "one", Tier.CORRECTION: "one", Tier.EMOTION: "tiny", Tier.CHAT: "one"
    }  # fmt: skip
    assert settings.current().tiers[Tier.SUMMARY].base_url == "https://example.org/v1"
    (config / "models.toml").write_text("[default\n")
    assert settings.current().tiers[Tier.SUMMARY].model == "one"


async def test_the_companion_s_own_settings_serve_where_nothing_else_is_said(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "core_config.json").write_text(
        '{"models": {"summary": {"model": "a", "base_url": "http://localhost:1/v1", "api_key": "k"}},'
        ' "correctionModel": "b", "correctionBaseUrl": "http://localhost:2/v1"}'
    )
    tiers = ModelConfig(tmp_path, {}).current().tiers
    assert (tiers[Tier.SUMMARY].model, tiers[Tier.CORRECTION].model) == ("a", "b")
    assert "'k'" not in repr(tiers[Tier.SUMMARY])  # a key never shows where settings are printed


async def test_neither_keys_nor_addresses_nor_texts_are_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with chatting(tmp_path, FixedClock()) as (chat, provider):
        await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=5)
        provider.answer = lambda body: (500, b"hello secret-key")
        with pytest.raises(ModelFailed) as caught:
            await chat.reply(Tier.SUMMARY, MESSAGES, max_tokens=5)
    told = caplog.text + str(caught.value)
    assert not [word for word in ("secret-key", "hello", "127.0.0.1") if word in told]
