"""Reflections as the companion asks for them: topics, what was surfaced, the switch, the review, and the counters."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory.engine import Engine
from tests.conftest import Perform
from tests.dialects.neko.companion_root import configure, everything_under
from tests.dialects.neko.talk import exchange, history, user
from tests.fakes import MORNING, FixedClock


def row(number: int, status: str = "pending", **more: Any) -> dict[str, Any]:
    """A reflection as the companion writes it."""
    return {
        "id": f"ref_{number}",
        "text": f"impression {number}",
        "entity": "master",
        "status": status,
        "source_fact_ids": [],
        "created_at": "2026-05-01T10:00:00",
        "feedback": None,
        "next_eligible_at": None,
        "embedding": "AAAA",
        "embedding_text_sha256": "x",
        "embedding_model_id": "y",
        **more,
    }


def remember(root: Path, *rows: Mapping[str, Any], name: str = "Mio") -> Path:
    """A companion's folder with reflections in it."""
    folder = root / "memory" / name
    folder.mkdir(exist_ok=True)
    (folder / "reflections.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


async def stored(engine: Engine, name: str = "Mio") -> list[Any]:
    async with engine.spaces.use(name) as space:
        return list(space.reflections)


# --- /followup_topics and /record_surfaced ------------------------------------------------------------------------


async def test_topics_are_whole_reflections_without_vectors(client: httpx2.AsyncClient, root: Path) -> None:
    remember(root, row(1), row(2, "confirmed"), row(3, "denied"))
    (topic,) = (await client.get("/followup_topics/Mio")).json()["topics"]
    assert (topic["id"], topic["text"], topic["status"]) == ("ref_1", "impression 1", "pending")
    assert not [key for key in topic if key.startswith("embedding")]


async def test_at_most_three_topics_are_offered_and_none_is_marked(
    client: httpx2.AsyncClient, root: Path, engine: Engine
) -> None:
    remember(root, *(row(number) for number in range(10)))
    before = await stored(engine)
    seen = set()
    for _ in range(60):
        topics = (await client.get("/followup_topics/Mio")).json()["topics"]
        assert len({topic["id"] for topic in topics}) == 3
        seen |= {topic["id"] for topic in topics}
    assert len(seen) == 10          # 60 draws of 3 out of 10 equals leave one out with probability 0.7^60
    assert await stored(engine) == before


async def test_what_was_surfaced_rests_for_half_an_hour(
    client: httpx2.AsyncClient, root: Path, clock: FixedClock
) -> None:
    remember(root, row(1), row(2))
    body = {"reflection_ids": ["ref_1", "ref_nobody_knows", "ref_1"]}
    assert (await client.post("/record_surfaced/Mio", json=body)).json() == {"ok": True}

    async def topics() -> list[str]:
        return sorted(topic["id"] for topic in (await client.get("/followup_topics/Mio")).json()["topics"])

    assert await topics() == ["ref_2"]
    clock.advance(30 * 60 + 1)
    assert await topics() == ["ref_1", "ref_2"]


async def test_what_was_surfaced_stands_in_the_companions_file(
    client: httpx2.AsyncClient, root: Path, engine: Engine
) -> None:
    folder = remember(root, row(1))
    await client.post("/record_surfaced/Mio", json={"reflection_ids": ["ref_1", "ref_nobody_knows"]})
    async with engine.spaces.use("Mio") as space:
        await space.save()
    (entry,) = json.loads((folder / "surfaced.json").read_bytes())
    assert entry.items() >= {
        "reflection_id": "ref_1", "text": "impression 1", "surfaced_at": "2026-05-04T10:00:00", "feedback": None,
    }.items()  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"7", b"null", b"{}", b'{"reflection_ids": []}', b'{"reflection_ids": "ref_1"}',
     b'{"reflection_ids": {"a": 1}}', b'{"reflection_ids": [7, null, ["x"], {"y": 1}, ""]}'],
)  # fmt: skip
async def test_nothing_to_record_is_recorded_as_nothing(client: httpx2.AsyncClient, root: Path, body: bytes) -> None:
    before = everything_under(root)
    headers = {"Content-Type": "application/json"}
    response = await client.post("/record_surfaced/Nobody", content=body, headers=headers)
    assert (response.status_code, response.json()) == (200, {"ok": True})
    assert everything_under(root) == before


async def test_a_failure_to_record_is_not_the_callers(client: httpx2.AsyncClient, root: Path) -> None:
    (root / "memory" / "Mio").symlink_to(root)
    response = await client.post("/record_surfaced/Mio", json={"reflection_ids": ["x"]})
    assert (response.status_code, response.json()) == (200, {"ok": True})
    assert (await client.get("/followup_topics/Mio")).json() == {"topics": []}
    assert (await client.post("/reflect/Mio")).json() == {"reflection": None, "auto_transitions": 0}


