"""What kind of sentence a memo has before it: a rule laid down, a correction, a plan, or just talk.

Cues are words of the eight languages. A sentence is first tried against a set of trigger words (or, where words are
not separated, substrings), which nearly all sentences fail at once; only then does a pattern look closer. The
patterns have no nested repetition, so their cost grows with the length of the sentence alone.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

DIRECTIVE, CORRECTION, REMEMBER, IDENTITY, PLAN, TALK = (
    "directive", "correction", "remember", "identity", "plan", "talk",
)  # fmt: skip

_QUESTION = re.compile(r"(?:[?？]|吗|嗎|呢|か|니|까)[\s?？!！~～。.]*$")
_UNSPACED = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class _Spaced:
    """Cues of the languages that put blanks between words."""

    kind: str
    triggers: frozenset[str]
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Solid:
    """Cues of Chinese, Japanese and Korean: substrings, and what looks like one but is none."""

    kind: str
    cues: tuple[str, ...]
    unless: re.Pattern[str] | None = None


_POLITE = r"^(?:(?:please|and|but|so|also|ok|okay|hey|por favor|y|e|пожалуйста|и)[, ]+)*"


def _spaced(kind: str, triggers: str, *patterns: str) -> _Spaced:
    return _Spaced(kind, frozenset(triggers.split()), re.compile("|".join(patterns)))


_SPACED = (
    _spaced(
        REMEMBER,
        "remember forget mind запомни забудь забывай recuerda acuérdate olvides lembre lembra esqueça esqueças",
        _POLITE + r"(?:you )?(?:must )?(?:always )?remember\b",
        _POLITE + r"(?:don['’]?t|do not|never) (?:you )?(?:ever )?forget\b",
        _POLITE + r"(?:keep in mind|запомни|не забудь|не забывай|recuerda|acuérdate|no (?:te )?olvides)\b",
        _POLITE + r"(?:lembre-se|lembra-te|não (?:se |te )?esqueças?)\b",
        r"\bplease remember\b",
        r"\bhave to remember (?:that|this)\b",
    ),
    _spaced(
        DIRECTIVE,
        "don don't dont do never stop please always quit no не никогда хватит прекрати перестань nunca deja não pare "
        "para from",
        _POLITE + r"(?:don['’]?t|do not|never) (?!worry|mind|know|think|have|care|forget)\w",
        _POLITE + r"(?:(?:stop|quit) \w+ing|always \w+|from now on)\b",
        _POLITE + r"не (?!знаю|хочу|могу|понимаю|думаю|люблю|бы|буду)\w+(?:й|йте|и|ите|ь|ьте)\b",
        _POLITE + r"(?:никогда не|хватит|прекрати|перестань)\b",
        _POLITE + r"no (?:me|lo|la|le) (?!gust|import|acuerd|sient)\w",
        _POLITE + r"(?:no (?:hables|digas|menciones|llames|uses|vuelvas)|nunca (?:me )?\w+es|deja de)\b",
        _POLITE + r"não (?:me )?(?:fales?|digas?|mencione|menciones|chames?|uses?|pergunte)\b",
        _POLITE + r"(?:pare|para) de\b",
        r"\bplease (?:don['’]?t|do not|never|stop|always)\b",
        r"\bi (?:don['’]?t|do not|never) want you to\b",
        r"\bnever (?:again )?(?:call|mention|ask|tell|talk|bring)\b",
    ),
    _spaced(
        CORRECTION,
        "actually correction meant anymore any longer деле вернее ошибся ошиблась больше realidad dicho decir ya "
        "verdade dizer já mais",
        r"^(?:no[,.]? |oh[,.]? |well[,.]? )?actually,? (?:i|it|my|we|that)\b(?!['’](?:d|ve))",
        r"\b(?:correction|i meant|no longer)\b",
        r"(?:\bnot\b|n['’]t\b|\bnever\b).{0,80}\b(?:anymore|any more)\b",
        r"\b(?:на самом деле|больше не|я ошиб(?:ся|лась))\b",
        r"^вернее\b",
        r"\b(?:en realidad|mejor dicho|quise decir|ya no|na verdade|quis dizer|já não)\b",
        r"\bnão\b.{0,60}\bmais\b",
    ),
    _spaced(
        IDENTITY,
        "name call allergic birthday live work vegetarian vegan old from зовут рождения живу работаю аллергия llamo "
        "nombre llámame cumpleaños vivo alérgico alérgica nome chamo aniversário moro",
        r"\bmy (?:\w+ )?(?:name is|birthday)\b",
        r"\bcall me\b",
        r"\bi['’]?(?: a)?m (?:\w+ )?(?:allergic|vegetarian|vegan|from|\d{1,3} years old)\b",
        r"\bi(?: now)? (?:live in|work (?:in|at|as|for))\b",
        r"\b(?:меня зовут|мой день рождения|я живу|я работаю|аллергия на)\b",
        r"\b(?:me llamo|mi nombre es|llámame|mi cumpleaños|vivo en|soy alérgic[oa])\b",
        r"\b(?:meu nome é|me chamo|meu aniversário|moro em|sou alérgic[oa])\b",
    ),
    _spaced(
        PLAN,
        "going will i'll we'll planning plan promise tomorrow tonight next завтра планирую собираюсь обещаю следующей "
        "договорились mañana voy planeo prometo próxima próximo amanhã vou planejo",
        r"\b(?:i|we)['’]?(?: a)?(?:m|re) (?:going to|planning)\b",
        r"\b(?:i|we)(?:['’]ll| will)\b",
        r"\b(?:i promise|plan(?:ning)? to|tomorrow|tonight)\b",
        r"\bnext (?:week|month|year|mon|tues|wednes|thurs|fri|satur|sun)",
        r"\b(?:завтра|планирую|собираюсь|обещаю|на следующей|договорились)\b",
        r"\b(?:mañana|voy a|planeo|prometo|próxim[oa]|amanhã|vou|planejo)\b",
    ),
)

_SOLID = (
    _Solid(
        REMEMBER,
        (
            "记住", "記住", "记得", "記得", "别忘", "別忘", "不要忘",
            "覚えておいて", "覚えていて", "覚えてね", "忘れないで",
            "기억해", "잊지 마", "잊지마",
        ),
        re.compile("[我还還都]记得|[我還都]記得|没记住|沒記住"),
    ),
    _Solid(
        DIRECTIVE,
        (
            "不要", "不准", "不许", "不許", "禁止", "请勿", "請勿", "别", "別",
            "以后你", "以後你", "从现在起", "從現在起", "今后",
            "ないでください", "ないで下さい", "ないでね", "ないでほしい", "しないで", "言わないで", "やめて",
            "지 마", "지마", "그만", "말아 줘", "말아줘", "앞으로는",
        ),
        re.compile(
            "特别|特別|分别|分別|区别|區別|性别|性別|告别|告別|级别|級別|别人|別人|别的|別的|别墅|差别|差別|个别|個別"
            "|鉴别|识别|識別|離別|离别|別に|別れ|別の|要不要|我不要|我也不要|别担心|別擔心|别急|別急"
        ),
    ),
    _Solid(
        CORRECTION,
        (
            "其实我", "其實我", "不对，", "不對，", "更正", "说错", "說錯", "而是", "再也不", "不再",
            "実は", "じゃなくて", "ではなくて", "間違え",
            "사실은", "아니라", "잘못 말",
        ),
    ),
    _Solid(
        IDENTITY,
        (
            "我叫", "叫我", "我的名字", "我生日", "我的生日", "我住在", "过敏", "過敏", "我吃素",
            "私の名前", "僕の名前", "俺の名前", "と呼んで", "アレルギー", "誕生日は", "に住んで",
            "내 이름", "제 이름", "라고 불러", "알레르기", "생일은", "에 살아",
        ),
        re.compile("没过敏|不过敏|不過敏"),
    ),
    _Solid(
        PLAN,
        (
            "打算", "准备", "準備", "计划", "計劃", "明天", "后天", "後天", "下周", "下週", "下个月", "下個月", "明年",
            "我答应", "我答應", "我保证", "我保證", "约好", "約好", "说好了", "說好了",
            "予定", "つもり", "明日", "来週", "来月", "約束",
            "예정", "계획", "내일", "다음 주", "다음주", "다음 달", "약속",
        ),
    ),
)  # fmt: skip

_PROMISE = re.compile(
    r"\b(?:i promise|i(?:['’]ll| will) (?:always )?remember|обещаю|prometo)\b"
    r"|我答应|我答應|我保证|我保證|我会记|我會記|约好|約好|約束|약속"
)


def is_question(sentence: str) -> bool:
    """Whether a sentence, in lower case, asks something."""
    return _QUESTION.search(sentence) is not None


def kind_of(sentence: str, words: Set[str], *, by_human: bool) -> str:
    """One of the kinds above. ``sentence`` and ``words`` (its words) are in lower case.

    Questions are talk. Of the character's own sentences only promises are more than talk.
    """
    if is_question(sentence):
        return TALK
    if not by_human:
        return PLAN if _PROMISE.search(sentence) else TALK
    if _UNSPACED.search(sentence):
        for solid in _SOLID:
            left = solid.unless.sub(" ", sentence) if solid.unless else sentence
            if any(cue in left for cue in solid.cues):
                return solid.kind
    for spaced in _SPACED:
        if not words.isdisjoint(spaced.triggers) and spaced.pattern.search(sentence):
            return spaced.kind
    return TALK
