"""Webhooks: where they may point, what is delivered there and how it is signed, and what becomes of failures."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import json
import shutil
import stat
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from memory import dead_letters
from memory.clock import Clock
from memory.courier import HttpCourier
from memory.engine import Engine
from memory.settings import Settings
from memory.space import MemorySpace
from memory.state.webhook import Ip
from memory.state.webhooks import AT_ONCE
from memory.store import layout
from memory.tenancy import character_id, resolve_scope, user_of
from tests.dialects.statecore.conftest import LOCAL, Client, World
from tests.dialects.statecore.receiver import Message, Receiver
from tests.fakes import ScriptedChat

ME = user_of(f"local:{LOCAL}", is_local=True)
PAST = "2026-05-04T07:00:00Z"       # an hour before the tests' morning


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver().serving() as made:
        yield made


@pytest.fixture
def me(world: World) -> Client:
    return world.client(prefix="")


async def point(client: Client, scope: str, url: Any, status: int = 200) -> Any:
    answer = await client.ask("PATCH", f"/scopes/{scope}/webhook", {"notificationWebhook": url})
    assert answer.status_code == status, answer.text
    return answer.json()


async def remind(client: Client, scope: str | None, text: str, due: str = PAST) -> str:
    return str((await client.post("/reminders", {"scopeId": scope, "dueAt": due, "text": text}))["id"])


async def perform(world: World, scope: str) -> None:
    async with world.engine.spaces.use(space_of(world, scope)) as space:
        await world.engine.worker.perform_all(space)


def space_of(world: World, scope: str) -> str:
    return resolve_scope(world.engine, ME, scope).space


async def owed(world: World, scope: str) -> list[str]:
    async with world.engine.spaces.use(space_of(world, scope)) as space:
        return [op.kind for op in space.outbox.pending.values()]


def signed_right(message: Message, root: Path) -> bool:
    secret = (root / layout.CONFIG / layout.WEBHOOK_SECRET).read_bytes().strip()
    told = message.headers["x-webhook-timestamp"].encode() + b"." + message.body
    return message.headers["x-webhook-signature"] == "sha256=" + hmac.new(secret, told, hashlib.sha256).hexdigest()


# what is delivered


async def test_a_due_reminder_is_delivered_signed(world: World, me: Client, receiver: Receiver) -> None:
    scope = await me.scope()
    assert await point(me, scope, receiver.url) == {"ok": True}
    await remind(me, scope, "call Ann – “now”")
    assert (await me.get("/reminders"))["items"][0]["status"] == "sent"    # before anybody was told
    assert receiver.messages == []
    await perform(world, scope)
    [message] = receiver.messages
    assert message.line == "POST /hook?for=me HTTP/1.1"
    assert message.told == {"scopeId": scope, "reminders": ["call Ann – “now”"]}
    assert message.headers["content-type"] == "application/json"
    assert message.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert message.headers["x-webhook-timestamp"] == str(int(world.clock.now().timestamp()))
    assert signed_right(message, world.root)
    assert "x-user-id" not in message.headers


async def test_the_key_is_the_owners_alone_and_stays(world: World, me: Client, receiver: Receiver) -> None:
    scope = await me.scope()
    await point(me, scope, receiver.url)
    await remind(me, scope, "one")
    await perform(world, scope)
    path = world.root / layout.CONFIG / layout.WEBHOOK_SECRET
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    secret = path.read_bytes()
    path.chmod(0o644)
    await world.restart()
    me = world.client(prefix="")
    await remind(me, scope, "two")
    await perform(world, scope)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (secret, 0o600)
    assert all(signed_right(one, world.root) for one in receiver.messages)


async def test_what_was_delivered_is_not_delivered_again(world: World, me: Client, receiver: Receiver) -> None:
    scope = await me.scope()
    await point(me, scope, receiver.url)
    await remind(me, scope, "one")
    await perform(world, scope)
    await world.restart()
    await world.engine.due.tick()
    await perform(world, scope)
    assert len(receiver.messages) == 1


async def test_a_scope_without_webhook_owes_nothing(world: World, me: Client, receiver: Receiver) -> None:
    silent, told, removed = await me.scope(), await me.scope(), await me.scope()
    for scope in (told, removed):
        await point(me, scope, receiver.url)
    await point(me, removed, None)
    for place in (silent, removed, None):
        await remind(me, place, "x")
    assert await owed(world, silent) == await owed(world, removed) == []


async def test_a_webhook_that_is_removed_gets_nothing_that_is_still_owed(
    world: World, me: Client, receiver: Receiver
) -> None:
    scope = await me.scope()
    await point(me, scope, receiver.url)
    await remind(me, scope, "x")
    await point(me, scope, None)
    await perform(world, scope)
    assert (receiver.messages, await owed(world, scope)) == ([], [])


async def test_a_reminder_that_is_cancelled_is_not_delivered(world: World, me: Client, receiver: Receiver) -> None:
    scope = await me.scope()
    await point(me, scope, receiver.url)
    reminder = await remind(me, scope, "x", "2026-05-04T09:00:00Z")
    await me.post(f"/reminders/{reminder}/cancel")
    world.clock.advance(7_200)
    await world.engine.due.tick()
    assert await owed(world, scope) == []


async def test_many_reminders_come_in_messages_of_bounded_size(world: World, me: Client, receiver: Receiver) -> None:
    scope = await me.scope()
    await point(me, scope, receiver.url)
    for number in range(AT_ONCE + 1):
        await remind(me, scope, f"{number} " + "语" * 50_000, "2026-05-04T09:00:00Z")
    world.clock.advance(7_200)
    await world.engine.due.tick()
    await perform(world, scope)
    assert [len(one.told["reminders"]) for one in receiver.messages] == [AT_ONCE, 1]
    assert max(len(one.body) for one in receiver.messages) <= 256 * 1024
    heard = [text.partition(" ")[0] for one in receiver.messages for text in one.told["reminders"]]
    assert sorted(heard, key=int) == [str(number) for number in range(AT_ONCE + 1)]


async def test_a_character_may_have_a_webhook(world: World, me: Client, receiver: Receiver) -> None:
    async with world.engine.spaces.use("Mia", create=True) as space, space.journal.write() as batch:
        batch.add("space.created", {})
    await point(me, "character:Mia", receiver.url)
    await remind(me, "character:Mia", "x")
    await perform(world, "character:Mia")
    assert receiver.messages[0].told["scopeId"] == character_id("Mia")


async def test_what_a_model_says_today_is_delivered(world: World, me: Client, receiver: Receiver) -> None:
    await world.stop()
    await world.start(chat=ScriptedChat(json.dumps({"reminders": ["Call your sister."]})))
    me = world.client(prefix="")
    scope = await me.scope(template="health", goal="walk more")
    await point(me, scope, receiver.url)
    async with world.engine.spaces.use(space_of(world, scope)) as space, space.journal.write() as batch:
        row = {"id": "digest_1", "summary": "s", "created": world.clock.now().isoformat()}
        batch.add("digest.committed", {"digest": row})
    await world.engine.upkeep.tick()
    await perform(world, scope)
    assert receiver.messages[0].told == {"scopeId": scope, "reminders": ["Call your sister."]}


# what survives


async def test_what_is_owed_survives_a_crash_and_holds_no_text(
    world: World, me: Client, receiver: Receiver, tmp_path: Path
) -> None:
    scope = await me.scope()
    await point(me, scope, receiver.url)
    await remind(me, scope, "swordfish")
    async with world.engine.spaces.use(space_of(world, scope)) as space:
        await space.save()
        assert b"swordfish" not in (space.directory / layout.OUTBOX).read_bytes()
        left = tmp_path / "left"
        shutil.copytree(world.root, left)           # as a crash leaves it
    engine = await Engine.open(
        Settings(data_root=left, background=False), clock=world.clock, courier=HttpCourier(left, {}, world.clock)
    )
    async with engine.spaces.use(space_of(world, scope)) as space:
        assert [one.status for one in space.views.reminders] == ["sent"]
        await engine.worker.perform_all(space)
    await engine.close()
    assert [one.told["reminders"] for one in receiver.messages] == [["swordfish"]]


async def test_sent_and_owed_are_one_commit(world: World, me: Client, receiver: Receiver) -> None:
    scope = await me.scope()
    await point(me, scope, receiver.url)
    await remind(me, scope, "x")
    async with world.engine.spaces.use(space_of(world, scope)) as space:
        lines = [json.loads(line) for line in (space.directory / layout.EVENTS).read_bytes().splitlines()]
    [line] = [line for line in lines if line["type"] == "reminder.sent"]
    assert line["commit"] is True
    assert "webhook" in json.dumps(line["owed"])


async def test_a_deleted_scope_is_told_of_nowhere(world: World, me: Client, receiver: Receiver) -> None:
    scope = await me.scope()
    await point(me, scope, receiver.url)
    await remind(me, scope, "swordfish")
    await me.delete(f"/scopes/{scope}")
    assert receiver.messages == []
    for path in world.root.rglob("*"):
        assert not path.is_file() or b"swordfish" not in path.read_bytes(), path


async def test_a_receiver_that_hangs_does_not_keep_a_scope_from_being_deleted(world: World, me: Client) -> None:
    async with Receiver(None).serving() as hanging:
        scope = await me.scope()
        await point(me, scope, hanging.url)
        await remind(me, scope, "x")
        working = asyncio.create_task(perform(world, scope))
        async with asyncio.timeout(5):
            await hanging.waiting.wait()
            await me.delete(f"/scopes/{scope}")
            await working


# what fails


async def letters(world: World, scope: str) -> list[tuple[str, str]]:
    async with world.engine.spaces.use(space_of(world, scope)) as space:
        return [(one.job, one.reason) for one in await dead_letters.letters(space)]


async def test_a_refusal_is_tried_again_after_a_pause_under_the_same_name(world: World, me: Client) -> None:
    async with Receiver(500, 404, 200).serving() as receiver:
        scope = await me.scope()
        await point(me, scope, receiver.url)
        await remind(me, scope, "x")
        await perform(world, scope)
        await me.event(scope, "something else happens")
        await perform(world, scope)                 # it is not its time yet
        assert len(receiver.messages) == 1
        for pause in (2, 8):
            world.clock.advance(pause)
            await perform(world, scope)
        assert len(receiver.messages) == 3
        assert len({one.headers["x-webhook-delivery"] for one in receiver.messages}) == 1
        assert await owed(world, scope) == []


async def test_what_is_never_taken_is_given_up_and_can_be_tried_again(world: World, me: Client) -> None:
    async with Receiver(*[503] * 8, 200).serving() as receiver:
        scope = await me.scope()
        await point(me, scope, receiver.url)
        await remind(me, scope, "x")
        for _ in range(12):
            await perform(world, scope)
            world.clock.advance(600)
        assert len(receiver.messages) == 8
        assert (await letters(world, scope), await owed(world, scope)) == ([("webhook", "NotDelivered")], [])
        async with world.engine.spaces.use(space_of(world, scope)) as space:
            assert await dead_letters.retry(space) == 1
            await world.engine.worker.perform_all(space)
        assert receiver.messages[-1].told["reminders"] == ["x"]
        assert await letters(world, scope) == []


async def test_a_redirect_is_not_followed(world: World, me: Client, receiver: Receiver) -> None:
    async with Receiver(307, location=receiver.url).serving() as moved:
        scope = await me.scope()
        await point(me, scope, moved.url)
        await remind(me, scope, "x")
        await perform(world, scope)
        assert (len(moved.messages), receiver.messages) == (1, [])
        assert await owed(world, scope) == ["webhook"]


async def test_nobody_at_the_address_is_a_failure_like_another(world: World, me: Client) -> None:
    async with Receiver().serving() as gone:
        url = gone.url
    scope = await me.scope()
    await point(me, scope, url)
    await remind(me, scope, "x")
    await perform(world, scope)
    assert await owed(world, scope) == ["webhook"]


async def test_no_proxy_is_asked(
    world: World, me: Client, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    scope = await me.scope()
    await point(me, scope, receiver.url)
    await remind(me, scope, "x")
    await perform(world, scope)
    assert len(receiver.messages) == 1


# where one may point


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9/", "https://127.9.9.9", "http://[::1]:80/x", "http://localhost:8080/hook",
        "http://LOCALHOST./", "http://[::ffff:127.0.0.1]/",
    ],
)  # fmt: skip
async def test_this_machine_may_be_told(me: Client, url: str) -> None:
    assert await point(me, await me.scope(), url) == {"ok": True}


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.1/", "http://192.168.1.1/", "http://169.254.169.254/latest/meta-data", "http://0.0.0.0/",
        "http://[::]/", "http://[fe80::1]/", "http://[fd00::1]/", "http://[::ffff:10.0.0.1]/", "http://1.1.1.1/",
        "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://example.com/", "http://127.1/",
        "http://2130706433/", "http://0x7f000001/", "http://localhost.example.com/", "http://127.0.0.1.example.com/",
        "http://[fe80::1%25eth0]/", "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "//127.0.0.1/",
        "127.0.0.1", "http://", "http:///x", "http://user:pass@127.0.0.1/", "http://127.0.0.1@example.com/",
        "http://127.0.0.1:0/", "http://127.0.0.1:99999/", "http://127.0.0.1:x/", "http://[::1/", "",
        "http://127.0.0.1/ x", "http://127.0.0.1/\r\nHost: x", "http://127.0.0.1\\@example.com/", "http://１２７.0.0.1/",
        "http://127.0.0.1/" + "x" * 2_048,
    ],
)  # fmt: skip
async def test_anything_else_is_refused_with_a_sentence(world: World, me: Client, url: str) -> None:
    scope = await me.scope()
    answer = await point(me, scope, url, 400)
    assert answer["error"].startswith("notificationWebhook: ")
    assert len(answer["error"]) < 200
    async with world.engine.spaces.use(space_of(world, scope)) as space:
        assert space.views.errands.webhook is None


@pytest.mark.parametrize("body", [{}, {"notificationWebhook": 7}, {"notificationWebhook": ["http://127.0.0.1"]}])
async def test_a_body_without_an_address_is_refused(me: Client, body: Any) -> None:
    answer = await me.ask("PATCH", f"/scopes/{await me.scope()}/webhook", body)
    assert (answer.status_code, answer.json()["error"]) == (400, "Validation failed")


# Addresses in which networks carry one of IPv4: here that of this machine, and a private one.
CARRIED = ("64:ff9b::7f00:1", "2002:7f00:1::", "64:ff9b::a00:5", "::ffff:10.0.0.5", "ff0e::1")


class Names:
    """Answers instead of a name server."""

    def __init__(self, **hosts: str) -> None:
        self.hosts = {name.replace("_", "."): found.split() for name, found in hosts.items()}

    async def __call__(self, host: str, port: int) -> Sequence[Ip]:
        return [ipaddress.ip_address(one) for one in self.hosts[host]]


async def allowing(world: World, names: Names, *, toml: str = "", variable: str = "") -> Client:
    """The server started anew, by an operator who allows something."""
    await world.stop()
    write_toml(world, toml)
    await world.start(courier=courier(world.root, world.clock, names, variable))
    return world.client(prefix="")


def courier(root: Path, clock: Clock, names: Names, variable: str) -> HttpCourier:
    return HttpCourier(root, {"WEBHOOK_ALLOW": variable}, clock, resolve=names)


def write_toml(world: World, text: str) -> None:
    path = world.root / layout.CONFIG / layout.WEBHOOKS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


async def test_an_allowed_name_may_be_told_and_no_other(world: World) -> None:
    names = Names(hooks_example_com="93.184.216.34 2606:2800:220:1::1", other_example_com="93.184.216.34")
    me = await allowing(world, names, toml='allow = ["Hooks.example.com"]')
    scope = await me.scope()
    assert await point(me, scope, "https://hooks.example.com/x") == {"ok": True}
    assert "not allowed" in (await point(me, scope, "https://other.example.com/x", 400))["error"]


async def test_an_allowed_name_may_be_bound_to_a_port(world: World) -> None:
    me = await allowing(world, Names(hooks_example_com="93.184.216.34"), variable=" hooks.example.com:8443 ,")
    scope = await me.scope()
    assert await point(me, scope, "https://hooks.example.com:8443/") == {"ok": True}
    await point(me, scope, "https://hooks.example.com/", 400)


@pytest.mark.parametrize(
    "found", ["10.0.0.5", "127.0.0.1", "93.184.216.34 10.0.0.5", "169.254.169.254", "", "::1", *CARRIED]
)
async def test_an_allowed_name_at_a_private_address_is_refused(world: World, found: str) -> None:
    me = await allowing(world, Names(hooks_example_com=found), toml='allow = ["hooks.example.com"]')
    await point(me, await me.scope(), "http://hooks.example.com/", 400)


async def test_a_private_address_that_is_allowed_may_be_told(world: World) -> None:
    names = Names(nas_lan="192.168.1.20")
    me = await allowing(world, names, toml='allow = ["nas.lan", "192.168.1.0/24", "fd00::/8"]')
    scope = await me.scope()
    for url in ("http://nas.lan/", "http://192.168.1.7:9000/", "http://[fd00::5]/"):
        assert await point(me, scope, url) == {"ok": True}
    await point(me, scope, "http://192.168.2.7/", 400)


async def test_the_address_that_was_checked_is_the_one_that_is_asked(world: World, receiver: Receiver) -> None:
    names = Names(hooks_example_com="127.0.0.1")
    me = await allowing(world, names, toml='allow = ["hooks.example.com", "127.0.0.1"]')
    scope = await me.scope()
    await point(me, scope, f"http://hooks.example.com:{receiver.port}/hook")
    await remind(me, scope, "x")
    await perform(world, scope)
    assert receiver.messages[0].headers["host"] == f"hooks.example.com:{receiver.port}"


async def test_a_name_that_moves_to_a_private_address_is_not_asked_there(world: World, receiver: Receiver) -> None:
    names = Names(hooks_example_com="93.184.216.34")
    me = await allowing(world, names, toml='allow = ["hooks.example.com"]')
    scope = await me.scope()
    await point(me, scope, f"http://hooks.example.com:{receiver.port}/")
    names.hosts["hooks.example.com"] = ["127.0.0.1"]
    await remind(me, scope, "x")
    await perform(world, scope)
    assert (receiver.messages, await owed(world, scope)) == ([], ["webhook"])


async def test_what_is_no_longer_allowed_is_not_told(world: World, receiver: Receiver) -> None:
    names = Names(hooks_example_com="127.0.0.1")
    me = await allowing(world, names, toml='allow = ["hooks.example.com", "127.0.0.1"]')
    scope = await me.scope()
    await point(me, scope, f"http://hooks.example.com:{receiver.port}/")
    write_toml(world, "allow = []")
    await remind(me, scope, "x")
    await perform(world, scope)
    assert receiver.messages == []


@pytest.mark.parametrize("text", ["allow = [", 'allow = "x"', "allow = [1]", 'allow = ["http://x/y"]', "\xff"])
async def test_a_file_that_nobody_understands_allows_nothing_new(world: World, text: str) -> None:
    names = Names(hooks_example_com="93.184.216.34")
    me = await allowing(world, names, toml='allow = ["hooks.example.com"]')
    scope = await me.scope()
    await point(me, scope, "http://hooks.example.com/")
    write_toml(world, text)
    await point(me, scope, "http://hooks.example.com/2")
    await world.stop()
    await world.start(courier=courier(world.root, world.clock, names, "no%thing"))
    me = world.client(prefix="")
    await point(me, scope, "http://hooks.example.com/3", 400)


async def test_an_address_that_somebody_wrote_into_the_file_is_checked_too(
    world: World, me: Client, receiver: Receiver
) -> None:
    scope = await me.scope()
    await point(me, scope, receiver.url)
    async with world.engine.spaces.use(space_of(world, scope)) as space:
        await space.save()
        (space.directory / layout.ERRANDS).write_text('{"webhook": "http://10.0.0.1/"}', "utf-8")
    await remind(me, scope, "x")
    async with world.engine.spaces.use(space_of(world, scope)) as space:
        assert space.views.errands.webhook == "http://10.0.0.1/"
        await world.engine.worker.perform_all(space)
        assert await pending(space) == ["webhook"]


async def pending(space: MemorySpace) -> list[str]:
    return [op.kind for op in space.outbox.pending.values()]
