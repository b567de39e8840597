"""What of a message its speaker said in their own voice: everything pasted, injected, acted or quoted is cut out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from memory.history.turn import without_stamp

LONGEST_TURN = 20_000  # characters of one turn that are read; the rest is left to the raw history

# A quotation, kept out of reach of every rule: one private character, then its number, then another.
QUOTE_OPEN, QUOTE_CLOSE = "\ue000", "\ue001"

_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\ue000\ue001\ufe0f"), None)
_SAME_AS = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "\u00a0": " ", "\u3000": " ", "\t": " ", "．": "."})

_MEMO_PREFIXES = (
    "先前对话的备忘录",
    "memo from prior conversations",
    "以前の会話のメモ",
    "이전 대화의 메모",
    "заметки из предыдущих разговоров",
    "notas de conversaciones previas",
    "notas de conversas anteriores",
)
_INJECTED_HEAD = re.compile(
    r"[-*#>\s]{0,8}(?:\[|【|<|\{)? ?(?:memory|memories|recalled?|recalled memories|long[- ]term memory|"
    r"retrieved|context|relevant memor(?:y|ies)|known facts|facts|persona|system(?: note| prompt| "
    r"message)?|developer|"
    r"assistant|tool|game|avatar|scene|narrator|ooc|note|记忆|回忆|长期记忆|相关记忆|已知事实|召回|系统(?:提示|消息)?|"
    r"旁白|场景|游戏|备忘录?|人设)(?: ?(?:context|block|note|片段|内容))? ?(?:\]|】|>|\}|:|：)",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(/?)([A-Za-z][\w:-]{0,40})(?:\s[^<>]{0,200})?(/?)>")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_CODE_LINE = re.compile(
    r"^\s*(?:def |class |import |from \w+ import|#include|function\b|const |let |var |return\b|public |private |"
    r"SELECT |INSERT |UPDATE |\$ |>>> |sudo |pip |npm |git |//|/\*|\{\s*$|\}\s*;?$)|[{};]\s*$|=>|"
    r"\)\s*\{|\b\w{1,60}\([^)]{0,80}\);?$"
)
_INLINE_CODE = re.compile(r"'{3}[^']{0,400}'{3}")
_URL = re.compile(r"(?:https?://|www\.)\S{1,2000}|\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}", re.IGNORECASE)
_STAGE_LINE = re.compile(
    r"^\s*(?:\*[^\s*]{0,60}\s[^*\n]{0,400}\*|_[^\s_]{0,60}\s[^_\n]{0,400}_|" r"[\[【{][^\]】}\n]{1,200}[\]】}])"
)
_ASIDE_HEAD = re.compile(r"^\s*[(（]([^()（）\n]{1,200})[)）]")
_ASIDE = re.compile(r"[(（][^()（）\n]{0,200}[)）]|[\[【][^\[\]【】\n]{0,200}[\]】]")
_SMALL_ASIDE = re.compile(
    r"^(?:lol|lmao|haha\w*|laughs?|sighs?|sorry.*|btw.*|笑\w?|哭\w?|苦笑|叹气|捂脸|无奈|小声|逃|偷笑|害羞|bushi|不是|狗头|"
    r"[\W_]{1,8}|[^\w\s]+.{0,6})$",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"\*{1,2}([^\s*]{1,40})\*{1,2}")
_STAGE_WORD = re.compile(
    r"^\w+s$|^(?:nods|sigh|hug|smile|giggle|wave|blush|cry|laugh|摸头|抱抱|叹气|点头|笑)$", re.IGNORECASE
)
_QUOTED = re.compile(
    r'“([^“”\n]{1,300})”|"([^"\n]{1,300})"|「([^「」\n]{1,300})」|『([^『』\n]{1,300})』|《([^《》\n]{1,100})》'
)


class Recalled:
    """Texts that were shown to the speaker, so that hearing them again teaches nothing."""

    def __init__(self, texts: Collection[str]) -> None:
        self._folded = {folded for text in texts if (folded := fold_line(text))}

    def __contains__(self, line: str) -> bool:
        return bool(self._folded) and fold_line(line) in self._folded


def fold_line(text: str) -> str:
    """A line without bullets, case, width and punctuation, for telling whether it is one we know."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(char if char.isalnum() else " " for char in folded).split())


