"""Converting 4-bit weights, measured on a whole small encoder against the plain forward pass."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest
import sentencepiece
import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers, processors

from memory.models.convert.graph import channel_int8, neighbours_packed, onnx_model
from memory.models.convert.pieces import characters_map, sentencepiece_model, token_ids
from memory.models.convert.reference import Reference, error_function
from memory.models.convert.smoothing import Peaks, factors, peaks_of
from memory.models.convert.source import Quantized, Source, open_source
from memory.models.profiles import ModelUnusable
from memory.models.sentences import STATEMENTS
from tests.memory.models.tiny_models import HIDDEN, POSITIONS, pieces, write_source

SENTENCES = [sentence for sentences in STATEMENTS.values() for sentence in sentences]
STRANGE = [
    "  two  spaces\tand\na line ", "ﾊﾝｶｸ　ＡＢＣ１２３", "\u200bzero\u200bwidth", "\ufeffmark", "ｱﾞ", "①㎏ﬁ", "～", "🐈",
]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    path = tmp_path_factory.mktemp("weights") / "tiny.bin"
    write_source(path)
    return open_source(path)


@pytest.fixture(scope="module")
def peaks(source: Source) -> Peaks:
    return peaks_of(source, token_ids(sentencepiece_model(source.pieces), SENTENCES[::4]))


@pytest.fixture(scope="module")
def ours(source: Source) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(source.pieces))


@pytest.fixture(scope="module")
def peer() -> tokenizers.Tokenizer:
    """The same vocabulary in another library's unigram model."""
    made = tokenizers.Tokenizer(models.Unigram(pieces(), unk_id=3))
    made.normalizer = normalizers.Sequence(
        [normalizers.Precompiled(characters_map()), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return made


def tokens(model: sentencepiece.SentencePieceProcessor, texts: list[str]) -> list[list[int]]:
    return [[0, *model.encode(text), 2][:POSITIONS] for text in texts]


def test_there_are_at_least_fifty_sentences_in_eight_languages() -> None:
    assert len(STATEMENTS) == 8
    assert len(SENTENCES) >= 50


def test_the_token_counts_are_those_of_another_implementation(
    ours: sentencepiece.SentencePieceProcessor, peer: tokenizers.Tokenizer
) -> None:
    texts = [f"{prefix}{sentence}" for sentence in SENTENCES for prefix in ("", "query: ", "passage: ")]
    assert tokens(ours, texts) == [peer.encode(text.strip()).ids[:POSITIONS] for text in texts]


@pytest.mark.parametrize("text", STRANGE)
def test_strange_texts_are_tokenised_alike(
    ours: sentencepiece.SentencePieceProcessor, peer: tokenizers.Tokenizer, text: str
) -> None:
    # The other recipe wants its text stripped beforehand.
    assert tokens(ours, [f"x {text}"]) == [peer.encode(f"x {text}".strip().rstrip("\u200b")).ids]


def test_control_pieces_cannot_be_written(ours: sentencepiece.SentencePieceProcessor) -> None:
    assert not set(ours.encode("a </s> b <s> <pad> <mask>")) & {0, 1, 2, len(pieces()) - 1}


@pytest.mark.parametrize(("variant", "least"), [("q4", 0.9999), ("int8", 0.994)])
def test_converted_vectors_point_where_the_reference_does(
    source: Source, ours: sentencepiece.SentencePieceProcessor, peaks: Peaks, variant: str, least: float
) -> None:
    texts = tokens(ours, [f"passage: {sentence}" for sentence in SENTENCES])
    session = onnxruntime.InferenceSession(onnx_model(source, variant, peaks))
    expected = Reference(source).embed(texts)
    got = np.concatenate([run(session, [text]) for text in texts])
    assert ((got * expected).sum(axis=1) >= least).all()
    # The sentences must differ among themselves by more than that, or the comparison says nothing.
    assert np.sort(expected @ expected.T, axis=1)[:, -2].min() < 0.99


def test_the_4_bit_variant_gives_the_same_in_a_batch(
    source: Source, ours: sentencepiece.SentencePieceProcessor, peaks: Peaks
) -> None:
    texts = tokens(ours, SENTENCES[:12])
    session = onnxruntime.InferenceSession(onnx_model(source, "q4", peaks))
    alone = np.concatenate([run(session, [text]) for text in texts])
    assert run(session, texts) == pytest.approx(alone, abs=1e-5)


def run(session: onnxruntime.InferenceSession, batch: list[list[int]]) -> npt.NDArray[np.float32]:
    longest = max(map(len, batch))
    ids, mask = np.ones((len(batch), longest), np.int64), np.zeros((len(batch), longest), np.int64)
    for row, text in enumerate(batch):
        ids[row, :len(text)], mask[row, :len(text)] = text, 1
    out: npt.NDArray[np.float32] = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
    return out


def rising_and_falling() -> npt.NDArray[np.uint8]:
    """One block whose weights are 0 .. 15, 15 .. 0."""
    return np.array([low | (15 - low) << 4 for low in range(16)], np.uint8).reshape(1, 1, 16)


def test_nibbles_are_widened_low_half_first() -> None:
    # Byte j holds weight j below and weight j + 16 above; a weight is (nibble - 8) * scale.
    block = Quantized(nibbles=rising_and_falling(), scales=np.array([[0.5]], np.float16))
    expected = [*(np.arange(16) - 8) * 0.5, *(np.arange(15, -1, -1) - 8) * 0.5]
    assert block.floats()[0].tolist() == expected


def test_repacked_nibbles_hold_neighbours() -> None:
    packed = neighbours_packed(Quantized(nibbles=rising_and_falling(), scales=np.ones((1, 1), np.float16)))
    weights = [*range(16), *range(15, -1, -1)]
    assert packed[0, 0].tolist() == [weights[2 * k] | weights[2 * k + 1] << 4 for k in range(16)]


def test_channels_are_quantised_each_by_its_own_scale() -> None:
    matrix = np.array([[1.0, -0.5], [0.0, 0.0], [254.0, 127.0]], np.float32)
    weights, scales = channel_int8(matrix)
    assert weights.tolist() == [[127, 0, 127], [-64, 0, 64]]
    assert scales == pytest.approx([1 / 127, 1.0, 2.0])


def test_a_loud_channel_hands_range_to_its_weights_and_no_more_than_four_times() -> None:
    matrix = np.full((2, 5), 0.1, np.float32)
    smooth = factors(np.array([1.0, 1.0, 1.0, 2.0, 1000.0], np.float32), matrix)
    assert smooth == pytest.approx([1.0, 1.0, 1.0, 2.0 ** 0.6, 4.0])


def test_peaks_are_known_for_every_matrix(source: Source, peaks: Peaks) -> None:
    names = ("q", "k", "v", "ao", "fi", "fo")
    assert set(peaks) == {f"l{layer}.{name}" for layer in range(source.shape.layers) for name in names}
    assert all((peak > 0).all() for peak in peaks.values())


def test_the_sizes_are_read(source: Source) -> None:
    assert (source.shape.hidden, source.shape.positions) == (HIDDEN, POSITIONS)
    assert source.pieces.texts[:4] == ("<s>", "<pad>", "</s>", "<unk>")


@pytest.mark.parametrize("share", [0.0, 0.001, 0.05, 0.5, 0.999])
def test_a_file_cut_short_is_refused(tmp_path: Path, share: float) -> None:
    path = tmp_path / "tiny.bin"
    write_source(path)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    with pytest.raises(ModelUnusable, match="damaged weights"):
        open_source(path)


@pytest.mark.parametrize("start", [b"E5S2\x01\0\0\0", b"E5S1\x02\0\0\0", b"GGUF\x01\0\0\0"])
def test_another_format_is_refused(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "tiny.bin"
    write_source(path)
    path.write_bytes(start + path.read_bytes()[8:])
    with pytest.raises(ModelUnusable, match="not an E5S1 file"):
        open_source(path)


def test_an_unknown_tensor_is_refused(source: Source) -> None:
    with pytest.raises(ModelUnusable, match="no tensor"):
        source.floats("nothing")


def test_the_reference_s_error_function_is_the_library_s() -> None:
    points = np.linspace(-5.0, 5.0, 2001, dtype=np.float32)
    exact = np.array([math.erf(point) for point in points.tolist()], np.float32)
    assert error_function(points) == pytest.approx(exact, abs=1e-6)
