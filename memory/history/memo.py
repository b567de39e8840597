"""The memo that stands for compressed history when no model can write one.

It is made of excerpts: whole sentences somebody said, each on its line as ``[MM-DD] <speaker>: <sentence>``, with the
turn it came from kept beside it. Rules, corrections and things to remember come in first, then plans and promises,
then the most central sentences of the talk. A memo that a model wrote is carried on word for word, line by line.
Pure, and the same input gives the same memo.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from memory import tokens
from memory.history.centrality import central
from memory.history.cues import CORRECTION, DIRECTIVE, IDENTITY, PLAN, REMEMBER, TALK, is_question, kind_of
from memory.history.turn import AI, HUMAN, Turn, without_stamp
from memory.history.wording import sentences_of, words_of
from memory.people import Names
from memory.strings.catalogue import TEXTS, template

METHOD = "extractive/v1"
FOREIGN = "foreign"             # a line of a memo that somebody else wrote

STALE = timedelta(days=7)
STALE_RULE = "---"

_VOWS = frozenset({DIRECTIVE, CORRECTION, REMEMBER, IDENTITY})
_SALIENCE = {DIRECTIVE: 1.0, REMEMBER: 1.0, CORRECTION: 0.95, IDENTITY: 0.9, PLAN: 0.7, FOREIGN: 0.65}
_TALK_SALIENCE = 0.6            # of the most central sentence
_FADING = 0.85                  # what a carried item keeps of its salience at each compression

# Shares of the budget that one class may take before the others had their turn; what is left over is shared out again.
_VOWS_SHARE, _PLANS_SHARE, _TALK_SHARE = 0.55, 0.20, 0.30

_SENTENCE_CHARS = 280           # longer talk is cut
_VERBATIM_CHARS = 600           # … but not what was laid down, up to here
_SPECIAL_PER_MESSAGE, _TALK_PER_MESSAGE = 6, 2
_HEAD_CHARS, _TAIL_CHARS = 6_000, 2_000    # what is read of one message
_CHARS_READ = 1_500_000         # … and of all together, newest first
_TALK_CONSIDERED = 2_000        # sentences that are compared, newest first

_PREFIXES = tuple(text.strip() for text in TEXTS["memo_prefix"].values())
_MARKS = frozenset(TEXTS["memo_excerpts"].values())
_LEADING_MARK = re.compile("|".join(re.escape(mark) for mark in sorted(_MARKS)))
_NOT_TEXT = re.compile(r"[\W_]+")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoItem:
    """One line of a memo."""

    kind: str                       # a kind of ``cues``, or FOREIGN
    sentence: str                   # one line, as it was said
    salience: float
    speaker: str | None = None      # None: the line is the sentence alone
    at: datetime | None = None      # aware; when it was said
    turn_id: str | None = None
    older: bool = False             # it stands under the ``---`` line

    @property
    def line(self) -> str:
        date = f"[{self.at:%m-%d}] " if self.at is not None else ""
        return f"{date}{self.speaker}: {self.sentence}" if self.speaker else f"{date}{self.sentence}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memo:
    """A memo. Without items it is empty, its ``text`` is "", and it should replace nothing."""

    locale: str
    items: tuple[MemoItem, ...] = ()            # in the order in which they are shown
    rows: tuple[int, int] | None = None         # first and last row of the turns it stands for

    @property
    def text(self) -> str:
        """The whole memo as the content of a system message."""
        if not self.items:
            return ""
        fresh = [item.line for item in self.items if not item.older]
        older = [item.line for item in self.items if item.older]
        return "\n".join([_heading(self.locale), *fresh, *([STALE_RULE, *older] if older else [])])

    def to_json(self) -> dict[str, Any]:
        items = [
            {
                "kind": item.kind,
                "sentence": item.sentence,
                "salience": item.salience,
                "speaker": item.speaker,
                "at": item.at.isoformat() if item.at is not None else None,
                "turn": item.turn_id,
                "older": item.older,
            }
            for item in self.items
        ]
        return {
            "method": METHOD,
            "locale": self.locale,
            "rows": list(self.rows) if self.rows is not None else None,
            "items": items,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Memo:
        items = tuple(
            MemoItem(
                kind=item["kind"],
                sentence=item["sentence"],
                salience=float(item["salience"]),
                speaker=item.get("speaker"),
                at=datetime.fromisoformat(item["at"]) if item.get("at") else None,
                turn_id=item.get("turn"),
                older=bool(item.get("older")),
            )
            for item in value["items"]
        )
        rows = value.get("rows")
        return cls(locale=value["locale"], items=items, rows=(rows[0], rows[1]) if rows else None)


def is_memo(text: str) -> bool:
    """Whether the text of a system message is a memo, whoever wrote it and in whatever language."""
    return text.lstrip().startswith(_PREFIXES)


def parse_memo(text: str, locale: str) -> Memo | None:
    """A memo of which only the text is known, its lines kept word for word; None if the text is no memo.

    Such lines have no date and no turn. Lines under a ``---`` line stay there.
    """
    body = text.lstrip()
    prefix = next((prefix for prefix in _PREFIXES if body.startswith(prefix)), None)
    if prefix is None:
        return None
    body = _LEADING_MARK.sub("", body[len(prefix) :].lstrip(), count=1)
    items: list[MemoItem] = []
    older = False
    for line in body.splitlines():
        line = line.strip()
        if line == STALE_RULE:
            older = True
        elif line:
            # A summary is often one long paragraph, which could only be kept or dropped as a whole.
            pieces = [line] if len(line) <= _VERBATIM_CHARS else sentences_of(line)
            items += [
                MemoItem(kind=FOREIGN, sentence=piece, salience=_SALIENCE[FOREIGN], older=older) for piece in pieces
            ]
    return Memo(locale=locale, items=tuple(items))


def make_memo(
    previous: Memo | None, turns: Sequence[Turn], names: Names, locale: str, now: datetime, budget: int = 1_000
) -> Memo:
    """The memo that stands for ``previous`` and ``turns`` together, at most ``budget`` tokens long.

    ``turns`` are in the order of their rows. Nothing in the memo was said by nobody: every item is carried on from
    ``previous`` or is a sentence of one of the turns (cut at its end, if it is very long talk).
    """
    carried = [replace(item, salience=item.salience * _FADING) for item in previous.items] if previous else []
    spoken = _read(turns, names)
    special = [item for item in spoken if item.kind != TALK]
    vows = _distinct([item for item in (*carried, *special) if item.kind in _VOWS])
    plans = _distinct([item for item in (*carried, *special) if item.kind == PLAN])
    others = _distinct([item for item in carried if item.kind not in _VOWS and item.kind != PLAN])
    known = {_key(item.sentence) for item in (*vows, *plans, *others)}
    # Distinct, but oldest first: the ranking wants to know what was said when.
    unsaid = {_key(item.sentence): item for item in spoken if item.kind == TALK}
    talk = [item for key, item in unsaid.items() if key not in known]

    basket = _Basket(budget - tokens.count(f"{_heading(locale)}\n{STALE_RULE}\n"))
    whole = basket.left
    for_talk = int(_TALK_SHARE * whole) if talk else 0
    basket.take(vows, at_most=int(_VOWS_SHARE * whole))
    basket.take(plans, at_most=min(int(_PLANS_SHARE * whole), basket.left - for_talk))
    basket.take(others, at_most=basket.left - for_talk)
    basket.take(_ranked(talk, basket), at_most=basket.left)
    for items in (vows, plans, others):
        basket.take(items, at_most=basket.left)

    places = {_key(item.sentence): place for place, item in enumerate((*carried, *spoken))}
    shown = [replace(item, older=_is_older(item, now)) for item in basket.items]
    # A line without a date comes from somebody's memo, and so from before everything that has one.
    shown.sort(key=lambda item: (item.older, item.at is not None, _seconds(item.at), places[_key(item.sentence)]))
    return Memo(locale=locale, items=tuple(shown), rows=_rows(previous, turns))


class _Basket:
    """Items chosen so far and the tokens left for more."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.items: list[MemoItem] = []
        self._keys: set[str] = set()

    def take(self, items: Iterable[MemoItem], *, at_most: int) -> None:
        """Put in what fits, the most salient first (``items`` are in that order), up to ``at_most`` tokens."""
        allowed = min(at_most, self.left)
        for item in items:
            if allowed < 3:
                return
            cost = tokens.count(item.line + "\n")
            key = _key(item.sentence)
            if cost <= allowed and key not in self._keys:
                self._keys.add(key)
                self.items.append(item)
                allowed -= cost
                self.left -= cost


