"""From the start of the process to its first answer: ``python -m benchmarks.startup [--characters N] [--starts N]``.

On a root of many characters that have talked and learnt. Beside it, in turn, an empty app on the same HTTP
server: what any service of this kind takes before it does anything.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.harness import HOST, Server, median
from memory.engine import Engine
from memory.history import record
from memory.history.record import Incoming
from memory.history.turn import AI, HUMAN, Message
from memory.settings import Settings

SECONDS_LIMIT, RSS_LIMIT = 1.5, 120
SWEEP_WAIT = 60.0  # seconds
IDLE = 3.0  # seconds of rest before memory is read

EMPTY_APP = f"""
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
app = Starlette(routes=[Route("/health", lambda request: JSONResponse({{}}))])
uvicorn.run(app, host="{HOST}", port=int(sys.argv[1]), log_level="critical")
"""


class EmptyServer(Server):
    """The same HTTP server with nothing behind it."""

    def start(self, *, wait: bool = True) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", EMPTY_APP, str(self.port)])


async def furnish(root: Path, characters: int) -> None:
    """Characters with forty messages and a fact each, closed cleanly."""
    engine = await Engine.open(Settings(data_root=root, background=False))
    for number in range(characters):
        async with engine.spaces.use(f"Character {number}", create=True) as space:
            for turn in range(20):
                said = (
                    "I live in Porto." if turn == 3 else f"This is turn {turn} of character {number}, said the human."
                )
                messages = [Message(kind=HUMAN, content=said), Message(kind=AI, content=f"Answer {turn}.")]
                await record.cache(space, Incoming(messages=messages))
            await engine.worker.perform_all(space)
    await engine.close()


def start(server: Server) -> dict[str, Any]:
    """Seconds to the first answer and to being ready; what the process holds when it is at rest."""
    began = time.perf_counter()
    server.start(wait=False)
    server.wait_for(lambda _: True)
    answered = time.perf_counter() - began
    ready = server.wait_for(lambda answer: answer.get("initialised", True) is True)
    initialised = time.perf_counter() - began
    figures: dict[str, Any] = {"answers_s": round(answered, 3), "ready_s": round(initialised, 3)}
    if "spaces" in ready:
        end = time.monotonic() + SWEEP_WAIT
        while server.get("/health")["spaces"] < _directories(server.root) and time.monotonic() < end:
            time.sleep(0.1)
        figures["swept_s"] = round(time.perf_counter() - began, 3)
    time.sleep(IDLE)
    figures |= server.footprint()
    server.stop()
    return figures


def _directories(root: Path) -> int:
    return sum(path.is_dir() for path in (root / "memory").iterdir())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--characters", type=int, default=100)
    parser.add_argument("--starts", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "root"
        asyncio.run(furnish(root, arguments.characters))
        ours = [start(Server(root)) for _ in range(arguments.starts)]
        empty = [start(EmptyServer(root)) for _ in range(arguments.starts)]
    answers = median([one["answers_s"] for one in ours])
    figures = {
        "characters": arguments.characters,
        "answers_s": answers,
        "ready_s": median([one["ready_s"] for one in ours]),
        "limit_s": SECONDS_LIMIT,
        "rss_mib": max(one["rss_mib"] for one in ours),
        "limit_mib": RSS_LIMIT,
        "empty_server": {"answers_s": median([one["answers_s"] for one in empty]), "rss_mib": empty[0]["rss_mib"]},
        "ratio": round(answers / median([one["answers_s"] for one in empty]), 2),
        "starts": ours,
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
