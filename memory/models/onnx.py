"""Local embeddings on the CPU: finds a model, loads it off the event loop, follows its files, and never raises.

Whatever happens to a model (absent, damaged, too large for the machine, out of memory, stuck), ``embed`` answers None,
``state`` and ``reason`` say why, and a later look brings it back once the cause is gone. All state lives on the event
loop; the threads only run functions without side effects on it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeVar

import numpy as np

from memory.clock import Clock
from memory.models.batches import batches, in_order
from memory.models.embedder import NO_THRESHOLDS, Purpose, State, Vectors
from memory.models.hardware import Hardware, give_back_memory, probe
from memory.models.installed import Candidate, Chosen, Stamp, choose, find_models
from memory.models.lane import Lane, LaneClosed
from memory.models.limits import Limits
from memory.models.profiles import AUTO, OFF, ModelUnusable, Thresholds
from memory.models.runtime import failure, open_model

log = logging.getLogger(__name__)

T = TypeVar("T")

# Reasons that are somebody's choice or the machine's nature, not a fault.
_DISABLING: Final = frozenset({
    "switched off", "not enough memory", "no fast int8 path", "library missing",
    "no model installed", "model not installed",
})
_NOTHING_THERE: Final = frozenset({"no model installed", "model not installed"})
_STUCK_AT_MOST: Final = 2       # threads left behind before nothing more is tried


class LoadedModel(Protocol):
    """What the service needs of an opened model; every failure is a ModelUnusable."""

    def tokens(self, texts: Sequence[str], purpose: str) -> list[list[int]]: ...

    def vectors(self, batch: Sequence[Sequence[int]]) -> Vectors: ...


@dataclass(frozen=True, slots=True)
class _Survey:
    """What a look at the disk found."""

    chosen: Chosen | None
    stamp: Stamp
    problem: ModelUnusable | None


class OnnxEmbedder:
    """An Embedder over whichever ONNX model the machine has."""

    def __init__(
        self,
        data_root: Path | None,
        *,
        clock: Clock,
        profile: str = AUTO,
        quantisation: str = AUTO,
        limits: Limits | None = None,
        hardware: Callable[[], Hardware] = probe,
        load: Callable[[Chosen], LoadedModel] = open_model,
    ) -> None:
        """``profile`` is ``auto``, ``off`` or a name; ``quantisation`` is ``auto``, ``int8``, ``q4`` or ``fp32``."""
        self._data_root = data_root
        self._clock = clock
        self._wish = profile
        self._quantisation = quantisation
        self._limits = limits or Limits()
        self._hardware = hardware
        self._load = load
        self._state: State = "disabled" if profile == OFF else "init"
        self._reason: str | None = "switched off" if profile == OFF else None
        self._chosen: Chosen | None = None          # what was last found; its fingerprint holds while it is not loaded
        self._model: LoadedModel | None = None
        self._loaded: Chosen | None = None
        self._stamp: Stamp = ()     # of the files last loaded or last failed with
        self._wanted = False
        self._failures = 0
        self._retry_at = 0.0
        self._next_look = 0.0
        self._next_survey = 0.0
        self._slow = False
        self._closed = False
        self._looking: asyncio.Task[None] | None = None
        self._opening: asyncio.Task[None] | None = None
        self._lanes = {name: Lane(f"embeddings: {name}", clock) for name in ("files", "passages", "queries")}
        self._stuck: list[Lane] = []
        self._in_turn = asyncio.Lock()      # passages of several callers take turns batch by batch
        self._cache: OrderedDict[bytes, Vectors] = OrderedDict()

    @property
    def state(self) -> State:
        return self._state

    @property
    def reason(self) -> str | None:
        if self._reason is None and self._slow:
            return "slow: a query waited longer than it may"
        return self._reason

    @property
    def profile(self) -> str | None:
        return self._chosen.profile.name if self._chosen else None

    @property
    def fingerprint(self) -> str | None:
        return self._chosen.fingerprint if self._chosen else None

    @property
    def dimension(self) -> int | None:
        return self._chosen.dimension if self._chosen else None

    @property
    def thresholds(self) -> Thresholds:
        return self._chosen.profile.thresholds if self._chosen else NO_THRESHOLDS

    def supports(self, language: str) -> bool:
        return self._chosen is not None and self._chosen.profile.supports(language)

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors | None:
        if self._closed or self._wish == OFF:
            return None
        self._wanted = True
        self._look_soon()
        if purpose == "query":
            # Nobody waits for a disk or a load to ask a question.
            return await self._embed_queries(texts)
        await self._settled()
        return await self._embed_passages(texts)

    async def look(self) -> None:
        if self._closed or self._wish == OFF:
            return
        self._look_soon()
        if self._looking is not None:
            await asyncio.wait({self._looking}, timeout=self._limits.look_wait)

    async def close(self) -> None:
        self._closed = True
        for task in (self._looking, self._opening):
            if task is not None:
                task.cancel()
        for lane in self._lanes.values():
            lane.close()
        self._drop()
        if self._state != "disabled":
            self._state, self._reason = "disabled", "closed"

    # --- finding and loading -------------------------------------------------------------------------------------

    def _look_soon(self) -> None:
        self._give_up_on_the_stuck()
        due = self._clock.monotonic() >= self._next_look or (self._wanted and self._state == "init")
        if due and self._looking is None and self._opening is None:
            self._looking = asyncio.get_running_loop().create_task(self._look())
            self._looking.add_done_callback(self._ended)

    async def _settled(self) -> None:
        """Wait for the look and the load under way, if any. Being cancelled here cancels neither."""
        while (task := self._looking or self._opening) is not None:
            await asyncio.wait({task})
            await asyncio.sleep(0)      # its callback runs in the next turn of the loop

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task is self._looking:
            self._looking = None
        if task is self._opening:
            self._opening = None
        if not task.cancelled() and (error := task.exception()) is not None:
            # A fault of ours; words still work, and the next look tries again.
            log.error("following the embedding model failed: %s", type(error).__name__, exc_info=error)
            self._fail(ModelUnusable("internal error", type(error).__name__))

    async def _look(self) -> None:
        now = self._clock.monotonic()
        self._next_look = now + self._limits.look_every
        whole = self._model is None or now >= self._next_survey
        if whole:
            self._next_survey = now + self._limits.survey_every
        job = partial(self._survey, whole=whole)
        try:
            survey = await self._blocking("files", job, seconds=self._limits.load_hung, what="looking at the files")
        except ModelUnusable as problem:
            self._fail(problem)
            return
        if survey.chosen is None:
            self._without(survey.problem or ModelUnusable("no model installed"))
            return
        if self._model is None:
            self._chosen = survey.chosen
        if self._must_open(survey.chosen, survey.stamp):
            self._opening = asyncio.get_running_loop().create_task(self._open(survey.chosen, survey.stamp))
            self._opening.add_done_callback(self._ended)

    def _survey(self, *, whole: bool) -> _Survey:
        """Runs in a thread; reads only what does not change meanwhile."""
        current = self._loaded if not whole else None
        try:
            chosen = current or choose(
                self._candidates(), self._wish, self._hardware(),
                quantisation=self._quantisation, least_memory=self._limits.least_memory,
            )
            return _Survey(chosen, chosen.stamp(), None)
        except ModelUnusable as problem:
            return _Survey(None, (), problem)
        except OSError as error:
            return _Survey(None, (), ModelUnusable("model file missing", Path(error.filename or "").name))

    def _candidates(self) -> list[Candidate]:
        # A profile once chosen is not given up for another because a file is gone: that would embed everything anew,
        # and once more after the repair. Removing its whole directory does give it up.
        kept = self._chosen.profile.name if self._chosen else None
        return [
            replace(one, managed=True) if one.profile.name == kept else one for one in find_models(self._data_root)
        ]

    def _must_open(self, chosen: Chosen, stamp: Stamp) -> bool:
        if not self._wanted:
            return False
        if self._loaded is not None:
            return stamp != self._stamp or chosen.fingerprint != self._loaded.fingerprint
        if self._failures and stamp == self._stamp:
            return self._clock.monotonic() >= self._retry_at
        return True

    async def _open(self, chosen: Chosen, stamp: Stamp) -> None:
        if self._state in ("init", "disabled"):
            self._state, self._reason = "loading", None     # one that failed keeps saying why until it works
        if len(self._stuck) >= _STUCK_AT_MOST:
            self._fail(ModelUnusable("hung", "waiting for earlier calls to return"))
            return
        self._stamp = stamp
        job = partial(self._load, chosen)
        try:
            model = await self._blocking("passages", job, seconds=self._limits.load_hung, what="loading")
        except ModelUnusable as problem:
            self._chosen = chosen
            self._fail(problem)
            return
        self._model, self._loaded, self._chosen = model, chosen, chosen
        self._cache.clear()
        self._state, self._reason, self._slow = "ready", None, False
        log.info("embedding model ready: %s", chosen.fingerprint)

    def _without(self, problem: ModelUnusable) -> None:
        """The disk offers nothing to use."""
        # Whatever comes back counts as new, even the same file moved away and back.
        self._stamp = ()
        if problem.reason in _NOTHING_THERE:
            self._chosen = None
        self._fail(problem)

    def _fail(self, problem: ModelUnusable) -> None:
        if self._closed:
            return
        by_choice = problem.reason in _DISABLING
        if self._reason != str(problem):
            log.log(logging.INFO if by_choice else logging.WARNING, "recall by meaning is off: %s", problem)
        self._drop()
        self._state, self._reason = "disabled" if by_choice else "failed", str(problem)
        wait = min(self._limits.retry_first * 2 ** min(self._failures, 16), self._limits.retry_most)
        self._failures += 1
        self._retry_at = self._clock.monotonic() + wait

    def _drop(self) -> None:
        self._model = self._loaded = None
        self._cache.clear()

    # --- embedding -----------------------------------------------------------------------------------------------

    async def _embed_queries(self, texts: Sequence[str]) -> Vectors | None:
        model = self._model
        if model is None or not texts:
            return self._nothing() if model else None
        keys = [hashlib.sha256(text.encode("utf-8", "replace")).digest() for text in texts]
        absent = [place for place, key in enumerate(keys) if key not in self._cache]
        found = {key: self._cache[key] for key in keys if key in self._cache}
        if absent:
            fresh = await self._query_vectors(model, [texts[place] for place in absent])
            if fresh is None:
                return None
            found.update((keys[place], row) for place, row in zip(absent, fresh, strict=True))
        for key in keys:
            self._cache[key] = found[key]
            self._cache.move_to_end(key)
        while len(self._cache) > self._limits.cached_queries:
            self._cache.popitem(last=False)
        return np.stack([found[key] for key in keys])

    async def _query_vectors(self, model: LoadedModel, texts: Sequence[str]) -> Vectors | None:
        if self._lanes["queries"].busy_for() > self._limits.query_wait:
            # Queueing behind a job that is already late would only make this one late too.
            self._slow = True
            return None
        job = self._lanes["queries"].submit(partial(self._vectors_at_once, model, texts))
        try:
            vectors = await asyncio.wait_for(job, self._limits.query_wait)
        except TimeoutError:
            self._slow = True
            log.warning("embedding a query took longer than %.1f s", self._limits.query_wait)
            return None
        except LaneClosed:
            return None
        except Exception as error:      # of any library: a question must be answered all the same
            self._failed_with(model, _ours(error))
            return None
        self._slow = False
        if self._model is not model:
            return None
        self._failures = 0
        return vectors

    async def _embed_passages(self, texts: Sequence[str]) -> Vectors | None:
        model = self._model
        if model is None or not texts:
            return self._nothing() if model else None
        try:
            tokens = await self._passage_job(partial(model.tokens, texts, "passage"))
            groups = self._grouped(tokens)
            rows = [await self._passage_job(partial(model.vectors, [tokens[at] for at in group])) for group in groups]
            if len(groups) > 1:
                await self._passage_job(give_back_memory)
        except ModelUnusable as problem:
            self._failed_with(model, problem)
            return None
        if self._model is not model:
            return None     # another one took over meanwhile: these vectors are not of its space
        self._failures = 0
        return in_order(groups, rows)

    async def _passage_job(self, job: Callable[[], T]) -> T:
        async with self._in_turn:
            return await self._blocking("passages", job, seconds=self._limits.passage_hung, what="a passage")

    def _vectors_at_once(self, model: LoadedModel, texts: Sequence[str]) -> Vectors:
        """Runs in a thread."""
        tokens = model.tokens(texts, "query")
        groups = self._grouped(tokens)
        return in_order(groups, [model.vectors([tokens[at] for at in group]) for group in groups])

    def _grouped(self, tokens: Sequence[Sequence[int]]) -> list[list[int]]:
        limits = self._limits
        return batches([len(ids) for ids in tokens], most_tokens=limits.batch_tokens, most_texts=limits.batch_texts)

    def _nothing(self) -> Vectors:
        return np.zeros((0, self.dimension or 0), np.float32)

    def _failed_with(self, model: LoadedModel, problem: ModelUnusable) -> None:
        if self._model is model:
            self._fail(problem)

    # --- threads that do not come back ---------------------------------------------------------------------------

    async def _blocking(self, name: str, job: Callable[[], T], *, seconds: float, what: str) -> T:
        """Run a job in one of the threads. Raises ModelUnusable ("hung") when it is not back in time."""
        lane = self._lanes[name]
        try:
            return await asyncio.wait_for(lane.submit(job), seconds)
        except TimeoutError:
            self._leave_behind(name, lane)
            raise ModelUnusable("hung", f"{what} took more than {seconds:g} s") from None
        except LaneClosed:
            raise ModelUnusable("closed") from None
        except Exception as error:      # of any library
            raise _ours(error) from error

    def _give_up_on_the_stuck(self) -> None:
        self._stuck = [lane for lane in self._stuck if lane.alive]
        limits = self._limits
        longest = {"queries": limits.query_hung, "passages": limits.load_hung if self._opening else limits.passage_hung}
        for name, seconds in longest.items():
            if self._lanes[name].busy_for() > seconds:
                self._leave_behind(name, self._lanes[name])
                self._fail(ModelUnusable("hung", f"one of the {name} took more than {seconds:g} s"))
        if self._lanes["queries"].busy_for() == 0.0:
            self._slow = False

    def _leave_behind(self, name: str, lane: Lane) -> None:
        if self._lanes[name] is lane:
            lane.close()
            self._stuck.append(lane)
            self._lanes[name] = Lane(lane.name, self._clock)


def _ours(error: Exception) -> ModelUnusable:
    return error if isinstance(error, ModelUnusable) else failure("internal error", error)
