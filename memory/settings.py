"""Every default and limit, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_PORT = 48912


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How one engine runs. Durations are in seconds unless the name says otherwise."""

    data_root: Path

    # spaces
    open_spaces: int = 64               # directories held in memory at once
    database_idle: float = 60.0         # a database closes after this long without use

    # saving views
    save_delay: float = 0.02            # recent.json and the database follow a write after this
    save_idle: float = 2.0              # large views are saved after this long without a write
    segment_bytes: int = 8 * 1024 * 1024

    # recent history
    recent_keep: int = 10               # messages (memo included) left by a compression
    recent_trigger: int = 20            # compress above this many in /process, /renew, /settle
    recent_owe: int = 60                # owe a compression above this many in /cache
    memo_tokens: int = 1000
    summary_wait: float = 3.0           # how long /renew and /settle wait for a model; 0 = no limit

    # idempotency
    resend_window: float = 30 * 60.0    # a keyless batch may be a resend for this long
    keys_kept: int = 10_000
    keys_age: float = 7 * 86_400.0

    # recall
    recall_limit: int = 8
    recall_limit_max: int = 50
    query_vector_wait: float = 0.5      # a question is answered by words alone when its vector takes longer

    # facts of scopes
    facet_caps: Mapping[str, int] = field(default_factory=dict)     # by facet; of those that have another cap here

    # working memory of scopes
    working_enabled: bool = True
    working_llm: bool = False           # a model adds what the rules missed
    working_turns: int = 6              # latest events that are read
    working_items: int = 10             # of each list

    # background work
    background: bool = True             # False: loops are ticked by hand (tests)
    attempts: int = 5                   # the same input failing this often is set aside

    # the two people, when no characters.json names them
    master_name: str | None = None
