"""Reminders by the dozen: passes with an end, the order of sending, and whom they belong to."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import Any

import pytest

from tests.dialects.statecore.conftest import Client, World


def due(world: World, seconds: float) -> str:
    at = (world.clock.now() + timedelta(seconds=seconds)).astimezone(UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def statuses(me: Client) -> list[str]:
    return [one["status"] for one in (await me.get("/reminders?limit=100"))["items"]]


async def test_a_pass_has_an_end_and_the_next_one_goes_on(world: World, me: Client) -> None:
    scope = await me.scope()
    for number in range(205):
        await me.post("/reminders", {"scopeId": scope, "dueAt": due(world, 10 + number), "text": str(number)})
    world.clock.advance(1000)
    await world.engine.due.tick()
    sent = (await me.get("/reminders?status=sent&limit=100"))["items"]
    assert [one["text"] for one in sent] == [str(number) for number in range(100)]
    # four times fifty in one pass, and the latest are left
    left = (await me.get("/reminders?status=scheduled&limit=100"))["items"]
    assert [one["text"] for one in left] == ["200", "201", "202", "203", "204"]
    await world.engine.due.tick()
    assert (await me.get("/reminders?status=scheduled"))["items"] == []


async def test_what_is_not_due_waits(world: World, me: Client) -> None:
    await me.post("/reminders", {"dueAt": due(world, 60), "text": "later"})
    await me.post("/reminders", {"dueAt": due(world, 0), "text": "now"})
    assert await statuses(me) == ["sent", "scheduled"]
    world.clock.advance(59)
    await world.engine.due.tick()
    assert await statuses(me) == ["sent", "scheduled"]
    world.clock.advance(1)
    await world.engine.due.tick()
    assert await statuses(me) == ["sent", "sent"]


async def test_a_cancelled_one_is_never_sent(world: World, me: Client) -> None:
    made = await me.post("/reminders", {"dueAt": due(world, 60), "text": "x"})
    assert await me.post(f"/reminders/{made['id']}/cancel") == {"ok": True}
    world.clock.advance(120)
    await world.engine.due.tick()
    assert await statuses(me) == ["cancelled"]


async def test_the_same_reminder_twice_is_two(world: World, me: Client) -> None:
    body = {"dueAt": due(world, 60), "text": "x"}
    first, second = [await me.post("/reminders", body) for _ in range(2)]
    assert first["id"] != second["id"]
    assert len(await statuses(me)) == 2


async def test_reminders_of_several_scopes_are_one_list_and_only_the_owners(
    world: World, me: Client, other: Client
) -> None:
    scopes = [await me.scope(str(number)) for number in range(3)]
    for number, scope in enumerate([*scopes, None]):
        await me.post("/reminders", {"scopeId": scope, "dueAt": due(world, 100 - number), "text": str(number)})
    await other.post("/reminders", {"dueAt": due(world, 1), "text": "theirs"})
    listed = (await me.get("/reminders"))["items"]
    assert [(one["text"], one["scopeId"]) for one in listed] == [
        ("3", None), ("2", scopes[2]), ("1", scopes[1]), ("0", scopes[0]),
    ]  # fmt: skip
    assert [one["text"] for one in (await other.get("/reminders"))["items"]] == ["theirs"]


async def test_equal_times_are_ordered_by_id(world: World, me: Client) -> None:
    made = [(await me.post("/reminders", {"dueAt": due(world, 60), "text": "x"}))["id"] for _ in range(6)]
    assert [one["id"] for one in (await me.get("/reminders"))["items"]] == sorted(made)


async def test_many_due_in_scopes_that_nobody_opened_are_all_sent(world: World) -> None:
    me = world.client()
    for number in range(12):        # more than are looked into at once
        scope = await me.scope(str(number))
        await me.post("/reminders", {"scopeId": scope, "dueAt": due(world, 60), "text": str(number)})
    await world.restart()
    world.clock.advance(120)
    assert world.engine.spaces.open_spaces == []
    await world.engine.due.tick()
    assert await statuses(world.client()) == ["sent"] * 12


async def test_the_lost_catalogue_costs_no_reminder(world: World) -> None:
    me = world.client()
    scope = await me.scope()
    await me.post("/reminders", {"scopeId": scope, "dueAt": due(world, 60), "text": "call"})
    await world.stop()
    (world.root / "catalogue.db").unlink()
    await world.start()
    assert [one["text"] for one in (await world.client().get("/reminders"))["items"]] == ["call"]


@pytest.mark.parametrize(
    "wrong", [{"text": ""}, {"text": None}, {"dueAt": None}, {"scopeId": "no id"}, {"scopeId": 5}]
)
async def test_a_reminder_that_is_not_as_published_is_refused(world: World, me: Client, wrong: dict[str, Any]) -> None:
    answer = await me.post("/reminders", {"dueAt": due(world, 60), "text": "x", **wrong}, 400)
    assert [one["path"] for one in answer["details"]] == [list(wrong)]
    assert await statuses(me) == []


async def test_a_wrong_status_is_refused_in_the_usual_form(me: Client) -> None:
    answer = await me.get("/reminders?status=SENT", 400)
    assert (answer["error"], answer["details"][0]["path"]) == ("Validation failed", ["status"])


async def test_a_reminder_of_a_character_is_kept_with_it(world: World, me: Client) -> None:
    async with world.engine.spaces.use("Mia", create=True) as space, space.journal.write() as batch:
        batch.add("space.created", {})
    made = await me.post("/reminders", {"scopeId": "character:Mia", "dueAt": due(world, 60), "text": "call"})
    assert (await me.get("/reminders"))["items"] == [made]
    await me.delete("/scopes/character:Mia")
    assert (await me.get("/reminders"))["items"] == []
