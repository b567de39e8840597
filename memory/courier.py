"""The one client that delivers messages to webhooks, and what an operator says about them.

``config/webhooks.toml`` and ``$WEBHOOK_ALLOW`` name the hosts beside this machine that may be reached; the file is
read again whenever it changes. ``config/webhook_secret`` holds the key that messages are signed with; it is made when
it is first needed. No proxy is used and no redirect followed: the address that was checked is the one that is asked.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import tomllib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import httpx2

from memory.clock import Clock
from memory.errors import BadInput
from memory.state.webhook import (
    DELIVERY,
    FIELD,
    SIGNATURE,
    TIMESTAMP,
    Address,
    Allowed,
    Ip,
    NotDelivered,
    check_host,
    choose,
    read_address,
    read_allowed,
    read_ip,
    signature,
)
from memory.store import layout
from memory.store.files import DIRECTORY_MODE, FILE_MODE, Print, look, read, sync_directory

log = logging.getLogger(__name__)

ALLOW_VARIABLE = "WEBHOOK_ALLOW"

_LOOK_UP = 5.0          # seconds for the addresses of a name
_DELIVER = 8.0          # seconds for a delivery, all in all
_SECRET = 32            # bytes

Resolve = Callable[[str, int], Awaitable[Sequence[Ip]]]


class HttpCourier:
    """A Courier over HTTP, for one data root."""

    def __init__(
        self, root: Path, environment: Mapping[str, str], clock: Clock, *, resolve: Resolve | None = None
    ) -> None:
        self._config = root / layout.CONFIG
        self._named = _named(environment)
        self._making = asyncio.Lock()       # the secret
        self._clock = clock
        self._resolve = resolve or _look_up
        self._seen: Print | None = None
        self._allowed = self._read(None)
        self._client: httpx2.AsyncClient | None = None

    async def check(self, url: str) -> None:
        await self._find(read_address(url))

    async def post(self, url: str, body: bytes, *, delivery: str) -> None:
        try:
            address = read_address(url)
            async with asyncio.timeout(_DELIVER):
                status = await self._post(address, await self._find(address), body, delivery)
        except BadInput as refused:
            raise NotDelivered(refused.why) from None
        except TimeoutError:
            raise NotDelivered("no answer in time") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise NotDelivered(f"the address cannot be reached ({type(error).__name__})") from None
        if not 200 <= status < 300:
            raise NotDelivered(f"the receiver answered {status}")

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _find(self, address: Address) -> Ip:
        """The address to ask. Raises BadInput."""
        allowed = self._current()
        check_host(address, allowed)
        found = [address.ip] if address.ip is not None else await self._resolve(address.host, address.port)
        return choose(address, found, allowed)

    async def _post(self, address: Address, found: Ip, body: bytes, delivery: str) -> int:
        timestamp = str(int(self._clock.now().timestamp()))
        async with self._making:
            secret = await asyncio.to_thread(_secret, self._config)
        headers = {
            "Host": address.authority,
            "Content-Type": "application/json",
            "User-Agent": "memory-server",
            TIMESTAMP: timestamp,
            DELIVERY: delivery,
            SIGNATURE: signature(secret, timestamp, body),
        }
        if self._client is None:
            limits = httpx2.Limits(max_keepalive_connections=0)
            self._client = httpx2.AsyncClient(trust_env=False, follow_redirects=False, timeout=_DELIVER, limits=limits)
        told = {"sni_hostname": address.host} if address.ip is None else {}
        # What the receiver says beside its status is not read, however long it is.
        async with self._client.stream(
            "POST", address.at(found), content=body, headers=headers, extensions=told
        ) as response:
            return response.status_code

    def _current(self) -> Allowed:
        """What is allowed now. A file that cannot be understood allows nothing that it does not allow already."""
        path = self._config / layout.WEBHOOKS
        try:
            seen = look(path)
            if seen != self._seen:
                self._allowed, self._seen = self._read(read(path)), seen
        except (OSError, ValueError) as error:
            log.warning("%s is unreadable (%s); keeping what was allowed", path.name, type(error).__name__)
        return self._allowed

    def _read(self, data: bytes | None) -> Allowed:
        listed = tomllib.loads(data.decode()).get("allow", []) if data is not None else []
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            raise ValueError("allow is no list of texts")
        return read_allowed([*self._named, *listed])


def _named(environment: Mapping[str, str]) -> Sequence[str]:
    entries = environment.get(ALLOW_VARIABLE, "").split(",")
    try:
        read_allowed(entries)
    except ValueError as error:
        log.warning("$%s allows nothing: %s", ALLOW_VARIABLE, error)
        return ()
    return entries


async def _look_up(host: str, port: int) -> Sequence[Ip]:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_LOOK_UP):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):     # a timeout is one
        raise BadInput(FIELD, "this host cannot be found") from None
    return [ip for *_, place in found if (ip := read_ip(str(place[0]).partition("%")[0])) is not None]


def _secret(config: Path) -> bytes:
    """The key of this root; made, for the owner alone, where there is none. Raises OSError."""
    path = config / layout.WEBHOOK_SECRET
    data = read(path)
    if data is None or not data.strip():
        config.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}{layout.TEMPORARY}")
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
        try:
            os.write(fd, secrets.token_hex(_SECRET).encode() + b"\n")
            os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(temporary, path)
        sync_directory(config)
        data = path.read_bytes()
    if os.name != "nt" and path.stat().st_mode & 0o077:
        path.chmod(FILE_MODE)
    return data.strip()
