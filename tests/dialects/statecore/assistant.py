"""A model that writes digests and answers, and a scope with everything done that is owed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from memory.models.chat import Tier
from tests.dialects.statecore.conftest import Client, World
from tests.fakes import ScriptedChat

ANSWER = "The model says so."
_DIGEST = {
    "summary": "Work went on.", "changes": ["Work went on."], "nextSteps": ["Review the work"], "profileFacts": [],
}  # fmt: skip


class Assistant(ScriptedChat):
    """Digests what it is asked to digest; everything else it answers in the words it was given, in order."""

    def __init__(self, *answers: str | Exception, gate: asyncio.Event | None = None, **more: Any) -> None:
        super().__init__(*(answers or (ANSWER,)), gate=gate, **more)
        self.caps: list[int] = []

    async def reply(
        self,
        tier: Tier,
        messages: Sequence[Mapping[str, str]],
        *,
        max_tokens: int,
        seconds: float | None = None,
        space: str = "",
    ) -> str:
        if "profileFacts" in messages[0]["content"]:
            return json.dumps(_DIGEST)
        if "JSON" in messages[0]["content"]:
            return "[]"
        self.caps.append(max_tokens)
        return await super().reply(tier, messages, max_tokens=max_tokens, seconds=seconds, space=space)

    @property
    def prompts(self) -> list[str]:
        """Everything that was sent for an answer, a text each."""
        return ["\n".join(message["content"] for message in messages) for _, messages in self.asked]


async def work(world: World) -> None:
    """Do what every scope and character owes, and what follows from that."""
    for _ in range(2):
        for name in [*world.engine.spaces.scopes(), *world.engine.spaces.names()]:
            async with world.engine.spaces.use(name) as space:
                await world.engine.worker.perform_all(space)


async def contents(me: Client, scope: str) -> list[str]:
    """The texts of a scope's events, oldest first."""
    return [event["content"] for event in reversed((await me.retrieve(scope, limit=100))["events"])]
