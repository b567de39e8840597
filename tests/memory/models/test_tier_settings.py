"""Which model stands behind which tier, from the file, the environment and the companion's settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from memory.models.chat import Tier
from memory.models.tiers import LONGEST, TierSettings, read_settings

HERE = "http://127.0.0.1:11434/v1"
THERE = "https://models.example/v1"


def tiers(
    file: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    core: Mapping[str, Any] | None = None,
) -> dict[Tier, tuple[str, str, str | None]]:
    found = read_settings(file or {}, environment or {}, core or {}).tiers
    return {tier: (one.model, one.base_url, one.api_key) for tier, one in found.items()}


def test_without_any_word_of_a_model_there_is_none() -> None:
    assert tiers() == {}
    assert tiers({"summary": {"model": "m"}}) == {}             # nobody says where it is
    assert tiers({"default": {"base_url": HERE}}) == {}         # nor which


def test_default_fills_what_a_tier_leaves_out() -> None:
    file = {"default": {"base_url": HERE + "/", "api_key": "k"}, "summary": {"model": "m"}, "chat": {"model": "c"}}
    assert tiers(file) == {Tier.SUMMARY: ("m", HERE, "k"), Tier.CHAT: ("c", HERE, "k")}


def test_variables_win_over_the_file() -> None:
    file = {"summary": {"model": "m", "base_url": HERE, "api_key": "k"}}
    environment = {"MEMORY_SUMMARY_MODEL": "other", "MEMORY_SUMMARY_API_KEY": "mine"}
    assert tiers(file, environment) == {Tier.SUMMARY: ("other", HERE, "mine")}


def test_a_key_may_stand_in_a_variable_of_any_name() -> None:
    file = {"summary": {"model": "m", "base_url": HERE, "api_key_env": "SOME_KEY"}}
    assert tiers(file, {"SOME_KEY": "k"}) == {Tier.SUMMARY: ("m", HERE, "k")}
    assert tiers(file) == {Tier.SUMMARY: ("m", HERE, None)}


def test_what_nobody_else_names_comes_from_the_companion() -> None:
    nested = {"models": {"emotion": {"model": "e", "base_url": HERE}}}
    flat = {"correctionModel": "c", "correctionBaseUrl": THERE, "correctionApiKey": "k"}
    assert tiers(core={**nested, **flat}) == {Tier.EMOTION: ("e", HERE, None), Tier.CORRECTION: ("c", THERE, "k")}


def test_statecore_variables_count_where_its_switch_is_on() -> None:
    environment = {"MODEL_NAME": "m", "MODEL_BASE_URL": HERE, "MODEL_API_KEY": "k"}
    assert tiers(environment=environment) == {}
    both = {Tier.SUMMARY: ("m", HERE, "k"), Tier.CHAT: ("m", HERE, "k")}
    assert tiers(environment={**environment, "FEATURE_LLM": "true"}) == both
    for off in ("false", "1", "TRUE", ""):      # the literal alone turns it on
        assert tiers(environment={**environment, "FEATURE_LLM": off}) == {}


def test_a_key_of_another_program_offers_no_memory_to_anybody() -> None:
    assert tiers(environment={"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m"}) == {}


def test_the_more_exact_of_statecore_variables_wins() -> None:
    environment = {
        "FEATURE_LLM": "true", "MODEL_NAME": "m", "MODEL_BASE_URL": HERE,
        "MODEL_RUNTIME_NAME": "r", "MODEL_CHAT_NAME": "c", "MODEL_STRUCTURED_OUTPUT_NAME": "s",
    }  # fmt: skip
    assert tiers(environment=environment) == {Tier.SUMMARY: ("s", HERE, None), Tier.CHAT: ("r", HERE, None)}


def test_the_oldest_names_have_an_address_of_their_own() -> None:
    environment = {"FEATURE_LLM": "true", "OPENAI_API_KEY": "k", "OPENAI_MODEL": "m"}
    assert tiers(environment=environment)[Tier.CHAT] == ("m", "https://api.openai.com/v1", "k")
    assert tiers(environment={**environment, "OPENAI_BASE_URL": HERE})[Tier.CHAT] == ("m", HERE, "k")


def test_a_configured_tier_is_never_mixed_with_statecore_variables() -> None:
    environment = {"FEATURE_LLM": "true", "MODEL_NAME": "m", "MODEL_BASE_URL": THERE, "MODEL_API_KEY": "k"}
    file = {"summary": {"model": "own", "base_url": HERE}}
    assert tiers(file, environment) == {Tier.SUMMARY: ("own", HERE, None), Tier.CHAT: ("m", THERE, "k")}


def test_times_are_bounded_and_keys_are_not_shown() -> None:
    file = {"summary": {"model": "m", "base_url": HERE, "api_key": "k3y", "timeout_seconds": 900, "concurrency": 0}}
    (one,) = read_settings(file, {}, {}).tiers.values()
    assert (one.timeout, one.concurrency) == (LONGEST, 1)
    assert "k3y" not in repr(one)
    assert isinstance(one, TierSettings)


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/v1", "127.0.0.1:11434", "file:///etc/passwd"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        read_settings({"summary": {"model": "m", "base_url": address}}, {}, {})
