"""A character with very many facts: taken over, folded away and opened again."""

from __future__ import annotations

import json
from pathlib import Path

from memory.engine import Engine
from memory.people import Names
from memory.recall.query import Query
from memory.search import search
from memory.settings import Settings

MANY = 12_000       # above the number from which contents are dropped little by little
NAMES = Names(neko="Big")


async def found(engine: Engine, text: str) -> list[str]:
    async with engine.spaces.use("Big") as space:
        answer = await search(space, Query(text=text, names=NAMES), NAMES)
    return [hit.document.text for hit in answer.hits]


async def test_nothing_is_missing_after_it_was_folded_away_and_opened_again(tmp_path: Path) -> None:
    facts = [
        {"id": f"fact_{number}", "text": f"The user keeps the book number{number}", "entity": "master",
         "created_at": "2026-01-01T10:00:00"}
        for number in range(MANY)
    ]  # fmt: skip
    directory = tmp_path / "memory" / "Big"
    directory.mkdir(parents=True)
    (directory / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    engine = await Engine.open(Settings(data_root=tmp_path, background=False))
    try:
        for _ in range(2):
            assert await found(engine, "number11999") == ["The user keeps the book number11999"]
            async with engine.spaces.use("Big") as space:
                assert len(space.facts) == MANY
            await engine.spaces.put_away("Big")
            assert not engine.spaces.is_open("Big")
    finally:
        await engine.close()
    kept = json.loads((directory / "facts.json").read_text(encoding="utf-8"))
    assert [fact["id"] for fact in kept] == [fact["id"] for fact in facts]
