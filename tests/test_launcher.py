"""The launcher: what it makes, when it leaves things alone, and what it says when it cannot go on."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import launcher
from launcher import DEV_LOCK, RUN_LOCK, Environment, SetUpFailed, with_command

ROOT = Path(launcher.__file__).resolve().parent


class Recorder:
    """Stands in for the programs that the launcher runs; answers with exit codes and keeps the commands."""

    def __init__(self, environment: Environment, *, fails_at: str | None = None) -> None:
        self.environment = environment
        self.fails_at = fails_at
        self.commands: list[list[str]] = []

    def __call__(self, command: Sequence[str]) -> int:
        self.commands.append(list(command))
        if self.fails_at is not None and self.fails_at in command:
            return 1
        if "venv" in command:
            self.environment.python.parent.mkdir(parents=True, exist_ok=True)
            self.environment.python.touch()
        return 0


def has(*names: str) -> Callable[[str], bool]:
    return lambda name: name in names


EVERYTHING = has("venv", "ensurepip", "pip")


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    root = tmp_path / "a folder"
    root.mkdir()
    (root / RUN_LOCK).write_text("one==1\n")
    (root / DEV_LOCK).write_text("one==1\ntwo==2\n")
    return Environment(root)


def prepared(environment: Environment, lock: str) -> list[list[str]]:
    """The commands that a set-up runs."""
    recorder = Recorder(environment)
    environment.prepare(lock, run=recorder, has_module=EVERYTHING)
    return recorder.commands


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ([], ["serve"]),
        (["--port", "5000"], ["serve", "--port", "5000"]),
        (["serve", "--port", "5000"], ["serve", "--port", "5000"]),
        (["demo"], ["demo"]),
        (["test", "-k", "clock"], ["test", "-k", "clock"]),
        (["--help"], ["--help"]),
        (["-h"], ["-h"]),
        (["--version"], ["--version"]),
    ],
)
def test_serve_is_meant_where_no_command_is_named(given: list[str], meant: list[str]) -> None:
    assert with_command(given) == meant


def test_a_first_start_makes_an_environment_and_installs_the_hashed_lock(environment: Environment) -> None:
    made, installed = prepared(environment, RUN_LOCK)
    assert made[1:] == ["-m", "venv", str(environment.path)]
    assert installed[:3] == [str(environment.python), "-m", "pip"]
    assert installed[-1] == str(environment.root / RUN_LOCK)
    # Nothing may be built on the user's machine, and nothing installed that the lock does not name.
    assert {"--require-hashes", "--no-deps", ":all:"} <= set(installed)
    assert environment.covers(RUN_LOCK)


def test_a_complete_environment_is_left_alone(environment: Environment) -> None:
    prepared(environment, RUN_LOCK)
    assert prepared(environment, RUN_LOCK) == []


def test_the_development_packages_go_on_top_of_a_complete_environment(environment: Environment) -> None:
    prepared(environment, RUN_LOCK)
    (installed,) = prepared(environment, DEV_LOCK)
    assert installed[-1] == str(environment.root / DEV_LOCK)
    assert environment.covers(RUN_LOCK)
    assert environment.covers(DEV_LOCK)


def test_an_environment_for_development_serves_too(environment: Environment) -> None:
    prepared(environment, DEV_LOCK)
    assert prepared(environment, RUN_LOCK) == []


def test_a_changed_lock_file_makes_a_new_environment(environment: Environment) -> None:
    prepared(environment, RUN_LOCK)
    (environment.path / "left over").touch()
    (environment.root / RUN_LOCK).write_text("one==1.1\n")
    assert not environment.covers(RUN_LOCK)
    assert len(prepared(environment, RUN_LOCK)) == 2
    assert not (environment.path / "left over").exists()


def test_another_python_makes_a_new_environment(environment: Environment) -> None:
    prepared(environment, RUN_LOCK)
    stamp = json.loads(environment.stamp.read_text())
    environment.stamp.write_text(json.dumps(stamp | {"python": "cpython-310"}))
    assert not environment.covers(RUN_LOCK)


@pytest.mark.parametrize("stamp", ["", "{", "[]", '"x"', '{"python": 3}', '{"locks": []}'])
def test_a_damaged_stamp_counts_as_none(environment: Environment, stamp: str) -> None:
    prepared(environment, RUN_LOCK)
    environment.stamp.write_text(stamp)
    assert not environment.covers(RUN_LOCK)


def test_an_environment_whose_interpreter_is_gone_is_made_again(environment: Environment) -> None:
    prepared(environment, RUN_LOCK)
    environment.python.unlink()
    assert len(prepared(environment, RUN_LOCK)) == 2


@pytest.mark.parametrize("step", ["venv", "install"])
def test_a_set_up_that_fails_leaves_no_stamp_and_is_begun_anew(environment: Environment, step: str) -> None:
    with pytest.raises(SetUpFailed):
        environment.prepare(RUN_LOCK, run=Recorder(environment, fails_at=step), has_module=EVERYTHING)
    assert not environment.covers(RUN_LOCK)
    assert len(prepared(environment, RUN_LOCK)) == 2
    assert environment.covers(RUN_LOCK)


def test_a_failure_while_adding_to_a_complete_environment_takes_its_stamp(environment: Environment) -> None:
    prepared(environment, RUN_LOCK)
    with pytest.raises(SetUpFailed):
        environment.prepare(DEV_LOCK, run=Recorder(environment, fails_at="install"), has_module=EVERYTHING)
    assert not environment.covers(RUN_LOCK)


def test_without_ensurepip_the_running_pip_installs_into_the_environment(environment: Environment) -> None:
    recorder = Recorder(environment)
    environment.prepare(RUN_LOCK, run=recorder, has_module=has("venv", "pip"))
    made, installed = recorder.commands
    assert made[1:4] == ["-m", "venv", "--without-pip"]
    assert installed[:5] == [sys.executable, "-m", "pip", "--python", str(environment.python)]


@pytest.mark.parametrize("present", [(), ("venv",), ("ensurepip", "pip")])
def test_without_the_means_one_sentence_names_what_to_install(
    environment: Environment, present: tuple[str, ...]
) -> None:
    recorder = Recorder(environment)
    with pytest.raises(SetUpFailed, match="apt install python3-venv"):
        environment.prepare(RUN_LOCK, run=recorder, has_module=has(*present))
    assert recorder.commands == []


def test_a_linked_environment_is_refused_and_what_it_leads_to_is_left_alone(
    environment: Environment, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment.path.symlink_to(elsewhere, target_is_directory=True)
    with pytest.raises(SetUpFailed, match="symbolic link"):
        prepared(environment, RUN_LOCK)
    assert elsewhere.is_dir()


def test_a_second_start_waits_for_the_first_and_then_finds_everything_done(environment: Environment) -> None:
    # The other process holds the lock until it is told to go on; by then the environment is complete.
    holder = (
        "import sys, pathlib, launcher\n"
        "with launcher.one_at_a_time(pathlib.Path(sys.argv[1])):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.readline()\n"
    )
    waiter = (
        "import sys, pathlib, launcher\n"
        "environment = launcher.Environment(pathlib.Path(sys.argv[1]))\n"
        "environment.prepare(launcher.RUN_LOCK, run=lambda command: sys.exit('ran ' + str(command)),"
        " has_module=lambda name: True)\n"
        "print('done', flush=True)\n"
    )
    lock = str(environment.root / ".venv.lock")
    with _python(holder, lock, stdin=subprocess.PIPE) as first:
        assert first.stdout is not None
        assert first.stdin is not None
        assert first.stdout.readline() == "held\n"
        with _python(waiter, str(environment.root), stderr=subprocess.PIPE) as second:
            assert second.stdout is not None
            assert second.stderr is not None
            assert "waiting for it" in second.stderr.readline()
            recorder = Recorder(environment)
            environment._make(recorder, EVERYTHING)
            environment._write_stamp(RUN_LOCK)
            first.stdin.write("\n")
            first.stdin.close()
            assert second.stdout.read() == "done\n"
            assert second.wait() == 0


def test_the_lock_ends_with_the_process_that_held_it(environment: Environment) -> None:
    lock = environment.root / ".venv.lock"
    program = (
        "import sys, os, pathlib, launcher\n"
        "with launcher.one_at_a_time(pathlib.Path(sys.argv[1])):\n"
        "    os._exit(9)\n"
    )
    with _python(program, str(lock)) as killed:
        assert killed.wait() == 9
    with launcher.one_at_a_time(lock):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="there the lock ends with the launcher")
def test_the_lock_outlives_a_killed_launcher_while_its_installer_still_writes(environment: Environment) -> None:
    lock = environment.root / ".venv.lock"
    program = (
        "import os, signal, sys, pathlib, launcher\n"
        "installer = 'import os, signal, sys; os.kill(os.getppid(), signal.SIGKILL); sys.stdin.readline()'\n"
        "with launcher.one_at_a_time(pathlib.Path(sys.argv[1])):\n"
        "    launcher._run([sys.executable, '-c', installer])\n"
    )
    with _python(program, str(lock), stdin=subprocess.PIPE) as killed, lock.open("a") as file:
        killed.wait()
        assert not launcher._try_lock(file.fileno())
        assert killed.stdin is not None
        killed.stdin.close()
        with launcher.one_at_a_time(lock):
            pass


def _python(
    program: str, argument: str, *, stdin: int | None = None, stderr: int | None = None
) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, argument]
    return subprocess.Popen(command, cwd=ROOT, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, text=True)


def test_an_environment_that_lacks_a_package_is_told_from_one_that_has_it() -> None:
    assert launcher.unmet(["pytest>=1.0"]) == []
    assert launcher.unmet(["pytest>=9999"]) == ["pytest>=9999"]
    assert launcher.unmet([f"pytest=={pytest.__version__}"]) == []
    assert launcher.unmet(["pytest==1.0"]) == ["pytest==1.0"]
    assert launcher.unmet(["no-such-package-anywhere>=1.0"]) == ["no-such-package-anywhere>=1.0"]


def test_a_package_that_some_platforms_do_without_is_never_missed() -> None:
    assert launcher.unmet(["no-such-package-anywhere>=1.0; sys_platform != 'win32'"]) == []


def test_every_declared_requirement_is_in_a_form_the_launcher_reads() -> None:
    for line in launcher.declared(ROOT, ["embeddings", "dev", "bench"]):
        name, version = re.split(">=|==", line.partition(";")[0])
        assert name == name.strip().lower()
        assert version.strip()


def test_the_lock_files_pin_every_declared_requirement_with_hashes() -> None:
    pinned = {lock: (ROOT / lock).read_text(encoding="utf-8") for lock in (RUN_LOCK, DEV_LOCK)}
    for lock, extras in ((RUN_LOCK, ["embeddings"]), (DEV_LOCK, ["embeddings", "dev", "bench"])):
        for line in launcher.declared(ROOT, extras):
            assert f"\n{re.split('>=|==', line)[0]}==" in pinned[lock], line
        lines = pinned[lock].splitlines()
        starts = [number for number, text in enumerate(lines) if "==" in text and not text.startswith((" ", "#"))]
        assert all("--hash=sha256:" in lines[number + 1] for number in starts)
        # They are for everyone: no index, no host and no path of the machine they were made on.
        assert not any(word in pinned[lock] for word in ("://", "--index", "--find-links", "file:"))


def test_both_lock_files_pin_the_same_versions() -> None:
    def pins(lock: str) -> set[str]:
        return {text.rstrip(" \\") for text in (ROOT / lock).read_text(encoding="utf-8").splitlines() if "==" in text}

    assert pins(RUN_LOCK) <= pins(DEV_LOCK)


@pytest.fixture
def bare_tree(tmp_path: Path) -> Path:
    """A source tree of the launcher alone, where nothing is installed and no package is needed but one."""
    root = tmp_path / "bare tree"
    (root / "memory_server").mkdir(parents=True)
    (root / "launcher.py").write_text((ROOT / "launcher.py").read_text(encoding="utf-8"), encoding="utf-8")
    (root / "pyproject.toml").write_text(
        '[project]\ndependencies = ["no-such-package-anywhere>=1"]\noptional-dependencies = {dev = []}\n'
    )
    (root / RUN_LOCK).write_text("# nothing\n")
    (root / DEV_LOCK).write_text("# nothing\n")
    (root / "memory_server" / "__init__.py").touch()
    (root / "memory_server" / "cli.py").write_text(
        "import sys\ndef main(arguments, program):\n    print(sys.flags.utf8_mode, *arguments)\n    sys.exit(7)\n"
    )
    return root


def _launch(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "launcher.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=root.parent, check=False)


def test_help_is_shown_without_setting_anything_up(bare_tree: Path) -> None:
    shown = _launch(bare_tree, "--help")
    assert shown.returncode == 0
    assert "launcher.py demo" in shown.stdout
    assert not (bare_tree / ".venv").exists()


def test_a_first_start_sets_up_and_goes_on_with_the_same_arguments_from_any_folder(bare_tree: Path) -> None:
    first = _launch(bare_tree, "serve", "--port", "5 5")
    assert (first.returncode, first.stdout) == (7, "1 serve --port 5 5\n"), first.stderr
    assert "making .venv" in first.stderr
    again = _launch(bare_tree)
    assert (again.returncode, again.stdout, again.stderr) == (7, "1 serve\n", "")


def test_a_folder_that_cannot_be_written_is_named_in_one_sentence(bare_tree: Path) -> None:
    # A directory where the lock file belongs fails like a read-only folder, for every user.
    (bare_tree / ".venv.lock").mkdir()
    failed = _launch(bare_tree, "serve")
    assert failed.returncode == 1
    assert str(bare_tree / ".venv") in failed.stderr
    assert "Copy this folder" in failed.stderr
    assert failed.stderr.count("\n") == 1
