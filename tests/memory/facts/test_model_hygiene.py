"""Memory is as clean with a model as without one, whatever the model is like; over the labelled utterances."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import write_hygiene
from benchmarks.model_hygiene import MODELS, figures

WITH_MODEL = [name for name in MODELS if name != "rules"]


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    reported = [one for one in write_hygiene.records() if write_hygiene.half_of(one["id"]) == "report"]
    return figures(reported)


@pytest.mark.parametrize("model", WITH_MODEL)
def test_a_model_makes_nothing_worse(measured: dict[str, Any], model: str) -> None:
    rules, found = measured["rules"], measured[model]
    assert found["junk"] <= rules["junk"] + 0.02
    assert found["precision"] >= rules["precision"] - 0.02
    assert found["recall"] >= rules["recall"]
    assert found["contradictions"] >= rules["contradictions"]
    assert found["standing_left_alone"] >= rules["standing_left_alone"]
    for mistakes in ("wrong_subject", "wrong_language", "duplicates", "poisoned"):
        assert found[mistakes] == 0, mistakes


@pytest.mark.parametrize("model", ["careful", "honest"])
def test_a_model_that_reads_well_makes_memory_better(measured: dict[str, Any], model: str) -> None:
    assert measured[model]["recall"] > measured["rules"]["recall"]


@pytest.mark.parametrize("model", WITH_MODEL)
def test_what_it_costs_stays_within_bounds(measured: dict[str, Any], model: str) -> None:
    # One question about twenty messages, and a few about what came of them.
    assert measured[model]["calls_per_100_turns"] < 25
