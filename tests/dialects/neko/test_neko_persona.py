"""Who the character and its human are, as a conversation is told: cards, what was learnt, and older settings."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2
import pytest

from memory.engine import Engine
from memory.strings.boundary import split_dialog
from memory_server.service import Service
from tests.conftest import OpenEngine, Perform, client_of
from tests.dialects.neko.companion_root import configure, everything_under, fence
from tests.dialects.neko.talk import exchange, history, user
from tests.fakes import FixedClock

CARDS = {"Mio": {"性格": "calm and curious", "昵称": "Mi", "live2d": "model.json"}}


@pytest.fixture
def configured(root: Path) -> None:
    configure(root, cards=CARDS, master="Alex", master_card={"职业": "nurse"})


async def block_of(client: httpx2.AsyncClient, path: str = "/get_settings", name: str = "Mio") -> str:
    response = await client.get(f"{path}/{name}?language=en")
    assert response.status_code == 200
    if path == "/new_dialog":
        return (split_dialog(response.text) or ("", ""))[0]
    assert response.headers["content-type"] == "application/json"
    return str(response.json())


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("path", ["/get_settings", "/new_dialog"])
async def test_the_cards_and_what_was_learnt_stand_together(
    client: httpx2.AsyncClient, perform: Perform, path: str
) -> None:
    await client.post("/cache/Mio", json=history([user("I live in Lisbon.")]))
    await perform("Mio")
    block = await block_of(client, path)
    assert "### About Alex\n- 职业: nurse\n- Alex lives in Lisbon." in block
    assert "### About Mio\n- 性格: calm and curious\n- 昵称: Mi" in block
    assert "model.json" not in block


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("path", ["/get_settings", "/new_dialog"])
async def test_a_character_that_never_spoke_is_told_its_cards_and_gets_no_directory(
    client: httpx2.AsyncClient, root: Path, path: str
) -> None:
    before = everything_under(root)
    assert "### About Mio\n- 性格: calm and curious" in await block_of(client, path)
    assert everything_under(root) == before


@pytest.mark.usefixtures("configured")
async def test_an_edited_card_counts_at_once(client: httpx2.AsyncClient, root: Path) -> None:
    await client.post("/cache/Mio", json=history(exchange(1)))
    assert "calm and curious" in await block_of(client)
    configure(root, cards={"Mio": {"性格": "stormy"}}, master="Alex")
    block = await block_of(client)
    assert "- 性格: stormy" in block
    assert "calm" not in block
    assert "nurse" not in block


@pytest.mark.usefixtures("configured")
async def test_the_same_state_gives_the_same_bytes(client: httpx2.AsyncClient) -> None:
    await client.post("/cache/Mio", json=history(exchange(1)))
    first = (await client.get("/new_dialog/Mio")).content
    assert {(await client.get("/new_dialog/Mio")).content for _ in range(3)} == {first}


@pytest.mark.usefixtures("configured")
async def test_the_cards_are_not_written_behind_the_fence_and_the_rest_is_told(
    client: httpx2.AsyncClient, root: Path, engine: Engine, perform: Perform
) -> None:
    await client.post("/cache/Mio", json=history([user("I live in Lisbon.")]))
    await perform("Mio")
    fence(root, "maintenance_readonly")
    assert "Lisbon" in await block_of(client)
    assert engine.gate.refused_writes == 0
    fence(root, "normal")
    assert "calm and curious" in await block_of(client)


async def test_without_a_configuration_no_card_is_taken_for_an_empty_one(
    client: httpx2.AsyncClient, root: Path
) -> None:
    configure(root, cards=CARDS)
    await client.post("/cache/Mio", json=history(exchange(1)))
    assert "calm and curious" in await block_of(client)
    (root / "config" / "characters.json").unlink()
    assert "calm and curious" in await block_of(client)


# --- Settings of an older companion ----------------------------------------------------------------------------


async def test_older_settings_stand_in_where_nothing_else_is_known(client: httpx2.AsyncClient, root: Path) -> None:
    folder = root / "memory" / "Mio"
    folder.mkdir()
    settings = {"主人": {"喜好": ["tea", "rain"], "空": ""}, "Mio": {"性格": "calm"}, "odd": 7}
    (folder / "settings.json").write_text(json.dumps(settings))
    text = "Mio记得：\n关于主人：\n- 喜好：tea、rain\n关于Mio：\n- 性格：calm"
    assert await block_of(client) == text
    assert f"{text}\n\n\n======Mio's inner thoughts" in await block_of(client, "/new_dialog")


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"a": 7}'])
async def test_settings_without_anything_in_them_say_so(
    client: httpx2.AsyncClient, root: Path, content: str
) -> None:
    folder = root / "memory" / "Mio"
    folder.mkdir()
    (folder / "settings.json").write_text(content)
    assert await block_of(client) == "Mio记得：（暂无记录）"
    assert (folder / "settings.json").read_text() == content


async def test_an_unknown_character_has_empty_settings(client: httpx2.AsyncClient, root: Path) -> None:
    assert await block_of(client) == "Mio记得{}"
    configure(root, "Rin")
    await client.post("/cache/Mio", json=history(exchange(1)))
    assert await block_of(client) == "Mio记得{}"


# --- The document -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("configured")
async def test_the_persona_document_is_told_whole_and_without_vectors(
    client: httpx2.AsyncClient, root: Path
) -> None:
    strange = (await client.get("/get_persona/Mio")).json()
    assert {entity: [row["text"] for row in section["facts"]] for entity, section in strange.items()} == {
        "neko": ["性格: calm and curious", "昵称: Mi"], "master": ["职业: nurse"],
    }  # fmt: skip
    await client.post("/cache/Mio", json=history(exchange(1)))
    document = (await client.get("/get_persona/Mio")).json()
    assert document == strange
    assert all(row["protected"] and row["source"] == "character_card" for row in document["neko"]["facts"])
    assert "embedding" not in document["neko"]["facts"][0]


async def test_an_unknown_character_has_an_empty_document(client: httpx2.AsyncClient, root: Path) -> None:
    before = everything_under(root)
    assert (await client.get("/get_persona/Mio")).json() == {}
    assert everything_under(root) == before


# --- The placeholder of a search ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("what%20is%20known", "======Mio tries to recall======\nwhat is known\n\n======Mio's related memories======\n"),
        ("%E6%98%A8%E5%A4%A9", "======Mio尝试回忆======\n昨天\n\n======Mio的相关记忆======\n"),
        ("a%2Fb", "\na/b\n"),
        ("%FF", "\n\ufffd\n"),
    ],
)
async def test_a_search_finds_nothing_in_the_language_it_is_asked_in(
    client: httpx2.AsyncClient, query: str, expected: str
) -> None:
    response = await client.get(f"/search_for_memory/Mio/{query}")
    assert (response.status_code, response.headers["content-type"]) == (200, "application/json")
    assert expected in response.json()


# --- Language -------------------------------------------------------------------------------------------------------


async def intro(client: httpx2.AsyncClient) -> str:
    return str((await client.get("/get_recent_history/Mio")).json()).split("\n", 1)[0]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("zh-TW", "以下是Mio最近的對話紀錄："),
        ("tchinese", "以下是Mio最近的對話紀錄："),
        ("zh-Hant-HK", "以下是Mio最近的對話紀錄："),
        ("schinese", "以下是Mio最近的对话记录："),
        ("brazilian", "Este é o histórico recente de conversa de Mio:"),
        ("es-419", "Este es el historial reciente de conversación de Mio:"),
    ],
)
async def test_the_language_a_client_names_is_kept_with_its_messages(
    client: httpx2.AsyncClient, engine: Engine, open_engine: OpenEngine, language: str, expected: str
) -> None:
    await client.post("/cache/Mio", json=history(exchange(1), language=language))
    assert await intro(client) == expected
    await client.post("/cache/Mio", json=history(exchange(2)))      # says nothing about it
    await client.post("/cache/Mio", json=history(exchange(3), language="Klingon"))
    assert await intro(client) == expected
    await engine.close()
    async with client_of(Service(instance_id="x", engine=await open_engine())) as again:
        assert await intro(again) == expected


async def test_the_last_language_named_counts(client: httpx2.AsyncClient) -> None:
    await client.post("/cache/Mio", json=history(exchange(1), language="ja"))
    await client.post("/settle/Mio", json=history(exchange(2), language="ko"))
    assert await intro(client) == "다음은 Mio의 최근 대화 기록입니다:"


async def test_a_guess_is_never_kept(client: httpx2.AsyncClient, root: Path, engine: Engine) -> None:
    await client.post("/cache/Mio", json=history([user("今日はとても楽しかったです")]))
    assert await intro(client) == "以下はMioの最近の会話の履歴です："
    await client.get("/new_dialog/Mio?language=ru")
    async with engine.spaces.use("Mio") as space:
        await space.save()
        assert space.views.recent_meta.language is None
    assert b'"language"' not in b"".join(
        path.read_bytes() for path in everything_under(root / "memory" / "Mio") if path.suffix == ".json"
    )


@pytest.mark.parametrize("value", [7, None, "", [], {}, "x" * 100, "klingon"])
async def test_a_language_nobody_knows_is_ignored(client: httpx2.AsyncClient, value: object) -> None:
    response = await client.post("/cache/Mio", json=history([user("Hello there")], language=value))
    assert response.json() == {"status": "cached", "count": 1}
    assert await intro(client) == "This is Mio's recent conversation history:"


@pytest.mark.parametrize(
    ("language", "label"),
    [("zh", "主人"), ("zh-TW", "主人"), ("en", "The user"), ("ja", "相手"), ("ko", "상대"), ("ru", "Собеседник"),
     ("es", "La otra persona"), ("pt", "A outra pessoa")],
)  # fmt: skip
async def test_a_human_without_a_name_is_called_so_in_the_language_of_the_dialog(
    client: httpx2.AsyncClient, language: str, label: str
) -> None:
    await client.post("/cache/Mio", json=history(exchange(1), language=language))
    assert f"{label} | question 1" in (await client.get("/get_recent_history/Mio")).json()
    _, after = split_dialog((await client.get("/new_dialog/Mio")).text) or ("", "")
    assert after.startswith(f"{label} | question 1\n")


async def test_a_memo_is_written_in_the_language_that_was_named(
    client: httpx2.AsyncClient, clock: FixedClock
) -> None:
    for number in range(15):
        await client.post("/cache/Mio", json=history(exchange(number), language="es"))
    await client.post("/settle/Mio", json=history([]))
    assert "SYSTEM_MESSAGE | Notas de conversaciones previas: " in (await client.get("/new_dialog/Mio")).text
