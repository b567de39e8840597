"""Unit vectors by document id, and the exact scan over them at the speed of memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]

# Vectors of one block, each a column: the sum over columns needs no more than the memory's own time. A block begins
# small and is replaced by a larger one until it is full.
_BLOCK, _FIRST, _GROWTH = 16384, 64, 4
# Rows copied between two pauses.
_STEP = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSnapshot:
    """The vectors of one moment. Any thread may read it, without locks."""

    blocks: tuple[Matrix, ...]          # [dimension, up to _BLOCK] each
    size: int                           # rows in use
    ids: Sequence[str]                  # by row; only ever grows
    row_of: Mapping[str, int]           # the latest row of each id; rows without one are stale

    def cosines(self, query: Vector) -> NDArray[np.float32]:
        """The cosine of every row with a unit vector, stale rows included. [size]"""
        scores = np.empty(self.size, dtype=np.float32)
        for number, block in enumerate(self.blocks):
            first = number * _BLOCK
            last = min(first + _BLOCK, self.size)
            if first < last:
                # At the speed of memory with one thread; a matrix product would wake others and wait for them.
                np.einsum("i,ij->j", query, block[:, : last - first], out=scores[first:last])
        return scores

    def best(self, scores: NDArray[np.float32], count: int, floor: float) -> list[str]:
        """Up to ``count`` ids of the highest scores that are at least ``floor``, the best first."""
        rows = np.flatnonzero(scores >= floor)
        none_stale = len(self.row_of) == self.size
        most = count if none_stale else 2 * count
        if len(rows) > most:
            rows = rows[np.argpartition(scores[rows], len(rows) - most)[-most:]]
        rows = rows[np.argsort(-scores[rows], kind="stable")]
        if none_stale:
            return [self.ids[row] for row in rows.tolist()]
        found = (self.ids[row] for row in rows.tolist() if self.row_of.get(self.ids[row]) == row)
        return [name for name, _ in zip(found, range(count), strict=False)]

    def rows(self, ids: Iterable[str]) -> NDArray[np.int64]:
        """The rows of these ids, -1 where there is no vector."""
        rows = np.fromiter(map(self.row_of.get, ids, repeat(-1)), dtype=np.int64)
        rows[rows >= self.size] = -1        # a vector added after this snapshot is not in it
        return rows

    def of(self, ids: Iterable[str], scores: NDArray[np.float32], missing: float) -> NDArray[np.float64]:
        """The scores of these ids, ``missing`` where there is no vector."""
        rows = self.rows(ids)
        if not len(scores):
            return np.full(len(rows), missing)
        return np.where(rows >= 0, scores[rows], missing)

    def take(self, rows: NDArray[np.int64]) -> Matrix:
        """A copy of the vectors in these rows. [len(rows), dimension]"""
        if not len(rows):
            return np.zeros((0, 0), dtype=np.float32)
        taken = np.empty((len(rows), len(self.blocks[0])), dtype=np.float32)
        blocks = rows // _BLOCK
        for number in np.unique(blocks).tolist():
            own = blocks == number
            taken[own] = self.blocks[number][:, rows[own] % _BLOCK].T
        return taken


class Vectors:
    """Vectors of one model. One thread writes; ``snapshot`` gives readers what they need."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._blocks: list[Matrix] = []
        self._size = 0
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._row_of

    def put(self, ids: Sequence[str], rows: Matrix) -> None:
        """Add or replace unit vectors, float32 [len(ids), dimension]."""
        assert rows.shape == (len(ids), self.dimension), rows.shape
        done = 0
        while done < len(ids):
            place = self._size % _BLOCK
            block = self._with_room(place, len(ids) - done)
            count = min(len(ids) - done, block.shape[1] - place)
            block[:, place : place + count] = rows[done : done + count].T
            for row, name in enumerate(ids[done : done + count], self._size):
                self._ids.append(name)
                self._row_of[name] = row
            self._size += count
            done += count

    def _with_room(self, place: int, more: int) -> Matrix:
        """The last block, with room for some more vectors behind its first ``place``."""
        if place == 0:
            self._blocks.append(np.empty((self.dimension, _FIRST), dtype=np.float32))
        block = self._blocks[-1]
        width = block.shape[1]
        while width < min(place + more, _BLOCK):
            width = min(width * _GROWTH, _BLOCK)
        if width > block.shape[1]:
            # Snapshots keep the smaller one, in which nothing changes.
            larger = np.empty((self.dimension, width), dtype=np.float32)
            larger[:, :place] = block[:, :place]
            self._blocks[-1] = block = larger
        return block

    def drop(self, ids: Iterable[str]) -> None:
        """Forget vectors; unknown ids are ignored."""
        for name in ids:
            self._row_of.pop(name, None)

    def get(self, document_id: str) -> Vector | None:
        row = self._row_of.get(document_id)
        return None if row is None else self._blocks[row // _BLOCK][:, row % _BLOCK].copy()

    def snapshot(self) -> VectorSnapshot:
        return VectorSnapshot(blocks=tuple(self._blocks), size=self._size, ids=self._ids, row_of=self._row_of)

    @property
    def untidy(self) -> bool:
        """Whether more rows are stale than in use."""
        return self._size > max(2 * _STEP, 2 * len(self._row_of))

    def tidy(self) -> Iterator[None]:
        """Make room by leaving stale rows behind, with a pause to be taken at each yield.

        Additions and removals may go on between steps.
        """
        if not self.untidy:
            return
        fresh = Vectors(self.dimension)
        copied = 0
        while copied < self._size:
            last = min(copied - copied % _STEP + _STEP, self._size)
            block = self._blocks[copied // _BLOCK]
            rows = [row for row in range(copied, last) if self._row_of.get(self._ids[row]) == row]
            fresh.put([self._ids[row] for row in rows], block[:, [row % _BLOCK for row in rows]].T)
            copied = last
            yield None
        fresh.drop([name for name in fresh._row_of if name not in self._row_of])
        self._blocks, self._size = fresh._blocks, fresh._size
        self._ids, self._row_of = fresh._ids, fresh._row_of
