"""Ninety days of a person and a character, played against a real engine with a scripted clock and no model.

``python -m benchmarks.ninety_days`` prints what became of everything as JSON, and the block that a
conversation on the ninetieth day starts from, in English and in Chinese.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any

import orjson

from memory import tokens
from memory.engine import Engine
from memory.funnel import count
from memory.history.record import Incoming, cache
from memory.history.turn import AI, HUMAN, Message
from memory.ids import Ids
from memory.persona import mind
from memory.reflections.record import to_record
from memory.settings import Settings
from memory.space import MemorySpace
from memory.store import layout

DAYS = 90
_ZONE = timezone(timedelta(hours=2))
BEGINNING = datetime(2026, 3, 2, 9, 0, tzinfo=_ZONE)    # a Monday
_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Talk:
    """The user says something and the character answers."""

    user: str
    answer: str = "…"


@dataclass(frozen=True, slots=True)
class Raise:
    """The character raises a topic if one about ``topic`` is offered to it; the user answers."""

    topic: str
    said: str
    answers: tuple[str, ...]


Scene = Talk | Raise


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What is said on which day, counted from 0."""

    character: str
    master: str
    locale: str
    days: Mapping[int, Sequence[Scene]]


@dataclass(slots=True)
class Outcome:
    """What ninety days came to."""

    counts: dict[str, int]
    transitions: dict[str, int]                     # the same ten, counted from the journal's own data
    reasons: list[dict[str, Any]]                   # every change of status, with its rule
    state: dict[str, Any]                           # what every file says
    block: str
    seconds: float = 0.0
    ticks: int = 0
    slowest_tick: float = 0.0
    undecided: dict[str, int] = field(default_factory=dict)


class ScriptedClock:
    """Stands still until it is told to go on."""

    def __init__(self, now: datetime = BEGINNING) -> None:
        self._now, self._monotonic = now, 0.0

    def now(self) -> datetime:
        return self._now

    def local(self, moment: datetime) -> datetime:
        return moment.replace(tzinfo=_ZONE) if moment.tzinfo is None else moment.astimezone(_ZONE)

    def monotonic(self) -> float:
        return self._monotonic

    def go_to(self, moment: datetime) -> None:
        passed = (moment - self._now).total_seconds()
        self._now, self._monotonic = moment, self._monotonic + max(passed, 0.0)


class CountedIds:
    """fact_1, fact_2, …"""

    def __init__(self) -> None:
        self._made: dict[str, int] = {}

    def new(self, kind: str) -> str:
        self._made[kind] = self._made.get(kind, 0) + 1
        return f"{kind}_{self._made[kind]}"


async def live(
    root: Path, life: Life, *, days: int = DAYS, restarts: Collection[int] = (), ticks_a_day: int = 4
) -> Outcome:
    """Play a life. On each day in ``restarts`` the engine is closed and opened again in the middle of the day."""
    clock, ids, started = ScriptedClock(), CountedIds(), time.perf_counter()
    engine = await _open(root, life, clock, ids)
    slowest, ticks = 0.0, 0
    for day in range(days):
        morning = BEGINNING + timedelta(days=day)
        clock.go_to(morning)
        for place, scene in enumerate(life.days.get(day, ())):
            clock.go_to(morning + timedelta(minutes=3 * place))
            await _play(engine, life, scene, clock, Random(day * 100 + place))
            if day in restarts and place == 0:
                await engine.close()
                engine = await _open(root, life, clock, ids)
        for tick in range(ticks_a_day):
            clock.go_to(morning + timedelta(hours=2 + tick * 20 / ticks_a_day))
            before = time.perf_counter()
            await engine.rounds.tick()
            await _owed(engine, life)
            slowest, ticks = max(slowest, time.perf_counter() - before), ticks + 1
    clock.go_to(BEGINNING + timedelta(days=days))
    async with engine.spaces.use(life.character) as space:
        outcome = await _outcome(engine, space, life, clock.now())
    await engine.close()
    outcome.seconds, outcome.slowest_tick, outcome.ticks = time.perf_counter() - started, slowest, ticks
    return outcome


