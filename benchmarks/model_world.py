"""An engine with a scripted model in simulated time: what the benchmarks of models have in common."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path

from memory.engine import Engine
from memory.models.chat import NoChat, Tier
from memory.models.chat_http import HttpChat
from memory.models.tiers import ModelSettings, TierSettings
from memory.settings import Settings

TICK = 60.0        # seconds, simulated


class Clock:
    """Goes on when it is told to."""

    def __init__(self) -> None:
        self._now = datetime(2026, 5, 4, 10, 0, tzinfo=timezone(timedelta(hours=2)))
        self._monotonic = 0.0

    def now(self) -> datetime:
        return self._now

    def local(self, moment: datetime) -> datetime:
        return moment.replace(tzinfo=self._now.tzinfo) if moment.tzinfo is None else moment.astimezone(self._now.tzinfo)

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds


def settings_for(address: str, *, seconds: float) -> ModelSettings:
    """Every tier at one address; ``seconds`` is how long a call may take."""
    tier = TierSettings(model="scripted", base_url=address, timeout=seconds)
    return ModelSettings(tiers=dict.fromkeys(Tier, tier))


@asynccontextmanager
async def engine_at(root: Path, clock: Clock, address: str | None, *, seconds: float = 60.0) -> AsyncIterator[Engine]:
    """An engine that asks the model at ``address``, or none."""
    settings = settings_for(address, seconds=seconds) if address is not None else None
    chat = HttpChat(lambda: settings, clock) if settings is not None else NoChat()
    engine = await Engine.open(Settings(data_root=root, background=False), clock=clock, chat=chat)
    try:
        yield engine
    finally:
        await engine.close()
        await chat.close()


async def go_round(engine: Engine, clock: Clock, character: str) -> None:
    """One minute later: the rounds of rules and of models, and the owed work."""
    clock.advance(TICK)
    await engine.rounds.tick()
    await engine.thoughts.tick()
    async with engine.spaces.use(character) as space:
        await engine.worker.perform_all(space)
