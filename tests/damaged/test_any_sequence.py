"""Whatever happens in whatever order: the rows are the acknowledged turns, and the journal alone tells the rest."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.engine import Engine
from memory.history import settle
from memory.history.record import Incoming
from memory.history.turn import HUMAN, Message
from memory.settings import Settings
from memory.store import layout
from tests.crash.evidence import contents
from tests.damaged.character import NAME, Character, abandon, mia_of
from tests.fakes import CountingIds, FixedClock

SENTENCES = ("I live in Porto.", "My cat is called Tama.", "I like green tea.", "I live in Lisbon.", "Hello again.")

Step = tuple[str, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["cache", "cache", "process", "settle", "learn", "save", "edit", "edit", "close", "abandon", "wait"]
        ),
        st.integers(0, 9),
    ),
    min_size=3,
    max_size=25,
)


class Life:
    """One character that lives through the steps, and what was acknowledged to her callers."""

    def __init__(self, root: Path) -> None:
        self.mia = Character(root)
        self.clock = FixedClock()
        self.said: list[str] = []
        self._root = root
        self._ids = CountingIds()
        self._engine: Engine | None = None

    async def engine(self) -> Engine:
        if self._engine is None:
            self._engine = await Engine.open(
                Settings(
                    data_root=self._root, background=False, save_delay=0.0, segment_bytes=4000, recent_trigger=6,
                    recent_keep=4, recent_owe=9,
                ),
                clock=self.clock,
                ids=self._ids,
            )  # fmt: skip
        return self._engine

    async def end(self, *, kindly: bool) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            await (engine.close() if kindly else abandon(engine))

    async def step(self, what: str, number: int) -> None:
        match what:
            case "close" | "abandon":
                await self.end(kindly=what == "close")
            case "wait":
                self.clock.advance(40)
                await asyncio.sleep(0.002)  # the saver has its turn
            case "edit":
                self._edit(number)
            case _:
                engine = await self.engine()
                async with engine.spaces.use(NAME, create=True) as space:
                    names = engine.cast.names(NAME)
                    match what:
                        case "learn":
                            await engine.worker.perform_all(space)
                        case "save":
                            await space.save()
                        case "settle":
                            await settle.settle(space, names, engine.chat, self._messages(number % 2))
                        case "process":
                            await settle.process(space, names, engine.chat, self._messages(number % 4))
                        case _:
                            await self.mia.hear(
                                engine, *(message.text for message in self._messages(1 + number % 3).messages)
                            )

    def _messages(self, count: int) -> Incoming:
        texts = [f"{SENTENCES[(len(self.said) + place) % 5]} {len(self.said) + place}" for place in range(count)]
        self.said += texts
        return Incoming(messages=[Message(kind=HUMAN, content=text) for text in texts])

    def _edit(self, number: int) -> None:
        """Another program changes the window, if there is one; or the facts."""
        path = self.mia.file(layout.RECENT if number < 7 else layout.FACTS)
        if not path.exists():
            return
        entries = self.mia.read(path.name)
        if number % 3 == 0:
            entries = entries[1:]
        elif number % 3 == 1:
            entries = [*entries[1:], *entries[:1]]
        else:
            entries = [*entries, {"type": "human", "data": {"content": f"by hand {len(self.said)}"}}]
        self.mia.edit(path.name, entries)


@given(steps=STEPS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
def test_rows_are_what_was_acknowledged_and_the_journal_alone_gives_the_same_views(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as root:
        asyncio.run(_live(Path(root), steps))


async def _live(root: Path, steps: list[Step]) -> None:
    life = Life(root)
    for what, number in steps:
        await life.step(what, number)
    if not life.said:
        await life.end(kindly=True)
        return
    engine = await life.engine()
    async with mia_of(engine) as space:
        await space.save()
        live = contents(space)
        owed = sorted(space.outbox.pending)
    await life.end(kindly=True)
    assert life.mia.stored() == life.said
    assert life.mia.said() == life.said
    for path in life.mia.directory.iterdir():
        if not path.name.startswith("events"):
            path.unlink()
    engine = await life.engine()
    async with mia_of(engine) as space:
        assert contents(space) == live
        assert sorted(space.outbox.pending) == owed
    await life.end(kindly=True)
    assert life.mia.stored() == life.said
