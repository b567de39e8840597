"""Writing changes of reflections into a batch: each builds on the one before, and each gives its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.clock import naive_local
from memory.reflections import evidence as trust
from memory.reflections.evidence import Evidence
from memory.reflections.record import to_record
from memory.reflections.reflection import DENIED, Reflection, entering, is_private
from memory.reflections.surfaced import Surfaced
from memory.space import MemorySpace
from memory.store.journal import Batch

USER_FACT, USER_CONFIRM, USER_REBUT = "user_fact", "user_confirm", "user_rebut"
USER_IGNORE, USER_KEYWORD_REBUT, PROMOTE_MERGE, SWEEP = (
    "user_ignore", "user_keyword_rebut", "promote_merge", "archive_sweep",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Because:
    """Why something changed: the rule, and the turn or fact it was applied to."""

    rule: str
    turn: str | None = None
    fact: str | None = None

    def to_json(self) -> dict[str, Any]:
        reason: dict[str, Any] = {"rule": self.rule}
        if self.turn is not None:
            reason["turn"] = self.turn
        if self.fact is not None:
            reason["fact"] = self.fact
        return reason


class Pen:
    """What one batch makes of reflections. Everything it is asked is answered as of its own last word."""

    def __init__(self, space: MemorySpace, batch: Batch, now: datetime) -> None:
        self.space = space
        self.batch = batch
        self.now = now
        self._reflections: dict[str, Reflection] = {}
        self._surfaced: dict[str, Surfaced] = {}

    def reflection(self, known_id: str) -> Reflection | None:
        return self._reflections.get(known_id) or self.space.reflections.get(known_id)

    def reflections(self) -> list[Reflection]:
        """All of them, oldest first."""
        known = [self._reflections.get(one.id, one) for one in self.space.reflections]
        ids = {one.id for one in known}
        return [*known, *(one for key, one in self._reflections.items() if key not in ids)]

    def alive(self) -> list[Reflection]:
        """Those about the two people here that nothing has ended yet."""
        return [one for one in self.reflections() if not one.is_terminal and is_private(one.extra)]

    def surfaced(self) -> list[Surfaced]:
        """Offered topics as they are now."""
        return [self._surfaced.get(one.reflection_id, one) for one in self.space.views.surfaced]

    # changes

    def synthesised(self, one: Reflection, because: Because) -> None:
        self._reflections[one.id] = one
        payload = {"reflection_id": one.id, "entity": one.entity, "source_fact_ids": list(one.source_fact_ids)}
        self.batch.add("reflection.synthesized", {"reflection": to_record(one), **because.to_json()}, payload)

    def revised(self, one: Reflection, because: Because) -> None:
        self._reflections[one.id] = one
        self.batch.add("reflection.revised", {"reflection": to_record(one), **because.to_json()})

    def mentioned(self, one: Reflection, because: Because) -> None:
        self._reflections[one.id] = one
        payload = {"reflection_id": one.id, "suppress": one.mentions.resting}
        self.batch.add("reflection.mentioned", {"reflection": to_record(one), **because.to_json()}, payload)

    def weighed(self, known_id: str, evidence: Evidence, source: str, because: Because) -> None:
        """Its trust changed; nothing is written when it did not."""
        one = self.reflection(known_id)
        if one is None or one.evidence == evidence:
            return
        one = replace(one, evidence=evidence)
        self._reflections[one.id] = one
        payload = {"reflection_id": one.id, **evidence.to_fields(), "source": source}
        data = {"reflection": to_record(one), "source": source, **because.to_json()}
        self.batch.add("reflection.evidence_updated", data, payload)

    def entered(self, known_id: str, status: str, because: Because, **reasons: Any) -> Reflection | None:
        """It goes over into another status; ``reasons`` become fields of its row."""
        before = self.reflection(known_id)
        if before is None or before.is_terminal or before.status == status:
            return None
        absorbed_into = reasons.pop("absorbed_into", None)
        after = entering(before, status, self.now, **reasons)
        if absorbed_into is not None:
            after = replace(after, absorbed_into=absorbed_into)
        self._reflections[after.id] = after
        payload: dict[str, Any] = {
            "reflection_id": after.id, "from": before.status, "to": status, "ts": naive_local(self.now),
            "reason": because.rule,
        }  # fmt: skip
        if absorbed_into is not None:
            payload["absorbed_into"] = absorbed_into
        data = {"reflection": to_record(after), "from": before.status, "to": status, **because.to_json()}
        self.batch.add("reflection.state_changed", data, payload)
        return after

    def denied(self, known_id: str, because: Because, *, source: str = USER_REBUT) -> None:
        """The user says it is not so: it ends, and the facts it was drawn from are doubted with it."""
        one = self.reflection(known_id)
        if one is None or one.is_terminal:
            return
        self.weighed(known_id, trust.disputed(one.evidence, 1.0, self.now), source, because)
        self.entered(known_id, DENIED, because, denied_reason=because.rule)
        doubted = [fact_id for fact_id in one.source_fact_ids if self._stands(fact_id)]
        if doubted:
            data = {"ids": doubted, "turn": because.turn or "", "reflection": known_id, "rule": because.rule}
            self.batch.add("fact.denied", data)

    def _stands(self, fact_id: str) -> bool:
        lists = (self.space.facts, self.space.views.facts_archive)
        return any((fact := facts.get(fact_id)) is not None and fact.superseded_by is None for facts in lists)

    def rebutted(self, known_id: str, because: Because) -> None:
        """The user denied it unasked."""
        self.batch.add("reflection.rebutted", {"id": known_id, **because.to_json()}, {"reflection_id": known_id})
        self.denied(known_id, because)

    def answered(self, one: Surfaced, because: Because) -> None:
        """What is known of an offered topic changed. The reflection itself is not touched by this."""
        self._surfaced[one.reflection_id] = one
        row: Mapping[str, Any] = self.space.views.surfaced.to_row(one)
        self.batch.add(
            "reflection.answered",
            {"surfaced": row, **because.to_json()},
            {"reflection_id": one.reflection_id, "feedback": one.feedback},
        )
