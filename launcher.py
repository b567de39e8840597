#!/usr/bin/env python3
"""First start: make .venv from a lock file where packages are missing, then go on into memory_server.cli.

Needs nothing but the standard library. An environment that already has every package is used as it is.
"""

import sys

if sys.version_info < (3, 11):
    found = (sys.version.split()[0], sys.executable)
    sys.stderr.write("This program needs Python 3.11 or newer; this is Python %s, %s.\n" % found)
    sys.exit(2)

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

ROOT = Path(__file__).resolve().parent
RUN_LOCK, DEV_LOCK = "requirements.lock", "requirements-dev.lock"
DEV_COMMANDS = ("test", "check")

USAGE = """\
usage: python3 launcher.py [serve] [--port N] [--data-root DIR] [--also-listen PORTS|none] [--enable-shutdown]
       python3 launcher.py demo             a sample conversation, from the first message to recall
       python3 launcher.py test [ARGS …]    the tests; ARGS go to pytest
       python3 launcher.py COMMAND --help   what a command takes

The first start makes .venv in this folder from the lock file, which needs the network once.
After it, --help lists every command.
"""

NO_INSTALLER = (
    "This Python has neither ensurepip nor pip, so packages cannot be installed. "
    "Install one of them (Debian and Ubuntu: apt install python3-venv; Fedora: dnf install python3-pip) "
    "and run the same command again."
)

Run = Callable[[Sequence[str]], int]


class SetUpFailed(Exception):
    """The environment could not be made; the message says what to do about it."""


