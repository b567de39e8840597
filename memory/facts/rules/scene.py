"""Whether a conversation is in the middle of a scene that its speakers play."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.history.turn import HUMAN, Turn

_LOOKED_BACK = 40  # turns; a scene that was not mentioned for longer is taken to be over
_LOOKED_AT = 2_000  # characters of a turn

_OPENS = re.compile(
    r"\b(?:let's|lets|let us|wanna|want to|can we|shall we|we could|how about we|time to|"
    r"start(?:ing)?|continue|begin) (?:a |our |the |some |do |play )*(?:role ?-?play|rp\b|pretend|"
    r"make[- ]believe)"
    r"|\b(?:role ?-?play|pretend) (?:as|that|with me|you|you're|i'm|i am|we)\b|\b(?:act|acting|play) "
    r"as (?:an?|the|my|if)\b"
    r"|\b(?:you(?:'re| are| be|'ll be| will be)|you play) (?:the|an?) [\w -]{2,30},? (?:and )?(?:i'm|"
    r"i am|i'll be|i will be|i play)\b"
    r"|来(?:玩|进行)?(?:一个|个)?角色扮演|角色扮演(?:吧|开始|一下)|(?:你|我)(?:来)?(?:扮演|演|"
    r"饰演)(?!过|了|技|员|出|唱|讲|奏|得)|来?语[cC](?:吧|一下)?|假装(?:你|我|我们)是|入戏|开始跑团|"
    r"我们来演",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\b(?:(?:stop|end|pause|quit|enough|done|finish(?:ed)?)(?: with)?(?: the| this| our)? (?:role "
    r"?-?play(?:ing)?|rp|pretending|scene|game)|out of character|ooc\b|back to reality|scene over|end "
    r"scene|no more (?:role ?-?play|pretending)"
    r"|role ?-?play (?:is )?over|for real now|in real life|irl\b|seriously now|jokes aside|the end\b)"
    r"|(?:不玩|不演|别演|出戏|结束(?:角色)?扮演|扮演结束|演完|游戏结束|说正经的|说真的|回到现实|"
    r"现实里|现实中|言归正传|剧终|先停一下)",
    re.IGNORECASE,
)


def playing(turns: Sequence[Turn]) -> bool:
    """Whether the last of the turns is said within a scene that one of them opened and none has closed since."""
    for turn in reversed(turns[-_LOOKED_BACK:]):
        if turn.kind != HUMAN:
            continue
        text = turn.text[:_LOOKED_AT]
        if _CLOSES.search(text):
            return False
        if _OPENS.search(text):
            return True
    return False
