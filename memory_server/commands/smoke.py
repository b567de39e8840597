"""``smoke``: whether a running server really remembers, from a scope of its own to the state of every layer.

It makes a scope, tells it a few things, has a digest made and a question answered, looks at all layers, and deletes
the scope again. What needs a model is left out, and said to be, where operations with a model are off.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import click
import httpx2

from memory_server.commands.reach import FAILED, Refused, exits, json_option, print_json, server_address

OK, BAD, SKIPPED = "ok", "failed", "skipped"

_PATIENCE = 150.0           # seconds for one answer; a model may stand behind it
_LOOK_EVERY = 0.25          # seconds between two looks at what is made in the background
_SETTLE = 20.0              # seconds for the layers to catch up with the last event
_MODES, _PLANS = ("direct_state_fast_path", "llm_fast_path"), ("none", "light", "full")

_GOAL = "verify that this server remembers"
_TOLD = (
    f"Goal: {_GOAL}",
    "Constraint: everything stays on this machine",
    "Decision: we will delete this scope when the check is over",
    "Todo: look at every layer",
)
_SPEC = "The check looks at working memory, stable state and the alignment of both. The password of the day is quince."
_QUESTION = "What is the current goal?"


@dataclass(slots=True)
class Protocol:
    """What was checked, in order."""

    checks: list[dict[str, str]] = field(default_factory=list)

    def check(self, name: str, holds: bool, found: object = "") -> bool:
        self._note(name, OK if holds else BAD, "" if holds else str(found))
        return holds

    def skip(self, name: str, why: str) -> None:
        self._note(name, SKIPPED, why)

    def _note(self, name: str, status: str, detail: str) -> None:
        self.checks.append({"name": name, "status": status, "detail": " ".join(detail.split())[:300]})

    @property
    def good(self) -> bool:
        return all(one["status"] != BAD for one in self.checks)


class Caller:
    """Speaks to a server for one user. What fails is an answer like another: status 0 where there was none."""

    def __init__(self, client: httpx2.Client, user: str) -> None:
        self._client = client
        self._user = user

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        try:
            answer = self._client.request(method, path, json=body, headers={"x-user-id": self._user})
        except httpx2.HTTPError as error:
            return 0, {"error": f"no answer ({type(error).__name__})"}
        try:
            return answer.status_code, answer.json()
        except ValueError:
            return answer.status_code, {"error": "the answer is no JSON"}

    def get(self, path: str, **query: str) -> Any:
        return self.ask("GET", f"{path}?{urlencode(query)}" if query else path)[1]


@click.command()
@click.option("--server", metavar="URL", help="Where it listens, as http://127.0.0.1:48912. Default: the usual port.")
@click.option("--user", default="smoke-test", metavar="TOKEN", show_default=True, help="The x-user-id to speak for.")
@click.option("--wait", type=click.FloatRange(1), default=180.0, show_default=True, help="Seconds for a digest.")
@json_option
@exits
def smoke(server: str | None, user: str, wait: float, as_json: bool) -> None:
    """Check a running server from end to end, in a scope of its own that is deleted at the end.

    Ends with 0 when every condition holds (what is skipped does not count), 1 when one does not, 2 when there is no
    server to ask.
    """
    address = server_address(server)
    protocol = Protocol()
    with httpx2.Client(base_url=address, trust_env=False, timeout=_PATIENCE) as client:
        caller = Caller(client, user)
        status, health = caller.ask("GET", "/health")
        if status == 0:
            raise Refused(f"nobody answers at {address}; start the server, or say where it is with --server URL")
        protocol.check("GET /health answers ok", status == 200 and _of(health, "status") == "ok", status)
        if "featureLlm" not in (health if isinstance(health, dict) else {}):
            raise Refused(f"what answers at {address} is no server of this kind")
        with _scope(caller, protocol) as scope:
            if scope is not None:
                _run(caller, protocol, scope, wait, has_model=health["featureLlm"] is True)
    _tell(protocol, address, as_json)
    if not protocol.good:
        sys.exit(FAILED)


def _tell(protocol: Protocol, address: str, as_json: bool) -> None:
    if as_json:
        print_json({"server": address, "ok": protocol.good, "checks": protocol.checks})
        return
    for one in protocol.checks:
        click.echo(f"{one['status']:<8} {one['name']}" + (f"  ({one['detail']})" if one["detail"] else ""))
    counts = {status: sum(one["status"] == status for one in protocol.checks) for status in (OK, BAD, SKIPPED)}
    click.echo(", ".join(f"{count} {status}" for status, count in counts.items()))


def _of(value: object, *names: str) -> Any:
    """A value within objects; None where it is not there."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


