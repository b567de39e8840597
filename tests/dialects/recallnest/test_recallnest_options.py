"""What the environment says about this dialect."""

from __future__ import annotations

import pytest

from memory_server.options import RecallNestOptions, resolve_recallnest


@pytest.mark.parametrize(
    ("environment", "scope"),
    [
        ({}, None),
        ({"RECALLNEST_DEFAULT_SCOPE": "project:a", "RECALLNEST_SCOPE": "project:b"}, "project:a"),
        ({"RECALLNEST_DEFAULT_SCOPE": " ", "RECALLNEST_SCOPE": "project:b"}, "project:b"),
        ({"RECALLNEST_PROJECT_SCOPE": "project:c", "RECALLNEST_SESSION_ID": "s"}, "project:c"),
        ({"RECALLNEST_SESSION_ID": "s"}, "session:s"),
    ],
)
def test_the_first_variable_that_says_something_names_the_scope(environment: dict[str, str], scope: str | None) -> None:
    assert resolve_recallnest(environment) == RecallNestOptions(default_scope=scope)


@pytest.mark.parametrize(("value", "allowed"), [("1", True), ("true", True), ("", False), ("0", False), ("no", False)])
def test_any_source_is_allowed_only_when_asked_for(value: str, allowed: bool) -> None:
    assert resolve_recallnest({"RECALLNEST_ANY_SOURCE": value}).any_source is allowed
