"""Quality of recall through HTTP: a real server, conversations sent by /cache, questions by /query_memory.

    python benchmarks/recall_http.py --data DIR

DIR holds the public sets that ``recall_data`` names. Prints JSON: for LoCoMo turns R@5, R@10, H@10
over the usable questions, for MemoryBank H@1, H@3, H@5 in both languages (a hit on either turn of
a round counts), and the median time of a query beside that of an empty request in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2
from recall_data import Case, locomo_turns, memorybank, read_locomo


class Server:
    """A server of its own on a free port over a temporary root."""

    def __init__(self, root: str, profile: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = [sys.executable, "-m", "memory_server", "serve", "--port", str(port), "--data-root", root]
        self._process = subprocess.Popen(
            [*command, "--also-listen", "none"],
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).parents[1],
            env={**os.environ, "MEMORY_EMBEDDING_PROFILE": profile},
        )
        self.client = httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False)
        for _ in range(100):
            try:
                if self.client.get("/health").json()["initialised"]:
                    return
            except httpx2.TransportError:
                pass
            time.sleep(0.1)
        raise SystemExit("the server did not start")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(10)


def send(server: Server, name: str, case: Case) -> dict[str, str]:
    """Cache a case's turns; returns the unit of every row, by its place."""
    first = case.documents[0].speaker
    for start in range(0, len(case.documents), 20):
        messages = [
            {
                "role": "user" if document.speaker == first else "assistant",
                "content": document.text,
                "timestamp": document.created_at.isoformat(),
                "speaker": document.speaker,
            }
            for document in case.documents[start : start + 20]
        ]
        body = {"input_history": json.dumps(messages)}
        answer = server.client.post(f"/cache/{name}", json=body).json()
        if answer.get("status") != "cached":
            raise SystemExit(f"not cached: {answer}")
    return {}


def ask(server: Server, name: str, case: Case, times: list[float]) -> list[dict[str, Any]]:
    """The ranking of units for every question."""
    by_text: dict[str, list[str]] = {}
    for document in case.documents:
        by_text.setdefault(document.text, []).append(case.unit_of[document.id][0])
    results = []
    for question in case.questions:
        begun = time.perf_counter()
        reply = server.client.post(
            f"/query_memory/{name}", json={"query": question.text, "tiers": ["turn"], "limit": 50}
        ).json()
        times.append(time.perf_counter() - begun)
        ranked: list[str] = []
        for hit in reply["results"]:
            ranked += [unit for unit in by_text.get(hit["text"], []) if unit not in ranked][:1]
        results.append({"kind": question.kind, "gold": question.gold, "ranked": ranked})
    return results


def recall_at(results: list[dict[str, Any]], k: int) -> float:
    found = [len(set(one["gold"]) & set(one["ranked"][:k])) / len(one["gold"]) for one in results]
    return round(100 * sum(found) / len(found), 1)


def hits_at(results: list[dict[str, Any]], k: int) -> float:
    return round(100 * sum(bool(set(one["gold"]) & set(one["ranked"][:k])) for one in results) / len(results), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--profile", default="off", help="embedding profile: off, auto, or a name")
    options = parser.parse_args()
    report: dict[str, Any] = {"profile": options.profile}
    times: list[float] = []
    with tempfile.TemporaryDirectory() as root:
        server = Server(root, options.profile)
        try:
            turns: list[dict[str, Any]] = []
            for sample in read_locomo(options.data):
                case = locomo_turns(sample)
                send(server, case.name, case)
                turns += ask(server, case.name, case, times)
            report["locomo_turns"] = {
                "questions": len(turns),
                "R@5": recall_at(turns, 5),
                "R@10": recall_at(turns, 10),
                "H@10": hits_at(turns, 10),
            }
            for language in ("zh", "en"):
                rounds: list[dict[str, Any]] = []
                for number, case in enumerate(memorybank(options.data, language, split=True)):
                    send(server, f"{language}{number}", case)
                    rounds += ask(server, f"{language}{number}", case, times)
                report[f"memorybank_{language}"] = {
                    "questions": len(rounds),
                    **{f"H@{k}": hits_at(rounds, k) for k in (1, 3, 5)},
                }
            empty = []
            for _ in range(200):
                begun = time.perf_counter()
                server.client.get("/health")
                empty.append(time.perf_counter() - begun)
            report["query_ms_median"] = round(1e3 * statistics.median(times), 2)
            report["empty_ms_median"] = round(1e3 * statistics.median(empty), 2)
        finally:
            server.close()
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
