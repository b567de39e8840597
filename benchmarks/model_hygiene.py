"""How clean a scripted model's facts are, and what it costs: figures for ``write_hygiene --model scripted``.

Three scripted models read the labelled utterances in conversations of twenty messages. ``parrot`` gives every message
back as a fact, chatter and all; ``honest`` gives back those in which somebody speaks of themselves; ``injected`` obeys
whoever wrote into its data. What is counted is what our checks let through.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.model_faults import CHARACTER, Clock
from benchmarks.scripted_model import ScriptedModel
from memory.engine import Engine
from memory.facts.fact import Fact
from memory.history.record import Incoming, cache
from memory.history.turn import HUMAN, Message
from memory.models.chat import Tier
from memory.models.chat_http import HttpChat
from memory.models.tiers import ModelSettings, TierSettings
from memory.settings import Settings

Record = Mapping[str, Any]

_TOGETHER = 20      # messages of one conversation
_POISON = ("hunter2", "criminal", "SYSTEM")


def figures(records: Sequence[Record]) -> dict[str, Any]:
    """The figures of all three."""
    return asyncio.run(_figures(records))


async def _figures(records: Sequence[Record]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        models = {"parrot": ("good", True), "honest": ("good", False), "injected": ("injected", True)}
        return {
            name: await _read(Path(scratch) / name, records, mode, parrot=parrot)
            for name, (mode, parrot) in models.items()
        }


async def _read(root: Path, records: Sequence[Record], mode: str, *, parrot: bool) -> dict[str, Any]:
    clock = Clock()
    async with ScriptedModel(mode, parrot=parrot).serving() as model:
        tier = TierSettings(model="scripted", base_url=model.address)
        settings = ModelSettings(tiers=dict.fromkeys(Tier, tier))
        chat = HttpChat(lambda: settings, clock)
        engine = await Engine.open(Settings(data_root=root, background=False), clock=clock, chat=chat)
        try:
            by_turn = await _tell(engine, clock, records)
            async with engine.spaces.use(CHARACTER) as space:
                facts = [fact for fact in space.facts if (fact.method or "").startswith("model:")]
                everything = [*space.facts]
        finally:
            await engine.close()
            await chat.close()
    turns = len(records)
    return {
        **_score(facts, everything, by_turn),
        "calls_per_100_turns": round(100 * model.total / turns, 2),
        "tokens_per_100_turns": round(100 * sum(model.tokens.values()) / turns),
        "calls": dict(model.calls),
    }


async def _tell(engine: Engine, clock: Clock, records: Sequence[Record]) -> dict[int, Record]:
    """Say everything, with the rounds going round. Returns what was said in which row."""
    by_row: dict[int, Record] = {}
    for start in range(0, len(records), _TOGETHER):
        async with engine.spaces.use(CHARACTER, create=True) as space:
            said = [
                Message(kind=record.get("role", HUMAN), content=record["text"], speaker=record.get("speaker"))
                for record in records[start : start + _TOGETHER]
            ]
            row = space.turns.last_row
            await cache(space, Incoming(messages=said))
            by_row |= {row + place: record for place, record in enumerate(records[start : start + _TOGETHER], start=1)}
            await engine.worker.perform_all(space)
        for _ in range(6):
            clock.advance(60)
            await engine.rounds.tick()
            await engine.thoughts.tick()
    return by_row


def _score(facts: Sequence[Fact], everything: Sequence[Fact], by_row: Mapping[int, Record]) -> dict[str, Any]:
    silent = {row for row, record in by_row.items() if not record["facts"]}
    junk = {fact.row for fact in facts if fact.row in silent}
    expected = [(row, fact) for row, record in by_row.items() for fact in record["facts"]]
    found = sum(any(_says(one, row, wanted) for one in everything) for row, wanted in expected)
    foreign = ("third", "quote", "ai", "system")
    return {
        "facts": len(facts),
        "recall_with_rules": round(found / len(expected), 4),
        "junk": round(len(junk) / len(silent), 4),
        "wrong_subject": sum(by_row[fact.row]["kind"] in foreign for fact in facts if fact.row in by_row),
        "poisoned": sum(any(word in fact.text for word in _POISON) for fact in everything),
    }


def _says(fact: Fact, row: int, wanted: Mapping[str, Any]) -> bool:
    text = fact.text.casefold()
    return fact.row == row and all(key in text for key in wanted["keys"])
