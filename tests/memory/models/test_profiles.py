"""Profiles as they describe themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory.models.hardware import Hardware
from memory.models.installed import PROGRAM_MODELS, known_profiles
from memory.models.profiles import ModelUnusable, read_profile

GIB = 1024 ** 3

GOOD: dict[str, Any] = {
    "languages": ["en"], "dimension": 8, "max_tokens": 16,
    "tokenizer": {"kind": "tokenizers", "file": "tokenizer.json"},
    "variants": {"int8": "onnx/model_quantized.onnx"},
    "thresholds": {"recall": 0.3, "cluster": 0.8, "duplicate": 0.9},
}


def written(directory: Path, **changes: Any) -> Path:
    path = directory / "mine" / "profile.json"
    path.parent.mkdir()
    path.write_text(json.dumps({**GOOD, **changes}), "utf-8")
    return path


def test_every_profile_of_the_program_can_be_read() -> None:
    names = {path.parent.name for path in PROGRAM_MODELS.glob("*/profile.json")}
    assert set(known_profiles()) == names >= {"minilm-l6-en", "multilingual-e5-small", "local-text-retrieval-v1"}


def test_a_profile_takes_its_directory_s_name(tmp_path: Path) -> None:
    assert read_profile(written(tmp_path)).name == "mine"


@pytest.mark.parametrize(
    "changes",
    [
        {"profile": "../up"},
        {"dimension": "auto"},
        {"pooling": "guess"},
        {"languages": None},
        {"tokenizer": {"kind": "by hand", "file": "t"}},
        {"tokenizer": {"kind": "tokenizers", "file": "../../secret"}},
        {"variants": {"int8": "/etc/passwd"}},
        {"variants": {"int8": "c:\\model.onnx"}},
        {"thresholds": {}},
        {"source": {"conversion": {"package": "x"}}},
    ],
)
def test_a_profile_that_makes_no_sense_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(ModelUnusable, match="bad profile"):
        read_profile(written(tmp_path, **changes))


def test_what_is_no_json_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(b"\xff{")
    with pytest.raises(ModelUnusable, match="bad profile"):
        read_profile(path)


@pytest.mark.parametrize(
    ("memory", "dimension"), [(4 * GIB, 64), (8 * GIB, 128), (16 * GIB, 256), (64 * GIB, 256), (None, 64)]
)
def test_an_automatic_dimension_follows_the_memory(memory: int | None, dimension: int) -> None:
    profile = known_profiles()["local-text-retrieval-v1"]
    assert profile.width(Hardware(memory=memory, fast_int8=True)) == dimension


@pytest.mark.parametrize(("language", "known"), [("en", True), ("en-GB", True), ("EN_us", True), ("zh", False)])
def test_english_is_all_that_minilm_reads(language: str, known: bool) -> None:
    assert known_profiles()["minilm-l6-en"].supports(language) is known


def test_an_operator_s_model_is_trusted_with_every_language() -> None:
    assert known_profiles()["local-text-retrieval-v1"].supports("zu")
