"""What a person may look at and change, with nobody serving."""

from __future__ import annotations

import stat
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from memory_server import exclusive
from memory_server.cli import command_line
from tests.commands.conftest import Run, told
from tests.memory.remembered import grep, hashes

pytestmark = pytest.mark.usefixtures("remembered")


def test_status_counts(run: Run) -> None:
    found = told(run("status", "--json"))
    assert (found["characters"], found["turns"], found["through_server"]) == (2, 4, False)
    assert "messages      4" in run("status").output


def test_characters_are_listed(run: Run) -> None:
    rows = told(run("characters", "--json"))["characters"]
    assert [(row["name"], row["turns"], row["state"]) for row in rows] == [("Mio", 1, "ok"), ("Rin", 3, "ok")]
    assert "Rin" in run("characters").output


def test_facts_are_shown_with_ids_and_sources(run: Run) -> None:
    rows = told(run("show", "Rin", "--json"))["rows"]
    (home,) = [row for row in rows if "Zanzibar" in row["text"]]
    history = told(run("show", "Rin", "--history", "--json"))
    assert home["sources"] == [history["rows"][0]["id"]]
    output = run("show", "Rin").output
    assert home["id"] in output
    assert home["sources"][0] in output


def test_the_newest_of_the_history_is_shown(run: Run) -> None:
    found = told(run("show", "Rin", "--history", "--limit", "2", "--json"))
    assert [row["text"] for row in found["rows"]] == ["I like green tea.", "How nice!"]
    assert found["total"] == 3


@pytest.mark.parametrize("part", ["--reflections", "--persona"])
def test_other_parts_are_shown_though_empty(run: Run, part: str) -> None:
    assert told(run("show", "Rin", part, "--json"))["rows"] == []
    assert run("show", "Rin", part).exit_code == 0


def test_recall_answers(run: Run) -> None:
    results = told(run("recall", "Rin", "where do I live", "--json"))["results"]
    assert "Zanzibar" in results[0]["text"]
    assert results[0]["tier"] == "fact"
    said = told(run("recall", "Rin", "tea", "--in", "turn", "--json"))["results"]
    assert said[0]["text"] == "I like green tea."


def test_a_time_that_is_none_is_refused(run: Run) -> None:
    result = run("recall", "Rin", "--time", "the other day or so")
    assert (result.exit_code, "no time" in result.stderr) == (2, True)


def test_an_unknown_character_is_refused(run: Run) -> None:
    forget = ("forget", "--character", "Nobody", "--match", "x")
    for arguments in (("show", "Nobody"), ("recall", "Nobody", "tea"), forget):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "there is no memory named 'Nobody'" in result.stderr


@pytest.mark.parametrize("name", ["../Rin", "Rin/../Mio", "..", ".", "/etc", "@scopes"])
def test_a_name_is_never_a_path(run: Run, root: Path, name: str) -> None:
    before = hashes(root / "memory")
    assert run("show", name).exit_code == 2
    assert run("character", "delete", name, "--yes").exit_code == 2
    assert hashes(root / "memory").keys() == before.keys()


def test_forgetting_shows_asks_and_erases(run: Run, root: Path) -> None:
    refused = run("forget", "--character", "Rin", "--match", "zanzibar", given="n\n")
    assert refused.exit_code == 2
    assert "I live in Zanzibar." in refused.output
    assert "nothing was erased" in refused.output
    assert grep(root / "memory" / "Rin", "Zanzibar")
    other = hashes(root / "memory" / "Mio")
    done = run("forget", "--character", "Rin", "--match", "zanzibar", given="y\n")
    assert done.exit_code == 0
    assert "erased 1 turn and 1 fact for good" in done.output
    assert grep(root / "memory" / "Rin", "Zanzibar") == []
    assert hashes(root / "memory" / "Mio") == other


def test_a_receipt_in_json_has_counts_and_no_text(run: Run) -> None:
    found = told(run("forget", "--character", "Rin", "--match", "zanzibar", "--yes", "--json"))
    assert found["erased"]["items"] == {"turn": 1, "fact": 1}
    assert "Zanzibar" not in str(found["erased"])


def test_json_without_yes_only_previews(run: Run, root: Path) -> None:
    result = run("forget", "--character", "Rin", "--match", "zanzibar", "--json")
    assert result.exit_code == 2
    assert orjson.loads(result.stdout)["erased"] is None
    assert grep(root / "memory" / "Rin", "Zanzibar")


def test_nothing_to_forget_is_no_failure(run: Run) -> None:
    result = run("forget", "--character", "Rin", "--match", "Atlantis")
    assert (result.exit_code, "nothing of that is remembered" in result.output) == (0, True)


