"""Owed work of one space has its turns: a long conversation to learn from does not keep the window from being short."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from memory.engine import Engine
from memory.history import record
from memory.history.record import Incoming
from memory.history.turn import HUMAN, Message
from memory.store.files import Disk


async def test_the_window_is_compressed_before_a_long_conversation_is_learnt_from(
    root: Path, open_engine: Callable[..., Awaitable[Engine]]
) -> None:
    reached: list[str] = []
    engine = await open_engine(disk=Disk(reached.append))
    async with engine.spaces.use("Mio", create=True) as space:
        messages = [Message(kind=HUMAN, content=f"I walked along the river {number}.") for number in range(350)]
        await record.cache(space, Incoming(messages=messages))
        await engine.worker.perform_all(space)
        assert len(space.recent.entries) == 10
        assert not space.outbox.pending
    # 350 turns are more than are learnt from in one go, so there is more than one such run, all of them afterwards.
    runs = [point for point in reached if point in ("compress.committed", "learn.committed")]
    assert runs[0] == "compress.committed"
    assert runs.count("learn.committed") > 1


async def test_turns_that_come_while_others_are_learnt_from_are_compressed_in_between(
    root: Path, open_engine: Callable[..., Awaitable[Engine]]
) -> None:
    reached: list[str] = []
    engine = await open_engine(disk=Disk(reached.append))
    async with engine.spaces.use("Mio", create=True) as space:

        async def talk(first: int, count: int) -> None:
            messages = [Message(kind=HUMAN, content=f"We spoke of letter {first + n}.") for n in range(count)]
            await record.cache(space, Incoming(messages=messages))

        await talk(0, 250)
        # Watched, not replaced: the jobs themselves are the real ones.
        worker = next(one for one in engine.worker._workers if record.POST_TURN in one._performers)
        perform = worker._performers
        learn = perform[record.POST_TURN]

        async def learn_while_more_comes(space_, op):  # type: ignore[no-untyped-def]
            if space.turns.last_row == 250:
                await talk(250, 100)
            await learn(space_, op)

        worker._performers = {**perform, record.POST_TURN: learn_while_more_comes}
        await engine.worker.perform_all(space)
        assert len(space.recent.entries) == 10
    runs = [point for point in reached if point in ("compress.committed", "learn.committed")]
    again = runs.index("compress.committed", 1)
    assert "learn.committed" in runs[:again]
    assert "learn.committed" in runs[again:]
