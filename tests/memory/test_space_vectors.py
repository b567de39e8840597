"""Where vectors are kept: in the rows of the views' files, in packed files beside them, and nowhere else."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory.engine import Engine
from memory.erase import erase, find
from memory.facts.fact import Fact
from memory.facts.record import to_record
from memory.store import layout
from tests.conftest import OpenEngine
from tests.fakes import MORNING, FixedClock, WordEmbedder
from tests.memory.embedders import Fickle, ask, texts_of, with_vectors
from tests.memory.remembered import NAME, learn_all, rebuilt, say, whole

FIELDS = ("embedding", "embedding_text_sha256", "embedding_model_id")
NOTHING = (None, None, None)
THEIRS = (base64.b64encode(np.ones(256, dtype="<f2").tobytes()).decode(), "f" * 64, "local-text-retrieval-v1-256d-int8")


@pytest.fixture
def model() -> Fickle:
    return Fickle()


@pytest.fixture
def home(root: Path) -> Path:
    return root / layout.MEMORY / NAME


def rows_in(home: Path, file: str) -> list[dict[str, Any]]:
    value = json.loads((home / file).read_text("utf-8"))
    if isinstance(value, dict):
        return [row for section in value.values() for row in section["facts"]]
    assert isinstance(value, list)
    return value


def triple(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in FIELDS)


async def save(engine: Engine) -> None:
    async with engine.spaces.use(NAME) as space:
        await space.save()


async def told(engine: Engine) -> None:
    """One fact, one turn, both with vectors, and everything saved."""
    await say(engine, "I live in Lisbon.")
    await learn_all(engine)
    await engine.backfill.tick()
    await save(engine)


# in the rows of the files


async def test_an_active_fact_carries_its_vector_as_the_companion_spells_it(
    open_engine: OpenEngine, home: Path
) -> None:
    engine = await open_engine(embedder=WordEmbedder())
    await told(engine)
    (row,) = rows_in(home, layout.FACTS)
    assert row["embedding_text_sha256"] == hashlib.sha256(row["text"].encode()).hexdigest()
    assert row["embedding_model_id"] == "words:1"
    vector = np.frombuffer(base64.b64decode(row["embedding"]), dtype="<f2")
    assert vector.shape == (64,)
    assert np.linalg.norm(vector.astype(float)) == pytest.approx(1.0, abs=1e-3)


async def test_a_persona_entry_and_a_reflection_carry_theirs(open_engine: OpenEngine, home: Path) -> None:
    engine = await open_engine(embedder=WordEmbedder())
    await say(engine, "hello")
    reflection = {"id": "ref_1", "text": "Alice likes the sea", "created_at": "2026-05-01T10:00:00"}
    entry = {"id": "entry_1", "text": "Alice is a nurse"}
    async with engine.spaces.use(NAME) as space, space.journal.write() as batch:
        batch.add("reflections.edited", {"put": [reflection], "drop": []})
        batch.add("persona.edited", {"put": [{"section": "master", "entry": entry}], "drop": [], "gone": []})
    await engine.backfill.tick()
    await save(engine)
    assert rows_in(home, layout.REFLECTIONS)[0]["embedding_model_id"] == "words:1"
    assert rows_in(home, layout.PERSONA)[0]["embedding_model_id"] == "words:1"


async def test_neither_the_journal_nor_a_fact_knows_of_it(open_engine: OpenEngine, home: Path) -> None:
    engine = await open_engine(embedder=WordEmbedder())
    await told(engine)
    (row,) = rows_in(home, layout.FACTS)
    assert row["embedding"] not in (home / layout.EVENTS).read_text("utf-8")
    async with engine.spaces.use(NAME) as space:
        (fact,) = space.facts
        assert not [key for key in fact.extra if key.startswith("embedding")]
        assert await rebuilt(space) == whole(space.views)


async def test_a_quiet_moment_brings_them_into_the_file(open_engine: OpenEngine, home: Path) -> None:
    engine = await open_engine(embedder=WordEmbedder())
    await say(engine, "I live in Lisbon.")
    await learn_all(engine)
    await save(engine)
    assert triple(rows_in(home, layout.FACTS)[0]) == NOTHING
    await engine.backfill.tick()
    async with engine.spaces.use(NAME) as space:
        assert space.facts.dirty
        await space.flush()
    assert rows_in(home, layout.FACTS)[0]["embedding_model_id"] == "words:1"


async def test_in_a_large_file_only_the_fingerprints_stand(open_engine: OpenEngine) -> None:
    engine = await open_engine(embedder=WordEmbedder())
    await told(engine)
    async with engine.spaces.use(NAME) as space:
        (fact,) = space.facts
        row = dict(space.library.vectors.inline[layout.FACTS].fields(20_001)(fact.id, fact.text))
    sha = hashlib.sha256(fact.text.encode()).hexdigest()
    assert triple(row) == (None, sha, "words:1")


async def test_a_reworded_fact_loses_the_vector_of_its_old_text(
    open_engine: OpenEngine, home: Path, clock: FixedClock
) -> None:
    engine = await open_engine(embedder=WordEmbedder())
    await told(engine)
    async with engine.spaces.use(NAME) as space:
        (fact,) = space.facts
        async with space.journal.write() as batch:
            batch.add("fact.revised", {**to_record(fact), "text": "The user lives in Porto."})
    await save(engine)
    assert triple(rows_in(home, layout.FACTS)[0]) == NOTHING
    clock.advance(60)       # few vectors are not written at once
    await engine.backfill.tick()
    await save(engine)
    assert rows_in(home, layout.FACTS)[0]["embedding_model_id"] == "words:1"


async def test_an_archived_fact_keeps_its_vector_in_the_packed_file_only(
    open_engine: OpenEngine, home: Path, model: Fickle
) -> None:
    engine = await open_engine(embedder=model)
    await told(engine)
    async with engine.spaces.use(NAME) as space:
        (fact,) = space.facts
        async with space.journal.write() as batch:
            batch.add("fact.archived", {"facts": [to_record(fact)]})
    await engine.backfill.tick()
    await save(engine)
    assert triple(rows_in(home, layout.FACTS_ARCHIVE)[0]) == NOTHING
    assert model.passages.count(fact.text) == 1
    async with engine.spaces.use(NAME) as space:
        assert fact.id in with_vectors(space)


# over a restart


async def test_after_a_restart_nothing_is_embedded_again(open_engine: OpenEngine) -> None:
    first = await open_engine(embedder=WordEmbedder())
    await told(first)
    await first.close()
    model = Fickle()
    engine = await open_engine(embedder=model)
    await engine.backfill.tick()
    assert model.passages == []
    assert texts_of(await ask(engine, "Lisbon"))[:1] == ["I live in Lisbon."]


async def test_without_the_packed_files_facts_take_theirs_from_the_rows(open_engine: OpenEngine, home: Path) -> None:
    first = await open_engine(embedder=WordEmbedder())
    await told(first)
    await first.close()
    for name in (layout.MEMORIES_VECTORS, layout.TURNS_VECTORS):
        (home / name).unlink()
    model = Fickle()
    engine = await open_engine(embedder=model)
    async with engine.spaces.use(NAME):
        await engine.backfill.tick()
    # The turn had its vector nowhere else.
    assert model.passages == ["I live in Lisbon."]
    await save(engine)
    assert (home / layout.MEMORIES_VECTORS).exists()
    assert (home / layout.TURNS_VECTORS).exists()


@pytest.mark.parametrize("spoil", [lambda data: data[: len(data) // 2], lambda data: b"nonsense"])
async def test_a_spoilt_packed_file_costs_time_only(open_engine: OpenEngine, home: Path, spoil: Any) -> None:
    first = await open_engine(embedder=WordEmbedder())
    await told(first)
    await first.close()
    path = home / layout.TURNS_VECTORS
    path.write_bytes(spoil(path.read_bytes()))
    model = Fickle()
    engine = await open_engine(embedder=model)
    await engine.backfill.tick()
    assert model.passages == ["I live in Lisbon."]
    await engine.close()
    again = Fickle()
    last = await open_engine(embedder=again)
    await last.backfill.tick()
    assert again.passages == []


async def test_more_vectors_are_appended(open_engine: OpenEngine, home: Path, model: Fickle) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, "one")
    await engine.backfill.tick()
    before = (home / layout.TURNS_VECTORS).read_bytes()
    await say(engine, *(f"message {number}" for number in range(100)))
    await engine.backfill.tick()
    after = (home / layout.TURNS_VECTORS).read_bytes()
    assert after.startswith(before)
    await engine.close()
    again = Fickle()
    last = await open_engine(embedder=again)
    await last.backfill.tick()
    assert again.passages == []


# of other programs


def adopted(home: Path, *rows: dict[str, Any]) -> None:
    home.mkdir(parents=True)
    (home / layout.FACTS).write_text(json.dumps(list(rows)), "utf-8")


def theirs(text: str = "The user lives in Lisbon.", **fields: Any) -> dict[str, Any]:
    row = {"id": "fact_1", "text": text, "entity": "master", "created_at": "2026-05-01T10:00:00"}
    return {**row, **dict(zip(FIELDS, THEIRS, strict=True)), **fields}


async def test_a_vector_of_another_program_stays_until_ours_replaces_it(open_engine: OpenEngine, home: Path) -> None:
    adopted(home, theirs())
    off = await open_engine()
    async with off.spaces.use(NAME) as space:
        space.facts.dirty += 1
        await space.save()
    assert triple(rows_in(home, layout.FACTS)[0]) == THEIRS
    await off.close()
    engine = await open_engine(embedder=WordEmbedder())
    async with engine.spaces.use(NAME) as space:
        space.facts.dirty += 1
        await space.save()
        assert triple(rows_in(home, layout.FACTS)[0]) == THEIRS
        await engine.backfill.tick()
        await space.save()
    assert rows_in(home, layout.FACTS)[0]["embedding_model_id"] == "words:1"


@pytest.mark.parametrize("value", [[0.1, 0.2], "not base64!", "zThmOg"])
async def test_whatever_form_it_has_it_is_written_as_it_came(open_engine: OpenEngine, home: Path, value: Any) -> None:
    adopted(home, theirs(embedding=value))
    engine = await open_engine(embedder=WordEmbedder())
    async with engine.spaces.use(NAME) as space:
        space.facts.dirty += 1
        await space.save()
        assert rows_in(home, layout.FACTS)[0]["embedding"] == value
        await engine.backfill.tick()
        assert with_vectors(space) == ["fact_1"]


async def test_a_vector_of_our_model_in_an_adopted_row_is_used(
    open_engine: OpenEngine, home: Path, model: Fickle
) -> None:
    text = "The user lives in Lisbon."
    vector = (await model.embed([text], purpose="query"))
    assert vector is not None
    half = base64.b64encode(vector[0].astype("<f2").tobytes()).decode()
    sha = hashlib.sha256(text.encode()).hexdigest()
    adopted(home, theirs(text, embedding=half, embedding_text_sha256=sha, embedding_model_id="words:1"))
    engine = await open_engine(embedder=model)
    await engine.backfill.tick()
    assert model.passages == []
    async with engine.spaces.use(NAME) as space:
        await engine.backfill.tick()
        assert with_vectors(space) == ["fact_1"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"embedding_text_sha256": "0" * 64},
        {"embedding": base64.b64encode(np.full(64, np.nan, dtype="<f2").tobytes()).decode()},
        {"embedding": base64.b64encode(np.ones(32, dtype="<f2").tobytes()).decode()},
    ],
    ids=["of another text", "no number", "of another dimension"],
)
async def test_one_that_does_not_fit_is_made_anew(
    open_engine: OpenEngine, home: Path, model: Fickle, wrong: dict[str, Any]
) -> None:
    text = "The user lives in Lisbon."
    right = {
        "embedding": base64.b64encode(np.ones(64, dtype="<f2").tobytes()).decode(),
        "embedding_text_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "embedding_model_id": "words:1",
    }
    adopted(home, theirs(text, **{**right, **wrong}))
    engine = await open_engine(embedder=model)
    await engine.backfill.tick()
    assert model.passages == [text]


async def test_what_another_program_fills_in_is_no_edit_of_the_fact(open_engine: OpenEngine, home: Path) -> None:
    engine = await open_engine()
    await say(engine, "I live in Lisbon.")
    await learn_all(engine)
    await save(engine)
    rows = rows_in(home, layout.FACTS)
    (home / layout.FACTS).write_text(json.dumps([{**row, **theirs_only()} for row in rows]), "utf-8")
    async with engine.spaces.use(NAME) as space:
        seq = space.journal.seq
        await space.save()
        assert space.journal.seq == seq
    assert triple(rows_in(home, layout.FACTS)[0]) == THEIRS


def theirs_only() -> dict[str, Any]:
    return dict(zip(FIELDS, THEIRS, strict=True))


async def test_a_text_edited_by_hand_loses_its_vector_and_gets_another(
    open_engine: OpenEngine, home: Path, model: Fickle
) -> None:
    engine = await open_engine(embedder=model)
    await told(engine)
    (row,) = rows_in(home, layout.FACTS)
    (home / layout.FACTS).write_text(json.dumps([{**row, "text": "The user lives in Porto."}]), "utf-8")
    async with engine.spaces.use(NAME) as space:
        await space.save()
    assert triple(rows_in(home, layout.FACTS)[0]) == NOTHING
    await engine.backfill.tick()
    assert model.passages[-1] == "The user lives in Porto."


# erasing


async def test_erasing_takes_the_vectors_with_it(open_engine: OpenEngine, home: Path, model: Fickle) -> None:
    engine = await open_engine(embedder=model)
    await say(engine, "I live in Lisbon.", "I like green tea.")
    await learn_all(engine)
    await engine.backfill.tick()
    await save(engine)
    async with engine.spaces.use(NAME) as space:
        gone = [fact.id for fact in space.facts if "Lisbon" in fact.text]
        await erase(space, await find(space, text="Lisbon"), engine.cast.names(NAME))
        assert not (home / layout.TURNS_VECTORS).exists()
        assert not set(gone) & set(with_vectors(space))
    await engine.backfill.tick()
    await save(engine)
    data = b"".join(path.read_bytes() for path in home.glob("vectors_*.bin"))
    assert data
    assert not [name for name in gone if name.encode() in data]
    # What stays was not embedded again.
    assert model.passages.count("I like green tea.") == 1


async def test_a_space_without_vectors_has_no_file_for_them(engine: Engine, home: Path) -> None:
    await say(engine, "I live in Lisbon.")
    await learn_all(engine)
    await save(engine)
    assert list(home.glob("vectors_*")) == []


def test_a_fact_has_no_place_for_a_vector() -> None:
    assert triple(to_record(Fact(id="fact_1", text="x", created_at=MORNING))) == NOTHING


async def test_a_packed_file_that_cannot_be_read_counts_as_lost(
    open_engine: OpenEngine, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = await open_engine(embedder=WordEmbedder())
    await told(first)
    await first.close()
    (home / layout.TURNS_VECTORS).unlink()
    (home / layout.TURNS_VECTORS).mkdir()       # reading it is an error of the system
    model = Fickle()
    engine = await open_engine(embedder=model)
    await engine.backfill.tick()
    assert model.passages == ["I live in Lisbon."]
    assert texts_of(await ask(engine, "Lisbon")) == ["I live in Lisbon."]
    (home / layout.TURNS_VECTORS).rmdir()
    assert "cannot be read" in caplog.text
    assert "Lisbon" not in caplog.text
