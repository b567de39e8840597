"""Every method and path of the companion dialect."""

from __future__ import annotations

# {name} is a character's name.
SERVED = frozenset({
    ("GET", "/health"),
    ("POST", "/shutdown"),
    ("POST", "/reload"),
    ("POST", "/release_character/{name}"),
    ("POST", "/internal/storage/startup/continue"),
    ("POST", "/internal/storage/startup/block"),
    ("POST", "/internal/memory/reset_confirmed_at"),
    ("POST", "/cache/{name}"),
    ("POST", "/process/{name}"),
    ("POST", "/renew/{name}"),
    ("POST", "/settle/{name}"),
    ("GET", "/new_dialog/{name}"),
    ("GET", "/get_recent_history/{name}"),
    ("POST", "/query_memory/{name}"),
    ("GET", "/search_for_memory/{name}/{query}"),
    ("GET", "/get_settings/{name}"),
    ("GET", "/get_persona/{name}"),
    ("GET", "/last_conversation_gap/{name}"),
    ("POST", "/reflect/{name}"),
    ("GET", "/followup_topics/{name}"),
    ("POST", "/record_surfaced/{name}"),
    ("POST", "/cancel_correction/{name}"),
    ("GET", "/api/memory/funnel/{name}"),
})  # fmt: skip

WRITES = ("/cache", "/process", "/renew", "/settle")
# A read of one character, and nothing after its name.
READS = (
    "/new_dialog", "/get_recent_history", "/last_conversation_gap", "/get_settings", "/get_persona",
    "/followup_topics", "/api/memory/funnel",
)  # fmt: skip