async def _open(root: Path, life: Life, clock: ScriptedClock, ids: Ids) -> Engine:
    settings = Settings(data_root=root, background=False, master_name=life.master)
    return await Engine.open(settings, clock=clock, ids=ids)


async def _play(engine: Engine, life: Life, scene: Scene, clock: ScriptedClock, random: Random) -> None:
    if isinstance(scene, Talk):
        await _say(engine, life, [(HUMAN, scene.user), (AI, scene.answer)])
        return
    async with engine.spaces.use(life.character) as space:
        offered = mind.active_topics(space, clock.now(), random)
        wanted = [row["id"] for row in offered if scene.topic in row["text"]]
        await mind.record_surfaced(space, wanted)
    if not wanted:
        return
    await _say(engine, life, [(AI, scene.said)])
    for answer in scene.answers:
        clock.go_to(clock.now() + timedelta(seconds=20))
        await _say(engine, life, [(HUMAN, answer)])
        await _say(engine, life, [(AI, "…")])


async def _say(engine: Engine, life: Life, said: Sequence[tuple[str, str]]) -> None:
    async with engine.spaces.use(life.character, create=True) as space:
        await cache(space, Incoming(messages=[Message(kind=kind, content=text) for kind, text in said]))
    await _owed(engine, life)


async def _owed(engine: Engine, life: Life) -> None:
    async with engine.spaces.use(life.character) as space:
        await engine.worker.perform_all(space)


# what came of it


async def _outcome(engine: Engine, space: MemorySpace, life: Life, now: datetime) -> Outcome:
    counted = await count(space, BEGINNING - timedelta(days=1), now)
    await space.flush()
    transitions, reasons = _told(space)
    return Outcome(
        counts=counted.to_json(),
        transitions=transitions,
        reasons=reasons,
        state=await state_of(space),
        block=mind.render(space, engine.cast.names(life.character), life.locale, now),
        undecided=mind.undecided(space),
    )


def _told(space: MemorySpace) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """The transitions as the journal's own data tells them, which the counters do not look at."""
    totals = dict.fromkeys(
        (
            "facts_added", "reflections_synthesized", "reflections_confirmed", "reflections_promoted",
            "reflections_merged", "reflections_denied", "reflections_archived", "persona_entries_added",
            "persona_entries_rewritten", "persona_entries_archived",
        ),
        0,
    )  # fmt: skip
    reasons: list[dict[str, Any]] = []
    for path in [*(path for _, path in layout.segments(space.directory)), space.journal.path]:
        for raw in path.read_bytes().splitlines():
            line = orjson.loads(raw)
            data, name = line["data"], None
            match line["type"]:
                case "fact.added":
                    name = "facts_added"
                case "reflection.synthesized":
                    name = "reflections_synthesized"
                case "reflection.state_changed":
                    name = f"reflections_{data['to']}"
                case "persona.fact_added":
                    name = "persona_entries_archived" if "shard" in data else "persona_entries_added"
                case "persona.entry_updated":
                    name = "persona_entries_rewritten"
            if name is None:
                continue
            totals[name] = totals.get(name, 0) + 1
            if name != "facts_added":
                row = data.get("reflection") or data.get("entry") or {}
                reasons.append(
                    {
                        "at": line["at"][:10], "what": name, "rule": data.get("rule"), "turn": data.get("turn"),
                        "id": row.get("id") or (data.get("ids") or [None])[0], "text": row.get("text"),
                    }
                )  # fmt: skip
    return totals, reasons


