"""An erasing that breaks off anywhere: the state is whole, the owed job completes it, and so does asking again."""

from __future__ import annotations

import shutil
from pathlib import Path

import orjson
import pytest

from memory.engine import Engine
from memory.erase import ERASE, erase, find
from memory.history.compress import compress
from memory.settings import Settings
from memory.store import layout
from memory.store.files import Disk
from tests.fakes import CountingIds, FixedClock
from tests.memory.remembered import NAME, grep, learn_all, rebuilt, rows_in_journal, say, texts_of_turns, whole

SECRET = "Zanzibar"
STAYS = "I like green tea."


class Snapshots:
    """Copies the root at every named point, as a crash there would leave it."""

    def __init__(self, root: Path, into: Path) -> None:
        self.taken: dict[str, Path] = {}
        self.on = False
        self._root = root
        self._into = into

    def __call__(self, point: str) -> None:
        if self.on and point not in self.taken:
            copy = self._into / f"{len(self.taken):03d}"
            shutil.copytree(self._root, copy)
            self.taken[point] = copy


async def open_at(root: Path, disk: Disk | None = None) -> Engine:
    settings = Settings(data_root=root, background=False, segment_bytes=6_000)
    return await Engine.open(settings, clock=FixedClock(), ids=_LaterIds(), disk=disk)


class _LaterIds(CountingIds):
    """Ids that no earlier engine made."""

    made = 0

    def new(self, kind: str) -> str:
        _LaterIds.made += 1
        return f"{kind}_{_LaterIds.made}"


@pytest.fixture
async def snapshots(tmp_path: Path) -> Snapshots:
    root = tmp_path / "root"
    snapshots = Snapshots(root, tmp_path / "copies")
    engine = await open_at(root, Disk(snapshots))
    await say(engine, f"I live in {SECRET}.", STAYS, f"Remember: {SECRET} is far.")
    await learn_all(engine)
    await say(engine, *(f"Message {number} about gardens." for number in range(24)))
    async with engine.spaces.use(NAME) as space:
        await compress(space, engine.cast.names(NAME))
        await space.save()
    line = orjson.dumps({"event_id": "e", "type": "correction.queued", "ts": "t", "payload": {"text": f"of {SECRET}"}})
    with (root / layout.MEMORY / NAME / layout.EVENTS).open("ab") as file:
        file.write(line + b"\n")
    async with engine.spaces.use(NAME) as space:
        selection = await find(space, text=SECRET)
        snapshots.on = True
        await erase(space, selection, engine.cast.names(NAME))
        snapshots.on = False
    await engine.close()
    return snapshots


async def test_at_every_point_the_journal_makes_the_state_and_the_owed_job_completes_it(snapshots: Snapshots) -> None:
    assert {"erase.committed", "erase.saved", "rewrite.before_replace", "rewrite.replaced", "erase.rewritten"} <= set(
        snapshots.taken
    )
    committed = False
    for point, root in snapshots.taken.items():
        committed = committed or point == "commit.appended"
        engine = await open_at(root)
        async with engine.spaces.use(NAME) as space:
            assert await rebuilt(space) == whole(space.views), point
            shown = {turn.row: turn.id for turn in await space.turns.after(0, 10_000)}
            assert await rows_in_journal(space) == shown, point
            assert any(SECRET in text for text in await texts_of_turns(space)) is not committed, point
            for op in space.outbox.pending.values():
                assert SECRET not in str(op.payload), point
            await engine.worker.perform_all(space)
            assert not [op for op in space.outbox.pending.values() if op.kind == ERASE], point
            await space.save()
        if committed:
            assert grep(root, f"I live in {SECRET}") == [], point
            assert grep(root, f"Remember: {SECRET}") == [], point
        await engine.close()


async def test_at_every_point_asking_again_completes_it(snapshots: Snapshots) -> None:
    for point, root in list(snapshots.taken.items())[::3]:
        engine = await open_at(root)
        async with engine.spaces.use(NAME) as space:
            await erase(space, await find(space, text=SECRET), engine.cast.names(NAME))
            assert await rebuilt(space) == whole(space.views), point
            assert STAYS in await texts_of_turns(space)
        assert grep(root, SECRET) == [], point
        await engine.close()
