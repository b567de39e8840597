"""The guard: who may come in, with what, and how much of it."""

from __future__ import annotations

import asyncio
import json

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from memory.engine import Engine
from memory_server.app import create_app, dialects
from memory_server.entrance import Entrance
from memory_server.guard import BODY_LIMIT, DEPTH_LIMIT, HISTORY_LIMIT, Guard, deeper_than
from memory_server.service import Service
from tests.dialects.raw_request import HOST, JSON, ask


@pytest.fixture
def app(service: Service) -> ASGIApp:
    return create_app(service)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:48912", "localhost", "localhost:1", "LocalHost:48912", "[::1]", "[::1]:48912"],
)
async def test_a_loopback_host_comes_in(app: ASGIApp, host: str) -> None:
    assert (await ask(app, "GET", "/health", headers=[("host", host)])).status == 200


@pytest.mark.parametrize(
    "host",
    ["", "example.com", "127.0.0.1.example.com", "localhost.example.com", "evil@127.0.0.1", "127.0.0.1:", "127.0.0.1:x",
     "127.0.0.2", "0.0.0.0", "::1", "[::1", "localhost.", "127.0.0.1:48912:1", "127.0.0.1/"],
)  # fmt: skip
async def test_another_host_does_not(app: ASGIApp, host: str) -> None:
    answer = await ask(app, "GET", "/health", headers=[("host", host)])
    assert answer.status == 403
    assert answer.json == {
        "error": "the Host of a request must be 127.0.0.1, localhost or [::1]",
        "detail": "the Host of a request must be 127.0.0.1, localhost or [::1]",
    }


@pytest.mark.parametrize("headers", [[], [HOST, HOST], [HOST, ("host", "example.com")]])
async def test_there_is_exactly_one_host(app: ASGIApp, headers: list[tuple[str, str]]) -> None:
    assert (await ask(app, "GET", "/health", headers=headers)).status == 403


@pytest.mark.parametrize(
    "header",
    [
        ("origin", "null"),
        ("origin", "https://example.com"),
        ("origin", "http://127.0.0.1:3000"),        # another port is another origin
        ("origin", "http://localhost:48912"),       # so is another name of the same machine
        ("origin", "https://127.0.0.1:48912"),
        ("origin", ""),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "anything"),
    ],
)
async def test_a_page_of_somebody_else_does_not_come_in(app: ASGIApp, header: tuple[str, str]) -> None:
    assert (await ask(app, "GET", "/health", headers=[HOST, header])).status == 403


@pytest.mark.parametrize(
    "header",
    [("origin", "http://127.0.0.1:48912"), ("sec-fetch-site", "same-origin"), ("sec-fetch-site", "none")],
)
async def test_our_own_pages_and_typed_addresses_come_in(app: ASGIApp, header: tuple[str, str]) -> None:
    assert (await ask(app, "GET", "/health", headers=[HOST, header])).status == 200


async def test_one_foreign_origin_among_several_is_enough(app: ASGIApp) -> None:
    headers = [HOST, ("origin", "http://127.0.0.1:48912"), ("origin", "https://example.com")]
    assert (await ask(app, "GET", "/health", headers=headers)).status == 403


async def test_a_post_without_body_needs_no_content_type(app: ASGIApp) -> None:
    assert (await ask(app, "POST", "/shutdown")).status == 200
    assert (await ask(app, "POST", "/shutdown", headers=[HOST, ("content-length", "0")])).status == 200
    assert (await ask(app, "POST", "/shutdown", chunked=True)).status == 200


@pytest.mark.parametrize(
    "header",
    [("x-nothing", ""), ("content-type", "text/plain"), ("content-type", "application/x-www-form-urlencoded"),
     ("content-type", "multipart/form-data; boundary=x"), ("content-type", "application/jsonp"),
     ("content-type", "text/plain; application/json")],
)  # fmt: skip
async def test_a_body_that_is_not_declared_as_json_is_refused(app: ASGIApp, header: tuple[str, str]) -> None:
    for chunked in (False, True):
        answer = await ask(app, "POST", "/query_memory/Mio", headers=[HOST, header], body=b"{}", chunked=chunked)
        assert answer.status == 415


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8", "application/json;x=y"])
async def test_parameters_of_the_content_type_do_not_matter(app: ASGIApp, kind: str) -> None:
    answer = await ask(app, "POST", "/query_memory/Mio", headers=[HOST, ("content-type", kind)], body=b"{}")
    assert answer.status == 200


