"""Paths and names: what is served, and what may stand in a path."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from starlette.routing import Route
from starlette.types import ASGIApp

from memory.names import CHARACTERS_MESSAGE, LENGTH_MESSAGE
from memory_server.app import create_app
from memory_server.neko.routes import CharacterRoute, routes
from memory_server.service import Service
from tests.dialects.neko.companion_root import everything_under
from tests.dialects.neko.surface import READS, SERVED, WRITES
from tests.dialects.raw_request import HOST, JSON, ask

EVERY_NAMED_PATH = sorted((method, path) for method, path in SERVED if "{name}" in path)
# What every write is sent here, so that nothing but the name can be wrong with it.
BODY = json.dumps({"input_history": '[{"role": "user", "content": "Hello"}]', "reflection_ids": ["x"]}).encode()
CLAIM = "?derived_task_claim_token=t&derived_task_claim_generation=1&hold_derived_task_admission=true"

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
    ("aux%20.json", CHARACTERS_MESSAGE),
    ("COM%C2%B9", CHARACTERS_MESSAGE),      # COM¹
    ("%ef%bd%8e%ef%bd%95%ef%bd%8c%2e", CHARACTERS_MESSAGE),     # full-width letters, and a dot at the end
    ("api", CHARACTERS_MESSAGE),
    ("a%3Ab", CHARACTERS_MESSAGE),
    ("a%3Fb", CHARACTERS_MESSAGE),
    ("a%00b", CHARACTERS_MESSAGE),
    ("%F0%9F%90%B1", CHARACTERS_MESSAGE),   # an emoji
    ("%FF", CHARACTERS_MESSAGE),            # no UTF-8
    ("@scopes", CHARACTERS_MESSAGE),
    ("%00", CHARACTERS_MESSAGE),
    ("a%0Ab", CHARACTERS_MESSAGE),
    ("%E2%80%AEname", CHARACTERS_MESSAGE),  # right-to-left override
    ("a%E2%80%8Bb", CHARACTERS_MESSAGE),    # zero-width space
    ("a%C2%85b", CHARACTERS_MESSAGE),
    ("%3A%3A$DATA", CHARACTERS_MESSAGE),
    ("~%2F.ssh", CHARACTERS_MESSAGE),
    ("%E3%85%A4", CHARACTERS_MESSAGE),      # a filler that no font shows
    ("%E7%8C%AB" * 100, LENGTH_MESSAGE),    # 300 bytes
    ("e%CC%81" * 51, LENGTH_MESSAGE),       # decomposed, and one too many once composed
    ("o%CC%88%CC%82", CHARACTERS_MESSAGE),  # a mark that composes with nothing
    ("memory_browser", CHARACTERS_MESSAGE),
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
        served |= {(method, route.path) for method in route.methods or () if method != "HEAD"}
    assert served == SERVED


@pytest.mark.parametrize(("name", "message"), BAD_NAMES)
async def test_a_bad_name_is_400_everywhere_and_leaves_nothing_behind(
    app: ASGIApp, root: Path, name: str, message: str
) -> None:
    before = everything_under(root)
    for method, path in EVERY_NAMED_PATH:
        where = path.replace("{name}", name).replace("{query}", "anything")
        body = BODY if method == "POST" else b""
        answer = await ask(app, method, where + CLAIM, headers=[HOST, JSON], body=body)
        assert answer.status == 400, path
        if path == "/release_character/{name}":
            raw = unquote_to_bytes(name).decode("utf-8", "replace")
            assert answer.json == {"status": "error", "character_name": raw, "message": message}
        else:
            assert answer.json == {"detail": message}, path
    assert everything_under(root) == before


def test_the_table_of_bad_names_is_as_long_as_promised() -> None:
    assert len({name for name, _ in BAD_NAMES}) >= 30


@pytest.mark.parametrize("query", [name for name, _ in BAD_NAMES if name not in ("", "%20")])
async def test_a_query_in_a_path_is_only_text(app: ASGIApp, root: Path, query: str) -> None:
    before = everything_under(root)
    answer = await ask(app, "GET", f"/search_for_memory/Mio/{query}")
    assert (answer.status, type(answer.json)) == (200, str)
    assert everything_under(root) == before


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
