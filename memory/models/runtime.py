"""A model in memory: token ids to unit vectors with onnxruntime, on one CPU thread."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from memory.models.hardware import free_memory, give_back_memory
from memory.models.installed import Chosen, side_files
from memory.models.profiles import ModelUnusable
from memory.models.tokens import Tokens, library, open_tokens

Vectors = npt.NDArray[np.float32]

_OUTPUTS: Final = ("sentence_embedding", "text_embedding", "last_hidden_state")     # the best known first
_PROBE: Final = "a short text"
_LEAST_NORM: Final = 1e-12
_ROOM_PER_BYTE, _ROOM = 3, 96 << 20     # while loading, weights exist up to three times; the libraries want some too
_CHUNK: Final = 1 << 20


class Model:
    """An opened model with its tokenizer. Safe to use from several threads; every failure is a ModelUnusable."""

    def __init__(self, chosen: Chosen, tokens: Tokens, session: Any) -> None:
        self.chosen = chosen
        self._tokens = tokens
        self._session = session
        self._inputs = frozenset(one.name for one in session.get_inputs())
        outputs = {one.name for one in session.get_outputs()}
        known = [name for name in _OUTPUTS if name in outputs]
        self._output = known[0] if known else session.get_outputs()[0].name

    def tokens(self, texts: Sequence[str], purpose: str) -> list[list[int]]:
        """Token ids per text, specials included."""
        return [self._tokens.of(text, purpose) for text in texts]

    def vectors(self, batch: Sequence[Sequence[int]]) -> Vectors:
        """float32 [texts, dimension], rows of length one."""
        longest = max(map(len, batch))
        ids = np.full((len(batch), longest), self._tokens.pad, dtype=np.int64)
        mask = np.zeros((len(batch), longest), dtype=np.int64)
        for row, text in enumerate(batch):
            ids[row, :len(text)] = text
            mask[row, :len(text)] = 1
        try:
            out = self._session.run([self._output], self._feed(ids, mask))[0]
        except Exception as error:      # the runtime's exceptions share no base class
            raise failure("inference error", error) from error
        return self._unit(self._pooled(np.asarray(out, dtype=np.float32), mask))

    def _feed(self, ids: npt.NDArray[np.int64], mask: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.int64]]:
        feed = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(ids)
        if "position_ids" in self._inputs:
            feed["position_ids"] = np.maximum(np.cumsum(mask, axis=1) - 1, 0)
        return {name: values for name, values in feed.items() if name in self._inputs}

    def _pooled(self, out: Vectors, mask: npt.NDArray[np.int64]) -> Vectors:
        if out.ndim == 2:
            return out
        if out.ndim != 3:
            raise ModelUnusable("wrong dimension", f"the model's output has {out.ndim} axes")
        match self.chosen.profile.pooling:
            case "last_token":
                last: Vectors = out[np.arange(len(out)), mask.sum(axis=1) - 1]
                return last
            case "first_token":
                return out[:, 0]
            case "mean" | "none":
                weights = mask[..., None].astype(np.float32)
                mean: Vectors = (out * weights).sum(axis=1) / weights.sum(axis=1)
                return mean

    def _unit(self, vectors: Vectors) -> Vectors:
        wanted, width = self.chosen.dimension, vectors.shape[1]
        if width != wanted and not (self.chosen.profile.dimensions and width > wanted):
            raise ModelUnusable("wrong dimension", f"the model gives {width}, the profile says {wanted}")
        vectors = vectors[:, :wanted]
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or bool((norms < _LEAST_NORM).any()):
            raise ModelUnusable("inference error", "the model gave no finite vector")
        return np.ascontiguousarray(vectors / norms)


def open_model(chosen: Chosen) -> Model:
    """Check the files against their checksums, load them and embed one text. Seconds; call it in a thread.

    Raises ModelUnusable whatever goes wrong.
    """
    try:
        _check_room(chosen)
        for name in (chosen.profile.tokenizer, chosen.model_name):
            check_file(chosen, name)
        # The tokenizer first: it frees what it parsed before the weights need their room.
        tokens = open_tokens(chosen.profile, chosen.tokenizer)
        model = Model(chosen, tokens, _session(chosen))
        model.vectors(model.tokens([_PROBE], "passage"))
        give_back_memory()
    except ModelUnusable:
        raise
    except Exception as error:
        raise failure("cannot load the model", error) from error
    return model


def _check_room(chosen: Chosen) -> None:
    # Asked beforehand, because the libraries do not all survive a refused allocation: some abort the process.
    weights = sum(path.stat().st_size for path in (chosen.tokenizer, chosen.model, *side_files(chosen.model)))
    needed, free = _ROOM_PER_BYTE * weights + _ROOM, free_memory()
    if free is not None and free < needed:
        raise ModelUnusable("out of memory", f"{free >> 20} MiB free, {needed >> 20} MiB needed to load")


def check_file(chosen: Chosen, name: str) -> None:
    """Compare one file with its known size and checksum, if there is one."""
    known = chosen.candidate.checksums.get(name)
    if known is None:
        return
    size, sha256 = known
    found = chosen.candidate.files[name].stat().st_size
    if found != size:
        raise ModelUnusable("model file damaged", f"{name} has {found} bytes of {size}")
    digest = hashlib.sha256()
    with chosen.candidate.files[name].open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != sha256:
        raise ModelUnusable("model file damaged", f"{name} differs from what was published")


def _session(chosen: Chosen) -> Any:
    runtime = library("onnxruntime")
    options = runtime.SessionOptions()
    # One thread that never spins: the server's own work matters more, and two spinning threads on a busy machine
    # were several times slower than one.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The arena would keep the memory of the largest batch for good.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    sides = side_files(chosen.model)
    if sides:
        # The runtime maps side files into memory. Were one cut short later, touching it would kill the process,
        # so they are read and copied instead.
        contents = [side.read_bytes() for side in sides]
        names = [side.name for side in sides]
        options.add_external_initializers_from_files_in_memory(names, contents, [len(content) for content in contents])
    return runtime.InferenceSession(str(chosen.model), options, providers=["CPUExecutionProvider"])


def failure(reason: str, error: BaseException) -> ModelUnusable:
    """An exception of some library as one of ours, without its words: they may quote paths, shapes or texts."""
    text = str(error).lower()
    if isinstance(error, MemoryError) or "allocate memory" in text or "bad_alloc" in text or "bad allocation" in text:
        return ModelUnusable("out of memory")
    return ModelUnusable(reason, type(error).__name__)