def _read(turns: Sequence[Turn], names: Names) -> list[MemoItem]:
    """The sentences of the turns in their order: those with a cue, and the newest of the rest."""
    found: list[MemoItem] = []          # newest first, within a message too
    unread, talk_left = _CHARS_READ, _TALK_CONSIDERED
    for turn in reversed(turns):
        if turn.kind not in (HUMAN, AI):
            continue
        if unread <= 0:
            break
        by_human = turn.kind == HUMAN
        speaker = _BLANKS.sub(" ", turn.speaker or (names.master if by_human else names.neko)).strip()
        text = _ends_of(without_stamp(turn.text) if turn.kind == AI else turn.text)
        unread -= len(text)
        special_left = _SPECIAL_PER_MESSAGE
        for sentence in reversed(sentences_of(text)):
            lower = sentence.lower()
            kind = kind_of(lower, frozenset(words_of(lower)), by_human=by_human) if special_left else TALK
            if kind != TALK:
                special_left -= 1
            elif talk_left:
                talk_left -= 1
            else:
                continue
            found.append(
                MemoItem(
                    kind=kind,
                    sentence=_cut(sentence, _SENTENCE_CHARS if kind == TALK else _VERBATIM_CHARS),
                    salience=_SALIENCE[kind] if kind != TALK else _weight(lower, by_human=by_human),
                    speaker=speaker,
                    at=turn.at,
                    turn_id=turn.id,
                )
            )
    return found[::-1]


