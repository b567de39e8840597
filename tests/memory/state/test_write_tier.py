"""How firmly a message is kept, and whether a digest follows: every row of the rules."""

from __future__ import annotations

import pytest

from memory.state.plan import CONSERVATIVE, DEFAULT, DOCUMENT_HEAVY
from memory.state.write_tier import (
    CANDIDATE,
    DOCUMENTED,
    EPHEMERAL,
    FORCE,
    SKIP,
    STABLE,
    TIERS,
    Policy,
    digests,
    document_key,
    pieces,
    tier_of,
)

PROFILES = (DEFAULT, CONSERVATIVE, DOCUMENT_HEAVY)
LONG = "word " * 60        # 300 characters, and nothing of weight

# message → tier by profile, in the order of PROFILES
ROWS = [
    ("  ", (EPHEMERAL, EPHEMERAL, EPHEMERAL)),
    ("thanks!", (EPHEMERAL, EPHEMERAL, EPHEMERAL)),
    ("Ok, got it.", (EPHEMERAL, EPHEMERAL, EPHEMERAL)),
    ("sounds good", (EPHEMERAL, EPHEMERAL, EPHEMERAL)),
    ("好的，谢谢！", (EPHEMERAL, EPHEMERAL, EPHEMERAL)),
    ("goal: ship", (STABLE, STABLE, STABLE)),
    ("Some words.\nConstraint: no Redis", (STABLE, STABLE, STABLE)),
    ("decision: SQLite", (STABLE, STABLE, STABLE)),
    ("TODO: docs", (STABLE, STABLE, STABLE)),
    ("目标：上线", (STABLE, STABLE, STABLE)),
    ("I'm trying to learn Spanish", (STABLE, STABLE, STABLE)),
    ("We want to go", (STABLE, STABLE, STABLE)),
    ("I would like to go", (STABLE, STABLE, STABLE)),
    ("My goal is to win", (STABLE, STABLE, STABLE)),
    ("I prefer tea", (STABLE, STABLE, STABLE)),
    ("I am looking to move", (STABLE, STABLE, STABLE)),
    ("我想学西班牙语", (STABLE, STABLE, STABLE)),
    ("See the uploaded document", (DOCUMENTED, DOCUMENTED, DOCUMENTED)),
    ("Here is a document update", (DOCUMENTED, DOCUMENTED, DOCUMENTED)),
    ("The spec says five", (DOCUMENTED, DOCUMENTED, DOCUMENTED)),
    ("Our architecture is flat", (DOCUMENTED, DOCUMENTED, DOCUMENTED)),
    ("The roadmap moved", (DOCUMENTED, DOCUMENTED, DOCUMENTED)),
    ("我上传的文档有三页", (DOCUMENTED, DOCUMENTED, DOCUMENTED)),
    ("They decided on blue", (STABLE, CANDIDATE, STABLE)),
    ("It must be blue", (STABLE, CANDIDATE, STABLE)),
    ("It cannot be red", (STABLE, CANDIDATE, STABLE)),
    ("The next step is paint", (STABLE, CANDIDATE, STABLE)),
    ("One action item is left", (STABLE, CANDIDATE, STABLE)),
    ("We are blocked", (STABLE, CANDIDATE, STABLE)),
    ("There is a risk", (STABLE, CANDIDATE, STABLE)),
    ("必须在六月前完成", (STABLE, CANDIDATE, STABLE)),
    ("The weather is fine", (CANDIDATE, EPHEMERAL, CANDIDATE)),
    (LONG, (CANDIDATE, EPHEMERAL, DOCUMENTED)),
    ("one line\nanother line", (CANDIDATE, EPHEMERAL, DOCUMENTED)),
]


@pytest.mark.parametrize(("message", "tiers"), ROWS, ids=[repr(message[:30]) for message, _ in ROWS])
def test_a_message_is_kept_as_its_row_says(message: str, tiers: tuple[str, ...]) -> None:
    assert tuple(tier_of(message, Policy(profile=profile)).value for profile in PROFILES) == tiers


@pytest.mark.parametrize("tier", TIERS)
def test_what_a_caller_says_goes_first(tier: str) -> None:
    found = tier_of("thanks", Policy(tier=tier))
    assert (found.value, found.reason) == (tier, "explicit_write_tier")


def test_long_messages_are_documents_where_the_caller_wants_it() -> None:
    wants = Policy(promote_long=True)
    assert tier_of(LONG, wants).value == DOCUMENTED
    assert tier_of("one\ntwo", wants).value == DOCUMENTED
    assert tier_of("short", wants).value == CANDIDATE
    # what is stated firmly is stable before its length is looked at
    assert tier_of("I want to go\nnorth", wants).value == STABLE


def test_length_is_counted_as_clients_count_it() -> None:
    # 141 characters beyond the basic plane are 282 units
    assert tier_of("\N{GRINNING FACE}" * 141, Policy(promote_long=True)).value == DOCUMENTED
    assert tier_of("\N{GRINNING FACE}" * 140, Policy(promote_long=True)).value == CANDIDATE


# profile → tiers after which a digest follows
DIGESTED = {
    DEFAULT: {STABLE, DOCUMENTED},
    CONSERVATIVE: {DOCUMENTED},
    DOCUMENT_HEAVY: {CANDIDATE, STABLE, DOCUMENTED},
}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("tier", TIERS)
def test_a_digest_follows_as_the_profile_says(profile: str, tier: str) -> None:
    assert digests(tier, Policy(profile=profile))[0] == (tier in DIGESTED[profile])
    with_candidates = digests(tier, Policy(profile=profile, digest_on_candidate=True))[0]
    assert with_candidates == (tier in DIGESTED[profile] | {CANDIDATE})


@pytest.mark.parametrize("tier", TIERS)
def test_what_a_caller_says_of_the_digest_goes_first(tier: str) -> None:
    assert digests(tier, Policy(digest=SKIP)) == (False, "skipped_by_input")
    assert digests(tier, Policy(digest=FORCE)) == (True, "forced_by_input")


def test_two_marked_lines_are_events_of_their_own() -> None:
    assert pieces("goal: ship\n\nSome words.\nconstraint: no Redis") == [
        "goal: ship",
        "Some words.",
        "constraint: no Redis",
    ]
    assert pieces("goal: ship\nand more of it") == ["goal: ship\nand more of it"]


def test_a_document_has_the_key_that_was_named_or_one_of_its_text() -> None:
    assert document_key("text", "spec.md") == "spec.md"
    # the first twelve digits of SHA-1("abc")
    assert document_key("abc", None) == "runtime:a9993e364706"
    assert document_key("abc", "  ") == "runtime:a9993e364706"
