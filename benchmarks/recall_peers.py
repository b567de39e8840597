"""Other ways to search the same texts, for comparison in the same run."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from rank_bm25 import BM25Okapi

from memory.recall import bm25, words
from memory.recall.document import Document
from memory.recall.index import Index
from memory.recall.pool import Pool

Search = Callable[[str, int], list[int]]     # question, limit -> places of documents, best first


def naive(texts: Sequence[str]) -> Search:
    """rank_bm25 over ``str.split``."""
    okapi = BM25Okapi([text.split() for text in texts])

    def search(question: str, limit: int) -> list[int]:
        scores = okapi.get_scores(question.split())
        return [int(at) for at in np.argsort(-scores, kind="stable")[:limit]]

    return search


def fts5(texts: Sequence[str], tokenizer: str = "porter unicode61") -> Search:
    """SQLite's full-text search, any of the words."""
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='{tokenizer}')")
    database.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", list(enumerate(texts)))

    def search(question: str, limit: int) -> list[int]:
        terms = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", question)))
        if not terms:
            return []
        rows = database.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY bm25(texts), rowid LIMIT ?", (terms, limit)
        )
        return [row for (row,) in rows]

    return search


def plain_bm25(documents: Sequence[Document], texts: Sequence[str]) -> Search:
    """Our tokens and index with BM25 alone: no sessions, people, dates or neighbours."""
    index = Index()
    index.put(replace(document, text=text) for document, text in zip(documents, texts, strict=True))
    snapshot = index.snapshot()
    place_of = {document.id: place for place, document in enumerate(documents)}
    pool = Pool([snapshot], {document.tier for document in documents})

    def search(question: str, limit: int) -> list[int]:
        terms = np.array([words.term(token) for token in dict.fromkeys(words.words(question))], dtype=np.int64)
        if not len(terms):
            return []
        found = bm25.score(pool, bm25.find(pool, terms), np.ones(len(terms)), k1=0.9, b=0.4)
        best = np.argsort(-found.scores, kind="stable")[:limit]
        return [place_of[pool.document(int(found.rows[at])).id] for at in best]

    return search
