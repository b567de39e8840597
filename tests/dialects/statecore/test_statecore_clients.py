"""Programs that speak to a real server over HTTP as their writers wrote them: smoke scripts, a benchmark, tools."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.test_serve import PATIENCE, Served

MODEL = {
    "MEMORY_CHAT_MODEL": "a-model",
    "MEMORY_CHAT_BASE_URL": "http://somebody:secret@127.0.0.1:9/v1?key=secret",
    "MEMORY_CHAT_API_KEY": "secret",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server without any model."""
    served = Served(tmp_path_factory.mktemp("root"), environment={"FEATURE_LLM": "false"})
    try:
        yield served.ready().url
    finally:
        served.close()


class Caller:
    """Speaks JSON for one user. Anything but success ends the program, as it does with the scripts."""

    def __init__(self, base: str, user: str) -> None:
        self._base = base
        self._headers = {"x-user-id": user}

    def post(self, path: str, **body: Any) -> Any:
        answer = self.ask("POST", path, body)
        assert answer.status_code == 201, (path, answer.text)
        return answer.json()

    def get(self, path: str, **query: Any) -> Any:
        answer = self.ask("GET", path, **query)
        assert answer.status_code == 200, (path, answer.text)
        return answer.json()

    def ask(self, method: str, path: str, body: Any = None, **query: Any) -> httpx2.Response:
        return httpx2.request(
            method,
            self._base + path,
            json=body,
            params=query or None,
            headers=self._headers,
            trust_env=False,
            timeout=15,
        )


@pytest.fixture
def caller(base: str, request: pytest.FixtureRequest) -> Caller:
    return Caller(base, request.node.name)


# the smoke scripts


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not here")
def test_the_smoke_without_a_model_runs_in_a_shell(base: str) -> None:
    def curl(path: str, body: dict[str, Any]) -> Any:
        done = subprocess.run(
            [
                "curl", "-sS", "--noproxy", "*", "--fail-with-body", "-X", "POST", f"{base}{path}",
                "-H", "x-user-id: smoke-user", "-H", "Content-Type: application/json", "-d", json.dumps(body),
            ],
            capture_output=True, check=True, timeout=30,
        )  # fmt: skip
        return json.loads(done.stdout)

    scope = curl("/scopes", {"name": "Smoke"})["id"]
    stream = curl("/memory/events", {"scopeId": scope, "type": "stream", "source": "cli", "content": "Shipped it."})
    document = curl(
        "/memory/events",
        {"scopeId": scope, "type": "document", "source": "cli", "key": "doc:plan", "content": "The plan is to ship."},
    )
    found = curl("/memory/retrieve", {"scopeId": scope, "query": "what is the plan", "limit": 10})
    assert {event["id"] for event in found["events"]} == {stream["id"], document["id"]}
    assert found["events"][0]["content"] == "The plan is to ship."


