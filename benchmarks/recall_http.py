"""Quality of recall through HTTP: a real server, conversations sent by /cache, questions by /query_memory.

    python -m benchmarks.recall_http --data DIR [--profile NAME ... --models ROOT]

DIR holds the public sets that ``recall_data`` names. Prints JSON for each embedding profile (off, auto, or a name; a
server of its own for each): for LoCoMo turns R@5, R@10, H@10 over the usable questions, for MemoryBank H@1, H@3, H@5
in both languages (a hit on either turn of a round counts), the median time of a query beside that of an empty request
in the same run, and how long it took until every text had its vector. ROOT is a data root under which
``memory_server models install NAME --data-root ROOT`` has put models.
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

from benchmarks.recall_data import Case, locomo_turns, memorybank, read_locomo

_LONGEST_FILL = 1800.0      # seconds


class Server:
    """A server of its own on a free port over a temporary root."""

    def __init__(self, root: str, profile: str, models: Path | None) -> None:
        if models is not None:
            (Path(root) / "data").mkdir(parents=True)
            (Path(root) / "data" / "embedding_models").symlink_to((models / "data" / "embedding_models").absolute())
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

    def filled(self) -> dict[str, Any]:
        """Wait until every text has its vector; how long that took and what it made of the process."""
        began = time.monotonic()
        while True:
            told = self.client.get("/health").json()["embeddings"]
            took = time.monotonic() - began
            if told["state"] == "disabled" or (told["state"] == "ready" and not told["pending"]):
                return {"fill_s": round(took, 1), "embeddings": told, "rss_mb": self._resident()}
            if took > _LONGEST_FILL:
                raise SystemExit(f"not every text got a vector: {told}")
            time.sleep(0.2)

    def _resident(self) -> int:
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) // 1024

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(10)


def send(server: Server, name: str, case: Case) -> None:
    """Cache a case's turns."""
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--profile", nargs="+", default=["off"], help="embedding profiles: off, auto, or names")
    parser.add_argument("--models", type=Path, help="a data root with installed models")
    options = parser.parse_args()
    report = {profile: measured(options.data, profile, options.models) for profile in options.profile}
    print(json.dumps(report, indent=2))


def measured(data: Path, profile: str, models: Path | None) -> dict[str, Any]:
    """Everything about one profile, from a server of its own."""
    report: dict[str, Any] = {}
    times: list[float] = []
    with tempfile.TemporaryDirectory() as root:
        server = Server(root, profile, models)
        try:
            cases = {"locomo_turns": [locomo_turns(sample) for sample in read_locomo(data)]}
            cases |= {f"memorybank_{language}": memorybank(data, language, split=True) for language in ("zh", "en")}
            named = {
                kind: [(f"{kind}{number}", case) for number, case in enumerate(some)] for kind, some in cases.items()
            }
            for some in named.values():
                for name, case in some:
                    send(server, name, case)
            report["vectors"] = server.filled()
            for kind, some in named.items():
                results = [one for name, case in some for one in ask(server, name, case, times)]
                report[kind] = {"questions": len(results), **scored(kind, results)}
            empty = []
            for _ in range(200):
                begun = time.perf_counter()
                server.client.get("/health")
                empty.append(time.perf_counter() - begun)
            report["query_ms_median"] = round(1e3 * statistics.median(times), 2)
            report["empty_ms_median"] = round(1e3 * statistics.median(empty), 2)
        finally:
            server.close()
    return report


def scored(kind: str, results: list[dict[str, Any]]) -> dict[str, float]:
    if kind == "locomo_turns":
        return {"R@5": recall_at(results, 5), "R@10": recall_at(results, 10), "H@10": hits_at(results, 10)}
    return {f"H@{k}": hits_at(results, k) for k in (1, 3, 5)}


if __name__ == "__main__":
    main()
