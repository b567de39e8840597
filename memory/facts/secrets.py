"""Secrets in what is to be remembered: found before anything is derived from it or written anywhere.

A secret becomes ``[REDACTED:<kind>]``; of ``name=value`` the name stays. Addresses and telephone
numbers are told of, not taken out: they may be just what is to be remembered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

EMAIL, PHONE = "email", "phone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """A text without its secrets."""

    text: str
    secrets: tuple[str, ...] = ()       # kinds taken out, in order of first appearance
    personal: tuple[str, ...] = ()      # kinds that stay


Replace = Callable[[re.Match[str]], str]


def _whole(kind: str) -> Replace:
    return lambda match: f"[REDACTED:{kind}]"


def _value(kind: str) -> Replace:
    """Only the group ``secret`` goes."""

    def replaced(match: re.Match[str]) -> str:
        text, start = match.group(), match.start()
        return f"{text[: match.start('secret') - start]}[REDACTED:{kind}]{text[match.end('secret') - start :]}"

    return replaced


def _if_valid(kind: str, valid: Callable[[str], bool]) -> Replace:
    def replaced(match: re.Match[str]) -> str:
        return f"[REDACTED:{kind}]" if valid(re.sub(r"[ -]", "", match.group())) else match.group()

    return replaced


def _is_card(digits: str) -> bool:
    """The check digit of a payment card."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        number = int(char) * (1 + place % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0 and len(set(digits)) > 1


_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def _is_citizen_id(number: str) -> bool:
    """The check digit of a Chinese identity number."""
    total = sum(weight * int(char) for weight, char in zip(_WEIGHTS, number[:17], strict=True))
    return "10X98765432"[total % 11] == number[17].upper()


_NAMED = (
    r"(?:database_url|client_secret|access_token|refresh_token|auth_token|id_token|session_token|private_key|"
    r"secret_key|secret_access_key|signing_key|encryption_key|webhook_secret)"
)

