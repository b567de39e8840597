"""A companion's directory there and back: ``python -m benchmarks.adoption [--facts N] [--reflections N] [--rows N]``.

Writes a directory as the original companion would have left it, opens it here, talks a little, closes it, reads it
the way the original reads (plain JSON and SQL, no code of ours), lets "the original" append to it, and opens it here
again. Prints JSON: whether the logical content is equal at each step, what differs, and the times.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memory.engine import Engine
from memory.history import record
from memory.history.record import Incoming
from memory.history.turn import AI, HUMAN, Message
from memory.settings import Settings

TOPICS = ("jazz", "tea", "chess", "hiking", "rain", "bread", "maps", "咖啡", "爬山", "围棋", "火锅", "电影")
TABLE = "(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, message TEXT, timestamp DATETIME)"


def write_directory(directory: Path, facts: int, reflections: int, rows: int) -> None:
    """What the original leaves: facts of both schema versions, reflections, persona, rows, its own log and sidecars."""
    chance = random.Random(7)
    directory.mkdir(parents=True)

    def save(name: str, value: object) -> None:
        (directory / name).write_text(json.dumps(value, ensure_ascii=False, indent=2), encoding="utf-8")

    save("facts.json", [_fact(number, chance) for number in range(facts)])
    save("facts_archive.json", [{**_fact(facts + number, chance), "absorbed": True} for number in range(facts // 10)])
    save("reflections.json", [_reflection(number, chance) for number in range(reflections)])
    entry = {"id": "manual_20260401000000_aaaaaaaa", "text": "Likes the sea.", "source": "manual", "protected": False}
    save("persona.json", {"master": {"facts": [entry, "an old plain entry"]}, "__meta__": {"facts": []}})
    hello = [{"type": "human", "data": {"content": f"hello {n}", "additional_kwargs": {}}} for n in range(9)]
    save("recent.json", hello)
    save("cursors.json", {"rebuttal_checked_until": "2026-04-01T10:00:00"})
    save("user_directives.json", {"version": 1, "directives": []})
    with sqlite3.connect(directory / "time_indexed.db") as db:
        for table in ("time_indexed_original", "time_indexed_compressed"):
            db.execute(f"CREATE TABLE {table} {TABLE}")
        db.executemany(
            "INSERT INTO time_indexed_original (session_id, message, timestamp) VALUES (?, ?, ?)",
            [_row(number) for number in range(rows)],
        )
    (directory / "events.ndjson").write_text(json.dumps(_event(0)) + "\n")


def _fact(number: int, chance: random.Random) -> dict[str, Any]:
    topic = chance.choice(TOPICS)
    text = f"主人喜欢{topic}，第{number}条" if number % 2 else f"Ann likes {topic}, no. {number}"
    short = hashlib.sha256(text.encode()).hexdigest()[:16]
    fact: dict[str, Any] = {
        "id": f"fact_20260401{number:06}_{short[:8]}", "text": text, "importance": 1 + number % 10,
        "entity": "master", "tags": [], "hash": short, "absorbed": False,
        "created_at": f"2026-0{1 + number % 6}-11T10:00:00.{number + 1:06}",
    }  # fmt: skip
    if number % 3:  # rows of the second schema version
        fact |= {
            "source": "user_observation", "event_when_raw": None, "event_start_at": fact["created_at"],
            "event_end_at": None, "schema_version": 2, "signal_processed": True, "embedding": None,
            "embedding_text_sha256": None, "embedding_model_id": None, "a_later_field": {"kept": number},
        }  # fmt: skip
    return fact


def _reflection(number: int, chance: random.Random) -> dict[str, Any]:
    return {
        "id": f"ref_{number:016x}", "text": f"Ann often speaks of {chance.choice(TOPICS)} ({number})",
        "entity": "master", "status": "pending" if number % 2 else "confirmed", "source_fact_ids": [],
        "reinforcement": 0.8,
        "disputation": 0.0, "created_at": "2026-04-01T10:00:00", "feedback": None, "a_later_field": [number],
        "next_eligible_at": "2026-04-01T10:30:00",
    }  # fmt: skip


def _row(number: int) -> tuple[str, str, str]:
    kind = "ai" if number % 2 else "human"
    message = json.dumps({"type": kind, "data": {"content": f"message {number} 你好"}}, ensure_ascii=False)
    return f"session {number // 20}", message, f"2026-04-{1 + number % 28:02} 10:00:00.{number % 10**6:06}"


def _event(number: int) -> dict[str, Any]:
    return {"event_id": f"theirs-{number}", "type": "reflection.evidence_updated", "ts": "2026-04-01T10:00:00",
            "payload": {"reflection_id": "ref_x"}}  # fmt: skip


def read_directory(directory: Path) -> dict[str, Any]:
    """The logical content as the original reads it."""

    def load(name: str) -> Any:
        return json.loads((directory / name).read_text(encoding="utf-8"))

    with sqlite3.connect(directory / "time_indexed.db") as db:
        rows = db.execute("SELECT session_id, message, timestamp FROM time_indexed_original ORDER BY id").fetchall()
    events = [json.loads(line) for line in (directory / "events.ndjson").read_text(encoding="utf-8").splitlines()]
    return {
        "facts": {row["id"]: row for row in load("facts.json")},
        "facts_archive": {row["id"]: row for row in load("facts_archive.json")},
        "reflections": {row["id"]: row for row in load("reflections.json")},
        "persona": [
            entry if isinstance(entry, str) else entry["text"] for entry in load("persona.json")["master"]["facts"]
        ],
        "rows": [(session, json.loads(message), stamp) for session, message, stamp in rows],
        "theirs": [event for event in events if "seq" not in event],
        "directives": load("user_directives.json"),
        "log_is_readable": all({"event_id", "type", "ts", "payload"} <= event.keys() for event in events),
    }


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What of ``before`` is missing from ``after`` or has changed there. Fields and rows that were added are fine."""
    found = []
    for part in ("facts", "facts_archive", "reflections"):
        for key, row in before[part].items():
            now = after[part].get(key)
            if now is None:
                found.append(f"{part} {key} is gone")
            else:
                found += [f"{part} {key}: {field}" for field, value in row.items() if now.get(field, value) != value]
                found += [f"{part} {key}: {field} is gone" for field in row if field not in now]
    if after["rows"][: len(before["rows"])] != before["rows"]:
        found.append("rows differ")
    found += [f"{part} differs" for part in ("theirs", "directives") if after[part] != before[part]]
    found += [f"persona lost {text!r}" for text in before["persona"] if text not in after["persona"]]
    if not after["log_is_readable"]:
        found.append("a line of the log has not the original's keys")
    return found