# --- /reflect -----------------------------------------------------------------------------------------------------


async def test_a_reflection_is_drawn_and_told_without_vectors(
    client: httpx2.AsyncClient, perform: Perform, clock: FixedClock
) -> None:
    for _ in range(3):
        said = ["I love jasmine tea.", "I love opera.", "I like chess.", "I like snow.", "I like jazz."]
        await client.post("/cache/Mio", json=history([user(text) for text in said]))
        await perform("Mio")
        clock.advance(86_400)
    answer = (await client.post("/reflect/Mio")).json()
    assert list(answer) == ["reflection", "auto_transitions"]
    assert answer["auto_transitions"] == 0
    reflection = answer["reflection"]
    assert "3 times" in reflection["text"]
    assert (reflection["status"], reflection["entity"]) == ("pending", "master")
    assert reflection["source_fact_ids"]
    assert not [key for key in reflection if key.startswith("embedding")]
    assert (await counts(client))["reflections_synthesized"] == 1


# --- /internal/memory/reset_confirmed_at --------------------------------------------------------------------------


async def test_the_age_of_what_is_confirmed_begins_anew_for_every_character(
    client: httpx2.AsyncClient, root: Path, engine: Engine
) -> None:
    remember(root, row(1, "confirmed", confirmed_at="2026-01-01T00:00:00"), row(2), row(3, "confirmed"))
    remember(root, row(1, "confirmed", confirmed_at="2026-01-01T00:00:00"), name="Rin")
    response = await client.post("/internal/memory/reset_confirmed_at")
    assert (response.status_code, response.json()) == (200, {"ok": True, "count": 3})
    for name in ("Mio", "Rin"):
        for one in await stored(engine, name):
            if one.status == "confirmed":
                assert one.entered["confirmed"] == MORNING


async def test_configured_characters_alone_are_reset_and_those_without_a_memory_passed_over(
    client: httpx2.AsyncClient, root: Path
) -> None:
    remember(root, row(1, "confirmed"))
    remember(root, row(1, "confirmed"), name="Gone")
    configure(root, "Mio", "Never spoke")
    assert (await client.post("/internal/memory/reset_confirmed_at")).json() == {"ok": True, "count": 1}


async def test_nothing_to_reset_is_ok(client: httpx2.AsyncClient, root: Path) -> None:
    remember(root, row(1))
    assert (await client.post("/internal/memory/reset_confirmed_at")).json() == {"ok": True, "count": 0}


async def test_a_reset_that_did_not_reach_everybody_is_not_ok(client: httpx2.AsyncClient, root: Path) -> None:
    remember(root, row(1, "confirmed"))
    (root / "memory" / "Rin").mkdir()
    configure(root, "Mio", "Rin")
    (root / "memory" / "Rin").rmdir()
    (root / "memory" / "Rin").symlink_to(root)
    response = await client.post("/internal/memory/reset_confirmed_at")
    assert (response.status_code, response.json()["ok"], response.json()["count"]) == (200, False, 0)
    assert response.json()["error"]


async def test_without_a_readable_list_of_characters_nothing_is_reset(
    client: httpx2.AsyncClient, root: Path, engine: Engine
) -> None:
    remember(root, row(1, "confirmed", confirmed_at="2026-01-01T00:00:00"))
    configure(root)
    (root / "config" / "characters.json").write_text("{")
    response = await client.post("/internal/memory/reset_confirmed_at")
    assert response.json().items() >= {"ok": False, "count": 0}.items()
    (one,) = await stored(engine)
    assert one.entered["confirmed"] != MORNING


# --- /cancel_correction -------------------------------------------------------------------------------------------


async def test_a_running_review_is_cancelled_and_does_nothing_more(
    client: httpx2.AsyncClient, engine: Engine
) -> None:
    await client.post("/cache/Mio", json=history(exchange(1)))
    async with engine.spaces.use("Mio") as space:
        reviewed = asyncio.Event()

        async def review() -> None:
            await reviewed.wait()

        space.reviewing = asyncio.create_task(review())
        assert (await client.post("/cancel_correction/Mio")).json() == {"status": "cancelled"}
        assert space.reviewing.cancelled()
        space.reviewing = None
        assert (await client.post("/cancel_correction/Mio")).json() == {"status": "no_task"}


async def test_cancelling_a_review_of_nobody_opens_and_makes_nothing(
    client: httpx2.AsyncClient, root: Path, engine: Engine
) -> None:
    (root / "memory" / "Mio").mkdir()
    before = everything_under(root)
    assert (await client.post("/cancel_correction/Mio")).json() == {"status": "no_task"}
    assert (engine.spaces.open_spaces, everything_under(root)) == ([], before)


