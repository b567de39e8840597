"""What the engine is given in tests instead of a clock, random ids, a model and an embedder."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta, timezone

import numpy as np

from memory.errors import ModelFailed
from memory.models.chat import NoChat, Tier
from memory.models.embedder import Purpose, State, Vectors
from memory.models.profiles import Thresholds

ZONE = timezone(timedelta(hours=2))
MORNING = datetime(2026, 5, 4, 10, 0, tzinfo=ZONE)      # a Monday


class FixedClock:
    """Stands still until it is told to go on."""

    def __init__(self, now: datetime = MORNING) -> None:
        self._now = now
        self._monotonic = 1_000.0

    def now(self) -> datetime:
        return self._now

    def local(self, moment: datetime) -> datetime:
        zone = self._now.tzinfo
        try:
            return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)
        except OverflowError:       # the edge of the calendar
            return moment.replace(tzinfo=zone)

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds


class CountingIds:
    """fact_1, fact_2, …; every kind counts for itself."""

    def __init__(self) -> None:
        self._made: Counter[str] = Counter()

    def new(self, kind: str) -> str:
        self._made[kind] += 1
        return f"{kind}_{self._made[kind]}"


class ScriptedChat(NoChat):
    """Gives prepared answers in order, the last one again and again; an exception among them is raised.

    While ``gate`` is not set, an answer waits for it, as a slow model's would; each takes ``seconds`` besides.
    """

    def __init__(
        self,
        *answers: str | Exception,
        gate: asyncio.Event | None = None,
        tiers: Collection[Tier] = tuple(Tier),
        seconds: float = 0.0,
    ) -> None:
        self.asked: list[tuple[Tier, Sequence[Mapping[str, str]]]] = []
        self.waiting = asyncio.Event()              # set once a question waits at the gate
        self._answers = list(answers)
        self._gate = gate
        self._tiers = tiers
        self._seconds = seconds

    def configured(self, tier: Tier) -> bool:
        return tier in self._tiers

    def usable(self, tier: Tier, space: str = "") -> bool:
        return self.configured(tier)

    def model(self, tier: Tier) -> str | None:
        return "scripted" if self.configured(tier) else None

    def address(self, tier: Tier) -> str | None:
        return "http://somebody:secret@127.0.0.1:9/v1?key=secret" if self.configured(tier) else None

    def breaker_state(self, tier: Tier) -> str | None:
        return "closed" if self.configured(tier) else None

    async def reply(
        self,
        tier: Tier,
        messages: Sequence[Mapping[str, str]],
        *,
        max_tokens: int,
        seconds: float | None = None,
        space: str = "",
    ) -> str:
        self.asked.append((tier, messages))
        if self._gate is not None:
            self.waiting.set()
            await self._gate.wait()
        await asyncio.sleep(self._seconds)
        if not self._answers:
            raise ModelFailed(tier, "the script is at its end", retryable=False)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class WordEmbedder:
    """Texts that share words are near each other. Always ready."""

    state: State = "ready"
    reason: str | None = None
    profile: str | None = "words"
    fingerprint: str | None = "words:1"
    dimension: int | None = 64
    thresholds = Thresholds(recall=0.3, alone=0.3, crowd=0.0, apart=0.0, cluster=0.8, duplicate=0.95)

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def supports(self, language: str) -> bool:
        return True

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors | None:
        self.embedded += texts
        return np.stack([self._vector(text) for text in texts]) if texts else np.zeros((0, 64), dtype=np.float32)

    async def look(self) -> None:
        return None

    async def close(self) -> None:
        return None

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros(64, dtype=np.float32)
        for word in re.findall(r"\w+", text.casefold()) or [""]:
            vector[zlib.crc32(word.encode()) % 64] += 1.0
        length = np.linalg.norm(vector)
        found: Vectors = (vector / length).astype(np.float32)
        return found
