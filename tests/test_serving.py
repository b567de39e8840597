"""The real process: it serves until it is asked to stop, and no second one shares its root or port."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from memory_server import cli, demo

ROOT = Path(cli.__file__).resolve().parent.parent
STOP_WAIT = 5.0     # seconds in which a request to stop is obeyed; part of the interface


class Served:
    """A server in a process of its own."""

    def __init__(self, root: Path, *extra: str) -> None:
        self.root = root
        self.port = demo.free_port()
        self.process = start("--port", str(self.port), "--data-root", str(root), "--also-listen", "none", *extra)
        self.client = httpx2.Client(base_url=f"http://127.0.0.1:{self.port}", trust_env=False, timeout=30.0)

    def wait_until_ready(self) -> None:
        while self.process.poll() is None:
            try:
                if not self.client.get("/health").json()["limited_mode"]:
                    return
            except httpx2.TransportError:
                pass  # not listening yet
            time.sleep(0.05)
        raise AssertionError(f"the server ended with {self.process.returncode}")

    def end(self) -> None:
        self.client.close()
        self.process.kill()
        self.process.communicate()


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-X", "utf8", "-m", "memory_server", "serve", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True, encoding="utf-8")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "root", "--enable-shutdown")
    try:
        served.wait_until_ready()
        yield served
    finally:
        served.end()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_signal_stops_it_cleanly(served: Served, number: signal.Signals) -> None:
    served.process.send_signal(number)
    assert served.process.wait(timeout=STOP_WAIT) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_signal_while_it_still_starts_stops_it_cleanly(tmp_path: Path) -> None:
    starting = start("--port", str(demo.free_port()), "--data-root", str(tmp_path), "--also-listen", "none")
    assert starting.stdout is not None
    assert starting.stdout.readline().startswith("data root: ")
    starting.send_signal(signal.SIGTERM)
    assert starting.wait(timeout=STOP_WAIT) == 0
    starting.communicate()


def test_a_request_to_shut_down_is_obeyed_where_it_is_allowed(served: Served) -> None:
    assert served.client.post("/shutdown").json()["status"] == "shutdown_signal_received"
    assert served.process.wait(timeout=STOP_WAIT) == 0


def test_a_request_to_shut_down_is_not_obeyed_where_it_is_not_allowed(tmp_path: Path) -> None:
    served = Served(tmp_path)
    try:
        served.wait_until_ready()
        assert served.client.post("/shutdown").json()["status"] == "shutdown_disabled"
        assert served.client.get("/health").status_code == 200
    finally:
        served.end()


def test_a_second_server_on_the_same_root_is_refused(served: Served) -> None:
    second = start("--port", str(demo.free_port()), "--data-root", str(served.root))
    _, said = second.communicate()
    assert second.returncode == 2
    assert said.startswith("refused: another memory server is using")


def test_a_second_server_on_the_same_port_is_refused(served: Served, tmp_path: Path) -> None:
    second = start("--port", str(served.port), "--data-root", str(tmp_path / "another"))
    _, said = second.communicate()
    assert second.returncode == 2
    assert said.startswith(f"refused: port {served.port}")


def test_a_taken_further_port_is_only_a_warning(served: Served, tmp_path: Path) -> None:
    other = Served(tmp_path / "another", "--also-listen", str(served.port))
    try:
        other.wait_until_ready()
    finally:
        other.process.terminate()
        _, said = other.process.communicate()
        other.client.close()
    assert f"not listening on port {served.port}" in said


def test_a_further_port_reaches_the_same_server(tmp_path: Path) -> None:
    further = demo.free_port()
    served = Served(tmp_path, "--also-listen", str(further))
    try:
        served.wait_until_ready()
        answer = httpx2.get(f"http://127.0.0.1:{further}/health", trust_env=False).json()
        assert answer["instance_id"] == served.client.get("/health").json()["instance_id"]
    finally:
        served.end()


def test_what_was_acknowledged_is_there_after_a_kill(served: Served) -> None:
    history = '[{"role": "user", "content": "I live in Hamburg."}]'
    answer = served.client.post("/cache/Mika", json={"input_history": history}).json()
    assert answer == {"status": "cached", "count": 1}
    served.end()
    again = Served(served.root)
    try:
        again.wait_until_ready()
        found = again.client.post("/query_memory/Mika", json={"query": "Hamburg", "tiers": ["turn"]}).json()
        assert [result["text"] for result in found["results"]] == ["I live in Hamburg."]
    finally:
        again.end()
