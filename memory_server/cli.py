"""The command line: arguments in, an exit code out.

0 is done, 1 is failed, 2 is refused or misused. Only what every command needs is imported at the top;
the rest is imported by the command that needs it, so that a refusal takes no time.
"""

from __future__ import annotations

import importlib
import io
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from memory.errors import MemoryServiceError, RootLocked, RootTooNew
from memory_server import exclusive, options
from memory_server.version import VERSION

DONE, FAILED, REFUSED = 0, 1, 2

CHECKED = ("memory", "memory_server", "launcher.py", "tests", "benchmarks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """A command in a module that is imported when the command is called."""

    target: str     # module:attribute
    summary: str    # its line in --help


LATER: Mapping[str, Later] = {
    "backup": Later(
        target="memory_server.commands.backup:backup",
        summary="Write every memory into one archive, also while a server runs.",
    ),
    "character": Later(
        target="memory_server.commands.character:character",
        summary="Add, rename or delete a character.",
    ),
    "characters": Later(
        target="memory_server.commands.memory:characters",
        summary="Every character with what it holds.",
    ),
    "demo": Later(
        target="memory_server.demo:demo",
        summary="Tell a sample conversation to a real server and recall it.",
    ),
    "doctor": Later(
        target="memory_server.commands.doctor:doctor",
        summary="Check every file of the memories; --repair does what is safe.",
    ),
    "export": Later(
        target="memory_server.commands.memory:export",
        summary="Everything about a character in a readable form.",
    ),
    "forget": Later(
        target="memory_server.commands.memory:forget",
        summary="Erase memories for good, from every file.",
    ),
    "jobs": Later(
        target="memory_server.commands.jobs:jobs",
        summary="What language models do for the memories; what they failed at.",
    ),
    "ingest": Later(
        target="memory_server.commands.ingest:ingest",
        summary="Bring transcripts and records in as evidence.",
    ),
    "models": Later(
        target="memory_server.commands.models:models",
        summary="The models that make recall by meaning.",
    ),
    "recall": Later(
        target="memory_server.commands.memory:recall",
        summary="Ask what a character remembers.",
    ),
    "restore": Later(
        target="memory_server.commands.backup:restore",
        summary="Put an archive back.",
    ),
    "show": Later(
        target="memory_server.commands.memory:show",
        summary="What a character remembers, with ids and sources.",
    ),
    "smoke": Later(
        target="memory_server.commands.smoke:smoke",
        summary="Check a running server from end to end, in a scope of its own.",
    ),
    "status": Later(
        target="memory_server.commands.memory:status",
        summary="How the memories are doing.",
    ),
}


class LazyGroup(click.Group):
    """A group that also lists commands it has not imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *LATER])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if (later := LATER.get(cmd_name)) is None:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = later.target.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = {name: command.get_short_help_str(limit=100) for name, command in self.commands.items()}
        rows |= {name: later.summary for name, later in LATER.items()}
        with formatter.section("Commands"):
            formatter.write_dl(sorted(rows.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="memory-server")
def command_line() -> None:
    """Long-term memory for conversational characters, on this machine alone."""


def _ports(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[int, ...]:
    if text is None:
        return options.DEFAULT_ALSO_LISTEN
    try:
        return options.read_ports(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@command_line.command()
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Port on 127.0.0.1. Default: $NEKO_MEMORY_SERVER_PORT, $MEMORY_SERVER_PORT, 48912.",
)
@click.option(
    "--data-root",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where memories are kept. Default: $MEMORY_DATA_ROOT, else your user data folder.",
)
@click.option(
    "--also-listen",
    metavar="PORTS",
    callback=_ports,
    help="More ports for the same server, as 4318,3000, or none. A taken one is a warning. Default: 4318.",
)
@click.option("--enable-shutdown", is_flag=True, help="Let POST /shutdown end this process.")
@click.option(
    "--master-name",
    envvar=options.MASTER_VARIABLE,
    help="What characters call you where no characters.json says. Default: $MEMORY_MASTER_NAME.",
)
@click.option(
    "--embedding-profile",
    envvar=options.PROFILE_VARIABLE,
    default="auto",
    help="auto, off or a profile's name. Default: $MEMORY_EMBEDDING_PROFILE, auto.",
)
def serve(
    port: int | None,
    data_root: Path | None,
    also_listen: tuple[int, ...],
    enable_shutdown: bool,
    master_name: str | None,
    embedding_profile: str,
) -> NoReturn:
    """Serve until a signal, Ctrl-C or an allowed /shutdown."""
    port = options.resolve_port(port, os.environ)
    wanted = options.ServeOptions(
        port=port,
        data_root=options.resolve_data_root(data_root, os.environ),
        also_listen=tuple(other for other in also_listen if other != port),
        enable_shutdown=enable_shutdown,
        master_name=master_name or None,
        embedding_profile=embedding_profile,
        instance_id=os.environ.get(options.INSTANCE_VARIABLE) or None,
        statecore=options.resolve_statecore(os.environ),
        recallnest=options.resolve_recallnest(os.environ),
    )
    # Until the server handles signals itself, a request to stop is obeyed at once and is no failure.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(DONE))
    click.echo(f"data root: {wanted.data_root}")
    sys.exit(_run(wanted))


def _run(wanted: options.ServeOptions) -> int:
    try:
        exclusive.lock_root(wanted.data_root).release()
        exclusive.bind_loopback(wanted.port).close()
        # Imported only now: what it brings takes most of the time that a start takes.
        from memory_server.serve import run

        return run(wanted)
    except (RootLocked, RootTooNew, exclusive.PortTaken) as refusal:
        click.echo(f"refused: {refusal}", err=True)
        return REFUSED
    except OSError as error:
        click.echo(f"failed: {error}", err=True)
        return FAILED
    except MemoryServiceError as error:
        click.echo(f"failed: {error}", err=True)
        return FAILED


@command_line.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def test(arguments: tuple[str, ...]) -> NoReturn:
    """Run the tests of a source tree; arguments go to pytest."""
    root = _source_tree()
    command = [sys.executable, "-m", "pytest", *arguments]
    if os.access(root, os.W_OK):
        sys.exit(subprocess.run(command, cwd=root, check=False).returncode)
    with tempfile.TemporaryDirectory() as scratch:
        environment = os.environ | {"HYPOTHESIS_STORAGE_DIRECTORY": scratch, "PYTHONDONTWRITEBYTECODE": "1"}
        command += ["-p", "no:cacheprovider"]
        sys.exit(subprocess.run(command, cwd=root, env=environment, check=False).returncode)


@command_line.command()
def check() -> NoReturn:
    """Check a source tree's style and types, as .ci/run does."""
    root = _source_tree()
    codes = [
        subprocess.run([sys.executable, "-m", *tool, *CHECKED], cwd=root, check=False).returncode
        for tool in (("ruff", "check"), ("mypy", "--strict"))
    ]
    sys.exit(FAILED if any(codes) else DONE)


def _source_tree() -> Path:
    root = Path(__file__).resolve().parent.parent
    if not (root / "tests").is_dir():
        raise click.UsageError("this command belongs to a source tree, and this is an installed package")
    return root


def main(arguments: Sequence[str] | None = None, *, program: str = "memory-server") -> NoReturn:
    """Run the command line and end the process."""
    for stream in (sys.stdout, sys.stderr):
        # Memories are in every script; a console or pipe set to another encoding must not stop them.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    command_line.main(args=arguments, prog_name=program)
    raise AssertionError("click ends the process")
