"""Working memory follows what is said: by rules, in the background, and only where it is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from memory import erase, tenancy
from memory.engine import Engine
from memory.errors import ModelFailed
from memory.facts.fact import Fact
from memory.forget import forget
from memory.history import record
from memory.history.record import UPDATE_WORKING, Incoming
from memory.history.turn import AI, HUMAN, Message
from memory.models.chat import Tier
from memory.selection import Selection
from memory.space import MemorySpace
from memory.state import notes
from memory.state.events import Arriving, add_event
from memory.state.facets import PACKS
from memory.state.turn import Asked, take_turn
from memory.state.working import Item, Limits, Said, WorkingState, build
from memory.state.working_update import REFINE_WORKING
from memory.tenancy import NewScope, user_of
from tests.conftest import OpenEngine
from tests.crash.evidence import contents
from tests.fakes import FixedClock, ScriptedChat
from tests.memory.state.test_state_crash import rebuilt

USER = user_of("local:me", is_local=True)
LIMITS = Limits(turns=6, items=10)


def said(*texts: str) -> list[Said]:
    return [Said(turn=f"t{number}", text=text) for number, text in enumerate(texts, start=1)]


def told(texts: Sequence[str], limits: Limits = LIMITS) -> WorkingState:
    return build(said(*texts), limits, lambda _: False)


def texts(items: Sequence[Item]) -> list[str]:
    return [item.text for item in items]


# the rules


def test_only_the_latest_events_are_read() -> None:
    state = told([f"decision: number {number}" for number in range(9)])
    assert texts(state.decisions) == [f"number {number}" for number in range(3, 9)]
    assert state.sources == tuple(f"t{number}" for number in range(4, 10))


def test_the_latest_goal_is_looked_for_further_back() -> None:
    # six events are read, and the goal is looked for among eighteen: 3n is more than n + 8
    state = told(["goal: ship", *["filler"] * 17])
    assert state.goal is not None
    assert (state.goal.text, state.goal.turns) == ("ship", ("t1",))
    assert state.sources[0] == "t1"
    assert told(["goal: ship", *["filler"] * 18]).goal is None


def test_the_newest_goal_wins() -> None:
    state = told(["goal: ship", "goal: rest"])
    assert state.goal is not None
    assert state.goal.text == "rest"


def test_each_list_has_each_line_once_and_the_latest_of_them() -> None:
    state = told(["constraint: A\nconstraint: b\nconstraint: c", "constraint: a"], Limits(turns=6, items=2))
    assert texts(state.constraints) == ["c", "a"]


def test_progress_is_its_latest_three_remarks() -> None:
    state = told([f"status: step {number}" for number in range(5)])
    assert state.progress_summary == "step 2 | step 3 | step 4"


def test_the_task_is_the_goal_or_else_what_comes_next_to_it() -> None:
    assert told(["goal: g", "status: p", "decision: d", "constraint: c"]).frame == "g"
    assert told(["status: p", "status: q", "decision: d", "constraint: c"]).frame == "q"
    assert told(["decision: d", "decision: e", "constraint: c"]).frame == "e"
    assert told(["constraint: c", "constraint: b"]).frame == "c"
    assert told(["filler"]).frame is None


def test_the_same_events_give_the_same_state() -> None:
    events = ["goal: ship", "constraint: a", "What now?", "I'm tired.", "We will go."]
    assert told(events) == told(events)
    assert WorkingState.from_json(json.loads(json.dumps(told(events).to_json()))) == told(events)


# in a scope


@asynccontextmanager
async def scope_of(engine: Engine) -> AsyncIterator[MemorySpace]:
    card = await tenancy.create_scope(engine, USER, NewScope(name="x", goal=None, stage="idea", template="project"))
    async with tenancy.using(engine, USER, card.id) as (_, space):
        yield space


async def tell(space: MemorySpace, *lines: str) -> None:
    for line in lines:
        await add_event(space, Arriving(content=line))


def state_of(space: MemorySpace) -> WorkingState:
    working = space.views.working.current
    assert working is not None
    return working.state


async def test_it_follows_events_with_or_without_a_model(engine: Engine) -> None:
    async with scope_of(engine) as space:
        await tell(space, "goal: ship", "constraint: no Redis")
        assert space.views.working.empty
        await engine.worker.perform_all(space)
        working = space.views.working.current
        assert working is not None
        assert (working.version, working.state.goal and working.state.goal.text) == (1, "ship")
        await tell(space, "decision: SQLite")
        await engine.worker.perform_all(space)
        working = space.views.working.current
        assert working is not None
        assert (working.version, texts(working.state.decisions)) == (2, ["SQLite"])


async def test_many_events_at_once_owe_one_update(engine: Engine) -> None:
    async with scope_of(engine) as space:
        await tell(space, *["filler"] * 20)
        assert [op.kind for op in space.outbox.pending.values()] == [UPDATE_WORKING]


async def test_replies_are_not_read(engine: Engine) -> None:
    async with scope_of(engine) as space:
        await tell(space, "goal: ship", "Assistant reply: goal: rest")
        await add_event(space, Arriving(content="decision: mine", is_reply=True))
        await engine.worker.perform_all(space)
        state = state_of(space)
        assert state.goal is not None
        assert (state.goal.text, state.decisions) == ("ship", ())


async def test_a_goal_stands_until_another_is_named(engine: Engine) -> None:
    async with scope_of(engine) as space:
        await tell(space, "goal: ship")
        await engine.worker.perform_all(space)
        await tell(space, *["filler"] * 40)
        await engine.worker.perform_all(space)
        goal = state_of(space).goal
        assert goal is not None
        assert goal.text == "ship"


async def test_a_document_is_read_as_late_as_its_present_text(engine: Engine, clock: FixedClock) -> None:
    async with scope_of(engine) as space:
        await add_event(space, Arriving(content="constraint: old", type="document", key="plan"))
        clock.advance(60)
        await tell(space, *["filler"] * 30)
        clock.advance(60)
        await add_event(space, Arriving(content="constraint: new", type="document", key="plan"))
        await engine.worker.perform_all(space)
        assert texts(state_of(space).constraints) == ["new"]


async def test_what_happened_long_ago_is_not_what_is_worked_on(engine: Engine, clock: FixedClock) -> None:
    async with scope_of(engine) as space:
        await tell(space, "decision: of today", *["filler"] * 5)
        long_ago = clock.now() - timedelta(days=400)
        await add_event(space, Arriving(content="decision: of last year", occurred_at=long_ago))
        await engine.worker.perform_all(space)
        assert texts(state_of(space).decisions) == ["of today"]


async def test_what_is_forgotten_leaves_at_once_and_does_not_come_back(engine: Engine) -> None:
    async with scope_of(engine) as space:
        await notes.note(space, "The vault code is on the shelf", PACKS["project"])
        await tell(space, "constraint: The vault code is on the shelf", "constraint: no Redis")
        await engine.worker.perform_all(space)
        assert len(state_of(space).constraints) == 2
        found: list[Fact] = list(space.facts)
        await forget(space, lambda: found)
        assert texts(state_of(space).constraints) == ["no Redis"]
        await engine.worker.perform_all(space)
        assert texts(state_of(space).constraints) == ["no Redis"]
        await tell(space, "constraint: the vault code is on the shelf!")     # told again in other words
        await engine.worker.perform_all(space)
        assert texts(state_of(space).constraints) == ["no Redis"]


async def test_the_journal_alone_makes_it_again(engine: Engine) -> None:
    async with scope_of(engine) as space:
        await notes.note(space, "The vault code is on the shelf", PACKS["project"])
        await tell(space, "constraint: The vault code is on the shelf", "constraint: no Redis")
        await engine.worker.perform_all(space)
        found: list[Fact] = list(space.facts)
        await forget(space, lambda: found)
        await space.save()
        assert rebuilt(space) == contents(space)
        assert b"vault" not in (space.directory / "working_state.json").read_bytes()


async def test_what_is_erased_stands_nowhere_any_more(engine: Engine) -> None:
    async with scope_of(engine) as space:
        await tell(space, "constraint: The vault code is on the shelf", "constraint: no Redis")
        await engine.worker.perform_all(space)
        await space.save()
        assert b"vault" in (space.directory / "working_state.json").read_bytes()
        await erase.erase(space, Selection(text="vault code"), engine.cast.names(space.name))
        working = space.views.working.current
        assert working is not None
        assert (working.version, texts(working.state.constraints)) == (1, ["no Redis"])
        for path in space.directory.rglob("*"):
            assert not path.is_file() or b"vault" not in path.read_bytes(), path


async def test_a_file_that_somebody_spoilt_is_told_anew(open_engine: OpenEngine) -> None:
    engine = await open_engine()
    async with scope_of(engine) as space:
        name, path = space.name, space.directory / "working_state.json"
        await tell(space, "goal: ship")
        await engine.worker.perform_all(space)
    await engine.close()
    path.write_text('{"version": "many", "state": {"goal": 7, "constraints": [1, {"text": "x"}]}}')
    engine = await open_engine()
    async with engine.spaces.use(name) as space:
        await tell(space, "decision: a")
        await engine.worker.perform_all(space)
        assert texts(state_of(space).decisions) == ["a"]
        assert state_of(space).goal is not None


async def test_switched_off_later_what_was_owed_is_dropped(open_engine: OpenEngine) -> None:
    engine = await open_engine()
    async with scope_of(engine) as space:
        name = space.name
        await tell(space, "goal: ship")
    await engine.close()
    engine = await open_engine(working_enabled=False)
    async with engine.spaces.use(name) as space:
        await engine.worker.perform_all(space)
        assert not space.outbox.pending
        assert space.views.working.empty


async def test_switched_off_it_is_not_kept(open_engine: OpenEngine) -> None:
    engine = await open_engine(working_enabled=False)
    async with scope_of(engine) as space:
        await tell(space, "goal: ship")
        assert not space.outbox.pending
        assert not (space.directory / "working_state.json").exists()


async def test_the_bounds_are_settings(open_engine: OpenEngine) -> None:
    engine = await open_engine(working_turns=2, working_items=1)
    async with scope_of(engine) as space:
        await tell(space, "decision: a", "decision: b", "decision: c")
        await engine.worker.perform_all(space)
        assert texts(state_of(space).decisions) == ["c"]
        assert len(state_of(space).sources) == 2


async def test_it_survives_a_restart_and_goes_on_counting(open_engine: OpenEngine) -> None:
    engine = await open_engine()
    async with scope_of(engine) as space:
        name = space.name
        await tell(space, "goal: ship")
        await engine.worker.perform_all(space)
    await engine.close()
    engine = await open_engine()
    async with engine.spaces.use(name) as space:
        working = space.views.working.current
        assert working is not None
        assert (working.version, state_of(space).goal) == (1, working.state.goal)
        await tell(space, "goal: rest")
        await engine.worker.perform_all(space)
        assert space.views.working.current is not None
        assert space.views.working.current.version == 2


# characters


async def cache(engine: Engine, *texts_: str) -> None:
    async with engine.spaces.use("Mia", create=True) as space:
        messages = [Message(kind=AI if number % 2 else HUMAN, content=text) for number, text in enumerate(texts_)]
        await record.cache(space, Incoming(messages=messages))
        await engine.worker.perform_all(space)


async def test_a_character_has_none_before_its_first_turn_through_this_door(open_engine: OpenEngine) -> None:
    engine = await open_engine(chat=ScriptedChat("Hello."))
    await cache(engine, "goal: ship", "Fine.")
    async with engine.spaces.use("Mia") as space:
        await add_event(space, Arriving(content="constraint: no Redis"))
        await engine.worker.perform_all(space)
        await space.save()
        assert not (space.directory / "working_state.json").exists()
        await take_turn(space, engine.chat, Asked(message="Do we agree?"))
        await engine.worker.perform_all(space)
        state = state_of(space)
        assert state.goal is not None
        assert (state.goal.text, texts(state.constraints)) == ("ship", ["no Redis"])
    await cache(engine, "decision: SQLite", "Fine.")       # from now on it follows the companion's talk, too
    async with engine.spaces.use("Mia") as space:
        assert texts(state_of(space).decisions) == ["SQLite"]


# refined by a model

_ADDS = json.dumps(
    {"goal": None, "constraints": ["no Redis", "stay small"], "decisions": ["use Go"], "taskFrame": "a server"}
)


async def refined(open_engine: OpenEngine, answer: str | Exception) -> tuple[WorkingState, int, ScriptedChat]:
    chat = ScriptedChat(answer, tiers=(Tier.SUMMARY,))
    engine = await open_engine(chat=chat, working_llm=True)
    async with scope_of(engine) as space:
        await tell(space, "goal: ship", "constraint: no Redis")
        await engine.worker.perform_all(space)
        await engine.worker.perform_all(space)
        assert all(op.kind not in (UPDATE_WORKING, REFINE_WORKING) for op in space.outbox.pending.values())
        working = space.views.working.current
        assert working is not None
        return working.state, working.version, chat


async def test_a_model_adds_what_the_rules_missed(open_engine: OpenEngine) -> None:
    state, version, chat = await refined(open_engine, _ADDS)
    assert state.goal is not None
    assert state.goal.text == "ship"
    assert texts(state.constraints) == ["no Redis", "stay small"]
    assert texts(state.decisions) == ["use Go"]
    assert (state.frame, version) == ("a server", 2)
    assert "<messages>" in chat.asked[0][1][1]["content"]


@pytest.mark.parametrize(
    "answer",
    [
        "no JSON at all",
        "[1, 2]",
        '{"constraints": "x", "goal": 7}',
        ModelFailed("summary", "out of order", retryable=True),
    ],
)
async def test_a_model_that_fails_leaves_the_state_as_it_is(open_engine: OpenEngine, answer: str | Exception) -> None:
    state, version, _ = await refined(open_engine, answer)
    assert texts(state.constraints) == ["no Redis"]
    assert version == 1


async def test_no_model_is_asked_unless_it_is_wanted(open_engine: OpenEngine) -> None:
    chat = ScriptedChat(_ADDS)
    engine = await open_engine(chat=chat)
    async with scope_of(engine) as space:
        await tell(space, "goal: ship")
        await engine.worker.perform_all(space)
    assert chat.asked == []


async def test_what_a_model_added_goes_with_any_message_that_it_was_shown(open_engine: OpenEngine) -> None:
    engine = await open_engine(chat=ScriptedChat(_ADDS, tiers=(Tier.SUMMARY,)), working_llm=True)
    async with scope_of(engine) as space:
        await notes.note(space, "The vault code is on the shelf", PACKS["project"])
        await tell(space, "The vault code is on the shelf", "constraint: no Redis")
        await engine.worker.perform_all(space)
        assert "use Go" in texts(state_of(space).decisions)
        found: list[Fact] = list(space.facts)
        await forget(space, lambda: found)
        assert texts(state_of(space).decisions) == []
        assert texts(state_of(space).constraints) == ["no Redis"]


async def test_what_is_said_during_an_update_is_part_of_it(engine: Engine) -> None:
    async with scope_of(engine) as space:
        await tell(space, "decision: a")
        await asyncio.gather(engine.worker.perform_all(space), tell(space, "decision: b"))
        await engine.worker.perform_all(space)
        assert texts(state_of(space).decisions) == ["a", "b"]
