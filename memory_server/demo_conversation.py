"""A sample conversation, written for this project: Alex, a nurse who learns Chinese, and the character Mika.

It runs over two weeks and holds what memories are made of, and what must not become one: facts with dates,
a preference that changes, a move, questions, what-ifs, a game of make-believe and other people's opinions.
"""

from __future__ import annotations

from dataclasses import dataclass

MASTER, CHARACTER = "Alex", "Mika"


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One sitting: what Alex said and what Mika answered, a minute and a half apart."""

    days_ago: int
    starts: str                              # local wall time, HH:MM
    language: str
    exchanges: tuple[tuple[str, str], ...]   # Alex, Mika


TALKS = (
    Talk(
        days_ago=13,
        starts="19:02",
        language="en",
        exchanges=(
            ("Hi Mika! My name is Alex.", "Hi Alex! I'm so glad to meet you. What fills your days?"),
            ("I work as a nurse at a children's hospital.", "That takes patience and good shoes. Is it far from home?"),
            ("I live in Hamburg, ten minutes from the ward.", "Then the rain and you are old friends."),
            ("I have a cat called Pepper.", "Pepper! Does she wait up for you?"),
            ("She never does. My sister Emma looks after her when I travel.", "Emma sounds like someone to keep."),
            ("I really love black coffee, it carries me through the night.", "Noted: coffee first, questions later."),
            ("Do you think it will snow this year?", "I hope so. I would like to hear you describe it."),
        ),
    ),
    Talk(
        days_ago=10,
        starts="21:15",
        language="zh",
        exchanges=(
            ("今天我们说中文吧，我在学中文。", "好呀！慢慢说，我陪你。"),
            ("我对花生过敏，点外卖的时候总是很小心。", "这个很重要，我可不敢给你推荐宫保鸡丁了。"),
            ("我最喜欢的电影是《千与千寻》。", "那列海上的火车，我也忘不了。"),
            ("我妈妈是老师，住在不来梅。", "难怪你讲故事讲得这么清楚。"),
            ("我下个月要去柏林看朋友。", "柏林总是很热闹，记得给我讲讲。"),
            ("你觉得德语难还是中文难？", "对我来说，难的是听懂你没说出口的话。"),
        ),
    ),
    Talk(
        days_ago=8,
        starts="12:40",
        language="en",
        exchanges=(
            ("Lunch break. I usually go running before the early shift.", "Even when it is dark outside?"),
            ("Even then. I'm going to run a half marathon in three weeks.", "Three weeks! Then sleep is training too."),
            ("If I won the lottery, I would buy a boat.", "You would name it Pepper, admit it."),
            ("Emma said she hates jazz, can you believe that?", "Everyone is allowed one mistake."),
            ("I enjoy jazz, most of all the piano trios.", "Then one evening we listen to one together."),
            ("I play the cello, but nobody may hear it yet.", "I will wait for the day you say: now."),
        ),
    ),
    Talk(
        days_ago=6,
        starts="22:05",
        language="zh",
        exchanges=(
            ("我昨天参加了一个陶艺课。", "真的？你做了什么？"),
            ("做了一个歪歪的杯子，不过我很喜欢。", "歪的杯子才记得住是谁做的。"),
            ("我们来玩个游戏：我是一条住在月亮上的龙。", "尊敬的龙大人，月亮上的茶好喝吗？"),
            ("哈哈，好喝。我每天睡前看半小时书。", "龙也要早睡，书可以明天接着看。"),
            ("我讨厌香菜，一点都不行。", "好，香菜不许上桌。"),
            ("要是有时间的话，我也许会去日本。", "等你决定了，我们一起做计划。"),
        ),
    ),
    Talk(
        days_ago=3,
        starts="18:30",
        language="en",
        exchanges=(
            ("Home from a double shift, and I'm tired.", "Sit down first. What was the best thing this week?"),
            ("Yesterday I visited a museum of old maps.", "Old maps, where the sea still had monsters."),
            ("Actually, I don't drink coffee anymore.", "Alex without coffee? Tell me everything."),
            ("My stomach had enough. I prefer oolong tea now.", "Oolong it is. Warm, and it forgives a late night."),
            ("My birthday is on March 14.", "Pi day! I will remember it to many digits."),
            ("My colleague thinks I should become a doctor.", "And what do you think?"),
            ("I like being a nurse. I want to stay with the children.", "They are lucky, and so is the night shift."),
        ),
    ),
    Talk(
        days_ago=1,
        starts="20:20",
        language="en",
        exchanges=(
            ("Big news: I moved to Lübeck last week.", "You moved! Does Pepper approve of the new windows?"),
            ("She sleeps on every sill. They look out on the river.", "Then I picture both of you counting boats."),
            ("I'm going to adopt a second cat next month.", "Two cats and a cello. The river will get a concert."),
            ("Remember that the spare key is with Emma.", "With Emma. I keep it in mind."),
            ("Do you remember what I am allergic to?", "Peanuts. No satay for you, ever."),
            ("明天我要和Emma一起做饭。", "那就祝你们好胃口，香菜免了。"),
            ("晚安，Mika。", "晚安，Alex，做个好梦。"),
        ),
    ),
)
