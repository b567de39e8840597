"""How somebody takes what was said to them: agreeing, denying, or asking to leave it. English and Chinese.

Certain or silent: "no problem", "no way!", 对了 and 对不起 say neither yes nor no. Clauses are short and every pattern
is matched against one of them, so that none can take long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.facts.rules.clean import Recalled, own_lines, plain
from memory.recall.words import fold

_LONGEST = 2_000            # characters of a message that are looked at
_LONGEST_ANSWER = 80        # … and of a clause that may be a yes or a no
_CLAUSE = re.compile(r"[,.!?;~\n，。！？；～…、]+|\s[-–—]+\s")
_ASKED = re.compile(r"[?？]\s*$|(?:吗|么)[\s。！～~]*$|^(?!.*才).*呢[\s。！～~]*$", re.MULTILINE)


def _any(*alternatives: str) -> str:
    return "(?:" + "|".join(alternatives) + ")"


_FILLER = _any(
    "u+m+", "u+h+", "h+m+", "oh", "ah", "well", "so", "honestly", "actually", "haha[ha]*", "lol", "hey",
    "[呃啊哎诶额哦噢唔哈]", r"嗯(?=\S)", "那个", "其实",
)  # fmt: skip
_DENIES = re.compile(
    rf"(?:{_FILLER}\s*)*"
    + _any(
        "no+(?: no+)*(?: not (?:really|at all))?", "nope", "nah+", "not really", "not at all", "not true",
        "not any ?more", "wrong", "incorrect", "i don't think so",
        "(?:that's|that is|it's|it is) (?:just )?(?:not (?:true|right|correct|so)|wrong|incorrect|a lie)",
        "(?:that|it) isn't (?:true|right|correct|so)",
        r"(?:you're|you are) (?:wrong|mistaken|confusing me|mixing)\b.*",
        "you (?:got|have|remember(?:ed)?) (?:it|that|me) wrong",
        r"you must (?:be|have) (?:confus|mistak|mix|misremember)\w*\b.*", r"you misremember(?:ed)?\b.*",
        "i (?:really |never )?(?:don't|do not|didn't|did not|never did|never said (?:that|so)|am not|haven't)",
        "不是(?:的|啊|呀|哦|啦|这样(?:的)?|那样(?:的)?)?", "不对(?:啊|呀|哦|吧)?", "并不是?", "并没有",
        "才不(?:是|会|喜欢)?.{0,6}", "才没有?.{0,6}", "没有(?:啊|呀|哦|啦|的|的事)?", "没有没有", "哪有.{0,4}",
        "没(?:有)?这回事", "你?(?:记|搞|弄|认|说)错了?.{0,4}", "错(?:了|啦)",
        "我可?没有?(?:说过|这么说|这样说).{0,4}", "我没有", "我不是?", "不(?:啊|呀|哦)", "不+",
    )
)
_AFFIRMS = re.compile(
    rf"(?:{_FILLER}\s*)*"
    + _any(
        "ye+s+(?: yes+)*(?: (?:i do|i am|indeed|exactly|please))?",
        "(?:yeah+|yep|yup|yea)(?: (?:i (?:do|am|did|really do)|exactly|right|sure))?",
        "exactly(?: right)?", "right", "correct", "true", "indeed", "absolutely", "totally", "definitely",
        "of course", "sure(?: do| am| is)?", r"you (?:still )?remember(?:ed)?\b.*", "good memory",
        "(?:that's|that is|it's) (?:so |very |totally |absolutely )?(?:right|true|correct|me)",
        "i (?:do|am|did|still do)", "still do", "always(?: have)?", "you know me(?: (?:so )?well)?",
        "对[啊呀的哦呢哒对]*", "是(?:的|啊|呀|哦|呢|哒|这样|这样的)+", "没错.{0,3}", "没有错", "嗯+[啊呐哪对]?",
        "确实.{0,4}", "正是", "当然[啦了啊]?", "你(?:还|居然还|竟然还)?都?记得.{0,6}", "记得真.{1,4}", "就是[啊呀的]?",
        "可不是[嘛吗]?", "说得对",
    )
)
_THANKS = re.compile(r"(?:thanks|thank you|thx|ty)\b|(?:谢谢|多谢)")

# A denial of something named, anywhere in a clause: the cue, not the whole of what is denied.
_NEGATION = re.compile(
    r"\b(?:not|never|no longer|isn't|aren't|wasn't|don't|doesn't|didn't|do not|does not|did not|haven't|won't)\b|"
    r"\b(?:anymore|any more)\b|[不没别错]"
)
_MISTAKE = re.compile(
    _any(
        r"\b(?:not true|untrue|that's wrong|you're wrong|mistaken|misremember\w*|never said|no longer)\b",
        r"\byou (?:got|have|remember(?:ed)?) (?:it|that|me) wrong\b",
        r"\b(?:don't|do not|doesn't|not|never)\b.{0,80}\bany ?more\b",
        "[记搞弄]错", "不是真的", "没这回事", "没说过", "早就不", "已经不", "不再", "再也不", "[不没].{0,12}了$",
    )
)

_ENGLISH_TOPIC = re.compile(
    r"\b"
    + _any(
        "(?:don't|do not|stop|quit|no more|never)(?: ever)?(?: keep)? (?:talk(?:ing)? about|bring(?:ing)? up|"
        "mention(?:ing)?|go(?:ing)? on about|ask(?:ing)?(?: me)? about|remind(?:ing)? me (?:of|about))",
        "(?:let's not|i don't (?:want|wanna|like) (?:to )?|i'd rather not) ?(?:talk|hear|think) about",
    )
    + r" (?P<topic>[^.!?,;\n]{1,60})"
)
_CHINESE_TOPIC = re.compile(
    _any(
        "(?:别|不要|不许|少|不用)(?:再|老是?|总是?|一直)?(?:跟我|和我|给我)?[提说聊谈讲问][起到及]?(?:关于)?",
        "(?:不想|不愿意?)再?(?:跟你|和你)?[提说聊谈讲][起到及]?(?:关于)?",
    )
    + r"(?P<topic>[^，。！？；,.!?;\n]{1,30})"
)
_LEAVE_IT = re.compile(
    _any(
        r"\b(?:drop it|drop the subject|change the (?:subject|topic)|let's talk about something else)\b",
        r"\b(?:enough (?:of|about) (?:this|that)|i don't want to talk about (?:it|this|that))\b",
        "(?:别|不要)再?[说提聊](?:了|[这那]个了?|这些了?)", "换(?:个|一个)话题", "不[说聊提]这个了?",
        "不想[说聊提](?:这个|了)",
    )
)
_NO_TOPIC = re.compile(
    "it|this|that|them|these|those|anything|things?|me|you|us|(?:这|那|它|我|你|话|什么)[个些事了吧啊]*"
)
_AFTER_TOPIC = re.compile(
    r"\s+(?:any ?more|again|right now|now|today|please|ok(?:ay)?|with me|to me)\b.*$|"
    "(?:的事情?|的话题|这件事|这回事|这个话题)?(?:了|啦|吧|啊|好吗|行吗|好不好)*$"
)


@dataclass(frozen=True, slots=True)
class Reply:
    """One message of the user as an answer."""

    clauses: tuple[str, ...]        # folded, in order
    asked: bool                     # it ends as a question: neither yes nor no

    @property
    def denies(self) -> bool:
        """Whether it begins by saying no."""
        if self.asked or not self.clauses or not _whole(_DENIES, self.clauses[0]):
            return False
        return not (len(self.clauses) > 1 and _THANKS.match(self.clauses[1]))

    @property
    def affirms(self) -> bool:
        """Whether it begins by saying yes."""
        return not self.asked and bool(self.clauses) and not self.denies and _whole(_AFFIRMS, self.clauses[0])

    def denying(self) -> tuple[str, ...]:
        """The clauses that deny what they name: a mistake pointed out, something that is so no longer."""
        if self.asked:
            return ()
        begins = self.denies
        return tuple(
            clause for clause in self.clauses if _MISTAKE.search(clause) or (begins and _NEGATION.search(clause))
        )


@dataclass(frozen=True, slots=True)
class Avoid:
    """A wish not to be talked to about something; ``topic`` is None for whatever was being talked about."""

    topic: str | None


def read_reply(text: str) -> Reply:
    """A message as an answer: only what its writer says in their own voice."""
    spoken = _own_voice(text)
    folded = fold(spoken).replace("’", "'")
    clauses = tuple(clause for part in _CLAUSE.split(folded) if (clause := part.strip()))
    return Reply(clauses, bool(_ASKED.search(spoken.strip())))


def wishes_to_avoid(text: str) -> Avoid | None:
    """What the writer asks not to be talked to about, if they do."""
    folded = fold(_own_voice(text)).replace("’", "'")
    for pattern in (_ENGLISH_TOPIC, _CHINESE_TOPIC):
        if (match := pattern.search(folded)) is not None:
            topic = _AFTER_TOPIC.sub("", match["topic"]).strip()
            if len(topic) > 1 and not _NO_TOPIC.fullmatch(topic):
                return Avoid(topic)
    return Avoid(None) if _LEAVE_IT.search(folded) else None


def _own_voice(text: str) -> str:
    own, _ = own_lines(text[:_LONGEST], Recalled(()))
    return "\n".join(plain(line)[0] for line in own)


def _whole(pattern: re.Pattern[str], clause: str) -> bool:
    return len(clause) <= _LONGEST_ANSWER and pattern.fullmatch(clause) is not None
