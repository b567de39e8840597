"""How true the conversion of ``multilingual-e5-small`` is, on sentences in eight languages.

    python -m benchmarks.embedding_conversion [--from WHEEL_OR_WEIGHTS] [--cache DIR]

Compares each variant with the dequantised float32 forward pass, the tokenizer with another library's unigram model
over the same vocabulary, and looks for answers across languages. Prints one JSON object; the exit code is 1 when a bar
is missed. Without --from the weights are downloaded into the cache (a folder for temporary files) and kept there.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
import sentencepiece
import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers

from memory.models.convert.fetch import obtain
from memory.models.convert.graph import VARIANTS, onnx_model
from memory.models.convert.install import SAMPLED, sample
from memory.models.convert.pieces import characters_map, sentencepiece_model
from memory.models.convert.reference import Reference
from memory.models.convert.smoothing import peaks_of
from memory.models.convert.source import Source, open_source
from memory.models.installed import known_profiles
from memory.models.profiles import Profile
from memory.models.sentences import LEAST_SHARE, QUESTIONS, STATEMENTS, share_found

Vectors = npt.NDArray[np.float32]
BARS = {"q4": 0.9999, "int8": 0.994}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="given", type=Path)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "embedding-downloads")
    wanted = parser.parse_args()
    profile = known_profiles()["multilingual-e5-small"]
    assert profile.conversion is not None
    source = open_source(obtain(profile.conversion, wanted.cache, wanted.given, lambda step, done, total: None))
    report = compare(source, profile)
    print(json.dumps(report, indent=2))
    sys.exit(0 if report["passed"] else 1)


def compare(source: Source, profile: Profile) -> dict[str, Any]:
    start = time.perf_counter()
    ours = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(source.pieces))
    peaks = peaks_of(source, sample(profile, sentencepiece_model(source.pieces)))
    built = {variant: onnx_model(source, variant, peaks) for variant in VARIANTS}
    seconds = time.perf_counter() - start

    def ids(texts: Sequence[str], purpose: str) -> list[list[int]]:
        return [[source.pieces.bos, *ours.encode(f"{purpose}: {text}"), source.pieces.eos] for text in texts]

    sentences = [sentence for statements in STATEMENTS.values() for sentence in statements]
    reference = Reference(source)
    expected = reference.embed(ids(sentences, "passage"))
    languages = [language for language, statements in STATEMENTS.items() for _ in statements]
    # The conversion looked at the first few of each language; the rest are judges it has not seen.
    judges = np.array([place >= SAMPLED for statements in STATEMENTS.values() for place in range(len(statements))])
    variants: dict[str, dict[str, Any]] = {}
    for variant, model in built.items():
        session = onnxruntime.InferenceSession(model)
        got = np.concatenate([run(session, [one]) for one in ids(sentences, "passage")])
        batch = run(session, ids(sentences, "passage"))
        cosines, batched = (got * expected).sum(axis=1), (batch * expected).sum(axis=1)
        variants[variant] = {
            "megabytes": round(len(model) / 1e6, 1),
            "least_cosine": round(float(cosines.min()), 6),
            "least_cosine_held_out": round(float(cosines[judges].min()), 6),
            "mean_cosine": round(float(cosines.mean()), 6),
            "least_cosine_in_a_batch": round(float(batched.min()), 6),
            "least_by_language": {
                language: round(float(cosines[np.array(languages) == language].min()), 6) for language in STATEMENTS
            },
            "answers_found": round(share_found(partial(found_by, session, ids), list(STATEMENTS)), 3),
        }
    peer = other_tokenizer(source)
    texts = [f"{purpose}: {text}" for purpose in ("query", "passage") for text in (*sentences, *QUESTIONS)]
    equal = sum(ours.encode(text) == peer.encode(text, add_special_tokens=False).ids for text in texts)
    return {
        "sentences": len(sentences),
        "languages": len(STATEMENTS),
        "build_seconds": round(seconds, 2),
        "texts_tokenised_alike": f"{equal} of {len(texts)}",
        "held_out_sentences": int(judges.sum()),
        "variants": variants,
        "passed": equal == len(texts) and all(
            variants[name]["least_cosine"] >= bar and variants[name]["answers_found"] >= LEAST_SHARE
            for name, bar in BARS.items()
        ),
    }


def found_by(
    session: onnxruntime.InferenceSession, ids: Callable[[Sequence[str], str], list[list[int]]],
    texts: Sequence[str], purpose: str,
) -> Vectors:
    return np.concatenate([run(session, [one]) for one in ids(texts, purpose)])


def run(session: onnxruntime.InferenceSession, batch: list[list[int]]) -> Vectors:
    longest = max(map(len, batch))
    tokens, mask = np.ones((len(batch), longest), np.int64), np.zeros((len(batch), longest), np.int64)
    for row, text in enumerate(batch):
        tokens[row, :len(text)], mask[row, :len(text)] = text, 1
    out: Vectors = session.run(None, {"input_ids": tokens, "attention_mask": mask})[0]
    return out


def other_tokenizer(source: Source) -> tokenizers.Tokenizer:
    pairs = list(zip(source.pieces.texts, source.pieces.scores.tolist(), strict=True))
    made = tokenizers.Tokenizer(models.Unigram(pairs, unk_id=source.pieces.unknown))
    made.normalizer = normalizers.Sequence(
        [normalizers.Precompiled(characters_map()), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    return made


if __name__ == "__main__":
    main()