async def state_of(space: MemorySpace) -> dict[str, Any]:
    """What the space holds, in a form that can be compared."""
    archives = {
        name: sorted((row["id"], row["text"]) for row in await shelf.rows())
        for name, shelf in (("reflections", space.reflection_archive), ("persona", space.persona_archive))
    }
    return {
        "facts": sorted((fact.id, fact.text, fact.absorbed, fact.superseded_by, fact.denied_in) for fact in space.facts),
        "archived_facts": sorted(fact.id for fact in space.views.facts_archive),
        "reflections": sorted((to_record(one) for one in space.reflections), key=lambda row: str(row["id"])),
        "persona": space.persona.document(),
        "surfaced": space.views.surfaced.rows(),
        "corrections": space.views.corrections.rows(),
        "archives": archives,
    }


# the two lives


def _spread(scenes: Mapping[int, Sequence[str | Scene]], filler: Sequence[Talk]) -> dict[int, list[Scene]]:
    """The scenes with small talk on every other day between them."""
    days: dict[int, list[Scene]] = {
        day: [Talk(scene) if isinstance(scene, str) else scene for scene in told] for day, told in scenes.items()
    }
    for day in range(0, DAYS, 2):
        days.setdefault(day, []).append(filler[(day // 2) % len(filler)])
    return days


ENGLISH = Life(
    character="Momo",
    master="Lin",
    locale="en",
    days=_spread(
        {
            # home, work, who there is
            0: ["My name is Lin.", "I live in Rotterdam.", "I have a cat named Miso.", "I really like jasmine tea."],
            1: ["I work as a nurse at the city hospital.", "I drink jasmine tea every morning."],
            2: ["I really like jasmine tea.", "I love hiking in the mountains.", "I'm allergic to peanuts."],
            3: ["I live in Rotterdam.", "I hate coffee.", "I love playing chess."],
            # raised and affirmed: confirmed by score, later promoted by score
            4: [Raise("jasmine", "You really like jasmine tea, don't you? I could brew some jasmine tea.",
                      ("Yes, exactly!", "It keeps me calm at night."))],
            5: ["I love hiking in the mountains.", "I hate coffee.", "I love playing chess."],
            6: ["I live in Rotterdam.", "I really like jasmine tea."],
            # never raised: confirmed and promoted by age
            8: ["I love hiking in the mountains.", "I hate coffee.", "I love playing chess."],
            9: ["I really like jasmine tea.", "I like watching football.", "I play the guitar every evening."],
            10: ["I like watching football.", "I play the guitar every evening."],
            11: ["I like watching football.", "I play the guitar every evening.", "I like spicy food."],
            # raised and passed over: alive, unconfirmed
            12: [Raise("football", "Did you get to watch any football lately, Lin?",
                       ("The weather is awful today.", "Anyway, dinner was late."))],
            # raised and denied: its facts are doubted too
            13: [Raise("guitar", "How is the guitar going? You play the guitar every evening.",
                       ("No, that's wrong, I sold the guitar.",)), "I like spicy food."],
            15: ["I like spicy food.", "I really like jasmine tea."],
            # a week of trouble: a state that fades
            16: ["I feel really stressed lately."],
            17: ["I feel really stressed lately.", "I've been sleeping badly lately."],
            18: ["I feel really stressed lately."],
            # spoken against, without a word on a change: below zero for two weeks, then archived
            19: ["I don't like spicy food."],
            20: ["I don't like spicy food."],
            22: ["I live in Rotterdam."],
            # confirmed by then, denied unasked
            23: ["That's not true anymore, I don't play chess anymore."],
            26: ["I really like jasmine tea."],
            # moved: the old home is replaced
            40: ["Actually I moved to Utrecht."],
            # a change of mind: what the persona says is rewritten, and the new impression merges into it
            44: ["Actually I like coffee now."],
            46: ["I like coffee."],
            48: ["I like coffee."],
            # asked to leave it: what was held for good loses its standing and is archived
            55: ["Please don't talk about hiking in the mountains again."],
            60: ["I live in Utrecht."],
            75: ["I live in Utrecht.", "I'm going to visit my sister in Lyon next week."],
            88: ["I have an exam tomorrow."],
        },
        [Talk("Morning!", "Good morning, Lin!"), Talk("What a day.", "Tell me all about it."),
         Talk("Haha, you're funny.", "I try."), Talk("I'm off to bed.", "Sleep well!")],
    ),
)  # fmt: skip

CHINESE = Life(
    character="墨墨",
    master="小林",
    locale="zh",
    days=_spread(
        {
            0: ["我叫小林", "我住在杭州", "我养了一只猫叫咪咪", "我特别喜欢茉莉花茶"],
            1: ["我是做护士的", "我每天早上都喝茉莉花茶"],
            2: ["我特别喜欢茉莉花茶", "我喜欢爬山", "我对花生过敏"],
            3: ["我住在杭州", "我讨厌咖啡", "我喜欢下围棋"],
            4: [Raise("茉莉", "你特别喜欢茉莉花茶对吧？我给你泡一杯茉莉花茶。", ("对啊，没错！", "晚上喝着很放松。"))],
            5: ["我喜欢爬山", "我讨厌咖啡", "我喜欢下围棋"],
            6: ["我住在杭州", "我特别喜欢茉莉花茶"],
            8: ["我喜欢爬山", "我讨厌咖啡", "我喜欢下围棋"],
            9: ["我特别喜欢茉莉花茶", "我喜欢看足球比赛", "我每天晚上都弹吉他"],
            10: ["我喜欢看足球比赛", "我每天晚上都弹吉他"],
            11: ["我喜欢看足球比赛", "我每天晚上都弹吉他", "我喜欢吃辣"],
            12: [Raise("足球", "最近有看足球比赛吗？", ("今天天气真糟糕。", "晚饭也吃晚了。"))],
            13: [Raise("吉他", "吉他弹得怎么样啦？你每天晚上都弹吉他。", ("不对，你记错了，吉他早就卖了。",)), "我喜欢吃辣"],
            15: ["我喜欢吃辣", "我特别喜欢茉莉花茶"],
            16: ["我最近压力很大"],
            17: ["我最近压力很大", "我最近睡得不好"],
            18: ["我最近压力很大"],
            19: ["我不喜欢吃辣"],
            20: ["我不喜欢吃辣"],
            22: ["我住在杭州"],
            23: ["我早就不下围棋了"],
            26: ["我特别喜欢茉莉花茶"],
            40: ["其实我搬到上海了"],
            44: ["其实我现在喜欢咖啡了"],
            46: ["我喜欢咖啡"],
            48: ["我喜欢咖啡"],
            55: ["别再提爬山了"],
            60: ["我住在上海"],
            75: ["我住在上海", "我下周要去看我姐姐"],
            88: ["我明天有考试"],
        },
        [Talk("早呀", "早上好，小林！"), Talk("今天好累", "跟我说说吧。"), Talk("哈哈你真逗", "嘿嘿。"), Talk("我去睡啦", "晚安！")],
    ),
)  # fmt: skip


def _summary(life: Life, outcome: Outcome) -> dict[str, Any]:
    return {
        "life": life.locale,
        "days": DAYS,
        "counts": outcome.counts,
        "counts_equal_transitions": outcome.counts == outcome.transitions,
        "reasons": [{key: value for key, value in one.items() if value} for one in outcome.reasons],
        "block_tokens": tokens.count(outcome.block),
        "undecided": outcome.undecided,
        "rounds": outcome.ticks,
        "seconds": round(outcome.seconds, 2),
        "slowest_round_ms": round(outcome.slowest_tick * 1000, 1),
    }


async def _main(quiet: bool) -> None:
    for life in (ENGLISH, CHINESE):
        with tempfile.TemporaryDirectory() as folder:
            outcome = await live(Path(folder) / "root", life)
        print(json.dumps(_summary(life, outcome), ensure_ascii=False, indent=None if quiet else 1))
        print(f"\n{outcome.block}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quiet", action="store_true", help="one line of JSON per life")
    asyncio.run(_main(parser.parse_args().quiet))