def append_as_original(directory: Path) -> None:
    """A day with the original: a row, a fact at the end of its list, a line in its log, all rewritten its way."""
    facts = json.loads((directory / "facts.json").read_text(encoding="utf-8"))
    facts.append(_fact(999_998, random.Random(1)))
    (directory / "facts.json").write_text(json.dumps(facts, ensure_ascii=False, indent=2), encoding="utf-8")
    with sqlite3.connect(directory / "time_indexed.db") as db:
        db.execute("INSERT INTO time_indexed_original (session_id, message, timestamp) VALUES (?, ?, ?)", _row(999_996))
    with (directory / "events.ndjson").open("a") as log:
        log.write(json.dumps(_event(1)) + "\n")


async def _talk(root: Path, text: str) -> dict[str, int]:
    engine = await Engine.open(Settings(data_root=root, background=False))
    async with engine.spaces.use("Ann") as space:
        await record.cache(
            space, Incoming(messages=[Message(kind=HUMAN, content=text), Message(kind=AI, content="I see.")])
        )
        await engine.worker.perform_all(space)
        await engine.worker.perform_all(space)
        held = {"facts": len(space.facts), "reflections": len(space.reflections), "rows": space.turns.last_row}
    await engine.close()
    return held


def _timed(times: dict[str, float], name: str, work: Callable[[], Any]) -> Any:
    begun = time.perf_counter()
    result = work()
    times[name] = round(time.perf_counter() - begun, 3)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, count in (("facts", 5_000), ("reflections", 200), ("rows", 10_000)):
        parser.add_argument(f"--{name}", type=int, default=count)
    options = parser.parse_args()
    times: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        directory = root / "memory" / "Ann"
        write_directory(directory, options.facts, options.reflections, options.rows)
        theirs = read_directory(directory)
        adopted = _timed(times, "adopt_talk_close_s", lambda: asyncio.run(_talk(root, "I live in Porto.")))
        back = read_directory(directory)
        append_as_original(directory)
        longer = read_directory(directory)
        again = _timed(times, "reopen_talk_close_s", lambda: asyncio.run(_talk(root, "I have a dog called Rex.")))
        last = read_directory(directory)
    there, home = differences(theirs, back), differences(longer, last)
    report = {
        "held_after_adoption": adopted,
        "equal_in_the_original": not there,
        "held_after_the_original_went_on": again,
        "equal_again": not home,
        "differences": [*there[:10], *home[:10]],
        "its_fact_and_row_are_known": again["facts"] == adopted["facts"] + 2 and again["rows"] == adopted["rows"] + 3,
        **times,
    }
    print(json.dumps(report, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
