"""Stored memories at every point at which a crash may separate one write to the disk from the next.

One run; at each named point the whole root is copied as it stands then, together with what had been
acknowledged by then. Each copy is opened as a process would open it after dying there.
"""

from __future__ import annotations

import errno
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memory.engine import Engine
from memory.facts.consolidate import consolidate
from memory.facts.desk import CONFLICT, Outcome
from memory.facts.forms import Beside, statement
from memory.facts.memory import CATEGORIES
from memory.facts.resolve import resolve
from memory.facts.store import store
from memory.ids import RandomIds
from memory.scopes import Scope, read_scope
from memory.sessions.checkpoint import Checkpoint
from memory.sessions.save import save
from memory.settings import Settings
from memory.space import MemorySpace
from memory.store.files import Disk
from memory.views import Views
from tests.fakes import FixedClock

SCOPE = read_scope("project:demo")
CHECKPOINTS = "@checkpoints"


class Copies:
    """Copies the root at each point, the first three times it is passed."""

    def __init__(self, root: Path, kept: Path) -> None:
        self.acknowledged: list[str] = []
        self.taken: list[tuple[str, Path, list[str]]] = []
        self._root = root
        self._kept = kept
        self._passed: Counter[str] = Counter()

    def __call__(self, point: str) -> None:
        self._passed[point] += 1
        if self._passed[point] <= 3:
            copy = self._kept / f"{len(self.taken)}"
            shutil.copytree(self._root, copy)
            self.taken.append((f"{point} {self._passed[point]}", copy, list(self.acknowledged)))


async def opened(root: Path, disk: Disk | None = None) -> Engine:
    settings = Settings(data_root=root, background=False, save_delay=0.0)
    return await Engine.open(settings, clock=FixedClock(), ids=RandomIds(), disk=disk)


async def put(space: MemorySpace, text: str, key: str, category: str = "entities") -> Outcome:
    draft = statement(text, category=category, beside=Beside(importance=0.7, label="agent", key=key))
    (outcome,) = await store(space, SCOPE, [draft])
    return outcome


async def live(engine: Engine, copies: Copies) -> None:
    """Stores, updates, disputes, resolves, merges and saves a checkpoint; notes each thing once it is acknowledged."""
    async with engine.scoped.writing(SCOPE) as space:
        for number in range(3):
            await put(space, f"The db is number {number}", "db")
            copies.acknowledged.append(f"db {number}")
        refused = await put(space, "The user runs the db", "db", "profile")
        assert refused.disposition == CONFLICT
        assert refused.conflict is not None
        copies.acknowledged.append("conflict")
        await space.save()
        await resolve(space, SCOPE, refused.conflict.id, "accept_incoming")
        copies.acknowledged.append("resolved")
        for key in ("one", "two"):
            await put(space, f"The API runs on Bun{'!' * (key == 'two')}", key)
        await space.save()
        copies.acknowledged.append("twins")
        await consolidate(
            space, SCOPE, categories=CATEGORIES, cluster_from=0.85, merge_from=0.92, most=100, apply=True
        )
        copies.acknowledged.append("merged")
        await space.save()
    async with engine.spaces.use(CHECKPOINTS, create=True) as space:
        wanted = Checkpoint(
            id="", session_id="s", scope="project:demo", resolved_scope="project:demo", summary="Half",
            updated_at=space.clock.now(),
        )  # fmt: skip
        await save(space, wanted)
        copies.acknowledged.append("checkpoint")
        await space.save()


