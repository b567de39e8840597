"""The end of a journal after a crash, and lines in it that are not ours."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from memory.engine import Engine
from memory.errors import DamagedSpace
from memory.settings import Settings
from memory.store import layout
from tests.conftest import OpenEngine
from tests.crash.evidence import fingerprint
from tests.damaged.character import Character, abandon, mia_of

FOREIGN = b'{"event_id": "x", "type": "persona.fact_added", "ts": "2026-05-04T10:00:00", "payload": {}}\n'


async def test_a_journal_cut_at_any_byte_of_its_last_three_records_keeps_whole_batches_alone(
    open_engine: OpenEngine, mia: Character, tmp_path: Path
) -> None:
    engine = await open_engine()
    batches = [["one"], ["two", "and a half"], ["three"], ["four"]]
    for batch in batches:
        await mia.hear(engine, *batch)
    await engine.close()
    data = mia.file(layout.EVENTS).read_bytes()
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    # One record per batch. A record counts once its closing brace is there, with or without its line end.
    sizes = range(ends[0], len(data) + 1)
    cut = {size: Character(tmp_path / "cut", f"cut {size}") for size in sizes}
    for size in sizes:
        cut[size].directory.mkdir(parents=True)
        cut[size].file(layout.EVENTS).write_bytes(data[:size])
    opened = await Engine.open(
        Settings(data_root=tmp_path / "cut", background=False, open_spaces=len(cut), save_delay=3600)
    )
    for size in sizes:
        whole = sum(end - 1 <= size for end in ends)
        texts = [text for batch in batches[:whole] for text in batch]
        assert await cut[size].window(opened) == texts, size
        if size % 5 == 0:
            assert await cut[size].hear(opened, "more") == 1
            texts.append("more")
        assert cut[size].said() == texts, size
        aside = b"".join(path.read_bytes() for path in cut[size].asides("events"))
        assert data[ends[whole - 1] : size].strip() == aside.strip(), size
    await abandon(opened)


@pytest.mark.parametrize("lost", [1, 40, 400])
async def test_what_the_views_still_hold_outlives_the_end_of_the_journal(
    open_engine: OpenEngine, mia: Character, lost: int
) -> None:
    engine = await open_engine()
    for number in range(3):
        await mia.hear(engine, f"number {number}")
    await engine.close()
    path = mia.file(layout.EVENTS)
    path.write_bytes(path.read_bytes()[:-lost])
    again = await open_engine()
    assert await mia.window(again) == ["number 0", "number 1", "number 2"]
    await mia.hear(again, "number 3")
    await again.close()
    assert mia.stored() == [f"number {number}" for number in range(4)]
    assert sorted(set(mia.said())) == [f"number {number}" for number in range(4)]
    before = fingerprint(mia.directory)
    third = await open_engine()
    assert await mia.window(third) == [f"number {number}" for number in range(4)]
    await third.close()
    assert fingerprint(mia.directory) == before


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda data: data + b"\0" * 4096, id="a tail of zeros"),
        pytest.param(lambda data: data.rstrip(b"\n"), id="no line end"),
        pytest.param(lambda data: b"\xef\xbb\xbf" + data, id="a byte order mark"),
        pytest.param(lambda data: data.replace(b"\n", b"\r\n"), id="carriage returns"),
        pytest.param(lambda data: data.replace(b"\n", b"\n\n"), id="blank lines"),
        pytest.param(lambda data: FOREIGN + data + FOREIGN, id="foreign lines around"),
        pytest.param(lambda data: data.replace(b"\n", b"\n" + FOREIGN, 1), id="a foreign line between"),
        pytest.param(lambda data: data + FOREIGN.rstrip(b"\n"), id="a foreign line without its end"),
        pytest.param(lambda data: data.replace(b"\n", b"\n{unreadable\n", 1), id="an unreadable line between"),
        pytest.param(lambda data: data + b"{unreadable\n" + FOREIGN, id="an unreadable line among foreign ones"),
    ],
)
async def test_a_journal_that_lacks_none_of_our_events_opens_and_goes_on(
    open_engine: OpenEngine, mia: Character, spoil: Callable[[bytes], bytes]
) -> None:
    engine = await open_engine()
    await mia.hear(engine, "one")
    await mia.hear(engine, "two")
    await engine.close()
    path = mia.file(layout.EVENTS)
    spoilt = spoil(path.read_bytes())
    path.write_bytes(spoilt)
    again = await open_engine()
    await mia.hear(again, "three")
    await again.close()
    assert mia.stored() == ["one", "two", "three"]
    assert path.read_bytes().count(FOREIGN.strip()) == spoilt.count(FOREIGN.strip())
    third = await open_engine()
    assert await mia.window(third) == ["one", "two", "three"]


async def test_an_unreadable_line_where_an_event_of_ours_is_missing_opens_the_space_for_reading_only(
    open_engine: OpenEngine, mia: Character
) -> None:
    engine = await open_engine()
    for text in ("one", "two", "three"):
        await mia.hear(engine, text)
    await engine.close()
    path = mia.file(layout.EVENTS)
    first, second, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([first, second[:50] + b"\n", *rest]))
    before = fingerprint(mia.directory)
    again = await open_engine()
    assert await mia.window(again) == ["one", "two", "three"]  # as the views have it
    with pytest.raises(DamagedSpace) as refused:
        await mia.hear(again, "four")
    assert refused.value.line == 3
    with pytest.raises(DamagedSpace):
        await mia.work(again)
    await again.close()
    assert fingerprint(mia.directory) == before


async def test_a_damaged_space_leaves_the_others_alone(open_engine: OpenEngine, mia: Character, root: Path) -> None:
    engine = await open_engine()
    for text in ("one", "two", "three"):
        await mia.hear(engine, text)
    await engine.close()
    shutil.copytree(mia.directory, root / "memory" / "Whole")
    path = mia.file(layout.EVENTS)
    path.write_bytes(b"".join(line for place, line in enumerate(path.read_bytes().splitlines(True)) if place != 1))
    again = await open_engine()
    await again.sweep()
    async with again.spaces.use("Whole") as space:
        assert [entry.text for entry in space.recent.entries] == ["one", "two", "three"]
    with pytest.raises(DamagedSpace):
        await mia.hear(again, "four")


async def test_without_its_views_a_damaged_space_shows_what_comes_before_the_damage(
    open_engine: OpenEngine, mia: Character
) -> None:
    engine = await open_engine()
    for text in ("one", "two", "three"):
        await mia.hear(engine, text)
    await abandon(engine)
    path = mia.file(layout.EVENTS)
    first, _, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + third)
    again = await open_engine()
    assert await mia.window(again) == ["one"]


async def test_an_event_that_reads_as_json_but_has_lost_its_content_is_damage_too(
    open_engine: OpenEngine, mia: Character
) -> None:
    engine = await open_engine()
    await mia.hear(engine, "one")
    await mia.hear(engine, "two")
    await abandon(engine)
    path = mia.file(layout.EVENTS)
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + orjson.dumps({**orjson.loads(second), "data": {}}) + b"\n")
    again = await open_engine()
    async with mia_of(again) as space:
        assert [entry.text for entry in space.recent.entries] == ["one"]
        assert space.journal.damage is not None
        assert space.journal.damage.line == 2


async def test_views_are_made_again_over_many_segments(open_engine: OpenEngine, mia: Character) -> None:
    engine = await open_engine(segment_bytes=700)
    for number in range(12):
        await mia.hear(engine, f"number {number}")
    await engine.close()
    assert len(list(mia.directory.glob("events-*.ndjson"))) == 3
    for path in mia.directory.iterdir():
        if not path.name.startswith("events"):
            path.unlink()
    again = await open_engine(segment_bytes=700)
    expected = [f"number {number}" for number in range(12)]
    assert await mia.window(again) == expected
    await again.close()
    assert mia.stored() == expected


async def test_a_lost_segment_is_damage_where_somebody_needs_it(open_engine: OpenEngine, mia: Character) -> None:
    engine = await open_engine(segment_bytes=700)
    for number in range(12):
        await mia.hear(engine, f"number {number}")
    await engine.close()
    segments = sorted(mia.directory.glob("events-*.ndjson"))
    segments[1].unlink()
    mia.file(layout.RECENT).unlink()
    again = await open_engine(segment_bytes=700)
    with pytest.raises(DamagedSpace):
        await mia.hear(again, "more")
    assert not mia.file(layout.RECENT).exists()


async def test_rubbish_that_another_program_left_at_the_end_of_a_full_segment_is_no_damage(
    open_engine: OpenEngine, mia: Character
) -> None:
    engine = await open_engine(segment_bytes=700)
    for number in range(4):
        await mia.hear(engine, f"number {number}")
    await engine.close()
    segment = max(mia.directory.glob("events-*.ndjson"))
    with segment.open("ab") as file:
        file.write(b'{"event_id": "half')
    again = await open_engine(segment_bytes=700)
    assert await mia.hear(again, "more") == 1


async def test_a_journal_of_another_program_that_ends_in_half_a_line_keeps_all_its_lines(
    open_engine: OpenEngine, mia: Character
) -> None:
    mia.directory.mkdir(parents=True)
    mia.file(layout.EVENTS).write_bytes(FOREIGN + b'{"payload": NaN}\n' + FOREIGN + b'{"half')
    engine = await open_engine()
    await mia.hear(engine, "one")
    await engine.close()
    assert mia.file(layout.EVENTS).read_bytes().startswith(FOREIGN + b'{"payload": NaN}\n' + FOREIGN)
    assert [path.read_bytes().strip() for path in mia.asides("events")] == [b'{"half']
