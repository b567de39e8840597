"""The lives that are cut short: each is run to its end once, then killed at every point it passed."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import orjson

from memory.errors import ModelFailed
from memory.models.chat import Tier
from tests.crash.stage import Stage, turn
from tests.fakes import ScriptedChat

Scenario = Callable[[Stage], Coroutine[Any, Any, None]]

# What is said, and the one fact that the rules read in it.
TELLING = {
    "I live in Porto.": "The user lives in Porto.",
    "My cat is called Tama.": "The user's cat is called Tama.",
    "I like green tea.": "The user likes green tea.",
    "I am allergic to peanuts.": "The user is allergic to peanuts.",
}
_SAID = list(TELLING)


def failing() -> ScriptedChat:
    """A summary model that is out of order at first, and later breaks the job that asks it."""
    down = ModelFailed(Tier.SUMMARY, "out of order", retryable=True)
    return ScriptedChat(down, RuntimeError(), tiers=(Tier.SUMMARY,))


async def conversation(stage: Stage) -> None:
    """Turns are cached and saved, with an idempotency key every other time."""
    engine = await stage.open()
    for number in range(3):
        await stage.cache(engine, turn(number), key=f"key {number}" if number % 2 else None)
        await stage.save(engine, prompt=number != 1)
    await engine.close()


async def learning(stage: Stage) -> None:
    """What was said becomes facts, in two rounds of owed work."""
    engine = await stage.open()
    for number in range(2):
        await stage.cache(engine, turn(number, _SAID[2 * number]))
        await stage.cache(engine, turn(number + 10, _SAID[2 * number + 1]))
        await stage.work(engine)
        await stage.save(engine)
    await engine.close()


async def settling(stage: Stage) -> None:
    """A window too long is settled into a memo, and goes on after it."""
    engine = await stage.open()
    for number in range(0, 12, 4):
        await stage.cache(engine, [message for place in range(4) for message in turn(number + place)])
    await stage.settle(engine)
    await stage.save(engine)
    await stage.cache(engine, turn(30))
    await stage.settle(engine)
    await engine.close()


async def compressing(stage: Stage) -> None:
    """A window that grows without a settle is compressed as owed work."""
    engine = await stage.open(recent_owe=20)
    await stage.cache(engine, [message for place in range(12) for message in turn(place)])
    await stage.work(engine)
    await stage.cache(engine, turn(20))
    await engine.close()


async def giving_up(stage: Stage) -> None:
    """A summary that no model makes is tried once and buried."""
    engine = await stage.open(chat=failing(), attempts=1)
    await stage.cache(engine, [message for place in range(12) for message in turn(place)])
    await stage.settle(engine)
    await stage.work(engine)
    await stage.cache(engine, turn(20))
    await engine.close()


async def rotating(stage: Stage) -> None:
    """Every other batch begins a new segment of the journal."""
    engine = await stage.open(segment_bytes=1000)
    for number in range(5):
        await stage.cache(engine, turn(number))
    await stage.save(engine)
    await engine.close()


async def edited(stage: Stage) -> None:
    """Another program rewrites recent.json between two turns of ours."""
    engine = await stage.open()
    await stage.cache(engine, turn(0))
    await stage.save(engine)
    entries = orjson.loads((stage.directory / "recent.json").read_bytes())
    bare = [{"type": entry["type"], "data": {"content": entry["data"]["content"]}} for entry in entries]
    bare.insert(1, {"type": "human", "data": {"content": "Put in by hand."}})
    temporary = stage.directory / "recent.json.other"
    temporary.write_bytes(orjson.dumps(bare))
    temporary.replace(stage.directory / "recent.json")
    await stage.cache(engine, turn(1))
    await stage.save(engine)
    await engine.close()


async def torn(stage: Stage) -> None:
    """The journal ends in half a line when it is opened."""
    await _conversation_before(stage)
    with (stage.directory / "events.ndjson").open("ab") as file:
        file.write(b'{"event_id": "half of a l')
    await _go_on(stage)


async def torn_before_others(stage: Stage) -> None:
    """An event without its commit stands before a line of another program."""
    await _conversation_before(stage)
    path = stage.directory / "events.ndjson"
    last = orjson.loads(path.read_bytes().splitlines()[-1])
    uncommitted = {**last, "seq": last["seq"] + 1, "event_id": "event_cut"}
    uncommitted.pop("commit")
    foreign = {"event_id": "of-another", "type": "persona.fact_added", "ts": "2026-05-04T10:00:00", "payload": {}}
    with path.open("ab") as file:
        file.write(orjson.dumps(uncommitted, option=orjson.OPT_APPEND_NEWLINE))
        file.write(orjson.dumps(foreign, option=orjson.OPT_APPEND_NEWLINE))
    await _go_on(stage)


async def journal_lost(stage: Stage) -> None:
    """The journal is gone, and what the views hold becomes its beginning."""
    await _conversation_before(stage)
    (stage.directory / "events.ndjson").unlink()
    await _go_on(stage)


async def outbox_compacted(stage: Stage) -> None:
    """An outbox of a thousand finished jobs is rewritten."""
    await _conversation_before(stage)
    with (stage.directory / "outbox.ndjson").open("ab") as file:
        for number in range(1100):
            line = {"op_id": f"old {number}", "status": "done", "ts": "2026-05-04T10:00:00"}
            file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
    await _go_on(stage)


async def adopted(stage: Stage) -> None:
    """A directory of the original companion is opened for the first time."""
    stage.directory.mkdir(parents=True)
    entries = [{"type": message.kind, "data": {"content": message.content}} for message in turn(50)]
    (stage.directory / "recent.json").write_bytes(orjson.dumps(entries))
    fact = {"id": "fact_20260101000000_aaaaaaaa", "text": "The user plays chess.", "created_at": "2026-01-01T00:00:00"}
    (stage.directory / "facts.json").write_bytes(orjson.dumps([fact]))
    await _go_on(stage)


async def _conversation_before(stage: Stage) -> None:
    """A conversation of its own, on an untouched disk, with everything saved."""
    calm = Stage(stage.root)
    engine = await calm.open()
    await calm.cache(engine, turn(0))
    await calm.cache(engine, turn(1))
    await calm.work(engine)
    await engine.close()


async def _go_on(stage: Stage) -> None:
    engine = await stage.open()
    await stage.cache(engine, turn(40))
    await stage.save(engine)
    await engine.close()


SCENARIOS: Mapping[str, Scenario] = {
    scenario.__name__: scenario
    for scenario in (
        conversation, learning, settling, compressing, giving_up, rotating, edited, torn, torn_before_others,
        journal_lost, outbox_compacted, adopted,
    )
}  # fmt: skip
