"""Vectors are made in the background: for whom, in which order, and what holds it up."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest

from memory.embed import embed
from memory.engine import Engine
from memory.models.embedder import Purpose, Vectors
from memory.store import layout
from memory.store.files import Disk
from tests.conftest import OpenEngine
from tests.fakes import FixedClock, WordEmbedder
from tests.memory.embedders import Fickle, with_vectors
from tests.memory.remembered import NAME, answer, learn_all, say

P = ParamSpec("P")
T = TypeVar("T")


@pytest.fixture
def model() -> Fickle:
    return Fickle()


async def vectors_of(engine: Engine, name: str = NAME) -> list[str]:
    async with engine.spaces.use(name) as space:
        return with_vectors(space)


async def test_every_turn_and_fact_gets_one_and_nothing_is_pending(open_engine: OpenEngine, model: Fickle) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, "I live in Lisbon.", "Good morning")
    await learn_all(engine)
    assert engine.backfill.pending > 0
    await engine.backfill.tick()
    assert engine.backfill.pending == 0
    kinds = sorted(name.partition("_")[0] for name in await vectors_of(engine))
    assert kinds == ["fact", "turn", "turn"]


async def test_nothing_is_embedded_twice(open_engine: OpenEngine, model: Fickle) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, "one")
    await engine.backfill.tick()
    await say(engine, "two")
    await engine.backfill.tick()
    await engine.backfill.tick()
    assert model.passages == ["one", "two"]


async def test_the_newest_come_first(open_engine: OpenEngine, model: Fickle) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, *(f"message {number}" for number in range(100)))
    await engine.backfill.tick()
    assert model.batches[0][:2] == ("message 99", "message 98")
    assert sorted(model.passages) == sorted(f"message {number}" for number in range(100))
    assert max(map(len, model.batches)) <= 32


async def test_another_model_means_everything_anew(open_engine: OpenEngine, model: Fickle) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, "one", "two")
    await engine.backfill.tick()
    model.become("words:2")
    assert engine.backfill.pending == 0         # nobody has looked yet
    await engine.backfill.tick()
    assert sorted(model.passages) == ["one", "one", "two", "two"]
    async with engine.spaces.use(NAME) as space:
        assert space.library.vectors.fingerprint == "words:2"


class Changing(Fickle):
    """Becomes another model while it embeds."""

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors | None:
        rows = await super().embed(texts, purpose=purpose)
        self.become("words:2")
        return rows


async def test_a_model_that_changes_while_it_works_gives_nothing_to_keep(open_engine: OpenEngine) -> None:
    model = Changing()
    engine = await open_engine(embedder=model)
    await say(engine, "one")
    async with engine.spaces.use(NAME) as space:
        assert await embed(space, engine.cast.names(NAME), model, 10) is None
        assert with_vectors(space) == []


async def test_characters_that_nobody_uses_are_visited_too_and_closed_again(
    open_engine: OpenEngine, model: Fickle
) -> None:
    first = await open_engine()
    for name in ("Ann", "Ben", "Cleo"):
        await say(first, f"I am {name}", name=name)
    await first.close()
    engine = await open_engine(embedder=model)
    await engine.backfill.tick()
    assert sorted(model.passages) == ["I am Ann", "I am Ben", "I am Cleo"]
    assert engine.spaces.open_spaces == []


class BusyDisk(Disk):
    """Counts what it is asked to do."""

    jobs = 0

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        self.jobs += 1
        return await super().run(function, *args, **kwargs)


async def test_each_of_them_is_visited_once(open_engine: OpenEngine, model: Fickle) -> None:
    first = await open_engine()
    await say(first, "hello", name="Ann")
    await first.close()
    disk = BusyDisk()
    engine = await open_engine(embedder=model, disk=disk)
    await engine.backfill.tick()
    disk.jobs = 0
    await engine.backfill.tick()
    assert disk.jobs == 0


async def test_a_claimed_character_is_left_alone(open_engine: OpenEngine, model: Fickle) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, "one")
    engine.claims.register(NAME, "token", None, hold=False)
    await engine.backfill.tick()
    assert model.passages == []
    engine.claims.withdraw(NAME, "token")
    await engine.backfill.tick()
    assert model.passages == ["one"]


async def test_nothing_is_made_while_storage_is_closed(open_engine: OpenEngine, model: Fickle) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, "one")
    engine.gate.blocked = True
    await engine.backfill.tick()
    assert model.passages == []


async def test_a_release_does_not_wait_for_a_model_that_hangs(open_engine: OpenEngine, model: Fickle) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, "one")
    model.hanging = True
    working = asyncio.create_task(engine.backfill.tick())
    async with asyncio.timeout(5):
        await model.waiting.wait()
    async with asyncio.timeout(5), engine.spaces.closed(NAME):
        assert engine.spaces.open_spaces == []
    await working


async def test_a_text_that_changes_while_its_vector_is_made_gets_another(
    open_engine: OpenEngine, model: Fickle
) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, "one")
    async with engine.spaces.use(NAME) as space:
        await space.library.look_for_vectors("words:1", 64, engine.cast.names(NAME))
        taken = space.library.vectors.next(10, lambda text: True)
        rows = await model.embed([one.text for one in taken], purpose="passage")
        assert rows is not None
        taken[0].source.wanting[taken[0].id] = "something else"
        taken[0].source.fill(taken, rows)
        assert with_vectors(space) == []
        assert space.library.vectors.wanting == 1


async def test_an_embedder_that_is_switched_off_leaves_nothing_pending(engine: Engine) -> None:
    await say(engine, "one")
    await engine.backfill.tick()
    assert engine.backfill.pending == 0


async def test_the_model_is_loaded_before_the_first_question_where_all_vectors_are_there(
    open_engine: OpenEngine, model: Fickle
) -> None:
    first = await open_engine(embedder=WordEmbedder())
    await say(first, "one")
    await first.backfill.tick()
    await first.close()
    model.state = "init"        # as a model that is loaded when somebody wants it
    engine = await open_engine(embedder=model)
    async with engine.spaces.use(NAME):
        await engine.backfill.tick()
    assert model.asked == [()]


async def test_an_erased_last_turn_does_not_keep_it_busy(open_engine: OpenEngine, model: Fickle) -> None:
    engine = await open_engine(embedder=model)
    turns = await say(engine, "one", "two")
    await answer(engine, "three")
    async with engine.spaces.use(NAME) as space, space.journal.write() as batch:
        batch.add("turns.erased", {"rows": [2, 3], "ids": [turns[1], "turn_3"]})
    await engine.backfill.tick()
    assert engine.backfill.pending == 0


async def test_a_model_that_failed_is_tried_again_where_all_vectors_are_there(
    open_engine: OpenEngine, model: Fickle
) -> None:
    first = await open_engine(embedder=WordEmbedder())
    await say(first, "one")
    await first.backfill.tick()
    await first.close()
    model.fail("out of memory")
    engine = await open_engine(embedder=model)
    async with engine.spaces.use(NAME):
        await engine.backfill.tick()
    assert model.asked == [()]


async def test_a_switched_off_model_has_nothing_pending_though_texts_lack_vectors(
    open_engine: OpenEngine, model: Fickle
) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, "one")
    async with engine.spaces.use(NAME):
        assert engine.backfill.pending == 1
        model.state = "disabled"
        assert engine.backfill.pending == 0


async def test_which_spaces_there_are_is_looked_up_once_a_minute(
    open_engine: OpenEngine, model: Fickle, clock: FixedClock, root: Path
) -> None:
    engine = await open_engine(embedder=model)
    await engine.backfill.tick()
    other = await open_engine()         # somebody who puts a directory there behind our back
    await say(other, "I am Ann", name="Ann")
    await other.close()
    await engine.backfill.tick()
    assert model.passages == []
    clock.advance(60)
    await engine.backfill.tick()
    assert model.passages == ["I am Ann"]


async def test_what_is_gone_is_no_longer_counted(
    open_engine: OpenEngine, model: Fickle, clock: FixedClock, root: Path
) -> None:
    first = await open_engine()
    await say(first, "one")
    await first.close()
    model.fail("out of memory")         # so that the text stays without a vector
    engine = await open_engine(embedder=model)
    await engine.backfill.tick()
    await engine.spaces.put_away(NAME)
    assert engine.backfill.pending == 1
    shutil.rmtree(root / layout.MEMORY / NAME)
    clock.advance(60)
    await engine.backfill.tick()
    assert engine.backfill.pending == 0
