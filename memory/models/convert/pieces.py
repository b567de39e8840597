"""Writing a vocabulary as a SentencePiece model, so that the library does the tokenising."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from memory.models.convert.source import Pieces

model_format: Any = sentencepiece_model_pb2     # its classes are made at import, out of sight of the type checker

NORMALISATION: Final = "nmt_nfkc"


def sentencepiece_model(pieces: Pieces) -> bytes:
    """A unigram model whose ids are the places of the pieces."""
    model = model_format.ModelProto()
    model.trainer_spec.model_type = model_format.TrainerSpec.UNIGRAM
    model.trainer_spec.vocab_size = len(pieces.texts)
    model.trainer_spec.unk_id = pieces.unknown
    model.trainer_spec.bos_id = pieces.bos
    model.trainer_spec.eos_id = pieces.eos
    model.trainer_spec.pad_id = pieces.pad
    model.trainer_spec.unk_piece = pieces.texts[pieces.unknown]
    model.trainer_spec.bos_piece = pieces.texts[pieces.bos]
    model.trainer_spec.eos_piece = pieces.texts[pieces.eos]
    model.trainer_spec.pad_piece = pieces.texts[pieces.pad]
    model.normalizer_spec.name = NORMALISATION
    model.normalizer_spec.precompiled_charsmap = characters_map()
    model.normalizer_spec.add_dummy_prefix = True
    model.normalizer_spec.remove_extra_whitespaces = True
    model.normalizer_spec.escape_whitespaces = True
    kinds = model_format.ModelProto.SentencePiece
    control = {pieces.bos, pieces.eos, pieces.pad}
    for place, (text, score) in enumerate(zip(pieces.texts, pieces.scores.tolist(), strict=True)):
        if place == pieces.unknown:
            kind = kinds.UNKNOWN
        elif place in control or text == "<mask>":
            # Control pieces never match text, so nobody can write one into a memory.
            kind = kinds.CONTROL
        else:
            kind = kinds.NORMAL
        model.pieces.add(piece=text, score=score, type=kind)
    return bytes(model.SerializeToString())


def token_ids(model: bytes, texts: Sequence[str]) -> list[list[int]]:
    """Ids per text, from the beginning-of-text to the end-of-text piece."""
    opened = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [[opened.bos_id(), *opened.encode(text), opened.eos_id()] for text in texts]


@cache
def characters_map() -> bytes:
    """The library's compiled form of its normalisation rule, which it only hands out inside a trained model."""
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(("a few plain words to train on", "and a second line of others")),
        model_writer=out,
        vocab_size=64,
        hard_vocab_limit=False,
        normalization_rule_name=NORMALISATION,
        minloglevel=2,
    )
    model = model_format.ModelProto()
    model.ParseFromString(out.getvalue())
    return bytes(model.normalizer_spec.precompiled_charsmap)
