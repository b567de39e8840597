"""The service around a model: lazy, never raising, following its files."""

from __future__ import annotations

import asyncio
import logging
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from memory.models.embedder import NO_THRESHOLDS, Embedder, NoEmbedder, Purpose
from memory.models.hardware import Hardware
from memory.models.installed import Chosen
from memory.models.limits import Limits
from memory.models.onnx import OnnxEmbedder
from memory.models.profiles import ModelUnusable

GIB = 1024 ** 3
SMALL = Limits(query_wait=0.05, query_hung=10.0, passage_hung=60.0, look_every=2.0, survey_every=15.0, batch_tokens=20)
DIMENSION = 256     # what 16 GiB give a model with an automatic dimension


class HandClock:
    """Stands still until told."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> datetime:
        raise NotImplementedError

    def local(self, moment: datetime) -> datetime:
        raise NotImplementedError

    def monotonic(self) -> float:
        return self.seconds


class FakeModel:
    """The vector of a text points to the axis of its length."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.gate: threading.Event | None = None
        self.problem: Exception | None = None

    def tokens(self, texts: Sequence[str], purpose: str) -> list[list[int]]:
        return [[len(text)] * max(len(text), 1) for text in texts]

    def vectors(self, batch: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
        self.asked.append(len(batch))
        if self.gate is not None:
            self.gate.wait(20)
        if self.problem is not None:
            raise self.problem
        return np.eye(DIMENSION, dtype=np.float32)[[ids[0] for ids in batch]]


class Bench:
    """An embedder over a made-up directory, with everything that can go wrong in reach."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = HandClock()
        self.model = FakeModel()
        self.opened: list[str] = []
        self.refuse: ModelUnusable | None = None
        self.machine = Hardware(memory=16 * GIB, fast_int8=True)
        self.opening: threading.Event | None = None
        self.made: list[OnnxEmbedder] = []

    @property
    def directory(self) -> Path:
        return self.root / "data" / "embedding_models" / "toy"

    def put(self, name: str = "toy", content: bytes = b"x") -> Path:
        directory = self.root / "data" / "embedding_models" / name
        for file in ("tokenizer.json", "onnx/model_quantized.onnx"):
            (directory / file).parent.mkdir(parents=True, exist_ok=True)
            (directory / file).write_bytes(content)
        return directory

    def open(self, profile: str = "auto", limits: Limits = SMALL) -> OnnxEmbedder:
        made = OnnxEmbedder(
            self.root, clock=self.clock, profile=profile, limits=limits, hardware=lambda: self.machine, load=self._load
        )
        self.made.append(made)
        return made

    def _load(self, chosen: Chosen) -> FakeModel:
        if self.opening is not None:
            self.opening.wait(20)
        self.opened.append(chosen.fingerprint)
        if self.refuse is not None:
            raise self.refuse
        return self.model

    def wait(self, seconds: float) -> None:
        self.clock.seconds += seconds

    def free(self) -> None:
        for gate in (self.model.gate, self.opening):
            if gate is not None:
                gate.set()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.free()
    for embedder in made.made:
        await embedder.close()


async def until(true: Callable[[], bool]) -> None:
    for _ in range(2000):
        if true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come true")


async def ready(embedder: Embedder) -> None:
    assert await embedder.embed(["warm"], purpose="passage") is not None
    assert (embedder.state, embedder.reason) == ("ready", None)


# --- loading ---------------------------------------------------------------------------------------------------


async def test_nothing_is_loaded_until_somebody_asks(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    await embedder.look()
    assert (embedder.state, bench.opened) == ("init", [])


async def test_the_vector_space_is_known_before_the_model_is_loaded(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    await embedder.look()
    assert embedder.fingerprint == "toy-256d-int8-mlen1024"
    assert (embedder.profile, embedder.dimension, embedder.thresholds.duplicate) == ("toy", 256, 0.85)


async def test_a_query_does_not_wait_for_the_load(bench: Bench) -> None:
    bench.put()
    bench.opening = threading.Event()
    embedder = bench.open()
    assert await embedder.embed(["question"], purpose="query") is None
    await until(lambda: embedder.state == "loading")
    assert await embedder.embed(["question"], purpose="query") is None
    bench.opening.set()
    await until(lambda: embedder.state == "ready")
    assert await embedder.embed(["question"], purpose="query") is not None


async def test_passages_wait_for_the_load(bench: Bench) -> None:
    bench.put()
    vectors = await bench.open().embed(["one", "three"], purpose="passage")
    assert vectors is not None
    assert vectors.argmax(axis=1).tolist() == [3, 5]


async def test_vectors_keep_the_order_of_their_texts_through_batches(bench: Bench) -> None:
    bench.put()
    lengths = [7, 1, 19, 3, 12, 1, 8]
    vectors = await bench.open().embed(["x" * length for length in lengths], purpose="passage")
    assert vectors is not None
    assert vectors.argmax(axis=1).tolist() == lengths
    assert len(bench.model.asked) > 1


async def test_no_texts_give_no_rows(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    vectors = await embedder.embed([], purpose="passage")
    assert vectors is not None
    assert vectors.shape == (0, 256)


async def test_a_health_check_does_not_wait_for_the_load(bench: Bench) -> None:
    bench.put()
    bench.opening = threading.Event()
    embedder = bench.open()
    await embedder.embed(["question"], purpose="query")
    await embedder.look()
    assert embedder.state == "loading"


# --- no model, by choice or by nature --------------------------------------------------------------------------


async def test_switched_off_is_permanent(bench: Bench) -> None:
    bench.put()
    embedder = bench.open("off")
    assert await embedder.embed(["text"], purpose="passage") is None
    await embedder.look()
    assert (embedder.state, embedder.reason, bench.opened) == ("disabled", "switched off", [])


async def test_a_small_machine_disables_it(bench: Bench) -> None:
    bench.put()
    bench.machine = Hardware(memory=2 * GIB, fast_int8=True)
    embedder = bench.open()
    assert await embedder.embed(["text"], purpose="passage") is None
    assert embedder.state == "disabled"
    assert "not enough memory" in (embedder.reason or "")


async def test_a_missing_library_disables_it_and_an_installed_one_brings_it_back(bench: Bench) -> None:
    bench.put()
    bench.refuse = ModelUnusable("library missing", "onnxruntime is not installed")
    embedder = bench.open()
    assert await embedder.embed(["text"], purpose="passage") is None
    assert (embedder.state, embedder.reason) == ("disabled", "library missing: onnxruntime is not installed")
    bench.refuse = None
    bench.wait(SMALL.retry_most)
    await ready(embedder)


async def test_a_model_that_is_asked_for_by_name_and_absent_is_named(bench: Bench) -> None:
    embedder = bench.open("toy")
    assert await embedder.embed(["text"], purpose="passage") is None
    assert (embedder.state, embedder.reason) == ("disabled", "model not installed: toy")
    assert embedder.fingerprint is None


async def test_a_model_installed_later_is_picked_up(bench: Bench) -> None:
    embedder = bench.open("toy")
    assert await embedder.embed(["text"], purpose="passage") is None
    bench.put()
    bench.wait(SMALL.look_every)
    await ready(embedder)


async def test_a_better_model_installed_later_takes_over(bench: Bench) -> None:
    bench.put()
    (bench.directory / "profile.json").write_text(
        '{"languages": ["en"], "dimension": 256, "max_tokens": 9, "rank": 25, "tokenizer": {"kind": "tokenizers", '
        '"file": "tokenizer.json"}, "variants": {"int8": "onnx/model_quantized.onnx"}, '
        '"thresholds": {"recall": 0, "cluster": 0, "duplicate": 0}}', "utf-8",
    )
    embedder = bench.open()
    await ready(embedder)
    bench.put("better")
    bench.wait(SMALL.survey_every)
    await embedder.look()
    await until(lambda: embedder.profile == "better")
    assert bench.opened == ["toy-256d-int8-mlen9", "better-256d-int8-mlen1024"]


async def test_a_language_the_model_does_not_read_is_told(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    assert not embedder.supports("en")
    await embedder.look()
    assert embedder.supports("zh")


# --- files that change under it --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tokenizer.json", "onnx/model_quantized.onnx"])
async def test_a_deleted_file_is_noticed_and_its_return_too(bench: Bench, name: str) -> None:
    bench.put()
    embedder = bench.open()
    await ready(embedder)
    (bench.directory / name).rename(bench.root / "aside")
    bench.wait(SMALL.look_every)
    await embedder.look()
    assert embedder.state == "failed"
    assert "model file missing" in (embedder.reason or "")
    assert await embedder.embed(["text"], purpose="query") is None
    (bench.root / "aside").rename(bench.directory / name)
    bench.wait(SMALL.look_every)
    await ready(embedder)


async def test_the_fingerprint_outlives_a_missing_file(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    await ready(embedder)
    (bench.directory / "tokenizer.json").unlink()
    bench.wait(SMALL.look_every)
    await embedder.look()
    assert embedder.fingerprint == "toy-256d-int8-mlen1024"


async def test_a_missing_file_does_not_hand_everything_to_another_model(bench: Bench) -> None:
    bench.put()
    bench.put("another")
    embedder = bench.open()
    await embedder.look()
    first = embedder.profile
    assert first is not None
    (bench.root / "data" / "embedding_models" / first / "tokenizer.json").unlink()
    for _ in range(3):
        bench.wait(SMALL.survey_every)
        await embedder.look()
    assert (embedder.profile, embedder.state) == (first, "failed")


async def test_removing_the_whole_model_hands_over_to_the_next(bench: Bench) -> None:
    bench.put()
    bench.put("another")
    embedder = bench.open()
    await ready(embedder)
    first = embedder.profile or ""
    shutil.rmtree(bench.root / "data" / "embedding_models" / first)
    bench.wait(SMALL.look_every)
    await embedder.look()
    bench.wait(SMALL.look_every)
    await ready(embedder)
    assert {first, embedder.profile} == {"toy", "another"}


async def test_a_damaged_replacement_is_refused_and_a_repaired_one_taken_at_once(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    await ready(embedder)
    bench.refuse = ModelUnusable("wrong dimension", "the model gives 8, the profile says 256")
    bench.put(content=b"other")
    bench.wait(SMALL.look_every)
    await embedder.look()
    await until(lambda: embedder.state == "failed")
    assert embedder.reason == "wrong dimension: the model gives 8, the profile says 256"
    bench.refuse = None
    bench.put(content=b"repaired")
    bench.wait(SMALL.look_every)
    await ready(embedder)


async def test_a_model_that_cannot_be_loaded_is_tried_again_ever_more_seldom(bench: Bench) -> None:
    bench.put()
    bench.refuse = ModelUnusable("model file damaged", "onnx/model_quantized.onnx")
    embedder = bench.open()
    for _ in range(60):
        assert await embedder.embed(["text"], purpose="passage") is None
        bench.wait(2.0)
    # 120 seconds hold tries at about 0, 2, 6, 14, 30, 62: doubling, at most a minute apart.
    assert 5 <= len(bench.opened) <= 8


async def test_a_failed_model_keeps_saying_why_while_it_is_tried_again(bench: Bench) -> None:
    bench.put()
    bench.refuse = ModelUnusable("model file damaged", "onnx/model_quantized.onnx")
    embedder = bench.open()
    assert await embedder.embed(["text"], purpose="passage") is None
    bench.opening = threading.Event()
    bench.wait(SMALL.retry_most)
    await embedder.embed(["text"], purpose="query")
    await embedder.look()
    assert (embedder.state, embedder.reason) == ("failed", "model file damaged: onnx/model_quantized.onnx")


# --- failures while serving ------------------------------------------------------------------------------------


@pytest.mark.parametrize("purpose", ["query", "passage"])
@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (ModelUnusable("inference error", "RuntimeException"), "inference error: RuntimeException"),
        (MemoryError(), "out of memory"),
        (RuntimeError("std::bad_alloc"), "out of memory"),
        (KeyError("secret words"), "internal error: KeyError"),
    ],
)
async def test_a_failing_model_answers_none_says_why_and_comes_back(
    bench: Bench, purpose: Purpose, problem: Exception, reason: str
) -> None:
    bench.put()
    embedder = bench.open()
    await ready(embedder)
    bench.model.problem = problem
    assert await embedder.embed(["secret words"], purpose=purpose) is None
    assert (embedder.state, embedder.reason) == ("failed", reason)
    bench.model.problem = None
    bench.wait(SMALL.retry_most)
    await ready(embedder)


async def test_a_query_that_hangs_costs_one_wait_and_the_next_ones_none(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    await ready(embedder)
    bench.model.gate = threading.Event()
    assert await embedder.embed(["first"], purpose="query") is None
    assert embedder.reason == "slow: a query waited longer than it may"
    asked = len(bench.model.asked)
    bench.wait(SMALL.query_wait * 2)
    assert await embedder.embed(["second"], purpose="query") is None
    assert len(bench.model.asked) == asked


async def test_a_query_that_is_only_late_leaves_no_trace(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    await ready(embedder)
    bench.model.gate = threading.Event()
    assert await embedder.embed(["first"], purpose="query") is None
    bench.model.gate.set()
    bench.model.gate = None
    await until(lambda: embedder._lanes["queries"].busy_for() == 0.0)
    assert await embedder.embed(["second"], purpose="query") is not None
    assert (embedder.state, embedder.reason) == ("ready", None)


async def test_a_query_that_never_returns_is_left_behind_and_the_model_loaded_anew(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    await ready(embedder)
    stuck = bench.model.gate = threading.Event()
    assert await embedder.embed(["first"], purpose="query") is None
    bench.wait(SMALL.query_hung + 1)
    await embedder.look()
    assert (embedder.state, embedder.reason) == ("failed", "hung: one of the queries took more than 10 s")
    bench.model = FakeModel()
    bench.wait(SMALL.retry_most)
    await ready(embedder)
    assert await embedder.embed(["second"], purpose="query") is not None
    stuck.set()


async def test_a_model_that_hangs_again_and_again_is_left_alone_until_a_call_returns(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    await ready(embedder)
    gate = bench.model.gate = threading.Event()
    for _ in range(2):
        assert await embedder.embed(["text"], purpose="query") is None
        bench.wait(SMALL.query_hung + 1)
        await embedder.look()
        bench.wait(SMALL.retry_most)
        await embedder.look()
        await until(lambda: embedder.state != "loading")
    loads = len(bench.opened)
    for _ in range(5):
        bench.wait(SMALL.retry_most)
        await embedder.look()
    assert (embedder.state, len(bench.opened)) == ("failed", loads)
    gate.set()
    bench.model = FakeModel()
    await until(lambda: not any(lane.alive for lane in embedder._stuck))
    bench.wait(SMALL.retry_most)
    await ready(embedder)


async def test_passages_that_hang_give_up(bench: Bench) -> None:
    bench.put()
    embedder = bench.open(limits=Limits(passage_hung=0.05))
    await ready(embedder)
    bench.model.gate = threading.Event()
    assert await embedder.embed(["text"], purpose="passage") is None
    assert (embedder.state, embedder.reason) == ("failed", "hung: a passage took more than 0.05 s")


async def test_a_load_that_hangs_gives_up(bench: Bench) -> None:
    bench.put()
    bench.opening = threading.Event()
    embedder = bench.open(limits=Limits(load_hung=0.05))
    assert await embedder.embed(["text"], purpose="passage") is None
    assert (embedder.state, embedder.reason) == ("failed", "hung: loading took more than 0.05 s")


async def test_a_cancelled_caller_leaves_the_others_served(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    await ready(embedder)
    gate = bench.model.gate = threading.Event()
    doomed = asyncio.create_task(embedder.embed(["doomed"], purpose="passage"))
    other = asyncio.create_task(embedder.embed(["other"], purpose="passage"))
    await until(lambda: len(bench.model.asked) > 1)
    doomed.cancel()
    gate.set()
    assert await other is not None
    with pytest.raises(asyncio.CancelledError):
        await doomed


async def test_closing_answers_those_who_wait(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    await ready(embedder)
    bench.model.gate = threading.Event()
    first = asyncio.create_task(embedder.embed(["first"], purpose="passage"))
    second = asyncio.create_task(embedder.embed(["second"], purpose="passage"))
    await until(lambda: len(bench.model.asked) > 1)
    await embedder.close()
    bench.model.gate.set()
    assert await first is None
    assert await second is None
    assert await embedder.embed(["third"], purpose="query") is None


# --- queries are remembered ------------------------------------------------------------------------------------


async def test_the_same_question_is_embedded_once(bench: Bench) -> None:
    bench.put()
    embedder = bench.open()
    await ready(embedder)
    first = await embedder.embed(["again"], purpose="query")
    asked = len(bench.model.asked)
    second = await embedder.embed(["again", "other!"], purpose="query")
    assert first is not None
    assert second is not None
    assert second.argmax(axis=1).tolist() == [5, 6]
    assert len(bench.model.asked) == asked + 1


async def test_only_so_many_questions_are_remembered(bench: Bench) -> None:
    bench.put()
    embedder = bench.open(limits=Limits(cached_queries=2))
    await ready(embedder)
    for text in ("a", "bb", "ccc", "a"):
        assert await embedder.embed([text], purpose="query") is not None
    assert len(bench.model.asked) == 1 + 4


async def test_what_is_logged_is_never_what_was_embedded(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    bench.put()
    embedder = bench.open()
    await ready(embedder)
    bench.model.problem = ModelUnusable("inference error", "RuntimeError")
    await embedder.embed(["a secret"], purpose="passage")
    assert "inference error" in caplog.text
    assert "secret" not in caplog.text + (embedder.reason or "")


async def test_words_only_is_an_embedder_too() -> None:
    embedder: Embedder = NoEmbedder()
    await embedder.look()
    assert await embedder.embed(["text"], purpose="query") is None
    assert (embedder.state, embedder.reason, embedder.fingerprint) == ("disabled", "switched off", None)
    assert (embedder.supports("en"), embedder.thresholds) == (False, NO_THRESHOLDS)
    await embedder.close()
