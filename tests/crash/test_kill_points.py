"""A process dies at each named point of everything it does to a disk; then its directory is opened again."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from memory.engine import Engine
from memory.history import record
from memory.history.record import Incoming
from memory.history.turn import AI, CONNECTOR_STAMP, HUMAN, Message
from memory.settings import Settings
from memory.space import MemorySpace
from tests.crash.conftest import REPOSITORY, Live
from tests.crash.evidence import committed_events, contents, fingerprint, rows_in_database, turns_in_journal
from tests.crash.scenarios import SCENARIOS, TELLING
from tests.crash.stage import ACKNOWLEDGED, NAME, SENT, Note, read_notes, request_key

# The modules whose points are passed here; those of others are passed by the tests of their own subjects.
KERNEL = (
    "engine.py", "facts/learn.py", "history/compress.py", "history/turns_db.py", "space.py", "store/files.py",
    "store/journal.py", "store/outbox.py", "store/shelf.py", "work/outbox_worker.py",
)  # fmt: skip

# Points that are the same in every scenario; one is enough.
ALIKE = ("root", "applied")


@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_whatever_the_moment_of_death_nothing_is_lost_doubled_or_halved(
    scenario: str, live: Live, tmp_path: Path
) -> None:
    """Of one scenario: every point that its uninterrupted run reaches, at its last passing and partly its first."""
    whole = live(scenario, tmp_path / "whole")
    assert whole["code"] == 0, whole["told"]
    reached: dict[str, int] = whole["told"]["reached"]
    await _check(tmp_path / "whole", scenario)
    for point, times in reached.items():
        if scenario != "conversation" and point.startswith(ALIKE):
            continue
        for nth in sorted({1, times} if scenario == "conversation" or point.startswith("commit") else {times}):
            root = tmp_path / f"{point} {nth}"
            ended = live(scenario, root, kill_at=point, nth=nth)
            # How often the saver in the background passes a point varies; that it passes does not.
            assert ended["code"] == 137 or (ended["code"] == 0 and nth > 1), f"{point} {nth}: {ended}"
            try:
                await _check(root, scenario)
            except AssertionError as error:
                error.add_note(f"killed at passing {nth} of {point}")
                raise


def test_the_scenarios_pass_every_point_that_the_source_names(live: Live, tmp_path: Path) -> None:
    reached: set[str] = set()
    for scenario in SCENARIOS:
        reached |= live(scenario, tmp_path / scenario)["told"]["reached"].keys()
    source = "\n".join((REPOSITORY / "memory" / file).read_text(encoding="utf-8") for file in KERNEL)
    named = set(re.findall(r'\.at\("([a-z_.]+)"\)', source))
    # What is handed to Disk.append and Disk.replace is the stem of several points.
    stems = set(re.findall(r'_disk\.(?:append|replace|cut)\b[^\n]*?"([a-z_]+)"', source))
    assert named
    assert stems >= {"outbox", "bury", "cut"}
    assert {name for name in named if name not in reached} == set()
    stems.discard("rewrite")  # erasing, which has crash tests of its own
    assert {stem for stem in stems if not any(point.startswith(f"{stem}.") for point in reached)} == set()


async def _check(root: Path, scenario: str) -> None:
    directory = root / "memory" / NAME
    notes = read_notes(root)
    acknowledged = [note for note in notes if note.what == ACKNOWLEDGED]
    pending = [note for note in notes if note.what == SENT][len(acknowledged) :]
    engine = await _open(root)
    if not directory.is_dir():  # died before the first write
        assert acknowledged == []
        await engine.close()
        return
    async with engine.spaces.use(NAME) as space:
        assert space.journal.damage is None
    _check_turns(directory, acknowledged, pending)
    await _check_work(engine)
    await _check_rebuilt(engine)
    await engine.close()
    # A save that was cut short is never taken for an edit by somebody else.
    edits = [event["type"] for event in committed_events(directory) if event["type"].endswith(("edited", "_edited"))]
    assert edits == [] or scenario == "edited"
    assert rows_in_database(directory) == [(turn["row"], turn["content"]) for turn in turns_in_journal(directory)]
    before = fingerprint(directory)
    await (await _opened(root)).close()
    assert fingerprint(directory) == before
    await _check_resend(root, pending)


async def _open(root: Path) -> Engine:
    return await Engine.open(Settings(data_root=root, background=False, save_delay=0.0))


async def _opened(root: Path) -> Engine:
    engine = await _open(root)
    async with engine.spaces.use(NAME):
        return engine


def _check_turns(directory: Path, acknowledged: list[Note], pending: list[Note]) -> None:
    """Acknowledged batches stand there once and in order; the one under way whole or not at all."""
    texts = [turn["content"] for turn in turns_in_journal(directory)]
    expected = [text for note in acknowledged for text in note.texts]
    under_way = [text for note in pending for text in note.texts]
    assert texts in (expected, [*expected, *under_way])


async def _check_work(engine: Engine) -> None:
    """What is owed comes to its end, and has its effect once."""
    async with engine.spaces.use(NAME) as space:
        for _ in range(5):
            await engine.worker.perform_all(space)
        assert [op.kind for op in space.outbox.pending.values()] == []
        told = [TELLING[turn["content"]] for turn in turns_in_journal(space.directory) if turn["content"] in TELLING]
        learnt = Counter(fact.text for fact in space.facts)
        assert learnt - Counter({"The user plays chess.": 1}) == Counter(told)
        _check_window(space)


def _check_window(space: MemorySpace) -> None:
    """The memo and the messages after it are the whole conversation: no turn twice, none missing."""
    turns = turns_in_journal(space.directory)
    ids = [turn["id"] for turn in turns]
    shown = [entry.id for entry in space.recent.entries if entry.id in set(ids)]
    first = len(ids) - len(shown)
    assert shown == ids[first:]
    assert sum(entry.kind == "system" for entry in space.recent.entries) == (1 if first else 0)
    if first:
        assert space.views.recent_meta.value["memo_rows"] == [1, first]
        assert space.views.recent_meta.value["memo_id"] == space.recent.entries[0].id


async def _check_rebuilt(engine: Engine) -> None:
    """The journal alone gives the same views."""
    async with engine.spaces.use(NAME) as space:
        await space.save()
        live = contents(space)
        fresh = MemorySpace(
            NAME, space.directory, space.settings, space._disk, space.clock, space.ids,
            permit=lambda: None, committed=lambda _: None, failed=lambda _: None,
        )  # fmt: skip
        await fresh.journal.open()
        async for events in fresh.journal.events(0):
            for event in events:
                for view in fresh.views.all():
                    view.fold(event)
        assert contents(fresh) == live


async def _check_resend(root: Path, pending: list[Note]) -> None:
    """The batch that was not acknowledged, sent again with its key or with its stamps, stands there once."""
    if not pending:
        return
    (note,) = pending
    engine = await _open(root)
    messages = [Message(kind=AI if CONNECTOR_STAMP.match(text) else HUMAN, content=text) for text in note.texts]
    async with engine.spaces.use(NAME, create=True) as space:
        await record.cache(space, Incoming(messages=messages, key=request_key(note.key)))
        kept = Counter(turn["content"] for turn in turns_in_journal(space.directory))
    await engine.close()
    assert [kept[text] for text in note.texts] == [1] * len(note.texts)
