"""The callers of the companion, played as they are: what they send, what they read, and what they do when it fails."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory.engine import Engine
from memory.strings.boundary import split_dialog
from memory_server.app import create_app
from memory_server.service import Service
from tests.conftest import Perform
from tests.dialects.neko.companion_root import configure, write
from tests.fakes import FixedClock

NAME = "小天"
URL = "http://127.0.0.1:48912"


class Lost(httpx2.AsyncBaseTransport):
    """A connection that loses some requests, or the answers to them."""

    def __init__(self, service: Service) -> None:
        self._inner = httpx2.ASGITransport(create_app(service))
        self.lose: Callable[[httpx2.Request], str | None] = lambda request: None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        lost = self.lose(request)
        if lost == "request":
            raise httpx2.ConnectError("refused", request=request)
        response = await self._inner.handle_async_request(request)
        if lost == "answer":
            await response.aread()
            raise httpx2.ReadTimeout("too slow", request=request)
        return response


@dataclass
class Connector:
    """Follows a chat and tells the memory server of it, as the companion's main process does."""

    client: httpx2.AsyncClient
    clock: FixedClock
    language: str | None = None
    chat: list[dict[str, Any]] = field(default_factory=list)
    synced: int = 0
    shown_errors: list[str] = field(default_factory=list)

    def hears(self, text: str) -> None:
        self.chat.append({"role": "user", "content": [{"type": "text", "text": text}]})

    def says(self, text: str) -> None:
        stamp = self.clock.now().strftime("[%Y%m%d %a %H:%M] ")
        self.chat.append({"role": "assistant", "content": [{"type": "text", "text": stamp + text}]})

    async def turn(self, question: str, answer: str) -> bool:
        """The user spoke and was answered: what is not synced yet is cached."""
        self.hears(question)
        self.says(answer)
        self.clock.advance(20)
        return await self.turn_end()

    def proactive(self, text: str) -> None:
        """The character spoke by itself: nothing is sent until the user does."""
        self.says(text)
        self.clock.advance(20)

    async def turn_end(self) -> bool:
        ok = await self._post("/cache", self.unsynced())
        if ok:
            self.synced = len(self.chat)
        return ok

    async def renew(self) -> None:
        """The session is renewed; the buffer is cleared whatever the answer."""
        rest = self.unsynced()
        await (self._post("/renew", rest) if rest else self._post("/settle", []))
        self._clear()

    async def end(self) -> None:
        rest = self.unsynced()
        await (self._post("/process", rest) if rest else self._post("/settle", []))
        self._clear()

    def unsynced(self) -> list[dict[str, Any]]:
        """Of several things the character said in a row, the last."""
        kept: list[dict[str, Any]] = []
        for message in self.chat[self.synced :]:
            if kept and kept[-1]["role"] == message["role"] == "assistant":
                kept.pop()
            kept.append(message)
        return kept

    def _clear(self) -> None:
        self.chat.clear()
        self.synced = 0

    async def _post(self, path: str, messages: list[dict[str, Any]]) -> bool:
        body: dict[str, Any] = {"input_history": json.dumps(messages, ensure_ascii=False, indent=2)}
        if self.language:
            body["language"] = self.language
        try:
            # The HTTP library encodes the name.
            response = await self.client.post(f"{path}/{NAME}", json=body)
            answer = response.json()
        except httpx2.TransportError as error:
            self.shown_errors.append(type(error).__name__)
            return False
        ok = response.is_success and isinstance(answer, dict) and answer.get("status") != "error"
        if not ok:
            self.shown_errors.append(str(answer))
        return ok


@pytest.fixture
def transport(service: Service, root: Path) -> Lost:
    configure(root, cards={NAME: {"昵称": "天天, TT", "性格": "calm"}}, master="Alex")
    return Lost(service)


@pytest.fixture
def http(transport: Lost) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=transport, base_url=URL, trust_env=False)


@pytest.fixture
def connector(http: httpx2.AsyncClient, clock: FixedClock) -> Connector:
    return Connector(http, clock)


async def kept(engine: Engine) -> list[str]:
    async with engine.spaces.use(NAME) as space:
        return [turn.text.split("] ")[-1] for turn in await space.turns.after(0, 100_000)]


# --- Conversations ------------------------------------------------------------------------------------------------


