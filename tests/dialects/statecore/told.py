"""All that any dialect says about a scope."""

from __future__ import annotations

from memory_server.statecore.internal import INTERNAL
from tests.dialects.statecore.conftest import MIA, World

_TIERS = ["fact", "reflection", "fact_archive", "turn", "persona"]


async def everything_told(world: World, question: str, scope: str = MIA) -> str:
    """What every read says, with the question and without one. The audit reader is asked by a fact's id alone.

    The question must not be what is looked for: some answers repeat it.
    """
    nobody, me = world.client(None), world.client()
    answers = [
        await me.ask("POST", "/v1/memory/retrieve", {"scopeId": scope}),
        await me.ask("POST", "/v1/memory/retrieve", {"scopeId": scope, "query": question, "maxChars": 100_000}),
        await me.ask("GET", f"/v1/memory/facts?scopeId={scope}"),
        await me.ask("GET", f"/v1/memory/relationship-context/{scope}"),
    ]
    for one in INTERNAL:
        if one.method == "GET":
            path = one.path.replace(":scopeId", scope)
            answers.append(await me.ask("GET", f"{path}?scopeId={scope}&limit=50&message=what+is+known"))
    if scope == MIA:
        answers += [
            await nobody.ask("POST", "/query_memory/Mia", {"query": question, "tiers": _TIERS}),
            await nobody.ask("GET", "/new_dialog/Mia"),
            await nobody.ask("GET", "/get_recent_history/Mia"),
            await nobody.ask("GET", "/get_settings/Mia"),
            await nobody.ask("GET", "/get_persona/Mia"),
            await nobody.ask("GET", "/followup_topics/Mia"),
            await nobody.ask("POST", "/v1/recall", {"query": question, "scope": MIA}),
            await nobody.ask("POST", "/v1/search", {"query": question, "scope": MIA}),
            await nobody.ask("POST", "/v1/auto-recall", {"message": question, "scope": MIA}),
            await nobody.ask("POST", "/v1/resume", {"scope": MIA, "task": question}),
            await nobody.ask("GET", f"/v1/checkpoint/latest?scope={MIA}"),
            await nobody.ask("GET", f"/v1/conflicts?scope={MIA}"),
        ]
    for answer in answers:
        assert answer.status_code in (200, 201), answer.text
    return "\n".join(answer.text for answer in answers)
