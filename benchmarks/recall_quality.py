"""Quality of recall in process: LoCoMo turns and facts, MemoryBank in two languages, our own three sets, beside peers.

    python -m benchmarks.recall_quality --data DIR [--profile NAME --data-root ROOT]

DIR holds ``locomo*.json`` (https://github.com/snap-research/locomo, "Evaluating Very Long-Term Conversational Memory
of LLM Agents"), ``memory_bank_cn.json`` and ``memory_bank_en.json`` (https://github.com/zhongwanjun/MemoryBank-SiliconFriend)
and ``memorybank_gold.jsonl``, as ``recall_data`` describes. Our own sets are in ``recall_set`` and need nothing.

Prints one JSON object; numbers are percentages. R@k: share of the gold units among the first k results, mean over
questions; H@k: questions with any gold unit among them; S@5: gold sessions among the first five distinct sessions.
"words" goes through the same ``answer`` as the server. Its weights were found on the LoCoMo conversations conv-26 and
conv-30; "held out" is the third. With --profile the leg of meaning joins, by a model under ROOT or in a package.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.recall_data import (
    Case,
    locomo_facts,
    locomo_turns,
    memorybank,
    own_set,
    read_locomo,
)
from benchmarks.recall_peers import fts5, naive, plain_bm25
from memory.clock import SystemClock
from memory.models.languages import main_language
from memory.models.limits import Limits
from memory.models.onnx import OnnxEmbedder
from memory.recall.cosine import Vectors
from memory.recall.document import TURN
from memory.recall.index import Index
from memory.recall.meaning import Alone, Dense
from memory.recall.query import Query, answer

NOW = datetime(2024, 6, 1, tzinfo=UTC)      # after every conversation
TUNED_ON = ("conv-26", "conv-30")
DEPTH = 20

Search = Callable[[str], list[str]]         # question -> ids, best first
Make = Callable[[Case], Search]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--profile")
    parser.add_argument("--data-root", type=Path)
    wanted = parser.parse_args()
    systems: dict[str, Make] = {
        "rank_bm25 + split": lambda case: peer(case, naive(plain_texts(case))),
        "FTS5 porter": lambda case: peer(case, fts5(plain_texts(case))),
        "FTS5 unicode61": lambda case: peer(case, fts5(plain_texts(case), "unicode61")),
        "BM25 alone": lambda case: peer(case, plain_bm25(case.documents, plain_texts(case))),
        "words": words,
    }
    if wanted.profile:
        embedder = Embedding(wanted.profile, wanted.data_root)
        systems[f"words + {wanted.profile}"] = embedder.search
    samples = read_locomo(wanted.data)
    report: dict[str, Any] = {}
    turns = [locomo_turns(sample) for sample in samples]
    report["LoCoMo turns"] = {name: locomo(make, turns) for name, make in systems.items()}
    facts = [locomo_facts(sample) for sample in samples]
    report["LoCoMo facts"] = {name: locomo(make, facts) for name, make in systems.items()}
    for language in ("zh", "en"):
        for split in (False, True):
            cases = memorybank(wanted.data, language, split=split)
            name = f"MemoryBank {language}, {'a round as two turns' if split else 'a round as one document'}"
            report[name] = {system: hits(make, cases) for system, make in systems.items()}
    for language in ("en", "ja", "ko"):
        report[f"own set {language}"] = {name: hits(make, [own_set(language)]) for name, make in systems.items()}
    print(json.dumps(report, indent=2, ensure_ascii=False))


# -- systems ------------------------------------------------------------------------------


def plain_texts(case: Case) -> list[str]:
    """What the peers index: the speaker before the text, as the protocol has it."""
    return [
        f"{document.speaker}: {document.text}" if document.tier == TURN and document.speaker else document.text
        for document in case.documents
    ]


def peer(case: Case, search: Callable[[str, int], list[int]]) -> Search:
    return lambda question: [case.documents[place].id for place in search(question, DEPTH)]


def words(case: Case) -> Search:
    return Asked(case)


class Asked:
    """Our own search of one case, as the server does it."""

    def __init__(self, case: Case, dense: Callable[[str], Dense | None] = lambda question: None) -> None:
        index = Index()
        index.put(case.documents)
        self._snapshot = index.snapshot()
        self._tiers = {document.tier for document in case.documents}
        self._dense = dense
        self._clock = SystemClock()

    def __call__(self, question: str) -> list[str]:
        found = answer(
            [self._snapshot],
            Query(text=question, tiers=self._tiers, limit=DEPTH),
            now=NOW,
            clock=self._clock,
            dense=self._dense(question),
        )
        return [hit.document.id for hit in found.hits]


class Embedding:
    """Our search with a model: vectors of the documents beside their words."""

    def __init__(self, profile: str, data_root: Path | None) -> None:
        self._loop = asyncio.new_event_loop()
        limits = Limits(query_wait=60.0, cached_queries=16)
        self._model = OnnxEmbedder(data_root, clock=SystemClock(), profile=profile, limits=limits)

    def search(self, case: Case) -> Search:
        readable = [one for one in case.documents if self._model.supports(main_language(one.text))]
        rows = self._embed([document.text for document in readable], "passage")
        vectors = Vectors(rows.shape[1])
        vectors.put([document.id for document in readable], rows)
        snapshot, limits = vectors.snapshot(), self._model.thresholds
        alone = Alone(least=limits.alone, crowd=limits.crowd, apart=limits.apart)

        def dense(question: str) -> Dense | None:
            if not self._model.supports(main_language(question)):
                return None
            query = self._embed([question], "query")[0]
            return Dense(query=query, documents=[snapshot], floor=limits.recall, alone=alone)

        return Asked(case, dense)

    def _embed(self, texts: Sequence[str], purpose: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
        for _ in range(100):
            rows = self._loop.run_until_complete(self._model.embed(texts, purpose=purpose))
            if rows is not None:
                return rows
            self._loop.run_until_complete(asyncio.sleep(0.2))
        raise SystemExit(f"the model gives no vectors: {self._model.reason}")


# -- measures -----------------------------------------------------------------------------


def locomo(make: Make, cases: Sequence[Case]) -> dict[str, Any]:
    rows = [
        {"case": case.name, "kind": question.kind, **measured(case, search(question.text), question.gold)}
        for case in cases
        for search in [make(case)]
        for question in case.questions
    ]
    kinds = sorted({str(row["kind"]) for row in rows})
    return {
        "all": averages(rows),
        "tuned on": averages(row for row in rows if row["case"] in TUNED_ON),
        "held out": averages(row for row in rows if row["case"] not in TUNED_ON),
        **{kind: averages(row for row in rows if row["kind"] == kind) for kind in kinds},
    }


def hits(make: Make, cases: Sequence[Case]) -> dict[str, Any]:
    rows = [
        {"kind": question.kind, **measured(case, search(question.text), question.gold)}
        for case in cases
        for search in [make(case)]
        for question in case.questions
    ]
    kinds = sorted({str(row["kind"]) for row in rows})
    names = ("H@1", "H@3", "H@5", "MRR")
    result: dict[str, Any] = {"all": averages(rows, names)}
    if len(kinds) > 1:
        result |= {kind: averages((row for row in rows if row["kind"] == kind), names) for kind in kinds}
    return result


def measured(case: Case, ranked: Sequence[str], gold: Sequence[str]) -> dict[str, float]:
    units = [set(case.unit_of[document_id]) for document_id in ranked]
    wanted = set(gold)
    result: dict[str, float] = {}
    for k in (5, 10, 20):
        result[f"R@{k}"] = len(set().union(*units[:k]) & wanted) / len(wanted)
    for k in (1, 3, 5, 10):
        result[f"H@{k}"] = float(bool(set().union(*units[:k]) & wanted))
    result["MRR"] = next((1 / place for place, found in enumerate(units, 1) if found & wanted), 0.0)
    if case.session_of:
        sessions = list(dict.fromkeys(case.session_of[unit] for found in units for unit in found))[:5]
        right = {case.session_of[unit] for unit in wanted}
        result["S@5"] = len(right & set(sessions)) / len(right)
    return result


def averages(rows: Iterable[Mapping[str, Any]], names: Sequence[str] | None = None) -> dict[str, float]:
    kept = list(rows)
    if not kept:
        return {"questions": 0}
    shown = names or [name for name in kept[0] if "@" in name or name == "MRR"]
    return {"questions": len(kept), **{name: round(100 * fmean(row[name] for row in kept), 1) for name in shown}}


if __name__ == "__main__":
    main()
