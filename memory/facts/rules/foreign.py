"""Sentences in languages that no rule reads: whether one is stated by its speaker about themselves, as far as words tell.

Only what a model makes of them is ever kept, so each list errs towards nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from memory.facts.rules.stated import Stated
from memory.people import Names


@dataclass(frozen=True, slots=True, kw_only=True)
class _Foreign:
    """The small words of one language."""

    own: re.Pattern[str]        # the speaker speaks of themselves
    unsure: re.Pattern[str]     # asked, imagined, reported or played
    idle: re.Pattern[str]       # about whoever listens, or about the talk itself


def _of(own: str, unsure: str, idle: str) -> _Foreign:
    return _Foreign(own=_pattern(own), unsure=_pattern(unsure), idle=_pattern(idle))


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_LANGUAGES: Mapping[str, _Foreign] = {
    "ja": _of(
        r"私|わたし|僕|ぼく|俺|おれ|うち[のはが]|好き|嫌い|苦手|趣味|アレルギー|住んで|働いて|飼って|通って|生まれ|習って|毎[日週朝晩]",
        r"[?？]|か[。！\s]*$|かな|もし|なら|たら|だろう|でしょう|かも|って言|と言|らしい|そうです|みたい|夢|ふり|ごっこ|小説|映画の|歌詞",
        r"あなた|君|きみ|お前|彼|ありがとう|ごめん|おはよう|こんにちは|こんばんは|おやすみ|教えて|ください|眠い|疲れた|お腹|暇",
    ),
    "ko": _of(
        r"(?:^|\s)(?:나|내|저|제|나는|난|내가|저는|전|제가)(?:\s|$)|(?:^|\s)(?:나|저|내|제)[는가도의]|좋아해|좋아하|싫어|살고|살아요|일하고|일해|다니|키우|"
        r"알레르기|취미|태어났|배우고|매[일주]",
        r"[?？]|까[요]?[.!\s]*$|니[.!\s]*$|만약|라면|다면|것 같|아마|대요|래요|라고 (?:했|말)|꿈|척|소설|영화에서|가사",
        r"너|당신|네가|그는|그녀|고마워|감사|미안|안녕|잘 자|알려|해 ?줘|졸려|피곤|배고|심심",
    ),
    "ru": _of(
        r"\b(?:я|меня|мне|мной|мой|моя|моё|мое|мои|моей|моего|моих|моим)\b",
        r"\?|\b(?:если|бы|наверное|может|возможно|говорят|сказал\w*|говорит|якобы|будто|представ\w+|кажется|приснил\w+|снил\w+|"
        r"цитата|песн\w+)\b",
        r"\b(?:ты|тебя|тебе|тобой|вы|вас|вам|твой|твоя|он|она|они|его|её|ее|их|это|спасибо|привет|извини\w*|прости\w*|пока|"
        r"устал\w*|скучно|хочу спать|расскажи|помоги)\b",
    ),
    "es": _of(
        r"\b(?:yo|me|mi|mis|conmigo|soy|estoy|tengo|vivo|trabajo|estudio|hablo|toco|juego|como|bebo|nací|crecí|odio|prefiero|"
        r"practico|colecciono|cultivo|enseño|aprendo|conduzco|uso|llevo)\b",
        r"[?¿]|\b(?:si|quizás?|tal vez|ojalá|sería|podría|querría|dijo|dice|dicen|según|imagina|sueño|soñé|fingir|cita|letra)\b",
        r"\b(?:tú|te|ti|usted|él|ella|ellos|eso|esto|esta|este|hola|gracias|perdón|adiós|cansad[oa]|aburrid[oa]|hambre|sueño|"
        r"cuéntame|dime|ayúdame)\b",
    ),
    "pt": _of(
        r"\b(?:eu|me|mim|meu|minha|meus|minhas|comigo|sou|estou|tenho|moro|trabalho|estudo|falo|toco|jogo|bebo|nasci|cresci|"
        r"odeio|prefiro|pratico|coleciono|cultivo|ensino|aprendo|dirijo|uso)\b",
        r"\?|\b(?:se|talvez|tomara|seria|poderia|gostaria|disse|diz|dizem|segundo|imagine|sonho|sonhei|fingir|letra)\b",
        r"\b(?:tu|te|ti|você|vocês|ele|ela|eles|isso|isto|essa|esse|olá|oi|obrigad[oa]|desculpa|tchau|cansad[oa]|fome|sono|"
        r"conta|diga|ajuda)\b",
    ),
}  # fmt: skip
_SCRIPTS = (
    ("ja", re.compile("[\u3041-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)
# Words that one of the two has and neither the other nor English; and words of English, which are none of theirs.
_SPANISH = _pattern(
    r"\b(?:el|los|las|y|de|un|en|que|muy|pero|también|una|del|con|mi|hace|años|tengo|soy|vivo|trabajo|estudio|yo|por|gusta|hermanos?|"
    r"hermanas?|hij[oa]s?|casa|desde)\b|\w*ñ\w*"
)
_PORTUGUESE = _pattern(
    r"\b(?:os|uma?|de|em|que|muito|mas|também|não|com|meus?|minhas?|há|anos|tenho|sou|moro|trabalho|estudo|eu|da|num|numa|irmãs?|"
    r"irmãos?|filh[oa]s?|casa|desde)\b|\w*[ãõç]\w*"
)
_ENGLISH = _pattern(
    r"\b(?:the|a|an|i|im|my|me|and|is|am|are|was|in|of|to|with|at|it|for|have|you|your|we|he|she|they|this|that|what|so|"
    r"very|just|from|on|but|not|love|like|call|called|name|live|work|don't|can't)\b"
)
_LEAST = 2          # different words of a language that tell it


def foreign_statement(text: str, *, asked: bool, sarcastic: bool) -> Stated | None:
    """The sentence, if it is in one of the languages that no rule reads; idle where it states nothing of its speaker."""
    language = _language(text)
    if language is None:
        return None
    words = _LANGUAGES[language]
    reason = None
    if asked or sarcastic or words.unsure.search(text):
        reason = "question"
    elif not words.own.search(text):
        reason = "nobody"
    elif words.idle.search(text):
        reason = "talk"
    return Stated(text=text, language=language, idle=reason)


def foreign_quoted(text: str, language: str, names: Names) -> str:
    """The sentence in its speaker's words."""
    return f"{names.master_in(language)}: “{text}”"


def _language(text: str) -> str | None:
    for language, script in _SCRIPTS:
        if len(script.findall(text)) > 1:
            return language
    told = {"es": _SPANISH, "pt": _PORTUGUESE}
    counts = {language: len({word.casefold() for word in words.findall(text)}) for language, words in told.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] >= max(_LEAST, 1 + len(_ENGLISH.findall(text))) else None
