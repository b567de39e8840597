"""Which embedding models are on this machine, complete or not, and which one to use.

A profile's files come from an installed package, from ``models install``, or from an operator who puts them in place::

    <profile>/profile.json            optional where the program knows the profile
    <profile>/tokenizer.json          or what the profile names
    <profile>/onnx/model_quantized.onnx  (+ .onnx_data)     int8
    <profile>/onnx/model.onnx            (+ .onnx_data)     fp32

Nothing here imports a model library or the packages that carry weights.
"""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from memory.models.hardware import Hardware
from memory.models.profiles import AUTO, NAME, OFF, ModelUnusable, Profile, inside, read_profile

OPERATOR_PROFILE: Final = "local-text-retrieval-v1"     # what a directory without a profile.json is taken to be
MANIFEST: Final = "installed.json"
PROGRAM_MODELS: Final = Path(__file__).resolve().parents[2] / "data" / "embedding_models"

Place = Literal["data root", "program", "package"]
Stamp = tuple[tuple[str, int, int, int], ...]   # name, time, size and inode per file

_GIB: Final = 1024 ** 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A profile with the places of its files, complete or not."""

    profile: Profile
    place: Place
    directory: Path | None              # None when the files are in packages
    files: Mapping[str, Path]           # tokenizer and every variant's model that exists, by relative name
    checksums: Mapping[str, tuple[int, str]]    # relative name -> size, sha256, where known
    missing: tuple[str, ...]            # what keeps it from being complete; empty when it can be used
    managed: bool                       # put there by ``models install`` or a package

    @property
    def variants(self) -> tuple[str, ...]:
        """The quantisations whose model file is there, preferred first."""
        return tuple(variant for variant, name in self.profile.variants.items() if name in self.files)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(part.stat().st_size for path in self.files.values() for part in (path, *side_files(path)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The model to load."""

    candidate: Candidate
    variant: str
    dimension: int

    @property
    def profile(self) -> Profile:
        return self.candidate.profile

    @property
    def fingerprint(self) -> str:
        """Names the vector space; stored with every cached vector."""
        return f"{self.profile.name}-{self.dimension}d-{self.variant}-mlen{self.profile.max_tokens}"

    @property
    def model_name(self) -> str:
        return self.profile.variants[self.variant]

    @property
    def model(self) -> Path:
        return self.candidate.files[self.model_name]

    @property
    def tokenizer(self) -> Path:
        return self.candidate.files[self.profile.tokenizer]

    def stamp(self) -> Stamp:
        """Changes whenever a file in use is touched. Raises OSError when one is gone."""
        stats = ((path, path.stat()) for path in (self.tokenizer, self.model, *side_files(self.model)))
        return tuple((path.name, stat.st_mtime_ns, stat.st_size, stat.st_ino) for path, stat in stats)


def side_files(model: Path) -> tuple[Path, ...]:
    """The files beside a model that hold its weights, in order."""
    return tuple(sorted(model.parent.glob(f"{model.name}_data*")))


def model_directories(data_root: Path | None) -> tuple[tuple[Place, Path], ...]:
    """Where profiles are looked for, the strongest first."""
    own: tuple[tuple[Place, Path], ...] = ()
    if data_root is not None:
        own = (("data root", data_root / "data" / "embedding_models"), ("data root", data_root / "embedding_models"))
    return (*own, ("program", PROGRAM_MODELS))


def install_directory(data_root: Path, profile: str) -> Path:
    """Where ``models install`` puts a profile."""
    return data_root / "data" / "embedding_models" / profile


def known_profiles(data_root: Path | None = None) -> dict[str, Profile]:
    """Every profile that describes itself, by name; the data root's description wins over the program's."""
    profiles: dict[str, Profile] = {}
    for _, directory in model_directories(data_root):
        for place in _subdirectories(directory):
            if place.name not in profiles and (place / "profile.json").is_file():
                try:
                    profiles[place.name] = read_profile(place / "profile.json")
                except ModelUnusable:
                    continue    # find_models reports it with its reason
    return profiles


def find_models(data_root: Path | None = None) -> list[Candidate]:
    """Every profile of which at least some files are there, complete ones and others. Reads the disk."""
    known = known_profiles(data_root)
    found: list[Candidate] = []
    for place, directory in model_directories(data_root):
        for folder in _subdirectories(directory):
            candidate = _in_directory(folder, place, known)
            if candidate is not None and (candidate.files or candidate.managed):
                found.append(candidate)
    for profile in known.values():
        candidate = _in_packages(profile)
        if candidate is not None:
            found.append(candidate)
    return found