async def test_a_long_conversation_with_renewals_is_kept_whole_and_in_order(
    connector: Connector, engine: Engine, root: Path, clock: FixedClock
) -> None:
    said: list[str] = []
    for session in range(4):
        for number in range(6):
            question, answer = f"question {session} {number}", f"answer {session} {number}"
            assert await connector.turn(question, answer)
            said += [question, answer]
        await connector.renew()
        text = (await connector.client.get(f"/new_dialog/{NAME}")).text
        inner, recent = split_dialog(text) or ("", "")
        assert f"answer {session} 5" in recent
        assert "answer" not in inner
        spoken = [line for line in recent.split("\n") if line.startswith(("Alex | ", f"{NAME} | "))]
        assert len(spoken) <= 20        # the rest is in the memo
        clock.advance(3_600)
    await connector.end()
    assert connector.shown_errors == []
    assert await kept(engine) == said
    async with engine.spaces.use(NAME) as space:
        await space.save()
    with sqlite3.connect(root / "memory" / NAME / "time_indexed.db") as db:
        assert db.execute("SELECT count(*) FROM time_indexed_original").fetchone() == (len(said),)
    db.close()


@pytest.mark.parametrize("what", ["request", "answer"])
async def test_what_got_lost_is_sent_with_the_next_turn_and_stored_once(
    connector: Connector, transport: Lost, engine: Engine, what: str
) -> None:
    lost = {3, 4, 7}        # the fourth, fifth and eighth turn
    transport.lose = lambda request: what if turn in lost else None
    for turn in range(10):
        assert await connector.turn(f"question {turn}", f"answer {turn}") is (turn not in lost)
    await connector.renew()
    assert len(connector.shown_errors) == 3
    assert await kept(engine) == [text for turn in range(10) for text in (f"question {turn}", f"answer {turn}")]
    shown = (await connector.client.get(f"/get_recent_history/{NAME}")).json()
    assert shown.count("question 9") == 1


async def test_the_rest_of_a_session_whose_answer_was_lost_is_not_stored_twice(
    connector: Connector, transport: Lost, engine: Engine
) -> None:
    await connector.turn("question 1", "answer 1")
    transport.lose = lambda request: "answer"
    assert not await connector.turn("question 2", "answer 2")
    transport.lose = lambda request: None
    await connector.end()           # sends question 2 again
    assert await kept(engine) == ["question 1", "answer 1", "question 2", "answer 2"]


async def test_what_the_character_said_by_itself_comes_with_the_next_turn(
    connector: Connector, engine: Engine
) -> None:
    await connector.turn("question 1", "answer 1")
    connector.proactive("a thought")
    connector.proactive("another thought")
    await connector.turn("question 2", "answer 2")
    assert await kept(engine) == ["question 1", "answer 1", "another thought", "question 2", "answer 2"]


async def test_a_notice_of_the_network_and_an_avatars_note_are_messages_like_others(
    connector: Connector, http: httpx2.AsyncClient, engine: Engine
) -> None:
    connector.chat.append({"role": "system", "content": "network error"})
    await connector.turn("question 1", "answer 1")
    note = [{"role": "user", "content": "(pats the head)"}, {"role": "assistant", "content": "purr"}]
    answer = (await http.post(f"/cache/{NAME}", json={"input_history": json.dumps(note)})).json()
    assert answer == {"status": "cached", "count": 2}
    assert await kept(engine) == ["network error", "question 1", "answer 1", "(pats the head)", "purr"]
    text = (await http.get(f"/new_dialog/{NAME}")).text
    assert "SYSTEM_MESSAGE | network error\n" in text
    assert "[20260504" not in text          # the connector's stamps are not for the model


async def test_an_empty_settle_after_nothing_at_all_is_fine(connector: Connector, root: Path) -> None:
    await connector.end()
    assert connector.shown_errors == []
    assert list((root / "memory").iterdir()) == []


async def test_the_language_a_connector_sends_is_the_dialogs(
    connector: Connector, http: httpx2.AsyncClient
) -> None:
    connector.language = "zh-TW"
    await connector.turn("hello", "hi")
    assert "小天的長期記憶" in (await http.get(f"/new_dialog/{NAME}")).text


