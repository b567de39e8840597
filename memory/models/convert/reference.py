"""The encoder in plain float32 NumPy: slow, obvious, and what a conversion is measured against."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from memory.models.convert.source import Floats, Source


class Reference:
    """The dequantised weights with the textbook forward pass."""

    def __init__(self, source: Source, observe: Callable[[str, Floats], None] = lambda name, x: None) -> None:
        """``observe`` is told what goes into each matrix: its name and the activations [tokens, in]."""
        self._source = source
        self._observe = observe
        self._matrix = cache(self._dequantised)

    def embed(self, tokens: Sequence[Sequence[int]]) -> Floats:
        """Unit vectors [texts, hidden], one text at a time, so nothing depends on its neighbours."""
        return np.stack([self._one(list(ids)) for ids in tokens])

    def _one(self, ids: list[int]) -> Floats:
        source, shape = self._source, self._source.shape
        table = source.quantized("emb.word", shape.hidden)
        words = type(table)(nibbles=table.nibbles[ids], scales=table.scales[ids]).floats()
        positions = source.floats("emb.pos").reshape(-1, shape.hidden)[:len(ids)]
        x = self._norm("emb.ln", words + positions + source.floats("emb.type")[:shape.hidden])
        for layer in range(shape.layers):
            x = self._layer(f"l{layer}", x)
        mean = x.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), np.float32)

    def _layer(self, name: str, x: Floats) -> Floats:
        shape = self._source.shape
        size = shape.hidden // shape.heads
        q, k, v = (
            self._linear(f"{name}.{part}", x).reshape(len(x), shape.heads, size).transpose(1, 0, 2) for part in "qkv"
        )
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(size)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        attended = (weights @ v).transpose(1, 0, 2).reshape(len(x), shape.hidden)
        x = self._norm(f"{name}.aln", x + self._linear(f"{name}.ao", attended))
        inner = self._linear(f"{name}.fi", x)
        inner = inner * 0.5 * (1.0 + error_function(inner / math.sqrt(2.0)))
        return self._norm(f"{name}.oln", x + self._linear(f"{name}.fo", inner))

    def _linear(self, name: str, x: Floats) -> Floats:
        self._observe(name, x)
        return np.asarray(x @ self._matrix(name, x.shape[1]).T + self._source.floats(f"{name}.b"), np.float32)

    def _dequantised(self, name: str, columns: int) -> Floats:
        return self._source.quantized(f"{name}.w", columns).floats()

    def _norm(self, name: str, x: Floats) -> Floats:
        centred = x - x.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred ** 2).mean(axis=-1, keepdims=True) + self._source.shape.epsilon)
        normal = centred / scale * self._source.floats(f"{name}.w") + self._source.floats(f"{name}.b")
        return np.asarray(normal, np.float32)


def error_function(x: Floats) -> Floats:
    """erf of every element."""
    # Abramowitz and Stegun 7.1.26; its error, 1.5e-7, is that of float32 itself.
    size = np.abs(x)
    t = 1.0 / (1.0 + 0.3275911 * size)
    series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    return np.asarray(np.copysign(1.0 - series * np.exp(-size * size), x), np.float32)
