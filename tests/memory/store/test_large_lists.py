"""Large list files are read entry by entry, in whatever form another program wrote them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory.store.view import Unreadable, list_of_lines, parse_list

MANY: list[Any] = [{"id": f"fact_{n}", "text": "喜欢 tea and bridges " * 3, "n": n} for n in range(5_000)]


def test_a_list_of_ours_is_read_as_it_was_written() -> None:
    data = b"".join(list_of_lines(json.dumps(row).encode() for row in MANY))
    assert data.startswith(b"[\n{")
    assert data.endswith(b"}\n]\n")
    assert data.count(b"\n") == len(MANY) + 2     # one entry per line
    assert parse_list(data) == MANY


@pytest.mark.parametrize("indent", [None, 2, 4])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b" \r\n\t"])
def test_a_list_of_another_program_is_read_whatever_its_form(indent: int | None, before: bytes) -> None:
    data = before + json.dumps(MANY, indent=indent, ensure_ascii=False).encode() + b"\r\n"
    assert len(data) > 256 * 1024       # below that it is read in one go
    assert parse_list(data) == MANY


def test_half_of_a_surrogate_pair_and_nan_are_mended_in_a_large_list_too() -> None:
    data = json.dumps([*MANY, {"text": "x \ud83d y", "score": float("nan")}]).encode()
    assert parse_list(data)[-1] == {"text": "x \ufffd y", "score": None}


def test_a_whole_pair_that_was_escaped_is_one_character() -> None:
    assert parse_list(json.dumps([*MANY, "\U0001f600"]).encode())[-1] == "\U0001f600"


@pytest.mark.parametrize("broken", ["cut", "two lists", "missing comma", "trailing comma", "an object"])
def test_what_is_no_list_is_unreadable(broken: str) -> None:
    whole = json.dumps(MANY)
    text = {
        "cut": whole[:-100],
        "two lists": whole + "[]",
        "missing comma": whole.replace("}, {", "} {", 1),
        "trailing comma": whole[:-1] + ",]",
        "an object": json.dumps({"facts": MANY}),
    }[broken]
    with pytest.raises(Unreadable):
        parse_list(text.encode())
