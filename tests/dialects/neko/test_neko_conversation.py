"""The four history writes: what they answer, what they keep, and what they refuse."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory.engine import Engine
from memory.store.files import Disk
from memory_server.service import Service
from tests.conftest import OpenEngine, client_of
from tests.dialects.neko.surface import WRITES
from tests.dialects.neko.talk import assistant, exchange, history, user
from tests.dialects.raw_request import HOST, JSON, ask
from tests.fakes import FixedClock

ANSWERS = {
    "/cache": {"status": "cached", "count": 2},
    "/process": {"status": "processed"},
    "/renew": {"status": "processed"},
    "/settle": {"status": "settled"},
}


async def kept(engine: Engine, name: str = "Mio") -> list[str]:
    """Every turn ever kept, in order, as text."""
    async with engine.spaces.use(name) as space:
        return [turn.text for turn in await space.turns.after(0, 100_000)]


def said(*numbers: int) -> list[str]:
    """The texts of exchanges."""
    return [text for n in numbers for text in (f"question {n}", f"[20260504 Mon 10:00] answer {n}")]


@pytest.mark.parametrize("path", WRITES)
async def test_a_write_answers_in_its_own_words_and_keeps_the_messages(
    client: httpx2.AsyncClient, engine: Engine, path: str
) -> None:
    response = await client.post(f"{path}/Mio", json=history(exchange(1)))
    assert (response.status_code, response.json()) == (200, ANSWERS[path])
    assert response.headers["content-type"] == "application/json"
    assert await kept(engine) == said(1)


@pytest.mark.parametrize("path", WRITES)
async def test_uncached_messages_reach_the_recent_history(client: httpx2.AsyncClient, path: str) -> None:
    await client.post(f"{path}/Mio", json=history(exchange(1)))
    assert "question 1" in (await client.get("/get_recent_history/Mio")).json()
    assert "question 1" in (await client.get("/new_dialog/Mio")).text


@pytest.mark.parametrize(("path", "answer"), [*(ANSWERS | {"/cache": {"status": "cached", "count": 0}}).items()])
async def test_an_empty_history_creates_nothing(
    client: httpx2.AsyncClient, root: Path, path: str, answer: dict[str, Any]
) -> None:
    assert (await client.post(f"{path}/Mio", json=history([]))).json() == answer
    assert list((root / "memory").iterdir()) == []


async def test_the_rhythm_of_cache_and_settle_keeps_every_message_in_order(
    client: httpx2.AsyncClient, open_engine: OpenEngine, engine: Engine, root: Path
) -> None:
    for number in range(30):
        assert (await client.post("/cache/Mio", json=history(exchange(number)))).json()["count"] == 2
    assert (await client.post("/settle/Mio", json=history([]))).json() == {"status": "settled"}
    assert await kept(engine) == said(*range(30))
    await engine.close()
    with sqlite3.connect(root / "memory/Mio/time_indexed.db") as db:
        rows = [json.loads(row[0]) for row in db.execute("SELECT message FROM time_indexed_original ORDER BY id")]
    db.close()
    assert [row["type"] for row in rows] == ["human", "ai"] * 30
    assert [row["data"]["content"][0]["text"] for row in rows] == said(*range(30))
    window = json.loads((root / "memory/Mio/recent.json").read_bytes())
    assert window[0]["type"] == "system"        # the memo of what came before
    assert [entry["data"]["content"][0]["text"] for entry in window[1:]] == said(*range(30))[-9:]
    assert await kept(await open_engine()) == said(*range(30))


async def test_ten_thousand_messages_come_in_at_once(client: httpx2.AsyncClient, engine: Engine) -> None:
    messages = [message for number in range(5_000) for message in exchange(number)]
    assert (await client.post("/cache/Mio", json=history(messages))).json() == {"status": "cached", "count": 10_000}
    assert await kept(engine) == said(*range(5_000))


async def test_fifty_writes_at_once_are_kept_whole_and_in_order(client: httpx2.AsyncClient, engine: Engine) -> None:
    batches = [[message for step in range(3) for message in exchange(10 * n + step)] for n in range(50)]
    paths = [("/cache", "/process", "/settle")[n % 3] if n % 5 == 0 else "/cache" for n in range(50)]
    responses = await asyncio.gather(
        *(client.post(f"{path}/Mio", json=history(batch)) for path, batch in zip(paths, batches, strict=True))
    )
    assert all(response.json()["status"] in ("cached", "processed", "settled") for response in responses)
    found = await kept(engine)
    # Six texts of one batch stand together; each batch is there once.
    pieces = [tuple(found[start : start + 6]) for start in range(0, len(found), 6)]
    assert sorted(pieces) == sorted(tuple(said(10 * n, 10 * n + 1, 10 * n + 2)) for n in range(50))


# --- Bodies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", {"type": "missing", "loc": ["body"], "msg": "Field required"}),
        (b"{}", {"type": "missing", "loc": ["body", "input_history"], "msg": "Field required"}),
        (
            b'{"input_history": []}',
            {"type": "string_type", "loc": ["body", "input_history"], "msg": "Input should be a valid string"},
        ),
        (
            b'{"input_history": null}',
            {"type": "string_type", "loc": ["body", "input_history"], "msg": "Input should be a valid string"},
        ),
    ],
)
@pytest.mark.parametrize("path", WRITES)
async def test_a_body_of_the_wrong_form_is_422(
    client: httpx2.AsyncClient, path: str, body: bytes, error: dict[str, Any]
) -> None:
    response = await client.post(f"{path}/Mio", content=body, headers=[JSON])
    assert (response.status_code, response.json()) == (422, {"detail": [error]})


@pytest.mark.parametrize("body", [b"[]", b"7", b"null", b'"text"', b"{", b"nonsense", b'{"input_history": "[]"} {}'])
async def test_what_is_no_object_is_422_too(client: httpx2.AsyncClient, body: bytes) -> None:
    response = await client.post("/cache/Mio", content=body, headers=[JSON])
    assert response.status_code == 422
    assert {"type", "loc", "msg"} <= set(response.json()["detail"][0])


@pytest.mark.parametrize(
    "value",
    ["", "nonsense", "{}", '"text"', "7", "null", "[", "[1]", "[null]", "[true]", "[[]]",
     '[{"role": "user", "content": "kept?"}, 7]', "[" * 100_000],
)  # fmt: skip
@pytest.mark.parametrize("path", WRITES)
async def test_a_history_nobody_can_read_is_an_error_in_a_200_and_keeps_nothing(
    client: httpx2.AsyncClient, root: Path, path: str, value: str
) -> None:
    response = await client.post(f"{path}/Mio", json={"input_history": value})
    assert response.status_code == 200
    assert response.json()["status"] == "error"
    assert response.json()["message"].startswith("input_history: ")
    assert list((root / "memory").iterdir()) == []


async def test_odd_characters_and_numbers_are_repaired_rather_than_sent_for_ever(
    client: httpx2.AsyncClient, engine: Engine
) -> None:
    raw = '[{"role": "user", "content": "half \\ud83d a cat", "score": NaN}, {"role": "assistant", "content": 1e999}]'
    response = await client.post("/cache/Mio", json={"input_history": raw})
    assert response.json() == {"status": "cached", "count": 2}
    assert (await kept(engine))[0] == "half \ufffd a cat"
    assert (await client.get("/get_recent_history/Mio")).status_code == 200
    assert (await client.get("/new_dialog/Mio")).status_code == 200


async def test_every_shape_of_a_message_is_understood(client: httpx2.AsyncClient) -> None:
    messages: list[Any] = [
        {"role": "user", "content": "one"},
        {"type": "ai", "data": {"content": "two", "additional_kwargs": {}, "id": "x"}},
        {"role": "wizard", "content": [{"type": "text", "text": "three"}, {"type": "image_url", "image_url": {}}]},
        {"type": "system", "data": "four"},
        "five",
    ]
    assert (await client.post("/cache/Mio", json=history(messages))).json()["count"] == 5
    lines = (await client.get("/get_recent_history/Mio")).json().split("\n")[1:]
    assert lines == ["The user | one", "Mio | two", "The user | three", "four", "The user | five"]


async def test_a_time_and_a_speaker_are_kept(client: httpx2.AsyncClient, engine: Engine) -> None:
    messages = [
        user("at noon", timestamp="2026-05-01T12:00:00", speaker="Ann"),
        user("in the future", timestamp="2030-01-01T00:00:00Z"),
    ]
    await client.post("/cache/Mio", json=history(messages))
    async with engine.spaces.use("Mio") as space:
        first, second = await space.turns.after(0, 10)
    assert (first.at.isoformat(), first.speaker) == ("2026-05-01T12:00:00+02:00", "Ann")
    assert second.at == engine.clock.now()      # nobody said it later than now
    assert "Ann | at noon" in (await client.get("/new_dialog/Mio")).text


# --- Sent again ---------------------------------------------------------------------------------------------


async def test_a_stamped_prefix_that_is_stored_already_is_taken_as_resent(
    client: httpx2.AsyncClient, engine: Engine, clock: FixedClock
) -> None:
    await client.post("/cache/Mio", json=history([*exchange(1), *exchange(2)]))
    clock.advance(29 * 60)
    response = await client.post("/cache/Mio", json=history([*exchange(2), *exchange(3)]))
    assert response.json() == {"status": "cached", "count": 4}      # the batch's length, whatever was new in it
    assert await kept(engine) == said(1, 2, 3)


async def test_after_half_an_hour_the_same_words_are_said_anew(
    client: httpx2.AsyncClient, engine: Engine, clock: FixedClock
) -> None:
    await client.post("/cache/Mio", json=history(exchange(1)))
    clock.advance(31 * 60)
    await client.post("/cache/Mio", json=history(exchange(1)))
    assert await kept(engine) == said(1, 1)


@pytest.mark.parametrize(
    "messages",
    [
        [user("good night")],
        [user("good night"), assistant("good night", stamp="")],
        [user("good night"), assistant("good night", stamp="[yesterday] ")],
    ],
)
async def test_without_the_connectors_stamp_nothing_is_ever_dropped(
    client: httpx2.AsyncClient, engine: Engine, messages: list[dict[str, Any]]
) -> None:
    for _ in range(2):
        await client.post("/cache/Mio", json=history(messages))
    assert len(await kept(engine)) == 2 * len(messages)


@pytest.mark.parametrize(
    "again",
    [
        [*exchange(3), *exchange(2)],                       # stored, but not at the head of the batch
        exchange(1),                                        # stored, but not at the end of what is stored
        [user("question 2"), assistant("another answer")],
    ],
)
async def test_only_a_prefix_that_ends_the_stored_conversation_is_resent(
    client: httpx2.AsyncClient, engine: Engine, again: list[dict[str, Any]]
) -> None:
    await client.post("/cache/Mio", json=history([*exchange(1), *exchange(2)]))
    await client.post("/cache/Mio", json=history(again))
    assert len(await kept(engine)) == 4 + len(again)


async def test_a_resend_to_settle_is_recognised_as_well(client: httpx2.AsyncClient, engine: Engine) -> None:
    await client.post("/cache/Mio", json=history(exchange(1)))
    await client.post("/settle/Mio", json=history(exchange(1)))
    assert await kept(engine) == said(1)


async def test_a_key_makes_a_write_happen_once(
    client: httpx2.AsyncClient, engine: Engine, clock: FixedClock, open_engine: OpenEngine
) -> None:
    key = {"Idempotency-Key": "attempt 1"}
    body = history([user("good night")])
    for _ in range(3):
        assert (await client.post("/cache/Mio", json=body, headers=key)).json() == {"status": "cached", "count": 1}
        clock.advance(86_400)
    await engine.close()
    reopened = await open_engine()
    async with client_of(Service(instance_id="again", engine=reopened)) as again:
        assert (await again.post("/cache/Mio", json=body, headers=key)).json() == {"status": "cached", "count": 1}
    assert await kept(reopened) == ["good night"]


async def test_another_key_says_the_same_words_again(client: httpx2.AsyncClient, engine: Engine) -> None:
    for key in ("a", "b"):
        await client.post("/cache/Mio", json=history(exchange(1)), headers={"Idempotency-Key": key})
    assert await kept(engine) == said(1, 1)


@pytest.mark.parametrize("path", WRITES)
async def test_a_key_with_another_body_is_409(client: httpx2.AsyncClient, engine: Engine, path: str) -> None:
    key = {"Idempotency-Key": "once"}
    await client.post(f"{path}/Mio", json=history(exchange(1)), headers=key)
    response = await client.post(f"{path}/Mio", json=history(exchange(2)), headers=key)
    assert response.status_code == 409
    assert response.json() == {
        "status": "error",
        "message": "this Idempotency-Key was already used with a different body; use a new key",
    }
    assert await kept(engine) == said(1)


async def test_a_key_belongs_to_one_character(client: httpx2.AsyncClient, engine: Engine) -> None:
    for name in ("Mio", "Rin"):
        await client.post(f"/cache/{name}", json=history(exchange(1)), headers={"Idempotency-Key": "k"})
        assert await kept(engine, name) == said(1)


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there", "caf\u00e9"])
async def test_a_key_is_short_and_printable(client: httpx2.AsyncClient, service: Service, root: Path, key: str) -> None:
    headers = [HOST, JSON, ("idempotency-key", key)]
    answer = await ask(
        client._transport.app,  # type: ignore[attr-defined]
        "POST", "/cache/Mio", headers=headers, body=json.dumps(history(exchange(1))).encode(),
    )
    assert (answer.status, set(answer.json)) == (400, {"detail"})
    assert list((root / "memory").iterdir()) == []


async def test_the_longest_key_is_fine_and_is_never_stored(
    client: httpx2.AsyncClient, engine: Engine, root: Path
) -> None:
    key = "secret~" + "x" * 248
    response = await client.post("/cache/Mio", json=history(exchange(1)), headers={"Idempotency-Key": key})
    assert response.json()["status"] == "cached"
    await engine.close()
    assert all(b"secret~" not in path.read_bytes() for path in (root / "memory/Mio").iterdir())


# --- What the storage refuses ----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", WRITES)
async def test_a_full_disk_is_an_error_in_a_200_and_the_resend_is_kept_once(
    open_engine: OpenEngine, path: str
) -> None:
    full = True

    def step(point: str) -> None:
        if full and point == "commit.before_append":
            raise OSError(28, "No space left on device")

    engine = await open_engine(disk=Disk(step))
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        response = await client.post(f"{path}/Mio", json=history(exchange(1)))
        assert (response.status_code, response.json()["status"]) == (200, "error")
        assert "No space left on device" in response.json()["message"]
        full = False
        assert (await client.post(f"{path}/Mio", json=history(exchange(1)))).json() == ANSWERS[path]
    assert await kept(engine) == said(1)


@pytest.mark.parametrize("path", WRITES)
async def test_a_damaged_journal_refuses_writes_and_still_reads(
    client: httpx2.AsyncClient, engine: Engine, open_engine: OpenEngine, root: Path, path: str
) -> None:
    for number in (1, 2):
        await client.post("/cache/Mio", json=history(exchange(number)))
    await engine.close()
    journal = root / "memory/Mio/events.ndjson"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([b'{"seq": 1, broken\n', *lines[1:]]))
    async with client_of(Service(instance_id="x", engine=await open_engine())) as again:
        response = await again.post(f"{path}/Mio", json=history(exchange(3)))
        assert (response.status_code, response.json()["status"]) == (200, "error")
        assert "open for reading only" in response.json()["message"]
        assert "question 2" in (await again.get("/new_dialog/Mio")).text
        assert (await again.post(f"{path}/Rin", json=history(exchange(1)))).json() == ANSWERS[path]
        assert (await again.get("/health")).json()["damaged"] == 1


@pytest.mark.parametrize("path", WRITES)
async def test_a_character_directory_that_is_a_symbolic_link_is_refused(
    client: httpx2.AsyncClient, root: Path, tmp_path: Path, path: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (root / "memory" / "Mio").symlink_to(elsewhere)
    response = await client.post(f"{path}/Mio", json=history(exchange(1)))
    assert (response.status_code, response.json()["status"]) == (200, "error")
    assert "symbolic link" in response.json()["message"]
    assert list(elsewhere.iterdir()) == []


def everything_under(root: Path) -> list[Path]:
    return [root, *root.rglob("*")]


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("no_umask")
async def test_files_are_for_their_owner_alone_whatever_the_umask(open_engine: OpenEngine, root: Path) -> None:
    engine = await open_engine()
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        for number in range(15):
            await client.post("/cache/Mio", json=history(exchange(number)), headers={"Idempotency-Key": str(number)})
        await client.post("/settle/Mio", json=history([user("I live in Lisbon.")]))
    async with engine.spaces.use("Mio") as space:
        await engine.worker.perform_all(space)
    await engine.close()
    paths = everything_under(root)
    assert {"events.ndjson", "facts.json", "recent.json", "time_indexed.db"} <= {path.name for path in paths}
    for path in paths:
        assert oct(path.stat().st_mode & 0o777) == ("0o700" if path.is_dir() else "0o600"), path
