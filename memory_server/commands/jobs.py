"""``jobs`` and ``jobs retry``: what language models do for the memories, and what they failed at."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from memory_server.commands.reach import data_root_option, exits, json_option, memories_of, print_json, server_option

_SHOWN = 20             # dead letters of a list


@click.group(invoke_without_command=True)
@data_root_option
@server_option
@json_option
@click.pass_context
@exits
def jobs(context: click.Context, data_root: Path | None, server: str | None, as_json: bool) -> None:
    """What language models do for the memories, job by job, and what was given up.

    "model" stands for a job that a model does now, "rules" for one that rules do in its place, "paused" for one that
    nobody does.
    """
    if context.invoked_subcommand is not None:
        return
    with memories_of(data_root, server) as memories:
        told = memories.ask("jobs")
        through_server = memories.through_server
    if as_json:
        print_json(told)
        return
    _show(told)
    if not through_server:
        click.echo("No server runs here, so no model is asked; what waits is done once one does.")


@jobs.command()
@click.argument("ids", nargs=-1)
@click.option("--character", "name", help="Only this character's.")
@data_root_option
@server_option
@json_option
@exits
def retry(
    ids: tuple[str, ...], name: str | None, data_root: Path | None, server: str | None, as_json: bool
) -> None:
    """Try again what was given up: all of it, or the dead letters with these IDS."""
    with memories_of(data_root, server) as memories:
        done = memories.ask("jobs_retry", name=name, ids=list(ids) or None)
    if as_json:
        print_json(done)
    else:
        click.echo(f"{done['retried']} will be tried again")


def _show(told: Mapping[str, Any]) -> None:
    console = Console(file=sys.stdout, soft_wrap=False)
    table = Table(box=None, pad_edge=False)
    for title in ("job", "tier", "done by", "waiting", "for", "breaker", "dead"):
        table.add_column(title, justify="right" if title in ("waiting", "for", "dead") else "left")
    for job in told["jobs"]:
        age, breaker = job["oldest_age_seconds"], job["breaker"] or "-"
        dead = str(job["dead_letters"])
        table.add_row(job["name"], job["tier"], job["done_by"], str(job["backlog"]), _age(age), breaker, dead)
    console.print(table)
    console.print(f"today: {told['calls_today']} calls, {told['tokens_today']} tokens")
    letters = told["dead_letters"]
    for letter in letters[:_SHOWN]:
        console.print(escape(f"{letter['memory']}: {letter['id']} ({letter['attempts']} attempts): {letter['reason']}"))
    if len(letters) > _SHOWN:
        console.print(f"… and {len(letters) - _SHOWN} more dead letters; --json shows all")


def _age(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"
