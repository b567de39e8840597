"""The command line: which settings win, what is refused, and that a refusal costs nothing."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from memory.errors import RootLocked
from memory_server import cli, exclusive, options
from memory_server.demo import free_port
from memory_server.version import VERSION

ROOT = Path(cli.__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("flag", "environment", "port"),
    [
        (None, {}, 48912),
        (5000, {"NEKO_MEMORY_SERVER_PORT": "6000"}, 5000),
        (None, {"NEKO_MEMORY_SERVER_PORT": "6000", "MEMORY_SERVER_PORT": "7000"}, 6000),
        (None, {"MEMORY_SERVER_PORT": " 7000 "}, 7000),
        # What is not a port falls through to the next source.
        (None, {"NEKO_MEMORY_SERVER_PORT": "0", "MEMORY_SERVER_PORT": "7000"}, 7000),
        (None, {"NEKO_MEMORY_SERVER_PORT": "65536", "MEMORY_SERVER_PORT": "7000"}, 7000),
        (None, {"NEKO_MEMORY_SERVER_PORT": "-1", "MEMORY_SERVER_PORT": "x"}, 48912),
        (None, {"NEKO_MEMORY_SERVER_PORT": "4891²"}, 48912),
        (None, {"NEKO_MEMORY_SERVER_PORT": "9" * 5000}, 48912),
        (None, {"NEKO_MEMORY_SERVER_PORT": ""}, 48912),
    ],
)
def test_the_port_comes_from_the_first_source_that_has_one(
    flag: int | None, environment: dict[str, str], port: int
) -> None:
    assert options.resolve_port(flag, environment) == port


def test_the_data_root_comes_from_the_flag_then_the_variable_then_the_default(tmp_path: Path) -> None:
    def default() -> Path:
        return tmp_path / "default"

    variable = {"MEMORY_DATA_ROOT": str(tmp_path / "variable")}
    assert options.resolve_data_root(tmp_path / "flag", variable, default) == tmp_path / "flag"
    assert options.resolve_data_root(None, variable, default) == tmp_path / "variable"
    assert options.resolve_data_root(None, {"MEMORY_DATA_ROOT": " "}, default) == tmp_path / "default"


def test_a_relative_data_root_is_made_absolute() -> None:
    assert options.resolve_data_root(Path("here"), {}, Path.home) == Path.cwd() / "here"


def test_a_home_in_the_data_root_is_expanded() -> None:
    assert options.resolve_data_root(None, {"MEMORY_DATA_ROOT": "~/x"}, Path.cwd) == Path.home() / "x"


@pytest.mark.parametrize(
    ("text", "ports"),
    [("none", ()), (" None ", ()), ("4318", (4318,)), ("4318, 3000", (4318, 3000)), ("4318,4318", (4318,))],
)
def test_more_ports_are_read(text: str, ports: tuple[int, ...]) -> None:
    assert options.read_ports(text) == ports


@pytest.mark.parametrize("text", ["", "x", "4318,", "4318;3000", "0", "70000", "none,4318"])
def test_what_is_not_a_list_of_ports_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a port"):
        options.read_ports(text)


def test_a_data_root_is_held_by_one(tmp_path: Path) -> None:
    root = tmp_path / "new" / "root"
    held = exclusive.lock_root(root)
    with pytest.raises(RootLocked, match="another memory server"):
        exclusive.lock_root(root)
    held.release()
    exclusive.lock_root(root).release()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_a_new_data_root_is_its_owners_alone(tmp_path: Path) -> None:
    exclusive.lock_root(tmp_path / "root").release()
    assert (tmp_path / "root").stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "root").iterdir())


def test_a_port_is_bound_by_one() -> None:
    with _listening() as first, pytest.raises(exclusive.PortTaken, match="choose another with --port"):
        exclusive.bind_loopback(_port(first))


def _listening() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def _port(listener: socket.socket) -> int:
    port = listener.getsockname()[1]
    assert isinstance(port, int)
    return port


# Ends like the real program, and says which of the slow imports it made.
PROGRAM = """
import atexit, sys
slow = ("starlette", "uvicorn", "numpy", "onnxruntime", "pydantic", "rich", "aiosqlite", "memory.engine")
atexit.register(lambda: print("loaded", *(name for name in slow if name in sys.modules)))
from memory_server.cli import main
main(sys.argv[1:])
"""


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, check=False)


def test_a_taken_port_is_refused_in_one_sentence_before_anything_slow_is_imported(tmp_path: Path) -> None:
    with _listening() as taken:
        port = _port(taken)
        refused = _run("serve", "--port", str(port), "--data-root", str(tmp_path))
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"refused: port {port} on 127.0.0.1 is taken")
    assert refused.stderr.count("\n") == 1
    assert refused.stdout.endswith("loaded\n")


def test_a_locked_data_root_is_refused_in_one_sentence_before_anything_slow_is_imported(tmp_path: Path) -> None:
    held = exclusive.lock_root(tmp_path)
    refused = _run("serve", "--data-root", str(tmp_path))
    held.release()
    assert refused.returncode == 2
    assert refused.stderr == f"refused: {RootLocked(tmp_path)}\n"
    assert refused.stdout.endswith("loaded\n")


def test_a_data_root_that_cannot_be_made_is_a_failure_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    failed = _run("serve", "--data-root", str(tmp_path / "file" / "root"))
    assert failed.returncode == 1
    assert failed.stderr.startswith("failed: ")
    assert failed.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_request_to_stop_while_it_still_starts_is_no_failure(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, "serve", "--port", str(free_port()), "--data-root", str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True, encoding="utf-8") as starting:
        assert starting.stdout is not None
        assert starting.stdout.readline().startswith("data root: ")
        starting.terminate()
        assert starting.wait(timeout=5) == 0


@pytest.mark.parametrize(
    "arguments",
    [["serve", "--port", "0"], ["serve", "--also-listen", "x"], ["serve", "--no-such"], ["no-such-command"]],
)
def test_misuse_ends_with_two(arguments: list[str]) -> None:
    assert _run(*arguments).returncode == 2


def test_help_lists_every_command_without_importing_any() -> None:
    shown = _run("--help")
    assert shown.returncode == 0
    assert all(re.search(rf"^  {name} ", shown.stdout, re.MULTILINE) for name in ("serve", "demo", "test", "check"))
    assert shown.stdout.endswith("loaded\n")


@pytest.mark.parametrize("name", sorted(cli.LATER))
def test_every_command_that_is_imported_later_is_there(name: str) -> None:
    shown = _run(name, "--help")
    assert shown.returncode == 0
    assert shown.stdout.startswith("Usage: memory-server")


def test_the_version_is_the_one_in_pyproject() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == VERSION
    assert _run("--version").stdout.startswith(f"memory-server, version {VERSION}\n")
