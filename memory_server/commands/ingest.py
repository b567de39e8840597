"""``ingest``: transcripts and records from elsewhere, brought in as evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from memory_server.commands.reach import (
    Refused,
    data_root_option,
    exits,
    json_option,
    memories_of,
    print_json,
    server_option,
)

_AT_ONCE = 200  # records told in one go
_BYTES = 400_000  # … and bytes of them
_CATEGORIES = frozenset({"profile", "preferences", "entities", "events", "cases", "patterns"})


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--scope", help="Where they belong, as cc:a1b2c3d4, where a file does not say.")
@click.option("--source", help="Where they come from, as cc or mail, where a file does not say.")
@data_root_option
@server_option
@json_option
@exits
def ingest(
    files: Sequence[Path],
    scope: str | None,
    source: str | None,
    data_root: Path | None,
    server: str | None,
    as_json: bool,
) -> None:
    """Bring the records in FILES in as evidence: found by recall, durable only once promoted.

    A file is a connector's JSON object with "records", a JSON list of records, or one record a
    line. A record has "text" and may have "id", "scope", "source", "category" (or "categoryHint"),
    "importance" (or "importanceHint"), "tags", "timestamp" and "title". Bringing the same in again
    adds nothing.
    """
    totals = {"added": 0, "known": 0, "noise": 0}
    with memories_of(data_root, server, create=True) as memories:
        for path in files:
            for place, label, records in _batches(_read(path, scope, source)):
                done = memories.ask("ingest", scope=place, source=label, records=records)
                for name in totals:
                    totals[name] += done[name]
    if as_json:
        print_json(totals)
        return
    click.echo(f"{totals['added']} brought in, {totals['known']} known already, {totals['noise']} not worth keeping")


Told = tuple[str, str, dict[str, Any]]  # scope, source, record


def _read(path: Path, scope: str | None, source: str | None) -> Iterator[Told]:
    text = path.read_text(encoding="utf-8-sig")
    try:
        value = json.loads(text)
    except ValueError:
        rows: Sequence[Any] = [
            _line(path, number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()
        ]
        outer: Mapping[str, Any] = {}
    else:
        outer = value if isinstance(value, dict) and isinstance(value.get("records"), list) else {}
        rows = outer["records"] if outer else value if isinstance(value, list) else [value]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise Refused(f"{path}: record {number} has no text")
        place = scope or row.get("scope") or outer.get("scope")
        label = source or row.get("source") or outer.get("source")
        if not isinstance(place, str) or not isinstance(label, str):
            raise Refused(f"{path}: record {number} says no scope or source; give --scope and --source")
        if row["text"].strip():
            yield place, label, _record(row, path)


def _line(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise Refused(f"{path}: line {number} is not JSON") from None


def _record(row: Mapping[str, Any], path: Path) -> dict[str, Any]:
    title, category = row.get("title"), row.get("category") or row.get("categoryHint")
    importance = row.get("importance", row.get("importanceHint"))
    told = {
        "text": f"{title}: {row['text']}" if isinstance(title, str) and title.strip() else row["text"],
        "id": str(row["id"]) if row.get("id") is not None else None,
        "category": category if category in _CATEGORIES else None,
        "importance": float(importance) if isinstance(importance, (int, float)) and 0 <= importance <= 1 else None,
        "tags": [tag for tag in row.get("tags") or () if isinstance(tag, str) and tag.strip()][:32],
        "at": row.get("timestamp") if isinstance(row.get("timestamp"), str) else None,
        "file": path.name,
    }
    return {name: value for name, value in told.items() if value is not None}


def _batches(told: Iterator[Told]) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Records of one scope and source together, few enough for one request."""
    batch: list[dict[str, Any]] = []
    size = 0
    place = label = ""
    for scope, source, record in told:
        length = len(json.dumps(record))
        if batch and ((scope, source) != (place, label) or len(batch) == _AT_ONCE or size + length > _BYTES):
            yield place, label, batch
            batch, size = [], 0
        place, label = scope, source
        batch.append(record)
        size += length
    if batch:
        yield place, label, batch
