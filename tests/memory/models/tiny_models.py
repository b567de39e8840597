"""Models of a few kilobytes, made on the spot: an operator's ONNX directory, and a 4-bit weight file to convert."""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import tokenizers
from onnx import TensorProto, helper, numpy_helper
from tokenizers import models, pre_tokenizers, processors

from memory.models.sentences import STATEMENTS

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "dog", "sleeps", "eats", "fish", "a")


def write_tokenizer(path: Path) -> None:
    """Whole words; everything else is unknown."""
    path.parent.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizers.Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    # Files made for training carry this; it must not reach inference.
    tokenizer.enable_padding(length=128, pad_id=0, pad_token="[PAD]")
    tokenizer.save(str(path))


def word_vectors(width: int) -> npt.NDArray[np.float32]:
    """The table of the tiny model, [words, width]."""
    return np.random.default_rng(7).standard_normal((len(WORDS), width)).astype(np.float32)


def write_model(path: Path, *, width: int = 8, external: bool = False, values: float | None = None) -> None:
    """``last_hidden_state`` is the word's row of the table; ``values`` fills the table with one number instead."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = word_vectors(width) if values is None else np.full((len(WORDS), width), values, np.float32)
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "tiny",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"]),
            helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", "tokens"]),
        ],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", width])],
        initializer=[numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    side = path.with_name(path.name + "_data")
    side.unlink(missing_ok=True)
    onnx.save(model, path, save_as_external_data=external, location=side.name, size_threshold=0)


def write_operator_model(directory: Path, *, width: int = 32, external: bool = False) -> None:
    """The layout an operator copies into place."""
    write_tokenizer(directory / "tokenizer.json")
    write_model(directory / "onnx" / "model_quantized.onnx", width=width, external=external)


HIDDEN, LAYERS, HEADS, INNER, POSITIONS = 64, 2, 2, 128, 96
_SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")
_PIECES = ("▁the", "▁user", "ing", "▁de", "▁la", "咖啡", "▁в", "です", "query", "passage", "▁passage", ":")


def pieces() -> list[tuple[str, float]]:
    """A vocabulary that spells every sentence of the eight languages, longer pieces preferred."""
    text = "".join(sentence for sentences in STATEMENTS.values() for sentence in sentences) + "querypassage:"
    letters = sorted(set(unicodedata.normalize("NFKC", text)) - {" "})
    wanted = dict.fromkeys((*_PIECES, "▁", *letters))
    # Scores of their own for every piece, so that the best segmentation is never a tie.
    scored = [(piece, -8.0 / len(piece) - at / 1000) for at, piece in enumerate(wanted)]
    return [(special, 0.0) for special in _SPECIALS] + scored + [("<mask>", 0.0)]


def write_source(path: Path) -> None:
    """A whole ``E5S1`` file with random weights."""
    random = np.random.default_rng(3)
    vocabulary = pieces()
    rows = len(vocabulary) + 5      # the real file also has more rows than pieces
    tensors: dict[str, bytes | npt.NDArray[np.float32]] = {
        "emb.word": _blocks(random, rows * HIDDEN),
        "emb.pos": _floats(random, POSITIONS * HIDDEN),
        "emb.type": _floats(random, 2 * HIDDEN),
        **_norm(random, "emb.ln"),
    }
    sizes = {"q": (HIDDEN, HIDDEN), "k": (HIDDEN, HIDDEN), "v": (HIDDEN, HIDDEN), "ao": (HIDDEN, HIDDEN),
             "fi": (INNER, HIDDEN), "fo": (HIDDEN, INNER)}
    for layer in range(LAYERS):
        for name, (out, columns) in sizes.items():
            tensors[f"l{layer}.{name}.w"] = _blocks(random, out * columns)
            tensors[f"l{layer}.{name}.b"] = _floats(random, out)
        tensors |= _norm(random, f"l{layer}.aln") | _norm(random, f"l{layer}.oln")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_header(vocabulary, rows) + _body(tensors, _header(vocabulary, rows)))


def _header(vocabulary: list[tuple[str, float]], rows: int) -> bytes:
    texts = [piece.encode() for piece, _ in vocabulary]
    offsets = np.cumsum([0, *map(len, texts)]).astype("<u4").tobytes()
    blob = b"".join(texts)
    return b"".join((
        b"E5S1", struct.pack("<I", 1),
        struct.pack("<7ifi", HIDDEN, LAYERS, HEADS, INNER, rows, POSITIONS, 2, 1e-12, 32),
        struct.pack("<5iQ", len(texts), 0, 2, 1, 3, len(blob)), offsets,
        np.array([score for _, score in vocabulary], "<f4").tobytes(), blob,
        struct.pack("<iI", 1, 9), struct.pack("<IBI", 9, 1, 32),     # the map: tab to space
    ))


def _body(tensors: Mapping[str, bytes | npt.NDArray[np.float32]], header: bytes) -> bytes:
    directory, contents = [struct.pack("<i", len(tensors))], []
    at = len(header) + 4 + sum(2 + len(name) + 21 for name in tensors)
    for name, values in tensors.items():
        raw = values if isinstance(values, bytes) else values.astype("<f4").tobytes()
        quantised = isinstance(values, bytes)
        count = len(raw) // 18 * 32 if quantised else len(raw) // 4
        directory += [struct.pack("<H", len(name)), name.encode(), struct.pack("<BIQQ", quantised, count, at, len(raw))]
        contents.append(raw)
        at += len(raw)
    return b"".join((*directory, *contents))


def _blocks(random: np.random.Generator, weights: int) -> bytes:
    blocks = np.empty((weights // 32, 18), np.uint8)
    blocks[:, :2] = random.uniform(0.01, 0.04, (weights // 32, 1)).astype("<f2").view(np.uint8)
    blocks[:, 2:] = random.integers(0, 256, (weights // 32, 16), np.uint8)
    return blocks.tobytes()


def _floats(random: np.random.Generator, count: int) -> npt.NDArray[np.float32]:
    return (random.standard_normal(count) * 0.1).astype(np.float32)


def _norm(random: np.random.Generator, name: str) -> dict[str, npt.NDArray[np.float32]]:
    return {f"{name}.w": 1.0 + _floats(random, HIDDEN), f"{name}.b": _floats(random, HIDDEN)}
