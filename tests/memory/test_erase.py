"""Erasing: what goes, what stays, and that nothing of it is left in any byte."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import orjson
import pytest

from memory.engine import Engine
from memory.erase import ERASE, Receipt, erase, find
from memory.errors import BadInput
from memory.facts.fact import Fact
from memory.facts.record import to_record
from memory.history.compress import compress
from memory.history.record import Incoming, cache
from memory.history.turn import HUMAN, Message
from memory.recall.document import FACT, TURN
from memory.recall.query import Query
from memory.remains import StillThere
from memory.search import search
from memory.space import MemorySpace
from memory.store import layout
from tests.conftest import OpenEngine
from tests.fakes import FixedClock, WordEmbedder
from tests.memory.remembered import (
    NAME,
    answer,
    facts_of,
    grep,
    hashes,
    learn_all,
    rebuilt,
    rows_in_journal,
    say,
    texts_of_turns,
    whole,
)

SECRET = "Zanzibar"


async def forget(engine: Engine, text: str | None = None, *, ids: tuple[str, ...] = (), name: str = NAME) -> Receipt:
    async with engine.spaces.use(name) as space:
        selection = await find(space, text=text, ids=ids)
        return await erase(space, selection, engine.cast.names(name))


async def check_whole(engine: Engine, name: str = NAME) -> None:
    """The journal alone makes every view and knows every row."""
    async with engine.spaces.use(name) as space:
        assert await rebuilt(space) == whole(space.views)
        assert await rows_in_journal(space) == {turn.row: turn.id for turn in await space.turns.after(0, 10_000)}


@pytest.fixture
def home(root: Path) -> Path:
    return root / layout.MEMORY / NAME


async def test_a_text_goes_with_its_turn_its_fact_and_every_byte(engine: Engine, root: Path, home: Path) -> None:
    await say(engine, f"I live in {SECRET}.", "I like green tea.")
    await answer(engine, f"{SECRET} is far away!")
    await learn_all(engine)
    async with engine.spaces.use(NAME) as space:
        await space.save()
    assert grep(home, SECRET)
    receipt = await forget(engine, SECRET)
    assert grep(root, SECRET) == []
    # Two turns name it; the rules made one fact of the first.
    assert receipt.items == {"turn": 2, "fact": 1}
    async with engine.spaces.use(NAME) as space:
        assert await texts_of_turns(space) == ["I like green tea."]
        assert facts_of(space)
        assert not any(SECRET in text for text in facts_of(space))
    await check_whole(engine)


async def test_case_and_width_do_not_hide_a_text(engine: Engine, home: Path) -> None:
    await say(engine, "My code is ＡＢＣ-77.", "my CODE is abc-77!", "Nothing of the kind.")
    await forget(engine, "Abc-77")
    async with engine.spaces.use(NAME) as space:
        assert await texts_of_turns(space) == ["Nothing of the kind."]
    assert grep(home, "abc-77") == []
    assert grep(home, "ＡＢＣ-77") == []


async def test_nothing_comes_back_after_a_restart_or_a_rebuild(open_engine: OpenEngine, root: Path, home: Path) -> None:
    engine = await open_engine()
    await say(engine, f"I live in {SECRET}.", "I have two cats named Momo and Kiki.")
    await learn_all(engine)
    await forget(engine, SECRET)
    async with engine.spaces.use(NAME) as space:
        before = whole(space.views)
    await engine.close()
    for path in home.iterdir():
        if path.name != layout.EVENTS:
            path.unlink()
    again = await open_engine()
    async with again.spaces.use(NAME) as space:
        assert whole(space.views) == before
        assert await texts_of_turns(space) == ["I have two cats named Momo and Kiki."]
        assert space.turns.last_row == 2
        await space.save()
    assert grep(root, SECRET) == []


async def test_a_row_is_not_given_again_when_the_last_ones_are_gone(open_engine: OpenEngine, home: Path) -> None:
    engine = await open_engine()
    await say(engine, "First.", f"In {SECRET}.")
    await learn_all(engine)
    await forget(engine, SECRET)
    await engine.close()
    (home / layout.TURNS).unlink()
    again = await open_engine()
    await say(again, "I live in Berlin.")
    await learn_all(again)
    async with again.spaces.use(NAME) as space:
        assert [turn.row for turn in await space.turns.after(0, 10)] == [1, 3]
        # The reader of turns, which had come to row 2, does not pass over the new one.
        assert any("Berlin" in text for text in facts_of(space))


async def test_an_erased_statement_is_not_learnt_again(engine: Engine, root: Path) -> None:
    await say(engine, f"I live in {SECRET}.")
    await learn_all(engine)
    await forget(engine, SECRET)
    await say(engine, "I really live in Zanzibar now.", "I live in Berlin.")
    await learn_all(engine)
    async with engine.spaces.use(NAME) as space:
        assert not any(SECRET in text for text in facts_of(space))
        assert any("Berlin" in text for text in facts_of(space))
    stones = (root / layout.MEMORY / NAME / layout.FORGOTTEN).read_bytes()
    assert b"zanzibar" not in stones.lower()


async def test_a_turn_read_before_it_was_erased_leaves_no_fact(open_engine: OpenEngine, root: Path) -> None:
    engine = await open_engine()
    ids = await say(engine, "I have a sister who lives in Paris.")
    async with engine.spaces.use(NAME) as space:
        working = asyncio.create_task(engine.worker.perform_all(space))
        # The learner has read the turn once it waits for the write lock that we hold.
        async with space.journal.hold():
            await asyncio.sleep(0.05)
        await working
    await forget(engine, ids=(ids[0],))
    async with engine.spaces.use(NAME) as space:
        assert facts_of(space) == []
    assert grep(root, "Paris") == []


async def test_an_id_takes_a_fact_with_the_turn_it_came_from(engine: Engine, root: Path) -> None:
    await say(engine, "I am allergic to peanuts.", "The weather is fine.")
    await learn_all(engine)
    async with engine.spaces.use(NAME) as space:
        (fact,) = [fact for fact in space.facts if "peanuts" in fact.text]
    receipt = await forget(engine, ids=(fact.id,))
    assert receipt.items == {"turn": 1, "fact": 1}
    assert grep(root, "peanuts") == []
    await check_whole(engine)


async def test_what_others_said_in_the_same_words_stays(engine: Engine) -> None:
    first, second = await say(engine, "ok", "ok")
    receipt = await forget(engine, ids=(first,))
    assert receipt.items == {"turn": 1}
    async with engine.spaces.use(NAME) as space:
        assert [turn.id for turn in await space.turns.after(0, 10)] == [second]
    await check_whole(engine)


async def test_a_fact_that_rests_on_other_turns_too_stays(engine: Engine) -> None:
    one, two = await say(engine, "Once upon a time.", "And again.")
    async with engine.spaces.use(NAME) as space, space.journal.write() as batch:
        now = engine.clock.now()
        batch.add("fact.added", to_record(Fact(id="fact_a", text="Told twice.", created_at=now, sources=(one, two))))
        batch.add("fact.added", to_record(Fact(id="fact_b", text="Told once.", created_at=now, sources=(one,))))
    await forget(engine, ids=(one,))
    async with engine.spaces.use(NAME) as space:
        assert facts_of(space) == ["Told twice."]


async def test_the_memo_loses_the_line_and_keeps_the_others(engine: Engine, root: Path) -> None:
    await say(engine, f"Remember that my house is in {SECRET}.", "Never call me Tommy.")
    for number in range(24):
        await say(engine, f"Message number {number} about gardens.")
    async with engine.spaces.use(NAME) as space:
        await compress(space, engine.cast.names(NAME))
        memo = space.recent.entries[0]
        assert SECRET in memo.text
    await forget(engine, SECRET)
    async with engine.spaces.use(NAME) as space:
        fresh = space.recent.entries[0]
        assert "Tommy" in fresh.text
        assert fresh.id != memo.id
        assert space.views.recent_meta.value["memo_id"] == fresh.id
    assert grep(root, SECRET) == []
    await check_whole(engine)


async def test_a_summary_by_a_model_gives_way_to_the_excerpts(engine: Engine, root: Path) -> None:
    secret, *_ = await say(engine, "Remember that my house is in Zanzibar.", "Never call me Tommy.")
    for number in range(24):
        await say(engine, f"Message number {number} about gardens.")
    async with engine.spaces.use(NAME) as space:
        await compress(space, engine.cast.names(NAME))
        async with space.journal.write() as batch:
            meta = {**space.views.recent_meta.value, "memo_id": "memo_m", "memo_method": "model:summary"}
            head = [space.recent.entries[0].id]
            text = "Previous conversation summary: The house stands on an island near Tanzania. Never say Tommy."
            batch.add("recent.compressed", {"count": 1, "head": head, "id": "memo_m", "text": text, "meta": meta})
    await forget(engine, ids=(secret,))
    async with engine.spaces.use(NAME) as space:
        assert "Tanzania" not in space.recent.entries[0].text
        assert "Tommy" in space.recent.entries[0].text
    assert grep(root, "Tanzania") == []
    await check_whole(engine)


async def test_other_programs_lines_outbox_archives_and_asides_are_cleaned(
    open_engine: OpenEngine, root: Path, home: Path
) -> None:
    engine = await open_engine()
    await say(engine, f"I live in {SECRET}.", "Hello there.")
    await learn_all(engine)
    await engine.close()
    escaped = "\\u005aanzibar"
    line = orjson.dumps({"event_id": "e", "type": "persona.fact_added", "ts": "t", "payload": {"text": f"of {SECRET}"}})
    with (home / layout.EVENTS).open("ab") as file:
        file.write(line + b"\n")
    message = {"type": "human", "data": {"content": f"To {SECRET}!"}}
    kept = {"type": "human", "data": {"content": "Hello"}}
    op = {"op_id": "o", "type": "extract_facts", "payload": {"messages": [message, kept]}, "status": "pending"}
    with (home / layout.OUTBOX).open("ab") as file:
        file.write(orjson.dumps({**op, "ts": "2026-05-01T10:00:00"}) + b"\n")
    (home / layout.DEAD_LETTERS).write_bytes(orjson.dumps(op) + b"\n")
    torn = b'[\n{"id": "x", "text": "of Zanzibar"},\n{"id": "y", "text": "fine"},\n{"id'
    (home / "facts.json.corrupt-1").write_bytes(torn)
    (home / "events.torn-1").write_bytes(b'{"seq": 9, "data": {"text": "' + escaped.encode() + b" is far\n")
    (home / "time_indexed.db.corrupt-1").write_bytes(b"SQLite format 3\0" + b"\0" * 100)
    corpus = b'{"version": 1, "window": [{"ngrams": ["in zanzibar"]}, {"ngrams": ["like tea"]}]}'
    (home / "anti_repeat_corpus.json").write_bytes(corpus)
    (home / "blob.bin").write_bytes(b"\0\1\2" + SECRET.encode())
    archive = home / "reflection_archive"
    archive.mkdir()
    shard = archive / "2026-05-01_00000000.json"
    shard.write_bytes(orjson.dumps([{"id": "ref_1", "text": f"Likes {SECRET}"}, {"id": "ref_2", "text": "Likes tea"}]))
    tail = [{"type": "human", "content": f"In {SECRET}"}]
    idle = {NAME: {"last_reviewed_cutoff_tail": tail}, "Mio": {"n": 1}}
    (root / layout.IDLE_STATE).write_bytes(orjson.dumps(idle))
    again = await open_engine()
    receipt = await forget(again, SECRET)
    assert grep(root, SECRET) == []
    assert grep(root, "zanzibar") == []
    assert grep(root, escaped) == []
    assert receipt.files_removed == 2
    assert not (home / "blob.bin").exists()
    assert orjson.loads(shard.read_bytes()) == [{"id": "ref_2", "text": "Likes tea"}]
    assert b"like tea" in (home / "anti_repeat_corpus.json").read_bytes()
    assert b"fine" in (home / "facts.json.corrupt-1").read_bytes()
    assert orjson.loads((root / layout.IDLE_STATE).read_bytes())["Mio"] == {"n": 1}
    async with again.spaces.use(NAME) as space:
        (left,) = [op for op in space.outbox.pending.values() if op.kind == "extract_facts"]
        assert left.payload == {"messages": [kept]}
        assert space.journal.foreign == 1
    await check_whole(again)


async def test_tables_of_other_programs_are_cleaned(open_engine: OpenEngine, home: Path) -> None:
    engine = await open_engine()
    await say(engine, f"I live in {SECRET}.")
    await engine.close()
    db = sqlite3.connect(home / layout.TURNS)
    db.execute("CREATE VIRTUAL TABLE facts_fts USING fts5(fact_id, content)")
    db.execute("INSERT INTO facts_fts VALUES ('f1', 'lives in zanzibar'), ('f2', 'likes tea')")
    db.execute("INSERT INTO time_indexed_compressed (session_id, message) VALUES ('s', ?)", (f"About {SECRET}",))
    db.execute("CREATE TABLE notes (note TEXT)")
    db.execute("INSERT INTO notes VALUES ('zanzibar notes'), ('others')")
    db.commit()
    db.close()
    again = await open_engine()
    receipt = await forget(again, SECRET)
    assert grep(home, SECRET) == []
    assert grep(home, "zanzibar") == []
    assert receipt.database_rows == 3
    await again.close()
    db = sqlite3.connect(home / layout.TURNS)
    assert db.execute("SELECT fact_id FROM facts_fts WHERE facts_fts MATCH 'tea'").fetchall() == [("f2",)]
    assert db.execute("SELECT note FROM notes ORDER BY note").fetchall() == [("",), ("others",)]
    db.close()


async def test_older_versions_of_what_stays_are_cleaned_too(engine: Engine, root: Path) -> None:
    now = engine.clock.now()
    await say(engine, "Hello.")
    async with engine.spaces.use(NAME) as space:
        for text in (f"Lives in {SECRET}.", "Lives by the sea."):
            async with space.journal.write() as batch:
                batch.add("fact.revised", to_record(Fact(id="fact_r", text=text, created_at=now)))
        async with space.journal.write() as batch:
            batch.add("fact.added", to_record(Fact(id="fact_s", text="Likes tea.", created_at=now)))
        await space.save()
    receipt = await forget(engine, SECRET)
    # Nothing that is remembered now has it: only the journal did.
    assert receipt.items == {}
    assert receipt.journal_lines >= 1
    assert grep(root, SECRET) == []
    async with engine.spaces.use(NAME) as space:
        assert facts_of(space) == ["Lives by the sea.", "Likes tea."]
    await check_whole(engine)


async def test_another_characters_bytes_are_untouched(engine: Engine, root: Path) -> None:
    await say(engine, f"I live in {SECRET}.")
    await say(engine, f"I live in {SECRET}.", name="Mio")
    async with engine.spaces.use("Mio") as space:
        await space.save()
        await space.turns.close()
    before = hashes(root / layout.MEMORY / "Mio")
    await forget(engine, SECRET)
    assert hashes(root / layout.MEMORY / "Mio") == before


async def test_words_of_the_format_can_be_erased_without_breaking_it(engine: Engine) -> None:
    told = (
        "The fact is simple.", "I am only human.", "2026 was a good year.", "It is type text content id.",
        "We store it in SQLite, format 3.",
    )  # fmt: skip
    for text in told:
        await say(engine, text)
    for word in ("fact", "human", "2026", "text", "id", "SQLite"):
        await forget(engine, word)
    await say(engine, "Still here.")
    async with engine.spaces.use(NAME) as space:
        assert await texts_of_turns(space) == ["Still here."]
    await check_whole(engine)


async def test_a_person_edits_a_file_while_the_text_is_erased(engine: Engine, root: Path, home: Path) -> None:
    await say(engine, "Hello.", "I like tea.")
    async with engine.spaces.use(NAME) as space:
        await space.save()
    entries = orjson.loads((home / layout.RECENT).read_bytes())
    entries.append({"type": "human", "data": {"content": f"Written by hand in {SECRET}."}})
    (home / layout.RECENT).write_bytes(orjson.dumps(entries))
    receipt = await forget(engine, SECRET)
    assert receipt.items == {"recent_message": 1}
    assert grep(root, SECRET) == []
    async with engine.spaces.use(NAME) as space:
        assert [entry.text for entry in space.recent.entries] == ["Hello.", "I like tea."]


async def test_messages_with_parts_and_speakers_are_found(engine: Engine, root: Path) -> None:
    parts = [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": f"file:///{SECRET}.png"}}]
    async with engine.spaces.use(NAME, create=True) as space:
        await cache(
            space,
            Incoming(
                messages=[
                    Message(kind=HUMAN, content=parts),
                    Message(kind=HUMAN, content="Hi", speaker=SECRET),
                    Message(kind=HUMAN, content="Stays"),
                ]
            ),
        )
    await forget(engine, SECRET)
    assert grep(root, SECRET) == []
    async with engine.spaces.use(NAME) as space:
        assert await texts_of_turns(space) == ["Stays"]


async def test_old_segments_are_rewritten(open_engine: OpenEngine, root: Path, home: Path) -> None:
    engine = await open_engine(segment_bytes=500)
    for number in range(12):
        await say(engine, f"Day {number} in {SECRET}." if number % 3 == 0 else f"Day {number} at home, quite long.")
    assert len(layout.segments(home)) > 2
    receipt = await forget(engine, SECRET)
    assert receipt.items["turn"] == 4
    assert grep(root, SECRET) == []
    await check_whole(engine)
    await engine.close()
    again = await open_engine(segment_bytes=500)
    async with again.spaces.use(NAME) as space:
        assert space.journal.damage is None
        assert len(await texts_of_turns(space)) == 8


async def test_nothing_to_erase_is_said_and_changes_nothing(engine: Engine) -> None:
    await say(engine, "Hello.")
    async with engine.spaces.use(NAME) as space:
        selection = await find(space, text=SECRET)
        assert selection.empty
        with pytest.raises(BadInput):
            await find(space, text="  ")
        with pytest.raises(BadInput):
            await find(space, ids=("fact_nowhere",))
        with pytest.raises(BadInput):
            await find(space)


async def test_a_file_that_cannot_be_cleaned_is_named(engine: Engine, home: Path) -> None:
    await say(engine, f"I live in {SECRET}.")

    async with engine.spaces.use(NAME) as space:
        original = space.forget_shown

        def written_meanwhile(holds: object) -> None:
            (home / "late.txt").write_text(f"{SECRET} again")

        space.forget_shown = written_meanwhile  # type: ignore[method-assign]
        selection = await find(space, text=SECRET)
        with pytest.raises(StillThere, match=r"late\.txt"):
            await erase(space, selection, engine.cast.names(NAME))
        space.forget_shown = original  # type: ignore[method-assign]
        # The same again completes it.
        again = await find(space, text=SECRET)
        assert again.leftovers == 1
        await erase(space, again, engine.cast.names(NAME))
        assert not [op for op in space.outbox.pending.values() if op.kind == ERASE]
    assert grep(home, SECRET) == []


async def test_writers_go_on_while_it_is_erased(engine: Engine, root: Path, clock: FixedClock) -> None:
    await say(engine, *(f"Number {number} in {SECRET}" for number in range(30)))

    async def write(space: MemorySpace) -> None:
        for number in range(20):
            await say(engine, f"Later {number}")

    async with engine.spaces.use(NAME) as space:
        selection = await find(space, text=SECRET)
        await asyncio.gather(erase(space, selection, engine.cast.names(NAME)), write(space))
        assert await texts_of_turns(space) == [f"Later {number}" for number in range(20)]
    assert grep(root, SECRET) == []
    await check_whole(engine)


async def test_vectors_and_indexes_are_made_anew_without_it(open_engine: OpenEngine, home: Path) -> None:
    embedder = WordEmbedder()
    engine = await open_engine(embedder=embedder)
    gone, kept = await say(engine, f"I live in {SECRET}.", "I like green tea.")
    await learn_all(engine)
    for name in layout.CACHES:
        (home / name).write_bytes(gone.encode() + b"\0" + kept.encode())
    async with engine.spaces.use(NAME) as space:
        await search(space, Query(text="tea", tiers=(TURN, FACT)), engine.cast.names(NAME))
        await space.library.look_for_vectors("words:1", 64, engine.cast.names(NAME))
        wanted = space.library.vectors.next(100, lambda text: True)
        assert any(SECRET in one.text for one in wanted)
    await forget(engine, SECRET)
    assert not any((home / name).exists() for name in layout.CACHES)
    async with engine.spaces.use(NAME) as space:
        await search(space, Query(text=SECRET, tiers=(TURN, FACT)), engine.cast.names(NAME))
        assert not any(SECRET in text for source in space.library.vectors.sources for text in source.wanting.values())


async def test_recall_knows_nothing_of_it_at_once(engine: Engine) -> None:
    await say(engine, f"I live in {SECRET}.", "I like green tea.")
    await learn_all(engine)
    names = engine.cast.names(NAME)
    query = Query(text=f"live {SECRET}", tiers=(TURN, FACT))
    async with engine.spaces.use(NAME) as space:
        assert any(SECRET in hit.document.text for hit in (await search(space, query, names)).hits)
        assert any(SECRET in text for text in space.shown)
    await forget(engine, SECRET)
    async with engine.spaces.use(NAME) as space:
        assert not any(SECRET in hit.document.text for hit in (await search(space, query, names)).hits)
        assert not any(SECRET in text for text in space.shown)


async def test_questions_that_named_it_are_forgotten_too(engine: Engine, root: Path) -> None:
    await say(engine, f"I live in {SECRET}.")
    log = layout.queries_directory(root)
    log.mkdir(parents=True)
    lines = [{"text": f"where is {SECRET}", "scope": None}, {"text": "tea?", "scope": None}]
    (log / "queries.ndjson").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    await forget(engine, SECRET)
    assert (log / "queries.ndjson").read_bytes() == orjson.dumps(lines[1]) + b"\n"


async def test_files_that_are_not_ours_to_change_are_named(engine: Engine, root: Path) -> None:
    await say(engine, f"I live in {SECRET}.")
    (root / layout.CONFIG).mkdir()
    (root / layout.CONFIG / "characters.json").write_text(f'{{"猫娘": {{"{NAME}": {{"home": "{SECRET}"}}}}}}')
    receipt = await forget(engine, SECRET)
    assert receipt.elsewhere == ("config/characters.json",)
