"""Which sentences of a talk say most of it: TF-IDF centrality, thinned by maximal marginal relevance."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from memory import tokens
from memory.history.wording import words_of

_RELEVANCE = 0.7                # MMR's lambda; the rest weighs against what was already chosen
_CANDIDATES = 300               # compared with each other
_THIN = 0.3                     # what a sentence of a single word counts for
_OLDEST, _NEWEST = 0.6, 1.0     # factors by place in the talk

_Vector = dict[str, float]


def central(
    sentences: Sequence[str], *, weights: Sequence[float], already: Sequence[str], tokens_wanted: int
) -> list[tuple[int, float]]:
    """Places of sentences in the order in which to take them, each with its score as a share of the best.

    ``sentences`` are oldest first and have one weight each. ``already`` is what has been said in any case, and so
    need not be said again. The list ends when twice ``tokens_wanted`` are reached.
    """
    if not sentences or tokens_wanted < 1:
        return []
    bags = [Counter(words_of(sentence.lower())) for sentence in sentences]
    documents = Counter(word for bag in bags for word in bag)
    idf = {word: math.log((len(bags) + 1) / (count + 0.5)) + 1 for word, count in documents.items()}
    vectors = [_vector(bag, idf) for bag in bags]
    centroid: defaultdict[str, float] = defaultdict(float)
    for vector in vectors:
        for word, value in vector.items():
            centroid[word] += value
    length = math.sqrt(sum(value * value for value in centroid.values())) or 1.0

    scores: list[float] = []
    for place, vector in enumerate(vectors):
        likeness = sum(value * centroid[word] for word, value in vector.items()) / length
        recency = _OLDEST + (_NEWEST - _OLDEST) * (place + 1) / len(vectors)
        scores.append(likeness * weights[place] * recency * (1.0 if len(vector) > 1 else _THIN))
    best = max(scores) or 1.0

    # A tie goes to the newer one; everything after this is deterministic too.
    left = sorted(range(len(scores)), key=lambda place: (-scores[place], -place))[:_CANDIDATES]
    nearest = dict.fromkeys(left, 0.0)
    for sentence in already:
        _come_near(nearest, vectors, _vector(Counter(words_of(sentence.lower())), idf))
    chosen: list[tuple[int, float]] = []
    wanted = 2 * tokens_wanted
    while left and wanted > 0:
        place = max(left, key=lambda at: _RELEVANCE * scores[at] / best - (1 - _RELEVANCE) * nearest[at])
        left.remove(place)
        chosen.append((place, scores[place] / best))
        wanted -= tokens.count(sentences[place]) + 4    # the line's date and speaker
        del nearest[place]
        _come_near(nearest, vectors, vectors[place])
    return chosen


def _vector(bag: Counter[str], idf: dict[str, float]) -> _Vector:
    """A sentence as a unit vector; words the talk does not have are left out."""
    raw = {word: (1 + math.log(count)) * idf[word] for word, count in bag.items() if word in idf}
    length = math.sqrt(sum(value * value for value in raw.values()))
    return {word: value / length for word, value in raw.items()} if length else {}


def _come_near(nearest: dict[int, float], vectors: Sequence[_Vector], other: _Vector) -> None:
    for place, before in nearest.items():
        vector = vectors[place]
        small, large = (vector, other) if len(vector) < len(other) else (other, vector)
        likeness = sum(value * large[word] for word, value in small.items() if word in large)
        if likeness > before:
            nearest[place] = likeness
