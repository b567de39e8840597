"""Texts to token ids, by the library each model's vocabulary was made for.

The libraries are imported when a model is opened, in the thread that opens it: a server without them, or without a
model, must neither need nor load them, and each model needs only one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from memory.models.profiles import ModelUnusable, Profile

_CHARACTERS_PER_TOKEN: Final = 16   # no piece of either vocabulary is longer, so what is cut could not have counted


class Tokens:
    """An opened tokenizer. Safe to use from several threads."""

    def __init__(self, encode: Callable[[str], list[int]], *, pad: int, profile: Profile) -> None:
        self.pad = pad
        self._encode = encode
        self._prefixes = {"query": profile.query_prefix, "passage": profile.passage_prefix}
        self._characters = profile.max_tokens * _CHARACTERS_PER_TOKEN

    def of(self, text: str, purpose: str) -> list[int]:
        """Ids with the special tokens the model expects, at most its longest input."""
        whole = self._prefixes[purpose] + text[:self._characters]
        # Lone surrogates have no UTF-8 form and would make the libraries raise.
        return self._encode(whole.encode("utf-8", "replace").decode("utf-8"))


def open_tokens(profile: Profile, path: Path) -> Tokens:
    """Raises ModelUnusable when the library is absent or the file is not for it."""
    opened = _open_sentencepiece if profile.tokenizer_kind == "sentencepiece" else _open_tokenizers
    try:
        return opened(profile, path)
    except ModelUnusable:
        raise
    except Exception as error:      # both libraries raise bare Exceptions of their own
        raise ModelUnusable("tokenizer damaged", f"{path.name} ({type(error).__name__})") from error


def library(name: str) -> Any:
    """An optional library. Raises ModelUnusable when it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ModelUnusable("library missing", f"{name} is not installed; install the extra 'embeddings'") from error


def _open_tokenizers(profile: Profile, path: Path) -> Tokens:
    tokenizer = library("tokenizers").Tokenizer.from_file(str(path))
    pad = (tokenizer.padding or {}).get("pad_id")
    if pad is None:
        pad = next((found for name in ("[PAD]", "<pad>") if (found := tokenizer.token_to_id(name)) is not None), 0)
    # Files made for training pad every text to a fixed length; that would cost ten times the arithmetic.
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=profile.max_tokens)
    # "[SEP]" or "</s>" written by a person is text.
    tokenizer.encode_special_tokens = True

    def encode(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text).ids
        return ids

    return Tokens(encode, pad=pad, profile=profile)


def _open_sentencepiece(profile: Profile, path: Path) -> Tokens:
    model = library("sentencepiece").SentencePieceProcessor(model_file=str(path))
    bos, eos, room = model.bos_id(), model.eos_id(), profile.max_tokens - 2

    def encode(text: str) -> list[int]:
        ids: list[int] = model.encode(text)
        return [bos, *ids[:room], eos]

    return Tokens(encode, pad=max(model.pad_id(), 0), profile=profile)
