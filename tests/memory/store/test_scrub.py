"""Taking texts out of values and bytes: what counts as a text, what as structure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from memory.store.files import Disk
from memory.store.scrub import Eraser
from memory.store.sweep import sweep

SECRET = "Zanzibar"


@pytest.fixture
def eraser() -> Eraser:
    return Eraser(ids=["turn_7"], parts=[SECRET])


@pytest.mark.parametrize("text", ["to Zanzibar!", "ZANZIBAR", "zanzibar", "Ｚａｎｚｉｂａｒ"])
def test_a_text_is_found_whatever_its_case_and_width(eraser: Eraser, text: str) -> None:
    assert eraser.holds(text)


def test_a_record_in_a_list_goes_as_a_whole_and_a_text_elsewhere_becomes_empty(eraser: Eraser) -> None:
    value = {"note": "to Zanzibar", "rows": [{"id": "a", "text": "in Zanzibar"}, {"id": "b", "text": "fine"}]}
    assert eraser.clean(value) == {"note": "", "rows": [{"id": "b", "text": "fine"}]}


def test_what_has_nothing_in_it_is_the_same_object(eraser: Eraser) -> None:
    value = {"rows": [{"id": "b", "text": "fine", "more": {"list": [1, 2.5, None, True, "x"]}}]}
    assert eraser.clean(value) is value


@pytest.mark.parametrize(
    "row",
    [
        {"id": "turn_7", "text": "fine"},                       # by its own id
        {"kind": "talk", "turn": "turn_7", "sentence": "fine"},  # speaks of it, without an id of its own
        {"section": "master", "entry": {"id": "turn_7"}},        # wrapped
        {"text": [{"type": "text", "text": "fine"}], "tags": ["zanzibar"]},
    ],
)
def test_records_that_go(eraser: Eraser, row: dict[str, Any]) -> None:
    assert eraser.clean({"rows": [row, {"id": "b"}]}) == {"rows": [{"id": "b"}]}


def test_a_record_that_only_points_at_what_goes_stays(eraser: Eraser) -> None:
    rows = [{"id": "fact_1", "turn": "turn_7", "sources": ["turn_7", "turn_8"]}]
    assert eraser.clean({"rows": rows})["rows"] == rows


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("fact", {"type": "fact.added", "id": "fact_12", "source": "fact_file"}),
        ("2026", {"at": "2026-05-04T10:00:00+02:00", "created_at": "2026-05-04"}),
        ("human", {"type": "human"}),
        ("e3b0", {"hash": "e3b0c44298fc1c14"}),
        ("tea", {"embedding": "AAteaAAA=="}),
        ("text", {"text": "fine"}),
    ],
)
def test_structure_is_no_text(word: str, value: dict[str, Any]) -> None:
    assert Eraser(parts=[word]).clean(value) is value


def test_in_files_of_others_only_ids_and_times_are_structure() -> None:
    eraser = Eraser(parts=["human", "2026"])
    value = {"source": "human", "at": "2026-05-04T10:00:00", "id": "fact_2026"}
    assert eraser.clean(value, ()) == {"source": "", "at": "2026-05-04T10:00:00", "id": "fact_2026"}


def test_a_key_that_tells_goes_with_its_value(eraser: Eraser) -> None:
    assert eraser.clean({"the way to Zanzibar": 1, "fine": 2}) == {"fine": 2}


def test_a_whole_text_is_not_looked_for_inside_others() -> None:
    eraser = Eraser(wholes=["ok"])
    assert eraser.holds(" OK ")
    assert not eraser.holds("a book")


@pytest.mark.parametrize("ascii_only", [True, False])
def test_lines_of_another_program_keep_their_envelope(ascii_only: bool) -> None:
    eraser = Eraser(parts=["咖啡"])
    line = {"event_id": "e", "type": "x", "ts": "t", "payload": {"text": "喜欢咖啡", "id": "y"}}
    raw = json.dumps(line, ensure_ascii=ascii_only).encode() + b"\n"
    cleaned = eraser.clean_line(raw, ())
    assert orjson.loads(cleaned) == {**line, "payload": {"text": "", "id": "y"}}
    assert not eraser.left_in(cleaned)
    assert eraser.left_in(raw)


@pytest.mark.parametrize(
    "line", [b'{"text": "Zanzib\\u0061r', b"plain Zanzibar\n", b'{"text": "\\u005Aanzibar", oops\n']
)
def test_a_line_that_cannot_be_read_and_holds_something_goes(eraser: Eraser, line: bytes) -> None:
    assert eraser.clean_line(line) == b""


def test_other_unreadable_lines_stay(eraser: Eraser) -> None:
    for line in (b'{"text": "fine', b"\n", b"\xff\xfe\n"):
        assert eraser.clean_line(line) == line


def test_a_sweep_cleans_every_kind_of_file_and_follows_no_link(tmp_path: Path, eraser: Eraser) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside.txt"
    (home / "deep" / "er").mkdir(parents=True)
    outside.write_text("Zanzibar")
    (home / "link").symlink_to(outside)
    (home / "spared.json").write_text('"Zanzibar"')
    (home / "one.json").write_text('[{"text": "Zanzibar"}, {"text": "fine"}]')
    (home / "deep" / "er" / "two.txt").write_text("one\nto Zanzibar\nthree\n")
    (home / "lines.ndjson").write_text('{"op_id": "o", "payload": {"text": "Zanzibar"}}\n')
    (home / "three.bin").write_bytes(b"\0\xffZanzibar")
    (home / "four.bin").write_bytes(b"\0\xfffine")
    (home / ".one.json.1.tmp").write_text("Zanzibar")
    disk = Disk()
    done = sweep(home, eraser, disk, spare={"spared.json"}, databases=False)
    disk.close()
    assert (done.files_changed, done.files_removed, done.lines_removed) == (3, 1, 1)
    assert outside.read_text() == "Zanzibar"
    assert (home / "spared.json").read_text() == '"Zanzibar"'
    assert orjson.loads((home / "one.json").read_bytes()) == [{"text": "fine"}]
    assert (home / "deep" / "er" / "two.txt").read_text() == "one\nthree\n"
    assert orjson.loads((home / "lines.ndjson").read_bytes()) == {"op_id": "o", "payload": {"text": ""}}
    assert sorted(path.name for path in home.iterdir()) == [
        "deep", "four.bin", "lines.ndjson", "link", "one.json", "spared.json",
    ]  # fmt: skip
