"""A directory made by the original companion server opens as it is and keeps what it does not know."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import orjson
import pytest

from memory.store import layout
from tests.conftest import OpenEngine
from tests.crash.evidence import contents, fingerprint
from tests.damaged.character import Character, abandon, mia_of

EVENTS = [
    {
        "event_id": f"old-{number}",
        "type": "reflection.evidence_updated",
        "ts": "2026-04-01T10:00:00",
        "payload": {"n": number},
    }
    for number in range(3)
]
FACTS: list[Any] = [
    {"id": "fact_20260401100000_aaaaaaaa", "text": "Ann plays chess.", "importance": 7, "entity": "user", "tags": ["x"],
     "hash": "0" * 16, "created_at": "2026-04-01T10:00:00", "absorbed": True, "recheck_attempts": 2},
    {"id": "fact_20260402100000_bbbbbbbb", "text": "Ann hat einen Hund.", "created_at": "not a time"},
    {"text": "a row without an id"},
]  # fmt: skip
RECENT = [
    {"type": "system", "data": {"content": "Summary of what came before."}},
    {"type": "human", "data": {"content": "hello", "additional_kwargs": {}, "name": None}},
    {"type": "ai", "data": {"content": [{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": "x"}]}},
]  # fmt: skip
OUTBOX = [
    {"op_id": "op-1", "type": "extract_facts", "payload": {"messages": RECENT[1:]}, "status": "pending",
     "ts": "2026-04-01T10:00:00"},
    {"op_id": "op-0", "type": "extract_facts", "payload": {}, "status": "pending", "ts": "2026-04-01T09:00:00"},
    {"op_id": "op-0", "status": "attempt", "ts": "2026-04-01T09:01:00"},
    {"op_id": "op-0", "status": "done", "ts": "2026-04-01T09:02:00"},
]  # fmt: skip
OTHERS = {
    "user_directives.json": b'{"version": 1, "directives": []}',
    "anti_repeat_corpus.json": b"{}",
    "settings.json": b'{"\xe5\x96\x9c\xe5\xa5\xbd": {}}',
    "a note.txt": b"not json",
}


@pytest.fixture
def companion(mia: Character) -> Character:
    """Mia as the original left her."""
    mia.directory.mkdir(parents=True)
    lines = b"".join(orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE) for event in EVENTS)
    mia.file(layout.EVENTS).write_bytes(lines)
    mia.file(layout.EVENTS_APPLIED).write_bytes(b'{"last_applied_event_id": "old-2", "ts": "2026-04-01T10:00:00"}')
    mia.file(layout.OUTBOX).write_bytes(
        b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in OUTBOX)
    )
    mia.file(layout.FACTS).write_text(json.dumps(FACTS, ensure_ascii=False, indent=2), encoding="utf-8")
    mia.file(layout.RECENT).write_text(json.dumps(RECENT, ensure_ascii=False, indent=2), encoding="utf-8")
    mia.file(layout.RECENT_META).write_bytes(b'{"last_past_block_update_at": "2026-04-01T10:00:00"}')
    mia.file(layout.CURSORS).write_bytes(b'{"rebuttal_checked_until": "2026-04-01T10:00:00"}')
    for name, data in OTHERS.items():
        (mia.directory / name).write_bytes(data)
    connection = sqlite3.connect(mia.file(layout.TURNS))
    for table in ("time_indexed_original", "time_indexed_compressed"):
        connection.execute(
            f"CREATE TABLE {table} (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, message TEXT)"
        )
    connection.executemany(
        "INSERT INTO time_indexed_original (session_id, message) VALUES ('s', ?)",
        [(json.dumps(message, ensure_ascii=False),) for message in RECENT[1:]],
    )
    connection.execute("CREATE TABLE facts_of_theirs (x)")
    connection.commit()
    connection.close()
    return mia


async def test_everything_it_held_is_there(open_engine: OpenEngine, companion: Character) -> None:
    engine = await open_engine()
    async with mia_of(engine) as space:
        assert [entry.text for entry in space.recent.entries] == ["Summary of what came before.", "hello", "hi"]
        assert [(fact.text, fact.entity, fact.importance) for fact in space.facts] == [
            ("Ann plays chess.", "master", 7), ("Ann hat einen Hund.", "master", 5),
        ]  # fmt: skip
        assert [turn.text for turn in await space.turns.after(0, 10)] == ["hello", "hi"]
        assert space.views.cursors.value["rebuttal_checked_until"] == "2026-04-01T10:00:00"
        assert [(op.id, op.kind, op.foreign) for op in space.outbox.pending.values()] == [
            ("op-1", "extract_facts", True)
        ]


async def test_what_another_program_learnt_from_is_not_learnt_from_again(
    open_engine: OpenEngine, companion: Character
) -> None:
    engine = await open_engine()
    await companion.hear(engine, "I live in Porto.")
    await companion.work(engine)
    assert await companion.facts(engine) == ["Ann plays chess.", "Ann hat einen Hund.", "The user lives in Porto."]


async def test_unknown_fields_and_files_stay(open_engine: OpenEngine, companion: Character) -> None:
    engine = await open_engine()
    await companion.hear(engine, "I live in Porto.")
    await companion.work(engine)
    await engine.close()
    rows = companion.read(layout.FACTS)
    assert {key: rows[0][key] for key in ("tags", "recheck_attempts", "absorbed", "id")} == {
        "tags": ["x"], "recheck_attempts": 2, "absorbed": True, "id": FACTS[0]["id"],
    }  # fmt: skip
    assert {"text": "a row without an id"} in rows
    assert companion.read(layout.RECENT)[1]["data"]["additional_kwargs"] == {}
    assert companion.read(layout.RECENT)[2] == RECENT[2]
    assert companion.read(layout.RECENT_META)["last_past_block_update_at"] == "2026-04-01T10:00:00"
    for name, data in OTHERS.items():
        assert (companion.directory / name).read_bytes() == data
    lines = companion.file(layout.EVENTS).read_bytes().splitlines()
    assert [orjson.loads(line) for line in lines[:3]] == EVENTS
    assert companion.file(layout.OUTBOX).read_bytes().splitlines()[:4] == [orjson.dumps(line) for line in OUTBOX]
    connection = sqlite3.connect(companion.file(layout.TURNS))
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    messages = [json.loads(message) for (message,) in connection.execute("SELECT message FROM time_indexed_original")]
    connection.close()
    assert "facts_of_theirs" in tables
    assert messages[:2] == RECENT[1:]


async def test_our_lines_carry_the_keys_that_the_original_reads(open_engine: OpenEngine, companion: Character) -> None:
    engine = await open_engine()
    await companion.hear(engine, "one")
    await engine.close()
    last = orjson.loads(companion.file(layout.EVENTS).read_bytes().splitlines()[-1])
    assert {"event_id", "type", "ts", "payload"} <= last.keys()
    assert companion.read(layout.EVENTS_APPLIED)["last_applied_event_id"] == last["event_id"]


async def test_it_is_adopted_once(open_engine: OpenEngine, companion: Character) -> None:
    engine = await open_engine()
    await companion.window(engine)
    await engine.close()
    before = fingerprint(companion.directory)
    again = await open_engine()
    await companion.window(again)
    await again.close()
    assert fingerprint(companion.directory) == before


async def test_a_crash_right_after_its_adoption_changes_nothing_in_what_it_holds(
    open_engine: OpenEngine, companion: Character
) -> None:
    engine = await open_engine(save_delay=3600)
    async with mia_of(engine) as space:
        live = contents(space)
    await abandon(engine)
    again = await open_engine()
    async with mia_of(again) as space:
        assert contents(space) == live
        assert [turn.text for turn in await space.turns.after(0, 10)] == ["hello", "hi"]
    await again.close()
    assert len(companion.stored()) == 2


async def test_a_large_directory_is_adopted_in_lines_of_bounded_length_under_one_commit(
    open_engine: OpenEngine, mia: Character
) -> None:
    mia.directory.mkdir(parents=True)
    mia.edit(layout.FACTS, [{"id": f"fact_{number}", "text": f"Fact number {number}."} for number in range(1000)])
    engine = await open_engine()
    assert len(await mia.facts(engine)) == 1000
    await engine.close()
    lines = [orjson.loads(line) for line in mia.file(layout.EVENTS).read_bytes().splitlines()]
    assert [line.get("commit") for line in lines] == [None] * (len(lines) - 1) + [True]
    assert max(len(orjson.dumps(line)) for line in lines) < 200_000


async def test_it_opens_in_the_original_after_we_had_it(open_engine: OpenEngine, companion: Character) -> None:
    """As far as its forms go: plain lists of messages and facts, and rows with a naive local time."""
    engine = await open_engine()
    await companion.hear(engine, "one")
    await engine.close()
    assert all({"type", "data"} == entry.keys() for entry in companion.read(layout.RECENT))
    for row in companion.read(layout.FACTS)[:2]:
        assert {
            "id",
            "text",
            "importance",
            "entity",
            "source",
            "tags",
            "hash",
            "created_at",
            "schema_version",
        } <= row.keys()
        assert "+" not in row["created_at"]
    connection = sqlite3.connect(companion.file(layout.TURNS))
    ((stamp,),) = connection.execute("SELECT timestamp FROM time_indexed_original ORDER BY id DESC LIMIT 1").fetchall()
    connection.execute("INSERT INTO time_indexed_original (session_id, message) VALUES ('s', '{}')")
    ((row,),) = connection.execute("SELECT max(id) FROM time_indexed_original").fetchall()
    connection.close()
    assert (stamp, row) == ("2026-05-04 10:00:00.000000", 4)
