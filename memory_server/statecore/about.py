"""What this dialect tells of itself in ``/health`` and ``/v1/health``: what is on, and never a secret."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from memory.engine import Engine
from memory.models.chat import Tier
from memory.models.jobs import ANSWER
from memory.settings import Settings
from memory.state.meaning import COMPARED, is_configured
from memory_server.service import Service
from memory_server.statecore.call import has_model

_TALKING = (Tier.CHAT, Tier.SUMMARY)        # what answers people is asked of the first that there is
_WRITING = (Tier.SUMMARY, Tier.CHAT)        # … and what has to keep to a form


def blocks(service: Service) -> dict[str, Any]:
    """What clients look for; the same before the data root is open, as far as it is known then."""
    engine = service.engine
    settings = engine.settings if engine is not None else None
    meaning = engine is not None and is_configured(engine.embedder)
    return {
        "featureLlm": has_model(service),
        "workingMemory": _working_memory(settings),
        "retrieve": {
            "useEmbeddings": meaning,
            "useVectorSearch": meaning,
            "embeddingCandidateLimit": COMPARED,
        },
        "model": _models(engine),
    }


def _working_memory(settings: Settings | None) -> dict[str, Any]:
    if settings is None:
        return {"enabled": False, "useLlm": False, "maxRecentTurns": 1, "maxItemsPerField": 1}
    return {
        "enabled": settings.working_enabled,
        "useLlm": settings.working_llm,
        "maxRecentTurns": settings.working_turns,
        "maxItemsPerField": settings.working_items,
    }


def _models(engine: Engine | None) -> dict[str, Any]:
    talking, writing = (_first(engine, tiers) for tiers in (_TALKING, _WRITING))
    model, address = _named(engine, talking)
    told: dict[str, Any] = {
        "provider": "openai-compatible" if talking is not None else "none",
        "model": model,
        "baseUrl": address,
        "chatModel": model,
        "structuredOutputModel": _named(engine, writing)[0],
        "embeddingModel": engine.embedder.profile if engine is not None and is_configured(engine.embedder) else None,
    }
    if talking is not None:
        told |= {"runtimeModel": model, "runtimeModelBaseUrl": address, "runtimeMaxOutputTokens": ANSWER.max_tokens}
    return told


def _first(engine: Engine | None, tiers: tuple[Tier, ...]) -> Tier | None:
    return next((tier for tier in tiers if engine is not None and engine.chat.configured(tier)), None)


def _named(engine: Engine | None, tier: Tier | None) -> tuple[str, str]:
    """The name and the address of a tier's model; blank without one."""
    if engine is None or tier is None:
        return "", ""
    return engine.chat.model(tier) or "", without_credentials(engine.chat.address(tier) or "")


def without_credentials(address: str) -> str:
    """An address without a name, a password, or anything in the query that may be one."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    if ":" in host:
        host = f"[{host}]"
    return parts._replace(netloc=host if port is None else f"{host}:{port}", query="", fragment="").geturl()
