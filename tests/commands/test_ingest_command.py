"""Bringing records in as evidence, alone and from files of several shapes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from click.testing import CliRunner, Result

from memory.engine import Engine
from memory.facts.evidence import memory_of
from memory.scopes import read_scope
from memory.settings import Settings
from memory_server.cli import command_line

CONNECTOR = {
    "version": "connector-v1",
    "source": "cc",
    "scope": "cc:a1b2c3d4",
    "records": [
        {"id": "m1", "text": "User prefers tabs over spaces", "categoryHint": "preferences", "importanceHint": 0.8},
        {"id": "m2", "text": "ok"},
        {"id": "m3", "title": "Docker", "text": "check the logs first", "timestamp": "2026-03-01T10:00:00Z"},
    ],
}


def run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["ingest", *arguments, "--data-root", str(root), "--json"])


async def kept(root: Path, scope: str) -> list[tuple[str, str, str, str]]:
    engine = await Engine.open(Settings(data_root=root, background=False))
    async with engine.spaces.use(read_scope(scope).space) as space:
        found = [
            (fact.text, memory_of(fact).category, memory_of(fact).boundary.layer, memory_of(fact).label)
            for fact in space.facts
        ]
    await engine.close()
    return found


def test_a_connectors_file_becomes_evidence_once(tmp_path: Path) -> None:
    file = tmp_path / "records.json"
    file.write_text(json.dumps(CONNECTOR), encoding="utf-8")
    root = tmp_path / "root"
    assert json.loads(run(root, str(file)).output) == {"added": 2, "known": 0, "noise": 1}
    assert json.loads(run(root, str(file)).output) == {"added": 0, "known": 2, "noise": 1}
    assert asyncio.run(kept(root, "cc:a1b2c3d4")) == [
        # A preference told in passing counts as an event.
        ("User prefers tabs over spaces", "events", "evidence", "cc"),
        ("Docker: check the logs first", "events", "evidence", "cc"),
    ]


def test_lines_may_each_name_their_own_scope(tmp_path: Path) -> None:
    file = tmp_path / "lines.ndjson"
    rows = [
        {"text": "The parser is done", "scope": "codex:1", "source": "codex", "category": "entities"},
        {"text": "The printer is done", "scope": "memory", "source": "wiki", "category": "entities"},
    ]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    root = tmp_path / "root"
    assert json.loads(run(root, str(file)).output)["added"] == 2
    assert asyncio.run(kept(root, "codex:1")) == [("The parser is done", "entities", "evidence", "codex")]
    # What a document says in a scope of settled things is durable.
    assert asyncio.run(kept(root, "memory")) == [("The printer is done", "entities", "durable", "wiki")]


def test_a_file_that_is_no_record_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text("{not json", encoding="utf-8")
    done = run(tmp_path / "root", str(file))
    assert (done.exit_code, "line 1 is not JSON" in done.output) == (2, True)
    file.write_text('[{"text": "x"}]', encoding="utf-8")
    assert "says no scope or source" in run(tmp_path / "root", str(file)).output


def test_a_thousand_records_go_in_several_batches(tmp_path: Path) -> None:
    file = tmp_path / "many.json"
    file.write_text(json.dumps([{"text": f"Record {number} of many"} for number in range(1000)]), encoding="utf-8")
    done = run(tmp_path / "root", str(file), "--scope", "cc:1", "--source", "cc")
    assert json.loads(done.output)["added"] == 1000
