"""``status``, ``characters``, ``show``, ``recall``, ``forget`` and ``export``: a person's look at the memories."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from memory.export import markdown
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

_SHOWN = 50             # items of a preview
_WIDTH = 160            # characters of a text in a preview
_PLURALS = {
    "turn": "turns", "fact": "facts", "archived_fact": "archived facts", "reflection": "reflections",
    "archived_reflection": "archived reflections", "persona_entry": "persona entries",
    "archived_persona_entry": "archived persona entries", "recent_message": "recent messages",
    "memo_line": "memo lines", "correction": "corrections", "surfaced_topic": "offered topics",
    "pair_of_facts": "pairs of facts", "other": "other records",
}  # fmt: skip


def _table(*columns: str) -> Table:
    """A table that breaks what does not fit rather than cutting it: ids are there to be copied."""
    table = Table(*columns)
    for column in table.columns:
        column.overflow = "fold"
    return table


@click.command()
@data_root_option
@server_option
@json_option
@exits
def status(data_root: Path | None, server: str | None, as_json: bool) -> None:
    """How the memories are doing."""
    with memories_of(data_root, server) as memories:
        found = memories.ask("status")
    if as_json:
        print_json({**found, "through_server": memories.through_server})
        return
    click.echo(f"data root     {found['data_root']}")
    click.echo(f"root id       {found['root_id']}")
    click.echo(f"server        {'running' if memories.through_server else 'not running'}, version {found['version']}")
    click.echo(f"characters    {found['characters']}, {found['damaged']} of them damaged or closed")
    click.echo(f"messages      {found['turns']}")
    click.echo(f"facts         {found['facts']}")
    click.echo(f"owed work     {found['owed']}")


@click.command()
@data_root_option
@server_option
@json_option
@exits
def characters(data_root: Path | None, server: str | None, as_json: bool) -> None:
    """Every character with what it holds."""
    with memories_of(data_root, server) as memories:
        found = memories.ask("characters")
    if as_json:
        print_json(found)
        return
    table = _table("character", "messages", "facts", "owed", "state")
    for row in found["characters"]:
        table.add_row(escape(row["name"]), str(row["turns"]), str(row["facts"]), str(row["owed"]), escape(row["state"]))
    Console().print(table)


@click.command()
@click.argument("name")
@click.option("--facts", "part", flag_value="facts", default=True, help="What was learnt (the default).")
@click.option("--reflections", "part", flag_value="reflections", help="What was concluded from it.")
@click.option("--persona", "part", flag_value="persona", help="What became part of the character.")
@click.option("--history", "part", flag_value="history", help="What was said.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="The newest so many.")
@data_root_option
@server_option
@json_option
@exits
def show(name: str, part: str, limit: int, data_root: Path | None, server: str | None, as_json: bool) -> None:
    """What NAME remembers, with ids and sources."""
    with memories_of(data_root, server) as memories:
        found = memories.ask("show", name=name, part=part, limit=limit)
    if as_json:
        print_json(found)
        return
    console = Console()
    if part == "history":
        table = _table("id", "at", "who", "message")
        for row in found["rows"]:
            table.add_row(row["id"], row["at"][:19], escape(row["speaker"]), escape(row["text"]))
    else:
        table = _table("id", "text", "about", "sources")
        for row in found["rows"]:
            table.add_row(escape(str(row.get("id", ""))), escape(_told(row)), _about(row), escape(_sources(row)))
    console.print(table)
    click.echo(f"{len(found['rows'])} of {found['total']} shown")


def _told(row: Mapping[str, Any]) -> str:
    notes = [str(row["status"])] if "status" in row else []
    if row.get("superseded_by"):
        notes.append(f"replaced by {row['superseded_by']}")
    if row.get("archived"):
        notes.append("archived")
    return f"{row.get('text', '')} ({'; '.join(notes)})" if notes else str(row.get("text", ""))


def _about(row: Mapping[str, Any]) -> str:
    return escape(str(row.get("about") or row.get("section") or row.get("entity") or ""))


def _sources(row: Mapping[str, Any]) -> str:
    listed = row.get("sources") or row.get("source_fact_ids") or ([row["source_id"]] if row.get("source_id") else [])
    return ", ".join(map(str, listed)) if isinstance(listed, list) else ""


@click.command()
@click.argument("name")
@click.argument("query", default="")
@click.option("--time", "when", default="", help="A time, as 2026-05 or 2026-05-01..2026-05-07.")
@click.option("--limit", type=click.IntRange(1, 50), default=8, show_default=True)
@click.option(
    "--in", "tiers", multiple=True, type=click.Choice(["fact", "reflection", "fact_archive", "turn", "persona"]),
    help="Where to look; may be given several times. Default: facts, reflections and archived facts.",
)
@data_root_option
@server_option
@json_option
@exits
def recall(
    name: str,
    query: str,
    when: str,
    limit: int,
    tiers: Sequence[str],
    data_root: Path | None,
    server: str | None,
    as_json: bool,
) -> None:
    """Ask what NAME remembers about QUERY."""
    with memories_of(data_root, server) as memories:
        found = memories.ask(
            "recall", name=name, query=query, time=when, limit=limit, tiers=list(tiers) if tiers else None
        )
    if as_json:
        print_json(found)
        return
    if not found["results"]:
        click.echo("nothing comes to mind")
        return
    table = _table("score", "what", "text", "id")
    for row in found["results"]:
        score = "" if row["score"] is None else f"{row['score']:.4f}"
        table.add_row(score, row["tier"], escape(row["text"]), escape(row["id"]))
    Console().print(table)


@click.command()
@click.option("--character", "name", required=True, help="Whose memories.")
@click.option("--match", "text", help="Everything in which this text stands, whatever its case.")
@click.option("--id", "ids", multiple=True, metavar="ID", help="A message, fact or reflection; may come several times.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_root_option
@server_option
@json_option
@exits
def forget(
    name: str,
    text: str | None,
    ids: Sequence[str],
    yes: bool,
    data_root: Path | None,
    server: str | None,
    as_json: bool,
) -> None:
    """Erase memories for good, from every file, after showing what would go.

    What rests on nothing else goes along, and is not learnt again. Nothing but a backup brings it back.
    """
    if (text is None) == (not ids):
        raise Refused("give either --match TEXT or --id ID")
    with memories_of(data_root, server) as memories:
        asked: dict[str, Any] = {"name": name, "match": text, "ids": list(ids)}
        found = memories.ask("preview", **asked)
        if not as_json:
            _print_preview(found)
        if not found["items"] and not found["leftovers"]:
            if as_json:
                print_json({"preview": found, "erased": None})
            return
        if not yes and not _confirmed(found, as_json):
            sys.exit(REFUSED)
        done = memories.ask("forget", **asked)
    if as_json:
        print_json({"preview": found, "erased": done})
        return
    click.echo(f"erased {_counted(done['items']) or 'the remains of an erasing'} for good")
    click.echo(
        f"{done['journal_lines']} lines of the journal and {done['database_rows']} more rows of the database were "
        f"cleaned, {done['files_changed']} other files changed, {done['files_removed']} removed"
    )
    if done["elsewhere"]:
        click.echo(f"it also stands in files that are not ours: {', '.join(done['elsewhere'])}")


def _print_preview(found: Mapping[str, Any]) -> None:
    items = found["items"]
    if not items:
        left = found["leftovers"]
        click.echo(f"{left} files still hold remains of it" if left else "nothing of that is remembered")
        return
    table = _table("what", "id", "text")
    for item in items[:_SHOWN]:
        shown = " ".join(item["text"].split())
        cut = shown if len(shown) <= _WIDTH else f"{shown[:_WIDTH]}…"
        table.add_row(item["kind"].replace("_", " "), escape(item["id"] or ""), escape(cut))
    Console().print(table)
    if len(items) > _SHOWN:
        click.echo(f"… and {len(items) - _SHOWN} more")


def _confirmed(found: Mapping[str, Any], as_json: bool) -> bool:
    if as_json:
        print_json({"preview": found, "erased": None})
        click.echo("refused: add --yes to erase this", err=True)
        return False
    if not click.confirm("Erase this for good?", default=False):
        click.echo("nothing was erased")
        return False
    return True


def _counted(counts: Mapping[str, int]) -> str:
    parts = [f"{count} {_word(kind, count)}" for kind, count in counts.items()]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _word(kind: str, count: int) -> str:
    return kind.replace("_", " ") if count == 1 else _PLURALS.get(kind, kind)


@click.command()
@click.argument("name")
@click.option("--format", "form", type=click.Choice(["json", "markdown"]), default="json", show_default=True)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="A new file. Default: standard output.")
@data_root_option
@server_option
@exits
def export(name: str, form: str, output: Path | None, data_root: Path | None, server: str | None) -> None:
    """Everything about NAME in a readable form: facts, reflections, persona and history."""
    if output is not None and output.exists():
        raise Refused(f"{output} exists already; nothing is written over it")
    with memories_of(data_root, server) as memories:
        found = memories.ask("export", name=name)
    text = markdown(found) if form == "markdown" else json.dumps(found, ensure_ascii=False, indent=2) + "\n"
    if output is None:
        click.echo(text, nl=False)
        return
    fd = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(text)
    click.echo(f"exported {name} to {output}")

