"""What models cost in a day is kept over a restart."""

from __future__ import annotations

import pytest

from memory.models.chat import Tier
from memory.models.chat_http import HttpChat
from memory.models.tiers import ModelSettings, TierSettings
from memory.store import layout
from tests.conftest import OpenEngine
from tests.fakes import FixedClock

TIER = TierSettings(model="m", base_url="http://127.0.0.1:9/v1")
SETTINGS = ModelSettings(tiers={Tier.SUMMARY: TIER}, daily_tokens=1_000, daily_tokens_per_character=100)


async def test_a_budget_holds_for_the_whole_day_whatever_restarts(open_engine: OpenEngine, clock: FixedClock) -> None:
    before = HttpChat(lambda: SETTINGS, clock)
    engine = await open_engine(chat=before)
    before.ledger.spend("Momo", 100)
    await engine.close()
    after = HttpChat(lambda: SETTINGS, clock)
    await open_engine(chat=after)
    assert after.usage() == {"day": "2026-05-04", "tokens": 100, "calls": 1, "by_space": {"Momo": 100}}
    assert not after.usable(Tier.SUMMARY, "Momo")
    assert after.usable(Tier.SUMMARY, "Mio")
    clock.advance(86_400)
    assert after.usable(Tier.SUMMARY, "Momo")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"day": "2026-05-04", "tokens": "many"}', '{"day": "someday"}'])
async def test_a_file_that_cannot_be_read_counts_as_none(
    open_engine: OpenEngine, clock: FixedClock, content: str
) -> None:
    engine = await open_engine()
    (engine.settings.data_root / layout.MODEL_USAGE).write_text(content)
    chat = HttpChat(lambda: SETTINGS, clock)
    await open_engine(chat=chat)
    assert chat.usage()["tokens"] == 0


async def test_without_a_model_nothing_is_written(open_engine: OpenEngine) -> None:
    engine = await open_engine()
    await engine.close()
    assert not (engine.settings.data_root / layout.MODEL_USAGE).exists()
