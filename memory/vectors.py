"""The vectors of a space: which texts have one, which still want one, and where they are kept.

A vector belongs to an id and counts only while the text that it was made of is the one that stands there and the
model is the one in use. Active entries carry theirs in the rows of their files; all of them stand in packed files
beside the views, which are made again from what there is when they are lost.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.models.vectors import pack, text_sha256
from memory.recall import packed
from memory.recall.cosine import Matrix, Vectors, VectorSnapshot
from memory.recall.document import TURN, Document
from memory.recall.records import text_hash
from memory.recall.when import seconds
from memory.store import layout
from memory.store.files import Disk, read
from memory.store.inline import Fields, Inline

log = logging.getLogger(__name__)

# The row's fields, as the companion names them.
EMBEDDING, TEXT, MODEL = "embedding", "embedding_text_sha256", "embedding_model_id"
FIELDS = (EMBEDDING, TEXT, MODEL)

MOST_INLINE = 20_000        # entries of a file from which on only the fingerprints stand in its rows
_WORTH_APPENDING = 256      # vectors not yet in the file from which on it is written while more are being made
_SLICE = 200                # documents looked at before others have their turn


@dataclass(frozen=True, slots=True)
class Wanting:
    """A text without a vector."""

    source: Source
    id: str
    text: str


class Source:
    """The vectors of what one index holds."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.wanting: dict[str, str] = {}           # id → text, the newest last
        self.inline: list[Rows] = []                # of the views whose entries are in the index
        self.fingerprint: str | None = None
        self.vectors: Vectors | None = None
        self.hashes: dict[str, int] = {}            # of the text that each vector was made of
        self.loaded = False                         # whether the file was looked at
        self._doubtful: set[str] = set()            # ids with a vector of which it is not known whether they still are
        self._unsaved: dict[str, None] = {}
        self._rows_in_file = 0
        self._appendable = False

    def aim(self, fingerprint: str, dimension: int) -> None:
        """Begin anew for a model."""
        self.fingerprint, self.vectors = fingerprint, Vectors(dimension)
        self.hashes, self.wanting, self._doubtful, self._unsaved = {}, {}, set(), {}
        self.loaded, self._rows_in_file, self._appendable = False, 0, False

    def take_over(self, kept: Iterable[packed.Kept], appendable: bool) -> Iterator[None]:
        """Adopt what the file holds, with a pause to be taken at each yield."""
        assert self.vectors is not None
        for part in kept:
            self.vectors.put(part.ids, part.rows)
            self.hashes.update(zip(part.ids, part.hashes, strict=True))
            self._rows_in_file += len(part.ids)
            yield None
        self._appendable = appendable
        self._doubtful = set(self.hashes)
        self.loaded = True

    def see(self, documents: Sequence[Document]) -> None:
        """Documents that are there, new or changed."""
        assert self.vectors is not None
        found: list[tuple[str, int, Matrix]] = []
        for document in documents:
            text = document.text
            if not text.strip() or (document.hidden and document.tier == TURN):
                continue
            hashed = text_hash(text)
            if self.hashes.get(document.id) == hashed:
                self._doubtful.discard(document.id)
                self.wanting.pop(document.id, None)
                self._have((document.id,))
                continue
            self._drop(document.id)
            row = self._from_rows(document.id, text)
            if row is None:
                self.wanting.pop(document.id, None)
                self.wanting[document.id] = text
            else:
                found.append((document.id, hashed, row))
        if found:
            self._put([one[0] for one in found], [one[1] for one in found], np.stack([one[2] for one in found]))

    def _from_rows(self, document_id: str, text: str) -> Matrix | None:
        assert self.fingerprint is not None
        assert self.vectors is not None
        for rows in self.inline:
            if (row := rows.vector(document_id, text, self.fingerprint, self.vectors.dimension)) is not None:
                return row
        return None

    def gone(self, ids: Iterable[str]) -> None:
        """Documents that are no more."""
        for document_id in ids:
            self.wanting.pop(document_id, None)
            self._drop(document_id)

    def doubt(self) -> None:
        """Everything is read anew: what does not turn up again is gone."""
        self._doubtful = set(self.hashes)
        self.wanting = {}
        self._appendable = False

    def settle(self) -> None:
        """Everything there is has been seen."""
        for document_id in self._doubtful:
            self._drop(document_id)
        self._doubtful = set()

    def fill(self, filled: Sequence[Wanting], rows: Matrix) -> None:
        """The vectors that texts wanted; a text that changed meanwhile still wants one."""
        right = [place for place, one in enumerate(filled) if self.wanting.get(one.id) == one.text]
        if right:
            ids = [filled[place].id for place in right]
            self._put(ids, [text_hash(filled[place].text) for place in right], rows[right])
            for document_id in ids:
                del self.wanting[document_id]
            for kept in self.inline:
                kept.behind = True

    def _put(self, ids: Sequence[str], hashes: Sequence[int], rows: Matrix) -> None:
        assert self.vectors is not None
        self.vectors.put(ids, packed.halved(rows))
        self.hashes.update(zip(ids, hashes, strict=True))
        self._unsaved.update(dict.fromkeys(ids))
        self._have(ids)

    def _have(self, ids: Iterable[str]) -> None:
        for rows in self.inline:
            rows.replaced(ids)

    def _drop(self, document_id: str) -> None:
        if self.hashes.pop(document_id, None) is not None and self.vectors is not None:
            self.vectors.drop((document_id,))
            self._unsaved.pop(document_id, None)

    # keeping

    @property
    def unsaved(self) -> int:
        """Vectors that the file lacks."""
        return 0 if self._doubtful else len(self._unsaved)

    def capture(self) -> tuple[list[str], list[int], VectorSnapshot, bool]:
        """What is to be written, and whether it may be appended. It counts as written from here on."""
        assert self.vectors is not None
        whole = not self._appendable or self._rows_in_file + len(self._unsaved) > 2 * len(self.hashes) + packed.FRAME
        ids = list(self.hashes) if whole else list(self._unsaved)
        self._rows_in_file = len(ids) + (0 if whole else self._rows_in_file)
        self._appendable, self._unsaved = True, {}
        return ids, [self.hashes[one] for one in ids], self.vectors.snapshot(), not whole

    def not_written(self) -> None:
        """What was captured did not reach the disk."""
        self._appendable, self._unsaved = False, dict.fromkeys(self.hashes)


