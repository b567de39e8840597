"""Building the ONNX graph of a post-norm BERT encoder from 4-bit weights.

In: ``input_ids`` and ``attention_mask``, int64 [batch, tokens]. Out: ``sentence_embedding``, float32 [batch, hidden],
the mean over the tokens, of length one. The word table stays at 4 bits (only the rows in use are ever widened); the
linear layers are 4-bit blocks (``q4``) or 8 bits a channel, smoothed (``int8``). The operators are the fused ones that
onnxruntime has for the CPU.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from memory.models.convert.smoothing import Peaks, factors
from memory.models.convert.source import BLOCK, Quantized, Source

VARIANTS: Final = ("int8", "q4")
_OPSET: Final = 18
_IR_VERSION: Final = 9
_MS: Final = "com.microsoft"
_FLOAT32, _INT8 = 1, 4      # what MatMulNBits may round activations to


def onnx_model(source: Source, variant: str, peaks: Peaks) -> bytes:
    """The model as one file. About 80 MB for 384 wide and 12 layers; takes seconds. ``peaks`` serve int8 alone."""
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant {variant}")
    graph = _Graph(source, variant, peaks)
    graph.build()
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "encoder",
            [_tokens("input_ids"), _tokens("attention_mask")],
            [helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", source.shape.hidden])],
            initializer=graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", _OPSET), helper.make_opsetid(_MS, 1)],
        ir_version=_IR_VERSION,
        producer_name="companion-memory",
    )
    return bytes(model.SerializeToString())


def channel_int8(matrix: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """A matrix [out, in] as int8 [in, out] with one symmetric scale [out] per output channel."""
    scales = np.abs(matrix).max(axis=1) / 127.0
    scales[scales == 0.0] = 1.0
    return np.rint(matrix / scales[:, None]).astype(np.int8).T.copy(), scales.astype(np.float32)


def neighbours_packed(matrix: Quantized) -> npt.NDArray[np.uint8]:
    """Nibbles [rows, blocks, 16] in the operator's order: byte k holds weight 2k (low half) and 2k + 1 (high half)."""
    weights = np.concatenate([matrix.nibbles & 15, matrix.nibbles >> 4], axis=-1)
    packed: npt.NDArray[np.uint8] = weights[..., 0::2] | (weights[..., 1::2] << 4)
    return packed


def _tokens(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])


