"""Adding, renaming and deleting a character while it is in use."""

from __future__ import annotations

import asyncio
from pathlib import Path

import orjson
import pytest

from memory import characters
from memory.engine import Engine
from memory.errors import BadInput, SpaceClosed, UnknownSpace
from memory.store import layout
from tests.conftest import OpenEngine
from tests.memory.remembered import NAME, hashes, say, texts_of_turns


async def test_a_renamed_character_remembers_everything(open_engine: OpenEngine, root: Path) -> None:
    engine = await open_engine()
    await say(engine, "Hello.")
    await characters.rename(engine, NAME, "Rina")
    async with engine.spaces.use("Rina") as space:
        assert await texts_of_turns(space) == ["Hello."]
    await say(engine, "Still here.", name="Rina")
    # The old name does not come back by accident, not even after a restart.
    with pytest.raises(SpaceClosed):
        await say(engine, "Late.")
    await engine.close()
    again = await open_engine()
    with pytest.raises(SpaceClosed):
        await say(again, "Later.")
    assert again.spaces.names() == ["Rina"]


async def test_a_name_that_was_closed_can_be_taken_again(engine: Engine) -> None:
    await say(engine, "Hello.")
    await characters.rename(engine, NAME, "Rina")
    await characters.rename(engine, "Rina", NAME)
    assert await say(engine, "Back.")
    await characters.delete(engine, NAME)
    await characters.add(engine, NAME)
    assert await say(engine, "Anew.")


async def test_a_rename_that_fails_leaves_the_old_name(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    await say(engine, "Hello.")

    async def refuse(names: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(engine.tombstones, "bury", refuse)
    with pytest.raises(OSError, match="No space"):
        await characters.rename(engine, NAME, "Rina")
    assert engine.spaces.names() == [NAME]
    assert await say(engine, "Still here.")


async def test_what_cannot_be_renamed(engine: Engine, root: Path) -> None:
    await say(engine, "Hello.")
    await say(engine, "Hello.", name="Mio")
    for old, new, error in (
        (NAME, "Mio", BadInput), (NAME, NAME, BadInput), (NAME, "../x", BadInput), (NAME, "CON", BadInput),
        ("Nobody", "Rina", UnknownSpace),
    ):  # fmt: skip
        with pytest.raises(error):
            await characters.rename(engine, old, new)
    (root / layout.CONFIG).mkdir()
    (root / layout.CONFIG / "characters.json").write_bytes(orjson.dumps({"猫娘": {NAME: {}}}))
    with pytest.raises(BadInput, match="in the companion"):
        await characters.rename(engine, NAME, "Rina")
    assert engine.spaces.names() == ["Mio", NAME]


async def test_a_deleted_character_is_gone_at_once_and_others_stay(engine: Engine, root: Path) -> None:
    await say(engine, "Hello.")
    await say(engine, "Hello.", name="Mio")
    async with engine.spaces.use("Mio") as space:
        await space.save()
        await space.turns.close()
    before = hashes(root / layout.MEMORY / "Mio")
    assert await characters.delete(engine, NAME) > 0
    assert [path.name for path in (root / layout.MEMORY).iterdir()] == ["Mio"]
    assert hashes(root / layout.MEMORY / "Mio") == before
    with pytest.raises(SpaceClosed):
        await say(engine, "Late.")


async def test_deleting_waits_for_whoever_uses_it_and_never_meets_a_write(engine: Engine, root: Path) -> None:
    await say(engine, "Hello.")
    refused = 0

    async def write() -> None:
        nonlocal refused
        for number in range(50):
            try:
                await say(engine, f"Message {number}")
            except SpaceClosed:
                refused += 1

    writing = asyncio.create_task(write())
    await asyncio.sleep(0.02)
    await characters.delete(engine, NAME)
    await writing
    assert refused > 0
    assert not (root / layout.MEMORY / NAME).exists()


async def test_a_character_in_use_is_left_alone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(characters, "PATIENCE", 0.05)
    await say(engine, "Hello.")
    async with engine.spaces.use(NAME):
        with pytest.raises(characters.InUse):
            await characters.delete(engine, NAME)
    assert await say(engine, "Still here.")
