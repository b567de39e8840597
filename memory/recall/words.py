"""The words of a text: one tokenizer for what is indexed and for what is asked."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from hashlib import blake2b

import opencc
import snowballstemmer

from memory.recall import stopwords
from memory.recall.irregular import WORD_OF

# Raise this whenever a text may yield other tokens than before: a kept index of another version is not used.
TOKENIZER_VERSION = 1

# Words remembered between texts. Each costs about 200 bytes.
_CACHED_WORDS = 1 << 16

_MARKS = dict.fromkeys(range(0x300, 0x370))
_HAN = "\u3005-\u3007\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u3096\u309d-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = "\uac00-\ud7a3\u1100-\u11ff"
# Written without spaces and with marks that are no letters: Thai, Lao, Burmese, Khmer.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_ANY_HAN = re.compile(f"[{_HAN}]")
_ASCII_RUN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_RUN = re.compile(
    f"[{_HAN}]+|[{_HIRAGANA}]+|[{_KATAKANA}]+|[{_HANGUL}]+|[{_UNSPACED}]+"
    f"|[^\\W_{_HAN}{_HIRAGANA}{_KATAKANA}{_HANGUL}{_UNSPACED}]+(?:['\u2019][a-z]+)?"
)


def words(text: str) -> list[str]:
    """The tokens of ``text`` in order, repeated as often as they occur. Never fails, whatever the text."""
    folded = fold(text)
    found: list[str] = []
    if folded.isascii():
        runs = _ASCII_RUN.findall(folded)
        language = _latin_language(runs)
        for run in runs:
            found += _latin(run, language)
        return found
    matches = list(_RUN.finditer(folded))
    language = _latin_language([match.group() for match in matches])
    before_end, before_han = -1, ""
    for match in matches:
        run = match.group()
        first = run[0]
        if first < "\u0e00":
            found += _latin(run, language)
        elif "\uac00" <= first <= "\ud7a3" or "\u1100" <= first <= "\u11ff":
            found += _hangul(run)
        elif "\u3041" <= first <= "\u309f":
            # A verb or adjective is told by its kanji and the first kana after it: 食べ, 好き.
            if before_end == match.start() and before_han and first not in stopwords.PARTICLE_KANA:
                found.append(before_han + first)
            found += _hiragana(run)
        elif "\u30a0" <= first <= "\u30ff" or "\u31f0" <= first <= "\u31ff":
            found += _pairs(run)
        elif _ANY_HAN.match(first):
            found += _han(run)
            before_end, before_han = match.end(), run[-1]
        elif first <= "\u17ff":
            found += _pairs(run)
        else:
            found += _latin(run, language)
    return found


def prepare() -> None:
    """Load what the first text would wait for: about 20 ms, in whatever thread is free."""
    _simplified()
    words("prepared 准备 準備 준비 подготовлено")


@cache
def edition() -> int:
    """32 bits that change with the tokens of a sample: by our version, or by a stemmer's or converter's."""
    sample = "running studies generously 喜歡圖書館 図書館で読んだ 도서관에서 читали книги hablábamos"
    return term(f"{TOKENIZER_VERSION} {' '.join(words(sample))}") & 0xFFFFFFFF


def fold(text: str) -> str:
    """The text with differences of case, width, accent and Chinese script taken out."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold()
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).translate(_MARKS))
    return text.translate(_simplified()) if _ANY_HAN.search(text) else text