def _weight(sentence: str, *, by_human: bool) -> float:
    """What a sentence of mere talk counts for; the character's questions say least."""
    if by_human:
        return 1.5
    return 0.5 if is_question(sentence) else 1.0


def _ends_of(text: str) -> str:
    """A message, or the beginning and the end of a very long one."""
    return text if len(text) <= _HEAD_CHARS + _TAIL_CHARS else f"{text[:_HEAD_CHARS]}\n{text[-_TAIL_CHARS:]}"


def _cut(sentence: str, chars: int) -> str:
    return sentence if len(sentence) <= chars else sentence[:chars].rstrip() + "…"


def _ranked(talk: Sequence[MemoItem], basket: _Basket) -> Iterable[MemoItem]:
    """Talk in the order in which it should be taken: central, recent, not yet said, at most two per message."""
    chosen = central(
        [item.sentence for item in talk],
        weights=[item.salience for item in talk],
        already=[item.sentence for item in basket.items],
        tokens_wanted=basket.left,
    )
    per_turn: dict[str | None, int] = {}
    for place, share in chosen:
        item = talk[place]
        taken = per_turn.get(item.turn_id, 0)
        if taken < _TALK_PER_MESSAGE:
            per_turn[item.turn_id] = taken + 1
            yield replace(item, salience=round(_TALK_SALIENCE * share, 4))


def _distinct(items: Sequence[MemoItem]) -> list[MemoItem]:
    """The items without repetitions, most salient first, among equals the newest.

    Of two items that say the same the later one stays, with the better salience.
    """
    latest: dict[str, MemoItem] = {}
    for item in items:
        key = _key(item.sentence)
        before = latest.pop(key, None)
        latest[key] = item if before is None else replace(item, salience=max(item.salience, before.salience))
    found = list(latest.values())
    places = range(len(found))
    undated = [item.at is None for item in found]
    # Lines without a date are a text in its order, whose beginning is kept longest.
    order = sorted(places, key=lambda at: (-found[at].salience, at if undated[at] else -at))
    return [found[place] for place in order]


def _is_older(item: MemoItem, now: datetime) -> bool:
    if item.at is None:
        return item.older
    return item.kind not in _VOWS and now - item.at > STALE


def _rows(previous: Memo | None, turns: Sequence[Turn]) -> tuple[int, int] | None:
    rows = [turn.row for turn in turns] + list(previous.rows or () if previous else ())
    return (min(rows), max(rows)) if rows else None


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment is not None else 0.0


def _heading(locale: str) -> str:
    return template("memo_prefix", locale) + template("memo_excerpts", locale)


def _key(sentence: str) -> str:
    """What makes two sentences the same: their letters and digits."""
    return _NOT_TEXT.sub("", sentence).casefold() or sentence
