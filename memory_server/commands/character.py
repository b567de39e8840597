"""``character add|rename|delete``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memory_server.commands.reach import (
    REFUSED,
    Refused,
    data_root_option,
    exits,
    json_option,
    memories_of,
    print_json,
    server_option,
)


@click.group()
def character() -> None:
    """Add, rename or delete a character."""


@character.command()
@click.argument("name")
@data_root_option
@server_option
@json_option
@exits
def add(name: str, data_root: Path | None, server: str | None, as_json: bool) -> None:
    """Make an empty character NAME."""
    with memories_of(data_root, server, create=True) as memories:
        done = memories.ask("character_add", name=name)
    if as_json:
        print_json(done)
    else:
        click.echo(f"added {done['name']}")


@character.command()
@click.argument("name")
@click.argument("new_name")
@data_root_option
@server_option
@json_option
@exits
def rename(name: str, new_name: str, data_root: Path | None, server: str | None, as_json: bool) -> None:
    """Give NAME the name NEW_NAME. What it remembers stays as it is."""
    with memories_of(data_root, server) as memories:
        done = memories.ask("character_rename", name=name, new_name=new_name)
    if as_json:
        print_json(done)
    else:
        click.echo(f"{name} is now {done['name']}")


@character.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_root_option
@server_option
@json_option
@exits
def delete(name: str, yes: bool, data_root: Path | None, server: str | None, as_json: bool) -> None:
    """Delete NAME with everything it remembers. Nothing but a backup brings it back."""
    with memories_of(data_root, server) as memories:
        known = {row["name"]: row for row in memories.ask("characters")["characters"]}
        if name not in known:
            raise Refused(f"there is no memory named {name!r}")
        row = known[name]
        question = f"Delete {name} with {row['turns']} messages and {row['facts']} facts for good?"
        if not yes and (as_json or not click.confirm(question, default=False)):
            click.echo("refused: add --yes to delete it" if as_json else "nothing was deleted", err=as_json)
            sys.exit(REFUSED)
        done = memories.ask("character_delete", name=name)
    if as_json:
        print_json(done)
    else:
        click.echo(f"deleted {name}, {done['files']} files")
