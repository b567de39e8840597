"""Paths and names: what is served, and what may stand in a path."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.routing import Route
from starlette.types import ASGIApp

from memory.names import CHARACTERS_MESSAGE, LENGTH_MESSAGE
from memory_server.app import create_app
from memory_server.neko.routes import CharacterRoute, routes
from memory_server.service import Service
from tests.dialects.neko.surface import READS, SERVED, WRITES
from tests.dialects.raw_request import HOST, JSON, ask

EVERY_NAMED_PATH = sorted((method, path) for method, path in SERVED if path.endswith("{name}"))

BAD_NAMES = [
    ("%20", LENGTH_MESSAGE),
    ("x" * 51, LENGTH_MESSAGE),
    ("%2F", CHARACTERS_MESSAGE),
    ("a%2Fb", CHARACTERS_MESSAGE),
    ("..%2f..%2fetc", CHARACTERS_MESSAGE),
    ("a%5Cb", CHARACTERS_MESSAGE),
    ("%2e%2e", CHARACTERS_MESSAGE),
    ("..", CHARACTERS_MESSAGE),
    (".", CHARACTERS_MESSAGE),
    ("name.", CHARACTERS_MESSAGE),
    ("CON", CHARACTERS_MESSAGE),
    ("lpt1.txt", CHARACTERS_MESSAGE),
    ("api", CHARACTERS_MESSAGE),
    ("a%3Ab", CHARACTERS_MESSAGE),
    ("a%3Fb", CHARACTERS_MESSAGE),
    ("a%00b", CHARACTERS_MESSAGE),
    ("%F0%9F%90%B1", CHARACTERS_MESSAGE),   # an emoji
    ("%FF", CHARACTERS_MESSAGE),            # no UTF-8
    ("@scopes", CHARACTERS_MESSAGE),
]

GOOD_NAMES = [
    ("Mio", "Mio"),
    ("%E5%B0%8F%E5%A4%A9", "小天"),
    ("%20Mio%20", "Mio"),
    ("two%20words", "two words"),
    ("a.b", "a.b"),
    ("a-b_c", "a-b_c"),
    ("x" * 50, "x" * 50),
    ("e%CC%81", "é"),                       # decomposed
]


@pytest.fixture
def app(service: Service) -> ASGIApp:
    return create_app(service)


def test_what_is_served_is_what_is_listed() -> None:
    served = set()
    for route in routes():
        assert isinstance(route, Route | CharacterRoute)
        path = route.path if isinstance(route, Route) else f"{route.prefix}/{{name}}"
        served |= {(method, path) for method in route.methods or () if method != "HEAD"}
    assert served == SERVED


@pytest.mark.parametrize(("name", "message"), BAD_NAMES)
@pytest.mark.parametrize(("method", "path"), EVERY_NAMED_PATH)
async def test_a_bad_name_is_400_everywhere(
    app: ASGIApp, root: Path, method: str, path: str, name: str, message: str
) -> None:
    body = b'{"input_history": "[]"}' if method == "POST" else b""
    answer = await ask(app, method, path.replace("{name}", name), headers=[HOST, JSON], body=body)
    assert (answer.status, answer.json) == (400, {"detail": message})
    assert list((root / "memory").iterdir()) == []


@pytest.mark.parametrize(("segment", "name"), GOOD_NAMES)
async def test_a_good_name_is_normalised_in_one_place(app: ASGIApp, root: Path, segment: str, name: str) -> None:
    body = b'{"input_history": "[{\\"role\\": \\"user\\", \\"content\\": \\"Hello\\"}]"}'
    assert (await ask(app, "POST", f"/cache/{segment}", headers=[HOST, JSON], body=body)).json["count"] == 1
    assert [path.name for path in (root / "memory").iterdir()] == [name]
    assert "Hello" in (await ask(app, "GET", f"/new_dialog/{segment}")).body.decode()


@pytest.mark.parametrize("path", [*WRITES, *READS, "/query_memory"])
@pytest.mark.parametrize("rest", ["", "/", "/Mio/", "/Mio/more", "//Mio"])
async def test_only_one_segment_follows_a_path(app: ASGIApp, path: str, rest: str) -> None:
    for method in ("GET", "POST"):
        assert (await ask(app, method, path + rest)).status == 404


async def test_an_encoded_path_is_the_same_path(app: ASGIApp) -> None:
    assert (await ask(app, "GET", "/%67et_recent_history/Mio")).status == 200


async def test_a_question_mark_begins_the_query(app: ASGIApp) -> None:
    assert (await ask(app, "GET", "/get_recent_history/Mio?language=ja")).status == 200
