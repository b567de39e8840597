"""File and directory names: the only module that knows them.

``<root>/memory/<character>/…`` holds a character, ``<root>/memory/@scopes/<slug>-<hash>/…`` any
other scope. ``@`` cannot occur in a character's name, so the two never meet.
"""

from __future__ import annotations

from pathlib import Path

LAYOUT_VERSION = 1

MEMORY = "memory"
SCOPES = "@scopes"
CONFIG = "config"
STATE = "state"
CHARACTERS = "characters.json"               # the companion's: see cast
CORE_CONFIG = "core_config.json"
STORAGE_POLICY = "storage_policy.json"        # the companion's, like the next: see work/gate
ROOT_STATE = "root_state.json"
SETTINGS = "settings.json"                   # a companion's, older than the persona
ROOT_STAMP = "memory-root.json"
LOCK = ".memory-server.lock"
TOMBSTONES = "closed_names.json"
CATALOGUE = "catalogue.db"
LOGS = "logs"
DATA = "data"
OBSERVATIONS = "workflow-observations"       # in DATA, like the next
QUERIES = "query-log"

EVENTS = "events.ndjson"
EVENTS_APPLIED = "events_applied.json"
OUTBOX = "outbox.ndjson"
DEAD_LETTERS = "dead_letters.ndjson"
VIEWS = "views.json"
CURSORS = "cursors.json"
RECENT = "recent.json"
RECENT_META = "recent_meta.json"
TURNS = "time_indexed.db"
FACTS = "facts.json"
FACTS_ARCHIVE = "facts_archive.json"
MEMORIES_INDEX = "recall_memories.bin"
TURNS_INDEX = "recall_turns.bin"
MEMORIES_VECTORS = "vectors_memories.bin"
PERSONA_VECTORS = "vectors_persona.bin"
TURNS_VECTORS = "vectors_turns.bin"
# What only saves computing: made again when it is missing.
CACHES = frozenset({MEMORIES_INDEX, TURNS_INDEX, MEMORIES_VECTORS, PERSONA_VECTORS, TURNS_VECTORS})
KEYS = "request_keys.json"
PENDING_DEDUP = "facts_pending_dedup.json"
REFLECTIONS = "reflections.json"
REFLECTION_ARCHIVE = "reflection_archive"
SURFACED = "surfaced.json"
SYNTHESIS_BACKOFF = "synth_backoff.json"
PERSONA = "persona.json"
PERSONA_CORRECTIONS = "persona_corrections.json"
PERSONA_ARCHIVE = "persona_archive"
FORGOTTEN = "forgotten.json"
FACT_VERSIONS = "fact_versions.json"
CONFLICTS = "conflicts.json"
CHECKPOINTS = "checkpoints.json"
SCOPE = "scope.json"
SCOPE_CARD = "scope_card.json"
FACTS_RETIRED = "facts_retired.json"
TURNS_WITHHELD = "turns_withheld.json"
EVENT_NOTES = "event_notes.json"
HANDOFFS = "handoffs.json"
REMINDERS = "reminders.json"
DIGESTS = "digests.json"
DIGEST_JOBS = "digest_jobs.json"
ANSWERED = "answered.json"
ACCOUNTS = "accounts.json"
ERRANDS = "errands.json"
WORKING_STATE = "working_state.json"
MODEL_TRIES = "model_tries.json"
MODEL_USAGE = "model_usage.json"             # in the root
IDLE_STATE = "idle_maintenance_state.json"   # the companion's, in the root: what it last reviewed of each character

WEBHOOKS = "webhooks.toml"                   # in CONFIG, like the next
WEBHOOK_SECRET = "webhook_secret"            # noqa: S105 - the name of a file
TOOL_USAGE = "mcp-usage-log"                 # in the root: what an agent's tools write down of their use

TEMPORARY = ".tmp"


def memory_directory(root: Path) -> Path:
    """Where the characters and scopes of a data root lie."""
    return root / MEMORY


def character_directory(root: Path, name: str) -> Path:
    """The directory of a character whose name was already checked.

    Raises ValueError for anything that is not one plain path component.
    """
    if not name or name in (".", "..") or "/" in name or "\\" in name or "\0" in name or name.startswith("@"):
        raise ValueError("not a single path component")
    return root / MEMORY / name


def scopes_directory(root: Path) -> Path:
    """Where the directories of scopes lie."""
    return root / MEMORY / SCOPES


def space_directory(root: Path, name: str) -> Path:
    """The directory of a space: a character's, or with ``@`` before it the directory of a scope.

    Raises ValueError for anything that is not one plain path component.
    """
    if not name.startswith("@"):
        return character_directory(root, name)
    plain = name[1:]
    if not plain or not plain.isascii() or not plain.replace("-", "").isalnum():
        raise ValueError("not the name of a scope's directory")
    return scopes_directory(root) / plain


def observations_directory(root: Path) -> Path:
    """The journal of what workflows did."""
    return root / DATA / OBSERVATIONS


def queries_directory(root: Path) -> Path:
    """What was asked and how well it was answered."""
    return root / DATA / QUERIES


def segment_name(first_seq: int) -> str:
    """The name of a rotated journal segment that begins at ``first_seq``."""
    return f"events-{first_seq:012d}.ndjson"


def segments(directory: Path) -> list[tuple[int, Path]]:
    """Rotated journal segments, oldest first, each with its first seq."""
    found: list[tuple[int, Path]] = []
    for path in directory.glob("events-*.ndjson"):
        number = path.name[len("events-") : -len(".ndjson")]
        if number.isdigit():
            found.append((int(number), path))
    return sorted(found)