async def test_whatever_the_moment_of_death_what_was_acknowledged_is_there(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    copies = Copies(root, tmp_path)
    # One thread: nothing else is written while a copy is made.
    engine = await opened(root, Disk(copies, threads=1))
    await live(engine, copies)
    await engine.close()
    assert len(copies.taken) > 20
    for point, copy, acknowledged in copies.taken:
        try:
            await check(copy, acknowledged)
        except AssertionError as error:
            error.add_note(f"died at {point}, acknowledged {acknowledged}")
            raise


async def check(root: Path, acknowledged: list[str]) -> None:
    engine = await opened(root)
    try:
        async with engine.scoped.reading(SCOPE) as space:
            assert space is not None or acknowledged == []
            if space is not None:
                await check_memories(space, acknowledged)
        if "checkpoint" in acknowledged:
            async with engine.spaces.use(CHECKPOINTS) as space:
                latest = space.views.checkpoints.latest(session_id="s")
                assert latest is not None
                assert latest.summary == "Half"
    finally:
        await engine.close()


async def check_memories(space: MemorySpace, acknowledged: list[str]) -> None:
    assert space.journal.damage is None
    owners = [fact for fact in space.facts if fact.memory is not None and fact.memory.key == "db"]
    assert len(owners) <= 1
    owner = next(iter(owners), None)
    stored = sum(note.startswith("db") for note in acknowledged)
    if owner is None:
        assert stored == 0
        return
    assert owner.memory is not None
    said = [*(version.fact.text for version in space.views.versions.of(owner.id)), owner.text]
    # Every version in order, none twice, and each overwrite together with what it overwrote.
    numbers = [text for text in said if text.startswith("The db is")]
    assert numbers == [f"The db is number {number}" for number in range(len(numbers))]
    assert stored <= len(numbers) <= stored + 1
    assert owner.memory.version == len(said)
    conflicts = list(space.views.conflicts)
    assert bool(conflicts) or "conflict" not in acknowledged
    resolved = owner.text == "The user runs the db"
    assert resolved == any(not one.is_open for one in conflicts)
    assert resolved or "resolved" not in acknowledged
    twins = [fact.text for fact in space.facts if fact.text.startswith("The API")]
    merged = [version for version in space.views.versions if version.status == "consolidated"]
    assert len(twins) + len(merged) == 2 or "twins" not in acknowledged
    assert (len(twins), len(merged)) == (1, 1) or "merged" not in acknowledged
    await check_rebuilt(space)


async def check_rebuilt(space: MemorySpace) -> None:
    """The journal alone gives the same memories."""
    fresh = Views(space.settings, space.clock)
    async for events in space.journal.events(0):
        for event in events:
            for view in fresh.all():
                view.fold(event)
    for live_view, made in zip(space.views.all(), fresh.all(), strict=True):
        assert b"".join(made.render()()) == b"".join(live_view.render()()), live_view.file
    assert fresh.facts.holdings.counts == space.facts.holdings.counts


@pytest.mark.parametrize("point", ["commit.before_append", "commit.half_appended", "commit.appended"])
async def test_a_write_that_the_disk_refuses_is_told_and_leaves_nothing(tmp_path: Path, point: str) -> None:
    refusing: list[Any] = []

    def step(reached: str) -> None:
        if refusing and reached == point:
            raise OSError(errno.ENOSPC, "No space left on device")

    engine = await opened(tmp_path / "root", Disk(step))
    async with engine.scoped.writing(SCOPE) as space:
        await put(space, "The db is number 0", "db")
        refusing.append(True)
        with pytest.raises(OSError, match="No space"):
            await put(space, "The db is number 1", "db")
        refusing.clear()
        assert [fact.text for fact in space.facts] == ["The db is number 0"]
        assert (await put(space, "The db is number 2", "db")).disposition == "updated"
    await engine.close()
    again = await opened(tmp_path / "root")
    async with again.scoped.writing(SCOPE) as space:
        (fact,) = space.facts
        assert fact.text == "The db is number 2"
        assert [version.fact.text for version in space.views.versions.of(fact.id)] == ["The db is number 0"]
    await again.close()


async def test_a_scope_keeps_its_name_through_a_lost_view(tmp_path: Path) -> None:
    engine = await opened(tmp_path / "root")
    async with engine.scoped.writing(Scope(name="Project:Demo", space=SCOPE.space)) as space:
        await put(space, "The db is number 0", "db")
        await space.flush()
        directory = space.directory
    await engine.close()
    (directory / "scope.json").write_text('{"name": "somebody else"}', encoding="utf-8")
    again = await opened(tmp_path / "root")
    async with again.spaces.use(SCOPE.space) as space:
        assert space.views.scope.value["name"] == "project:demo"
    await again.close()
