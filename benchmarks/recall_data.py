"""The public question sets and our own, as documents and questions.

LoCoMo (snap-research/locomo on GitHub, CC BY-NC 4.0): ``locomo*.json``, a list of conversations.
MemoryBank (zhongwanjun/MemoryBank-SiliconFriend on GitHub, MIT): ``memory_bank_cn.json`` and
``memory_bank_en.json``, with gold rounds in ``memorybank_gold.jsonl``, one
``{"user", "question", "lang", "gold": [[date, round]], "kind"}`` a line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory.recall.document import FACT, TURN, Document

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and the units that answer it. Documents map to units through ``Case.unit_of``."""

    text: str
    kind: str
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One memory with its questions."""

    name: str
    documents: list[Document]
    questions: list[Question]
    unit_of: dict[str, tuple[str, ...]]                       # document id -> units of gold it covers
    session_of: dict[str, str] = field(default_factory=dict)  # unit -> session


def read_locomo(folder: Path) -> list[dict[str, Any]]:
    samples: list[dict[str, Any]] = []
    for path in sorted(folder.glob("locomo*.json")):
        samples += json.loads(path.read_text(encoding="utf-8"))
    return samples


def locomo_time(text: str) -> datetime:
    """'1:56 pm on 8 May, 2023'"""
    return datetime.strptime(text.replace(",", ""), "%I:%M %p on %d %B %Y").replace(tzinfo=UTC)


def locomo_sessions(sample: dict[str, Any]) -> Iterator[tuple[int, datetime, list[dict[str, Any]]]]:
    conversation = sample["conversation"]
    numbers = sorted(int(key[8:]) for key in conversation if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        yield number, locomo_time(conversation[f"session_{number}_date_time"]), conversation[f"session_{number}"]


def _locomo_questions(sample: dict[str, Any], known: set[str]) -> list[Question]:
    questions = []
    for row in sample["qa"]:
        # One id is written D30:05.
        gold = tuple(dict.fromkeys(re.sub(r":0+(?=\d)", ":", unit) for unit in row.get("evidence") or ()))
        if row["category"] == 5 or not gold or any(unit not in known for unit in gold):
            continue
        questions.append(Question(text=row["question"], kind=CATEGORIES[row["category"]], gold=gold))
    return questions


def locomo_turns(sample: dict[str, Any]) -> Case:
    documents, session_of = [], {}
    row = 0
    for number, start, turns in locomo_sessions(sample):
        for place, turn in enumerate(turns):
            row += 1
            said = start + timedelta(seconds=20 * place)
            caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
            documents.append(
                Document(
                    id=turn["dia_id"],
                    tier=TURN,
                    text=turn["text"] + caption,
                    entity="master",
                    created_at=said,
                    start=said,
                    end=said,
                    order=row,
                    speaker=turn["speaker"],
                )
            )
            session_of[turn["dia_id"]] = str(number)
    return Case(
        name=sample["sample_id"],
        documents=documents,
        questions=_locomo_questions(sample, set(session_of)),
        unit_of={document.id: (document.id,) for document in documents},
        session_of=session_of,
    )


def locomo_facts(sample: dict[str, Any]) -> Case:
    documents: list[Document] = []
    unit_of: dict[str, tuple[str, ...]] = {}
    rows: dict[str, int] = {}
    for number, start, turns in locomo_sessions(sample):
        for turn in turns:
            rows[turn["dia_id"]] = len(rows) + 1
        found: list[tuple[int, str, str, tuple[str, ...]]] = []
        for speaker, observed in sample["observation"].get(f"session_{number}_observation", {}).items():
            for text, source in observed:
                units = tuple(source) if isinstance(source, list) else (source,)
                found.append((min(rows.get(unit, len(rows)) for unit in units), speaker, text, units))
        # In the order in which a conversation brings them, as a server learns them.
        for row, speaker, text, units in sorted(found, key=lambda item: item[0]):
            fact_id = f"fact_{len(documents):04}"
            unit_of[fact_id] = units
            documents.append(
                Document(
                    id=fact_id, tier=FACT, text=text, entity="master", created_at=start, start=start, end=start,
                    order=row, session=f"session {number}", speaker=speaker,
                )
            )  # fmt: skip
    covered = {unit for units in unit_of.values() for unit in units}
    questions = [question for question in _locomo_questions(sample, set(rows)) if covered & set(question.gold)]
    return Case(name=sample["sample_id"], documents=documents, questions=questions, unit_of=unit_of)


def memorybank(folder: Path, language: str, *, split: bool) -> list[Case]:
    """A case for each user: rounds as one document each, or (``split``) as the two turns they were."""
    bank = json.loads((folder / f"memory_bank_{'cn' if language == 'zh' else 'en'}.json").read_text(encoding="utf-8"))
    gold = [json.loads(line) for line in (folder / "memorybank_gold.jsonl").read_text(encoding="utf-8").splitlines()]
    cases = []
    for user, value in bank.items():
        documents: list[Document] = []
        unit_of: dict[str, tuple[str, ...]] = {}
        row = 0
        for day, rounds in value["history"].items():
            for place, pair in enumerate(rounds):
                unit = f"{day}/{place}"
                at = datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(hours=9, minutes=10 * place)
                pieces = (
                    [(user.strip(), pair["query"]), ("AI", pair["response"])]
                    if split
                    else [(None, f"{pair['query']}\n{pair['response']}")]
                )
                for speaker, text in pieces:
                    row += 1
                    documents.append(
                        Document(
                            id=f"turn_{row:05}", tier=TURN, text=text, entity="master", created_at=at, start=at, end=at,
                            order=row, speaker=speaker,
                        )
                    )  # fmt: skip
                    unit_of[f"turn_{row:05}"] = (unit,)
        questions = [
            Question(text=item["question"], kind=item["kind"], gold=tuple(f"{day}/{n}" for day, n in item["gold"]))
            for item in gold
            if item["user"] == user and item["lang"] == language
        ]
        cases.append(Case(name=user, documents=documents, questions=questions, unit_of=unit_of))
    return cases


def own_set(language: str) -> Case:
    """Our own conversation, the same in each language: gold units are ``session:turn``, both from 1."""
    path = Path(__file__).parent / "recall_set" / f"{language}.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    documents: list[Document] = []
    unit_of: dict[str, tuple[str, ...]] = {}
    for number, session in enumerate(value["sessions"], 1):
        start = datetime.fromisoformat(session["at"]).replace(tzinfo=UTC)
        for place, turn in enumerate(session["turns"], 1):
            said = start + timedelta(seconds=20 * place)
            row = len(documents) + 1
            documents.append(
                Document(
                    id=f"turn_{row:05}", tier=TURN, text=turn["text"], entity="master", created_at=said, start=said,
                    end=said, order=row, speaker=turn["speaker"],
                )
            )  # fmt: skip
            unit_of[f"turn_{row:05}"] = (f"{number}:{place}",)
    questions = [Question(text=row["text"], kind="plain", gold=tuple(row["gold"])) for row in value["questions"]]
    return Case(name=language, documents=documents, questions=questions, unit_of=unit_of)
