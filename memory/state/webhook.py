"""Where a scope may be told of its reminders: which addresses may be used, and how what is sent there is signed.

Nothing leaves the machine unless somebody configured it: without configuration only addresses of this machine may be
used. A name is looked up once, every address that it has is checked, and the one that was checked is the one that is
asked, so that a name cannot mean something else a moment later.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from memory.errors import BadInput, MemoryServiceError

FIELD = "notificationWebhook"
LONGEST_URL = 2_048
TIMESTAMP, SIGNATURE, DELIVERY = "X-Webhook-Timestamp", "X-Webhook-Signature", "X-Webhook-Delivery"

_PORTS = {"http": 80, "https": 443}
_LOCALHOST = "localhost"
_NAT64 = ipaddress.ip_network("64:ff9b::/96")

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class NotDelivered(MemoryServiceError):
    """A message did not reach its address, or was not taken there. Names no address."""

    def __init__(self, why: str) -> None:
        super().__init__(f"not delivered: {why}")


class Courier(Protocol):
    """Takes messages to addresses outside this process."""

    async def check(self, url: str) -> None:
        """Raises BadInput for an address that may not be used, with a sentence that says why."""
        ...

    async def post(self, url: str, body: bytes, *, delivery: str) -> None:
        """Deliver a JSON text, once. ``delivery`` names it, the same whenever it is tried. Raises NotDelivered."""
        ...

    async def close(self) -> None:
        """Let go of what is held open."""
        ...


class NoCourier:
    """Delivers nothing: a real way to run."""

    async def check(self, url: str) -> None:
        raise BadInput(FIELD, "this server delivers nothing")

    async def post(self, url: str, body: bytes, *, delivery: str) -> None:
        raise NotDelivered("this server delivers nothing")

    async def close(self) -> None:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A URL, taken apart."""

    scheme: str             # http or https
    host: str               # lower case; an IPv6 address without its brackets
    port: int
    target: str             # path and query

    @property
    def ip(self) -> Ip | None:
        """The address that the host is, if it is no name."""
        return read_ip(self.host)

    @property
    def is_localhost(self) -> bool:
        return self.host == _LOCALHOST or self.host.endswith(f".{_LOCALHOST}")

    @property
    def authority(self) -> str:
        """What stands in the Host header."""
        return _authority(self.host, self.port, self.scheme)

    def at(self, found: Ip) -> str:
        """The URL with an address in the place of the name."""
        return f"{self.scheme}://{_authority(str(found), self.port, self.scheme)}{self.target}"


def _authority(host: str, port: int, scheme: str) -> str:
    shown = f"[{host}]" if ":" in host else host
    return shown if port == _PORTS[scheme] else f"{shown}:{port}"


def read_address(url: str) -> Address:
    """A URL that a webhook may have, whatever it points to. Raises BadInput."""
    if len(url) > LONGEST_URL:
        raise BadInput(FIELD, f"must be at most {LONGEST_URL} characters")
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise BadInput(FIELD, "must be a URL in plain ASCII without blanks or backslashes")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadInput(FIELD, "must be a URL such as https://example.com/hook") from None
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme not in _PORTS or not host:
        raise BadInput(FIELD, "must be a URL that begins with http:// or https://")
    if "@" in parts.netloc or "%" in host or port == 0:
        raise BadInput(FIELD, "must name a host and port, without a user, password or zone")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Address(scheme=parts.scheme, host=host, port=port or _PORTS[parts.scheme], target=target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What an operator lets webhooks reach beside this machine."""

    hosts: frozenset[tuple[str, int | None]] = frozenset()      # a name, on this port or on any
    networks: tuple[Network, ...] = ()

    def names(self, address: Address) -> bool:
        return not self.hosts.isdisjoint({(address.host, None), (address.host, address.port)})

    def holds(self, ip: Ip) -> bool:
        return any(ip.version == network.version and ip in network for network in self.networks)


def read_allowed(entries: Iterable[str]) -> Allowed:
    """Names (``hooks.example.com``, ``hooks.example.com:8443``), addresses and networks. Raises ValueError."""
    hosts: set[tuple[str, int | None]] = set()
    networks: list[Network] = []
    for entry in (one.strip().lower() for one in entries):
        if not entry:
            continue
        try:
            networks.append(ipaddress.ip_network(entry.strip("[]"), strict=False))
            continue
        except ValueError:
            name, colon, port = entry.rstrip(".").partition(":")
        if not name.isascii() or not name.replace("-", "").replace(".", "").replace("_", "").isalnum():
            raise ValueError("an entry is neither a host, nor an address, nor a network")
        if colon and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) <= 65_535):
            raise ValueError("an entry has a port that is none")
        hosts.add((name, int(port) if colon else None))
    return Allowed(hosts=frozenset(hosts), networks=tuple(networks))


def check_host(address: Address, allowed: Allowed) -> None:
    """Raises BadInput where nothing that the host may turn out to be is allowed. Looks nothing up."""
    ip = address.ip
    if ip is not None:
        choose(address, [ip], allowed)
    elif not address.is_localhost and not allowed.names(address):
        raise BadInput(
            FIELD, "this host is not allowed; the operator of the server allows hosts in config/webhooks.toml"
        )


def choose(address: Address, found: Sequence[Ip], allowed: Allowed) -> Ip:
    """The address to ask, of those that a host has. Raises BadInput where it has none, or one that may not be asked."""
    if not found:
        raise BadInput(FIELD, "this host has no address")
    if not all(_may_ask(address, ip, allowed) for ip in found):
        raise BadInput(FIELD, "this host is at an address that is neither of this machine nor allowed")
    return found[0]


def _may_ask(address: Address, found: Ip, allowed: Allowed) -> bool:
    ip = (found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None) or found
    if allowed.holds(ip):
        return True
    if address.ip is not None or address.is_localhost:
        return ip.is_loopback
    return all(one.is_global and not one.is_multicast for one in (ip, carried(ip)))


def read_ip(text: str) -> Ip | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def carried(ip: Ip) -> Ip:
    """The IPv4 address that some network translates an IPv6 address to; the address itself where none does."""
    if isinstance(ip, ipaddress.IPv4Address):
        return ip
    inner = ip.sixtofour or (ip.teredo[1] if ip.teredo is not None else None)
    if inner is None and ip in _NAT64:
        inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return inner or ip


def signature(secret: bytes, timestamp: str, body: bytes) -> str:
    """What a receiver computes too: HMAC-SHA256 over the timestamp, a dot and the body, in hex."""
    return "sha256=" + hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
