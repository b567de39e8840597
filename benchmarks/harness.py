"""What the benchmarks share: a server process, its footprint, floors measured beside it, and medians.

As a program it is a server whose summary model thinks for a while:
``python -m benchmarks.harness ROOT PORT SECONDS``.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import uvicorn

from memory.engine import Engine
from memory.models.chat import Tier
from memory.settings import Settings
from memory_server.app import create_app
from memory_server.service import Service
from tests.fakes import ScriptedChat

REPOSITORY = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
START_WAIT = 20.0  # seconds


class Server:
    """A server of its own over a root, on a free port, until the block ends."""

    def __init__(self, root: Path, *, summary_seconds: float | None = None) -> None:
        self.root = root
        self.port = free_port()
        self._summary_seconds = summary_seconds
        self._connection: http.client.HTTPConnection | None = None

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, *, wait: bool = True) -> None:
        """Start the process; by default until it serves everything."""
        command = [
            sys.executable,
            "-m",
            "memory_server",
            "serve",
            "--port",
            str(self.port),
            "--data-root",
            str(self.root),
        ]
        command += ["--also-listen", "none", "--embedding-profile", "off"]
        if self._summary_seconds is not None:
            command = [
                sys.executable,
                "-m",
                "benchmarks.harness",
                str(self.root),
                str(self.port),
                str(self._summary_seconds),
            ]
        self.process = subprocess.Popen(
            command,
            cwd=REPOSITORY,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        if wait:
            self.wait_for(lambda answer: answer.get("initialised", True) is True)

    def wait_for(self, satisfied: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any]:
        """The first answer of /health that satisfies."""
        end = time.monotonic() + START_WAIT
        while time.monotonic() < end:
            try:
                answer: Mapping[str, Any] = self.get("/health")
            except OSError:
                self.disconnect()
            else:
                if satisfied(answer):
                    return answer
            time.sleep(0.01)
        raise SystemExit("the server did not come up")

    def stop(self) -> None:
        self.disconnect()
        self.process.terminate()
        self.process.wait(10)

    def kill(self) -> None:
        self.disconnect()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, path: str) -> Any:
        return self._ask("GET", path, None, {})

    def post(self, path: str, body: Mapping[str, Any] | None = None, *, key: str | None = None) -> Any:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if key is not None:
            headers["Idempotency-Key"] = key
        return self._ask("POST", path, json.dumps(body).encode() if body is not None else None, headers)

    def _ask(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Any:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(HOST, self.port, timeout=120)
            self._connection.connect()
            assert isinstance(self._connection.sock, socket.socket)
            self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._connection.request(method, path, body, dict(headers))
            answer = self._connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.disconnect()
            raise ConnectionError(str(error)) from error
        return json.loads(data) if "json" in answer.headers.get("Content-Type", "") else data.decode()

    def footprint(self) -> dict[str, int]:
        """Resident MiB, threads and open descriptors of the process (Linux)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        fields = dict(line.split(":", 1) for line in status.splitlines())
        return {
            "rss_mib": int(fields["VmRSS"].split()[0]) // 1024,
            "threads": int(fields["Threads"]),
            "descriptors": len(os.listdir(f"/proc/{self.process.pid}/fd")),
        }


class AppendFloor:
    """Append and fsync of the same bytes to an open file: what no durable write can be faster than."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def __call__(self, data: bytes) -> float:
        started = time.perf_counter()
        os.write(self._fd, data)
        os.fsync(self._fd)
        return time.perf_counter() - started

    def close(self) -> None:
        os.close(self._fd)


def timed(function: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def history(*messages: Mapping[str, Any]) -> dict[str, str]:
    """The body of a history write."""
    return {"input_history": json.dumps(list(messages), ensure_ascii=False)}


def human(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def ai(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def median(values: Sequence[float]) -> float:
    return percentile(values, 0.5)


def milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def slow_chat(seconds: float) -> ScriptedChat:
    """A summary model that takes its time."""
    return ScriptedChat('{"summary": "They talked for a while."}', tiers=(Tier.SUMMARY,), seconds=seconds)


async def _serve(root: Path, port: int, seconds: float) -> None:
    service = Service(
        instance_id="benchmark", engine=await Engine.open(Settings(data_root=root), chat=slow_chat(seconds))
    )
    assert service.engine is not None
    server = uvicorn.Server(
        uvicorn.Config(create_app(service), host=HOST, port=port, lifespan="off", access_log=False, log_config=None)
    )
    try:
        await server.serve()
    finally:
        await service.engine.close()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
