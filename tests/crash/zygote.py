"""A process with everything imported that forks a child per run: ``python -m tests.crash.zygote``.

It reads one JSON request per line and answers each with one line. It never starts a thread itself,
so that forking is safe, which pytest's own process cannot promise.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import orjson

from tests.crash.scenarios import SCENARIOS
from tests.crash.stage import Points, Stage


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Run a scenario in a child and say how it ended: its exit code, and the points it passed if it came to its end."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os._exit(_live(request, writing))
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    return {"code": os.waitstatus_to_exitcode(status), "told": orjson.loads(told) if told else None}


def _live(request: dict[str, Any], writing: int) -> int:
    points = Points(kill_at=request.get("kill_at"), nth=request.get("nth", 1))
    stage = Stage(Path(request["root"]), points)
    try:
        asyncio.run(SCENARIOS[request["scenario"]](stage))
    except BaseException:
        os.write(writing, orjson.dumps({"error": traceback.format_exc()}))
        return 1
    os.write(writing, orjson.dumps({"reached": points.reached}))
    return 0


def main() -> None:
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(orjson.dumps(run(orjson.loads(line)), option=orjson.OPT_APPEND_NEWLINE))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
