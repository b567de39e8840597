"""The doctor on roots that are well and on damaged ones: what is said, and what a repair keeps."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import stat
from pathlib import Path

import orjson
import pytest

from memory.checks.finding import Level
from memory.doctor import Report, check_root, repair_root
from memory.engine import Engine
from memory.history.compress import compress
from memory.settings import Settings
from memory.store import layout
from memory.store.files import Disk
from tests.fakes import CountingIds, FixedClock
from tests.memory.remembered import NAME, answer, facts_of, hashes, learn_all, say, texts_of_turns

SAID = ["I live in Berlin.", "I like green tea.", "How nice!", *(f"Message {number}" for number in range(24))]


@pytest.fixture
async def home(root: Path) -> Path:
    """A character as a server leaves it when it stops."""
    engine = await open_at(root)
    await say(engine, "I live in Berlin.", "I like green tea.")
    await answer(engine, "How nice!")
    await learn_all(engine)
    for number in range(24):
        await say(engine, f"Message {number}")
    async with engine.spaces.use(NAME) as space:
        await compress(space, engine.cast.names(NAME))
    await engine.close()
    return root / layout.MEMORY / NAME


async def open_at(root: Path) -> Engine:
    ids = CountingIds()
    for kind in ("event", "op", "turn", "fact", "memo", "session"):
        for _ in range(1_000 if (root / layout.ROOT_STAMP).exists() else 0):
            ids.new(kind)
    return await Engine.open(settings(root), clock=FixedClock(), ids=ids)


def settings(root: Path) -> Settings:
    return Settings(data_root=root, background=False, segment_bytes=4_000)


def look(root: Path) -> Report:
    return check_root(settings(root), FixedClock())


async def repair(root: Path) -> Report:
    disk = Disk()
    report = await repair_root(settings(root), FixedClock(), disk)
    disk.close()
    return report


def codes(report: Report, *, notes: bool = False) -> list[str]:
    return [finding.code for finding in report.findings if notes or finding.level is not Level.NOTE]


async def remembers_all(root: Path) -> None:
    engine = await open_at(root)
    async with engine.spaces.use(NAME) as space:
        assert space.journal.damage is None
        assert await texts_of_turns(space) == SAID
        assert any("Berlin" in text for text in facts_of(space))
    await engine.close()


async def test_a_root_that_was_closed_well_is_healthy_and_stays_as_it_is(root: Path, home: Path) -> None:
    assert len(layout.segments(home)) > 1
    before = hashes(root)
    report = look(root)
    assert (report.findings, report.spaces, report.healthy) == ((), 1, True)
    assert hashes(root) == before


async def test_a_torn_tail_is_told_and_repaired(root: Path, home: Path) -> None:
    with (home / layout.EVENTS).open("ab") as file:
        file.write(b'{"event_id": "e", "seq": 99')
    assert codes(look(root)) == ["torn"]
    report = await repair(root)
    assert report.healthy
    assert [finding.code for finding in report.repaired] == ["torn"]
    # Kept aside, not thrown away.
    assert codes(report, notes=True) == ["asides"]
    await remembers_all(root)


async def test_a_missing_event_is_an_error_that_is_repaired_where_the_views_have_it(root: Path, home: Path) -> None:
    lines = (home / layout.EVENTS).read_bytes().splitlines(keepends=True)
    assert len(lines) > 3
    (home / layout.EVENTS).write_bytes(b"".join([lines[0], b"garbage\n", *lines[2:]]))
    (finding,) = [one for one in look(root).findings if one.code == "damaged"]
    assert finding.level is Level.ERROR
    assert "line 3" in finding.sentence
    report = await repair(root)
    assert report.healthy, report.findings
    assert list(home.glob("events.torn-*"))
    await remembers_all(root)


async def test_a_missing_segment_is_repaired_where_the_views_have_it(root: Path, home: Path) -> None:
    layout.segments(home)[0][1].unlink()
    assert "damaged" in codes(look(root))
    report = await repair(root)
    assert report.healthy, report.findings
    await remembers_all(root)


async def test_a_damage_is_not_cut_off_while_it_holds_what_no_view_has(root: Path, home: Path) -> None:
    lines = (home / layout.EVENTS).read_bytes().splitlines(keepends=True)
    (home / layout.EVENTS).write_bytes(b"".join([lines[0], b"garbage\n", *lines[2:]]))
    (home / layout.TURNS).unlink()
    before = (home / layout.EVENTS).read_bytes()
    report = await repair(root)
    assert "damaged" in codes(report)
    assert not report.healthy
    assert (home / layout.EVENTS).read_bytes() == before


async def test_a_view_that_does_not_follow_from_the_journal_is_made_again(root: Path, home: Path) -> None:
    facts = orjson.loads((home / layout.FACTS).read_bytes())
    forged = orjson.dumps([{**facts[0], "text": "Something nobody said."}, *facts[1:]])
    (home / layout.FACTS).write_bytes(forged)
    stamps = orjson.loads((home / layout.VIEWS).read_bytes())
    entry = stamps["files"][layout.FACTS]
    seq = entry.get("next", entry)["seq"]
    stamps["files"][layout.FACTS] = {"seq": seq, "sha256": hashlib.sha256(forged).hexdigest()}
    (home / layout.VIEWS).write_bytes(orjson.dumps(stamps))
    (finding,) = look(root).findings
    assert (finding.code, finding.level) == ("view_differs", Level.ERROR)
    report = await repair(root)
    assert report.healthy, report.findings
    assert list(home.glob("facts.json.unstamped-*"))
    await remembers_all(root)


async def test_an_edit_by_hand_is_no_fault(root: Path, home: Path) -> None:
    facts = orjson.loads((home / layout.FACTS).read_bytes())
    facts[0]["importance"] = 9
    (home / layout.FACTS).write_bytes(orjson.dumps(facts))
    report = look(root)
    assert report.healthy
    assert codes(report, notes=True) == ["edited"]


@pytest.mark.parametrize(
    ("file", "code"),
    [(layout.FACTS, "view_missing"), (layout.RECENT, "view_missing"), (layout.TURNS, "database_missing")],
)
async def test_a_missing_file_is_made_again(root: Path, home: Path, file: str, code: str) -> None:
    (home / file).unlink()
    assert codes(look(root)) == [code]
    assert (await repair(root)).healthy
    assert (home / file).exists()
    await remembers_all(root)


async def test_an_unreadable_view_is_made_again(root: Path, home: Path) -> None:
    (home / layout.FACTS).write_bytes(b'[{"id": "fact_1", "te')
    assert codes(look(root)) == ["view_unreadable"]
    assert (await repair(root)).healthy
    await remembers_all(root)


async def test_rows_that_are_missing_or_changed_come_back(root: Path, home: Path) -> None:
    db = sqlite3.connect(home / layout.TURNS)
    db.execute("DELETE FROM time_indexed_original WHERE id = 2")
    db.execute("""UPDATE time_indexed_original SET message = '{"type":"human","data":{"content":"x"}}' WHERE id = 5""")
    db.commit()
    db.close()
    report = look(root)
    assert codes(report) == ["rows_missing", "rows_differ"]
    assert "rows 2" in report.findings[0].sentence
    report = await repair(root)
    assert report.healthy, report.findings
    await remembers_all(root)


async def test_a_broken_database_comes_back(root: Path, home: Path) -> None:
    data = bytearray((home / layout.TURNS).read_bytes())
    data[100:3_000] = b"\xff" * 2_900
    (home / layout.TURNS).write_bytes(bytes(data))
    assert codes(look(root)) == ["database_corrupt"]
    assert (await repair(root)).healthy
    await remembers_all(root)


async def test_rows_that_nobody_knows_are_told_and_left(root: Path, home: Path) -> None:
    db = sqlite3.connect(home / layout.TURNS)
    db.execute("UPDATE time_indexed_original SET id = -1 WHERE id = 3")
    db.commit()
    db.close()
    report = await repair(root)
    assert "rows_unknown" in codes(report)
    assert not list(home.glob("*.corrupt-*"))


async def test_a_cursor_ahead_of_the_rows_is_an_error(root: Path, home: Path) -> None:
    engine = await open_at(root)
    async with engine.spaces.use(NAME) as space, space.journal.write() as batch:
        batch.add("cursor.moved", {"name": "extracted_row", "to": 9_999})
    await engine.close()
    assert "cursor" in codes(look(root))


async def test_others_may_not_look(root: Path, home: Path) -> None:
    (home / layout.FACTS).chmod(0o644)
    home.chmod(0o755)
    (root / layout.CATALOGUE).chmod(0o644)
    assert codes(look(root)) == ["modes", "modes"]
    assert (await repair(root)).healthy
    assert stat.S_IMODE((home / layout.FACTS).stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


async def test_leftovers_are_told_and_removed_where_that_is_safe(root: Path, home: Path) -> None:
    (home / ".facts.json.1.tmp").write_bytes(b"half")
    (home / "facts.json.corrupt-1").write_bytes(b"kept")
    (home / "unknown.json").write_bytes(b"{}")
    shutil.copytree(home, home.with_name(".deleted-Old"))
    (root / layout.CATALOGUE).write_bytes(b"no database at all, but long enough to be looked at")
    for path in root.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    report = look(root)
    assert sorted(codes(report)) == ["catalogue", "deleted", "temporary"]
    assert {"asides", "strangers"} <= set(codes(report, notes=True))
    report = await repair(root)
    assert report.healthy, report.findings
    assert (home / "facts.json.corrupt-1").exists()
    assert (home / "unknown.json").exists()
    assert not home.with_name(".deleted-Old").exists()


async def test_a_journal_that_lost_its_end_is_told(root: Path, home: Path) -> None:
    (home / layout.EVENTS).unlink()
    report = look(root)
    assert "journal_short" in codes(report)
    report = await repair(root)
    assert report.healthy, report.findings
    await remembers_all(root)


async def test_a_directory_of_the_companion_is_no_fault(root: Path) -> None:
    home = root / layout.MEMORY / NAME
    home.mkdir(parents=True, mode=0o700)
    (home / layout.RECENT).write_bytes(orjson.dumps([{"type": "human", "data": {"content": "Hello"}}]))
    (home / layout.FACTS).write_bytes(orjson.dumps([{"id": "fact_1", "text": "Likes tea"}]))
    for path in (root, root / layout.MEMORY, *home.iterdir()):
        path.chmod(0o700 if path.is_dir() else 0o600)
    report = look(root)
    assert report.healthy, report.findings
    assert set(codes(report, notes=True)) == {"stamp", "adoptable"}


async def test_a_newer_root_is_an_error(root: Path, home: Path) -> None:
    (root / layout.ROOT_STAMP).write_bytes(b'{"layout": 99, "root_id": "root_x"}')
    assert codes(look(root)) == ["too_new"]


async def test_no_sentence_tells_what_is_remembered(root: Path, home: Path) -> None:
    (home / layout.FACTS).write_bytes(b"[")
    (home / layout.TURNS).unlink()
    (home / layout.EVENTS).write_bytes((home / layout.EVENTS).read_bytes() + b'{"seq": 1000, "text": "Berlin"')
    assert not any("Berlin" in finding.sentence or "tea" in finding.sentence for finding in look(root).findings)
