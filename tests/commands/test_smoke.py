"""The smoke test against servers as they are really started: without a model, with one, and with something broken."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner, Result

from memory.store import layout
from memory_server.cli import command_line
from tests.commands.conftest import free_port, serving

DIGEST = {
    "summary": "A check is under way.",
    "changes": [],
    "nextSteps": ["Review every layer"],
    "profileFacts": [],
}


@contextmanager
def answering(answer: Callable[[BaseHTTPRequestHandler, bytes], tuple[int, Any]]) -> Iterator[str]:
    """Something that answers every request, until the block ends; its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            status, value = answer(self, self.rfile.read(int(self.headers.get("content-length") or 0)))
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_DELETE = do_POST

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def model(_: BaseHTTPRequestHandler, body: bytes) -> tuple[int, Any]:
    """A model that writes a digest where it is asked for one, and plain words otherwise."""
    asked = json.loads(body)["messages"][0]["content"]
    said = json.dumps(DIGEST) if "nextSteps" in asked else "The goal stands in the notes."
    return 200, {"choices": [{"message": {"content": said}}], "usage": {"total_tokens": 10}}


@contextmanager
def thinking(root: Path, answer: Callable[[BaseHTTPRequestHandler, bytes], tuple[int, Any]]) -> Iterator[str]:
    """A real server over a root, with that model behind its tiers; its address."""
    config = root / layout.CONFIG
    config.mkdir(parents=True)
    tiers = "".join(f'[{tier}]\nmodel = "scripted"\n' for tier in ("summary", "correction", "chat"))
    with answering(answer) as model_at:
        (config / "models.toml").write_text(f'[default]\nbase_url = "{model_at}/v1"\n{tiers}', "utf-8")
        with serving(root) as url:
            yield url


def smoke(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["smoke", *arguments])


def by_status(result: Result) -> dict[str, list[str]]:
    told = json.loads(result.stdout)
    found: dict[str, list[str]] = {"ok": [], "failed": [], "skipped": []}
    for one in told["checks"]:
        found[one["status"]].append(one["name"])
    return found


def of_user(url: str, user: str, method: str, path: str, **more: Any) -> Any:
    return httpx2.request(method, url + path, headers={"x-user-id": user}, trust_env=False, **more).json()


def test_without_a_model_the_rest_is_checked_and_what_needs_one_is_skipped(root: Path) -> None:
    with serving(root) as url:
        result = smoke("--server", url, "--json")
        assert result.exit_code == 0, result.output
        found = by_status(result)
        assert found["failed"] == []
        assert "layerAlignment.goalAligned" in found["skipped"]
        assert "POST /memory/digest says that it needs a model" in found["ok"]
        assert {one["detail"] for one in json.loads(result.stdout)["checks"] if one["status"] == "skipped"} == {
            "FEATURE_LLM is off"
        }
        assert of_user(url, "smoke-test", "GET", "/scopes") == {"items": []}


def test_with_a_model_every_condition_holds_and_nothing_is_left_behind(root: Path) -> None:
    with thinking(root, model) as url:
        mine = of_user(url, "me", "POST", "/scopes", json={"name": "mine"})["id"]
        result = smoke("--server", url, "--user", "me")
        assert result.exit_code == 0, result.output
        assert "failed   " not in result.stdout
        assert "skipped  " not in result.stdout
        for name in ("layerAlignment.goalAligned", "freshness.stableStateCaughtUp", "the runtime probe is aligned"):
            assert f"ok       {name}" in result.stdout
        assert [one["id"] for one in of_user(url, "me", "GET", "/scopes")["items"]] == [mine]
        assert of_user(url, "me", "GET", "/state") == {"activeScopeId": mine}       # as it was before


def test_a_model_that_fails_is_told_and_the_scope_is_deleted_all_the_same(root: Path) -> None:
    def broken(_: BaseHTTPRequestHandler, __: bytes) -> tuple[int, Any]:
        return 500, {}

    with thinking(root, broken) as url:
        result = smoke("--server", url, "--json", "--wait", "1")     # shorter than the pause after a failure
        assert result.exit_code == 1
        assert "POST /memory/digest makes a digest" in by_status(result)["failed"]
        assert of_user(url, "smoke-test", "GET", "/scopes") == {"items": []}


def test_nobody_there_is_refused() -> None:
    result = smoke("--server", f"http://127.0.0.1:{free_port()}")
    assert result.exit_code == 2
    assert "start the server" in result.stderr


@pytest.mark.parametrize("url", ["http://example.com", "https://127.0.0.1:1", "http://127.0.0.1:1/path"])
def test_another_machine_is_not_asked(url: str) -> None:
    assert smoke("--server", url).exit_code == 2


def test_something_else_at_the_port_is_refused() -> None:
    with answering(lambda *_: (200, {"status": "ok"})) as url:
        result = smoke("--server", url)
    assert result.exit_code == 2
    assert "no server of this kind" in result.stderr


def test_a_server_that_forgets_is_found_out() -> None:
    """One that answers everything alike and keeps nothing."""
    with answering(lambda *_: (200, {"status": "ok", "featureLlm": False, "id": "x", "ok": True, "items": []})) as url:
        result = smoke("--server", url, "--json")
    assert result.exit_code == 1
    assert "POST /scopes makes a scope" in by_status(result)["failed"]