# --- Sessions, games and proactive chat ---------------------------------------------------------------------------


async def test_a_session_starts_for_every_character_there_is_or_is_not(http: httpx2.AsyncClient) -> None:
    for name in (NAME, "nobody", "名字 with (odd) · marks"):
        response = await http.get(f"/new_dialog/{name}")
        assert response.is_success
        assert response.headers["content-type"].startswith("text/plain")
        assert bool(response.text) is (name == NAME)


async def test_a_game_uses_the_history_as_it_comes_and_archives_its_lines(
    connector: Connector, http: httpx2.AsyncClient
) -> None:
    await connector.turn("let us play", "gladly")
    raw = (await http.get(f"/get_recent_history/{NAME}")).text
    assert raw.startswith('"')
    assert raw.endswith('"')
    assert "Alex | let us play" in raw
    archive = [{"role": "system", "content": "the game begins"}, {"role": "assistant", "content": "check"}]
    answer = (await http.post(f"/cache/{NAME}", json={"input_history": json.dumps(archive)})).json()
    assert (answer["status"], answer["count"]) == ("cached", 2)


async def test_a_greeting_depends_on_the_gap(
    connector: Connector, http: httpx2.AsyncClient, clock: FixedClock
) -> None:
    assert (await http.get(f"/last_conversation_gap/{NAME}")).json() == {"gap_seconds": -1}
    await connector.turn("hello", "hi")
    clock.advance(600)
    assert (await http.get(f"/last_conversation_gap/{NAME}")).json()["gap_seconds"] < 900
    clock.advance(600)
    assert (await http.get(f"/last_conversation_gap/{NAME}")).json()["gap_seconds"] > 900


@pytest.mark.parametrize("language", ["zh", "zh-TW", "en", "ja", "ko", "ru", "es", "pt"])
async def test_proactive_chat_parts_thoughts_from_history_and_notes_what_it_raised(
    connector: Connector, http: httpx2.AsyncClient, root: Path, language: str
) -> None:
    folder = root / "memory" / NAME
    folder.mkdir()
    row = {"id": "ref_1", "text": "Alex likes rain", "entity": "master", "status": "pending",
           "created_at": "2026-05-01T10:00:00"}  # fmt: skip
    (folder / "reflections.json").write_text(json.dumps([row]))
    connector.language = language
    await connector.turn("hello there", "hi")
    inner, recent = split_dialog((await http.get(f"/new_dialog/{NAME}")).text) or ("", "")
    assert "Alex likes rain" in inner
    assert recent.startswith("Alex | hello there\n小天 | hi\n")
    topics = (await http.get(f"/followup_topics/{NAME}")).json()["topics"]
    assert [(topic["id"], topic["text"]) for topic in topics] == [("ref_1", "Alex likes rain")]
    body = {"reflection_ids": [topic["id"] for topic in topics]}
    assert (await http.post(f"/record_surfaced/{NAME}", json=body)).json() == {"ok": True}
    assert (await http.get(f"/followup_topics/{NAME}")).json() == {"topics": []}


async def test_the_recall_tool_reads_what_it_shows(
    connector: Connector, http: httpx2.AsyncClient, engine: Engine, perform: Perform, clock: FixedClock
) -> None:
    await connector.turn("I have a dog named Biscuit.", "How nice")
    await perform(NAME)
    clock.advance(2 * 86_400)

    async def tool(**arguments: str) -> list[str]:
        response = await http.post(f"/query_memory/{NAME}", json=arguments)
        if not response.is_success:
            return ["nothing found"]
        answer = response.json()
        assert answer["elapsed_ms"] >= 0
        shown = []
        for number, hit in enumerate(answer["results"], start=1):
            when = hit["event_end_at"] or hit["event_start_at"] or hit["created_at"]
            days = (clock.now().replace(tzinfo=None) - datetime.fromisoformat(when)) // timedelta(days=1)
            assert hit["id"]
            shown.append(f"{number}. [{hit['tier']}/{hit['entity']}] {hit['text']}  ({when[:10]}, {days} days ago)")
        return shown

    line = "1. [fact/master] Alex has a dog named Biscuit.  (2026-05-04, 2 days ago)"
    assert await tool(query="Who is Biscuit?") == [line]
    assert await tool(query="Who is Biscuit?", time="2026-05-04") == [line]
    assert await tool(query="Who is Biscuit?", time="2026-05-05") == []      # advises loosening it
    assert await tool(time="2026-05") == [line]


