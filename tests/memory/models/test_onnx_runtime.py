"""Real inference with a tiny model: pooling, cutting, damage."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory.models.installed import Chosen, find_models
from memory.models.profiles import ModelUnusable
from memory.models.runtime import Model, open_model
from tests.memory.models.tiny_models import WORDS, word_vectors, write_model, write_operator_model

CLS, SEP, THE, CAT = WORDS.index("[CLS]"), WORDS.index("[SEP]"), WORDS.index("the"), WORDS.index("cat")


def chosen(root: Path, *, width: int = 32, external: bool = False, dimension: int = 32, **changes: Any) -> Chosen:
    write_operator_model(root / "data" / "embedding_models" / "tiny", width=width, external=external)
    candidate = next(one for one in find_models(root) if one.profile.name == "tiny")
    candidate = replace(candidate, profile=replace(candidate.profile, **changes))
    return Chosen(candidate=candidate, variant="int8", dimension=dimension)


def embedded(model: Model, *texts: str) -> Any:
    return model.vectors(model.tokens(texts, "passage"))


def unit(vector: Any) -> Any:
    return vector / np.linalg.norm(vector)


def test_last_token_pooling_takes_the_end_of_each_text_not_of_the_batch(tmp_path: Path) -> None:
    model = open_model(chosen(tmp_path))
    short, long = embedded(model, "the", "the cat eats a fish")
    assert short == pytest.approx(unit(word_vectors(32)[SEP]), abs=1e-6)
    assert long == pytest.approx(short, abs=1e-6)


def test_first_token_pooling_takes_the_start(tmp_path: Path) -> None:
    model = open_model(chosen(tmp_path, pooling="first_token"))
    assert embedded(model, "the cat")[0] == pytest.approx(unit(word_vectors(32)[CLS]), abs=1e-6)


def test_mean_pooling_leaves_padding_out(tmp_path: Path) -> None:
    model = open_model(chosen(tmp_path, pooling="mean"))
    expected = unit(word_vectors(32)[[CLS, THE, CAT, SEP]].mean(axis=0))
    assert embedded(model, "the cat", "the cat eats a fish")[0] == pytest.approx(expected, abs=1e-6)


def test_a_long_vector_is_cut_and_made_a_unit_again(tmp_path: Path) -> None:
    model = open_model(chosen(tmp_path, width=64, dimension=32))
    assert embedded(model, "cat")[0] == pytest.approx(unit(word_vectors(64)[SEP][:32]), abs=1e-6)


def test_a_model_of_another_dimension_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match="wrong dimension: the model gives 16, the profile says 32"):
        open_model(chosen(tmp_path, width=16))


def test_a_model_wider_than_its_profile_is_refused_when_it_may_not_be_cut(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match="wrong dimension"):
        open_model(chosen(tmp_path, width=64, dimensions=()))


def test_prefixes_tell_queries_from_passages(tmp_path: Path) -> None:
    model = open_model(chosen(tmp_path, query_prefix="the ", passage_prefix="a "))
    query, passage = model.tokens(["cat"], "query")[0], model.tokens(["cat"], "passage")[0]
    assert [WORDS[at] for at in query] == ["[CLS]", "the", "cat", "[SEP]"]
    assert [WORDS[at] for at in passage] == ["[CLS]", "a", "cat", "[SEP]"]


def test_a_text_is_cut_to_the_longest_input(tmp_path: Path) -> None:
    model = open_model(chosen(tmp_path, max_tokens=6))
    ids = model.tokens(["cat " * 1000], "passage")[0]
    assert [WORDS[at] for at in ids] == ["[CLS]", "cat", "cat", "cat", "cat", "[SEP]"]


def test_padding_baked_into_a_tokenizer_is_turned_off(tmp_path: Path) -> None:
    assert len(open_model(chosen(tmp_path)).tokens(["cat"], "passage")[0]) == 3


def test_control_words_in_a_text_are_text(tmp_path: Path) -> None:
    ids = open_model(chosen(tmp_path)).tokens(["cat [SEP] dog"], "passage")[0]
    assert ids.count(SEP) == 1


@pytest.mark.parametrize("text", ["", "   ", "\ud800 lone", "\x00", "🐈" * 50])
def test_no_text_is_too_strange(tmp_path: Path, text: str) -> None:
    vectors = embedded(open_model(chosen(tmp_path, pooling="mean")), text)
    assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-6)


def test_weights_beside_the_model_are_read(tmp_path: Path) -> None:
    model = open_model(chosen(tmp_path, external=True))
    assert embedded(model, "cat")[0] == pytest.approx(unit(word_vectors(32)[SEP]), abs=1e-6)


def test_a_model_without_its_side_file_is_refused(tmp_path: Path) -> None:
    one = chosen(tmp_path, external=True)
    one.model.with_name(one.model.name + "_data").unlink()
    with pytest.raises(ModelUnusable, match="cannot load the model"):
        open_model(one)


@pytest.mark.parametrize("name", ["onnx/model_quantized.onnx", "onnx/model_quantized.onnx_data"])
def test_a_truncated_file_is_refused(tmp_path: Path, name: str) -> None:
    one = chosen(tmp_path, external=True)
    path = tmp_path / "data" / "embedding_models" / "tiny" / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ModelUnusable, match="cannot load the model"):
        open_model(one)


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be cut short there")
def test_weights_cut_short_under_a_loaded_model_do_not_kill_the_process(tmp_path: Path) -> None:
    # A mapped file that shrinks raises SIGBUS on the next touch, which nothing in Python can catch.
    write_operator_model(tmp_path / "data" / "embedding_models" / "tiny", width=4096, external=True)
    program = (
        "import os, sys; from pathlib import Path\n"
        "from memory.models.installed import Chosen, find_models\n"
        "from memory.models.runtime import open_model\n"
        "one = next(c for c in find_models(Path(sys.argv[1])) if c.profile.name == 'tiny')\n"
        "model = open_model(Chosen(candidate=one, variant='int8', dimension=768))\n"
        "path = one.files['onnx/model_quantized.onnx']\n"
        "os.truncate(path.with_name(path.name + '_data'), 0)\n"
        "print(model.vectors(model.tokens(['the cat'], 'query')).shape)\n"
    )
    assert in_a_child(program, tmp_path) == "(1, 768)"


@pytest.mark.skipif(sys.platform != "linux", reason="the address space is limited there")
def test_a_model_too_large_for_what_is_free_is_refused_before_it_is_touched(tmp_path: Path) -> None:
    write_operator_model(tmp_path / "data" / "embedding_models" / "tiny")
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from memory.models.installed import Chosen, find_models\n"
        "from memory.models.profiles import ModelUnusable\n"
        "from memory.models.runtime import open_model\n"
        "one = next(c for c in find_models(Path(sys.argv[1])) if c.profile.name == 'tiny')\n"
        "status = Path('/proc/self/status').read_text().split('VmSize:')[1].split()[0]\n"
        "resource.setrlimit(resource.RLIMIT_AS, (int(status) * 1024 + (50 << 20),) * 2)\n"
        "try: open_model(Chosen(candidate=one, variant='int8', dimension=32))\n"
        "except ModelUnusable as problem: print(problem.reason)\n"
    )
    assert in_a_child(program, tmp_path) == "out of memory"


def in_a_child(program: str, root: Path) -> str:
    source = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", program, str(root)], cwd=source, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout.strip()


def test_a_damaged_tokenizer_is_refused(tmp_path: Path) -> None:
    one = chosen(tmp_path)
    one.tokenizer.write_bytes(one.tokenizer.read_bytes()[:100])
    with pytest.raises(ModelUnusable, match="tokenizer damaged"):
        open_model(one)


@pytest.mark.parametrize(
    ("known", "why"),
    [((1, "0"), "has .* bytes of 1"), ((None, "0" * 64), "differs from what was published")],
)
def test_a_file_that_is_not_the_published_one_is_refused(
    tmp_path: Path, known: tuple[int | None, str], why: str
) -> None:
    one = chosen(tmp_path)
    size = known[0] or one.model.stat().st_size
    checked = replace(one.candidate, checksums={one.model_name: (size, known[1])})
    with pytest.raises(ModelUnusable, match=why):
        open_model(replace(one, candidate=checked))


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf")])
def test_a_model_that_gives_no_direction_is_refused(tmp_path: Path, value: float) -> None:
    one = chosen(tmp_path)
    write_model(one.model, width=32, values=value)
    with pytest.raises(ModelUnusable, match="inference error"):
        open_model(one)
