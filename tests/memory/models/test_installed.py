"""Finding models on disk and choosing among them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.models.hardware import Hardware
from memory.models.installed import Candidate, choose, find_models
from memory.models.profiles import ModelUnusable

GIB = 1024 ** 3
MACHINE = Hardware(memory=16 * GIB, fast_int8=True)


def put(directory: Path, *names: str, content: bytes = b"x") -> None:
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def operator_model(root: Path, name: str = "mine") -> Path:
    directory = root / "data" / "embedding_models" / name
    put(directory, "tokenizer.json", "onnx/model_quantized.onnx", "onnx/model_quantized.onnx_data")
    return directory


def converted(root: Path, *variants: str) -> Path:
    directory = root / "data" / "embedding_models" / "multilingual-e5-small"
    models = {"int8": "onnx/model_quantized.onnx", "q4": "onnx/model_q4.onnx"}
    names = ["tokenizer.model", *(models[variant] for variant in variants)]
    put(directory, *names)
    files = {name: {"size": 1, "sha256": "0"} for name in names}
    (directory / "installed.json").write_text(json.dumps({"files": files}), "utf-8")
    return directory


def by_name(root: Path) -> dict[str, Candidate]:
    return {one.profile.name: one for one in find_models(root)}


def chosen_name(root: Path, wish: str = "auto") -> str:
    return choose(find_models(root), wish, MACHINE, least_memory=4 * GIB).profile.name


def test_a_directory_in_the_operator_s_layout_is_a_model(tmp_path: Path) -> None:
    operator_model(tmp_path)
    found = by_name(tmp_path)["mine"]
    assert (found.missing, found.variants, found.profile.pooling) == ((), ("int8",), "last_token")


def test_its_fingerprint_is_the_published_form(tmp_path: Path) -> None:
    operator_model(tmp_path, "local-text-retrieval-v1")
    chosen = choose(find_models(tmp_path), "auto", MACHINE, least_memory=4 * GIB)
    assert chosen.fingerprint == "local-text-retrieval-v1-256d-int8-mlen1024"


def test_the_shorter_path_under_the_data_root_serves_too(tmp_path: Path) -> None:
    put(tmp_path / "embedding_models" / "mine", "tokenizer.json", "onnx/model.onnx")
    assert by_name(tmp_path)["mine"].variants == ("fp32",)


def test_an_operator_s_model_is_preferred_to_what_the_program_brings(tmp_path: Path) -> None:
    converted(tmp_path, "int8")
    operator_model(tmp_path)
    assert chosen_name(tmp_path) == "mine"


def test_the_multilingual_model_is_preferred_to_the_english_one(tmp_path: Path) -> None:
    converted(tmp_path, "int8")
    assert chosen_name(tmp_path) == "multilingual-e5-small"


def test_an_empty_side_file_makes_a_model_incomplete(tmp_path: Path) -> None:
    directory = operator_model(tmp_path)
    put(directory, "onnx/model_quantized.onnx_data", content=b"")
    assert by_name(tmp_path)["mine"].missing == ("model_quantized.onnx_data",)


@pytest.mark.parametrize("gone", ["tokenizer.json", "onnx/model_quantized.onnx"])
def test_a_model_without_one_of_its_files_is_incomplete(tmp_path: Path, gone: str) -> None:
    (operator_model(tmp_path) / gone).unlink()
    assert by_name(tmp_path)["mine"].missing == (gone,)


def test_an_incomplete_operator_s_model_gives_way(tmp_path: Path) -> None:
    converted(tmp_path, "int8")
    (operator_model(tmp_path) / "tokenizer.json").unlink()
    assert chosen_name(tmp_path) == "multilingual-e5-small"


def test_a_damaged_installation_does_not_give_way_to_another_profile(tmp_path: Path) -> None:
    (converted(tmp_path, "int8") / "onnx/model_quantized.onnx").unlink()
    with pytest.raises(ModelUnusable, match=r"model file missing: onnx/model_quantized\.onnx"):
        chosen_name(tmp_path)


def test_a_variant_that_was_not_installed_is_not_missed(tmp_path: Path) -> None:
    converted(tmp_path, "q4")
    found = by_name(tmp_path)["multilingual-e5-small"]
    assert (found.missing, found.variants) == ((), ("q4",))


def test_a_wanted_quantisation_is_taken(tmp_path: Path) -> None:
    converted(tmp_path, "int8", "q4")
    chosen = choose(find_models(tmp_path), "auto", MACHINE, quantisation="q4", least_memory=0)
    assert chosen.fingerprint == "multilingual-e5-small-384d-q4-mlen512"


def test_a_quantisation_that_is_not_there_is_no_model(tmp_path: Path) -> None:
    converted(tmp_path, "int8")
    with pytest.raises(ModelUnusable, match="no fp32 variant"):
        choose(find_models(tmp_path), "multilingual-e5-small", MACHINE, quantisation="fp32", least_memory=0)


@pytest.mark.parametrize(
    ("wish", "machine", "reason"),
    [
        ("off", MACHINE, "switched off"),
        ("auto", Hardware(memory=2 * GIB, fast_int8=True), "not enough memory: 2.0 GiB, needed 4.0 GiB"),
        ("auto", Hardware(memory=None, fast_int8=True), "not enough memory: unknown"),
        ("mine", Hardware(memory=8 * GIB, fast_int8=False), "no fast int8 path"),
        ("another", MACHINE, "model not installed: another"),
    ],
)
def test_a_model_that_cannot_be_used_says_why(tmp_path: Path, wish: str, machine: Hardware, reason: str) -> None:
    operator_model(tmp_path)
    with pytest.raises(ModelUnusable, match=reason):
        choose(find_models(tmp_path), wish, machine, least_memory=4 * GIB)


def test_int8_that_is_asked_for_runs_without_a_fast_path(tmp_path: Path) -> None:
    operator_model(tmp_path)
    slow = Hardware(memory=8 * GIB, fast_int8=False)
    assert choose(find_models(tmp_path), "mine", slow, quantisation="int8", least_memory=0).variant == "int8"


def test_an_unknown_processor_is_given_the_benefit_of_the_doubt(tmp_path: Path) -> None:
    operator_model(tmp_path)
    unsure = Hardware(memory=8 * GIB, fast_int8=None)
    assert choose(find_models(tmp_path), "mine", unsure, least_memory=0).variant == "int8"


def test_nothing_installed_is_said_plainly() -> None:
    with pytest.raises(ModelUnusable, match=r"^no model installed$"):
        choose([], "auto", MACHINE, least_memory=0)


def test_a_bad_profile_file_hides_only_its_own_directory(tmp_path: Path) -> None:
    converted(tmp_path, "int8")
    put(operator_model(tmp_path), "profile.json", content=b"{")
    assert chosen_name(tmp_path) == "multilingual-e5-small"


def test_touching_a_file_changes_the_stamp(tmp_path: Path) -> None:
    directory = operator_model(tmp_path)
    chosen = choose(find_models(tmp_path), "mine", MACHINE, least_memory=0)
    before = chosen.stamp()
    put(directory, "onnx/model_quantized.onnx_data", content=b"other")
    assert chosen.stamp() != before
