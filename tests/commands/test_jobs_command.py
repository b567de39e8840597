"""``jobs`` and ``jobs retry``, alone and through the server that holds the root."""

from __future__ import annotations

import asyncio
from pathlib import Path

import orjson
from click.testing import CliRunner

from memory.engine import Engine
from memory.models.jobs import JOBS
from memory.settings import Settings
from memory.store import layout
from memory_server.cli import command_line
from tests.commands.conftest import Run, told

TRY = {"job": "extraction", "key": "k", "at": "2026-05-04T10:00:00+02:00", "bad": 5, "silent": 0, "about": ["rows 1-2"]}


async def give_up(root: Path) -> None:
    engine = await Engine.open(Settings(data_root=root, background=False))
    async with engine.spaces.use("Rin") as space, space.journal.write() as batch:
        batch.add("try.failed", {"try": {**TRY, "reason": "the answer holds no JSON"}})
    await engine.close()


def test_every_job_is_listed_with_who_does_it(run: Run, remembered: Path) -> None:
    found = told(run("jobs", "--json"))
    assert [job["name"] for job in found["jobs"]] == [job.name for job in JOBS]
    assert {job["done_by"] for job in found["jobs"]} == {"rules"}
    output = run("jobs").output
    assert "negative targets" in output
    assert "no model is asked" in output


def test_dead_letters_are_shown_and_retried(run: Run, remembered: Path) -> None:
    asyncio.run(give_up(remembered))
    [letter] = told(run("jobs", "--json"))["dead_letters"]
    assert (letter["memory"], letter["id"], letter["about"]) == ("Rin", "extraction:k", ["rows 1-2"])
    assert "extraction:k (5 attempts): the answer holds no JSON" in run("jobs").output
    assert told(run("jobs", "retry", "extraction:other", "--json")) == {"retried": 0}
    assert told(run("jobs", "retry", "--character", "Mio", "--json")) == {"retried": 0}
    assert told(run("jobs", "retry", "extraction:k", "--json")) == {"retried": 1}
    assert told(run("jobs", "--json"))["dead_letters"] == []


def test_nobody_s_dead_letters_are_refused(run: Run, remembered: Path) -> None:
    assert run("jobs", "retry", "--character", "Nobody").exit_code == 2


def test_a_running_server_is_asked(served: tuple[str, Path]) -> None:
    url, root = served
    (root / layout.CONFIG).mkdir(exist_ok=True)
    settings = '[default]\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\n'
    (root / layout.CONFIG / "models.toml").write_text(settings)    # read while it runs
    arguments = ["jobs", "--json", "--data-root", str(root), "--server", url]
    found = told(CliRunner().invoke(command_line, arguments))
    assert {job["done_by"] for job in found["jobs"]} == {"model"}
    (root / layout.CONFIG / "models.toml").unlink()


def test_the_file_of_failures_is_a_plain_list(run: Run, remembered: Path) -> None:
    asyncio.run(give_up(remembered))
    rows = orjson.loads((remembered / "memory" / "Rin" / layout.MODEL_TRIES).read_bytes())
    assert [row["job"] for row in rows] == ["extraction"]
