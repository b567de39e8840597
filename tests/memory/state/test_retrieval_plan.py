"""How much of the past a message needs: every rule, in its order."""

from __future__ import annotations

import pytest

from memory.state.plan import CONSERVATIVE, DEFAULT, DOCUMENT_HEAVY, FULL, LIGHT, NONE, PROFILES, plan

ORDER = (DEFAULT, CONSERVATIVE, DOCUMENT_HEAVY)
LOCAL, EVIDENCE = "local_turn_only", "evidence_or_history_request"
GOAL, STATUS, USUAL = "goal_lookup", "state_or_status_request", "default_light_recall"

# message → mode, reason, limits in the order of ORDER
ROWS = [
    ("goal: ship", NONE, LOCAL, (0, 0, 0)),
    ("Constraint: no Redis", NONE, LOCAL, (0, 0, 0)),
    ("decision: SQLite", NONE, LOCAL, (0, 0, 0)),
    ("todo: docs", NONE, LOCAL, (0, 0, 0)),
    ("目标：上线", NONE, LOCAL, (0, 0, 0)),
    ("thanks!", NONE, LOCAL, (0, 0, 0)),
    ("收到", NONE, LOCAL, (0, 0, 0)),
    ("Please rewrite this sentence", NONE, LOCAL, (0, 0, 0)),
    ("Rephrase the last answer?", NONE, LOCAL, (0, 0, 0)),
    ("shorten it", NONE, LOCAL, (0, 0, 0)),
    ("expand the second point", NONE, LOCAL, (0, 0, 0)),
    ("format it as a table", NONE, LOCAL, (0, 0, 0)),
    ("rename the variable", NONE, LOCAL, (0, 0, 0)),
    ("give it a title", NONE, LOCAL, (0, 0, 0)),
    ("write a commit message", NONE, LOCAL, (0, 0, 0)),
    ("polish it", NONE, LOCAL, (0, 0, 0)),
    ("clean this up", NONE, LOCAL, (0, 0, 0)),
    ("润色这句话", NONE, LOCAL, (0, 0, 0)),
    ("What is the source of the goal?", FULL, EVIDENCE, (4, 2, 6)),
    ("Is there evidence?", FULL, EVIDENCE, (4, 2, 6)),
    ("Quote it", FULL, EVIDENCE, (4, 2, 6)),
    ("references please", FULL, EVIDENCE, (4, 2, 6)),
    ("replay the week", FULL, EVIDENCE, (4, 2, 6)),
    ("the history of it", FULL, EVIDENCE, (4, 2, 6)),
    ("a timeline", FULL, EVIDENCE, (4, 2, 6)),
    ("the docs", FULL, EVIDENCE, (4, 2, 6)),
    ("which file", FULL, EVIDENCE, (4, 2, 6)),
    ("Why did we move?", FULL, EVIDENCE, (4, 2, 6)),
    ("What changed?", FULL, EVIDENCE, (4, 2, 6)),
    ("according to whom", FULL, EVIDENCE, (4, 2, 6)),
    ("show me", FULL, EVIDENCE, (4, 2, 6)),
    ("给我看历史", FULL, EVIDENCE, (4, 2, 6)),
    ("What is the goal?", LIGHT, GOAL, (4, 3, 4)),
    ("our objective stands", LIGHT, GOAL, (4, 3, 4)),
    ("目标是什么？", LIGHT, GOAL, (4, 3, 4)),
    ("Which port is free?", LIGHT, STATUS, (2, 2, 2)),
    ("the constraints", LIGHT, STATUS, (2, 2, 2)),
    ("our decisions", LIGHT, STATUS, (2, 2, 2)),
    ("todos", LIGHT, STATUS, (2, 2, 2)),
    ("open questions", LIGHT, STATUS, (2, 2, 2)),
    ("what is remaining", LIGHT, STATUS, (2, 2, 2)),
    ("status", LIGHT, STATUS, (2, 2, 2)),
    ("the progress", LIGHT, STATUS, (2, 2, 2)),
    ("the current one", LIGHT, STATUS, (2, 2, 2)),
    ("the plan", LIGHT, STATUS, (2, 2, 2)),
    ("the next task", LIGHT, STATUS, (2, 2, 2)),
    ("进展如何？", LIGHT, STATUS, (2, 2, 2)),
    ("The weather is fine.", LIGHT, USUAL, (2, 2, 2)),
]


@pytest.mark.parametrize(("message", "mode", "reason", "limits"), ROWS, ids=[row[0] for row in ROWS])
def test_the_first_rule_that_fits_decides(message: str, mode: str, reason: str, limits: tuple[int, ...]) -> None:
    found = [plan(message, PROFILES[name]) for name in ORDER]
    assert {(one.mode, one.reason) for one in found} == {(mode, reason)}
    assert tuple(one.limit for one in found) == limits


@pytest.mark.parametrize(
    ("message", "limit"),
    [("thanks", 0), ("show me", 50), ("What is the goal?", 50), ("status?", 50), ("The weather is fine.", 50)],
)
def test_a_callers_own_limit_is_not_bounded(message: str, limit: int) -> None:
    assert plan(message, PROFILES[CONSERVATIVE], 50).limit == limit


def test_a_callers_own_limit_may_be_small() -> None:
    assert plan("What is the goal?", PROFILES[DEFAULT], 1).limit == 1
