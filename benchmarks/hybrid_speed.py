"""Speed of recall by words and meaning together, beside the time it takes to read the vectors once.

    python -m benchmarks.hybrid_speed [--sizes 1000 10000 100000]

Prints one JSON object. Every size runs in a process of its own, over the facts of ``recall_speed``, each with a random
unit vector of 384 float32. ``read_limit`` is the fastest way in which numpy reads that much memory with one thread
(sum, maximum, or product with itself), read in turns with the questions; ``hybrid_to_limit`` is the median question
over the median reading. Times are CPU times; ``wall`` is what a clock says. "turns" asks conversations, where each turn
also counts together with the one before it. ``open_ms`` is reading the packed vectors of a file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.recall_speed import BEGIN, NOW, Corpus, cpu_ms, drain, grown_mb, spread
from memory.clock import SystemClock
from memory.recall import packed
from memory.recall.cosine import Vectors, VectorSnapshot
from memory.recall.document import FACT, TURN, Document
from memory.recall.index import Index, Snapshot
from memory.recall.meaning import Alone, Dense
from memory.recall.query import Query, answer
from memory.recall.records import text_hash

DIMENSION, QUESTIONS, ROUNDS = 384, 60, 25
MODEL = "benchmark-384d-int8"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.one:
        print(json.dumps(measured(wanted.one)))
        return
    print(json.dumps({str(size): in_a_child(size) for size in wanted.sizes}, indent=2))


def in_a_child(size: int) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.hybrid_speed", "--one", str(size)],
        capture_output=True, text=True, check=False, cwd=Path(__file__).resolve().parents[1],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    return json.loads(done.stdout) if not done.returncode else {"failed": done.stderr.strip().splitlines()[-1:]}


def measured(size: int) -> dict[str, Any]:
    corpus = Corpus(size)
    facts = corpus.documents(0, size)
    texts = corpus.questions(QUESTIONS)["selective"]
    before = grown_mb()
    vectors = held(facts)
    memory = grown_mb() - before
    snapshot = vectors.snapshot()
    return {
        "scan": spread([cpu_ms(lambda: snapshot.cosines(unit(7))) for _ in range(ROUNDS)]),
        "facts": asked(indexed(facts), snapshot, FACT, texts),
        "turns": asked(indexed([as_turn(one, row) for row, one in enumerate(facts, 1)]), snapshot, TURN, texts),
        "vectors_mb": round(memory, 1),
        "open_ms": opening(facts, snapshot),
    }


def unit(seed: int) -> Any:
    row = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    return row / np.linalg.norm(row)


def held(documents: list[Document]) -> Vectors:
    numbers, vectors = np.random.default_rng(3), Vectors(DIMENSION)
    for first in range(0, len(documents), 1000):
        part = documents[first : first + 1000]
        rows = numbers.normal(size=(len(part), DIMENSION)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        vectors.put([document.id for document in part], rows)
    return vectors


def as_turn(fact: Document, row: int) -> Document:
    """The same text as something said, twenty messages to a conversation."""
    said = BEGIN + timedelta(hours=5 * (row // 20), seconds=20 * (row % 20))
    return replace(fact, tier=TURN, order=row, created_at=said, start=said, end=said, speaker="Alice")


def indexed(documents: list[Document]) -> Snapshot:
    index = Index()
    drain(index.fill(documents))
    drain(index.tidy())
    return index.snapshot()


def reader(numbers: int) -> Callable[[], object]:
    """Reads so many float32 once, in the way that is fastest here."""
    flat = np.ones(numbers, dtype=np.float32)
    ways: tuple[Callable[[], object], ...] = (flat.sum, flat.max, lambda: np.dot(flat, flat))
    return min(ways, key=lambda way: min(cpu_ms(way) for _ in range(ROUNDS)))


def asked(snapshot: Snapshot, vectors: VectorSnapshot, tier: str, texts: list[str]) -> dict[str, Any]:
    clock, alone = SystemClock(), Alone(least=0.3, crowd=0.02, apart=0.2)
    read = reader(vectors.size * DIMENSION)

    def search(text: str, dense: Dense | None) -> None:
        answer([snapshot], Query(text=text, tiers=(tier,)), now=NOW, clock=clock, dense=dense)

    questions = [
        (text, Dense(query=unit(number), documents=[vectors], floor=0.1, alone=alone))
        for number, text in enumerate(texts)
    ]
    for text, dense in questions[:3]:
        search(text, dense)
    words = spread([cpu_ms(lambda text=text: search(text, None)) for text in texts])  # type: ignore[misc]
    both, wall, reading = [], [], []
    for text, dense in questions:
        reading.append(cpu_ms(read))
        began = time.perf_counter()
        both.append(cpu_ms(lambda text=text, dense=dense: search(text, dense)))  # type: ignore[misc]
        wall.append((time.perf_counter() - began) * 1e3)
    hybrid, limit = spread(both), spread(reading)
    return {
        "words": words,
        "hybrid": hybrid,
        "hybrid_wall": spread(wall),
        "read_limit": limit,
        "hybrid_to_limit": round(hybrid["p50_ms"] / limit["p50_ms"], 2),
    }


def opening(documents: list[Document], snapshot: VectorSnapshot) -> float:
    """Milliseconds from the bytes of a file to vectors that can be asked."""
    pieces = [packed.header(MODEL, DIMENSION)]
    for first in range(0, len(documents), packed.FRAME):
        part = documents[first : first + packed.FRAME]
        ids = [document.id for document in part]
        pieces.append(packed.frame(ids, [text_hash(one.text) for one in part], snapshot.take(snapshot.rows(ids))))
    data = b"".join(pieces)

    def read() -> None:
        vectors = Vectors(DIMENSION)
        for kept in packed.load(data, MODEL, DIMENSION)[0]:
            vectors.put(kept.ids, kept.rows)

    return round(cpu_ms(read), 1)


if __name__ == "__main__":
    main()