def test_the_smoke_of_reminders_sees_one_sent(caller: Caller) -> None:
    scope = caller.post("/scopes", name="Reminders")["id"]
    due = (datetime.now(UTC) + timedelta(seconds=1)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    made = caller.post("/reminders", scopeId=scope, dueAt=due, text="Call home.")
    assert (made["dueAt"], made["status"]) == (due, "scheduled")
    end = time.monotonic() + PATIENCE
    sent: list[Any] = []
    while not sent and time.monotonic() < end:
        sent = caller.get("/reminders", status="sent", limit=5)["items"]
        time.sleep(0.1)
    assert [(one["id"], one["text"], one["status"]) for one in sent] == [(made["id"], "Call home.", "sent")]
    assert caller.get("/reminders", status="scheduled", limit=5) == {"items": [], "nextCursor": None}


# the benchmark's calls without a model

EVENTS = (
    {"type": "document", "key": "doc:charter", "content": "Goal: run the library's lending desk without paper."},
    {"type": "stream", "content": "We decided to keep the catalogue in one sqlite file."},
    {"type": "stream", "content": "Constraint: nothing may be sent outside the building."},
    {"type": "stream", "content": "TODO: print labels for the new shelves."},
    {"type": "stream", "content": "Is the reading room open on Sundays?"},
    {"type": "stream", "content": "Status: half of the cards are copied."},
)
# question → what one of the answers has to say
CASES = {
    "Which decision was made about the catalogue?": ("sqlite",),
    "What must not happen?": ("outside the building",),
    "What is the goal of the lending desk?": ("without paper", "paperless"),
    "Which labels are to be printed?": ("labels for the new shelves",),
}


def test_the_benchmark_without_a_model_finds_what_it_asks_for_among_many(caller: Caller) -> None:
    health = caller.get("/health")
    assert health["status"] == "ok"
    assert health["featureLlm"] is False
    assert set(health["retrieve"]) >= {"useEmbeddings", "embeddingCandidateLimit"}
    assert set(health["model"]) >= {"provider", "model", "baseUrl", "chatModel", "structuredOutputModel"}
    scope = caller.post("/scopes", name="Benchmark", goal="measure", stage="build")["id"]
    others = [{"type": "stream", "content": f"Visitor number {number} came and went."} for number in range(200)]
    with ThreadPoolExecutor(8) as pool:         # the runner sends its events side by side
        made = list(pool.map(lambda event: caller.post("/memory/events", scopeId=scope, **event), (*EVENTS, *others)))
    assert len({event["id"] for event in made}) == len(EVENTS) + len(others)
    for question, aliases in CASES.items():
        found = caller.post("/memory/retrieve", scopeId=scope, query=question, limit=4)
        told = "\n".join([found["digest"] or "", *(event["content"] for event in found["events"])])
        assert any(alias in told for alias in aliases), question
        assert found["retrieval"]["mode"] == "heuristic"
    for path, more in (("/memory/digest", {}), ("/memory/answer", {"question": "?"})):
        refused = caller.ask("POST", path, {"scopeId": scope, **more})
        assert (refused.status_code, refused.json()["error"].split(".")[0]) == (400, "FEATURE_LLM disabled")


# the tools of an agent


class Tools:
    """Six tools over one scope, found by its exact name or made."""

    def __init__(self, base: str, user: str, scope: str) -> None:
        self._caller = Caller(base, user)
        named = [one["id"] for one in self._json("GET", "/v1/scopes")["items"] if one["name"] == scope]
        self.scope = named[0] if named else self._json("POST", "/v1/scopes", name=scope, template="project")["id"]

    def _json(self, method: str, path: str, **body: Any) -> Any:
        answer = self._caller.ask(method, path, body or None)
        if not answer.is_success:
            raise RuntimeError(f"{method} {path}: {answer.status_code}")
        return answer.json()

    def remember(self, text: str) -> None:
        assert self._json("POST", "/v1/memory/notes", scopeId=self.scope, text=text) == {"ok": True}

    def recall(self, query: str, max_chars: int) -> Any:
        return self._json("POST", "/v1/memory/retrieve", scopeId=self.scope, query=query, maxChars=max_chars)

    def facts(self) -> list[Any]:
        groups = self._json("GET", f"/v1/memory/facts?scopeId={self.scope}")["groups"]
        return [item for group in groups for item in group["items"]]

    def why(self, fact_id: str) -> Any:
        answer = self._caller.ask("GET", f"/v1/memory/facts/{fact_id}/provenance", scopeId=self.scope)
        if answer.status_code == 404:
            return None
        assert answer.is_success
        return answer.json()

    def forget(self, fact_key: str) -> None:
        self._json("POST", "/v1/memory/facts/forget", scopeId=self.scope, factKey=fact_key)

    def handoff(self, summary: str, next_steps: list[str]) -> Any:
        return self._json("POST", "/v1/memory/handoff", scopeId=self.scope, summary=summary, nextSteps=next_steps)


def test_an_agents_tools_carry_a_memory_from_one_session_to_the_next(base: str) -> None:
    first = Tools(base, "agent", "my project")
    first.remember("The deploy needs two approvals.")
    first.remember("The deploy needs three approvals since May.")
    first.remember("Lunch is at noon.")
    set_ = first.handoff("Stopped in the middle of the deploy.", ["ask for approvals"])
    assert set_["ok"] is True
    second = Tools(base, "agent", "my project")
    assert second.scope == first.scope
    told = second.recall("how many approvals does a deploy need", 300)
    assert told["handoff"]["content"] == "Stopped in the middle of the deploy.\nNext steps:\n- ask for approvals"
    best = told["factRegistry"][0]
    assert "approvals" in best["content"]
    assert told["budget"]["usedChars"] <= 300
    why = second.why(best["id"])
    assert why["fact"]["id"] == best["id"]
    assert [one["content"] for one in why["evidence"]][-1] == best["content"]
    assert second.why(told["handoff"]["id"])["chain"][0]["facet"] == "handoff"
    assert second.why("no such fact") is None
    for item in second.facts():
        if "approvals" in item["text"]:
            second.forget(item["factKey"])
    assert [item["text"] for item in second.facts()] == ["Lunch is at noon."]
    assert "approvals since" not in json.dumps(second.recall("how many approvals does a deploy need", 300))
    gone = second.why(best["id"])
    assert (gone["fact"]["retiredReason"], gone["evidence"]) == ("forgotten", [])
    assert Tools(base, "another agent", "my project").scope != first.scope


def test_a_capture_that_is_run_again_takes_nothing_in_twice(caller: Caller) -> None:
    scope = caller.post("/v1/scopes", name="Capture")["id"]
    first = caller.post("/v1/memory/events", scopeId=scope, type="stream", source="sdk", key="turn:1", content="Hello.")
    again = caller.post("/v1/memory/events", scopeId=scope, type="stream", source="sdk", key="turn:1", content="Hello.")
    assert first == again
    assert len(caller.post("/v1/memory/retrieve", scopeId=scope)["events"]) == 1


# how the server is started


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def test_with_the_feature_asked_for_and_no_model_it_does_not_start(root: Path) -> None:
    served = Served(root, environment={"FEATURE_LLM": "true"})
    try:
        assert served.ended() != 0
        assert any("FEATURE_LLM is true and no model is configured" in line for line in served.lines)
    finally:
        served.close()


def test_a_model_that_answers_nobody_is_none_for_the_feature(root: Path) -> None:
    emotions = {name.replace("CHAT", "EMOTION"): value for name, value in MODEL.items()}
    served = Served(root, environment={"FEATURE_LLM": "true", **emotions})
    try:
        assert served.ended() != 0
    finally:
        served.close()


@pytest.mark.parametrize(("said", "on"), [(None, True), ("true", True), ("false", False), ("TRUE", False)])
def test_the_feature_follows_the_models_unless_it_is_said_otherwise(root: Path, said: str | None, on: bool) -> None:
    served = Served(root, environment={**MODEL, **({"FEATURE_LLM": said} if said is not None else {})})
    try:
        served.ready()
        health = served.client.get("/v1/health")
        assert health.json()["featureLlm"] is on
        assert health.json()["model"]["baseUrl"] == "http://127.0.0.1:9/v1"
        assert "secret" not in health.text
        caller = Caller(served.url, "somebody")
        refused = caller.ask("POST", "/v1/memory/answer", {})
        assert refused.json()["error"] == ("Validation failed" if on else "FEATURE_LLM disabled")
    finally:
        served.close()


def test_the_environment_names_the_local_user_and_the_bounds(root: Path) -> None:
    wanted = {"LOCAL_USER_TOKEN": "ann", "MAX_REQUEST_BODY_BYTES": "2000", "DIGEST_FACET_CAPS": "notes=2, x, y=0"}
    served = Served(root, environment=wanted)
    try:
        served.ready()
        served.client.post("/cache/Mia", json={"input_history": json.dumps([{"role": "user", "content": "Hello."}])})
        ann, usual = Caller(served.url, "ann"), Caller(served.url, "local-dev-user")
        assert [one["name"] for one in ann.get("/scopes")["items"]] == ["character:Mia"]
        assert usual.get("/scopes") == {"items": []}
        assert usual.ask("POST", "/memory/retrieve", {"scopeId": "character:Mia"}).status_code == 404
        event = {"scopeId": "character:Mia", "type": "stream", "content": "x" * 2000}
        large = ann.ask("POST", "/memory/events", event)
        assert (large.status_code, large.json()) == (413, {"error": "Request body too large"})
        scope = ann.post("/v1/scopes", name="Notes")["id"]
        caps = {facet["name"]: facet["cap"] for facet in ann.get("/v1/facet-pack", scopeId=scope)["facets"]}
        assert (caps["notes"], caps["todos"]) == (2, 20)
        for text in ("Apples are red.", "Bears live in woods.", "Cedars grow slowly."):
            ann.post("/v1/memory/notes", scopeId=scope, text=text)
        groups = ann.get("/v1/memory/facts", scopeId=scope)["groups"]
        assert [item["text"] for item in groups[0]["items"]] == ["Bears live in woods.", "Cedars grow slowly."]
    finally:
        served.close()