class _Graph:
    """Nodes and weights as they are added."""

    def __init__(self, source: Source, variant: str, peaks: Peaks) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self._source = source
        self._shape = source.shape
        self._variant = variant
        self._peaks = peaks

    def build(self) -> None:
        mask = self._node("Cast", ["attention_mask"], "mask_int", to=TensorProto.INT32)
        x = self._embeddings()
        for layer in range(self._shape.layers):
            x = self._layer(f"l{layer}", x, mask)
        self._pool(x)

    def _embeddings(self) -> str:
        hidden, blocks = self._shape.hidden, self._shape.hidden // BLOCK
        table = self._source.quantized("emb.word", hidden)
        rows = table.nibbles.shape[0]
        nibbles = self._weight("word_nibbles", np.ascontiguousarray(table.nibbles).reshape(rows, hidden // 2))
        scales = self._weight("word_scales", np.ascontiguousarray(table.scales).reshape(rows, blocks))
        # Gather first and widen after: a whole-table dequantisation would be folded into hundreds of megabytes.
        packed = self._node("Gather", [nibbles, "input_ids"], "word_packed")
        packed = self._reshape(packed, [0, 0, blocks, BLOCK // 2], "word_blocks")
        low = self._node("BitwiseAnd", [packed, self._weight("fifteen", np.array(15, np.uint8))], "word_low")
        four = self._weight("four", np.array(4, np.uint8))
        high = self._node("BitShift", [packed, four], "word_high", direction="RIGHT")
        whole = self._node("Concat", [low, high], "word_whole", axis=-1)
        whole = self._node("Cast", [whole], "word_float", to=TensorProto.FLOAT)
        whole = self._node("Sub", [whole, self._weight("eight", np.array(8.0, np.float32))], "word_signed")
        scale = self._node("Gather", [scales, "input_ids"], "word_scale_rows")
        scale = self._node("Cast", [scale], "word_scale_float", to=TensorProto.FLOAT)
        scale = self._reshape(scale, [0, 0, blocks, 1], "word_scale_blocks")
        whole = self._node("Mul", [whole, scale], "word_scaled")
        words = self._reshape(whole, [0, 0, hidden], "words")
        return self._normalised("emb.ln", words, self._positions(), bias=None, out="embedded")

    def _positions(self) -> str:
        hidden = self._shape.hidden
        table = self._source.floats("emb.pos").reshape(-1, hidden) + self._source.floats("emb.type")[:hidden]
        length = self._node("Shape", ["input_ids"], "token_count", start=1, end=2)
        start = self._weight("zero", np.array([0], np.int64))
        rows = self._node("Slice", [self._weight("positions", table), start, length, start], "position_rows")
        # The operator that adds and normalises wants both of one shape.
        shape = self._node("Shape", ["words"], "words_shape")
        return self._node("Expand", [rows, shape], "positions_of_batch")

    def _layer(self, name: str, x: str, mask: str) -> str:
        names, biases = [f"{name}.q", f"{name}.k", f"{name}.v"], ["q", "k", "v"]
        joined = self._linear(names, x, f"{name}.qkv", exact=True)
        hidden = self._shape.hidden
        sizes = self._weight("three_parts", np.array([hidden] * 3, np.int64))
        q, k, v = self._nodes("Split", [joined, sizes], [f"{name}.{part}.out" for part in biases], axis=-1)
        bias = np.concatenate([self._source.floats(f"{one}.b") for one in names])
        attended = self._node(
            "MultiHeadAttention",
            [q, k, v, self._weight(f"{name}.qkv.b", bias), mask],
            f"{name}.attended", domain=_MS, num_heads=self._shape.heads,
        )
        out = self._linear([f"{name}.ao"], attended, f"{name}.ao.out")
        x = self._normalised(f"{name}.aln", out, x, bias=f"{name}.ao.b", out=f"{name}.middle")
        inner = self._linear([f"{name}.fi"], x, f"{name}.fi.out")
        inner_bias = self._weight(f"{name}.fi.b", self._source.floats(f"{name}.fi.b"))
        inner = self._node("BiasGelu", [inner, inner_bias], f"{name}.gelu", domain=_MS)
        out = self._linear([f"{name}.fo"], inner, f"{name}.fo.out", columns=self._shape.inner)
        return self._normalised(f"{name}.oln", out, x, bias=f"{name}.fo.b", out=f"{name}.out")

    def _linear(
        self, names: list[str], x: str, out: str, *, columns: int | None = None, exact: bool = False
    ) -> str:
        """x times the transposed matrices stacked on their outputs; biases are left to the operator that follows.

        ``exact`` keeps the activations of the 4-bit variant in float32: where attention looks, rounding hurts most.
        """
        columns = columns or self._shape.hidden
        parts = [self._source.quantized(f"{name}.w", columns) for name in names]
        if self._variant == "int8":
            matrix = np.concatenate([part.floats() for part in parts])
            smooth = factors(self._peaks[names[0]], matrix)
            x = self._node("Mul", [x, self._weight(f"{out}.m", 1.0 / smooth)], f"{out}.smooth")
            weights, scales = channel_int8(matrix * smooth)
            inputs = [x, self._weight(f"{out}.w", weights), self._weight(f"{out}.s", scales)]
            return self._node("DynamicQuantizeMatMul", inputs, out, domain=_MS)
        packed = np.concatenate([neighbours_packed(part) for part in parts])
        scales = np.concatenate([part.scales for part in parts]).astype(np.float32)
        inputs = [x, self._weight(f"{out}.w", packed), self._weight(f"{out}.s", scales.reshape(-1))]
        return self._node(
            "MatMulNBits", inputs, out, domain=_MS,
            K=columns, N=packed.shape[0], bits=4, block_size=BLOCK,
            accuracy_level=_FLOAT32 if exact else _INT8,
        )

    def _normalised(self, name: str, x: str, added: str, *, bias: str | None, out: str) -> str:
        inputs = [x, added, *(self._weight(f"{name}.{part}", self._source.floats(f"{name}.{part}")) for part in "wb")]
        if bias is not None:
            inputs.append(self._weight(bias, self._source.floats(bias)))
        return self._node("SkipLayerNormalization", inputs, out, domain=_MS, epsilon=self._shape.epsilon)

    def _pool(self, x: str) -> None:
        mask = self._node("Cast", ["attention_mask"], "mask_float", to=TensorProto.FLOAT)
        axes = self._weight("one", np.array([1], np.int64))
        column = self._node("Unsqueeze", [mask, self._weight("two", np.array([2], np.int64))], "mask_column")
        kept = self._node("Mul", [x, column], "kept")
        total = self._node("ReduceSum", [kept, axes], "total", keepdims=0)
        count = self._node("ReduceSum", [column, axes], "count", keepdims=0)
        mean = self._node("Div", [total, count], "mean")
        self._node("LpNormalization", [mean], "sentence_embedding", axis=-1, p=2)

    def _reshape(self, x: str, shape: list[int], out: str) -> str:
        return self._node("Reshape", [x, self._weight(f"{out}.shape", np.array(shape, np.int64))], out)

    def _weight(self, name: str, values: npt.NDArray[Any]) -> str:
        if all(one.name != name for one in self.weights):
            self.weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _node(self, kind: str, inputs: list[str], out: str, **attributes: Any) -> str:
        return self._nodes(kind, inputs, [out], **attributes)[0]

    def _nodes(self, kind: str, inputs: list[str], outs: list[str], **attributes: Any) -> list[str]:
        self.nodes.append(helper.make_node(kind, inputs, outs, name=outs[0], **attributes))
        return outs