def own_lines(text: str, recalled: Recalled) -> tuple[list[str], list[tuple[str, str]]]:
    """The lines the speaker said themselves, and (reason, line) for each line left out."""
    text = without_stamp(text[:LONGEST_TURN]).translate(_INVISIBLE)
    text = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates
    kept: list[str] = []
    dropped: list[tuple[str, str]] = []
    injected = fenced = False
    for line in _without_tagged(text, dropped).splitlines():
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if not line.strip():
            injected = False
            continue
        reason = "recalled" if injected else "code" if fenced else None
        if reason is None and _is_injected(line):
            injected, reason = True, "recalled"
        reason = reason or _why_not(line, recalled)
        if reason is None:
            kept.append(line)
        else:
            dropped.append((reason, line))
    return kept, dropped


def plain(line: str) -> tuple[str, list[str]]:
    """The line without asides, links and emphasis marks, quotations put away; and the quotations."""
    line = line.translate(_SAME_AS)
    aside = _ASIDE_HEAD.match(line)
    if aside:
        line = line[aside.end() :]
    line = _ASIDE.sub(" ", _URL.sub(" \ue002 ", line))
    line = _EMPHASIS.sub(lambda match: " " if _STAGE_WORD.match(match[1]) else match[1], line)
    quotes: list[str] = []

    def put_away(match: re.Match[str]) -> str:
        quotes.append(match[0])
        return f"{QUOTE_OPEN}{len(quotes) - 1}{QUOTE_CLOSE}"

    return " ".join(_QUOTED.sub(put_away, line).split()), quotes


def with_quotes(text: str, quotes: list[str]) -> str:
    """The text with its quotations put back."""
    return re.sub(rf"{QUOTE_OPEN}(\d+){QUOTE_CLOSE}", lambda match: quotes[int(match[1])], text)


def quotes_in(text: str, quotes: list[str]) -> list[str]:
    """The quotations that stand in the text."""
    return [quotes[int(number)] for number in re.findall(rf"{QUOTE_OPEN}(\d+){QUOTE_CLOSE}", text)]


def _why_not(line: str, recalled: Recalled) -> str | None:
    if line.lstrip().startswith((">", "》", "|")):
        return "quoted"
    if re.search("[♪♫🎵🎶]", line):
        return "quoted"
    if line in recalled:
        return "recalled"
    if _STAGE_LINE.match(line):
        return "fiction"
    aside = _ASIDE_HEAD.match(line)
    if aside and not _SMALL_ASIDE.match(aside[1].strip()):
        return "fiction"
    if _CODE_LINE.search(line):
        return "code"
    return None


def _is_injected(line: str) -> bool:
    folded = unicodedata.normalize("NFKC", line).strip(" -*#>").casefold()
    return folded.startswith(_MEMO_PREFIXES) or bool(_INJECTED_HEAD.match(line))


def _without_tagged(text: str, dropped: list[tuple[str, str]]) -> str:
    """The text without ``<tag>…</tag>`` blocks; one that is never closed takes the rest with it."""
    out: list[str] = []
    depth, at, opened = 0, 0, ""
    for tag in _TAG.finditer(text):
        closing, name, alone = tag[1] == "/", tag[2].casefold(), tag[3] == "/"
        if depth == 0:
            out.append(text[at : tag.start()])
            at = tag.end()
            if not closing and not alone and name not in ("br", "b", "i", "em", "strong", "p"):
                depth, opened = 1, name
        elif name == opened and not alone:
            depth += -1 if closing else 1
            if depth == 0:
                dropped.append(("recalled", text[at : tag.start()]))
                at = tag.end()
    if depth:
        dropped.append(("recalled", text[at:]))
    else:
        out.append(text[at:])
    return "".join(out)
