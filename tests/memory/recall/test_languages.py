"""One conversation in three languages: recall is about as good in each, with no model."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memory.recall.document import TURN, Document
from tests.fakes import ZONE
from tests.memory.recall.samples import ask, ids, indexed, turn

SETS = Path(__file__).resolve().parents[3] / "benchmarks" / "recall_set"
LANGUAGES = ("en", "ja", "ko")


def read(language: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((SETS / f"{language}.json").read_text(encoding="utf-8"))
    return value


@cache
def found_among_five(language: str) -> float:
    """Percent of the questions with a gold turn among the first five."""
    value = read(language)
    talk: list[Document] = []
    units: dict[str, str] = {}
    for number, session in enumerate(value["sessions"], 1):
        begin = datetime.fromisoformat(session["at"]).replace(tzinfo=ZONE)
        for place, said in enumerate(session["turns"], 1):
            document = turn(
                len(talk) + 1, said["text"], speaker=said["speaker"], at=begin + timedelta(seconds=20 * place)
            )
            talk.append(document)
            units[document.id] = f"{number}:{place}"
    snapshot = indexed(talk)
    right = [
        bool({units[name] for name in ids(ask(snapshot, row["text"], tiers=[TURN], limit=5))} & set(row["gold"]))
        for row in value["questions"]
    ]
    return 100 * sum(right) / len(right)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_set_has_enough_of_both_and_its_gold_exists(language: str) -> None:
    value = read(language)
    places = {
        f"{number}:{place}"
        for number, session in enumerate(value["sessions"], 1)
        for place, _ in enumerate(session["turns"], 1)
    }
    assert len(places) >= 150
    assert len(value["questions"]) >= 40
    assert all(row["gold"] and set(row["gold"]) <= places for row in value["questions"])


def test_most_questions_find_their_turn_among_five() -> None:
    assert found_among_five("en") >= 80.0


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_no_language_is_more_than_five_points_behind_english(language: str) -> None:
    assert found_among_five(language) >= found_among_five("en") - 5.0
