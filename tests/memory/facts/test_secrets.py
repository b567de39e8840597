"""Secrets never get as far as a key, a file or an answer."""

from __future__ import annotations

import pytest

from memory.facts.secrets import EMAIL, PHONE, redact, redact_all


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("deploy key is sk-ant-EXAMPLE-not-a-key keep it safe", "deploy key is [REDACTED:anthropic_key] keep it safe"),
        ("db at postgres://bob:hunter22@db/x", "db at postgres://[REDACTED:url_credentials]@db/x"),
        ("Authorization: Bearer abcdefghijkl", "Authorization: Bearer [REDACTED:authorization]"),
        ("Basic dXNlcjpwYXNzd29yZA==", "Basic [REDACTED:authorization]"),
        ("Cookie: session=1; id=2", "Cookie: [REDACTED:cookie]"),
        ("password = hunter2222", "password = [REDACTED:password]"),
        ("api_key: 'ABCDEFGHIJKLMNOPQRSTUVWX'", "api_key: '[REDACTED:api_key]'"),
        ("DATABASE_URL=foo/bar", "DATABASE_URL=[REDACTED:secret]"),
        ("ghp_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345", "[REDACTED:github_token]"),
        ("AKIAABCDEFGHIJKLMNOP", "[REDACTED:aws_key]"),
        ("xoxb-123456789012-abcdef", "[REDACTED:slack_token]"),
        ("eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM", "[REDACTED:jwt]"),
        ("card 4111 1111 1111 1111", "card [REDACTED:card]"),
        ("id 11010519491231002X", "id [REDACTED:citizen_id]"),
        ("我的密码是abcd12345678", "我的密码是[REDACTED:password]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "[REDACTED:private_key]"),
    ],
)
def test_a_secret_is_taken_out_and_its_name_stays(text: str, clean: str) -> None:
    done = redact(text)
    assert done.text == clean
    assert len(done.secrets) == 1
    assert redact(clean).text == clean


@pytest.mark.parametrize(
    "text",
    [
        "A basic understanding of basic skills",
        "Bearer of bad news",
        "The secret is discretion",
        "Order 1234 5678 9012 3456 is no card",    # its check digit is wrong
        "The token bucket holds ten tokens",
        "User works on the password reset page",
    ],
)
def test_plain_words_stay(text: str) -> None:
    assert redact(text).text == text


def test_addresses_and_numbers_are_told_of_and_kept() -> None:
    done = redact("Ana is at ana@example.com or 13812345678")
    assert done.text == "Ana is at ana@example.com or 13812345678"
    assert done.personal == (EMAIL, PHONE)


def test_every_part_of_a_structure_is_looked_at() -> None:
    kinds: dict[str, None] = {}
    clean = redact_all({"title": "use sk-ant-EXAMPLE-key", "steps": ["password=hunter2222"]}, kinds)
    assert clean == {"title": "use [REDACTED:anthropic_key]", "steps": ["password=[REDACTED:password]"]}
    assert list(kinds) == ["anthropic_key", "password"]
