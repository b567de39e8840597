"""View files, stamps and outbox that hold what they should not: set aside, and made again from the journal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memory.engine import Engine
from memory.settings import Settings
from memory.store import layout
from memory.views import Views
from tests.conftest import OpenEngine
from tests.crash.evidence import contents, fingerprint
from tests.damaged.character import Character, mia_of
from tests.fakes import FixedClock

TOLD = ("I live in Porto.", "My cat is called Tama.")
LISTS = (layout.RECENT, layout.FACTS)
OBJECTS = (layout.RECENT_META, layout.CURSORS, layout.KEYS)
FILES = sorted(view.file for view in Views(Settings(data_root=Path()), FixedClock()).all())

SPOILT = [
    pytest.param(b"", id="empty"),
    pytest.param(b"\0\0\0\0", id="zeros"),
    pytest.param(b"null", id="null"),
    pytest.param(b"42", id="a number"),
    pytest.param(b'"text"', id="a text"),
    pytest.param(b"[{", id="half"),
    pytest.param(b"\xff\xfe[\x00]\x00", id="another encoding"),
]


async def lived(engine: Engine, mia: Character) -> dict[str, bytes]:
    """A conversation that fills every view of it; returns what the views hold."""
    for number in range(24):
        await mia.hear(engine, f"number {number}", key=f"key {number}")
    await mia.hear(engine, *TOLD)
    await mia.work(engine)
    await mia.settle(engine)
    await mia.save(engine)
    async with mia_of(engine) as space:
        return contents(space)


@pytest.mark.parametrize("data", SPOILT)
@pytest.mark.parametrize("file", FILES)
async def test_a_view_file_without_sense_is_set_aside_and_made_again(
    open_engine: OpenEngine, mia: Character, file: str, data: bytes
) -> None:
    await _spoil_and_compare(open_engine, mia, file, data)


@pytest.mark.parametrize(
    ("file", "data"), [*((file, b'{"a": 1}') for file in LISTS), *((file, b"[1, 2]") for file in OBJECTS)]
)
async def test_a_view_file_of_the_wrong_kind_is_set_aside_and_made_again(
    open_engine: OpenEngine, mia: Character, file: str, data: bytes
) -> None:
    await _spoil_and_compare(open_engine, mia, file, data)


async def _spoil_and_compare(open_engine: OpenEngine, mia: Character, file: str, data: bytes) -> None:
    engine = await open_engine()
    live = await lived(engine, mia)
    await engine.close()
    before = {path.name for path in mia.directory.iterdir()}
    mia.file(file).write_bytes(data)
    again = await open_engine()
    async with mia_of(again) as space:
        assert contents(space) == live
    await again.close()
    assert [path.read_bytes() for path in mia.asides(file)] == [data]
    assert {path.name for path in mia.directory.iterdir()} - {path.name for path in mia.asides(file)} == before
    if mia.file(file).exists():
        assert mia.file(file).read_bytes() == live[file]


@pytest.mark.parametrize("data", [*SPOILT, pytest.param(b"[1]", id="a list"), pytest.param(b'{"files": 3}', id="odd")])
async def test_stamps_without_sense_cost_nothing_but_making_the_views_again(
    open_engine: OpenEngine, mia: Character, data: bytes
) -> None:
    engine = await open_engine()
    live = await lived(engine, mia)
    await engine.close()
    mia.file(layout.VIEWS).write_bytes(data)
    again = await open_engine()
    async with mia_of(again) as space:
        assert contents(space) == live
    await again.close()
    assert mia.file(layout.RECENT).read_bytes() == live[layout.RECENT]


async def test_lost_stamps_cost_nothing_but_making_the_views_again(open_engine: OpenEngine, mia: Character) -> None:
    engine = await open_engine()
    live = await lived(engine, mia)
    await engine.close()
    mia.file(layout.VIEWS).unlink()
    again = await open_engine()
    async with mia_of(again) as space:
        assert contents(space) == live
    await again.close()
    assert mia.file(layout.FACTS).read_bytes() == live[layout.FACTS]


async def test_the_journal_alone_brings_back_every_file(open_engine: OpenEngine, mia: Character) -> None:
    engine = await open_engine()
    live = await lived(engine, mia)
    await engine.close()
    stored = mia.stored()
    for path in mia.directory.iterdir():
        if path.name != layout.EVENTS:
            path.unlink()
    again = await open_engine()
    async with mia_of(again) as space:
        assert contents(space) == live
        assert not space.outbox.pending
    await again.close()
    assert mia.stored() == stored
    assert {file: mia.file(file).read_bytes() for file, data in live.items() if mia.file(file).exists()} == {
        file: data for file, data in live.items() if mia.file(file).exists()
    }
    assert mia.file(layout.RECENT).exists()


async def test_the_files_alone_bring_back_the_journal(open_engine: OpenEngine, mia: Character) -> None:
    engine = await open_engine()
    live = await lived(engine, mia)
    await engine.close()
    stored = mia.stored()
    mia.file(layout.EVENTS).unlink()
    again = await open_engine()
    async with mia_of(again) as space:
        assert contents(space) == live
    await again.close()
    for path in mia.directory.iterdir():
        if path.name != layout.EVENTS:
            path.unlink()
    third = await open_engine()
    async with mia_of(third) as space:
        assert contents(space) == live
    await third.close()
    assert mia.stored() == stored


async def test_a_journal_made_from_the_files_is_made_once(open_engine: OpenEngine, mia: Character) -> None:
    engine = await open_engine()
    await lived(engine, mia)
    await engine.close()
    mia.file(layout.EVENTS).unlink()
    again = await open_engine()
    await mia.window(again)
    await again.close()
    before = fingerprint(mia.directory)
    third = await open_engine()
    await mia.window(third)
    await third.close()
    assert fingerprint(mia.directory) == before


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: data[:-20], id="torn"),
        pytest.param(lambda data: b"\0" * 100 + b"\n" + data, id="zeros"),
        pytest.param(lambda data: b'[]\n7\nnull\n{"op_id": []}\n{"status": "done"}\n' + data, id="odd lines"),
    ],
)
async def test_an_outbox_without_sense_still_owes_what_the_journal_says(
    open_engine: OpenEngine, mia: Character, spoil: Callable[[bytes], bytes]
) -> None:
    engine = await open_engine()
    await mia.hear(engine, *TOLD)
    await mia.save(engine)
    await engine.close()
    path = mia.file(layout.OUTBOX)
    whole = path.read_bytes()
    path.write_bytes(spoil(whole))
    again = await open_engine()
    await mia.work(again)
    assert len(await mia.facts(again)) == 2
    await again.close()


async def test_a_lost_outbox_still_owes_what_the_journal_says(open_engine: OpenEngine, mia: Character) -> None:
    engine = await open_engine()
    await mia.hear(engine, *TOLD)
    await mia.save(engine)
    await engine.close()
    mia.file(layout.OUTBOX).unlink()
    again = await open_engine()
    async with mia_of(again) as space:
        assert [op.kind for op in space.outbox.pending.values()] == ["post_turn"]


async def test_a_cursor_that_is_no_number_begins_anew_and_learns_nothing_twice(
    open_engine: OpenEngine, mia: Character
) -> None:
    engine = await open_engine()
    await lived(engine, mia)
    await engine.close()
    mia.edit(layout.CURSORS, {"extracted_row": "soon", "rebuttal_checked_until": "2026-05-04T10:00:00"})
    again = await open_engine()
    await mia.hear(again, "I like green tea.")
    await mia.work(again)
    assert len(await mia.facts(again)) == 3
    await again.close()
    assert mia.read(layout.CURSORS)["rebuttal_checked_until"] == "2026-05-04T10:00:00"


async def test_what_json_forbids_but_others_write_is_read_with_substitutes(
    open_engine: OpenEngine, mia: Character
) -> None:
    mia.directory.mkdir(parents=True)
    mia.file(layout.RECENT).write_bytes(
        rb'[{"type": "human", "data": {"content": "half \ud83d of a pair", "score": NaN}}]'
    )
    engine = await open_engine()
    assert await mia.window(engine) == ["half \ufffd of a pair"]
    await mia.hear(engine, "more")
    await engine.close()
    assert mia.asides(layout.RECENT) == []
    assert mia.read(layout.RECENT)[0]["data"] == {"content": "half \ufffd of a pair", "score": None}


async def test_temporary_files_of_a_crash_are_swept_and_other_files_are_not(
    open_engine: OpenEngine, mia: Character
) -> None:
    mia.directory.mkdir(parents=True)
    (mia.directory / ".recent.json.77.tmp").write_bytes(b"half")
    (mia.directory / "user_directives.json").write_bytes(b"{}")
    engine = await open_engine()
    await mia.window(engine)
    assert [path.name for path in mia.directory.iterdir() if path.name.startswith(".")] == []
    assert (mia.directory / "user_directives.json").read_bytes() == b"{}"
