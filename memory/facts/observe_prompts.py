"""How a model is asked for facts."""

from __future__ import annotations

from memory.models.prompt import Wording

_SHAPE_EN = (
    'Answer with a JSON array: [{"text": "…", "importance": 1-10, "entity": "master|neko|relationship", '
    '"message": number of the message it stands in, "event_when": null or {"start": {"offset": -1, "unit": "day"}, '
    '"end": null}'
)
_SHAPE_ZH = (
    '用 JSON 数组回答：[{"text": "…", "importance": 1-10, "entity": "master|neko|relationship", '
    '"message": 所在消息的编号, "event_when": null 或 {"start": {"offset": -1, "unit": "day"}, "end": null}'
)
_HOW_EN = (
    "One statement per item, short, in the third person, in the language and as far as possible in the words of the "
    "conversation. Leave out chit-chat, jokes, role play, questions, guesses, what others are reported to have said, "
    "and whatever merely repeats something that was read out. importance: 10 names, birthdays, 'remember this'; 8-9 "
    "lasting tastes, limits, people and work; 6-7 ordinary tastes, habits, what happened or is planned; 1-5 the rest. "
    "entity: master for {master}, neko for {neko}, relationship for the two together. Times are offsets from the "
    "message, negative for the past, with unit minute, hour, day, week, month or year; never dates. If there is "
    "nothing worth remembering, answer []."
)
_HOW_ZH = (
    "每项只写一个陈述，简短，用第三人称，用对话所用的语言，并尽量用对话里的原词。略去闲聊、玩笑、角色扮演、提问、"
    "猜测、转述他人的话，"
    "以及只是重复被念出来的内容。importance：10 为姓名、生日、“记住这个”；8-9 为长期的喜好、禁忌、身边的人和工作；"
    "6-7 为普通喜好、"
    "习惯、发生过或计划中的事；其余 1-5。entity：{master} 用 master，{neko} 用 neko，两人之间用 relationship。"
    "时间写成相对该消息的偏移，"
    "过去为负，单位为 minute、hour、day、week、month 或 year，绝不写日期。没有值得记住的内容就回答 []。"
)

USER_ONLY: Wording = {
    "en": f"Find what {{master}} states in these messages that is worth remembering. {_HOW_EN}\n{_SHAPE_EN}}}]",
    "zh": f"找出 {{master}} 在这些消息里说明的、值得记住的事。{_HOW_ZH}\n{_SHAPE_ZH}}}]",
}

BOTH_SIDES: Wording = {
    "en": (
        f"Find what {{master}} and {{neko}} told each other in this conversation that is worth remembering and is not "
        f"listed under known. {_HOW_EN} source: user_observation for what {{master}} said, ai_disclosure for what only "
        f'{{neko}} said.\n{_SHAPE_EN}, "source": "user_observation|ai_disclosure"}}]'
    ),
    "zh": (
        f"找出 {{master}} 与 {{neko}} 在这段对话里互相说过、值得记住、且 known 中没有列出的事。{_HOW_ZH} source："
        f"{{master}} 说的用 "
        f'user_observation，只有 {{neko}} 说的用 ai_disclosure。'
        f'\n{_SHAPE_ZH}, "source": "user_observation|ai_disclosure"}}]'
    ),
}