async def test_a_declared_length_above_the_limit_is_refused_unread(app: ASGIApp) -> None:
    headers = [HOST, JSON, ("content-length", str(BODY_LIMIT + 1))]
    assert (await ask(app, "POST", "/query_memory/Mio", headers=headers, body=[])).status == 413


async def test_a_body_in_pieces_is_counted_while_it_is_read(app: ASGIApp) -> None:
    pieces = [b" " * 65_536] * (BODY_LIMIT // 65_536)
    within = await ask(app, "POST", "/query_memory/Mio", headers=[HOST, JSON], body=[*pieces[1:], b"{}"], chunked=True)
    assert within.status == 200
    beyond = await ask(app, "POST", "/query_memory/Mio", headers=[HOST, JSON], body=[*pieces, b" {}"], chunked=True)
    assert beyond.status == 413


async def test_a_length_that_lies_does_not_help(app: ASGIApp) -> None:
    headers = [HOST, JSON, ("content-length", "2")]
    answer = await ask(app, "POST", "/query_memory/Mio", headers=headers, body=[b" " * BODY_LIMIT, b"{}"])
    assert answer.status == 413


@pytest.mark.parametrize("length", ["-1", "1e3", "", "9" * 30])
async def test_a_length_that_is_no_number_is_refused(app: ASGIApp, length: str) -> None:
    headers = [HOST, JSON, ("content-length", length)]
    assert (await ask(app, "POST", "/query_memory/Mio", headers=headers, body=b"{}")).status in (400, 413)


@pytest.mark.parametrize("route", ["/cache", "/process", "/renew", "/settle"])
async def test_histories_may_be_sixteen_times_as_large(app: ASGIApp, route: str) -> None:
    body = json.dumps({"input_history": "[]", "filling": "x" * (2 * BODY_LIMIT)}).encode()
    assert (await ask(app, "POST", f"{route}/Mio", headers=[HOST, JSON], body=body)).status == 200
    headers = [HOST, JSON, ("content-length", str(HISTORY_LIMIT + 1))]
    assert (await ask(app, "POST", f"{route}/Mio", headers=headers, body=[])).status == 413


async def test_a_body_nested_too_deeply_is_refused_before_it_is_parsed(app: ASGIApp) -> None:
    deep = b'{"query":' + b"[" * 100_000
    answer = await ask(app, "POST", "/query_memory/Mio", headers=[HOST, JSON], body=deep)
    assert answer.status == 400
    assert "64" in answer.json["detail"]


@pytest.mark.parametrize(
    ("text", "deeper"),
    [
        (b"", False),
        (b"[" * 64 + b"]" * 64, False),
        (b"[" * 65 + b"]" * 65, True),
        (b'{"a":' * 65 + b"1" + b"}" * 65, True),
        (b'{"a":[' * 32 + b"1" + b"]}" * 32, False),
        (b"[" + b"[]," * 10_000 + b"[]]", False),                  # wide, not deep
        (b'["' + b"[" * 1_000 + b'"]', False),                     # brackets in a string
        (b'["\\"' + b"[" * 1_000 + b'"]', False),                  # … after an escaped quote
        (b'["\\\\",' + b"[" * 100 + b"]" * 100 + b"]", True),      # an escaped backslash ends no string
        (b'["' + b"[" * 1_000, False),                             # a string that never ends
        (b"[" * 65, True),                                         # unclosed
        (b"]" * 1_000 + b"[" * 64, False),                         # nonsense, for the parser to refuse
        (b"]" * 1_000 + b"[" * 65, True),
        (b"[]" * 33 + b"[" * 65 + b"]" * 65, True),
    ],
)
def test_depth_is_told_without_parsing(text: bytes, deeper: bool) -> None:
    assert deeper_than(text, DEPTH_LIMIT) is deeper


def test_depth_agrees_with_a_parser_on_random_values() -> None:
    def depth(value: object) -> int:
        if isinstance(value, list):
            return 1 + max(map(depth, value), default=0)
        if isinstance(value, dict):
            return 1 + max(map(depth, value.values()), default=0)
        return 0

    value: object = 'a "quoted" [text] with \\ and {braces}'
    for level in range(20):
        value = [value, {"[": value if level % 3 else "]"}] if level % 2 else {'"': value, "]": []}
        text = json.dumps(value).encode()
        for limit in range(1, 45):
            assert deeper_than(text, limit) is (depth(value) > limit)


@pytest.mark.parametrize("path", ["/nowhere", "/", "/cache", "/cache/", "/cache/Mio/", "/cache/Mio/x", "/health/"])
async def test_an_unknown_path_is_404_in_nobodys_dialect(app: ASGIApp, path: str) -> None:
    answer = await ask(app, "POST", path)
    assert answer.status == 404
    assert answer.json == {"error": "there is nothing at this path", "detail": "there is nothing at this path"}


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [("GET", "/cache/Mio", "POST"), ("POST", "/new_dialog/Mio", "GET, HEAD"), ("DELETE", "/health", "GET, HEAD")],
)
async def test_a_wrong_method_is_405_in_nobodys_dialect(app: ASGIApp, method: str, path: str, allow: str) -> None:
    answer = await ask(app, method, path)
    assert answer.status == 405
    assert set(answer.json) == {"error", "detail"}
    assert sorted(answer.headers["allow"].split(", ")) == allow.split(", ")


