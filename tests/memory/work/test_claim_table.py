"""Who keeps a name closed, and for whom."""

from __future__ import annotations

import random

import pytest

from memory.errors import ClaimWithdrawn
from memory.work.claims import WITHDRAWN_KEPT, Claims


def closed(claims: Claims) -> tuple[bool, bool]:
    return claims.retired("Mio"), claims.held("Mio")


def test_a_claim_keeps_background_work_away_and_with_hold_everybody() -> None:
    claims = Claims()
    assert closed(claims) == (False, False)
    claims.register("Mio", "a", 1, hold=False)
    assert closed(claims) == (True, False)
    claims.register("Mio", "b", 1, hold=True)
    assert closed(claims) == (True, True)
    claims.withdraw("Mio", "b")
    assert closed(claims) == (True, False)
    claims.withdraw("Mio", "a")
    assert closed(claims) == (False, False)


def test_one_name_is_nothing_to_another() -> None:
    claims = Claims()
    claims.register("Mio", "a", 1, hold=True)
    claims.withdraw("Rin", "a")
    claims.publish("Rin", None)
    assert closed(claims) == (True, True)
    assert (claims.retired("Rin"), claims.held("Rin")) == (False, False)
    claims.register("Rin", "b", 1, hold=False)
    assert claims.names() == ["Mio", "Rin"]


def test_a_claim_can_be_repeated_and_a_hold_once_wished_for_stays() -> None:
    claims = Claims()
    for hold in (False, True, False):
        claims.register("Mio", "a", 1, hold=hold)
    assert closed(claims) == (True, True)
    claims.withdraw("Mio", "a")
    assert closed(claims) == (False, False)


def test_the_first_generation_of_a_claim_stays() -> None:
    claims = Claims()
    claims.register("Mio", "a", 5, hold=False)
    claims.register("Mio", "a", 1, hold=False)
    claims.publish("Mio", 5)
    assert claims.active("Mio", "a")
    claims.publish("Mio", 6)
    assert not claims.active("Mio", "a")


def test_publishing_ends_claims_on_older_identities_alone() -> None:
    claims = Claims()
    for token, generation in (("old", 3), ("same", 4), ("newer", 5)):
        claims.register("Mio", token, generation, hold=False)
    claims.publish("Mio", 4)
    assert [claims.active("Mio", token) for token in ("old", "same", "newer")] == [False, True, True]


def test_publishing_an_identity_nobody_knows_ends_every_claim() -> None:
    claims = Claims()
    claims.register("Mio", "a", 3, hold=True)
    claims.register("Mio", "b", None, hold=False)
    claims.publish("Mio", None)
    assert closed(claims) == (False, False)


def test_a_published_claim_was_not_withdrawn_and_may_be_made_again() -> None:
    claims = Claims()
    claims.register("Mio", "a", 1, hold=False)
    claims.publish("Mio", 2)
    claims.register("Mio", "a", 2, hold=False)
    assert claims.active("Mio", "a")


def test_a_withdrawn_token_never_comes_back_whether_it_was_seen_or_not() -> None:
    claims = Claims()
    claims.register("Mio", "seen", 1, hold=True)
    for token in ("seen", "early"):
        claims.withdraw("Mio", token)
        with pytest.raises(ClaimWithdrawn):
            claims.register("Mio", token, 9, hold=True)
    assert closed(claims) == (False, False)


def test_the_most_recently_asked_for_withdrawals_are_remembered() -> None:
    claims = Claims()
    claims.withdraw("Mio", "asked again")
    claims.withdraw("Mio", "forgotten")
    with pytest.raises(ClaimWithdrawn):
        claims.register("Mio", "asked again", 1, hold=False)
    for number in range(WITHDRAWN_KEPT - 1):
        claims.withdraw("Rin", str(number))
    claims.register("Mio", "forgotten", 1, hold=False)
    with pytest.raises(ClaimWithdrawn):
        claims.register("Mio", "asked again", 1, hold=False)


def test_whoever_waits_for_a_name_is_told_when_its_last_claim_ends() -> None:
    told: list[str] = []
    claims = Claims(told.append)
    claims.register("Mio", "a", 1, hold=False)
    claims.register("Mio", "b", 1, hold=False)
    claims.withdraw("Mio", "unknown")
    claims.withdraw("Mio", "a")
    assert told == []
    claims.withdraw("Mio", "b")
    claims.withdraw("Mio", "b")
    assert told == ["Mio"]


def test_whatever_happens_a_name_is_closed_exactly_while_it_has_claims() -> None:
    chosen = random.Random(7)
    for _ in range(200):
        claims = Claims()
        model: dict[str, tuple[bool, int]] = {}
        withdrawn: set[str] = set()
        for _ in range(30):
            token, generation = chosen.choice("abcd"), chosen.randrange(4)
            match chosen.choice(["register", "register", "withdraw", "publish"]):
                case "register":
                    hold = chosen.random() < 0.5
                    try:
                        claims.register("Mio", token, generation, hold=hold)
                    except ClaimWithdrawn:
                        assert token in withdrawn
                    else:
                        assert token not in withdrawn
                        before = model.get(token)
                        model[token] = (hold, generation) if before is None else (hold or before[0], before[1])
                case "withdraw":
                    claims.withdraw("Mio", token)
                    withdrawn.add(token)
                    model.pop(token, None)
                case _:
                    claims.publish("Mio", generation)
                    model = {key: value for key, value in model.items() if value[1] >= generation}
            assert closed(claims) == (bool(model), any(hold for hold, _ in model.values()))
            assert claims.names() == (["Mio"] if model else [])
