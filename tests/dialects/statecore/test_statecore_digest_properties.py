"""What must hold of digests whatever comes: the same in gives the same out, and nothing is lost from the registry."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.facts.sameness import normal
from memory.state import registry
from memory.state.digest.classes import NOISES, TYPES, routes
from memory.state.digest.piece import Piece
from memory.state.digest_state import DigestState, from_json, to_json
from memory.state.facets import PACKS
from memory.store.files import Disk
from tests.dialects.statecore.conftest import Client, World
from tests.dialects.statecore.digest_world import digest, digesting, inside, listed, perform, said, state
from tests.dialects.statecore.tally import counted
from tests.fakes import FixedClock, ScriptedChat
from tests.memory.state.digest_pieces import BEGAN, digested, document, piece

FEW = settings(max_examples=10, deadline=None)
MANY = settings(max_examples=200, deadline=None)

_STARTS = (
    "Goal: ", "Decision: ", "Constraint: ", "TODO: ", "Risk: ", "Status: ", "", "Question: ", "done: ",
    "Decision: instead of ", "revoke the decision to use ", "决定：", "约束：", "资料 ", "fixed: ",
)  # fmt: skip
_WORDS = ("redis", "sqlite", "paper", "ink", "port 48912", "v1", "v2", "harbour", "队列", "本地存储", "不再使用", "?")
texts = st.builds(
    lambda start, words: start + " ".join(words),
    st.sampled_from(_STARTS),
    st.lists(st.sampled_from(_WORDS), max_size=5),
)


def events_of(rows: Sequence[tuple[str, bool, int, bool]]) -> list[Piece]:
    """Documents and what was said, at times that go back and forth."""
    return [
        document(number, text, f"doc{number % 3}")
        if is_document
        else piece(number, text, at=BEGAN + timedelta(minutes=at), pinned=pinned)
        for number, (text, is_document, at, pinned) in enumerate(rows, start=1)
    ]


pieces = st.lists(st.tuples(texts, st.booleans(), st.integers(-500, 500), st.booleans()), max_size=25).map(events_of)


# 1 the same in, the same out


def bytes_of(found: DigestState) -> str:
    return json.dumps(to_json(found), ensure_ascii=False)


@counted("merge")
@MANY
@given(pieces, pieces)
def test_the_same_state_and_events_give_the_same_bytes(first: list[Piece], second: list[Piece]) -> None:
    def lived() -> tuple[str, list[str]]:
        one = digested(first)
        other = digested(second, one.state)
        return bytes_of(other.state), [*other.log.lines(), *map(str, other.log.drops), *map(str, other.routed)]

    assert lived() == lived()


@counted("states written down")
@MANY
@given(pieces)
def test_a_state_that_is_written_down_is_the_same_state(found: list[Piece]) -> None:
    made = digested(found).state
    assert from_json(to_json(made)) == made
    # … in whatever order the events are handed over
    assert bytes_of(digested(found[::-1]).state) == bytes_of(made)


# 2 normal forms


@counted("normal")
@MANY
@given(st.text(max_size=60))
def test_the_normal_form_is_its_own(text: str) -> None:
    assert normal(normal(text)) == normal(text)


# 3 the registry keeps everything


async def ids_ever(world: World, scope: str) -> dict[str, str | None]:
    """Every version of every fact with what took its place."""
    async with inside(world, scope) as (_, space):
        return {entry.id: entry.superseded_by for entry in registry._versions(space).values()}


@counted("registry")
@FEW
@given(st.lists(st.lists(texts, min_size=1, max_size=6), min_size=1, max_size=4), st.booleans())
def test_no_entry_of_the_registry_ever_disappears(rounds: list[list[str]], rebuilt: bool) -> None:
    async def story() -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with digesting(Path(folder) / "root") as world:
                me = world.client()
                scope = await me.scope()
                known: set[str] = set()
                ever: dict[str, str | None] = {}
                for round_ in rounds:
                    for text in round_:
                        await me.event(scope, text or "x")
                    await digest(world, me, scope)
                    ever = await ids_ever(world, scope)
                    assert known <= ever.keys()
                    known |= ever.keys()
                if rebuilt:
                    inner = world.client(prefix="")
                    await inner.post("/memory/digest/rebuild", {"scopeId": scope})
                    await perform(world, scope)
                    ever = await ids_ever(world, scope)
                    assert known <= ever.keys()
                for own in ever:
                    seen = {own}
                    heir = ever[own]
                    while heir is not None:
                        assert heir in ever, "it resolves"
                        assert heir not in seen, "no circles"
                        seen.add(heir)
                        heir = ever[heir]

    asyncio.run(story())


# 9 a crash leaves the old or the new


class Copies:
    """Copies the root at the points between which a crash may fall."""

    def __init__(self, root: Path, into: Path) -> None:
        self.taken: list[Path] = []
        self.on = False
        self._root = root
        self._into = into
        self._last: dict[Path, bytes] = {}

    def __call__(self, point: str) -> None:
        if not self.on:
            return
        files = {path: path.read_bytes() for path in sorted(self._root.rglob("*")) if path.is_file()}
        if files != self._last:
            self._last = files
            copy = self._into / f"{len(self.taken):04d}"
            shutil.copytree(self._root, copy)
            self.taken.append(copy)


@counted("crashes")
@settings(max_examples=4, deadline=None)
@given(st.lists(texts, min_size=1, max_size=5))
def test_a_crash_at_any_point_of_a_digest_leaves_the_old_state_or_the_new_and_no_job_is_lost(said_: list[str]) -> None:
    async def story() -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "root"
            root.mkdir()
            copies = Copies(root, Path(folder) / "copies")
            world = World(root, FixedClock())
            await world.start(chat=ScriptedChat(said()), disk=Disk(copies), save_delay=3_600.0)
            me = world.client()
            scope = await me.scope()
            await me.event(scope, "Decision: keep everything on this machine")
            await digest(world, me, scope)
            for text in said_:
                await me.event(scope, text or "x")
            await me.note(scope, "The spare key hangs behind the clock.")
            old = await kept(world, scope)
            copies.on = True
            job = (await me.post("/memory/digest", {"scopeId": scope}))["jobId"]
            await perform(world, scope)
            async with inside(world, scope) as (_, space):
                await space.save()
            copies.on = False
            new = await kept(world, scope)
            await world.stop()
            assert len(copies.taken) > 3
            for copy in copies.taken:
                await after_crash(copy, scope, job, old, new)

    asyncio.run(story())


async def kept(world: World, scope: str) -> tuple[int, Sequence[str]]:
    """How many digests there are, and what the state says."""
    found = await state(world, scope)
    values = [str(found["state"][name]) for name in ("stableFacts", "workingNotes", "todos", "volatileContext")]
    return len(await listed(world, scope)), values


async def after_crash(
    root: Path, scope: str, job: str, old: tuple[int, Sequence[str]], new: tuple[int, Sequence[str]]
) -> None:
    async with digesting(root) as world:
        assert await kept(world, scope) in (old, new)
        async with inside(world, scope) as (_, space):
            accepted = job in space.outbox.pending or job in space.views.digest_runs
            assert accepted or await kept(world, scope) == old
        await perform(world, scope)
        me: Client = world.client()
        if accepted:
            assert await kept(world, scope) == new, "once, and all of it"
        assert "spare key" in str(await me.facts(scope))


# 11 every class has a place


def test_every_class_of_every_template_routes_to_a_facet_or_is_noise() -> None:
    for template, pack in PACKS.items():
        wanted = routes(pack)
        assert set(TYPES[template]) - set(wanted) <= NOISES
        assert set(wanted) <= set(TYPES[template])
        assert all(pack.get(facet) is not None for facet in wanted.values())
