"""Erasing from a memory that has everything in it: facts, reflections, persona, archives, and work that goes on."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.lives import ENGLISH
from benchmarks.ninety_days import BEGINNING, ScriptedClock, live
from memory import funnel
from memory.doctor import check_root
from memory.engine import Engine
from memory.erase import erase, find
from memory.settings import Settings
from tests.memory.remembered import grep, rebuilt, rows_in_journal, whole

DAYS = 45
NAME = ENGLISH.character
EVER = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root after a month and a half."""
    return tmp_path_factory.mktemp("life") / "root"


@pytest.mark.parametrize("text", ["hiking", "jasmine tea", "guitar", "coffee"])
async def test_nothing_of_it_is_left_and_nothing_comes_back(lived: Path, tmp_path: Path, text: str) -> None:
    if not lived.exists():
        await live(lived, ENGLISH, days=DAYS)
    root = tmp_path / "root"
    shutil.copytree(lived, root)
    clock = ScriptedClock(BEGINNING + timedelta(days=DAYS))
    settings = Settings(data_root=root, background=False, master_name=ENGLISH.master)
    engine = await Engine.open(settings, clock=clock)
    async with engine.spaces.use(NAME) as space:
        before = await funnel.count(space, *EVER)
        selection = await find(space, text=text)
        kinds = {item.kind for item in selection.items}
        assert {"turn"} < kinds, kinds
        await erase(space, selection, engine.cast.names(NAME))
        assert grep(root, text) == []
        assert await rebuilt(space) == whole(space.views)
        assert await rows_in_journal(space) == {turn.row: turn.id for turn in await space.turns.after(0, 100_000)}
        # What happened is still counted; only what it was about is gone.
        assert await funnel.count(space, *EVER) == before
    for _ in range(4):
        clock.go_to(clock.now() + timedelta(hours=7))
        await engine.rounds.tick()
        async with engine.spaces.use(NAME) as space:
            await engine.worker.perform_all(space)
    await engine.close()
    assert grep(root, text) == []
    assert check_root(settings, clock).healthy
