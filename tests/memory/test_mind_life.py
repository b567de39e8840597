"""Ninety days of a life, in English and in Chinese, with a scripted clock and no model."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.lives import CHINESE, ENGLISH, Life
from benchmarks.ninety_days import BEGINNING, Outcome, live
from memory import tokens
from memory.briefing import Briefing, new_dialog
from memory.people import Names
from memory.persona.render import PERSONA_TOKENS, REFLECTION_TOKENS
from memory.strings.boundary import boundary

LIVES = {"en": ENGLISH, "zh": CHINESE}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    return {name: asyncio.run(live(tmp_path_factory.mktemp(name) / "root", life)) for name, life in LIVES.items()}


@pytest.fixture(params=sorted(LIVES))
def outcome(request: pytest.FixtureRequest, lived: dict[str, Outcome]) -> Outcome:
    return lived[request.param]


def became(outcome: Outcome, words: str) -> list[tuple[str, str]]:
    """What happened to the reflection or entry whose text holds the words, and by which rule, in order."""
    ids = {one["id"] for one in outcome.reasons if one["text"] and re.search(words, one["text"])}
    return [(one["what"], one["rule"]) for one in outcome.reasons if one["id"] in ids]


def test_the_ten_counters_equal_the_transitions_that_were_made(outcome: Outcome) -> None:
    assert outcome.counts == outcome.transitions
    assert all(outcome.counts.values())


def test_every_transition_has_a_rule(outcome: Outcome) -> None:
    assert [one for one in outcome.reasons if not one["rule"]] == []


def test_affirmed_and_told_again_it_is_promoted_by_score(outcome: Outcome) -> None:
    assert became(outcome, "jasmine tea|茉莉花茶") == [
        ("reflections_synthesized", "told_often"),
        ("reflections_confirmed", "score"),
        ("persona_entries_added", "fresh_by_score"),
        ("reflections_promoted", "fresh_by_score"),
    ]


def test_never_raised_it_is_promoted_by_age(outcome: Outcome) -> None:
    assert became(outcome, "watch movies|看电影") == [
        ("reflections_synthesized", "told_often"),
        ("reflections_confirmed", "age"),
        ("persona_entries_added", "fresh_by_age"),
        ("reflections_promoted", "fresh_by_age"),
    ]


def test_raised_and_denied_it_ends_and_its_fact_is_doubted(outcome: Outcome) -> None:
    assert became(outcome, "guitar|吉他") == [
        ("reflections_synthesized", "told_often"),
        ("reflections_denied", "answer_no"),
    ]
    answers = {one["text"]: one["feedback"] for one in outcome.state["surfaced"]}
    assert [feedback for text, feedback in answers.items() if re.search("guitar|吉他", text)] == ["denied"]


def test_denied_unasked_it_ends_too(outcome: Outcome) -> None:
    assert became(outcome, "playing chess|喜欢下围棋") == [
        ("reflections_synthesized", "told_often"),
        ("reflections_confirmed", "age"),
        ("reflections_denied", "denies_claim"),
    ]


def test_raised_and_passed_over_it_is_alive_and_unconfirmed(outcome: Outcome) -> None:
    [row] = [row for row in outcome.state["reflections"] if re.search("football|足球", row["text"])]
    assert (row["status"], row["reinforcement"], row["sub_zero_days"]) == ("pending", 0.0, 0)
    answers = [one["feedback"] for one in outcome.state["surfaced"] if one["reflection_id"] == row["id"]]
    assert answers == ["ignored"]


def test_spoken_against_for_two_weeks_it_is_archived(outcome: Outcome) -> None:
    assert became(outcome, "likes spicy|小林喜欢吃辣") == [
        ("reflections_synthesized", "told_often"),
        ("reflections_archived", "below_zero"),
    ]
    assert any(re.search("spicy|吃辣", text) for _, text in outcome.state["archives"]["reflections"])


def test_a_state_that_passed_fades_away(outcome: Outcome) -> None:
    assert became(outcome, "stressed|压力") == [
        ("reflections_synthesized", "told_often"),
        ("reflections_archived", "faded"),
    ]


def test_the_old_home_is_superseded_everywhere(outcome: Outcome) -> None:
    old, new = ("Rotterdam", "Utrecht") if "Rotterdam" in str(outcome.state) else ("杭州", "上海")
    entries = [one for section in outcome.state["persona"].values() for one in section["facts"]]
    [home] = [one for one in entries if new in one["text"]]
    assert [version["text"] for version in home["version_history"] if old in version["text"]]
    assert ("persona_entries_rewritten", "newer_value") in became(outcome, new)
    assert old not in outcome.block


def test_a_change_of_mind_rewrites_the_persona_and_the_new_impression_merges_into_it(outcome: Outcome) -> None:
    steps = became(outcome, "coffee|咖啡")
    assert ("persona_entries_rewritten", "change_of_mind") in steps
    assert steps[-1] == ("reflections_merged", "merge_by_age")


def test_asked_to_leave_it_the_entry_loses_its_standing(outcome: Outcome) -> None:
    assert became(outcome, "hiking|爬山")[-1] == ("persona_entries_archived", "below_zero")
    assert "hiking" not in outcome.block
    assert "爬山" not in outcome.block


def test_the_block_has_every_part_and_keeps_its_budgets(outcome: Outcome) -> None:
    assert outcome.block.count("### ") == 6
    assert outcome.block.count("======") == 4
    lines = [line for line in outcome.block.splitlines() if line.startswith("- ")]
    assert sum(map(tokens.count, lines)) <= PERSONA_TOKENS + REFLECTION_TOKENS
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize("name", sorted(LIVES))
def test_a_conversation_can_start_from_it(lived: dict[str, Outcome], name: str) -> None:
    life = LIVES[name]
    names = Names(neko=life.character, master=life.master)
    said = new_dialog(Briefing(names=names, locale=name, now=BEGINNING, persona=lived[name].block))
    assert said.count(boundary(life.character, BEGINNING, name)) == 1
    assert lived[name].block in said


async def again(tmp_path: Path, life: Life, **how: Any) -> Outcome:
    return await live(tmp_path / "root", life, **how)


async def test_the_same_history_gives_the_same_state(tmp_path: Path, lived: dict[str, Outcome]) -> None:
    second = await again(tmp_path, CHINESE)
    assert second.state == lived["zh"].state
    assert second.reasons == lived["zh"].reasons


@pytest.mark.parametrize("name", sorted(LIVES))
async def test_stopping_in_the_middle_changes_nothing(tmp_path: Path, lived: dict[str, Outcome], name: str) -> None:
    restarted = await again(tmp_path, LIVES[name], restarts=(0, 4, 9, 12, 13, 17, 21, 40, 44, 55, 73, 88))
    assert restarted.state == lived[name].state
    assert restarted.counts == lived[name].counts
    assert restarted.block == lived[name].block


async def test_how_often_the_rounds_come_matters_little(tmp_path: Path, lived: dict[str, Outcome]) -> None:
    busier = await again(tmp_path, ENGLISH, ticks_a_day=12)
    assert busier.counts == lived["en"].counts
