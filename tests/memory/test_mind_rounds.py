"""The rounds in which every character gets its turn."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import orjson
import pytest

from memory.engine import Engine
from memory.history.record import COMPRESS, Incoming, cache
from memory.history.turn import HUMAN, Message
from memory.persona import mind
from memory.store import layout
from memory.work.rounds import CHORES, Chore, Rounds, Visit
from tests.conftest import OpenEngine
from tests.fakes import MORNING, FixedClock
from tests.memory.mind_world import MOMO, confirmed, hear, momo, put, reflection, talk


async def make(engine: Engine, *names: str) -> None:
    for name in names:
        async with engine.spaces.use(name, create=True) as space:
            await cache(space, Incoming(messages=[Message(kind=HUMAN, content="hello")]))


def rounds(
    engine: Engine, work: Callable[[Visit], Awaitable[object]], *, when_quiet: bool = False, admits: object = None
) -> Rounds:
    chore = Chore(name="work", first=60.0, every=40.0, work=work, when_quiet=when_quiet)
    return Rounds(engine.spaces, engine.cast, engine.clock, admits or (lambda name: True), engine.sync_cards, [chore])  # type: ignore[arg-type]


async def test_everybody_gets_their_turn_at_the_chore_s_own_pace(engine: Engine, clock: FixedClock) -> None:
    await make(engine, "Ann", "Bea", "Cid")
    seen: list[str] = []

    async def work(visit: Visit) -> None:
        seen.append(visit.space.name)

    going = rounds(engine, work)
    await going.tick()
    assert seen == []               # not before its first time
    clock.advance(60)
    await going.tick()
    await going.tick()
    assert seen == ["Ann", "Bea", "Cid"]
    clock.advance(40)
    await going.tick()
    assert sorted(seen) == sorted(["Ann", "Bea", "Cid"] * 2)


async def test_a_tick_begins_after_the_character_at_which_the_last_one_ended(engine: Engine, clock: FixedClock) -> None:
    await make(engine, "Ann", "Bea", "Cid")
    seen: list[str] = []

    async def work(visit: Visit) -> None:
        seen.append(visit.space.name)
        if len(seen) == 1:
            raise KeyboardInterrupt  # the process is stopped in the middle of the round

    going = rounds(engine, work)
    clock.advance(60)
    going._last = "Ann"
    with pytest.raises(KeyboardInterrupt):
        await going.tick()
    await going.tick()
    assert seen == ["Bea", "Bea", "Cid", "Ann"]


async def test_one_character_s_failure_stops_nobody_and_is_tried_less_and_less(
    engine: Engine, clock: FixedClock, caplog: pytest.LogCaptureFixture
) -> None:
    await make(engine, "Ann", "Bea")
    seen: list[str] = []

    async def work(visit: Visit) -> None:
        seen.append(visit.space.name)
        if visit.space.name == "Ann":
            raise RuntimeError("secret words")

    going = rounds(engine, work)
    clock.advance(60)
    with caplog.at_level(logging.ERROR):
        for _ in range(10):
            await going.tick()
            clock.advance(40)
    assert seen.count("Bea") == 10
    assert seen.count("Ann") == 3       # after 0, 80 and 80 + 160 seconds
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


async def test_nothing_is_done_for_a_name_that_is_claimed_or_while_storage_is_blocked(
    engine: Engine, clock: FixedClock
) -> None:
    await make(engine, "Ann", "Bea")
    async with engine.spaces.use("Ann") as space:
        await put(space, confirmed(reflection("ref_1", "x", MORNING), MORNING, 5.0))
    clock.advance(600)
    engine.gate.blocked = True
    await engine.rounds.tick()
    engine.gate.blocked = False
    engine.claims.register("Ann", "token", None, hold=False)
    await engine.rounds.tick()
    async with engine.spaces.use("Ann") as space:
        assert len(space.persona) == 0
    engine.claims.withdraw("Ann", "token")
    await engine.rounds.tick()
    async with engine.spaces.use("Ann") as space:
        assert len(space.persona) == 1


async def test_quiet_work_waits_for_this_character_only(engine: Engine, clock: FixedClock) -> None:
    await make(engine, "Ann", "Bea")
    seen: list[str] = []

    async def work(visit: Visit) -> None:
        seen.append(visit.space.name)

    going = rounds(engine, work, when_quiet=True)
    clock.advance(60)
    await make(engine, "Ann")           # somebody is talking with Ann
    await going.tick()
    assert seen == ["Bea"]
    clock.advance(10)
    await going.tick()
    assert seen == ["Bea", "Ann"]


async def test_whom_nobody_talks_with_is_visited_once_an_hour(open_engine: OpenEngine, clock: FixedClock) -> None:
    engine = await open_engine()
    await make(engine, "Ann", "Bea")
    seen: list[str] = []
    clock.advance(3_600)

    async def work(visit: Visit) -> None:
        seen.append(visit.space.name)

    going = rounds(engine, work)
    for _ in range(80):
        clock.advance(60)
        await make(engine, "Bea")
        await going.tick()
    assert seen.count("Ann") == 2       # after one minute and after an hour and one
    assert seen.count("Bea") == 80


async def test_the_switch_is_read_each_time(engine: Engine, clock: FixedClock) -> None:
    await make(engine, "Ann")
    seen: list[tuple[bool, bool]] = []

    async def work(visit: Visit) -> None:
        seen.append((visit.powerful, visit.reviews))

    going = rounds(engine, work)
    config = engine.settings.data_root / layout.CONFIG
    config.mkdir(parents=True)
    clock.advance(60)
    await going.tick()
    (config / "core_config.json").write_bytes(
        orjson.dumps({"powerful_memory_enabled": False, "recent_memory_auto_review": False})
    )
    clock.advance(40)
    await going.tick()
    assert seen == [(True, True), (False, False)]


async def test_a_crash_between_learning_and_weighing_is_made_up_for(engine: Engine, clock: FixedClock) -> None:
    async with momo(engine) as space:
        await cache(space, Incoming(messages=[Message(kind=HUMAN, content="I live in Porto.")]))
        for op in list(space.outbox.pending.values()):    # the job is lost, the turns are not
            async with space.journal.write() as batch:
                batch.finish(op.id)
    clock.advance(600)
    await engine.rounds.tick()
    async with momo(engine) as space:
        assert [one.text for one in space.facts] == ["The user lives in Porto."]
        assert space.facts.unweighed(1) == []
        assert space.views.cursors.row("attended_row") == 1


async def test_a_long_window_is_owed_its_compression_when_nobody_talks(engine: Engine, clock: FixedClock) -> None:
    await hear(engine, *[(HUMAN, f"line {number}") for number in range(21)])
    clock.advance(600)
    await engine.rounds.tick()
    async with momo(engine) as space:
        assert space.outbox.of_kind(COMPRESS) is not None


async def test_quiet_rounds_write_nothing(engine: Engine, clock: FixedClock) -> None:
    await talk(engine, ("I live in Porto.", "Nice."))
    for _ in range(3):
        clock.advance(7_200)
        await engine.rounds.tick()
    async with momo(engine) as space:
        before = space.journal.seq
        for _ in range(20):
            clock.advance(7_200)
            await engine.rounds.tick()
        assert space.journal.seq == before


def test_every_chore_has_the_published_pace() -> None:
    assert {chore.name: (chore.first, chore.every) for chore in CHORES} == {
        "maintain": (20, 40), "listen": (60, 40), "promote": (150, 180), "recheck": (180, 30), "synthesize": (200, 180),
        "put in order": (250, 3600), "refine": (400, 1800),
    }  # fmt: skip
    assert [chore.name for chore in CHORES if chore.when_quiet] == ["maintain"]


async def test_what_waits_for_a_model_is_counted(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, reflection("ref_1", "x", MORNING, needs_model=True), reflection("ref_2", "y", MORNING))
        assert mind.undecided(space) == {"fact_pairs": 0, "corrections": 0, "reflections": 1}
        assert space.name == MOMO
