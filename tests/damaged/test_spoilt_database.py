"""A database that is broken, held by others, or written by them."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator

import orjson
import pytest

from memory.store import layout
from tests.conftest import OpenEngine
from tests.crash.evidence import fingerprint, rows_in_database
from tests.damaged.character import Character, abandon, mia_of


@contextlib.contextmanager
def database(mia: Character) -> Iterator[sqlite3.Connection]:
    """The database as another program opens it."""
    connection = sqlite3.connect(mia.file(layout.TURNS))
    try:
        yield connection
        connection.commit()
    finally:
        connection.close()


def add_row(
    connection: sqlite3.Connection, text: str, *, row: int | None = None, at: str | None = "2026-05-04 09:00:00"
) -> None:
    message = orjson.dumps({"type": "human", "data": {"content": text, "additional_kwargs": {}}}).decode()
    connection.execute(
        "INSERT INTO time_indexed_original (id, session_id, message, timestamp) VALUES (?, 'theirs', ?, ?)",
        (row, message, at),
    )


def _header(data: bytes) -> bytes:
    return b"not a database at all" + data[21:]


def _pages(data: bytes) -> bytes:
    """Everything behind the first page, which holds the schema, overwritten."""
    return data[:4096] + b"\xa5" * (len(data) - 4096)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(_header, id="its header"),
        pytest.param(_pages, id="its pages"),
        pytest.param(lambda data: data[:5000], id="cut"),
        pytest.param(lambda data: b"", id="empty"),
    ],
)
async def test_a_corrupt_database_is_set_aside_and_made_again(
    open_engine: OpenEngine, mia: Character, spoil: Callable[[bytes], bytes]
) -> None:
    engine = await open_engine()
    texts = [f"number {number}" for number in range(40)]
    for text in texts:
        await mia.hear(engine, text)
    await engine.close()
    path = mia.file(layout.TURNS)
    spoilt = spoil(path.read_bytes())
    path.write_bytes(spoilt)
    again = await open_engine()
    async with mia_of(again) as space:
        assert [turn.text for turn in await space.turns.after(0, 100)] == texts
    await again.close()
    assert mia.stored() == texts
    if spoilt:
        assert [aside.read_bytes() for aside in mia.asides(layout.TURNS)] == [spoilt]


async def test_a_lost_database_is_made_again_without_waiting_for_the_next_turn(
    open_engine: OpenEngine, mia: Character
) -> None:
    engine = await open_engine()
    await mia.hear(engine, "one")
    await engine.close()
    mia.file(layout.TURNS).unlink()
    again = await open_engine()
    await again.sweep()
    await again.close()
    assert mia.stored() == ["one"]


async def test_corruption_found_while_in_use_costs_one_answer_and_is_mended(
    open_engine: OpenEngine, mia: Character
) -> None:
    engine = await open_engine()
    texts = [f"number {number} {'x' * 200}" for number in range(300)]
    await mia.hear(engine, *texts)
    await engine.close()
    path = mia.file(layout.TURNS)
    data = bytearray(path.read_bytes())
    page = data.index(b"number 5 xxx") // 4096 * 4096  # old rows, which opening does not read
    data[page : page + 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    again = await open_engine()
    async with mia_of(again) as space:
        assert not space.turns.unreadable
        with pytest.raises(OSError, match="SQLITE_CORRUPT"):
            await space.turns.after(0, 1000)
    async with mia_of(again) as space:
        assert [turn.text for turn in await space.turns.after(0, 1000)] == texts
    await mia.hear(again, "more")
    await again.close()
    assert mia.stored() == [*texts, "more"]


async def test_a_database_that_somebody_holds_is_not_taken_for_corrupt(open_engine: OpenEngine, mia: Character) -> None:
    engine = await open_engine()
    await mia.hear(engine, "one")
    await engine.close()
    with database(mia) as holder:
        holder.execute("PRAGMA locking_mode=EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        add_row(holder, "theirs")
        again = await open_engine()
        async with again.spaces.use("Other", create=True):
            pass
        with pytest.raises(OSError, match="SQLITE_BUSY"):
            await mia.window(again)
    assert mia.asides(layout.TURNS) == []
    async with mia_of(again) as space:
        assert [turn.text for turn in await space.turns.after(0, 10)] == ["one", "theirs"]


async def test_rows_of_another_program_are_adopted_where_they_stand(open_engine: OpenEngine, mia: Character) -> None:
    engine = await open_engine()
    await mia.hear(engine, "one", "two")
    await engine.close()
    with database(mia) as connection:
        add_row(connection, "theirs", at=None)
        add_row(connection, "theirs too")
        before = connection.execute("SELECT * FROM time_indexed_original ORDER BY id").fetchall()
    again = await open_engine()
    await mia.hear(again, "three")
    await again.close()
    assert mia.said() == ["one", "two", "theirs", "theirs too", "three"]
    assert mia.stored() == ["one", "two", "theirs", "theirs too", "three"]
    with database(mia) as connection:  # what they wrote is as they wrote it
        assert connection.execute("SELECT * FROM time_indexed_original ORDER BY id").fetchall()[:4] == before


async def test_rows_that_collide_with_turns_not_yet_in_the_file_move_behind_them(
    open_engine: OpenEngine, mia: Character
) -> None:
    engine = await open_engine(save_delay=3600)
    await mia.hear(engine, "one")
    await mia.save(engine)
    await mia.hear(engine, "two", "three")
    await abandon(engine)
    with database(mia) as connection:
        for number in range(4):
            add_row(connection, f"theirs {number}")
    again = await open_engine()
    await mia.hear(again, "four")
    await again.close()
    expected = ["one", "two", "three", *(f"theirs {number}" for number in range(4)), "four"]
    assert mia.said() == expected
    assert mia.stored() == expected


@pytest.mark.parametrize("unsaved", [0, 2])
async def test_a_crash_after_adopting_rows_does_not_adopt_them_twice(
    open_engine: OpenEngine, mia: Character, unsaved: int
) -> None:
    engine = await open_engine(save_delay=3600)
    await mia.hear(engine, "one")
    await mia.save(engine)
    for number in range(unsaved):
        await mia.hear(engine, f"number {number}")
    await abandon(engine)
    with database(mia) as connection:
        for number in range(250):  # more than one event holds
            add_row(connection, f"theirs {number}")
    expected = [
        "one",
        *(f"number {number}" for number in range(unsaved)),
        *(f"theirs {number}" for number in range(250)),
    ]
    for _ in range(3):
        again = await open_engine(save_delay=3600)
        await mia.window(again)
        await abandon(again)  # before the database follows
        assert mia.said() == expected
    last = await open_engine()
    await mia.window(last)
    await last.close()
    assert mia.stored() == expected


async def test_rows_written_while_we_run_are_kept_and_adopted_at_the_next_opening(
    open_engine: OpenEngine, mia: Character
) -> None:
    engine = await open_engine()
    await mia.hear(engine, "one")
    await mia.save(engine)
    with database(mia) as connection:
        add_row(connection, "theirs")
        add_row(connection, "theirs too")
    await mia.hear(engine, "two")
    async with mia_of(engine) as space:
        assert [turn.text for turn in await space.turns.after(0, 10)] == ["one", "two"]
    await mia.save(engine)
    await mia.hear(engine, "three")
    async with mia_of(engine) as space:
        assert [turn.text for turn in await space.turns.after(0, 10)] == ["one", "two", "three"]
    await engine.close()
    again = await open_engine()
    await mia.window(again)
    await again.close()
    assert mia.stored() == ["one", "two", "three", "theirs", "theirs too"]
    assert mia.said() == mia.stored()


async def test_messages_of_any_shape_in_foreign_rows_are_shown_rather_than_dropped(
    open_engine: OpenEngine, mia: Character
) -> None:
    mia.directory.mkdir(parents=True)
    rows: list[object] = [
        "plain text",
        '{"type": "ai", "data": "bare"}',
        "[1]",
        None,
        b"\xff\xfe",
        '{"type": 3, "data": {}}',
    ]
    with database(mia) as connection:
        connection.execute(
            "CREATE TABLE time_indexed_original"
            " (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, message TEXT)"  # as first versions made it
        )
        connection.executemany("INSERT INTO time_indexed_original (message) VALUES (?)", [(row,) for row in rows])
        connection.execute("INSERT INTO time_indexed_original (message) VALUES (CAST(x'ff41' AS TEXT))")
    engine = await open_engine()
    async with mia_of(engine) as space:
        turns = await space.turns.after(0, 10)
    assert [(turn.kind, turn.text) for turn in turns] == [
        ("human", "plain text"), ("ai", "bare"), ("human", "[1]"), ("human", "None"),
        ("human", "\ufffd\ufffd"), ("human", ""), ("human", "\ufffdA"),
    ]  # fmt: skip
    assert all(turn.at.year == 1970 for turn in turns)
    await engine.close()
    assert mia.asides(layout.TURNS) == []


async def test_opening_a_database_twice_changes_nothing(open_engine: OpenEngine, mia: Character) -> None:
    engine = await open_engine()
    await mia.hear(engine, "one")
    await engine.close()
    with database(mia) as connection:
        add_row(connection, "theirs")
    again = await open_engine()
    await mia.window(again)
    await again.close()
    before = fingerprint(mia.directory)
    third = await open_engine()
    await mia.window(third)
    await third.close()
    assert fingerprint(mia.directory) == before
    assert rows_in_database(mia.directory) == [(1, "one"), (2, "theirs")]
