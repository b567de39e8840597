"""Two lives of ninety days, day by day: what a person says to a character, written for this project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

DAYS = 90


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
    last: Sequence[Scene] = ()                      # on the morning after


def _spread(scenes: Mapping[int, Sequence[str | Scene]], filler: Sequence[Talk]) -> dict[int, list[Scene]]:
    """The scenes with small talk on every other day between them."""
    days: dict[int, list[Scene]] = {
        day: [Talk(scene) if isinstance(scene, str) else scene for scene in told] for day, told in scenes.items()
    }
    for day in range(0, DAYS, 2):
        days.setdefault(day, []).append(filler[(day // 2) % len(filler)])
    return days


_TEA = "I really like jasmine tea."
_HIKING, _CHESS, _COFFEE = "I love hiking in the mountains.", "I love playing chess.", "I hate coffee."
_FOOTBALL, _GUITAR, _SPICY = "I like watching football.", "I play the guitar every evening.", "I like spicy food."
_MOVIES, _PAINTING = "We watch movies together every Friday.", "I love painting watercolors."

ENGLISH = Life(
    character="Momo",
    master="Lin",
    locale="en",
    days=_spread(
        {
            0: ["My name is Lin.", "I live in Rotterdam.", "I have a cat named Miso.", _TEA],
            1: ["I work as a nurse at the city hospital.", "I drink jasmine tea every morning."],
            2: [_TEA, _HIKING, "I'm allergic to peanuts.", "You are my best friend."],
            3: ["I live in Rotterdam.", _COFFEE, _CHESS],
            # raised and affirmed, then told again: confirmed and promoted by score
            4: [
                Raise(
                    "jasmine",
                    "You really like jasmine tea, don't you? I could brew some.",
                    ("Yes, exactly!", "It keeps me calm at night."),
                )
            ],
            5: [_HIKING, _COFFEE, _CHESS, _TEA],
            6: ["I live in Rotterdam.", _TEA],
            7: [_TEA, _MOVIES],
            # never raised: confirmed and promoted by age
            8: [_HIKING, _COFFEE, _CHESS],
            9: [_TEA, _FOOTBALL, _GUITAR],
            10: [_FOOTBALL, _GUITAR],
            11: [_FOOTBALL, _GUITAR, _SPICY],
            # raised and passed over: alive, unconfirmed
            12: [
                Raise(
                    "football",
                    "Did you get to watch any football lately, Lin?",
                    ("The weather is awful today.", "Anyway, dinner was late."),
                )
            ],
            # raised and denied: its facts are doubted too
            13: [
                Raise(
                    "guitar",
                    "How is the guitar going? You play the guitar every evening.",
                    ("No, that's wrong, I sold the guitar.",),
                ),
                _SPICY,
            ],
            14: [_MOVIES],
            15: [_SPICY, _TEA],
            # a week of trouble: a state that fades
            16: ["I feel really stressed lately."],
            17: ["I feel really stressed lately.", "My sister lives in Lyon."],
            18: ["I feel really stressed lately."],
            # spoken against, without a word on a change: below zero for two weeks, then archived
            19: ["I don't like spicy food."],
            20: ["I don't like spicy food."],
            # confirmed by then, denied unasked
            21: ["You're mistaken, I don't play chess anymore.", _MOVIES],
            22: ["I live in Rotterdam."],
            26: [_TEA],
            # moved: the old home is replaced
            40: ["Actually I moved to Utrecht."],
            # a change of mind: what the persona says is rewritten, and the new impression merges into it
            44: ["Actually I like coffee now."],
            46: ["I like coffee."],
            48: ["I like coffee."],
            # asked to leave it: what was held for good loses its standing and is archived
            55: ["Please don't talk about hiking in the mountains again."],
            60: ["I live in Utrecht."],
            # a state that was confirmed and is past by the end
            70: ["I feel homesick lately."],
            71: ["I feel homesick lately."],
            72: ["I feel homesick lately."],
            73: [Raise("homesick", "You said you felt homesick, are you still homesick?", ("Yes, I am.",))],
            75: ["I live in Utrecht.", "I'm going to visit my sister in Lyon next week."],
            # confirmed by the end, not yet held for good
            77: [_PAINTING],
            78: [_PAINTING],
            80: [_PAINTING],
            # too fresh to be certain
            86: ["I've been feeling exhausted lately."],
            87: ["I've been feeling exhausted lately."],
            88: ["I've been feeling exhausted lately.", "I have an exam tomorrow."],
        },
        [
            Talk("Morning!", "Good morning, Lin!"),
            Talk("What a day.", "Tell me all about it."),
            Talk("Haha, you're funny.", "I try."),
            Talk("I'm off to bed.", "Sleep well!"),
        ],
    ),
    # raised by the character three times in one talk: it should rest
    last=[
        Talk("Morning!", "Shall I tell you about jasmine tea?"),
        Talk("Maybe later.", "Jasmine tea is good for you, you know."),
        Talk("Mhm.", "And a cup of jasmine tea every morning keeps you calm."),
    ],
)

_茶, _山, _棋, _咖啡 = "我特别喜欢茉莉花茶", "我喜欢爬山", "我喜欢下围棋", "我讨厌咖啡"
_球, _琴, _辣 = "我喜欢看足球比赛", "我每天晚上都弹吉他", "我喜欢吃辣"
_影, _画 = "我们每周五都一起看电影", "我喜欢画水彩"

CHINESE = Life(
    character="墨墨",
    master="小林",
    locale="zh",
    days=_spread(
        {
            0: ["我叫小林", "我住在杭州", "我养了一只猫叫咪咪", _茶],
            1: ["我在市立医院当护士", "我每天早上都喝茉莉花茶"],
            2: [_茶, _山, "我对花生过敏", "你是我最好的朋友"],
            3: ["我住在杭州", _咖啡, _棋],
            4: [Raise("茉莉", "你特别喜欢茉莉花茶对吧？我给你泡一杯。", ("对啊，没错！", "晚上喝着很放松。"))],
            5: [_山, _咖啡, _棋, _茶],
            6: ["我住在杭州", _茶],
            7: [_茶, _影],
            8: [_山, _咖啡, _棋],
            9: [_茶, _球, _琴],
            10: [_球, _琴],
            11: [_球, _琴, _辣],
            12: [Raise("足球", "最近有看足球比赛吗？", ("今天天气真糟糕。", "晚饭也吃晚了。"))],
            13: [Raise("吉他", "吉他弹得怎么样啦？你每天晚上都弹。", ("不对，你记错了，吉他早就卖了。",)), _辣],
            14: [_影],
            15: [_辣, _茶],
            16: ["我最近压力很大"],
            17: ["我最近压力很大", "我姐姐住在里昂"],
            18: ["我最近压力很大"],
            19: ["我不喜欢吃辣"],
            20: ["我不喜欢吃辣"],
            21: ["你记错了，我早就不下围棋了", _影],
            22: ["我住在杭州"],
            26: [_茶],
            40: ["其实我搬到上海了"],
            44: ["其实我现在喜欢咖啡了"],
            46: ["我喜欢咖啡"],
            48: ["我喜欢咖啡"],
            55: ["别再提爬山了"],
            60: ["我住在上海"],
            70: ["我最近很想家"],
            71: ["我最近很想家"],
            72: ["我最近很想家"],
            73: [Raise("想家", "你说过很想家，现在还想家吗？", ("嗯，是的。",))],
            75: ["我住在上海", "我下周要去看我姐姐"],
            77: [_画],
            78: [_画],
            80: [_画],
            86: ["我最近总是失眠"],
            87: ["我最近总是失眠"],
            88: ["我最近总是失眠", "我明天有考试"],
        },
        [
            Talk("早呀", "早上好，小林！"),
            Talk("今天好累", "跟我说说吧。"),
            Talk("哈哈你真逗", "嘿嘿。"),
            Talk("我去睡啦", "晚安！"),
        ],
    ),
    last=[
        Talk("早呀", "要不要聊聊茉莉花茶？"),
        Talk("等会儿吧", "茉莉花茶对身体好哦。"),
        Talk("嗯嗯", "每天早上一杯茉莉花茶，心情会好的。"),
    ],
)
