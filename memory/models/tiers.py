"""Which model stands behind which tier: from the environment, ``models.toml`` and the companion's own settings.

``<root>/config/models.toml``::

    daily_tokens = 2_000_000              # all characters together; absent: no limit
    daily_tokens_per_character = 200_000

    [summary]
    model = "qwen3-8b"
    base_url = "http://127.0.0.1:11434/v1"
    api_key = "…"                         # or api_key_env = "NAME_OF_A_VARIABLE"
    timeout_seconds = 60                  # of one call, 110 at most; each job has a limit of its own besides
    concurrency = 2

and likewise ``[correction]``, ``[emotion]``, ``[chat]``; ``[default]`` fills what a tier leaves out. Variables named
``MEMORY_<TIER>_MODEL``, ``_BASE_URL`` and ``_API_KEY`` win over the file. What neither names is taken from the
companion's ``core_config.json`` (``models.<tier>``, or ``<tier>Model``, ``<tier>BaseUrl``, ``<tier>ApiKey``).

Where ``FEATURE_LLM`` is ``true``, a ``summary`` or ``chat`` tier without a model is taken from StateCore's variables:
``MODEL_STRUCTURED_OUTPUT_*``, or ``MODEL_RUNTIME_*`` and ``MODEL_CHAT_*``, then ``MODEL_*``, each ``NAME``,
``BASE_URL`` and ``API_KEY``; last ``OPENAI_MODEL``, ``OPENAI_BASE_URL``, ``OPENAI_API_KEY``. Without that switch they
mean nothing here: whoever set them for another program did not offer a memory to that model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from memory.models.chat import Tier

LONGEST = 110.0        # seconds; no background call takes longer
_KEYS = ("model", "base_url", "api_key")
_STATECORE = {Tier.SUMMARY: ("MODEL_STRUCTURED_OUTPUT",), Tier.CHAT: ("MODEL_RUNTIME", "MODEL_CHAT")}
_OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSettings:
    """Where one tier's model is and how it may be used."""

    model: str
    base_url: str
    api_key: str | None = field(default=None, repr=False)
    timeout: float = LONGEST   # seconds
    concurrency: int = 2       # calls at the same time


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Every configured tier, and what all of them may cost in a day."""

    tiers: Mapping[Tier, TierSettings] = field(default_factory=dict)
    daily_tokens: int | None = None
    daily_tokens_per_character: int | None = None


def read_settings(
    file: Mapping[str, Any], environment: Mapping[str, str], core: Mapping[str, Any]
) -> ModelSettings:
    """The settings that a parsed ``models.toml``, the environment and ``core_config.json`` give together.

    Raises ValueError for an address or number that is none.
    """
    tiers: dict[Tier, TierSettings] = {}
    for tier in Tier:
        found = _tier(tier, environment, _table(file, tier), _table(file, "default"), core)
        if found is not None:
            tiers[tier] = found
    return ModelSettings(
        tiers=tiers,
        daily_tokens=_limit(file.get("daily_tokens")),
        daily_tokens_per_character=_limit(file.get("daily_tokens_per_character")),
    )


def _tier(
    tier: Tier,
    environment: Mapping[str, str],
    own: Mapping[str, Any],
    default: Mapping[str, Any],
    core: Mapping[str, Any],
) -> TierSettings | None:
    companion = _from_companion(tier, core)
    values: dict[str, str | None] = {}
    for key in _KEYS:
        named = environment.get(f"MEMORY_{tier.upper()}_{key.upper()}", "").strip()
        candidates = [named, own.get(key), default.get(key), companion.get(key)]
        values[key] = next((text for text in candidates if isinstance(text, str) and text), None)
    for table in (own, default):
        variable = table.get("api_key_env")
        if values["api_key"] is None and isinstance(variable, str):
            values["api_key"] = environment.get(variable) or None
    if values["model"] is None or values["base_url"] is None:
        values = _from_statecore(tier, environment)
    model, base_url = values["model"], values["base_url"]
    if model is None or base_url is None:
        return None
    if urlsplit(base_url).scheme not in ("http", "https"):
        raise ValueError("a base_url must be an http or https address")
    timeout = own.get("timeout_seconds", default.get("timeout_seconds", LONGEST))
    concurrency = own.get("concurrency", default.get("concurrency", 2))
    return TierSettings(
        model=model,
        base_url=base_url.rstrip("/"),
        api_key=values["api_key"],
        timeout=min(max(float(timeout), 1.0), LONGEST),
        concurrency=max(int(concurrency), 1),
    )


def _from_companion(tier: Tier, core: Mapping[str, Any]) -> dict[str, Any]:
    nested = _table(_table(core, "models"), tier)
    flat = {"model": f"{tier}Model", "base_url": f"{tier}BaseUrl", "api_key": f"{tier}ApiKey"}
    return {key: nested.get(key) or core.get(name) for key, name in flat.items()}


def _from_statecore(tier: Tier, environment: Mapping[str, str]) -> dict[str, str | None]:
    """What the variables of that dialect's own servers say, all of it together."""
    found: dict[str, str | None] = dict.fromkeys(_KEYS)
    if environment.get("FEATURE_LLM", "").strip() != "true":
        return found
    stems = (*_STATECORE[tier], "MODEL") if tier in _STATECORE else ()
    for key in _KEYS:
        names = [f"{stem}_{'NAME' if key == 'model' else key.upper()}" for stem in stems]
        names += [f"OPENAI_{key.upper()}"] if stems else []
        found[key] = next((text for name in names if (text := environment.get(name, "").strip())), None)
    if stems and found["base_url"] is None and environment.get("OPENAI_API_KEY", "").strip():
        found["base_url"] = _OPENAI
    return found


def _table(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    return found if isinstance(found, Mapping) else {}


def _limit(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