def choose(
    candidates: Sequence[Candidate], wish: str, hardware: Hardware, *, quantisation: str = AUTO, least_memory: int
) -> Chosen:
    """The model to use for ``wish``: ``auto``, ``off`` or a profile's name.

    Raises ModelUnusable with the reason when there is none. An incomplete copy gives way to a complete one of the same
    profile; but an incomplete installation never gives way to another profile, because that would re-embed everything
    and again after the repair.
    """
    if wish == OFF:
        raise ModelUnusable("switched off")
    if hardware.memory is None or hardware.memory < least_memory:
        have = "unknown" if hardware.memory is None else f"{hardware.memory / _GIB:.1f} GiB"
        raise ModelUnusable("not enough memory", f"{have}, needed {least_memory / _GIB:.1f} GiB")
    pool = [one for one in candidates if wish in (AUTO, one.profile.name)]
    usable = [one for one in pool if not one.missing or one.managed]
    if not usable:
        if pool:
            raise ModelUnusable("model file missing", ", ".join(pool[0].missing))
        if wish == AUTO:
            raise ModelUnusable("no model installed")
        raise ModelUnusable("model not installed", wish)
    best = max(usable, key=lambda one: one.profile.rank).profile.name
    of_best = [one for one in usable if one.profile.name == best]
    candidate = next((one for one in of_best if not one.missing), of_best[0])
    if candidate.missing:
        raise ModelUnusable("model file missing", ", ".join(candidate.missing))
    return Chosen(
        candidate=candidate,
        variant=_variant(candidate, quantisation, hardware),
        dimension=candidate.profile.width(hardware),
    )


def _variant(candidate: Candidate, quantisation: str, hardware: Hardware) -> str:
    if quantisation != AUTO:
        if quantisation not in candidate.variants:
            raise ModelUnusable("model file missing", f"{candidate.profile.name} has no {quantisation} variant here")
        return quantisation
    variant = candidate.variants[0]
    if variant == "int8" and hardware.fast_int8 is False:
        raise ModelUnusable("no fast int8 path", "this processor has neither AVX2 nor dot products")
    return variant


def _subdirectories(directory: Path) -> Iterator[Path]:
    try:
        entries = sorted(directory.iterdir())
    except OSError:
        return
    for entry in entries:
        if NAME.fullmatch(entry.name) and entry.is_dir():
            yield entry


def _in_directory(folder: Path, place: Place, known: Mapping[str, Profile]) -> Candidate | None:
    profile = known.get(folder.name)
    if profile is None:
        if OPERATOR_PROFILE not in known or (folder / "profile.json").is_file():
            return None
        profile = replace(known[OPERATOR_PROFILE], name=folder.name, title=folder.name, licence="unknown")
    manifest = _manifest(folder / MANIFEST)
    if manifest is not None:
        # Only what was installed counts: a variant that was not asked for is not missing.
        wanted = {variant: file for variant, file in profile.variants.items() if file in manifest}
        profile = replace(profile, variants=wanted or profile.variants)
    files = {name: folder / name for name in _file_names(profile) if _has_bytes(folder / name)}
    empty = tuple(side.name for name in files for side in side_files(folder / name) if side.stat().st_size == 0)
    return Candidate(
        profile=profile,
        place=place,
        directory=folder,
        files=files,
        checksums=manifest or {},
        missing=_missing(profile, files, every=manifest is not None) + empty,
        managed=manifest is not None,
    )


def _in_packages(profile: Profile) -> Candidate | None:
    files: dict[str, Path] = {}
    present = False
    for name, part in profile.packaged.items():
        try:
            distribution = importlib.metadata.distribution(part.package)
        except importlib.metadata.PackageNotFoundError:
            continue
        if distribution.version == part.version:
            present = True
            path = Path(str(distribution.locate_file(part.path)))
            if _has_bytes(path):
                files[name] = path
    if not present:
        return None
    return Candidate(
        profile=profile,
        place="package",
        directory=None,
        files=files,
        checksums={name: (part.size, part.sha256) for name, part in profile.packaged.items()},
        missing=_missing(profile, files, every=False),
        managed=True,
    )


def _file_names(profile: Profile) -> tuple[str, ...]:
    return (profile.tokenizer, *profile.variants.values())


def _missing(profile: Profile, files: Mapping[str, Path], *, every: bool) -> tuple[str, ...]:
    lacking = () if profile.tokenizer in files else (profile.tokenizer,)
    models = tuple(name for name in profile.variants.values() if name not in files)
    if every or len(models) == len(profile.variants):
        return lacking + (models if every else models[:1])
    return lacking


def _manifest(path: Path) -> dict[str, tuple[int, str]] | None:
    """What was installed, as size and checksum per file; None when nothing was."""
    try:
        data = json.loads(path.read_text("utf-8"))
        return {inside(name): (int(part["size"]), str(part["sha256"])) for name, part in data["files"].items()}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}       # it was installed; its files will be judged by loading them


def _has_bytes(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size > 0
    except OSError:
        return False