# In this order: what is taken out first is not looked at again.
_SECRETS: tuple[tuple[str, re.Pattern[str], Callable[[str], Replace]], ...] = (
    (
        "private_key",
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:.*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|.*\Z)", re.DOTALL
        ),
        _whole,
    ),
    (
        "url_credentials",
        re.compile(r"\b[a-z][a-z0-9+.\-]{1,20}://(?P<secret>[^\s/@:\"'<>]{0,200}:[^\s/@\"'<>]{1,200})@", re.IGNORECASE),
        _value,
    ),
    (
        "authorization",
        re.compile(
            r"\bAuthorization:\s*(?:Basic|Bearer)\s+(?P<secret>[A-Za-z0-9+/=._~\-]{8,})"
            # Without its header it must look like no word: "basic understanding" stays.
            r"|\b(?:Basic|Bearer)\s+(?P<other>(?=\S*[0-9=]|(?-i:[a-z]+[A-Z]))[A-Za-z0-9+/=._~\-]{12,})",
            re.IGNORECASE,
        ),
        lambda kind: _either(kind),
    ),
    ("cookie", re.compile(r"\b(?:Set-)?Cookie:[ \t]*(?P<secret>[^\r\n]{3,})", re.IGNORECASE), _value),
    ("anthropic_key", re.compile(r"\bsk-ant-[A-Za-z0-9_\-]{8,}"), _whole),
    ("openai_key", re.compile(r"\bsk-(?!ant-)[A-Za-z0-9_\-]{16,}"), _whole),
    ("github_token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})"), _whole),
    ("slack_token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9\-]{8,}"), _whole),
    ("aws_key", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"), _whole),
    ("google_key", re.compile(r"\bAIza[A-Za-z0-9_\-]{20,}"), _whole),
    ("jwt", re.compile(r"\beyJ[A-Za-z0-9_\-]{5,}\.[A-Za-z0-9_\-]{5,}\.[A-Za-z0-9_\-]{5,}"), _whole),
    (
        "secret",
        re.compile(
            rf"\b[\w.\-]{{0,40}}{_NAMED}[\"']?\s*[:=]\s*[\"']?(?P<secret>(?!\[REDACTED)[^\s\"',;]{{4,}})", re.IGNORECASE
        ),
        _value,
    ),
    (
        "api_key",
        re.compile(
            r"\b[\w.\-]{0,40}(?:api[_\- ]?key|apikey|token|secret)[\"']?\s*(?:[:=]|\bis\b)\s*[\"']?"
            r"(?P<secret>(?!\[REDACTED)[A-Za-z0-9+/=_.~\-]{20,})",
            re.IGNORECASE,
        ),
        _value,
    ),
    (
        "password",
        re.compile(
            r"\b[\w.\-]{0,40}(?:password|passwd|pwd)[\"']?\s*[:=]\s*[\"']?(?P<secret>(?!\[REDACTED)[^\s\"',;]{8,})"
            r"|密码\s*(?:是|[:：=])\s*(?P<other>(?!\[REDACTED)[^\s\"',;，。；]{8,})",
            re.IGNORECASE,
        ),
        lambda kind: _either(kind),
    ),
    ("token", re.compile(r"\b[A-Za-z0-9_\-]{20,}\.[A-Za-z0-9_\-]{20,}\.[A-Za-z0-9_\-]{20,}\b"), _whole),
)  # fmt: skip
_NUMBERS: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("citizen_id", re.compile(r"(?<![\dA-Za-z])\d{17}[\dXx](?![\dA-Za-z])"), _is_citizen_id),
    ("card", re.compile(r"(?<![\d.\-])\d{4}(?:[ \-]?\d{4}){3}(?![\d.\-])"), _is_card),
)
_PERSONAL = (
    (EMAIL, re.compile(r"\b[A-Za-z0-9._%+\-]{1,64}@[A-Za-z0-9\-]{1,63}(?:\.[A-Za-z0-9\-]{1,63}){1,8}\b")),
    (PHONE, re.compile(r"(?<![\d.])(?:\+\d{1,3}[ \-]?)?(?:1[3-9]\d{9}|\(?\d{3}\)?[ \-]\d{3,4}[ \-]\d{4})(?![\d.])")),
)
# Nothing above matches a text without one of these.
_HINT = re.compile(
    r"://|bearer|basic|cookie|sk-|gh[pousr]_|github_pat|xox|AKIA|ASIA|AIza|eyJ|-----BEGIN|key|token|secret|passw|pwd|database_url"
    r"|密码|\d{4}|@|[A-Za-z0-9_\-]{20}\.",
    re.IGNORECASE,
)


def _either(kind: str) -> Replace:
    def replaced(match: re.Match[str]) -> str:
        group = "secret" if match.group("secret") is not None else "other"
        text, start = match.group(), match.start()
        return f"{text[: match.start(group) - start]}[REDACTED:{kind}]{text[match.end(group) - start :]}"

    return replaced


def redact(text: str) -> Redacted:
    """The text without secrets. Deterministic, and the same again when applied twice."""
    if not _HINT.search(text):
        return Redacted(text=text)
    kinds: dict[str, None] = {}
    for kind, pattern, how in _SECRETS:
        new = pattern.sub(how(kind), text)
        if new != text:
            kinds[kind] = None
            text = new
    for kind, pattern, valid in _NUMBERS:
        new = pattern.sub(_if_valid(kind, valid), text)
        if new != text:
            kinds[kind] = None
            text = new
    personal = tuple(kind for kind, pattern in _PERSONAL if pattern.search(text))
    return Redacted(text=text, secrets=tuple(kinds), personal=personal)


def redact_all(value: Any, kinds: dict[str, None]) -> Any:
    """A JSON value with every text in it redacted; what was taken out is added to ``kinds``."""
    if isinstance(value, str):
        done = redact(value)
        kinds |= dict.fromkeys(done.secrets)
        return done.text
    if isinstance(value, list | tuple):
        return [redact_all(one, kinds) for one in value]
    if isinstance(value, Mapping):
        return {key: redact_all(one, kinds) for key, one in value.items()}
    return value