@contextmanager
def _scope(caller: Caller, protocol: Protocol) -> Iterator[str | None]:
    """A scope for the time of the block; whichever was active before is so again afterwards."""
    before = _of(caller.get("/state"), "activeScopeId")
    status, made = caller.ask("POST", "/scopes", {"name": "Smoke test", "goal": _GOAL})
    scope = _of(made, "id")
    if not protocol.check("POST /scopes makes a scope", status == 201 and isinstance(scope, str), status):
        yield None
        return
    try:
        protocol.check("the new scope is active", _of(caller.get("/state"), "activeScopeId") == scope)
        yield scope
    finally:
        status, done = caller.ask("DELETE", f"/scopes/{scope}")
        protocol.check("DELETE /scopes/:id deletes it", status == 200 and _of(done, "ok") is True, status)
        listed = _of(caller.get("/scopes"), "items")
        there = [one for one in listed if _of(one, "id") == scope] if isinstance(listed, list) else ["no list"]
        protocol.check("the deleted scope is not listed", not there)
        if isinstance(before, str):
            caller.ask("POST", f"/scopes/{before}/active")


def _run(caller: Caller, protocol: Protocol, scope: str, wait: float, *, has_model: bool) -> None:
    _ingest(caller, protocol, scope)
    if not has_model:
        _refusals(caller, protocol, scope)
        _layers_without_model(caller, protocol, scope)
        return
    _digest(caller, protocol, scope, wait)
    _turn(caller, protocol, scope)
    _wait_for_layers(caller, scope)
    _layers(caller, protocol, scope)
    _probe(caller, protocol, scope)


def _ingest(caller: Caller, protocol: Protocol, scope: str) -> None:
    statuses = [
        caller.ask("POST", "/memory/events", {"scopeId": scope, "type": "stream", "content": text})[0] for text in _TOLD
    ]
    document = {"scopeId": scope, "type": "document", "key": "smoke-spec", "content": _SPEC}
    statuses.append(caller.ask("POST", "/memory/events", document)[0])
    protocol.check("POST /memory/events takes streams and a document", set(statuses) == {201}, statuses)
    status, found = caller.ask("POST", "/memory/retrieve", {"scopeId": scope, "query": "password quince", "limit": 1})
    texts = [_of(one, "content") for one in _of(found, "events") or ()]
    protocol.check("POST /memory/retrieve finds what was told", status == 201 and texts == [_SPEC], status)


def _refusals(caller: Caller, protocol: Protocol, scope: str) -> None:
    for path, body in (
        ("/memory/digest", {"scopeId": scope}),
        ("/memory/answer", {"scopeId": scope, "question": _QUESTION}),
        ("/memory/runtime/turn", {"scopeId": scope, "message": _QUESTION}),
    ):
        status, said = caller.ask("POST", path, body)
        refused = status == 400 and str(_of(said, "error")).startswith("FEATURE_LLM disabled")
        protocol.check(f"POST {path} says that it needs a model", refused, status)


def _layers_without_model(caller: Caller, protocol: Protocol, scope: str) -> None:
    """The reads answer all the same; what they would hold needs a model."""
    for path, names in (
        ("/memory/working-state", ("version", "state", "view", "updatedAt")),
        ("/memory/stable-state", ("digestId", "state", "view", "consistency", "createdAt")),
        ("/memory/layer-status", ("layerAlignment", "freshness", "warnings", "retrievalPlan")),
    ):
        found = caller.get(path, scopeId=scope)
        missing = [name for name in names if not isinstance(found, dict) or name not in found]
        protocol.check(f"GET {path} answers", not missing, f"missing: {missing}")
    for name in (
        "POST /memory/digest makes a digest",
        "POST /memory/runtime/turn answers with answerMode and retrievalPlan",
        "layerAlignment.goalAligned",
        "layerAlignment.fastPathReady",
        "freshness.workingMemoryCaughtUp",
        "freshness.stableStateCaughtUp",
        "no layer warnings",
        "the runtime probe has no warnings and complete metadata",
    ):
        protocol.skip(name, "FEATURE_LLM is off")


