"""A life of notes, documents, reminders and forgetting that breaks off at any point: old or new, never half."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from memory import tenancy
from memory.engine import Engine
from memory.forget import forget
from memory.ids import RandomIds
from memory.settings import Settings
from memory.space import MemorySpace
from memory.state import notes, registry, remind
from memory.state.events import Arriving, add_event
from memory.state.facets import PACKS
from memory.state.reminders import CANCELLED, SENT
from memory.store.events import decode
from memory.store.files import Disk
from memory.tenancy import NewScope, user_of
from tests.crash.evidence import committed_events, contents
from tests.fakes import FixedClock

USER = user_of("local:me", is_local=True)
PACK = PACKS["project"]
DUE = 60.0      # seconds after the beginning


class Snapshots:
    """Copies the root at each passing of a named point, as a crash there would leave it."""

    def __init__(self, root: Path, into: Path) -> None:
        self.taken: list[tuple[str, Path]] = []
        self._root = root
        self._into = into
        self._last: dict[Path, bytes] | None = None

    def __call__(self, point: str) -> None:
        files = {path: path.read_bytes() for path in sorted(self._root.rglob("*")) if path.is_file()}
        if files == self._last:
            return      # nothing new that a crash could leave
        self._last = files
        copy = self._into / f"{len(self.taken):04d}"
        shutil.copytree(self._root, copy)
        self.taken.append((point, copy))


async def live(root: Path, disk: Disk, clock: FixedClock) -> str:
    """Returns the id of the scope. Saves only where told, so that nothing moves while files are copied."""
    engine = await Engine.open(
        Settings(data_root=root, background=False, save_delay=3_600.0), clock=clock, ids=RandomIds(), disk=disk
    )
    wanted = NewScope(name="Demo", goal=None, stage="idea", template="project")
    card = await tenancy.create_scope(engine, USER, wanted)
    async with tenancy.using(engine, USER, card.id) as (_, space):
        await add_event(space, Arriving(content="old text", type="document", key="spec"))
        await add_event(space, Arriving(content="new text", type="document", key="spec"))
        await notes.note(space, "The spare key hangs behind the clock.", PACK)
        await notes.hand_over(space, "stopped here")
        now = clock.now()
        for text in ("first", "second"):
            await remind.schedule(space, USER.id, text, now + timedelta(seconds=DUE))
        made = await remind.schedule(space, USER.id, "cancelled", now + timedelta(seconds=DUE))
        assert await remind.cancel(space, made.id, USER.id)
        await space.save()
        clock.advance(DUE)
        await remind.send_due(space)
        await space.save()
        await forget(space, lambda: registry.active(space))
        await space.save()
    await engine.close()
    return card.id


@pytest.fixture
async def snapshots(tmp_path: Path) -> tuple[Snapshots, str]:
    root = tmp_path / "root"
    taken = Snapshots(root, tmp_path / "copies")
    root.mkdir()
    scope = await live(root, Disk(taken), FixedClock())
    return taken, scope


async def test_wherever_it_breaks_off_the_state_is_whole_and_every_reminder_is_sent_once(
    snapshots: tuple[Snapshots, str],
) -> None:
    taken, scope = snapshots
    assert len(taken.taken) > 40
    sent_somewhere = unsent_somewhere = False
    for point, root in taken.taken:
        clock = FixedClock()
        clock.advance(2 * DUE)
        engine = await Engine.open(Settings(data_root=root, background=False), clock=clock, ids=RandomIds())
        await engine.sweep()
        name = next((one for one in engine.spaces.scopes() if one != tenancy.ACCOUNTS), None)
        if name is not None:
            before = sent_in_journal(engine.spaces.directory(name))
            await engine.due.tick()
            after = sent_in_journal(engine.spaces.directory(name))
            sent_somewhere, unsent_somewhere = sent_somewhere or bool(before), unsent_somewhere or before != after
            assert len(after) == len(set(after)), point
            async with engine.spaces.use(name) as space:
                assert space.journal.damage is None
                check(space, point)
                assert rebuilt(space) == contents(space), point
        await engine.close()
    assert sent_somewhere
    assert unsent_somewhere
    assert scope


def sent_in_journal(directory: Path) -> list[str]:
    return [
        row["id"]
        for event in committed_events(directory)
        if event["type"] == "reminder.sent"
        for row in event["data"]["reminders"]
    ]


def check(space: MemorySpace, point: str) -> None:
    """What was acknowledged stands there whole."""
    reminders = {one.text: one.status for one in space.views.reminders}
    assert {text: status for text, status in reminders.items() if text != "cancelled"} == {
        text: SENT for text in reminders if text != "cancelled"
    }, point
    assert reminders.get("cancelled") in (None, CANCELLED, SENT), point
    documents = [note for note in space.views.event_notes if note.key == "spec"]
    assert all(len(note.turns) == 1 + len(space.views.withheld) or space.views.retired for note in documents), point
    retired = list(space.views.retired)
    assert len(space.facts) + len(retired) <= 1, point
    for one in retired:
        assert set(one.fact.sources) <= {withheld.id for withheld in space.views.withheld}, point


def rebuilt(space: MemorySpace) -> dict[str, bytes]:
    """What the journal alone makes of every view."""
    fresh = type(space.views)(space.settings, space.clock)
    for event in committed_events(space.directory):
        for view in fresh.all():
            view.fold(decode(event))
    return {view.file: b"".join(view.render()()) for view in fresh.all()}

