"""The tour in README.md, run as it is printed against a real server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import REPOSITORY, serving

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
BASH = shutil.which("bash")

pytestmark = pytest.mark.skipif(BASH is None or shutil.which("curl") is None, reason="bash or curl is not here")


def steps() -> list[tuple[str, str]]:
    """Each command of the tour, and what is printed below it."""
    tour = README.partition("## Two minutes with it\n")[2].partition("\n## ")[0]
    found: list[tuple[str, str]] = []
    for block in re.findall(r"```console\n(.*?)```", tour, re.DOTALL):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = step.splitlines()
            end = next(number for number, line in enumerate(lines, 1) if not line.endswith("\\"))
            found.append(("\n".join(lines[:end]), "\n".join(lines[end:]).strip()))
    return found


def run(commands: list[str]) -> str:
    """What the last of the commands prints."""
    script = "\n".join([*(f"{command} > /dev/null" if "curl" in command else command for command in commands[:-1]),
                        commands[-1]])  # fmt: skip
    assert BASH is not None
    done = subprocess.run([BASH, "-c", script], capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def without_what_changes(value: Any) -> Any:
    """An answer without ids and times."""
    if isinstance(value, dict):
        return {key: without_what_changes(one) for key, one in value.items() if key not in CHANGING}
    return [without_what_changes(one) for one in value] if isinstance(value, list) else value


CHANGING = ("id", "created_at", "event_start_at", "event_end_at", "sources", "elapsed_ms")


def test_the_tour_answers_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "`MEMORY_MASTER_NAME=Alex python3 launcher.py`" in README
    monkeypatch.setenv("MEMORY_MASTER_NAME", "Alex")
    told = steps()
    assert [command.split()[2].strip("$M/").split("/")[0] for command, _ in told[1:]] == [
        "cache", "settle", "query_memory", "new_dialog",
    ]  # fmt: skip
    with serving(tmp_path / "root") as url:
        setting = told[0][0].replace("http://127.0.0.1:48912", url)
        assert url in setting
        cache, settle, query, dialog = told[1:]
        assert json.loads(run([setting, cache[0]])) == json.loads(cache[1])
        assert json.loads(run([setting, settle[0]])) == json.loads(settle[1])
        found: dict[str, Any] = {}
        for _ in range(100):    # "moments later"
            found = json.loads(run([setting, query[0]]))
            if found["results"]:
                break
            time.sleep(0.1)
        assert without_what_changes(found) == without_what_changes(json.loads(query[1]))
        # Only the lines that tell no time of their own are the same on another day.
        lasting = [line for line in dialog[1].splitlines() if line and not re.search(r"\d{4}", line)]
        assert len(lasting) >= 6
        answer = run([setting, dialog[0]]).splitlines()
        assert [line for line in lasting if line not in answer] == []
