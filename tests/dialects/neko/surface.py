"""Every method and path of the companion dialect that is served."""

from __future__ import annotations

# A path that ends in {name} takes a character's name.
SERVED = frozenset({
    ("GET", "/health"),
    ("POST", "/shutdown"),
    ("POST", "/cache/{name}"),
    ("POST", "/process/{name}"),
    ("POST", "/renew/{name}"),
    ("POST", "/settle/{name}"),
    ("GET", "/new_dialog/{name}"),
    ("GET", "/get_recent_history/{name}"),
    ("GET", "/last_conversation_gap/{name}"),
    ("POST", "/query_memory/{name}"),
})  # fmt: skip

WRITES = ("/cache", "/process", "/renew", "/settle")
READS = ("/new_dialog", "/get_recent_history", "/last_conversation_gap")