@pytest.mark.parametrize("arguments", [(), ("--match", "x", "--id", "turn_1"), ("--match", "  ")])
def test_forgetting_wants_one_thing(run: Run, arguments: tuple[str, ...]) -> None:
    assert run("forget", "--character", "Rin", *arguments, "--yes").exit_code == 2


def test_forgetting_by_id(run: Run) -> None:
    turn = told(run("show", "Rin", "--history", "--json"))["rows"][1]
    done = told(run("forget", "--character", "Rin", "--id", turn["id"], "--yes", "--json"))
    assert done["erased"]["items"]["turn"] == 1
    assert turn["text"] not in run("show", "Rin", "--history").output
    assert run("forget", "--character", "Rin", "--id", "turn_nowhere", "--yes").exit_code == 2


def test_an_export_reads_well(run: Run, tmp_path: Path) -> None:
    found = told(run("export", "Rin"))
    assert found["character"] == "Rin"
    assert [row["speaker"] for row in found["history"]] == ["主人", "主人", "Rin"]
    assert found["facts"][0]["sources"] == [found["history"][0]["id"]]
    target = tmp_path / "Rin.md"
    assert run("export", "Rin", "--format", "markdown", "--output", str(target)).exit_code == 0
    page = target.read_text(encoding="utf-8")
    assert "# Rin" in page
    assert found["history"][0]["id"] in page
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert run("export", "Rin", "--output", str(target)).exit_code == 2
    assert target.read_text(encoding="utf-8") == page


def test_a_backup_is_made_and_restored(run: Run, root: Path, tmp_path: Path) -> None:
    archive = tmp_path / "all.tar.gz"
    assert run("backup", str(archive)).exit_code == 0
    assert not (root / "backups").exists()
    assert run("backup", str(archive)).exit_code == 2
    assert run("restore", str(archive)).exit_code == 2
    restored = told(run("restore", str(archive), "--character", "Rin", "--as", "Rin Two", "--json"))
    assert restored["characters"] == ["Rin Two"]
    assert told(run("show", "Rin Two", "--history", "--json"))["total"] == 3
    into = tmp_path / "directory"
    into.mkdir()
    assert run("backup", str(into), "--character", "Mio").exit_code == 0
    (one,) = into.iterdir()
    assert one.name.startswith("companion-memory-")
    assert run("backup", str(tmp_path / "no" / "where.tar.gz")).exit_code == 2


def test_a_broken_archive_is_refused(run: Run, tmp_path: Path) -> None:
    archive = tmp_path / "x.tar.gz"
    archive.write_bytes(b"nothing of the kind")
    result = run("restore", str(archive), "--character", "Rin", "--as", "Other")
    assert (result.exit_code, "cannot be restored" in result.stderr) == (2, True)


def test_characters_are_added_renamed_and_deleted(run: Run, root: Path) -> None:
    assert run("character", "add", "Neu").exit_code == 0
    assert run("character", "add", "Neu").exit_code == 2
    assert run("character", "rename", "Neu", "Rin").exit_code == 2
    assert run("character", "rename", "Rin", "Rina").exit_code == 0
    assert told(run("show", "Rina", "--history", "--json"))["total"] == 3
    assert run("show", "Rin").exit_code == 2
    kept = run("character", "delete", "Rina", given="n\n")
    assert (kept.exit_code, "3 messages" in kept.output) == (2, True)
    assert run("character", "delete", "Rina", given="y\n").exit_code == 0
    assert not (root / "memory" / "Rina").exists()
    assert [row["name"] for row in told(run("characters", "--json"))["characters"]] == ["Mio", "Neu"]


def test_a_root_without_memories_is_refused_and_not_made(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    for command in (["status"], ["characters"], ["show", "Rin"], ["doctor"], ["backup", str(tmp_path / "x.tar.gz")]):
        result = CliRunner().invoke(command_line, [*command, "--data-root", str(elsewhere)])
        assert (result.exit_code, "there are no memories in" in result.stderr) == (2, True)
    assert not elsewhere.exists()


def test_a_root_that_is_held_by_a_stranger_is_refused(run: Run, root: Path, tmp_path: Path) -> None:
    lock = exclusive.lock_root(root)
    try:
        for arguments in (("status",), ("doctor",), ("forget", "--character", "Rin", "--match", "x", "--yes")):
            assert run(*arguments).exit_code == 2
    finally:
        lock.release()
    assert run("status").exit_code == 0


def test_a_server_elsewhere_is_not_asked(run: Run) -> None:
    for url in ("http://example.org:48912", "https://127.0.0.1:48912", "http://127.0.0.1:1/x", "ftp://localhost"):
        assert run("status", "--server", url).exit_code == 2
    assert run("status", "--server", "http://127.0.0.1:9").exit_code == 1
