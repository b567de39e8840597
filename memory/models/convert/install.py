"""Installing a converted profile: all of it or nothing."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from memory.models.convert.fetch import Progress, digest, obtain
from memory.models.convert.graph import onnx_model
from memory.models.convert.pieces import sentencepiece_model, token_ids
from memory.models.convert.smoothing import peaks_of
from memory.models.convert.source import open_source
from memory.models.hardware import Hardware
from memory.models.installed import MANIFEST, Candidate, Chosen
from memory.models.profiles import ModelUnusable, Profile
from memory.models.runtime import Model, open_model
from memory.models.sentences import QUESTIONS, STATEMENTS

CACHE: Final = ".downloads"     # beside the profiles; its name is no profile's
_ROOM: Final = 100_000_000      # bytes a converted variant takes at most
SAMPLED: Final = 2             # statements per language that the conversion looks at; the rest can judge it
_ANY_MACHINE: Final = Hardware(memory=None, fast_int8=None)


def install(
    profile: Profile,
    directory: Path,
    *,
    variants: Sequence[str],
    given: Path | None,
    keep_download: bool,
    progress: Progress,
) -> None:
    """Put the profile with these variants into ``directory``, replacing what was there.

    Until the last step, which renames, the directory is untouched; a run that was interrupted leaves verified downloads
    that the next one uses. Raises ModelUnusable or OSError.
    """
    if profile.conversion is None:
        raise ModelUnusable("cannot be installed", f"{profile.name} is not a profile this command converts")
    cache = directory.parent / CACHE
    cache.mkdir(parents=True, exist_ok=True)
    _check_room(profile, directory.parent, len(variants), downloaded=given is not None)
    weights = obtain(profile.conversion, cache, given, progress)
    with _staging(directory) as stage:
        _convert(profile, weights, stage, variants, progress)
        _write_manifest(profile, stage, variants)
        if (directory / "profile.json").is_file():
            shutil.copyfile(directory / "profile.json", stage / "profile.json")
        for number, variant in enumerate(variants, start=1):
            progress("trying the model", number - 1, len(variants))
            open_staged(profile, stage, variant)
            progress("trying the model", number, len(variants))
        _swap(stage, directory)
    if not keep_download:
        shutil.rmtree(cache, ignore_errors=True)


def open_staged(profile: Profile, directory: Path, variant: str) -> Model:
    """Open one variant of a profile that lies complete in ``directory``."""
    names = (profile.tokenizer, *profile.variants.values())
    files = {name: directory / name for name in names if (directory / name).is_file()}
    candidate = Candidate(
        profile=profile, place="data root", directory=directory, files=files, checksums={}, missing=(), managed=True
    )
    return open_model(Chosen(candidate=candidate, variant=variant, dimension=profile.width(_ANY_MACHINE)))


def _convert(profile: Profile, weights: Path, stage: Path, variants: Sequence[str], progress: Progress) -> None:
    source = open_source(weights)
    steps = len(variants) + 1
    progress("converting", 0, steps)
    tokenizer = sentencepiece_model(source.pieces)
    _write(stage / profile.tokenizer, tokenizer)
    peaks = peaks_of(source, sample(profile, tokenizer))
    for number, variant in enumerate(variants, start=1):
        progress("converting", number, steps)
        _write(stage / profile.variants[variant], onnx_model(source, variant, peaks))
    progress("converting", steps, steps)


def sample(profile: Profile, tokenizer: bytes) -> list[list[int]]:
    """A few texts in every language, as token ids, to see how large activations get."""
    texts = [profile.passage_prefix + text for statements in STATEMENTS.values() for text in statements[:SAMPLED]]
    return token_ids(tokenizer, [*texts, *(profile.query_prefix + text for text in QUESTIONS[:SAMPLED])])


def _write_manifest(profile: Profile, stage: Path, variants: Sequence[str]) -> None:
    names = (profile.tokenizer, *(profile.variants[variant] for variant in variants))
    files = {name: {"size": (stage / name).stat().st_size, "sha256": digest(stage / name)} for name in names}
    conversion = profile.conversion
    assert conversion is not None
    manifest = {
        "profile": profile.name,
        "licence": profile.licence,
        "source": {"package": conversion.package, "version": conversion.version, "sha256": conversion.member_sha256},
        "files": files,
    }
    _write(stage / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode("utf-8"))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _staging(directory: Path) -> Iterator[Path]:
    # The leading dot keeps a half-made model from being found; the process id keeps two runs apart.
    stage = directory.parent / f".{directory.name}.{os.getpid()}"
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    try:
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _swap(stage: Path, directory: Path) -> None:
    old = stage.with_name(stage.name + ".old")
    if directory.exists():
        os.replace(directory, old)
    os.replace(stage, directory)
    shutil.rmtree(old, ignore_errors=True)


def _check_room(profile: Profile, directory: Path, variants: int, *, downloaded: bool) -> None:
    conversion = profile.conversion
    assert conversion is not None
    needed = variants * _ROOM + conversion.member_size + (0 if downloaded else 2 * conversion.wheel_size)
    free = shutil.disk_usage(directory).free
    if free < needed:
        raise ModelUnusable("not enough disk space", f"{needed // 10**6} MB needed, {free // 10**6} MB free")
