"""Clients against a real server: printed examples as they stand, an agent's memory hooks, a read-only gateway."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.commands.conftest import free_port

REPOSITORY = Path(__file__).resolve().parents[3]
PAGE, README = REPOSITORY / "docs" / "recallnest.md", REPOSITORY / "README.md"

needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not here")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of its own, to which any source is welcome."""
    root, port = tmp_path_factory.mktemp("root"), free_port()
    command = [sys.executable, "-m", "memory_server", "serve", "--port", str(port), "--data-root", str(root)]
    process = subprocess.Popen(
        [*command, "--also-listen", "none", "--embedding-profile", "off"],
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "RECALLNEST_ANY_SOURCE": "1"},
    )
    try:
        url = f"http://127.0.0.1:{port}"
        for _ in range(200):
            try:
                if httpx2.get(f"{url}/health", trust_env=False).json()["initialised"]:
                    break
            except httpx2.TransportError:
                pass
            time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def in_the_readme() -> str:
    """What README.md says to agents and scripts."""
    return README.read_text(encoding="utf-8").partition("## From agents and scripts\n")[2].partition("\n## ")[0]


def printed(language: str, text: str) -> list[str]:
    """The examples of a language, as they stand in a text."""
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def commands(text: str) -> list[str]:
    lines = "\n".join(printed("sh", text)).replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.strip().startswith("curl ")]


def told(command: str, base: str) -> Any:
    """What a printed command is answered with."""
    arguments = [part.replace("http://localhost:4318", base) for part in shlex.split(command)]
    done = subprocess.run(
        [*arguments, "--noproxy", "*", "--fail-with-body"], capture_output=True, check=False, timeout=30
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    answer = json.loads(done.stdout)
    assert "error" not in answer, command
    return answer


def output(example: str, base: str) -> str:
    """What a printed program prints. Only where the server is differs, and the name of the successor of a library."""
    own = example.replace("http://localhost:4318", base).replace("import httpx", "import httpx2 as httpx")
    own = own.replace('"localhost", 4318', f'"127.0.0.1", {base.rpartition(":")[2]}')
    done = subprocess.run(
        [sys.executable, "-c", own], capture_output=True, check=False, timeout=60, env={**os.environ, "NO_PROXY": "*"}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_the_page_has_an_example_of_nearly_everything() -> None:
    named = set(re.findall(r"localhost:4318(/v1/[a-z\-/]+)", page()))
    assert len(named) >= 14


@needs_curl
def test_every_curl_on_the_page_runs_as_printed(base: str) -> None:
    for command in commands(page()):
        told(command, base)
    found = httpx2.post(
        f"{base}/v1/recall", json={"query": "Docker debugging", "scope": "project:demo"}, trust_env=False
    ).json()
    assert found["results"][0]["category"] == "cases"
    latest = httpx2.get(f"{base}/v1/checkpoint/latest", params={"scope": "project:demo"}, trust_env=False).json()
    assert latest["checkpoint"]["summary"] == "Ported the lexer."


def test_the_python_example_runs_as_printed(base: str) -> None:
    example, = printed("python", page())
    assert "User likes green tea" in output(example, base)


@needs_curl
def test_every_curl_in_the_readme_runs_as_printed(base: str) -> None:
    stored, recalled, resumed = (told(command, base) for command in commands(in_the_readme()))
    assert stored["canonicalKey"] == "preferences:reply-style:concise:direct"
    assert recalled["results"][0]["text"] == "User prefers concise, direct replies."
    assert "Preference: User prefers concise, direct replies." in resumed["stableContext"]


def test_the_retriever_and_the_plain_client_in_the_readme_run_as_printed(base: str) -> None:
    retriever, client = printed("python", in_the_readme())
    assert output(retriever, base).strip() == "The ledger is partitioned by month"
    summary, found = output(client, base).splitlines()
    assert summary.startswith("Loaded ")
    assert "Backups run at night" in found


class AgentMemory:
    """What an agent framework's example keeps between turns: recall before the model is asked, a tool that stores."""

    def __init__(self, base: str, scope: str, source: str) -> None:
        self._client = httpx2.Client(base_url=base, trust_env=False, timeout=30)
        self._scope = scope
        self._source = source

    def recall(self, message: str) -> dict[str, Any]:
        """The variables of a prompt."""
        answer = self._client.post("/v1/auto-recall", json={"message": message, "limit": 5, "scope": self._scope})
        answer.raise_for_status()
        told = answer.json()
        resume = told["resume"]
        memories = "\n".join(f"- {result['text']} ({result['score']})" for result in told["results"])
        return {
            "mode": told["mode"],
            "summary": resume["summary"],
            "stable": resume["stableContext"],
            "memories": memories,
            "skipped": told["searchSkippedReason"],
        }

    def store(self, text: str, category: str) -> str:
        body = {"text": text, "category": category, "scope": self._scope, "source": self._source}
        answer = self._client.post("/v1/store", json=body)
        answer.raise_for_status()
        return str(answer.json()["disposition"])

    def close(self) -> None:
        self._client.close()


@pytest.mark.parametrize("source", ["langchain-example", "openai-agents-sdk-example", "agent"])
def test_an_agents_memory_lasts_from_one_task_to_the_next(base: str, source: str) -> None:
    memory = AgentMemory(base, f"project:{source}", source)
    assert memory.recall("what do you know of the ledger")["memories"] == ""
    assert memory.store("The ledger is partitioned by month", "entities") == "stored"
    assert memory.store("User wants short answers, to the point", "preferences") == "stored"
    again = memory.recall("how is the ledger partitioned")
    assert again["mode"] == "resume+search"
    assert "The ledger is partitioned by month" in again["memories"]
    assert again["stable"] == [
        "Preference: User wants short answers, to the point",
        "Entity: The ledger is partitioned by month",
    ]
    memory.close()


def test_a_read_only_gateway_finds_what_it_forwards(base: str) -> None:
    with httpx2.Client(base_url=base, trust_env=False) as client:
        client.post("/v1/store", json={"text": "The gateway is read only", "scope": "project:gateway"})
        for method, path, body in (
            ("GET", "/v1/stats", None),
            ("GET", "/v1/health", None),
            ("POST", "/v1/recall", {"query": "gateway", "scope": "project:gateway"}),
            ("POST", "/v1/search", {"query": "gateway"}),
        ):
            answer = client.request(method, path, json=body)
            assert answer.status_code == 200
            assert len(answer.content) < 256 * 1024


def test_twelve_clients_at_once_are_all_told_the_truth(base: str) -> None:
    with httpx2.Client(base_url=base, trust_env=False, timeout=30) as client:
        processes = [
            subprocess.Popen(
                [
                    sys.executable, "-c",
                    "import httpx2, sys; print(httpx2.post(sys.argv[1], trust_env=False, json={'text': sys.argv[2], "
                    "'category': 'entities', 'scope': 'project:race', 'canonicalKey': 'k'}).json()['disposition'])",
                    f"{base}/v1/store", f"Writer {number} was here",
                ],
                stdout=subprocess.PIPE,
            )
            for number in range(12)
        ]  # fmt: skip
        said = sorted(process.communicate(timeout=60)[0].decode().strip() for process in processes)
        assert said == ["stored"] + ["updated"] * 11
        row, = client.post("/v1/search", json={"query": "writer", "scope": "project:race"}).json()["results"]
        assert len(client.get(f"/v1/memories/{row['id']}").json()["history"]) == 11
