"""What a conversation starts from, and that asking for it changes nothing."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from pathlib import Path

import httpx2
import pytest

from memory.engine import Engine
from memory.strings.boundary import boundary_pattern, split_dialog
from memory_server.service import Service
from tests.conftest import OpenEngine, Perform, client_of
from tests.dialects.neko.companion_root import configure, everything_under
from tests.dialects.neko.surface import READS
from tests.dialects.neko.talk import assistant, exchange, history, user
from tests.fakes import FixedClock, ScriptedChat

SUMMARY = json.dumps({"summary": "They spoke of questions and answers."})


async def test_a_new_dialog_has_its_parts_in_order(client: httpx2.AsyncClient, root: Path, perform: Perform) -> None:
    configure(root, "Mio", master="Alex")
    await client.post("/cache/Mio", json=history([user("I live in Lisbon."), assistant("How nice")]))
    await perform("Mio")
    response = await client.get("/new_dialog/Mio")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")
    text = response.text
    before, after = split_dialog(text) or ("", "")
    # 4 May 2026 is a Monday; the clock stands at ten in the morning.
    boundary = (
        "It is now Monday, May 4, 2026 at 10:00 AM. "
        "Before the conversation starts, Mio is silently going over the recent events."
    )
    assert before.startswith("\n======Mio's long-term memory======\n### ")
    assert "Lisbon" in before
    assert before.endswith(f"\n\n======Mio's inner thoughts======\n{boundary}")
    assert after == "Alex | I live in Lisbon.\nMio | How nice\n"


@pytest.mark.parametrize("language", ["zh", "zh-TW", "en", "ja", "ko", "ru", "es", "pt"])
async def test_the_boundary_sentence_is_there_once_in_every_language(
    client: httpx2.AsyncClient, language: str
) -> None:
    first = (await client.post("/cache/Mio", json=history(exchange(1)))).json()
    assert first["status"] == "cached"
    text = (await client.get(f"/new_dialog/Mio?language={language}")).text
    # Whoever is told the text and tells it again must not make a second boundary.
    await client.post("/cache/Mio", json=history([user(text), assistant(text)]))
    text = (await client.get(f"/new_dialog/Mio?language={language}")).text
    assert len(boundary_pattern().findall(text)) == 1
    assert len(boundary_pattern(language).findall(text)) == 1


@pytest.mark.parametrize(
    ("words", "sign"),
    [
        ("我今天很高兴", "的长期记忆"),
        ("我今天很高興，謝謝你們", "的長期記憶"),
        ("今日はとても楽しかったです", "の長期記憶"),
        ("오늘은 정말 즐거웠어요", "의 장기 기억"),
        ("Сегодня было хорошо", "Долговременная память"),
        ("Hello", "long-term memory"),
    ],
)
async def test_headings_are_in_the_language_that_is_spoken(
    client: httpx2.AsyncClient, words: str, sign: str
) -> None:
    await client.post("/cache/Mio", json=history([user(words)]))
    assert sign in (await client.get("/new_dialog/Mio")).text


async def test_an_unknown_character_gets_an_empty_dialog(client: httpx2.AsyncClient) -> None:
    response = await client.get("/new_dialog/Nobody")
    assert (response.status_code, response.text) == (200, "")
    assert response.headers["content-type"].startswith("text/plain")


async def test_an_unknown_character_has_no_history_and_no_gap(client: httpx2.AsyncClient) -> None:
    response = await client.get("/get_recent_history/Nobody?language=en")
    assert response.headers["content-type"] == "application/json"
    assert isinstance(response.json(), str)
    assert response.json()
    assert (await client.get("/last_conversation_gap/Nobody")).json() == {"gap_seconds": -1}


async def test_a_configured_character_is_known_before_it_has_a_memory(client: httpx2.AsyncClient, root: Path) -> None:
    configure(root, "Mio")
    assert "Mio's long-term memory" in (await client.get("/new_dialog/Mio")).text
    assert list((root / "memory").iterdir()) == []


async def test_where_characters_are_configured_the_others_are_unknown(client: httpx2.AsyncClient, root: Path) -> None:
    configure(root, "Mio")
    await client.post("/cache/Rin", json=history(exchange(1)))
    assert (await client.get("/new_dialog/Rin")).text == ""
    assert "question 1" not in (await client.get("/get_recent_history/Rin")).json()


@pytest.mark.parametrize("path", [*READS, "/query_memory"])
async def test_a_read_creates_nothing_on_disk(client: httpx2.AsyncClient, root: Path, path: str) -> None:
    before = everything_under(root)
    if path == "/query_memory":
        body = {"query": "x", "tiers": ["fact", "turn"]}
        assert (await client.post(f"{path}/Nobody", json=body)).status_code == 200
    else:
        assert (await client.get(f"{path}/Nobody")).status_code == 200
    assert everything_under(root) == before


@pytest.mark.parametrize("path", READS)
async def test_a_read_of_a_companions_folder_leaves_it_as_it_was(
    client: httpx2.AsyncClient, root: Path, path: str
) -> None:
    folder = root / "memory" / "Mio"
    folder.mkdir()
    (folder / "unrelated.txt").write_text("kept")
    assert (await client.get(f"{path}/Mio")).status_code == 200
    assert [file.name for file in folder.iterdir()] == ["unrelated.txt"]


async def test_recent_history_shows_every_message_whole(client: httpx2.AsyncClient, root: Path) -> None:
    configure(root, "Mio", master="Alex")
    await client.post("/cache/Mio", json=history([*exchange(1), {"role": "system", "content": "a note"}]))
    lines = (await client.get("/get_recent_history/Mio")).json().split("\n")
    assert lines[1:] == ["Alex | question 1", "Mio | [20260504 Mon 10:00] answer 1", "a note"]


async def test_an_odd_row_in_recent_json_stops_nobody(client: httpx2.AsyncClient, engine: Engine, root: Path) -> None:
    folder = root / "memory" / "Mio"
    folder.mkdir()
    rows = [{"type": "tool", "data": {"content": {"a": 1}}}, 7, None, {"type": "human", "data": {"content": "hello"}}]
    (folder / "recent.json").write_text(json.dumps(rows))
    assert "hello" in (await client.get("/new_dialog/Mio")).text
    assert "hello" in (await client.get("/get_recent_history/Mio")).json()


async def test_the_gap_is_told_in_seconds(client: httpx2.AsyncClient, clock: FixedClock) -> None:
    await client.post("/cache/Mio", json=history(exchange(1)))
    clock.advance(1820.5)
    assert (await client.get("/last_conversation_gap/Mio")).json() == {"gap_seconds": 1820.5}


async def test_a_clock_that_went_back_makes_no_negative_gap(client: httpx2.AsyncClient, clock: FixedClock) -> None:
    await client.post("/cache/Mio", json=history(exchange(1)))
    clock.advance(-60)
    assert (await client.get("/last_conversation_gap/Mio")).json() == {"gap_seconds": 0.0}


async def test_a_gap_that_cannot_be_told_is_500_in_its_own_form(client: httpx2.AsyncClient, root: Path) -> None:
    (root / "memory" / "Mio").symlink_to(root)
    response = await client.get("/last_conversation_gap/Mio")
    assert (response.status_code, response.json()) == (500, {"gap_seconds": -1, "error": "server_error"})


@pytest.mark.parametrize(
    ("seconds", "hints"),
    [(1_799, 0), (1_800, 1), (17_999, 1), (18_000, 3)],
)
async def test_a_pause_is_mentioned_from_half_an_hour_on(
    client: httpx2.AsyncClient, clock: FixedClock, seconds: int, hints: int
) -> None:
    await client.post("/cache/Mio", json=history(exchange(1)))
    clock.advance(seconds)
    _, after = split_dialog((await client.get("/new_dialog/Mio")).text) or ("", "")
    hint = after.split("\n", 2)[2]
    assert hint.count(". ") + hint.count(".\n") == hints


async def test_todays_holiday_ends_the_text(client: httpx2.AsyncClient, service: Service) -> None:
    def holiday(now: datetime, locale: str, country: str) -> str:
        return f"{now:%d.%m.} {locale} {country}"

    await client.post("/cache/Mio", json=history(exchange(1)))
    service.holiday = holiday
    assert (await client.get("/new_dialog/Mio?language=ja")).text.splitlines()[-1].count("04.05. ja JP") == 1


async def test_a_holiday_that_fails_is_left_out(client: httpx2.AsyncClient, service: Service) -> None:
    def holiday(now: datetime, locale: str, country: str) -> str:
        raise OverflowError

    await client.post("/cache/Mio", json=history(exchange(1)))
    without = (await client.get("/new_dialog/Mio")).text
    service.holiday = holiday
    assert (await client.get("/new_dialog/Mio")).text == without


# --- Waiting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/renew", "/settle"])
async def test_a_new_dialog_waits_for_the_whole_of_a_settle(open_engine: OpenEngine, path: str) -> None:
    gate = asyncio.Event()
    chat = ScriptedChat(SUMMARY, gate=gate)
    engine = await open_engine(chat=chat, summary_wait=60.0)
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        for number in range(15):
            await client.post("/cache/Mio", json=history(exchange(number)))
        settling = asyncio.create_task(client.post(f"{path}/Mio", json=history([user("one more thing")])))
        await asyncio.wait_for(chat.waiting.wait(), 10)
        asking = asyncio.create_task(client.get("/new_dialog/Mio"))
        # Writes and the other reads go on meanwhile.
        assert (await client.post("/cache/Mio", json=history([user("meanwhile")]))).json()["status"] == "cached"
        assert (await client.get("/get_recent_history/Mio")).status_code == 200
        assert not asking.done()
        gate.set()
        text = (await asking).text
        assert settling.done()
        assert "They spoke of questions and answers." in text
        assert text.count("one more thing") == 1
        assert text.count("meanwhile") == 1
        assert "Mio | answer 0\n" not in text


async def test_a_model_that_takes_its_time_holds_nobody_up(open_engine: OpenEngine) -> None:
    gate = asyncio.Event()
    engine = await open_engine(chat=ScriptedChat(SUMMARY, gate=gate), summary_wait=0.01)
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        for number in range(15):
            await client.post("/cache/Mio", json=history(exchange(number)))
        assert (await client.post("/settle/Mio", json=history([]))).json() == {"status": "settled"}
        text = (await client.get("/new_dialog/Mio")).text
        assert "SYSTEM_MESSAGE | " in text      # excerpts stand in for the summary, which is owed
        assert "They spoke of" not in text
        gate.set()
        async with engine.spaces.use("Mio") as space:
            await engine.worker.perform_all(space)
        assert "They spoke of" in (await client.get("/new_dialog/Mio")).text


async def test_another_characters_settle_is_not_waited_for(open_engine: OpenEngine) -> None:
    gate = asyncio.Event()
    chat = ScriptedChat(SUMMARY, gate=gate)
    engine = await open_engine(chat=chat, summary_wait=60.0)
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        for number in range(15):
            await client.post("/cache/Mio", json=history(exchange(number)))
        await client.post("/cache/Rin", json=history(exchange(1)))
        settling = asyncio.create_task(client.post("/settle/Mio", json=history([])))
        await asyncio.wait_for(chat.waiting.wait(), 10)
        assert "question 1" in (await client.get("/new_dialog/Rin")).text
        assert not settling.done()
        gate.set()
        await settling