async def test_a_preflight_gets_nothing_it_could_use(app: ASGIApp) -> None:
    headers = [HOST, ("origin", "https://example.com"), ("access-control-request-method", "POST")]
    answer = await ask(app, "OPTIONS", "/cache/Mio", headers=headers)
    assert answer.status == 403
    assert not any(name.startswith("access-control") for name in answer.headers)


# --- Before the engine is there -------------------------------------------------------------------------------


async def test_a_request_waits_a_moment_for_an_engine_that_is_being_opened(engine: Engine) -> None:
    opening: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    service = Service(instance_id="x", opening=opening, patience=10.0)
    app = create_app(service)
    waiting = asyncio.create_task(ask(app, "GET", "/last_conversation_gap/Mio"))
    assert (await ask(app, "GET", "/health")).json["initialised"] is False      # this one never waits
    assert not waiting.done()
    service.engine = engine
    opening.set_result(None)
    assert (await waiting).json == {"gap_seconds": -1}


async def test_it_does_not_wait_for_ever() -> None:
    opening: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    app = create_app(Service(instance_id="x", opening=opening, patience=0.01))
    answer = await ask(app, "GET", "/last_conversation_gap/Mio")
    assert (answer.status, answer.json["blocking_reason"]) == (409, "runtime_initializing")


async def test_the_entrance_answers_health_alone_until_the_app_is_there(engine: Engine) -> None:
    service = Service(instance_id="x")
    entrance = Entrance(service)
    app = Guard(entrance, service)
    early = await ask(app, "GET", "/health")
    assert (early.status, early.json["service"], early.json["limited_mode"]) == (200, "memory", True)
    assert (await ask(app, "POST", "/health")).status == 405
    assert (await ask(app, "POST", "/shutdown")).json["status"] == "shutdown_disabled"
    assert (await ask(app, "GET", "/shutdown")).status == 405
    service.engine = engine
    entrance.open(dialects(service))
    assert (await ask(app, "GET", "/health")).json["root_id"] == engine.root_id
    assert (await ask(app, "POST", "/shutdown")).status == 200


async def test_a_fault_behind_the_door_is_500_and_tells_nothing(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    async def faulty(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("what somebody said")

    answer = await ask(Guard(faulty, service), "GET", "/health")
    assert answer.status == 500
    assert b"said" not in answer.body
    assert "said" not in caplog.text
    assert "RuntimeError" in caplog.text
