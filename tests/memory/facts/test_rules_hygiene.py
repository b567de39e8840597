"""How clean the facts are on the half of the labelled utterances that was not tuned on."""

from __future__ import annotations

import pytest

from benchmarks.write_hygiene import Score, half_of, judge, records


@pytest.fixture(scope="module", params=["en", "zh"])
def score(request: pytest.FixtureRequest) -> Score:
    total = Score()
    for record in records():
        if half_of(record["id"]) == "report" and record["id"].startswith(request.param):
            judge(record, total)
    return total


def test_the_reported_half_is_clean(score: Score) -> None:
    figures = score.figures()
    assert figures["precision"] >= 0.95
    assert figures["recall"] >= 0.70
    assert figures["junk"] <= 0.05
    assert figures["wrong_subject"] == figures["wrong_language"] == 0
    assert figures["contradictions"] >= 0.9
    assert figures["standing_left_alone"] >= 0.9
    assert figures["duplicates"] <= 0.1


def test_there_are_enough_utterances_in_each_language() -> None:
    counts = {
        language: sum(1 for record in records() if record["id"].startswith(language)) for language in ("en", "zh")
    }
    assert min(counts.values()) >= 150