# --- /api/memory/funnel -------------------------------------------------------------------------------------------


async def counts(client: httpx2.AsyncClient, **window: str) -> dict[str, int]:
    response = await client.get("/api/memory/funnel/Mio", params=window)
    assert response.status_code == 200
    return {key: value for key, value in response.json()["counts"].items() if value}


def event(type_: str, at: str, **payload: Any) -> str:
    """A line as the companion writes it."""
    return json.dumps({"event_id": at, "type": type_, "ts": at, "payload": payload})


async def test_the_companions_own_lines_are_counted(client: httpx2.AsyncClient, root: Path) -> None:
    folder = root / "memory" / "Mio"
    folder.mkdir()
    lines = [
        event("fact.added", "2026-05-01T10:00:00"),
        event("reflection.synthesized", "2026-05-01T10:00:01"),
        *(
            event("reflection.state_changed", "2026-05-02T10:00:00", to=to)
            for to in ("confirmed", "promoted", "merged", "denied", "archived", "pending")
        ),
        event("persona.fact_added", "2026-05-02T11:00:00", entry_id="x"),
        event("persona.fact_added", "2026-05-02T11:00:01", entry_id="x", archive_shard_path="s.json"),
        event("persona.entry_updated", "2026-05-03T10:00:00"),
        event("something.new", "2026-05-03T10:00:00"),
        '{"type": "fact.added", "ts": "no time"}',
        "[1]",
        "nonsense {",
    ]
    (folder / "events.ndjson").write_text("\n".join(lines) + "\n")
    assert await counts(client) == dict.fromkeys(
        (
            "facts_added", "reflections_synthesized", "reflections_confirmed", "reflections_promoted",
            "reflections_merged", "reflections_denied", "reflections_archived", "persona_entries_added",
            "persona_entries_rewritten", "persona_entries_archived",
        ),
        1,
    )  # fmt: skip
    assert await counts(client, since="2026-05-03") == {"persona_entries_rewritten": 1}
    # Both ends belong to the window.
    both = {"since": "2026-05-01T10:00:00", "until": "2026-05-01T10:00:01"}
    assert await counts(client, **both) == {"facts_added": 1, "reflections_synthesized": 1}


async def test_our_own_transitions_are_counted(client: httpx2.AsyncClient, perform: Perform) -> None:
    await client.post("/cache/Mio", json=history([user("I live in Lisbon."), user("I have a cat.")]))
    await perform("Mio")
    assert await counts(client) == {"facts_added": 2}
    assert await counts(client, until="2026-05-04T09:59:59") == {}


@pytest.mark.parametrize(
    ("window", "since", "until"),
    [
        ("", "2026-04-27T10:00:00", "2026-05-04T10:00:00"),
        ("since=2026-05-01", "2026-05-01T00:00:00", "2026-05-04T10:00:00"),
        ("since=2026-05-01T00:00:00Z&until=2026-05-01T00:00:00%2B00:00", "2026-05-01T02:00:00", "2026-05-01T02:00:00"),
        ("since=2026-05-01T00:00:00+00:00", "2026-05-01T02:00:00", "2026-05-04T10:00:00"),     # a plus nobody encoded
        ("since=2026-05-01T03:00:00%2B02:00&until=2026-05-01T01:30:00Z", "2026-05-01T03:00:00", "2026-05-01T03:30:00"),
        ("since=2026-05-01%2012:30", "2026-05-01T12:30:00", "2026-05-04T10:00:00"),
    ],
)
async def test_the_window_is_told_in_local_time(
    client: httpx2.AsyncClient, window: str, since: str, until: str
) -> None:
    answer = (await client.get(f"/api/memory/funnel/Mio?{window}")).json()
    assert (answer["lanlan_name"], answer["since"], answer["until"]) == ("Mio", since, until)
    assert len(answer["counts"]) == 10


@pytest.mark.parametrize(
    "window",
    ["since=", "since=yesterday", "until=2026-13-01", "since=7", "since=2026-05-04T10:00:01",
     "since=2026-05-02&until=2026-05-01", "since=2026-05-01T02:00:01&until=2026-05-01T00:00:00Z",
     "until=0001-01-01T00:00:00%2B14:00", "since=%00"],
)  # fmt: skip
async def test_a_window_that_is_none_is_400(client: httpx2.AsyncClient, window: str) -> None:
    response = await client.get(f"/api/memory/funnel/Mio?{window}")
    assert response.status_code == 400
    assert isinstance(response.json()["detail"], str)


def test_the_clock_of_these_tests_is_two_hours_ahead() -> None:
    assert datetime.fromisoformat("2026-05-04T08:00:00Z") == MORNING
