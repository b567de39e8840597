"""What each installed embedding model costs: load, memory, throughput, latency; beside what the machine can do.

    python -m benchmarks.embedding_models [--data-root DIR] [--profile NAME ...]

Prints one JSON object. Every model runs in a process of its own, so that memory is its own, and through the service
that the engine uses. The references are taken in the same run: ``read_gb_s`` is one thread summing an array far larger
than the caches, ``gemm_gflop_s`` one thread multiplying float32 matrices.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from memory.clock import SystemClock
from memory.models.installed import find_models
from memory.models.limits import Limits
from memory.models.onnx import OnnxEmbedder
from memory.models.sentences import STATEMENTS
from memory.models.tokens import open_tokens

ROOT = Path(__file__).resolve().parents[1]
QUERIES, SHORT, LONG, ROUNDS = 200, 640, 24, 3
PATIENT = Limits(query_wait=30.0, cached_queries=16)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-root", type=Path)
    parser.add_argument("--profile", action="append", default=[])
    parser.add_argument("--measure", nargs=2, metavar=("PROFILE", "VARIANT"), help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.measure:
        print(json.dumps(asyncio.run(measure(wanted.data_root, *wanted.measure))))
        return
    names = dict.fromkeys(
        (one.profile.name, variant)
        for one in find_models(wanted.data_root)
        if not one.missing and (not wanted.profile or one.profile.name in wanted.profile)
        for variant in one.variants
    )
    measured = [in_a_child(wanted.data_root, *name) for name in names]
    print(json.dumps({"reference": reference(), "models": measured}, indent=2))


def in_a_child(data_root: Path | None, profile: str, variant: str) -> Any:
    where = ["--data-root", str(data_root)] if data_root else []
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.embedding_models", *where, "--measure", profile, variant],
        capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    if done.returncode != 0:
        return {"profile": profile, "variant": variant, "error": done.stderr[-400:]}
    return json.loads(done.stdout)


async def measure(data_root: Path | None, profile: str, variant: str) -> dict[str, Any]:
    """Everything about one model, in this process."""
    embedder = OnnxEmbedder(
        data_root, clock=SystemClock(), profile=profile, quantisation=variant, limits=PATIENT
    )
    before = resident()
    start = time.perf_counter()
    first = await embedder.embed(["a first text"], purpose="passage")
    load = time.perf_counter() - start
    assert first is not None, embedder.reason
    loaded = resident()
    short = [f"{text} ({number})" for number in range(SHORT // 7 + 1) for text in STATEMENTS["en"]][:SHORT]
    long = [" ".join(short[at:at + 12]) for at in range(LONG)]
    latencies = [await timed(embedder, [f"what about {text}"], "query") for text in short[:QUERIES]]
    await timed(embedder, ["asked again"], "query")
    again = [await timed(embedder, ["asked again"], "query") for _ in range(QUERIES)]
    per_short = min([await timed(embedder, short, "passage") for _ in range(ROUNDS)]) / len(short)
    per_long = min([await timed(embedder, long, "passage") for _ in range(ROUNDS)]) / len(long)
    worked = resident()
    await embedder.close()
    return {
        "profile": profile,
        "variant": variant,
        "fingerprint": embedder.fingerprint,
        "load_seconds": round(load, 3),
        "added_rss_mb": {
            "after_load": round(loaded - before, 1),
            "after_work": round(worked - before, 1),
            "peak": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before, 1),
        },
        "query_ms": {f"p{share}": round(float(np.percentile(latencies, share)) * 1e3, 3) for share in (50, 99)},
        "query_again_ms": round(statistics.median(again) * 1e3, 4),
        "texts_per_second": {"short": round(1 / per_short, 1), "long": round(1 / per_long, 1)},
        "tokens_per_text": tokens(data_root, profile, short, long),
    }


async def timed(embedder: OnnxEmbedder, texts: list[str], purpose: Any) -> float:
    start = time.perf_counter()
    vectors = await embedder.embed(texts, purpose=purpose)
    assert vectors is not None, embedder.reason
    return time.perf_counter() - start


def tokens(data_root: Path | None, profile: str, short: list[str], long: list[str]) -> dict[str, float]:
    one = next(one for one in find_models(data_root) if one.profile.name == profile and not one.missing)
    opened = open_tokens(one.profile, one.files[one.profile.tokenizer])
    return {
        name: round(statistics.mean(len(opened.of(text, "passage")) for text in texts), 1)
        for name, texts in (("short", short), ("long", long))
    }


def reference() -> dict[str, float]:
    """What one thread of this machine reads and multiplies."""
    done = subprocess.run(
        [sys.executable, "-c", _REFERENCE], capture_output=True, text=True, check=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result


_REFERENCE = """
import json, time
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
array = np.ones(64 << 20, np.float32)
matrix = np.random.default_rng(0).standard_normal((1024, 1024), np.float32)
def best(job, rounds=5):
    times = []
    for _ in range(rounds):
        start = time.perf_counter(); job(); times.append(time.perf_counter() - start)
    return min(times)
print(json.dumps({
    "read_gb_s": round(array.nbytes / best(lambda: np.dot(array, array)) / 1e9, 1),
    "gemm_gflop_s": round(2 * 1024 ** 3 / best(lambda: matrix @ matrix) / 1e9, 1),
}))
"""


def resident() -> float:
    """Megabytes of this process in memory."""
    text = Path("/proc/self/status").read_text("ascii")
    return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


if __name__ == "__main__":
    main()
