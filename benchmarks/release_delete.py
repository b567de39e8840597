"""Releasing a character and deleting its directory at once, again and again, while others talk with it.

``python -m benchmarks.release_delete [--times N]`` prints JSON and ends with 1 if a directory came back, a file of it
was still open, or a release failed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.harness import Server, ai, history, human, median, milliseconds, percentile

NAME = "Mio"
LOADERS = 4
LOOKS = 5           # at the directory after it was deleted, each a little later than the one before


class Load:
    """Talks with the character over a connection of its own, and with nobody else, until it is told to stop."""

    def __init__(self, server: Server, number: int) -> None:
        self._line = Server(server.root)
        self._line.port = server.port
        self._number = number
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"load {number}")
        self.cached = self.cancelled = self.others = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        self._line.disconnect()

    def _run(self) -> None:
        turn = 0
        while not self._stop.is_set():
            turn += 1
            said = f"I like colour number {self._number}{turn}."
            answer = self._line.post(f"/cache/{NAME}", history(human(said), ai("Noted.")))
            if answer["status"] == "cached":
                self.cached += 1
            elif answer["status"] == "cancelled":
                self.cancelled += 1
            else:
                self.others += 1
            self._line.get(f"/new_dialog/{NAME}")
            self._line.post(f"/query_memory/{NAME}", {"query": "colour", "tiers": ["fact", "turn"]})
            if turn % 5 == 0:
                self._line.post(f"/settle/{NAME}", history())


def open_files(server: Server, directory: Path) -> list[str]:
    """Files under a directory that the server has open. Linux alone tells; elsewhere deleting would fail."""
    found = []
    try:
        for link in Path(f"/proc/{server.process.pid}/fd").iterdir():
            try:
                target = os.readlink(link)
            except OSError:
                continue
            if target.startswith(f"{directory}{os.sep}"):
                found.append(target)
    except FileNotFoundError:
        pass
    return found


def run(times: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:
        directory = Path(folder).resolve() / "memory" / NAME
        loads = [Load(server, number) for number in range(LOADERS)]
        for load in loads:
            load.start()
        seconds: list[float] = []
        failed = in_use = came_back = not_closed = 0
        try:
            for number in range(times):
                while not (directory / "events.ndjson").exists():
                    time.sleep(0.001)
                time.sleep(0.02)
                query = f"derived_task_claim_token=t{number}&derived_task_claim_generation={number}"
                started = time.perf_counter()
                answer = server.post(f"/release_character/{NAME}?{query}&hold_derived_task_admission=true")
                if answer["status"] != "success":
                    failed += 1
                    server.post("/reload", {"release_derived_task_claims": {NAME: [f"t{number}"]}})
                    continue
                in_use += bool(open_files(server, directory))
                shutil.rmtree(directory)
                seconds.append(time.perf_counter() - started)
                for look in range(LOOKS):
                    time.sleep(0.002 * look)
                    came_back += directory.exists()
                server.post("/reload")
                not_closed += server.post(f"/cache/{NAME}", history(human("late")))["status"] != "cancelled"
                came_back += directory.exists()
                resume = {"resume_derived_task_names": [NAME], "resume_derived_task_generations": [number + 1]}
                server.post("/reload", resume)
        finally:
            for load in loads:
                load.stop()
        health = server.get("/health")
    return {
        "times": times,
        "releases_failed": failed,
        "files_in_use": in_use,
        "directories_that_came_back": came_back,
        "late_writes_not_refused": not_closed,
        "release_and_delete_ms": {
            "median": milliseconds(median(seconds)),
            "p95": milliseconds(percentile(seconds, 0.95)),
            "max": milliseconds(max(seconds)),
        },
        "writes_meanwhile": {
            "cached": sum(load.cached for load in loads),
            "cancelled": sum(load.cancelled for load in loads),
            "others": sum(load.others for load in loads),
        },
        "last_failed_write_at": health["last_failed_write_at"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--times", type=int, default=200)
    result = run(parser.parse_args().times)
    print(json.dumps(result, indent=2))
    bad = ("releases_failed", "files_in_use", "directories_that_came_back", "late_writes_not_refused")
    return 1 if any(result[key] for key in bad) else 0


if __name__ == "__main__":
    sys.exit(main())
