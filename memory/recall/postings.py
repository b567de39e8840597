"""Which documents have which token: whole numbers only, built up one document at a time.

For pools of candidates that are ranked by rules of their own; ``recall/index`` answers questions.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence

import numpy as np

LONGEST = 512               # tokens of one document that are kept
LONGEST_QUESTION = 24       # … and of a question


class Postings:
    """Documents are numbered from 0 in the order in which they come; a number is never given again."""

    def __init__(self) -> None:
        self._of: dict[str, array[int]] = {}
        self._live = bytearray()
        self.size = 0               # documents that were not dropped

    def add(self, tokens: Iterable[str]) -> int:
        """Take in a document by its distinct tokens; returns its number."""
        number = len(self._live)
        for token in tokens:
            self._of.setdefault(token, array("I")).append(number)
        self._live.append(1)
        self.size += 1
        return number

    def drop(self, number: int) -> None:
        if self._live[number]:
            self._live[number] = 0
            self.size -= 1

    def count(self, token: str) -> int:
        """How many documents have a token."""
        numbers = self._numbers(token)
        return int(self._alive()[numbers].sum()) if len(numbers) else 0

    def best(self, tokens: Collection[str], limit: int) -> list[int]:
        """The documents with the most of the tokens, at least one; of equals those that came last."""
        if not self._live:
            return []
        counts = np.zeros(len(self._live), dtype=np.uint8)
        for token in tokens:
            counts[self._numbers(token)] += 1
        counts *= self._alive()
        found = np.flatnonzero(counts)
        if len(found) > limit:
            # counts are small and ties many: the rank is one number, the later of equals the higher
            rank = counts[found].astype(np.int64) * len(self._live) + found
            found = found[np.argpartition(rank, -limit)[-limit:]]
        return sorted(found.tolist(), key=lambda number: (-int(counts[number]), -number))

    def having(self, tokens: Sequence[str], numbers: Sequence[int]) -> list[list[str]]:
        """For each of the documents, which of the tokens it has."""
        wanted = np.asarray(numbers, dtype=np.int64)
        found: list[list[str]] = [[] for _ in numbers]
        if not len(wanted):
            return found
        marks = np.zeros(len(self._live), dtype=bool)
        for token in tokens:
            holders = self._numbers(token)
            if not len(holders):
                continue
            marks[holders] = True
            for place in np.flatnonzero(marks[wanted]).tolist():
                found[place].append(token)
            marks[holders] = False
        return found

    def _numbers(self, token: str) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        held = self._of.get(token)
        # A copy: a view would keep the array from growing.
        return np.array(held, dtype=np.uint32) if held is not None else np.zeros(0, dtype=np.uint32)

    def _alive(self) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
        return np.frombuffer(bytes(self._live), dtype=np.uint8)