@lru_cache(maxsize=_CACHED_WORDS)
def term(token: str) -> int:
    """A token as a number of 63 bits, the same in every process."""
    return int.from_bytes(blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") >> 1


def is_fragment(token: str) -> bool:
    """Whether a token is one character out of a run of Han: weak evidence on its own."""
    return len(token) == 1 and _ANY_HAN.match(token) is not None


@cache
def _simplified() -> dict[int, int]:
    """Traditional characters to simplified ones, character by character."""
    characters = [chr(point) for block in ((0x3400, 0x4DC0), (0x4E00, 0xA000)) for point in range(*block)]
    converted = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    return {
        ord(character): ord(simple)
        for character, simple in zip(characters, converted, strict=True)
        if simple != character and len(simple) == 1
    }


@lru_cache(maxsize=_CACHED_WORDS)
def _latin(run: str, language: str) -> tuple[str, ...]:
    """A word of letters and digits: its stem, unless it is a stop word."""
    word = run.replace("\u2019", "'")
    if "'" in word:
        word, _, ending = word.partition("'")
        if ending not in ("s", "d", "ll", "m", "re", "ve", "t"):
            return (*_latin(word, language), *_latin(ending, language))
        if ending == "t":
            word = word.removesuffix("n")  # "don't": the stop word without its "not"
    if word[0] >= "\u0400":
        if word in stopwords.RUSSIAN:
            return ()
        return (_stemmers.stem("russian", word),) if word[0] <= "\u052f" else (word,)
    if word in stopwords.ENGLISH or (language != "english" and word in stopwords.LATIN[language]):
        return ()
    if language == "english":
        word = WORD_OF.get(word, word)
    if word.isdigit() or len(word) < 3:
        return (word,)
    return (_stemmers.stem(language, word),)


def _latin_language(runs: list[str]) -> str:
    """The language of the words in Latin script; English unless the function words clearly say otherwise."""
    best, most = "english", 1 + len(stopwords.ENGLISH.intersection(runs))
    if (most > 2 or len(runs) < 2) and 3 * most >= len(runs):
        # Nearly every English sentence ends here; the other lists share few words with its own.
        return best
    for language, functions in stopwords.LATIN.items():
        count = len(functions.intersection(runs))
        if count > most:
            best, most = language, count
    return best


class _Stemmers(threading.local):
    """A stemmer keeps the word it works on in itself, so each thread has its own."""

    def __init__(self) -> None:
        self.by_language: dict[str, Callable[[str], str]] = {}

    def stem(self, language: str, word: str) -> str:
        step = self.by_language.get(language)
        if step is None:
            step = self.by_language[language] = snowballstemmer.stemmer(language).stemWord
        return step(word)


_stemmers = _Stemmers()


@lru_cache(maxsize=_CACHED_WORDS)
def _han(run: str) -> tuple[str, ...]:
    """A run of Han characters: those that carry a subject, and all pairs but the empty ones."""
    found = [character for character in run if character not in stopwords.HAN]
    for at in range(len(run) - 1):
        pair = run[at : at + 2]
        if pair in stopwords.HAN_PAIRS or (pair[0] in stopwords.HAN and pair[1] in stopwords.HAN):
            continue
        found.append(pair)
    if not found and len(run) == 1:
        return ()
    return tuple(found)


@lru_cache(maxsize=_CACHED_WORDS)
def _hiragana(run: str) -> tuple[str, ...]:
    """The pairs of a run, without those of grammar: in a longer run the particles have pairs of their own."""
    pairs = (run[at : at + 2] for at in range(len(run) - 1))
    particles = stopwords.PARTICLE_KANA if len(run) > 3 else frozenset()
    return tuple(
        pair
        for pair in pairs
        if pair not in stopwords.KANA_PAIRS and pair[0] not in particles and pair[1] not in particles
    )


@lru_cache(maxsize=_CACHED_WORDS)
def _pairs(run: str) -> tuple[str, ...]:
    """All pairs of a run, or the whole of a run of one."""
    if len(run) < 3:
        return (run,)
    return tuple(run[at : at + 2] for at in range(len(run) - 1))


@lru_cache(maxsize=_CACHED_WORDS)
def _hangul(run: str) -> tuple[str, ...]:
    """A Korean word without its particle, and the pairs of its syllables."""
    if run in stopwords.KOREAN:
        return ()
    stem = run
    for particle in stopwords.PARTICLES:
        if len(run) > len(particle) and run.endswith(particle):
            stem = run[: -len(particle)]
            break
    if stem in stopwords.KOREAN:
        return ()
    if len(stem) < 3:
        return () if stem in stopwords.KOREAN_PAIRS else (stem,)
    pairs = [stem[at : at + 2] for at in range(len(stem) - 1)]
    return tuple(pair for pair in pairs if pair not in stopwords.KOREAN_PAIRS)
