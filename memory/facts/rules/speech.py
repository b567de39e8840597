"""From lines to sentences, each with its language and whether it was asked rather than told."""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST_SENTENCES = 200

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_OTHER_SCRIPT = re.compile(r"[\u3040-\u30ff\uac00-\ud7af\u0400-\u04ff\u0600-\u06ff\u0e00-\u0e7f\u0900-\u097f]")
_LATIN_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?")
_ENGLISH_PRONOUN = re.compile(r"\b(?:i|im|i'm|ive|my|me)\b", re.IGNORECASE)
_CHINESE_GLUE = re.compile(r"[我你的是在了]")

_EMOJI = "\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_KAOMOJI = re.compile(r"(?<!\w)(?:[:;=][-^']?[()DPpOo3/|]|[xX]D+|\^[_.\-]?\^|T[_.]T|>[_.]<|<3|orz|QAQ|QwQ|QWQ)(?!\w)")
_ABBREVIATION = re.compile(
    r"\b(?:mr|mrs|ms|dr|st|prof|jr|sr|vs|etc|e\.g|i\.e|a\.m|p\.m|u\.s|u\.k|no|approx|inc|ltd)$", re.IGNORECASE
)
_END = re.compile(rf"[。！？!?；;\n…]+|\.{{2,}}|\.(?=\s|$)|~+|～+|[{_EMOJI}]+")
_CONTENT = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence as spoken, without its end mark."""

    text: str
    language: str | None  # "en", "zh", or None for any other
    asked: bool  # it ended with a question mark
    sarcastic: bool  # marked as not meant


_SARCASM = re.compile(r"(?:^|\s)/s\b|[\U0001f644]|\byeah right\b|呵呵", re.IGNORECASE)


def sentences(line: str) -> list[Sentence]:
    """The sentences of one line, at most one more than MOST_SENTENCES: there the caller stops."""
    found: list[Sentence] = []
    line = _KAOMOJI.sub("~", line)
    sarcastic = bool(_SARCASM.search(line))
    start = 0
    for end in (*_END.finditer(line), None):
        stop = end.start() if end else len(line)
        if end is not None and end[0] == "." and _ABBREVIATION.search(line[max(0, stop - 8) : stop]):
            continue
        text = line[start:stop].strip(" ,，、-—:：")
        mark = end[0] if end else ""
        start = end.end() if end else len(line)
        if len(_CONTENT.findall(text)) >= 3 or _HAN.search(text):
            found.append(Sentence(text, language_of(text), "?" in mark or "？" in mark, sarcastic))
        elif found and ("?" in mark or "？" in mark) and not text:
            found[-1] = Sentence(found[-1].text, found[-1].language, True, sarcastic)
        if len(found) > MOST_SENTENCES:
            break
    return found


def language_of(text: str) -> str | None:
    """Which of our two languages the text is in, by script and by its small words."""
    if _OTHER_SCRIPT.search(text):
        return None
    han, latin = len(_HAN.findall(text)), len(_LATIN_WORD.findall(text))
    if not han:
        return "en" if latin else None
    if _CHINESE_GLUE.search(text) or not latin:
        return "zh"
    if _ENGLISH_PRONOUN.search(text):
        return "en"
    return "zh" if han >= latin else "en"
