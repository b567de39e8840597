"""Children to kill."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import orjson
import pytest

REPOSITORY = Path(__file__).resolve().parent.parent.parent


class Live(Protocol):
    """Runs a scenario in a child of its own; returns its exit code and what it told at its end."""

    def __call__(self, scenario: str, root: Path, *, kill_at: str | None = None, nth: int = 1) -> dict[str, Any]: ...


@pytest.fixture(scope="session")
def live() -> Iterator[Live]:
    if sys.platform == "win32":
        pytest.skip("needs fork")
    zygote = subprocess.Popen(
        [sys.executable, "-m", "tests.crash.zygote"], cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert zygote.stdin is not None
    assert zygote.stdout is not None
    requests, answers = zygote.stdin, zygote.stdout

    def live_it(scenario: str, root: Path, *, kill_at: str | None = None, nth: int = 1) -> dict[str, Any]:
        request = {"scenario": scenario, "root": str(root), "kill_at": kill_at, "nth": nth}
        requests.write(orjson.dumps(request, option=orjson.OPT_APPEND_NEWLINE))
        requests.flush()
        answer: dict[str, Any] = orjson.loads(answers.readline())
        return answer

    yield live_it
    requests.close()
    zygote.wait(10)
    answers.close()
