"""The same commands while a server holds the root: they go through its door."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner, Result

from memory_server.cli import command_line
from tests.commands.conftest import free_port, told
from tests.memory.remembered import grep

Served = tuple[str, Path]


def run(served: Served, *arguments: str, given: str | None = None) -> Result:
    url, root = served
    return CliRunner().invoke(command_line, [*arguments, "--data-root", str(root), "--server", url], input=given)


def test_a_server_is_found_by_its_root(served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    url, root = served
    monkeypatch.setenv("MEMORY_SERVER_PORT", url.rpartition(":")[2])
    found = told(CliRunner().invoke(command_line, ["status", "--json", "--data-root", str(root)]))
    assert found["through_server"] is True
    # A server of another root is not taken for it.
    monkeypatch.setenv("MEMORY_SERVER_PORT", str(free_port()))
    assert CliRunner().invoke(command_line, ["status", "--data-root", str(root)]).exit_code == 2


def test_looking_goes_through_the_server(served: Served) -> None:
    assert {row["name"] for row in told(run(served, "characters", "--json"))["characters"]} >= {"Mio", "Rin"}
    assert told(run(served, "show", "Mio", "--json"))["rows"]
    assert told(run(served, "recall", "Mio", "Zanzibar", "--in", "turn", "--json"))["results"]
    assert told(run(served, "export", "Mio"))["character"] == "Mio"
    assert run(served, "show", "Nobody").exit_code == 2


def test_forgetting_goes_through_the_server(served: Served) -> None:
    _, root = served
    done = told(run(served, "forget", "--character", "Rin", "--match", "zanzibar", "--yes", "--json"))
    assert done["erased"]["items"] == {"turn": 1, "fact": 1}
    assert grep(root / "memory" / "Rin", "Zanzibar") == []
    assert grep(root / "logs", "Zanzibar") == []


def test_a_backup_is_fetched_from_the_server(served: Served, tmp_path: Path) -> None:
    archive = tmp_path / "x.tar.gz"
    assert run(served, "backup", str(archive)).exit_code == 0
    assert archive.stat().st_size > 0
    into = tmp_path / "other"
    restored = CliRunner().invoke(command_line, ["restore", str(archive), "--data-root", str(into)])
    assert restored.exit_code == 0
    found = told(CliRunner().invoke(command_line, ["status", "--json", "--data-root", str(into)]))
    assert found["through_server"] is False


def test_what_needs_the_root_for_itself_is_refused(served: Served, tmp_path: Path) -> None:
    _, root = served
    for arguments in (["doctor"], ["doctor", "--repair"]):
        result = CliRunner().invoke(command_line, [*arguments, "--data-root", str(root)])
        assert (result.exit_code, "stop it first" in result.stderr) == (2, True)


def test_characters_change_while_served(served: Served) -> None:
    url, root = served
    assert run(served, "character", "add", "Zoe").exit_code == 0
    assert run(served, "character", "rename", "Zoe", "Zoë").exit_code == 0
    with httpx2.Client(trust_env=False) as client:
        body = {"input_history": '[{"type": "human", "data": {"content": "Hello"}}]'}
        assert client.post(f"{url}/cache/Zo%C3%AB", json=body).json()["status"] == "cached"
    assert told(run(served, "show", "Zoë", "--history", "--json"))["total"] == 1
    assert run(served, "character", "delete", "Zoë", "--yes").exit_code == 0
    assert not (root / "memory" / "Zoë").exists()


def test_the_door_has_the_same_guard_as_the_rest(served: Served) -> None:
    url, _ = served
    with httpx2.Client(trust_env=False) as client:
        path = f"{url}/internal/owner/status"
        assert client.post(path).status_code == 200
        assert client.get(path).status_code == 405
        assert client.post(path, headers={"Host": "evil.example"}).status_code == 403
        assert client.post(path, headers={"Origin": "http://evil.example"}).status_code == 403
        assert client.post(path, content=b"x=1", headers={"Content-Type": "text/plain"}).status_code == 415
        assert client.post(path, json={"more": 1}).status_code == 400
        assert client.post(path, content=b"{", headers={"Content-Type": "application/json"}).status_code == 400
        assert client.post(f"{url}/internal/owner/nothing", json={}).status_code == 404
        wrong = client.post(f"{url}/internal/owner/show", json={"name": "Rin", "part": "secret thing"})
        assert wrong.status_code == 400
        assert "secret thing" not in wrong.text
