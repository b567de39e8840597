"""The callers' rhythm: ``python -m benchmarks.rhythm [--sessions N]``.

A session is some turns cached one by one, a settle without messages, and the context of the next
conversation; a part of the turns is sent again together with new ones, as after a lost answer. At the end
the database must hold what was sent, in order. Beside the time from the settle to the context stands that
of two empty round trips with one append and fsync between them.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

from benchmarks.harness import AppendFloor, Server, ai, history, human, median, milliseconds, percentile, timed
from benchmarks.interleavings import rows_of

NAME = "Rhythm"
LIMIT = 1.0  # seconds from the settle to the context


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    sent: list[str] = []
    contexts: list[float] = []
    floors: list[float] = []
    resends = incomplete = 0
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "root"
        with Server(root) as server:
            floor = AppendFloor(Path(scratch) / "floor.bin")
            number = 0
            for _ in range(arguments.sessions):
                unheard: list[dict[str, str]] = []
                for _ in range(chance.randint(4, 14)):
                    number += 1
                    said = f"Turn {number}: tell me about letter {number}."
                    answer = f"[20260504 Mon {10 + number // 60 % 12:02d}:{number % 60:02d}] Letter {number} was long."
                    new = [human(said), ai(answer)]
                    batch = [*unheard, *new]
                    reply = server.post(f"/cache/{NAME}", history(*batch))
                    assert reply == {"status": "cached", "count": len(batch)}, reply
                    resends += bool(unheard)
                    sent += [said, answer]
                    # As if the answer had been lost: the caller keeps the batch and sends it before the next turn.
                    unheard = batch if chance.random() < 0.3 else []
                began = time.perf_counter()
                assert server.post(f"/settle/{NAME}", history())["status"] == "settled"
                context = server.get(f"/new_dialog/{NAME}")
                contexts.append(time.perf_counter() - began)
                incomplete += f"Letter {number} was long." not in context
                floors.append(
                    timed(lambda: server.get("/health")) + floor(b"x" * 4000) + timed(lambda: server.get("/health"))
                )
            floor.close()
        stored = [text for _, text in rows_of(root / "memory" / NAME)]
    figures = {
        "sessions": arguments.sessions,
        "messages_sent": len(sent),
        "batches_with_a_resend": resends,
        "rows": len(stored),
        "rows_are_what_was_sent_in_order": stored == sent,
        "contexts_without_the_last_turn": incomplete,
        "settle_to_context_ms": {
            "p50": milliseconds(median(contexts)),
            "p95": milliseconds(percentile(contexts, 0.95)),
            "max": milliseconds(max(contexts)),
        },
        "floor_ms": milliseconds(median(floors)),
        "ratio": round(median(contexts) / median(floors), 2),
        "limit_ms": LIMIT * 1000,
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
