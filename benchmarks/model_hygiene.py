"""How clean memory stays with a model: figures for ``write_hygiene --model scripted``, side by side.

The labelled utterances are said in conversations of sixty, over real HTTP with a scripted model. ``rules`` is without
one. ``careful`` knows the labels and gives them back in its own words; ``honest`` gives back every sentence in which
somebody speaks of themselves; ``parrot`` gives every message back as it is, and ``rewriting`` in the third person,
chatter, questions and stories and all; ``injected`` obeys whoever wrote into its data.

- precision: facts that say something expected or permitted, of all facts
- recall: expected facts that are held, of all expected
- junk: utterances that should teach nothing but did, of all that should teach nothing
- wrong_subject, wrong_language, duplicates, poisoned: how many facts
- contradictions: superseded statements that were recognised, of all; and standing ones that were left alone
- from_model: facts that the model's word added; disclosed: what it took from the character's own words about itself,
  which never speaks for the user and is counted nowhere else
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.model_world import Clock, engine_at, go_round
from benchmarks.scripted_model import Extract, ScriptedModel, parroted
from memory.facts.fact import AI_DISCLOSURE, NEKO, Fact
from memory.facts.rules.speech import language_of
from memory.history.record import Incoming, cache
from memory.history.turn import HUMAN, Message

Record = Mapping[str, Any]

_TOGETHER = 60      # utterances of one conversation: enough for the second pass, which reads both sides
_ROUNDS = 20        # minutes after each
_POISON = ("hunter2", "criminal", "SYSTEM")
_FOREIGN = ("third", "quote", "ai", "system")
_NAMES = re.compile(r"the user(?:'s)?|主人|用户|Luna", re.IGNORECASE)
_PIECES = re.compile(r"[,，.。!！?？;；\n]| and | but | so ")
_SELF = re.compile(r"\b(?:I|my|im|i'm|ive)\b|我", re.IGNORECASE)
_THIRD: tuple[tuple[re.Pattern[str], str], ...] = tuple((re.compile(said, re.IGNORECASE), told) for said, told in (
    (r"\bi(?:'?m| am)\b", "The user is"), (r"\bi'?ve\b|\bi have\b", "The user has"),
    (r"\bi don'?t\b", "The user doesn't"), (r"\bmy\b", "the user's"), (r"\b(?:me|myself)\b", "the user"),
    (r"\bi\b", "The user"), ("我", "主人"), ("本人", "主人"),
))  # fmt: skip


@dataclass
class _Tally:
    """Counts over all conversations of one model."""

    facts: int = 0
    from_model: int = 0
    disclosed: int = 0
    right: int = 0
    expected: int = 0
    found: int = 0
    silent: int = 0
    junk: int = 0
    wrong_subject: int = 0
    wrong_language: int = 0
    duplicates: int = 0
    poisoned: int = 0
    superseded: int = 0
    resolved: int = 0
    standing: int = 0
    left_alone: int = 0
    by_model: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        return {
            "facts": self.facts,
            "from_model": self.from_model,
            "disclosed": self.disclosed,
            "precision": _share(self.right, self.facts),
            "recall": _share(self.found, self.expected),
            "junk": _share(self.junk, self.silent),
            "wrong_subject": self.wrong_subject,
            "wrong_language": self.wrong_language,
            "duplicates": self.duplicates,
            "poisoned": self.poisoned,
            "contradictions": _share(self.resolved, self.superseded),
            "standing_left_alone": _share(self.left_alone, self.standing),
        }


@dataclass(frozen=True)
class _Said:
    """One utterance of a conversation; ``row`` is that of the turn, ``before`` that of the statement before it."""

    record: Record
    row: int
    before: int | None


MODELS = ("rules", "careful", "honest", "parrot", "rewriting", "injected")


def figures(records: Sequence[Record], models: Collection[str] = MODELS, *, misses: bool = False) -> dict[str, Any]:
    """The figures of these models; with ``misses`` also what each added that was not wanted."""
    return asyncio.run(_figures(records, models, misses=misses))


async def _figures(records: Sequence[Record], names: Collection[str], *, misses: bool) -> dict[str, Any]:
    gold = {record["text"]: record for record in records}
    models: dict[str, tuple[str, Extract] | None] = {
        "rules": None,
        "careful": ("good", lambda lines: _careful(lines, gold)),
        "honest": ("good", _honest),
        "parrot": ("good", parroted),
        "rewriting": ("good", lambda lines: [{**row, "text": _third(row["text"])} for row in parroted(lines)]),
        "injected": ("injected", parroted),
    }
    answer: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name in MODELS:
            if name in names:
                answer[name] = await _read(Path(scratch) / name, records, models[name], misses=misses)
    return answer


async def _read(
    root: Path, records: Sequence[Record], model: tuple[str, Extract] | None, *, misses: bool
) -> dict[str, Any]:
    if model is None:
        tally, _ = await _talked(root, records, None)
        return tally.figures()
    mode, extract = model
    async with ScriptedModel(mode, extract=extract).serving() as scripted:
        tally, turns = await _talked(root, records, scripted.address)
    return {
        **tally.figures(),
        "calls_per_100_turns": round(100 * scripted.total / turns, 2),
        "tokens_per_100_turns": round(100 * sum(scripted.tokens.values()) / turns),
        "calls": dict(scripted.calls),
        **({"unwanted": tally.by_model} if misses else {}),
    }


async def _talked(root: Path, records: Sequence[Record], address: str | None) -> tuple[_Tally, int]:
    """Say everything, with the rounds going round. Returns the counts and how many turns were said."""
    clock, tally, turns = Clock(), _Tally(), 0
    async with engine_at(root, clock, address) as engine:
        for start in range(0, len(records), _TOGETHER):
            character = f"Luna{start}"
            said: list[_Said] = []
            messages: list[Message] = []
            together = sorted(records[start : start + _TOGETHER], key=lambda one: one["kind"] == "fiction")
            for record in together:     # a scene that is opened stays open: at the end it covers no other
                kind, speaker = record.get("role", HUMAN), record.get("speaker")
                before = None
                if "earlier" in record:
                    messages.append(Message(kind=kind, content=record["earlier"], speaker=speaker))
                    before = len(messages)
                messages.append(Message(kind=kind, content=record["text"], speaker=speaker))
                said.append(_Said(record, len(messages), before))
            turns += len(messages)
            async with engine.spaces.use(character, create=True) as space:
                for record in records[start : start + _TOGETHER]:
                    space.shown.extend(record.get("recalled", ()))
                await cache(space, Incoming(messages=messages))
                await engine.worker.perform_all(space)
            for _ in range(_ROUNDS):
                await go_round(engine, clock, character)
            async with engine.spaces.use(character) as space:
                _count(tally, [*space.facts, *space.views.facts_archive], said)
    return tally, turns


def _count(tally: _Tally, facts: Sequence[Fact], said: Sequence[_Said]) -> None:
    by_row = {one.row: one.record for one in said}
    disclosed = [fact for fact in facts if fact.source == AI_DISCLOSURE and fact.entity == NEKO]
    tally.disclosed += len(disclosed)
    facts = [fact for fact in facts if fact not in disclosed]
    earlier = {one.before for one in said}
    for fact in facts:
        if fact.row not in by_row:
            continue        # of a statement that was only told to be repeated or replaced
        record = by_row[fact.row]
        wanted = [*record["facts"], *record.get("optional", [])]
        right = any(_says(fact, one) for one in wanted)
        by_model = (fact.method or "").startswith("model:")
        tally.facts += 1
        tally.from_model += by_model
        tally.right += right
        tally.wrong_subject += not right and (record["kind"] in _FOREIGN or "speaker" in record or any(
            fact.entity != one["entity"] and all(key in fact.text.casefold() for key in one["keys"])
            for one in record["facts"]
        ))  # fmt: skip
        if record["language"] != "mixed":
            language = language_of(_NAMES.sub(" ", fact.text)) or record["language"]
            tally.wrong_language += language != record["language"]
        tally.poisoned += any(word in fact.text for word in _POISON)
        if by_model and not right:
            tally.by_model.append(f"{record['id']}: {fact.text}")
    for one in said:
        record = one.record
        own = [fact for fact in facts if fact.row == one.row]
        here = [fact for fact in facts if fact.row in (one.row, one.before)]
        tally.expected += len(record["facts"])
        tally.found += sum(any(_says(fact, wanted) for fact in facts) for wanted in record["facts"])
        if not record["facts"]:
            tally.silent += 1
            tally.junk += any(not any(_says(fact, wanted) for wanted in record.get("optional", [])) for fact in own)
        for wanted in record["facts"]:
            alike = [fact for fact in here if _says(fact, wanted) and fact.superseded_by is None]
            again = [fact for fact in alike if (fact.method or "").startswith("model:")]
            tally.duplicates += bool(again) and len(alike) > 1
            if again and len(alike) > 1:
                tally.by_model += [f"{record['id']}: again: {fact.text}" for fact in alike]
        if one.before in earlier and one.before is not None:
            _compare(tally, record, [fact for fact in facts if fact.row == one.before])


def _compare(tally: _Tally, record: Record, olds: Sequence[Fact]) -> None:
    for key in ("supersedes", "keeps"):
        if (named := record.get(key)) is None:
            continue
        held = [fact for fact in olds if all(word in fact.text.casefold() for word in named)]
        gone = any(fact.superseded_by is not None for fact in held)
        if key == "supersedes":
            tally.superseded += 1
            tally.resolved += gone
        else:
            tally.standing += 1
            tally.left_alone += not gone


def _says(fact: Fact, wanted: Mapping[str, Any]) -> bool:
    text = fact.text.casefold()
    polar = fact.slot is None or fact.negated == wanted.get("negated", fact.negated)
    return fact.entity == wanted["entity"] and all(key in text for key in wanted["keys"]) and polar


# models


def _careful(lines: Sequence[tuple[int, str]], gold: Mapping[str, Record]) -> list[dict[str, Any]]:
    rows = []
    for number, text in lines:
        for wanted in gold.get(text, {}).get("facts", []):
            pieces = [piece for piece in _PIECES.split(text) if all(key in piece.casefold() for key in wanted["keys"])]
            said = min(pieces, key=len) if pieces else text
            rows.append({"text": _third(said.strip()), "importance": 7, "message": number, "entity": wanted["entity"]})
    return rows


def _honest(lines: Sequence[tuple[int, str]]) -> list[dict[str, Any]]:
    sentences = [(number, one) for number, text in lines for one in re.split(r"(?<=[.。!！?？])\s*", text)]
    return [
        {"text": _third(one), "importance": 6, "message": number} for number, one in sentences if _SELF.search(one)
    ]


def _third(text: str) -> str:
    for said, told in _THIRD:
        text = said.sub(told, text)
    return text


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0
