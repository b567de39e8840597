"""Exchanges recorded from the original, told again: the same statuses and at least the same fields, where it was right.

``why`` in a row says where we mean to differ from it, and the row then holds what we answer.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.dialects.recallnest.nest import COLLOQUIAL, CONCISE, Nest

ROWS = [json.loads(line) for line in (Path(__file__).parent / "recorded.jsonl").read_text("utf-8").splitlines()]

# Evidence that was there before, by the id it had: text and what it seemed to be.
EVIDENCE = {
    "2860c9cc-c3b3-f24e-c886-355f88266cb8": (CONCISE.replace("concise", "very concise"), "preferences"),
    "7af05d58-954a-94cd-9514-464367d09d82": (COLLOQUIAL, "preferences"),
    "4ebebb28-8bfd-ce9c-0e71-a0b6fef27a52": ("我喜欢吃麦当劳的麦辣鸡翅，尤其是周五晚上", "preferences"),
    "151a1f2f-494f-107d-e311-65d983a00ab4": (
        "Docker bot crash troubleshooting: check logs first with docker logs then restart the container", "cases",
    ),
    "5ee8d344-b7b4-0987-5f74-07230dfe0bc7": (
        "User is a backend engineer who works on payment systems in Berlin", "profile",
    ),
    "204532e3-6712-f6e2-3bbb-29d1e3d8166e": ("The proxy listens on port 8080", "events"),
}  # fmt: skip
# Fields that nobody published and that we leave out.
UNPUBLISHED = {"fingerprint", "health"}
# After this row a conflict had grown four days old.
AGED_AFTER = 76


async def test_what_was_recorded_is_answered_in_the_same_shape(nest: Nest) -> None:
    told: dict[str, str] = {}
    for was, (text, category) in EVIDENCE.items():
        told[was] = await nest.evidence(text, category=category)
    problems = []
    for row in ROWS:
        answer = await _ask(nest, row, told)
        problems += [f"{row['n']} {row['method']} {row['path']}: {what}" for what in _differences(row, answer)]
        body = answer.json()
        for field, was in row.get("ids", {}).items():
            if isinstance(body, dict) and isinstance(body.get(field), str):
                told[was] = body[field]
        nest.clock.advance(4 * 86_400 if row["n"] == AGED_AFTER else 1)
    assert problems == []


async def _ask(nest: Nest, row: dict[str, Any], told: dict[str, str]) -> Any:
    body = row["body"]
    content = None
    if isinstance(body, dict) and "__raw__" in body:
        content = body["__raw__"].encode()
    elif body is not None:
        content = _translated(json.dumps(body), told).encode()
    query = json.loads(_translated(json.dumps(row["query"]), told))
    headers = {"Content-Type": "application/json"} if content is not None else {}
    return await nest.client.request(row["method"], row["path"], params=query, content=content, headers=headers)


def _translated(text: str, told: dict[str, str]) -> str:
    """The ids of then as the ids of now, whole or as the prefix that was sent."""
    for was, now in told.items():
        text = text.replace(was, now).replace(f'"{was[:8]}"', f'"{now[:8]}"')
    return text


def _differences(row: dict[str, Any], answer: Any) -> list[str]:
    if answer.status_code != row["status"]:
        return [f"status {answer.status_code}, not {row['status']}: {answer.text[:200]}"]
    body = answer.json()
    missing = set(row["keys"]) - body.keys() - UNPUBLISHED
    found = [f"without {sorted(missing)}"] if missing else []
    if "disposition" in row and body.get("disposition") != row["disposition"]:
        found.append(f"{body.get('disposition')}, not {row['disposition']}")
    if "rows" in row:
        name, keys = row["rows"]
        if not body.get(name):
            found.append(f"no {name}")
        elif missing := set(keys) - body[name][0].keys() - UNPUBLISHED:
            found.append(f"{name} without {sorted(missing)}")
    return found