@dataclass(frozen=True, slots=True)
class _Inline:
    """What stood in a row: somebody's vector, ours or not."""

    hashed: int                     # of the text beside it
    model: Any
    text: Any
    half: bytes | None              # little-endian half precision; None where it is of another form
    value: Any = None               # that form

    def fields(self) -> dict[str, Any]:
        value = self.value if self.half is None else base64.b64encode(self.half).decode("ascii")
        return {EMBEDDING: value, TEXT: self.text, MODEL: self.model}


class Rows(Inline):
    """The fields in the rows of one view's file."""

    def __init__(self, source: Source, *, written: bool = True) -> None:
        """With ``written`` false vectors of ours are kept in the packed file only."""
        self._source = source
        self._written = written
        self._kept: dict[str, _Inline] = {}
        self.behind = False         # vectors were made that the file lacks

    def begin(self) -> None:
        self._kept = {}

    def take(self, key: str, row: Mapping[str, Any]) -> None:
        value, text, model = (row.get(name) for name in FIELDS)
        said = row.get("text")
        if value is None or not isinstance(said, str):
            self._kept.pop(key, None)
            return
        half = _unpacked(value)
        self._kept[key] = _Inline(text_hash(said), model, text, half, None if half is not None else value)

    def vector(self, key: str, text: str, fingerprint: str, dimension: int) -> Matrix | None:
        """The vector in the row of this text, if it is of this model. float32 [dimension], of length one."""
        kept = self._kept.get(key)
        if kept is None or kept.half is None or kept.model != fingerprint or len(kept.half) != 2 * dimension:
            return None
        if kept.text != text_sha256(text):
            return None
        row = np.frombuffer(kept.half, dtype="<f2").astype(np.float32)
        length = float(np.linalg.norm(row))
        if not np.isfinite(length) or length < 1e-3:
            return None
        return row / np.float32(length) if abs(length - 1.0) > 0.01 else row

    def replaced(self, ids: Iterable[str]) -> None:
        """Ours are there now."""
        if self._written:
            for key in ids:
                self._kept.pop(key, None)

    def fields(self, entries: int) -> Fields:
        source, kept = self._source, self._kept
        vectors = source.vectors.snapshot() if source.vectors is not None and self._written else None
        model, hashes, whole = source.fingerprint, source.hashes, entries <= MOST_INLINE

        def of(key: str, text: str) -> Mapping[str, Any]:
            before = kept.get(key)
            known = hashes.get(key) if vectors is not None else None
            if before is None and known is None:
                return {}
            hashed = text_hash(text)
            if vectors is not None and known == hashed and (row := int(vectors.rows((key,))[0])) >= 0:
                value = pack(vectors.take(np.array([row]))[0]) if whole else None
                return {EMBEDDING: value, TEXT: text_sha256(text), MODEL: model}
            if before is None or before.hashed != hashed:
                return {}
            outdated = before.model == model and before.text != text_sha256(text)
            return {} if outdated else before.fields()

        return of


def _unpacked(value: object) -> bytes | None:
    """The bytes of a value that comes back the same when it is written again."""
    if not isinstance(value, str):
        return None
    try:
        half = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None
    return half if base64.b64encode(half).decode("ascii") == value else None