class Environment:
    """A virtual environment beside this file, and the stamp that says what it holds.

    The stamp maps lock file names to the SHA-256 of the contents that were installed. It is removed
    before anything changes and written last, so a set-up that was interrupted never counts as complete.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = root / ".venv"
        self.stamp = self.path / "complete.json"
        in_path = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
        self.python = self.path.joinpath(*in_path)

    def covers(self, lock_name: str) -> bool:
        """Whether everything the lock file names was installed, for the Python that runs this."""
        return self._stamped().get(lock_name) == self._digest(lock_name) and self.python.exists()

    def is_running(self) -> bool:
        """Whether this process runs inside the environment."""
        return Path(sys.prefix).resolve() == self.path.resolve()

    def prepare(self, lock_name: str, *, run: Run, has_module: Callable[[str], bool]) -> None:
        """Install what the lock file names, into a new environment unless a complete one can be added to.

        One process at a time. Raises SetUpFailed, or OSError when the folder cannot be written.
        """
        with one_at_a_time(self.root / ".venv.lock"):
            if self.covers(lock_name):
                return  # another start made it while we waited
            # The development lock holds the same versions and more: it goes on top of what is there.
            add_to_it = lock_name == DEV_LOCK and self.covers(RUN_LOCK)
            self.stamp.unlink(missing_ok=True)
            started = time.monotonic()
            if not add_to_it:
                self._make(run, has_module)
            self._install(lock_name, run, has_module)
            self._write_stamp(lock_name)
            say(f"ready after {time.monotonic() - started:.0f} s")

    def _make(self, run: Run, has_module: Callable[[str], bool]) -> None:
        if not has_module("venv") or not (has_module("ensurepip") or has_module("pip")):
            raise SetUpFailed(NO_INSTALLER)
        if self.path.is_symlink():
            raise SetUpFailed(f"{self.path} is a symbolic link; remove it and run the same command again.")
        if self.path.exists():
            say("removing .venv: it is incomplete, or made for another Python or lock file")
            shutil.rmtree(self.path)
        say(f"making .venv for Python {sys.version_info.major}.{sys.version_info.minor} in {self.root}")
        # Inside a virtual environment that is about to be replaced, only the base interpreter stays.
        base = getattr(sys, "_base_executable", None) or sys.executable
        command = [base, "-m", "venv", str(self.path)]
        if not has_module("ensurepip"):
            command.insert(3, "--without-pip")
        if run(command) != 0:
            raise SetUpFailed(f"`{' '.join(command)}` failed; its output is above.")

    def _install(self, lock_name: str, run: Run, has_module: Callable[[str], bool]) -> None:
        pip = [str(self.python), "-m", "pip"]
        if not has_module("ensurepip"):
            pip = [sys.executable, "-m", "pip", "--python", str(self.python)]
        lock = self.root / lock_name
        say(f"installing the packages pinned in {lock_name}; this takes about a minute")
        # The lock is complete and hashed: nothing is resolved and nothing is built.
        options = ["-qq", "--no-input", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
        if run([*pip, "install", *options, "--only-binary", ":all:", "--requirement", str(lock)]) != 0:
            raise SetUpFailed(
                "The packages could not be installed; pip's reason is above. "
                "When it is put right (the network, mostly), run the same command again."
            )

    def _stamped(self) -> dict[str, str]:
        """What the stamp says is installed; empty without a stamp for this Python."""
        try:
            stamp = json.loads(self.stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(stamp, dict) or stamp.get("python") != sys.implementation.cache_tag:
            return {}
        locks = stamp.get("locks")
        return locks if isinstance(locks, dict) else {}

    def _write_stamp(self, lock_name: str) -> None:
        names = [RUN_LOCK, DEV_LOCK] if lock_name == DEV_LOCK else [lock_name]
        stamp = {"python": sys.implementation.cache_tag, "locks": {name: self._digest(name) for name in names}}
        fresh = self.stamp.with_suffix(".new")
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(stamp, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.stamp)

    def _digest(self, lock_name: str) -> str:
        return hashlib.sha256((self.root / lock_name).read_bytes()).hexdigest()


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Hold the operating system's lock on a file, which ends with the process whatever happens to it."""
    with path.open("a") as file:
        if not _try_lock(file.fileno()):
            say("another start is setting this folder up; waiting for it")
            while not _try_lock(file.fileno()):
                time.sleep(0.2)
        # Programs started meanwhile hold it too: should this process be killed, nobody begins while they still write.
        os.set_inheritable(file.fileno(), True)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def declared(root: Path, extras: Sequence[str]) -> list[str]:
    """The requirements of pyproject.toml, with those of the named extras."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    return [*project["dependencies"], *(line for extra in extras for line in optional[extra])]


def unmet(requirements: Sequence[str]) -> list[str]:
    """The requirements that the running interpreter does not meet.

    Those that hold on some platforms only are left out: they make things faster and are never needed.
    """
    return [line for line in requirements if ";" not in line and not _is_met(line)]


def _is_met(requirement: str) -> bool:
    name, exactly, version = requirement.partition("==")
    if not exactly:
        name, _, version = requirement.partition(">=")
    try:
        installed = _release(importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return False
    return installed == _release(version) if exactly else installed >= _release(version)


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def with_command(arguments: Sequence[str]) -> list[str]:
    """The arguments with the command they mean: ``serve`` when they name none."""
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help", "--version")):
        return ["serve", *arguments]
    return list(arguments)


def say(text: str) -> None:
    print(f"launcher: {text}", file=sys.stderr, flush=True)


def _run(command: Sequence[str]) -> int:
    # Everything goes to stderr: stdout belongs to the command that was asked for.
    elsewhere = ("PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT")
    environment = {name: value for name, value in os.environ.items() if name not in elsewhere}
    return subprocess.run(command, stdout=sys.stderr, env=environment, close_fds=False, check=False).returncode


def _has_module(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _go_on_in(python: Path, arguments: Sequence[str]) -> NoReturn:
    """Start this file again under another interpreter."""
    command = [str(python), "-X", "utf8", str(ROOT / "launcher.py"), *arguments]
    if sys.platform == "win32":
        # There exec would return to the shell at once.
        sys.exit(_wait_for(subprocess.Popen(command)))
    else:
        sys.stdout.flush()
        os.execv(command[0], command)


def _wait_for(child: subprocess.Popen[bytes]) -> int:
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:
            continue  # the child heard it too, and decides


def _hand_over(arguments: Sequence[str]) -> NoReturn:
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    # Only here, and not at the top: until now the packages it needs may have been missing.
    from memory_server.cli import main as command_line

    command_line(arguments, program="python3 launcher.py")


def main(arguments: Sequence[str]) -> NoReturn:
    arguments = with_command(arguments)
    for_development = arguments[0] in DEV_COMMANDS
    lock_name = DEV_LOCK if for_development else RUN_LOCK
    environment = Environment(ROOT)
    complete = environment.covers(lock_name)
    if (complete and environment.is_running()) or not unmet(declared(ROOT, ["dev"] if for_development else [])):
        _hand_over(arguments)
    if not complete and ("-h" in arguments or "--help" in arguments):
        print(USAGE, end="")
        sys.exit(0)
    if not complete:
        try:
            environment.prepare(lock_name, run=_run, has_module=_has_module)
        except SetUpFailed as failed:
            sys.exit(f"launcher: {failed}")
        except OSError as error:
            sys.exit(
                f"launcher: cannot set up {environment.path}: {error.strerror or error}. "
                "Copy this folder to a place you can write to, "
                f"or run it with a Python that has the packages of {lock_name}."
            )
        except KeyboardInterrupt:
            sys.exit("launcher: stopped; the next start begins the set-up again.")
    _go_on_in(environment.python, arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
