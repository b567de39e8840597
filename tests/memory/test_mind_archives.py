"""The daily round: what is counted, what is put away, and where it is then."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import orjson
import pytest

from memory.engine import Engine
from memory.errors import UnknownSpace
from memory.persona.sweep import ARCHIVE, put_away, sweep
from memory.reflections.evidence import Evidence
from memory.reflections.reflection import ARCHIVED, CONFIRMED, DENIED, EPISODE, MERGED, PROMOTED, STATE
from memory.store.files import Disk
from memory.store.shards import SHARD_ROWS, Shards
from tests.conftest import OpenEngine, Perform
from tests.fakes import MORNING, FixedClock
from tests.memory.mind_world import MOMO, confirmed, entry, happened, momo, put, reflection

DAY = timedelta(days=1)
AGAINST = Evidence(disputation=1.0, disputed_at=MORNING)
TEA = reflection("ref_tea", "Lin likes tea.", MORNING)


async def days_of_sweeping(engine: Engine, clock: FixedClock, days: int) -> None:
    for _ in range(days):
        async with momo(engine) as space:
            for _ in range(3):
                clock.advance(3_600)
                await sweep(space)
        clock.advance(86_400 - 3 * 3_600)


async def test_two_weeks_below_zero_archive_a_reflection(engine: Engine, clock: FixedClock, perform: Perform) -> None:
    async with momo(engine) as space:
        await put(space, replace(TEA, evidence=AGAINST))
    await days_of_sweeping(engine, clock, 13)
    async with momo(engine) as space:
        assert (space.reflections.get("ref_tea") or TEA).evidence.sub_zero_days == 13
    await days_of_sweeping(engine, clock, 1)
    await perform(MOMO)
    async with momo(engine) as space:
        assert space.reflections.get("ref_tea") is None
        rows = await space.reflection_archive.rows()
        assert [(row["id"], row["status"], row["archive_shard_path"][:10]) for row in rows] == [
            ("ref_tea", ARCHIVED, "2026-05-17")
        ]
        told = await happened(space, "reflection.state_changed")
        assert [(data["to"], data["rule"]) for data in told] == [(ARCHIVED, "below_zero")]


async def test_two_weeks_below_zero_archive_an_entry(engine: Engine, clock: FixedClock, perform: Perform) -> None:
    async with momo(engine) as space:
        await put(space, entry("prom_tea", "Lin likes tea.", MORNING, evidence=AGAINST))
        await put(space, entry("card", "性格: x", MORNING, evidence=AGAINST, protected=True))
    await days_of_sweeping(engine, clock, 14)
    await perform(MOMO)
    async with momo(engine) as space:
        assert [one.id for one in space.persona] == ["card"]
        [row] = await space.persona_archive.rows()
        assert (row["id"], row["text"]) == ("prom_tea", "Lin likes tea.")


async def test_a_memory_that_was_only_passed_over_is_alive_after_a_year(engine: Engine, clock: FixedClock) -> None:
    async with momo(engine) as space:
        await put(space, replace(TEA, evidence=Evidence(reinforcement=-0.2, reinforced_at=MORNING)))
    await days_of_sweeping(engine, clock, 365)
    async with momo(engine) as space:
        found = space.reflections.get("ref_tea")
        assert found is not None
        assert found.evidence.sub_zero_days == 0


async def test_a_recovery_ends_the_count(engine: Engine, clock: FixedClock) -> None:
    async with momo(engine) as space:
        await put(space, replace(TEA, evidence=AGAINST))
    await days_of_sweeping(engine, clock, 10)
    async with momo(engine) as space:
        doubted = (space.reflections.get("ref_tea") or TEA).evidence
        await put(space, replace(TEA, evidence=replace(doubted, reinforcement=3.0, reinforced_at=clock.now())))
        await sweep(space)
        assert (space.reflections.get("ref_tea") or TEA).evidence.sub_zero_days == 0


@pytest.mark.parametrize(("scope", "days"), [(EPISODE, 3 + 30), (STATE, 7 + 30)])
async def test_what_is_over_fades_a_month_later(
    engine: Engine, clock: FixedClock, perform: Perform, scope: str, days: int
) -> None:
    async with momo(engine) as space:
        await put(space, replace(confirmed(TEA, MORNING), temporal_scope=scope, event_end_at=MORNING))
        clock.advance(days * 86_400)
        assert await sweep(space) == 0
        clock.advance(1)
        assert await sweep(space) == 1
    await perform(MOMO)
    async with momo(engine) as space:
        assert [data["rule"] for data in await happened(space, "reflection.state_changed")] == ["faded"]
        assert len(await space.reflection_archive.rows()) == 1


async def test_what_a_model_drew_long_ago_does_not_fade(engine: Engine, clock: FixedClock) -> None:
    async with momo(engine) as space:
        await put(space, replace(confirmed(TEA, MORNING), temporal_scope=EPISODE, event_end_at=MORNING, method=None))
        clock.advance(400 * 86_400)
        assert await sweep(space) == 0


@pytest.mark.parametrize(("status", "leaves"), [(PROMOTED, True), (DENIED, True), (MERGED, False)])
async def test_what_ended_a_month_ago_leaves_the_file_without_ending_again(
    engine: Engine, clock: FixedClock, perform: Perform, status: str, leaves: bool
) -> None:
    async with momo(engine) as space:
        await put(space, replace(TEA, status=status, entered={CONFIRMED: MORNING - DAY, status: MORNING}))
        clock.advance(30 * 86_400 + 1)
        await sweep(space)
    await perform(MOMO)
    async with momo(engine) as space:
        assert (space.reflections.get("ref_tea") is None) == leaves
        assert [row["status"] for row in await space.reflection_archive.rows()] == ([status] if leaves else [])
        assert await happened(space, "reflection.state_changed") == []


async def test_putting_away_may_be_done_twice(engine: Engine, clock: FixedClock) -> None:
    async with momo(engine) as space:
        await put(space, replace(TEA, evidence=replace(AGAINST, sub_zero_days=14)))
        await sweep(space)
        op = space.outbox.of_kind(ARCHIVE)
        assert op is not None
        await put_away(space, op)
        await put_away(space, op)
        assert len(await space.reflection_archive.rows()) == 1
        assert space.outbox.of_kind(ARCHIVE) is None


async def test_a_stop_before_the_shard_is_written_loses_nothing(open_engine: OpenEngine) -> None:
    engine = await open_engine()
    async with momo(engine) as space:
        await put(space, replace(TEA, evidence=replace(AGAINST, sub_zero_days=14)))
        await sweep(space)
    await engine.close()
    engine = await open_engine()
    async with momo(engine) as space:
        assert space.reflections.get("ref_tea") is None
        await engine.worker.perform_all(space)
        assert [row["id"] for row in await space.reflection_archive.rows()] == ["ref_tea"]


async def test_a_sweep_with_nothing_to_do_writes_nothing(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, TEA)
        before = space.journal.seq
        assert await sweep(space) == 0
        assert space.journal.seq == before


# the shards themselves


def shards(root: Path, *names: str, rows: int = 1) -> Shards:
    directory = root / "reflection_archive"
    directory.mkdir(parents=True)
    for name in names:
        (directory / name).write_bytes(orjson.dumps([{"id": f"{name}{n}"} for n in range(rows)]))
    return Shards(directory, Disk())


async def test_rows_go_to_the_first_shard_of_the_day_with_room(tmp_path: Path) -> None:
    shelf = shards(tmp_path, "2026-05-04_bbbbbbbb.json", "2026-05-04_aaaaaaaa.json", "2026-05-03_00000000.json")
    assert await shelf.target(date(2026, 5, 4), "x") == "2026-05-04_aaaaaaaa.json"


async def test_a_full_or_unreadable_shard_is_never_written_over(tmp_path: Path) -> None:
    shelf = shards(tmp_path, "2026-05-04_aaaaaaaa.json", rows=SHARD_ROWS)
    (shelf.directory / "2026-05-04_bbbbbbbb.json").write_bytes(b"[{")
    first = await shelf.target(date(2026, 5, 4), "x")
    assert first == await shelf.target(date(2026, 5, 4), "x")
    assert first not in ("2026-05-04_aaaaaaaa.json", "2026-05-04_bbbbbbbb.json")
    await shelf.add(first, [{"id": "ref_1"}])
    assert (shelf.directory / "2026-05-04_bbbbbbbb.json").read_bytes() == b"[{"
    assert len(await shelf.rows()) == SHARD_ROWS + 1


@pytest.mark.parametrize("name", ["../evil.json", "a/b.json", "events.ndjson"])
async def test_a_shard_cannot_be_anywhere_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="shard"):
        await shards(tmp_path).add(name, [{"id": "x"}])


async def test_a_deleted_character_is_not_made_again_by_its_archive(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, TEA)
        shelf = space.reflection_archive
    async with engine.spaces.closed(MOMO):
        for path in sorted(engine.spaces.directory(MOMO).rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        engine.spaces.directory(MOMO).rmdir()
    with pytest.raises(FileNotFoundError):
        await shelf.add("2026-05-04_aaaaaaaa.json", [{"id": "ref_1"}])
    assert not engine.spaces.directory(MOMO).exists()
    with pytest.raises(UnknownSpace):
        async with engine.spaces.use(MOMO):
            pass
