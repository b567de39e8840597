"""What events say, and what that changes: right values from the published rules of the pipeline."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.state.digest.align import Draft, align
from memory.state.digest.consistency import check
from memory.state.digest.guard import Guard
from memory.state.digest.kinds import CONSTRAINT, DECISION, NOISE, NOTE, QUESTION, STATUS, TODO, importance, kind_of
from memory.state.digest_state import DigestState, from_json, to_json
from memory.state.facets import PACKS
from tests.memory.state.digest_pieces import digested, document, piece, told, values


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We decided to keep SQLite", DECISION),
        ("let's go with port 48912", DECISION),
        ("The payload cannot exceed one megabyte", CONSTRAINT),
        ("no cloud services allowed here", CONSTRAINT),
        ("follow up with the reviewers", TODO),
        ("we need to document the protocol", TODO),
        ("one question about the schema", QUESTION),
        ("is the schema final?", QUESTION),
        ("端口定了吗？", QUESTION),
        ("the importer is finished", STATUS),
        ("ok", NOISE),
        ("Assistant reply: we decided nothing", NOISE),
        ("What is the current goal?", NOISE),
        ("the weather is mild this spring", NOTE),
        ("我们决定采用本地存储", DECISION),
        ("数据不能离开这台机器", CONSTRAINT),
        ("下一步是补充文档", TODO),
        ("导入工具已完成", STATUS),
    ],
)
def test_a_statement_has_the_kind_of_its_first_cue(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def test_importance_is_that_of_the_kind_and_more_for_weighty_words() -> None:
    assert importance(NOTE, "the weather") == 0.45
    assert importance(TODO, "the next thing") == pytest.approx(0.85)
    assert importance(DECISION, "decision: blocked") == 1.0


def test_a_goal_said_in_passing_never_replaces_the_one_that_stands() -> None:
    made = told("Goal: ship the memory server", "Goal: paint the kitchen walls")
    assert made.state.goal is not None
    assert made.state.goal.value == "ship the memory server"
    assert made.state.transitions["goal:set"] == 1


def test_a_goal_said_again_is_reaffirmed() -> None:
    made = told("Goal: ship the memory server", "Goal: ship the memory server in May")
    assert made.state.transitions["goal:reaffirm"] == 1


def test_a_document_replaces_the_goal() -> None:
    made = digested([piece(1, "Goal: ship the memory server"), document(2, "Goal: paint the kitchen walls")])
    assert made.state.goal is not None
    assert made.state.goal.value == "paint the kitchen walls"
    assert made.state.goal.confidence == 1.0


def test_the_goal_of_the_scope_fills_a_state_without_one_and_gives_way_to_one_that_is_said() -> None:
    made = told("Decision: use SQLite", goal="be done")
    assert made.state.goal is not None
    assert made.state.goal.value == "be done"
    later = told("Goal: ship the memory server", before=made.state, first=2)
    assert later.state.goal is not None
    assert later.state.goal.value == "ship the memory server"


def test_a_line_that_a_new_version_of_its_document_lacks_goes_unless_something_else_says_it() -> None:
    first = digested([
        document(1, "Constraint: no cloud storage\nDecision: use SQLite"),
        piece(2, "Constraint: no cloud storage"),
    ])
    second = digested([document(3, "Todo: write the importer", id="turn_1")], first.state)
    assert values(second, "decisions") == []
    assert values(second, "constraints") == ["no cloud storage"]
    assert values(second, "todos") == ["write the importer"]


def test_bullets_under_a_heading_count_as_labelled() -> None:
    made = digested([document(1, "# Decisions\n- use SQLite\n- listen on loopback\n\nOther words\n- not a decision")])
    assert values(made, "decisions") == ["use SQLite", "listen on loopback"]


def test_a_decision_is_taken_back() -> None:
    made = told("Decision: use Redis for queues", "We decided to revoke the decision to use Redis for queues")
    assert values(made, "decisions") == []


def test_a_decision_that_better_evidence_protects_is_not_taken_back_by_talk() -> None:
    held = (("use Redis for queues", 0.85),)
    made = told("Decision: use Redis for queues", "Decision: revoke use Redis for queues", held=held)
    assert "use Redis for queues" in values(made, "decisions")


@pytest.mark.parametrize(
    "text",
    [
        "We decided to use an in-process queue instead of Redis",
        "Decision: replace Redis with an in-process queue",
        "We will switch from Redis to an in-process queue",
        "Decision: no longer use Redis",
        "决定：不再使用 Redis",
    ],
)
def test_a_decision_replaces_what_it_does_away_with(text: str) -> None:
    made = told("Decision: use Redis for queues", text)
    assert len(values(made, "decisions")) == 1
    assert values(made, "decisions") != ["use Redis for queues"]


def test_decisions_that_differ_in_a_number_are_two() -> None:
    made = told("Decision: give region 1 three nodes", "Decision: give region 2 three nodes")
    assert len(values(made, "decisions")) == 2


def test_a_todo_is_done_when_somebody_says_so_and_only_that_one() -> None:
    made = told("TODO: write the importer for v1", "TODO: write the importer for v2", "the importer for v1 is done")
    assert values(made, "todos") == ["write the importer for v2"]


def test_a_decision_answers_an_open_question() -> None:
    made = told("Which database should we use for storage?", "Decision: use the SQLite database for storage")
    assert values(made, "openQuestions") == []


def test_a_risk_goes_when_it_is_resolved_and_with_it_the_remark_about_it() -> None:
    ended = "the risk of the disk filling up overnight is mitigated"
    made = told("Risk: the disk may fill up overnight", "note: the disk may fill up overnight", ended)
    assert values(made, "risks") == []
    assert values(made, "volatileContext") == [ended]


def test_lists_keep_their_newest() -> None:
    made = told(*(f"Decision: choose colour {number} for wall {number}" for number in range(130)), window=200)
    assert len(values(made, "decisions")) == 100
    assert values(made, "decisions")[-1] == "choose colour 129 for wall 129"


def test_nothing_durable_is_cut_however_much_comes_at_once() -> None:
    made = told(*(f"Constraint: shelf {number} must hold {number} books" for number in range(95)))
    assert len(values(made, "constraints")) == 95


def test_remarks_beyond_the_budget_are_logged() -> None:
    # 45 different remarks in one stretch of 50: 30 are kept
    made = told(*(f"alpha{number} beta{number} gamma{number} delta{number}" for number in range(45)))
    assert [drop["reason"] for drop in made.log.drops] == ["contextual_budget"] * 15


def test_what_is_pinned_survives_the_budget() -> None:
    texts = [f"alpha{number} beta{number} gamma{number}" for number in range(1, 46)]
    remarks = [piece(number, text, pinned=number == 1) for number, text in enumerate(texts, start=1)]
    made = digested(remarks)
    assert "turn_1" not in [drop["detail"]["event"] for drop in made.log.drops]


def test_what_is_said_twice_counts_once() -> None:
    made = told("the harbour is quiet in winter mornings", "the harbour is quiet in winter mornings")
    assert made.log.rationale == ["dedup:turn_1"]


def test_what_the_last_digest_says_already_is_not_new() -> None:
    made = told("the harbour is quiet in winter", told="the harbour is quiet in winter")
    assert values(made, "volatileContext") == []


def test_more_characters_than_the_budget_are_cut_at_whole_events() -> None:
    long = [piece(number, f"word{number} " * 11_000) for number in range(1, 5)]   # 66,000 characters each
    made = digested(long)
    assert any(line.startswith("char_budget_applied:") for line in made.log.rationale)
    assert made.log.counts["char_budget_truncated"] == 1
    assert len(made.deltas) == 4


def test_what_was_forgotten_does_not_come_back_in_other_words() -> None:
    guard = Guard(["the spare key hangs behind the kitchen clock"])
    made = told("Decision: behind the kitchen clock hangs the spare key", guard=guard)
    assert made.state.empty


def test_a_state_survives_being_written_down() -> None:
    made = digested([document(1, "Goal: ship\nRisk: the disk may fill"), piece(2, "Decision: use SQLite")])
    assert from_json(to_json(made.state)) == made.state
    assert from_json("nonsense") is None
    assert from_json({"decisions": [{"value": 3}, "x"], "goal": 5}) == DigestState()


# what a digest says


def test_the_summary_is_the_state_with_the_narrative_below_it() -> None:
    said = "Goal: ship the server", "Constraint: must stay local", "Decision: use SQLite", "Risk: the disk may fill"
    made = told(*said)
    text = align(made.state, Draft(summary="All is well.", changes=("x",), steps=("y",)))
    assert text.summary == (
        "Goal: ship the server. Constraints: must stay local. Decisions: use SQLite. Risk: the disk may fill.\n"
        "All is well."
    )
    assert text.changes == ("Goal: ship the server", "Decided: use SQLite", "Constraint: must stay local")
    assert text.steps == ("Resolve risk: the disk may fill",)


def test_the_summary_never_has_more_than_120_words() -> None:
    made = told(*(f"Decision: choose {' '.join(f'w{number}x{i}' for i in range(12))}" for number in range(20)))
    text = align(made.state, Draft(summary="word " * 300))
    assert len(text.summary.split()) <= 120


def test_a_narrative_that_denies_a_decision_is_caught_and_one_that_quotes_it_is_not() -> None:
    made = told("Decision: use SQLite for the registry on 2026-05-04")
    denying = align(made.state, Draft(summary="The team will not use SQLite for the registry any more."))
    verdict = check(denying, made.state, ())
    assert verdict.errors == ("decision_contradiction",)
    assert verdict.conflicts[0].fact == "use SQLite for the registry on 2026-05-04"
    quoting = align(made.state, Draft(summary="They use SQLite for the registry."))
    assert check(quoting, made.state, ()).ok


def test_a_chinese_fact_is_defended_too() -> None:
    made = told("决定：采用本地文件存储")
    text = align(made.state, Draft(summary="团队不再采用本地文件存储方案。"))
    assert check(text, made.state, ()).errors == ("decision_contradiction",)


def test_another_goal_is_a_contradiction() -> None:
    made = told("Goal: ship the memory server")
    text = align(made.state, Draft(summary="The goal is to paint the kitchen walls."))
    assert "goal_contradiction" in check(text, made.state, ()).errors


def test_the_gate_names_what_else_is_wrong() -> None:
    made = told("Decision: use SQLite")
    text = align(made.state, Draft())
    assert check(replace(text, changes=("a", "b", "c", "d")), made.state, ()).errors == ("too_many_changes",)
    assert check(replace(text, steps=()), made.state, ()).errors == ("invalid_next_steps_count",)
    assert check(replace(text, steps=("Keep going.",)), made.state, ()).errors == ("vague_next_step",)
    assert check(replace(text, steps=("继续",)), made.state, ()).ok
    assert check(replace(text, summary="word " * 130), made.state, ()).errors == ("summary_too_long",)
    assert check(text, made.state, text.changes).errors == ("changes_repeated_from_previous_digest",)
    assert check(text, made.state, (), [("knowledge", "Water boils at sea level")]).ok


def test_decisions_without_a_facet_are_told_in_the_log() -> None:
    made = told("Decision: use SQLite", pack=PACKS["health"])
    assert made.log.drops == [{"reason": "no_display_group", "detail": {"event": "turn_1", "kind": "decision"}}]
