"""What a server is started with, from flags and the environment. Imports little: it runs before anything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from memory.settings import DEFAULT_PORT

PORT_VARIABLES = ("NEKO_MEMORY_SERVER_PORT", "MEMORY_SERVER_PORT")
ROOT_VARIABLE = "MEMORY_DATA_ROOT"
MASTER_VARIABLE = "MEMORY_MASTER_NAME"
PROFILE_VARIABLE = "MEMORY_EMBEDDING_PROFILE"
INSTANCE_VARIABLE = "NEKO_INSTANCE_ID"
LOCAL_TOKEN_VARIABLE = "LOCAL_USER_TOKEN"  # noqa: S105 - the name of a variable, and no token
FEATURE_VARIABLE = "FEATURE_LLM"
BODY_VARIABLE = "MAX_REQUEST_BODY_BYTES"
WORKING_VARIABLE = "WORKING_MEMORY_ENABLED"
WORKING_LLM_VARIABLE = "WORKING_MEMORY_USE_LLM"
WORKING_TURNS_VARIABLE = "WORKING_MEMORY_MAX_RECENT_TURNS"
WORKING_ITEMS_VARIABLE = "WORKING_MEMORY_MAX_ITEMS_PER_FIELD"
CAPS_VARIABLE = "DIGEST_FACET_CAPS"

# Of these the first that says something names the scope of RecallNest requests that name none.
SCOPE_VARIABLES = ("RECALLNEST_DEFAULT_SCOPE", "RECALLNEST_SCOPE", "RECALLNEST_PROJECT_SCOPE")
SESSION_VARIABLE = "RECALLNEST_SESSION_ID"
SOURCE_VARIABLE = "RECALLNEST_ANY_SOURCE"

# Clients that cannot be told another port look here.
DEFAULT_ALSO_LISTEN = (4318,)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateCoreOptions:
    """What StateCore's clients may expect of a server."""

    local_token: str = "local-dev-user"      # noqa: S105 - no secret; the x-user-id of whoever the characters belong to
    feature_llm: bool | None = None          # operations with a model; None: on where one is configured
    body_limit: int = 1024 * 1024            # bytes
    working_enabled: bool = True             # working memory follows what is said
    working_llm: bool = False                # … and a model adds what the rules missed
    working_turns: int = 6                   # latest events that it is told from
    working_items: int = 10                  # of each of its lists
    facet_caps: Mapping[str, int] = field(default_factory=dict)     # of facets that hold another number of facts here


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallNestOptions:
    """What RecallNest's clients may leave out or write."""

    default_scope: str | None = None         # of requests that name none
    any_source: bool = False                 # whether a write may call its source anything


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """How one server runs."""

    port: int                                # 1..65535, on 127.0.0.1
    data_root: Path                          # absolute; need not exist yet
    also_listen: tuple[int, ...] = ()        # more ports for the same app; a taken one is a warning
    enable_shutdown: bool = False            # whether POST /shutdown ends the process
    master_name: str | None = None           # the human's name where characters.json has none
    embedding_profile: str = "auto"          # auto, off, or the name of a profile
    instance_id: str | None = None           # shown in /health; None: made up at start
    statecore: StateCoreOptions = StateCoreOptions()
    recallnest: RecallNestOptions = RecallNestOptions()


def resolve_port(flag: int | None, environment: Mapping[str, str]) -> int:
    """The port to serve on: the flag, else the first variable that holds a usable one, else the default."""
    if flag is not None:
        return flag
    candidates = (_port(environment.get(name, "")) for name in PORT_VARIABLES)
    return next((port for port in candidates if port is not None), DEFAULT_PORT)


def resolve_statecore(environment: Mapping[str, str]) -> StateCoreOptions:
    """What the environment says; ``true`` alone turns the feature on, anything else off."""
    usual = StateCoreOptions()

    def said(name: str) -> str:
        return environment.get(name, "").strip()

    def number(name: str, usually: int, digits: int) -> int:
        text = said(name)
        return int(text) if text.isascii() and text.isdigit() and len(text) <= digits and int(text) else usually

    return StateCoreOptions(
        local_token=said(LOCAL_TOKEN_VARIABLE) or usual.local_token,
        feature_llm=said(FEATURE_VARIABLE) == "true" if said(FEATURE_VARIABLE) else None,
        body_limit=number(BODY_VARIABLE, usual.body_limit, 9),
        working_enabled=said(WORKING_VARIABLE) == "true" if said(WORKING_VARIABLE) else usual.working_enabled,
        working_llm=said(WORKING_LLM_VARIABLE) == "true",
        working_turns=number(WORKING_TURNS_VARIABLE, usual.working_turns, 2),
        working_items=number(WORKING_ITEMS_VARIABLE, usual.working_items, 2),
        facet_caps=_caps(said(CAPS_VARIABLE)),
    )


def _caps(text: str) -> dict[str, int]:
    """Numbers of facts from ``identity=60,notes=100``; a part that names none is passed over."""
    parts = (part.partition("=") for part in text.split(","))
    found = {name.strip(): count.strip() for name, _, count in parts}
    return {
        name: int(count)
        for name, count in found.items()
        if name and count.isascii() and count.isdigit() and len(count) < 6 and int(count)
    }


def resolve_recallnest(environment: Mapping[str, str]) -> RecallNestOptions:
    """What the environment says."""
    named = (environment.get(name, "").strip() for name in SCOPE_VARIABLES)
    session = environment.get(SESSION_VARIABLE, "").strip()
    scope = next((name for name in named if name), f"session:{session}" if session else None)
    return RecallNestOptions(
        default_scope=scope, any_source=environment.get(SOURCE_VARIABLE, "").strip().lower() in ("1", "true", "yes")
    )


def default_data_root() -> Path:
    """Where the platform keeps what programs keep for this user."""
    return platformdirs.user_data_path("companion-memory", appauthor=False)


def resolve_data_root(
    flag: Path | None, environment: Mapping[str, str], default: Callable[[], Path] = default_data_root
) -> Path:
    """The data root, absolute: the flag, else the variable, else what ``default`` says."""
    named = flag or (Path(value) if (value := environment.get(ROOT_VARIABLE, "").strip()) else None)
    return (named or default()).expanduser().absolute()


def read_ports(text: str) -> tuple[int, ...]:
    """Ports from ``4318,3000``; ``none`` is no port. Raises ValueError naming what is not one."""
    if text.strip().lower() == "none":
        return ()
    ports: list[int] = []
    for part in text.split(","):
        port = _port(part)
        if port is None:
            raise ValueError(f"{part.strip()!r} is not a port from 1 to 65535; give ports joined by commas, or none")
        if port not in ports:
            ports.append(port)
    return tuple(ports)


def _port(text: str) -> int | None:
    text = text.strip()
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:6]) <= 65535:
        return None
    return int(text)