class SpaceVectors:
    """The vectors of all three indexes of a space."""

    def __init__(self, directory: Path, disk: Disk) -> None:
        self.memories = Source(layout.MEMORIES_VECTORS)
        self.held = Source(layout.PERSONA_VECTORS)
        self.conversation = Source(layout.TURNS_VECTORS)
        self.inline: Mapping[str, Rows] = {
            layout.FACTS: Rows(self.memories),
            layout.FACTS_ARCHIVE: Rows(self.memories, written=False),
            layout.REFLECTIONS: Rows(self.memories),
            layout.PERSONA: Rows(self.held),
        }
        self.memories.inline = [self.inline[file] for file in (layout.FACTS, layout.REFLECTIONS, layout.FACTS_ARCHIVE)]
        self.held.inline = [self.inline[layout.PERSONA]]
        self.fingerprint: str | None = None
        self._directory = directory
        self._disk = disk

    @property
    def sources(self) -> tuple[Source, Source, Source]:
        return self.memories, self.held, self.conversation

    @property
    def wanting(self) -> int:
        """Texts known to want a vector."""
        return sum(len(source.wanting) for source in self.sources)

    def aim(self, fingerprint: str, dimension: int) -> bool:
        """Keep vectors of this model from now on. Whether it is another one, so that all has to be seen again."""
        if fingerprint == self.fingerprint:
            return False
        self.fingerprint = fingerprint
        for source in self.sources:
            source.aim(fingerprint, dimension)
        return True

    async def see(self, source: Source, documents: Sequence[Document]) -> None:
        """Documents that were put into the index. Does nothing before there is a model."""
        if source.vectors is None or self.fingerprint is None:
            return
        if not source.loaded:
            path, dimension = self._directory / source.file, source.vectors.dimension
            kept, appendable = await self._disk.run(_read, path, self.fingerprint, dimension)
            for _ in source.take_over(kept, appendable):
                await asyncio.sleep(0)
        async for part in _oldest_first(documents):
            source.see(part)

    def next(self, count: int, readable: Callable[[str], bool]) -> list[Wanting]:
        """Texts of one source that want a vector, the newest first; what the model cannot read wants none."""
        for source in self.sources:
            found: list[Wanting] = []
            unreadable: list[str] = []
            for document_id, text in reversed(source.wanting.items()):
                if readable(text):
                    found.append(Wanting(source, document_id, text))
                else:
                    unreadable.append(document_id)
                if len(found) == count or len(unreadable) == _SLICE:
                    break
            for document_id in unreadable:
                del source.wanting[document_id]
            if found or unreadable:
                return found
        return []

    async def keep(self) -> None:
        """Bring the packed files up to date. Raises OSError."""
        for source in self.sources:
            vectors = source.vectors
            if vectors is None or self.fingerprint is None or not source.unsaved:
                continue
            for _ in vectors.tidy():
                await asyncio.sleep(0)
            ids, hashes, snapshot, append = source.capture()
            start = packed.header(self.fingerprint, vectors.dimension)
            path = self._directory / source.file
            try:
                await self._disk.run(_write, self._disk, path, None if append else start, ids, hashes, snapshot)
            except BaseException:
                source.not_written()
                raise

    @property
    def behind(self) -> bool:
        """Whether enough is missing in a file to write it while more is coming."""
        return any(source.unsaved >= _WORTH_APPENDING for source in self.sources)

    def is_behind(self, file: str) -> bool:
        """Whether the rows of a view's file lack vectors that were made since this was last asked."""
        rows = self.inline.get(file)
        behind = rows is not None and rows.behind
        if rows is not None:
            rows.behind = False
        return behind


def _read(path: Path, fingerprint: str, dimension: int) -> tuple[list[packed.Kept], bool]:
    """What the file holds. One that cannot be read counts as lost: vectors are made again."""
    try:
        data = read(path)
    except OSError as error:
        log.warning("%s/%s cannot be read (%s)", path.parent.name, path.name, type(error).__name__)
        data = None
    return packed.load(data, fingerprint, dimension)


def _write(
    disk: Disk, path: Path, start: bytes | None, ids: Sequence[str], hashes: Sequence[int], snapshot: VectorSnapshot
) -> None:
    frames = _frames(ids, hashes, snapshot)
    if start is None:
        disk.append(path, b"".join(frames), "vectors")
    else:
        disk.replace(path, _after(start, frames), "vectors", durable=False)


def _after(start: bytes, frames: Iterable[bytes]) -> Iterator[bytes]:
    yield start
    yield from frames


def _frames(ids: Sequence[str], hashes: Sequence[int], snapshot: VectorSnapshot) -> Iterator[bytes]:
    for first in range(0, len(ids), packed.FRAME):
        part = ids[first : first + packed.FRAME]
        rows = snapshot.rows(part)
        there: NDArray[np.int64] = np.flatnonzero(rows >= 0)      # what was replaced meanwhile comes with the next
        if len(there):
            places = there.tolist()
            kept = [hashes[first + place] for place in places]
            yield packed.frame([part[place] for place in places], kept, snapshot.take(rows[there]))


async def _oldest_first(documents: Sequence[Document]) -> AsyncIterator[Sequence[Document]]:
    """The documents in slices by age, with a pause after each."""
    created = np.empty(len(documents))
    for place, document in enumerate(documents):
        created[place] = seconds(document.created_at)
        if place % _SLICE == _SLICE - 1:
            await asyncio.sleep(0)
    order = np.argsort(created, kind="stable").tolist()
    for first in range(0, len(order), _SLICE):
        yield [documents[place] for place in order[first : first + _SLICE]]
        await asyncio.sleep(0)
