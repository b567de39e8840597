"""Counting transitions from the journal."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import orjson
import pytest

from memory.engine import Engine
from memory.funnel import Counts, count
from tests.conftest import OpenEngine
from tests.fakes import MORNING, ZONE, FixedClock
from tests.memory.mind_world import entry, fact, momo, put, reflection

EVER = (MORNING - timedelta(days=999), MORNING + timedelta(days=999))
ZEROS = Counts().to_json()


def theirs(type_: str, ts: object = "2026-05-01T08:00:00", **payload: object) -> bytes:
    return orjson.dumps({"event_id": "u", "type": type_, "ts": ts, "payload": payload}) + b"\n"


async def counted(
    engine: Engine, *lines: bytes, since: datetime = EVER[0], until: datetime = EVER[1]
) -> dict[str, int]:
    async with momo(engine) as space:
        await put(space, fact("fact_1", "x", MORNING))
        with space.journal.path.open("ab") as file:
            file.writelines(lines)
        found = (await count(space, since, until)).to_json()
    return {name: number for name, number in found.items() if number != (1 if name == "facts_added" else 0)}


def test_there_are_always_ten() -> None:
    assert len(ZEROS) == 10
    assert set(ZEROS.values()) == {0}


@pytest.mark.parametrize(
    ("line", "counter"),
    [
        (theirs("reflection.synthesized"), "reflections_synthesized"),
        *[(theirs("reflection.state_changed", to=state), f"reflections_{state}")
          for state in ("confirmed", "promoted", "merged", "denied", "archived")],
        (theirs("persona.fact_added", text="x"), "persona_entries_added"),
        (theirs("persona.fact_added", archive_shard_path="2026-05-01_00000000.json"), "persona_entries_archived"),
        (theirs("persona.entry_updated"), "persona_entries_rewritten"),
    ],
)  # fmt: skip
async def test_lines_of_another_program_count(engine: Engine, line: bytes, counter: str) -> None:
    assert await counted(engine, line) == {counter: 1}


@pytest.mark.parametrize(
    "line",
    [
        theirs("reflection.state_changed", to="promote_blocked"), theirs("reflection.state_changed"),
        theirs("correction.queued"), theirs("reflection.synthesized", ts=None),
        theirs("reflection.synthesized", ts="yesterday"), b"{not json\n", b"[1]\n", b"\n", b"7\n",
        b'{"type": "persona.entry_updated", "ts": "2026-05-01T08:00:00", "payload": 3}\n'[:40] + b"\n",
    ],
)  # fmt: skip
async def test_everything_else_is_passed_over(engine: Engine, line: bytes) -> None:
    assert await counted(engine, line) == {}


async def test_the_window_is_closed_on_both_ends(engine: Engine) -> None:
    lines = [theirs("reflection.synthesized", ts=f"2026-05-0{day}T08:00:00") for day in range(1, 6)]
    since, until = datetime(2026, 5, 2, 8, tzinfo=ZONE), datetime(2026, 5, 4, 8, tzinfo=ZONE)
    found = await counted(engine, *lines, since=since, until=until)
    assert found["reflections_synthesized"] == 3


async def test_rotated_segments_count_too(open_engine: OpenEngine, clock: FixedClock) -> None:
    engine = await open_engine(segment_bytes=2_000)
    async with momo(engine) as space:
        for number in range(40):
            await put(space, fact(f"fact_{number}", f"thing {number}", MORNING))
            clock.advance(60)
        assert len(list(space.directory.glob("events-*.ndjson"))) > 2
        assert (await count(space, *EVER)).facts_added == 40
        assert (await count(space, clock.now() - timedelta(minutes=10), clock.now())).facts_added == 10


async def test_counting_changes_nothing(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, fact("fact_1", "x", MORNING), reflection("ref_1", "y", MORNING), entry("e", "z", MORNING))
        before: Any = space.journal.path.read_bytes()
        found = (await count(space, *EVER)).to_json()
        assert space.journal.path.read_bytes() == before
    assert found == {**ZEROS, "facts_added": 1, "reflections_synthesized": 1, "persona_entries_added": 1}


async def test_a_character_without_a_journal_counts_nothing(engine: Engine) -> None:
    async with momo(engine) as space:
        assert (await count(space, *EVER)).to_json() == ZEROS