def _digest(caller: Caller, protocol: Protocol, scope: str, wait: float) -> None:
    status, job = caller.ask("POST", "/memory/digest", {"scopeId": scope})
    if not protocol.check("POST /memory/digest is accepted", status == 201 and bool(_of(job, "jobId")), status):
        return
    until = time.monotonic() + wait
    items: Any = None
    while time.monotonic() < until:
        items = _of(caller.get("/memory/digests", scopeId=scope, limit="5"), "items")
        if items:
            break
        time.sleep(_LOOK_EVERY)
    protocol.check("POST /memory/digest makes a digest", bool(items), f"none within {wait:.0f} s")


def _turn(caller: Caller, protocol: Protocol, scope: str) -> None:
    status, said = caller.ask("POST", "/memory/runtime/turn", {"scopeId": scope, "message": _QUESTION})
    protocol.check("POST /memory/runtime/turn answers", status == 201 and bool(_of(said, "answer")), status)
    protocol.check("… with answerMode", _of(said, "answerMode") in _MODES, _of(said, "answerMode"))
    mode = _of(said, "retrievalPlan", "mode")
    protocol.check("… with retrievalPlan", mode in _PLANS, mode)


def _wait_for_layers(caller: Caller, scope: str) -> None:
    until = time.monotonic() + _SETTLE
    while time.monotonic() < until:
        freshness = _of(caller.get("/memory/layer-status", scopeId=scope), "freshness")
        if _of(freshness, "workingMemoryCaughtUp") is True and _of(freshness, "stableStateCaughtUp") is True:
            return
        time.sleep(_LOOK_EVERY)


def _layers(caller: Caller, protocol: Protocol, scope: str) -> None:
    working = caller.get("/memory/working-state", scopeId=scope)
    version, goal = _of(working, "version"), _of(working, "view", "goal")
    has_version = isinstance(version, int) and version > 0
    protocol.check("GET /memory/working-state has a version and the goal", has_version and goal == _GOAL, version)
    stable = caller.get("/memory/stable-state", scopeId=scope)
    has_goal = bool(_of(stable, "digestId")) and _of(stable, "view", "goal") == _GOAL
    protocol.check("GET /memory/stable-state has a digest and the goal", has_goal, _of(stable, "digestId"))
    status = caller.get("/memory/layer-status", scopeId=scope, message=_QUESTION)
    for name in ("goalAligned", "fastPathReady"):
        protocol.check(f"layerAlignment.{name}", _of(status, "layerAlignment", name) is True)
    for name, lag in (("workingMemoryCaughtUp", "workingMemoryLagMs"), ("stableStateCaughtUp", "stableStateLagMs")):
        found = f"lag {_of(status, 'freshness', lag)} ms"
        protocol.check(f"freshness.{name}", _of(status, "freshness", name) is True, found)
    warnings = _of(status, "warnings")
    protocol.check("no layer warnings", warnings == [], warnings)


def _probe(caller: Caller, protocol: Protocol, scope: str) -> None:
    """One more turn, which leaves nothing behind, once every layer is there."""
    body = {"scopeId": scope, "message": _QUESTION, "writeTier": "ephemeral", "digestMode": "skip"}
    status, said = caller.ask("POST", "/memory/runtime/turn", body)
    missing = [
        name
        for name in ("answer", "answerMode", "writeTier", "retrievalPlan", "layerAlignment", "evidence")
        if not _of(said, name)
    ]
    whole = status == 201 and not missing and _of(said, "digestTriggered") is False
    protocol.check("the runtime probe has complete metadata", whole, f"status {status}, missing: {missing}")
    protocol.check("the runtime probe is aligned", _of(said, "layerAlignment", "goalAligned") is True)
    warnings = _of(said, "warnings")
    protocol.check("the runtime probe has no warnings", warnings in ([], None), warnings)
