"""Speed, memory and stalls of recall in process, beside rank_bm25, bm25s, SQLite FTS5 and tantivy.

    python -m benchmarks.recall_speed [--sizes 1000 10000 100000] [--quick]

Prints one JSON object. Every system runs in a process of its own over the same made-up facts (twelve words each out of
40,000, as unevenly common as words are). Times are CPU time of the process. "selective" questions are four rare words
of one fact, "common" ones four of the sixty commonest words, "dated" ones a selective one with "last week" before it.
"add" is the mean over single additions with everything they lead to, merges included, each visible at once; tantivy
makes additions visible by commit and reload, so both are given. "memory" is what the process grew by, documents
themselves included for ours. The section "stalls" tells by how much the worst tick of a clock on the event loop came
late while 100,000 facts were read, kept, opened and searched.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from memory.clock import SystemClock
from memory.people import Names
from memory.recall.cosine import Vectors
from memory.recall.document import FACT, Document
from memory.recall.index import Index, Snapshot
from memory.recall.meaning import Dense
from memory.recall.query import Query, answer
from memory.store.collector import resting

ROOT = Path(__file__).resolve().parents[1]

BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = Names(neko="Mochi", master="Alice")
WORDS, LENGTH, DIMENSION = 40_000, 12, 384
ADDED = 2000


class Corpus:
    """The same facts and questions in every process."""

    def __init__(self, size: int) -> None:
        chance = random.Random(7)
        syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "or", "il")]
        made = {"".join(chance.choice(syllables) for _ in range(chance.choice((2, 3, 3, 4)))) for _ in range(WORDS)}
        self.words = sorted(made)
        chance.shuffle(self.words)
        common = 1 / np.arange(1, len(self.words) + 1)
        draws = np.random.default_rng(1).choice(len(self.words), (size + ADDED, LENGTH), p=common / common.sum())
        self._rows = draws.tolist()
        self.size = size
        self._chance = chance

    def texts(self, first: int, last: int) -> list[str]:
        return ["The user " + " ".join(self.words[word] for word in row) for row in self._rows[first:last]]

    def documents(self, first: int, last: int) -> list[Document]:
        return [
            Document(
                id=f"fact_{number:032x}", tier=FACT, text=text, entity="master",
                created_at=BEGIN + timedelta(minutes=7 * number), start=BEGIN + timedelta(minutes=7 * number),
            )
            for number, text in enumerate(self.texts(first, last), first)
        ]  # fmt: skip

    def questions(self, count: int) -> dict[str, list[str]]:
        selective = []
        for _ in range(count):
            row = sorted(set(self._rows[self._chance.randrange(self.size)]))[-4:]
            selective.append("What about " + " ".join(self.words[word] for word in row) + "?")
        common = [
            "What about " + " ".join(self.words[word] for word in self._chance.sample(range(60), 4)) + "?"
            for _ in range(count)
        ]
        return {
            "selective": selective,
            "common": common,
            "dated": [f"last week {question}" for question in selective],
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--quick", action="store_true", help="ours alone, without peers")
    parser.add_argument("--one", nargs=2, metavar=("SYSTEM", "SIZE"), help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.one:
        print(json.dumps(SYSTEMS[wanted.one[0]](int(wanted.one[1]))))
        return
    systems = ["ours", "hybrid"] if wanted.quick else [name for name in SYSTEMS if name != "stalls"]
    report: dict[str, Any] = {
        name: {str(size): in_a_child(name, size) for size in wanted.sizes} for name in systems
    }
    report["stalls"] = in_a_child("stalls", max(wanted.sizes))
    # How busy or slow the machine was: a million additions in plain Python.
    report["million_additions_ms"] = round(min(cpu_ms(lambda: sum(n + 1 for n in range(10**6))) for _ in range(3)))
    print(json.dumps(report, indent=2))


def in_a_child(system: str, size: int) -> Any:
    command = [sys.executable, "-m", "benchmarks.recall_speed", "--one", system, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1:]}
    return json.loads(done.stdout)


# -- measuring ----------------------------------------------------------------------------


def cpu_ms(work: Callable[[], object]) -> float:
    began = time.process_time_ns()
    work()
    return (time.process_time_ns() - began) / 1e6


def spread(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {"p50_ms": round(ordered[len(ordered) // 2], 4), "p95_ms": round(ordered[int(len(ordered) * 0.95)], 4)}


def grown_mb() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def asked(questions: dict[str, list[str]], search: Callable[[str], object]) -> dict[str, Any]:
    result = {}
    for kind, texts in questions.items():
        search(texts[0])
        result[kind] = spread([cpu_ms(lambda text=text: search(text)) for text in texts])  # type: ignore[misc]
    return result


def drain(steps: Iterable[object]) -> None:
    for _ in steps:
        pass


# -- systems ------------------------------------------------------------------------------


def ours(size: int) -> dict[str, Any]:
    corpus = Corpus(size)
    questions = corpus.questions(300)
    before = grown_mb()
    documents = corpus.documents(0, size)
    held = grown_mb()
    index = Index()
    building = cpu_ms(lambda: drain(index.fill(documents)))
    drain(index.tidy())
    memory = {"documents_mb": round(held - before, 1), "index_mb": round(grown_mb() - held, 1)}
    later = corpus.documents(size, size + ADDED)

    def add() -> None:
        for document in later:
            index.put((document,))
            index.snapshot()
            if index.untidy:
                drain(index.tidy())

    adding = cpu_ms(add) / len(later)
    pieces: list[bytes] = []
    keeping = cpu_ms(lambda: pieces.extend(index.dump()))
    data = b"".join(pieces)
    opened = Index()
    with resting():
        opening = cpu_ms(lambda: drain(opened.restore(data, [*documents, *later])))
    clock = SystemClock()

    def search(text: str) -> object:
        return answer([opened.snapshot()], Query(text=text, names=NAMES), now=NOW, clock=clock)

    return {
        **asked(questions, search),
        "time alone": spread([
            cpu_ms(lambda: answer([opened.snapshot()], Query(time="2024-02"), now=NOW, clock=clock)) for _ in range(30)
        ]),
        "build_ms": round(building, 1),
        "add_ms": round(adding, 4),
        "open_ms": round(opening, 1),
        "keep_ms": round(keeping, 1),
        "kept_mb": round(len(data) / 1e6, 1),
        "segments": len(opened.snapshot().views),
        **memory,
    }  # fmt: skip


def hybrid(size: int) -> dict[str, Any]:
    """Words and an exact scan of 384 float32 per document, beside the time it takes to read that much memory."""
    corpus = Corpus(size)
    documents = corpus.documents(0, size)
    index = Index()
    drain(index.fill(documents))
    drain(index.tidy())
    numbers = np.random.default_rng(3)
    vectors = Vectors(DIMENSION)
    for first in range(0, size, 1000):
        rows = numbers.normal(size=(min(1000, size - first), DIMENSION)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        vectors.put([document.id for document in documents[first : first + len(rows)]], rows)
    clock, snapshot = SystemClock(), vectors.snapshot()
    texts = corpus.questions(40)["selective"]

    def search(text: str) -> object:
        query = numbers.normal(size=DIMENSION).astype(np.float32)
        dense = Dense(query=query / np.linalg.norm(query), documents=[snapshot], floor=0.1)
        return answer([index.snapshot()], Query(text=text), now=NOW, clock=clock, dense=dense)

    search(texts[0])
    flat = np.ones(snapshot.size * DIMENSION, dtype=np.float32)
    reading = min(cpu_ms(lambda: flat.sum()) for _ in range(20))
    scanning = spread([cpu_ms(lambda: snapshot.cosines(flat[:DIMENSION])) for _ in range(20)])
    whole = spread([cpu_ms(lambda text=text: search(text)) for text in texts])  # type: ignore[misc]
    return {
        "read_limit_ms": round(reading, 3),
        "scan": scanning,
        "hybrid": whole,
        "hybrid_to_limit": round(whole["p50_ms"] / reading, 2),
    }


def rank_bm25(size: int) -> dict[str, Any]:
    from rank_bm25 import BM25Okapi

    corpus = Corpus(size)
    texts = corpus.texts(0, size)
    before = grown_mb()
    made: list[Any] = []
    building = cpu_ms(lambda: made.append(BM25Okapi([text.split() for text in texts])))

    def search(text: str) -> object:
        return np.argsort(-made[0].get_scores(text.split()))[:8]

    questions = corpus.questions(10 if size > 20_000 else 60)
    return {
        **asked(questions, search),
        "build_ms": round(building, 1),
        "add_ms": round(building, 1),               # there is no adding: it is built again
        "index_mb": round(grown_mb() - before, 1),
    }


def bm25s(size: int) -> dict[str, Any]:
    import bm25s as peer

    corpus = Corpus(size)
    texts = corpus.texts(0, size)
    before = grown_mb()
    model = peer.BM25(k1=0.9, b=0.4)
    building = cpu_ms(lambda: model.index(peer.tokenize(texts, show_progress=False), show_progress=False))

    def search(text: str) -> object:
        tokens = peer.tokenize([text], show_progress=False)
        return model.retrieve(tokens, k=8, show_progress=False, n_threads=0)

    return {
        **asked(corpus.questions(60), search),
        "build_ms": round(building, 1),
        "add_ms": round(building, 1),               # there is no adding: it is built again
        "index_mb": round(grown_mb() - before, 1),
    }


def fts5(size: int) -> dict[str, Any]:
    corpus = Corpus(size)
    before = grown_mb()
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
    insert = "INSERT INTO texts(rowid, text) VALUES (?, ?)"
    building = cpu_ms(lambda: database.executemany(insert, list(enumerate(corpus.texts(0, size)))))
    memory = round(grown_mb() - before, 1)

    def add() -> None:
        for number, text in enumerate(corpus.texts(size, size + ADDED), size):
            database.execute(insert, (number, text))

    def search(text: str) -> object:
        terms = " OR ".join(f'"{word}"' for word in text.strip("?").split())
        ask = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 8"
        return database.execute(ask, (terms,)).fetchall()

    return {
        **asked(corpus.questions(60), search),
        "build_ms": round(building, 1),
        "add_ms": round(cpu_ms(add) / ADDED, 4),
        "index_mb": memory,
    }


def tantivy(size: int) -> dict[str, Any]:
    import tantivy as peer

    corpus = Corpus(size)
    before = grown_mb()
    builder = peer.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="en_stem")
    builder.add_integer_field("row", stored=True)
    index = peer.Index(builder.build())
    writer = index.writer(50_000_000, 1)

    def put(first: int, last: int) -> None:
        for number, text in enumerate(corpus.texts(first, last), first):
            writer.add_document(peer.Document(text=text, row=number))

    def build() -> None:
        put(0, size)
        writer.commit()
        index.reload()

    building = cpu_ms(build)
    memory = round(grown_mb() - before, 1)

    def add_visibly() -> None:
        for number in range(size, size + 50):
            put(number, number + 1)
            writer.commit()
            index.reload()

    adding = cpu_ms(add_visibly) / 50

    def search(text: str) -> object:
        searcher = index.searcher()
        return searcher.search(index.parse_query(text.strip("?"), ["text"]), 8).hits

    return {
        **asked(corpus.questions(200), search),
        "build_ms": round(building, 1),
        "add_ms": round(adding, 4),                 # with the commit and reload that make it visible
        "index_mb": memory,
    }


# -- stalls -------------------------------------------------------------------------------


def stalls(size: int) -> dict[str, Any]:
    corpus = Corpus(size)
    documents = corpus.documents(0, size)
    questions = corpus.questions(150)
    return asyncio.run(_stalls(documents, questions))


async def _stalls(documents: list[Document], questions: dict[str, list[str]]) -> dict[str, Any]:
    index, opened = Index(), Index()
    kept: list[bytes] = []
    clock = SystemClock()

    async def search(texts: list[str], thread: bool) -> None:
        for text in texts:
            query = Query(text=text, names=NAMES)
            if thread:
                await asyncio.to_thread(answer, [opened.snapshot()], query, now=NOW, clock=clock)
            else:
                answer([opened.snapshot()], query, now=NOW, clock=clock)
            await asyncio.sleep(0)

    async def steps(work: Iterator[object]) -> None:
        for piece in work:
            if isinstance(piece, bytes):
                kept.append(piece)
            await asyncio.sleep(0)

    async def add(snapshot: Snapshot) -> None:
        # Each is a change that drops and adds, and merges go on in between.
        index.drop(document.id for document in documents[::3])
        for _ in index.fill(documents[:5000]):
            await asyncio.sleep(0)
        assert len(snapshot) == len(documents)

    with resting():
        result = {
            "nothing going on": await _worst(asyncio.sleep(1.0)),
            "reading and indexing all": await _worst(steps(index.fill(documents))),
            "merging": await _worst(steps(index.tidy())),
            "keeping": await _worst(steps(index.dump())),
        }
        data = b"".join(kept)
        result |= {
            "opening": await _worst(steps(opened.restore(data, documents))),
            "searching, selective": await _worst(search(questions["selective"], thread=False)),
            "searching, common": await _worst(search(questions["common"], thread=False)),
            "searching, common, in a thread": await _worst(search(questions["common"], thread=True)),
            "dropping and adding": await _worst(add(index.snapshot())),
        }
    return {**result, "worst_ms": max(value["worst_ms"] for value in result.values())}


async def _worst(work: Awaitable[object]) -> dict[str, float]:
    """How late a clock that ticks every millisecond came while ``work`` went on."""
    late: list[float] = []
    going = True

    async def tick() -> None:
        before = time.perf_counter()
        while going:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            late.append((now - before - 0.001) * 1e3)
            before = now

    ticking = asyncio.create_task(tick())
    began = time.perf_counter()
    await work
    took = time.perf_counter() - began
    going = False
    await ticking
    # Work that was over before the first tick kept nobody waiting longer than it took.
    late = late or [took * 1e3]
    return {"worst_ms": round(max(late), 2), "mean_ms": round(fmean(late), 2), "took_s": round(took, 2)}


SYSTEMS: dict[str, Callable[[int], dict[str, Any]]] = {
    "ours": ours,
    "hybrid": hybrid,
    "rank_bm25": rank_bm25,
    "bm25s": bm25s,
    "FTS5": fts5,
    "tantivy": tantivy,
    "stalls": stalls,
}

if __name__ == "__main__":
    main()
