"""The server as a process: how it starts, what it refuses to start over, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from memory_server.exclusive import bind_loopback, lock_root

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 20.0     # seconds; only a machine that hardly moves needs them


class Served:
    """A server of its own on a free port."""

    def __init__(self, root: Path, *more: str, environment: dict[str, str] | None = None) -> None:
        self.port = free_port()
        command = [sys.executable, "-m", "memory_server", "serve", "--port", str(self.port), "--data-root", str(root)]
        command += ["--embedding-profile", "off", *(more or ("--also-listen", "none"))]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=os.environ | (environment or {}),
        )  # fmt: skip
        self.url = f"http://127.0.0.1:{self.port}"
        self.client = httpx2.Client(base_url=self.url, trust_env=False, timeout=PATIENCE)
        self.lines: list[str] = []
        self._listening = threading.Event()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))
            if line.startswith("listening on "):
                self._listening.set()
        self._listening.set()

    def ready(self) -> Served:
        assert self._listening.wait(PATIENCE)
        assert self.process.poll() is None, self.lines
        return self

    def ended(self) -> int:
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def close(self) -> None:
        self.client.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(PATIENCE)
        assert self.process.stderr is not None
        self.process.stderr.close()


Serve = Callable[..., Served]


@pytest.fixture
def serve(root: Path) -> Iterator[Serve]:
    """Starts servers on this test's root; what still runs at its end is killed."""
    started: list[Served] = []

    def start(*more: str, environment: dict[str, str] | None = None) -> Served:
        started.append(Served(root, *more, environment=environment))
        return started[-1]

    yield start
    for served in started:
        served.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        assert isinstance(port, int)
        return port


def say(served: Served, text: str, name: str = "Mio") -> dict[str, object]:
    body = {"input_history": json.dumps([{"role": "user", "content": text}])}
    answer = served.client.post(f"/cache/{name}", json=body).json()
    assert isinstance(answer, dict)
    return answer


def test_it_says_where_it_listens_once_it_does(serve: Serve, root: Path) -> None:
    served = serve(environment={"NEKO_INSTANCE_ID": "given"}).ready()
    assert served.lines == [f"listening on {served.url}, memory in {root}"]
    health = served.client.get("/health").json()
    assert (health["instance_id"], health["limited_mode"]) == ("given", False)


def test_a_signal_ends_it_cleanly_and_nothing_is_lost(serve: Serve) -> None:
    for number, ending in enumerate((signal.SIGTERM, signal.SIGINT)):
        served = serve().ready()
        assert say(served, f"message {number}") == {"status": "cached", "count": 1}
        served.process.send_signal(ending)
        assert served.ended() == 0
    served = serve().ready()
    history = served.client.get("/get_recent_history/Mio").json()
    assert "message 0" in history
    assert "message 1" in history


def test_being_killed_loses_nothing_that_was_acknowledged(serve: Serve) -> None:
    served = serve().ready()
    say(served, "kept in any case")
    served.process.kill()
    served.ended()
    assert "kept in any case" in serve().ready().client.get("/new_dialog/Mio").text


def test_an_open_connection_does_not_hold_up_the_end(serve: Serve) -> None:
    served = serve().ready()
    with socket.create_connection(("127.0.0.1", served.port)) as half:
        half.sendall(b"POST /cache/Mio HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     b"Content-Length: 100\r\n\r\n{")  # fmt: skip
        time.sleep(0.1)
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(5.0) == 0        # what the interface promises


def test_shutdown_ends_it_only_where_that_is_allowed(serve: Serve) -> None:
    served = serve("--also-listen", "none", "--enable-shutdown").ready()
    assert served.client.post("/shutdown").json() == {"status": "shutdown_signal_received"}
    assert served.ended() == 0
    served = serve().ready()
    assert served.client.post("/shutdown").json()["status"] == "shutdown_disabled"
    assert served.client.get("/health").status_code == 200


def test_it_listens_on_more_ports_as_far_as_they_are_free(serve: Serve) -> None:
    taken, free = free_port(), free_port()
    with bind_loopback(taken) as held:
        held.listen()
        served = serve("--also-listen", f"{taken},{free}").ready()
        assert httpx2.get(f"http://127.0.0.1:{free}/health", trust_env=False).json()["status"] == "ok"
    (warning,) = [line for line in served.lines if "WARNING" in line]
    assert str(taken) in warning


def test_a_locked_root_or_a_taken_port_is_refused_in_one_sentence(serve: Serve, root: Path) -> None:
    held = lock_root(root)
    served = serve()
    assert served.ended() == 2
    assert len(served.lines) == 1
    assert str(root) in served.lines[0]
    held.release()
    port = free_port()
    with bind_loopback(port) as bound:
        bound.listen()
        served = serve("--port", str(port), "--also-listen", "none")
        assert served.ended() == 2
    assert len(served.lines) == 1
    assert str(port) in served.lines[0]


def test_a_root_of_a_newer_version_is_refused_and_left_alone(serve: Serve, root: Path) -> None:
    root.mkdir()
    stamp = root / "memory-root.json"
    stamp.write_text('{"layout": 99, "root_id": "root_x"}')
    served = serve()
    assert served.ended() == 2
    assert [line for line in served.lines if "layout version 99" in line]
    assert stamp.read_text() == '{"layout": 99, "root_id": "root_x"}'


def test_what_is_said_never_reaches_the_log(serve: Serve) -> None:
    served = serve("--also-listen", "none", "--enable-shutdown").ready()
    say(served, "xylophone I live in Xylophonia.")
    served.client.post("/query_memory/Mio", json={"query": "xylophone", "time": "xylophone"})
    served.client.post("/query_memory/Mio", json={"query": ["xylophone"]})
    served.client.post("/cache/Mio", json={"input_history": "xylophone"})
    served.client.post("/cache/Mio?xylophone=1", content=b"xylophone", headers={"Content-Type": "application/json"})
    served.client.get("/search/xylophone")
    served.client.post("/shutdown")
    assert served.ended() == 0
    assert [line for line in served.lines if "ylophon" in line] == []


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /health HTTP/1.0\r\n\r\n", b"403"),
        (b"GET /health HTTP/1.1\r\nHost: example.com\r\n\r\n", b"403"),
        (b"GET /new_dialog/a%2Fb HTTP/1.1\r\nHost: localhost\r\n\r\n", b"400"),
        (b"GET /new_dialog/.. HTTP/1.1\r\nHost: localhost\r\n\r\n", b"400"),
        (b"GET http://example.com/health HTTP/1.1\r\nHost: example.com\r\n\r\n", b"403"),
        (b"POST /query_memory/Mio HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
         b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", b"200"),
        (b"POST /query_memory/Mio HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
         b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", b"415"),
    ],
)  # fmt: skip
def test_the_door_holds_on_the_wire(wire: Served, request_bytes: bytes, status: bytes) -> None:
    with socket.create_connection(("127.0.0.1", wire.port), timeout=PATIENCE) as connection:
        connection.sendall(request_bytes)
        assert connection.recv(65_536).split(b" ", 2)[1] == status


def test_a_body_that_is_too_large_gets_its_answer_and_the_connection_goes_on(wire: Served) -> None:
    body = b'{"query": "' + b"x" * (3 * 1024 * 1024) + b'"}'
    for _ in range(2):
        response = wire.client.post("/query_memory/Mio", content=body, headers={"Content-Type": "application/json"})
        assert response.status_code == 413
    assert wire.client.get("/health").status_code == 200


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for the tests that only send it bytes."""
    served = Served(tmp_path_factory.mktemp("wire")).ready()
    yield served
    served.close()
