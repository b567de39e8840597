"""How much and how long: the bounds within which local embeddings run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes and seconds."""

    least_memory: int = 4 * 1024 ** 3   # bytes the machine must have
    batch_tokens: int = 256             # texts x longest; more is slower and needs hundreds of megabytes
    batch_texts: int = 32
    query_wait: float = 1.0             # a query goes on without vectors after this
    query_hung: float = 10.0            # a job running this long is not coming back
    passage_hung: float = 60.0
    load_hung: float = 180.0
    look_every: float = 2.0
    look_wait: float = 1.0              # health does not wait longer for a disk
    survey_every: float = 15.0          # how often a healthy model is compared with what else is installed
    retry_first: float = 2.0
    retry_most: float = 60.0
    cached_queries: int = 512
