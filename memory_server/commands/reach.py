"""Getting at the memories of a root: through the server that holds them, or by opening the root oneself."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, Protocol, TypeVar
from urllib.parse import urlsplit

import click
import httpx2

from memory.engine import Engine
from memory.errors import BadInput, MemoryServiceError, RootLocked
from memory.settings import Settings
from memory.store import layout
from memory_server import exclusive, options
from memory_server.owner.verbs import VERBS

DONE, FAILED, REFUSED = 0, 1, 2

PATIENCE = 600.0        # seconds for an answer; erasing and backing up a large memory take a while
_GREETING = 2.0         # seconds for finding out who listens on a port
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

P = ParamSpec("P")
T = TypeVar("T")

data_root_option = click.option(
    "--data-root",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where memories are kept. Default: $MEMORY_DATA_ROOT, else your user data folder.",
)
server_option = click.option(
    "--server", metavar="URL", help="The server that holds them, as http://127.0.0.1:48912. Default: found by itself."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")


class Refused(Exception):
    """What was asked is not possible as things stand; nothing was changed."""


class Failed(Exception):
    """It was tried and went wrong."""


class Memories(Protocol):
    """Answers what the owner asks. Raises Refused or Failed."""

    @property
    def through_server(self) -> bool: ...

    @property
    def root(self) -> Path: ...

    def ask(self, verb: str, **arguments: Any) -> dict[str, Any]: ...


def exits(command: Callable[P, T]) -> Callable[P, T]:
    """Turn what a command raises into a sentence and an exit code."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return command(*args, **kwargs)
        except (Refused, RootLocked, BadInput) as error:
            stop(str(error), REFUSED)
        except (Failed, MemoryServiceError) as error:
            stop(str(error), FAILED)
        except OSError as error:
            stop(f"{error.strerror or type(error).__name__}: {error.filename or ''}".rstrip(": "), FAILED)

    return wrapped


def stop(why: str, code: int) -> NoReturn:
    click.echo(f"refused: {why}" if code == REFUSED else f"failed: {why}", err=True)
    sys.exit(code)


def print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))


def resolve_root(data_root: Path | None) -> Path:
    return options.resolve_data_root(data_root, os.environ)


@contextmanager
def memories_of(data_root: Path | None, server: str | None, *, create: bool = False) -> Iterator[Memories]:
    """The memories of a root, for one command. With ``create`` there need not be any yet.

    A server that was named, or one that holds this very root, is asked; otherwise the root is
    opened here, and nobody else may while that lasts. Raises Refused.
    """
    root = resolve_root(data_root)
    if server is not None:
        with httpx2.Client(base_url=_checked_url(server), trust_env=False, timeout=PATIENCE) as client:
            yield _Server(client, root)
        return
    if not create and not layout.memory_directory(root).is_dir():
        raise Refused(f"there are no memories in {root}; say where they are with --data-root")
    try:
        lock = exclusive.lock_root(root)
    except RootLocked:
        with _found_server(root) as client:
            yield _Server(client, root)
        return
    try:
        with _Opened(root) as opened:
            yield opened
    finally:
        lock.release()


def server_address(server: str | None) -> str:
    """The address of a running server: the one that was named, else the usual one. Raises Refused."""
    if server is not None:
        return _checked_url(server)
    return f"http://{exclusive.LOOPBACK}:{options.resolve_port(None, os.environ)}"


def _checked_url(url: str) -> str:
    parts = urlsplit(url if "//" in url else f"http://{url}")
    if parts.scheme != "http" or parts.hostname not in _LOOPBACK or parts.path.strip("/") or parts.query:
        raise Refused("--server must be a plain address of this machine, as http://127.0.0.1:48912")
    return f"{parts.scheme}://{parts.netloc}"


@contextmanager
def _found_server(root: Path) -> Iterator[httpx2.Client]:
    """The server that holds this root, if it listens where servers do."""
    port = options.resolve_port(None, os.environ)
    with httpx2.Client(base_url=f"http://{exclusive.LOOPBACK}:{port}", trust_env=False, timeout=PATIENCE) as client:
        if _root_id_at(client) != _root_id(root):
            raise Refused(
                f"a memory server holds {root}, and it does not listen on port {port}; say where with --server URL"
            )
        yield client


def _root_id_at(client: httpx2.Client) -> str:
    try:
        found = client.get("/health", timeout=_GREETING).json()
    except (httpx2.HTTPError, ValueError):
        return "nobody"
    value = found.get("root_id") if isinstance(found, dict) else None
    return value if isinstance(value, str) else "unknown"


def _root_id(root: Path) -> str | None:
    try:
        value = json.loads((root / layout.ROOT_STAMP).read_bytes())["root_id"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return value if isinstance(value, str) else None


class _Server:
    """Memories that a running server holds."""

    through_server = True

    def __init__(self, client: httpx2.Client, root: Path) -> None:
        self.root = root
        self._client = client

    def ask(self, verb: str, **arguments: Any) -> dict[str, Any]:
        body = {key: value for key, value in arguments.items() if value is not None}
        try:
            response = self._client.post(f"/internal/owner/{verb}", json=body)
        except httpx2.HTTPError as error:
            raise Failed(f"the memory server does not answer ({type(error).__name__})") from None
        try:
            answer = response.json()
        except ValueError:
            answer = None
        if response.status_code == 200 and isinstance(answer, dict):
            return answer
        said = answer.get("detail") or answer.get("error") if isinstance(answer, dict) else None
        why = said if isinstance(said, str) else f"the server answered with status {response.status_code}"
        raise (Refused if 400 <= response.status_code < 500 else Failed)(why)


class _Opened:
    """Memories of a root that this process holds."""

    through_server = False

    def __init__(self, root: Path) -> None:
        self.root = root
        self._runner = asyncio.Runner()
        self._engine: Engine | None = None

    def __enter__(self) -> _Opened:
        self._runner.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._engine is not None:
                self._runner.run(self._engine.close())
        finally:
            self._runner.close()

    def ask(self, verb: str, **arguments: Any) -> dict[str, Any]:
        body = {key: value for key, value in arguments.items() if value is not None}
        try:
            return self._runner.run(self._ask(verb, body))
        except BadInput as error:
            raise Refused(f"{error.field}: {error.why}") from None
        except MemoryServiceError as error:
            raise Refused(str(error)) from None

    async def _ask(self, verb: str, body: object) -> dict[str, Any]:
        if self._engine is None:
            master = os.environ.get(options.MASTER_VARIABLE) or None
            settings = Settings(data_root=self.root, background=False, master_name=master)
            self._engine = await Engine.open(settings)
        return await VERBS[verb](self._engine, body)
