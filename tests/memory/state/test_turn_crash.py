"""A turn that breaks off at any point: message, answer and what is owed for them are there together, or none is."""

from __future__ import annotations

from pathlib import Path

from memory import tenancy
from memory.engine import Engine
from memory.history.record import UPDATE_WORKING
from memory.ids import RandomIds
from memory.models.chat import Tier
from memory.settings import Settings
from memory.space import MemorySpace
from memory.state.digest_jobs import DIGEST
from memory.state.turn import Asked, take_turn
from memory.store.files import Disk
from memory.tenancy import NewScope, user_of
from tests.crash.evidence import committed_events, contents
from tests.fakes import FixedClock, ScriptedChat
from tests.memory.state.test_state_crash import Snapshots, rebuilt

USER = user_of("local:me", is_local=True)
MESSAGE, ANSWER = "goal: ship\nconstraint: small", "Assistant reply: Fine."


class Agreeable(ScriptedChat):
    """A chat model that says one thing."""

    def __init__(self) -> None:
        super().__init__("Fine.", tiers=(Tier.CHAT,))

    def usable(self, tier: Tier, space: str = "") -> bool:
        return False        # digests are made by rules


async def live(root: Path, disk: Disk) -> None:
    engine = await Engine.open(
        Settings(data_root=root, background=False, save_delay=3_600.0),
        clock=FixedClock(),
        ids=RandomIds(),
        chat=Agreeable(),
        disk=disk,
    )
    wanted = NewScope(name="Demo", goal=None, stage="idea", template="project")
    card = await tenancy.create_scope(engine, USER, wanted)
    async with tenancy.using(engine, USER, card.id) as (_, space):
        done = await take_turn(space, engine.chat, Asked(message=MESSAGE))
        assert (done.tier, done.digests) == ("stable", True)
        disk.at("turn.told")
        await space.save()
        await engine.worker.perform_all(space)
        await space.save()
    await engine.close()


def owed(space: MemorySpace) -> set[str]:
    return {op.kind for op in space.outbox.pending.values()}


async def test_wherever_a_turn_breaks_off_it_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    taken = Snapshots(root, tmp_path / "copies")
    await live(root, Disk(taken))
    points = [point for point, _ in taken.taken]
    assert len(points) > 15
    told = False        # whether anybody can know of the answer at this point
    seen: set[int] = set()
    for point, copy in taken.taken:
        told = told or point == "turn.told"
        engine = await Engine.open(
            Settings(data_root=copy, background=False), clock=FixedClock(), ids=RandomIds(), chat=Agreeable()
        )
        await engine.sweep()
        name = next((one for one in engine.spaces.scopes() if one != tenancy.ACCOUNTS), None)
        if name is not None:
            async with engine.spaces.use(name) as space:
                await space.raw.refresh()
                texts = [event.text for event in reversed(space.raw.newest(10))]
                seen.add(len(texts))
                assert texts in ([], ["goal: ship", "constraint: small", ANSWER]), point
                assert not told or texts, point
                updates = [one for one in committed_events(space.directory) if one["type"] == "working.updated"]
                digests = [one for one in committed_events(space.directory) if one["type"] == "digest.committed"]
                if texts:       # what is not done is owed, and what is done is owed no more
                    assert (UPDATE_WORKING in owed(space)) == (not updates), point
                    assert (DIGEST in owed(space)) == (not digests), point
                await engine.worker.perform_all(space)
                working = space.views.working.current
                assert (working.version if working is not None else 0) == bool(texts), point
                assert len(space.views.digests) == bool(texts), point
                await space.save()
                assert rebuilt(space) == contents(space), point
        await engine.close()
    assert seen == {0, 3}
