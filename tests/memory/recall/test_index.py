"""The incremental index: the same scores as the reference, however it came to be."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from memory.recall import bm25, words
from memory.recall.document import FACT, PERSONA, Document
from memory.recall.index import Index, Snapshot
from memory.recall.pool import Pool
from tests.memory.recall.samples import ask, fact, facts, ids, turn

VOCABULARY = ["coffee", "tea", "berlin", "garden", "violin", "rain", "猫", "北京", "図書館", "도서관", "winter", "soup"]


class Okapi(BM25Okapi):  # type: ignore[misc]
    """The reference with the idf that is positive for every term."""

    def _calc_idf(self, nd: dict[str, int]) -> None:
        self.idf = {
            token: float(np.log((self.corpus_size - count + 0.5) / (count + 0.5) + 1)) for token, count in nd.items()
        }


def scores_of(snapshot: Snapshot, tokens: Sequence[str], *, k1: float = 0.9, b: float = 0.4) -> dict[str, float]:
    """Our scores by document id, zeros left out."""
    pool = Pool([snapshot], [FACT])
    terms = np.array([words.term(token) for token in dict.fromkeys(tokens)], dtype=np.int64)
    found = bm25.score(pool, bm25.find(pool, terms), np.ones(len(terms)), k1=k1, b=b)
    return {pool.document(row).id: score for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True)}


def reference(
    documents: Iterable[Document], tokens: Sequence[str], *, k1: float = 0.9, b: float = 0.4
) -> dict[str, float]:
    """The same by rank_bm25, over the same tokens."""
    kept = list(documents)
    corpus = [words.words(document.text) for document in kept]
    if not any(corpus):
        return {}
    okapi = Okapi(corpus, k1=k1, b=b)
    scores = okapi.get_scores(list(dict.fromkeys(tokens)))
    return {document.id: score for document, score in zip(kept, scores.tolist(), strict=True) if score > 0}


def drain(steps: Iterable[object]) -> int:
    """Take every step; how many there were."""
    return sum(1 for _ in steps)


texts = st.lists(st.sampled_from(VOCABULARY), min_size=0, max_size=7).map(" ".join)
actions = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.lists(st.tuples(st.integers(0, 40), texts), min_size=1, max_size=12)),
        st.tuples(st.just("drop"), st.lists(st.integers(0, 40), max_size=8)),
        st.tuples(st.just("tidy"), st.none()),
        st.tuples(st.just("seal"), st.none()),
        st.tuples(st.just("reopen"), st.none()),
    ),
    max_size=14,
)


@settings(max_examples=120, deadline=None)
@given(actions, st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=4))
def test_scores_equal_the_reference_after_any_additions_removals_merges_and_reopenings(
    done: list[tuple[str, object]], question: list[str]
) -> None:
    index = Index()
    kept: dict[str, Document] = {}
    for action, value in done:
        match action, value:
            case "put", list(pairs):
                for number, text in pairs:
                    document = fact(number, text)
                    index.put([document])
                    kept.pop(document.id, None)
                    if text:
                        kept[document.id] = document
            case "drop", list(numbers):
                gone = [f"fact_{number}" for number in numbers]
                index.drop(gone)
                for document_id in gone:
                    kept.pop(document_id, None)
            case "tidy", _:
                drain(index.tidy())
            case "seal", _:
                drain(index.dump())
            case "reopen", _:
                data = b"".join(index.dump())
                index = Index()
                drain(index.restore(data, list(kept.values())))
    tokens = [token for word in question for token in words.words(word)]
    ours, theirs = scores_of(index.snapshot(), tokens), reference(kept.values(), tokens)
    assert ours.keys() == theirs.keys()
    assert ours == pytest.approx(theirs, rel=1e-9)
    assert len(index) == len(kept)


@pytest.mark.parametrize(("question", "texts", "scores"), [
    ("likes coffee", ("The user likes coffee", "The user likes tea", "The user works nights"), (1.450833, 0.470004)),
    ("喜欢咖啡", ("主人喜欢咖啡", "主人喜欢茶", "主人上夜班"), (4.074451, 0.489144)),
])  # fmt: skip
def test_the_published_scores_come_out_of_the_published_tokens(
    question: str, texts: tuple[str, ...], scores: tuple[float, ...]
) -> None:
    # The published tokenizer is plainer than ours, so its tokens are given to the index as words: whole words of at
    # least two letters, or all pairs and triples of a Chinese run.
    def plain(text: str) -> list[str]:
        if text.isascii():
            return [word for word in text.split() if len(word) >= 2]
        return [text[at : at + size] for size in (2, 3) for at in range(len(text) - size + 1)]

    # Each plain token stands for one made-up word without a stem, so that our tokenizer keeps it whole.
    made: dict[str, str] = {}

    def coded(text: str) -> str:
        return " ".join(made.setdefault(token, f"q{len(made):03}x") for token in plain(text))

    index = Index()
    index.put(fact(number, coded(text)) for number, text in enumerate(texts))
    found = scores_of(index.snapshot(), coded(question).split(), k1=1.5, b=0.75)
    assert [round(score, 6) for score in sorted(found.values(), reverse=True)] == list(scores)


def test_a_snapshot_never_changes() -> None:
    index = Index()
    index.put(facts("coffee in the morning", "tea in the evening"))
    before = index.snapshot()
    then = scores_of(before, ["coffe", "tea"])
    index.drop(["fact_1"])
    index.put([fact(2, "something else entirely"), fact(3, "more coffee")])
    drain(index.dump())
    index.put(facts(*(f"coffee number {number}" for number in range(1500))))
    drain(index.tidy())
    assert scores_of(before, ["coffe", "tea"]) == then


def test_nothing_new_means_the_same_snapshot() -> None:
    index = Index()
    index.put(facts("coffee"))
    assert index.snapshot() is index.snapshot()


def test_an_addition_during_a_merge_is_found_at_once_and_afterwards() -> None:
    index = Index()
    for batch in range(3):
        index.put(fact(batch * 600 + number, f"coffee cup {number}") for number in range(600))
    merging = index.tidy()
    next(merging)
    index.put([fact(9999, "an unheard-of zeppelin")])
    assert ids(ask(index.snapshot(), "zeppelin")) == ["fact_9999"]
    drain(merging)
    assert ids(ask(index.snapshot(), "zeppelin")) == ["fact_9999"]
    assert not index.untidy


def test_a_removal_during_a_merge_outlasts_it() -> None:
    index = Index()
    index.put([fact(0, "an unheard-of zeppelin")])
    for batch in range(1, 4):
        index.put(fact(batch * 600 + number, f"coffee cup {number}") for number in range(600))
    merging = index.tidy()
    next(merging)
    index.drop(["fact_0"])
    drain(merging)
    assert ids(ask(index.snapshot(), "zeppelin")) == []


def test_a_second_tidying_ends_at_once_while_one_runs() -> None:
    index = Index()
    index.put(fact(number, f"coffee cup {number}") for number in range(1200))
    merging = index.tidy()
    next(merging)
    assert drain(index.tidy()) == 0
    drain(merging)


def test_the_number_of_segments_stays_small_however_many_documents_come() -> None:
    index = Index()
    drain(index.fill(fact(number, f"cup {number % 97} of coffee {number}") for number in range(12_000)))
    # One of at most 4,096 is joined with what follows; a larger one is eight times what follows, or joined too.
    assert len(index.snapshot().views) <= 5


def test_half_the_documents_gone_means_half_the_memory_after_tidying() -> None:
    index = Index()
    drain(index.fill(fact(number, f"cup {number} of coffee") for number in range(3000)))
    index.drop([f"fact_{number}" for number in range(2000)])
    drain(index.tidy())
    assert sum(len(view) for view in index.snapshot().views) < 1700


def test_a_hidden_or_blank_document_is_not_searchable_and_takes_its_older_version_away() -> None:
    index = Index()
    index.put(facts("coffee", "tea"))
    index.put([fact(1, "coffee", hidden=True), fact(2, "   ")])
    assert len(index) == 0
    assert ids(ask(index.snapshot(), "coffee")) == []


def test_putting_the_same_document_again_changes_nothing() -> None:
    index = Index()
    index.put(facts("coffee", "tea"))
    drain(index.dump())
    index.put(facts("coffee", "tea", "milk"))
    before = index.snapshot()
    index.put(facts("coffee", "tea", "milk"))
    assert index.snapshot() is before


def test_readers_on_other_threads_never_see_half_a_change() -> None:
    index = Index()
    index.put([fact(0, "coffee without number")])
    published = [index.snapshot()]
    stop = threading.Event()
    seen: list[list[str]] = []

    def read() -> None:
        while not stop.is_set():
            found = ask(published[0], "coffee", limit=50)
            seen.append([hit.document.text for hit in found.hits])

    with ThreadPoolExecutor(2) as readers:
        reading = [readers.submit(read) for _ in range(2)]
        for number in range(1, 1500):
            # Every change replaces the one document with coffee in it by another.
            index.put([fact(number, f"tea number {number}"), fact(0, f"coffee number {number}")])
            if index.untidy:
                drain(index.tidy())
            published[0] = index.snapshot()
        stop.set()
        for done in reading:
            done.result()
    assert seen
    assert all(len(found) == 1 for found in seen)


def test_of_an_endless_text_only_the_beginning_is_read() -> None:
    index = Index()
    index.put([fact(1, "zeppelin " + "coffee " * 20_000 + "submarine")])
    assert ids(ask(index.snapshot(), "zeppelin")) == ["fact_1"]
    assert ids(ask(index.snapshot(), "submarine")) == []
    assert ids(ask(index.snapshot(), "zeppelin " * 100_000)) == ["fact_1"]


def test_an_unknown_id_can_be_dropped() -> None:
    index = Index()
    index.drop(["fact_1"])
    assert len(index) == 0


# -- keeping ------------------------------------------------------------------------------


def kept_and_read(documents: Sequence[Document], now: Sequence[Document]) -> Index:
    """An index of ``documents`` that was kept, and opened when the documents had become ``now``."""
    first = Index()
    first.put(documents)
    data = b"".join(first.dump())
    second = Index()
    drain(second.restore(data, now))
    return second


def test_a_text_that_changed_meanwhile_is_read_anew() -> None:
    index = kept_and_read(facts("coffee", "tea"), facts("cocoa", "tea"))
    assert ids(ask(index.snapshot(), "coffee")) == []
    assert ids(ask(index.snapshot(), "cocoa")) == ["fact_1"]
    assert ids(ask(index.snapshot(), "tea")) == ["fact_2"]


def test_a_document_that_went_meanwhile_is_not_found_and_a_new_one_is() -> None:
    index = kept_and_read(facts("coffee", "tea"), [fact(2, "tea"), fact(3, "cocoa")])
    assert ids(ask(index.snapshot(), "coffee cocoa")) == ["fact_3"]
    assert len(index) == 2


def test_what_is_known_besides_the_text_is_never_taken_from_what_was_kept() -> None:
    documents = facts("likes coffee from Kenya", "likes coffee from Peru")
    index = kept_and_read(documents, [documents[0], replace(documents[1], tier=PERSONA)])
    assert ids(ask(index.snapshot(), "coffee")) == ["fact_1"]
    hidden = kept_and_read(documents, [documents[0], replace(documents[1], hidden=True)])
    assert ids(ask(hidden.snapshot(), "coffee")) == ["fact_1"]


def test_an_id_put_twice_before_keeping_is_kept_as_it_was_last() -> None:
    first = Index()
    first.put([fact(1, "coffee")])
    drain(first.dump())
    first.put([fact(1, "tea")])
    data = b"".join(first.dump())
    second = Index()
    drain(second.restore(data, [fact(1, "tea")]))
    assert ids(ask(second.snapshot(), "tea")) == ["fact_1"]
    assert ids(ask(second.snapshot(), "coffee")) == []


def test_damaged_bytes_cost_time_and_nothing_else() -> None:
    documents = [fact(number, f"coffee number {number}") for number in range(40)]
    first = Index()
    first.put(documents)
    data = b"".join(first.dump())
    want = scores_of(first.snapshot(), ["coffe", "7"])
    chance = random.Random(5)
    damaged: list[bytes | None] = [None, b"", b"{}", data[: len(data) // 2], data[:-1], data + b"junk", data[:20]]
    for _ in range(30):
        spoilt = bytearray(data)
        spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
        damaged.append(bytes(spoilt))
    for kept in damaged:
        index = Index()
        drain(index.restore(kept, documents))
        assert scores_of(index.snapshot(), ["coffe", "7"]) == pytest.approx(want, rel=1e-9)


def test_neighbours_are_known_again_after_reopening() -> None:
    turns = [turn(1, "Do you play an instrument?"), turn(2, "The violin, since school"), turn(3, "Lovely")]
    index = kept_and_read(turns, turns)
    found = ask(index.snapshot(), "violin", tiers=["turn"], context=1)
    assert [document.id for document in found.hits[0].before] == ["turn_1"]
    assert [document.id for document in found.hits[0].after] == ["turn_3"]
