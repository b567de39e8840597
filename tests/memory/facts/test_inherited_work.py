"""What the companion still owed when its directory was opened here."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

from memory.engine import Engine

LEARNT = {"type": "human", "data": {"content": "I live in Porto."}}
MISSED = {"type": "human", "data": {"content": "I am allergic to peanuts."}}


def companion_directory(root: Path, owed: list[object]) -> None:
    """Two turns in the database, and a job about some messages that never ran."""
    directory = root / "memory" / "Mio"
    directory.mkdir(parents=True)
    with sqlite3.connect(directory / "time_indexed.db") as db:
        db.execute(
            "CREATE TABLE time_indexed_original"
            " (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, message TEXT, timestamp DATETIME)"
        )
        for message in (LEARNT, MISSED):
            db.execute(
                "INSERT INTO time_indexed_original (session_id, message, timestamp) VALUES (?, ?, ?)",
                ("s", json.dumps(message), "2026-05-01 10:00:00.000000"),
            )
    op = {"op_id": "op-1", "type": "extract_facts", "payload": {"messages": owed}, "status": "pending"}
    (directory / "outbox.ndjson").write_text(json.dumps(op | {"ts": "2026-05-01T10:00:00"}) + "\n")


async def test_turns_that_it_had_not_got_round_to_are_learnt_and_its_job_is_done(
    root: Path, open_engine: Callable[..., Awaitable[Engine]]
) -> None:
    companion_directory(root, [MISSED])
    engine = await open_engine()
    async with engine.spaces.use("Mio") as space:
        await engine.worker.perform_all(space)
        await engine.worker.perform_all(space)
        # The other turn was dealt with before, in whatever words; it is not read again.
        assert [fact.text for fact in space.facts] == ["The user is allergic to peanuts."]
        assert not space.outbox.pending


async def test_a_job_about_turns_that_nobody_knows_is_done_without_a_trace(
    root: Path, open_engine: Callable[..., Awaitable[Engine]]
) -> None:
    companion_directory(root, [{"type": "human", "data": {"content": "I live in Rome."}}, 7, None])
    engine = await open_engine()
    async with engine.spaces.use("Mio") as space:
        await engine.worker.perform_all(space)
        assert not list(space.facts)
        assert not space.outbox.pending
