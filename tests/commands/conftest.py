"""A root with a character, and the commands against it: alone, and while a server holds the root."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import httpx2
import orjson
import pytest
from click.testing import CliRunner, Result

from memory.engine import Engine
from memory.settings import Settings
from memory_server.cli import command_line
from tests.memory.remembered import answer, learn_all, say

REPOSITORY = Path(__file__).resolve().parent.parent.parent


class Run(Protocol):
    """Runs a command against the root of the test."""

    def __call__(self, *arguments: str, given: str | None = None) -> Result: ...


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMORY_DATA_ROOT", "MEMORY_SERVER_PORT", "NEKO_MEMORY_SERVER_PORT", "MEMORY_MASTER_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    # Nobody listens there, whatever else runs on this machine.
    monkeypatch.setenv("MEMORY_SERVER_PORT", str(free_port()))


@pytest.fixture
def remembered(root: Path) -> Path:
    """The root, with two characters in it."""
    asyncio.run(_remember(root))
    return root


async def _remember(root: Path) -> None:
    engine = await Engine.open(Settings(data_root=root, background=False))
    await say(engine, "I live in Zanzibar.", "I like green tea.")
    await answer(engine, "How nice!")
    await say(engine, "I live in Zanzibar.", name="Mio")
    await learn_all(engine)
    await learn_all(engine, "Mio")
    await engine.close()


@pytest.fixture
def run(root: Path) -> Run:
    def run_it(*arguments: str, given: str | None = None) -> Result:
        return CliRunner().invoke(command_line, [*arguments, "--data-root", str(root)], input=given)

    return run_it


def told(result: Result) -> dict[str, Any]:
    """The JSON that a command answered with."""
    assert result.exit_code == 0, result.output
    value: dict[str, Any] = orjson.loads(result.stdout)
    return value


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextmanager
def serving(root: Path) -> Iterator[str]:
    """A real server over a root; its address."""
    port = free_port()
    command = (
        sys.executable, "-m", "memory_server", "serve", "--port", str(port), "--data-root", str(root),
        "--also-listen", "none", "--embedding-profile", "off",
    )  # fmt: skip
    server = subprocess.Popen(command, cwd=REPOSITORY, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})
    url = f"http://127.0.0.1:{port}"
    try:
        with httpx2.Client(trust_env=False) as client:
            for _ in range(200):
                try:
                    if client.get(f"{url}/health").json().get("root_id"):
                        break
                except httpx2.HTTPError:
                    pass
                time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A real server with two characters: its address and its root."""
    root = tmp_path_factory.mktemp("served") / "root"
    asyncio.run(_remember(root))
    with serving(root) as url:
        yield url, root