# --- Administration -----------------------------------------------------------------------------------------------


async def test_the_memory_browser_saves_by_itself_and_its_edit_stays(
    connector: Connector, http: httpx2.AsyncClient, engine: Engine, root: Path
) -> None:
    await connector.turn("question 1", "answer 1")
    async with engine.spaces.use(NAME) as space:
        await space.save()
    file = root / "memory" / NAME / "recent.json"
    rows = json.loads(file.read_bytes())
    rows[0]["data"] = {"content": "question 1, corrected", "additional_kwargs": {}, "response_metadata": {}}
    write(file, rows)
    assert (await http.post(f"/cancel_correction/{NAME}")).json() == {"status": "no_task"}
    await connector.turn("question 2", "answer 2")
    text = (await http.get(f"/new_dialog/{NAME}")).text
    assert "Alex | question 1, corrected\n" in text
    assert "Alex | question 2\n" in text


async def test_powerful_memory_is_switched_off_only_when_the_server_says_ok(
    connector: Connector, http: httpx2.AsyncClient
) -> None:
    await connector.turn("hello", "hi")
    response = await http.post("/internal/memory/reset_confirmed_at")
    assert response.status_code == 200
    assert response.json()["ok"] is True


async def test_the_main_process_starts_blocks_and_releases_the_server(http: httpx2.AsyncClient) -> None:
    reason = {"reason": "startup"}
    response = await http.post("/internal/storage/startup/continue", json=reason)
    assert (response.status_code, response.json()) == (200, {"ok": True, "initialized": False})
    await http.post("/internal/storage/startup/block", json={"reason": "the other server failed"})
    refused = await http.get(f"/new_dialog/{NAME}")
    assert (refused.status_code, refused.json()["blocking_reason"]) == (409, "storage_startup_blocked_after_init")
    assert (await http.post("/internal/storage/startup/continue", json=reason)).is_success
    assert (await http.get(f"/new_dialog/{NAME}")).is_success
    assert (await http.post("/shutdown")).json()["status"] == "shutdown_disabled"


async def test_a_character_is_made_renamed_and_deleted_while_people_talk(
    connector: Connector, http: httpx2.AsyncClient, root: Path, engine: Engine
) -> None:
    generation = 0

    async def publish(*names: str, fresh: str) -> None:
        nonlocal generation
        generation += 1
        configure(root, *names, master="Alex")
        body = {"resume_derived_task_names": [fresh], "resume_derived_task_generations": {fresh: generation}}
        assert (await http.post("/reload", json=body)).json()["status"] == "success"

    async def release(name: str) -> str:
        token = uuid.UUID(int=generation).hex
        query = {
            "derived_task_claim_token": token, "derived_task_claim_generation": str(generation),
            "hold_derived_task_admission": "true",
        }  # fmt: skip
        response = await http.post(f"/release_character/{name}", params=query)
        assert response.status_code == 200
        assert response.json()["status"] == "success"
        return token

    await publish(NAME, "Rin", fresh="Rin")
    await connector.turn("question 1", "answer 1")
    cached = await http.post("/cache/Rin", json={"input_history": json.dumps([{"role": "user", "content": "hello"}])})
    assert cached.json()["status"] == "cached"
    await release("Rin")
    (root / "memory" / "Rin").rename(root / "memory" / "Rina")
    await publish(NAME, "Rina", fresh="Rina")
    assert "hello" in (await http.get("/get_recent_history/Rina")).json()
    assert (await http.get("/new_dialog/Rin")).text == ""
    await connector.turn("question 2", "answer 2")
    await release("Rina")
    for path in sorted((root / "memory" / "Rina").iterdir()):
        path.unlink()
    (root / "memory" / "Rina").rmdir()
    configure(root, NAME, master="Alex")
    assert (await http.post("/reload")).json()["status"] == "success"
    await connector.turn("question 3", "answer 3")
    assert connector.shown_errors == []
    assert [path.name for path in (root / "memory").iterdir()] == [NAME]
    assert await kept(engine) == [text for n in (1, 2, 3) for text in (f"question {n}", f"answer {n}")]
