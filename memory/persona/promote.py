"""Taking confirmed reflections into the persona: as new entries, into one that says the same, or not."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memory.facts.rules.compare import Statement, contradicts, same_statement
from memory.people import Names
from memory.persona.cards import claim_of
from memory.persona.corrections import Correction
from memory.persona.entry import BY_AGE, REFLECTED, Entry, promoted_id, reworded, score
from memory.persona.pen import PersonaPen
from memory.reflections import evidence as trust
from memory.reflections.claims import is_negated, known_facts, numbers
from memory.reflections.confirm import confirm, promotion_rule
from memory.reflections.pen import PROMOTE_MERGE, Because
from memory.reflections.reflection import DENIED, MERGED, PROMOTED, Reflection
from memory.reflections.wording import about, dice
from memory.space import MemorySpace

MOST_ATTEMPTS = 5           # questions to a model, after which rules decide
_SAME_WORDING = 0.8
_RESEMBLES = 0.2


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a reflection that is worth holding for good."""

    action: str                     # "fresh", "merge", "queue", or "reject" for what the card says otherwise
    entry: Entry | None = None


async def promote(space: MemorySpace, names: Names, *, powerful: bool = True, defer: bool = False) -> int:
    """Confirm and promote what is due. Returns the number of reflections that changed their status.

    With ``defer`` a model is there that may know better what is new: what resembles an entry is left to it.
    """
    if not _anything_due(space, powerful=powerful):
        return 0
    async with space.journal.write() as batch:
        pen = PersonaPen(space, batch, space.clock.now())
        changed = confirm(pen, powerful=powerful)
        for one in pen.alive():
            rule = promotion_rule(one, pen.now, powerful=powerful)
            if rule is None or any(open_.reflection_id == one.id for open_ in pen.corrections()):
                continue
            if defer and powerful and waits_for_model(pen, one, names):
                continue
            changed += promote_by_rule(pen, one, names, rule)
    space.at("promote.committed")
    return changed


def _anything_due(space: MemorySpace, *, powerful: bool) -> bool:
    return any(
        not one.is_terminal and (one.status == "pending" or promotion_rule(one, space.clock.now(), powerful=powerful))
        for one in space.reflections
    )


def waits_for_model(pen: PersonaPen, one: Reflection, names: Names) -> bool:
    """Whether a model should say if it is new: rules think so, and something alike is held."""
    if one.promote_attempts >= MOST_ATTEMPTS or decide(pen, one, names).action != "fresh":
        return False
    return any(resembles(one, entry, names) for entry in pen.entries(one.entity) if not entry.protected)


def resembles(one: Reflection, entry: Entry, names: Names) -> bool:
    """Whether the two share enough for a model to look at them together."""
    return dice(about(one.statement or one.text, names), about(entry.text, names)) >= _RESEMBLES


def promote_by_rule(pen: PersonaPen, one: Reflection, names: Names, rule: str) -> bool:
    """Do with a reflection what rules decide. Returns whether its status changed."""
    decision = decide(pen, one, names)
    because = Because(rule=f"{decision.action}_by_{rule}")
    if decision.action == "reject":
        pen.entered(one.id, DENIED, because, denied_reason="rejected_by_persona_add:rejected_card")
    elif decision.action == "queue" and decision.entry is not None:
        pen.queued(_correction(pen, decision.entry, one), because)
        return False
    elif decision.action == "merge" and decision.entry is not None:
        merge_into(pen, decision.entry, one, because)
    else:
        pen.added(entry_from(one, pen, BY_AGE if rule == "age" else REFLECTED), because)
        pen.entered(one.id, PROMOTED, because)
    return True


def decide(pen: PersonaPen, one: Reflection, names: Names) -> Decision:
    """Compare a reflection with the entries about the same person."""
    claims = claims_of(pen, one)
    entries = pen.entries(one.entity)
    for entry in entries:
        card = claim_of(entry)
        if card is not None and contradicts(one, card):
            return Decision("reject", entry)
        if card is not None and same_statement(one, card):
            return Decision("merge", entry)
    open_to_change = [entry for entry in entries if not entry.protected]
    for entry in open_to_change:
        # What is doubted already gives way by itself; only a trusted entry needs a decision.
        if score(entry, pen.now) > 0 and any(contradicts(one, held) for held in claims_of(pen, entry)):
            return Decision("queue", entry)
    for entry in open_to_change:
        same = any(same_statement(mine, held) for mine in claims[:1] for held in claims_of(pen, entry))
        if same or _same_wording(one, entry, names):
            return Decision("merge", entry)
    return Decision("fresh")


def claims_of(pen: PersonaPen, held: Reflection | Entry) -> list[Statement]:
    """What something says: its own claim first, then those of the facts it rests on."""
    facts = known_facts(held.source_fact_ids, pen.space.facts, pen.space.views.facts_archive)
    own: list[Statement] = [held] if held.slot is not None else []
    return [*own, *(fact for fact in facts if fact.superseded_by is None)]


def _same_wording(one: Reflection, entry: Entry, names: Names) -> bool:
    mine = one.statement or one.text
    return (
        dice(about(mine, names), about(entry.text, names)) >= _SAME_WORDING
        and is_negated(mine) == is_negated(entry.text)
        and numbers(mine) == numbers(entry.text)
    )


def entry_from(one: Reflection, pen: PersonaPen, source: str) -> Entry:
    """A new entry that says what a reflection says, with the trust it has earned."""
    return Entry(
        id=promoted_id(one.id),
        text=one.statement or one.text,
        entity=one.entity,
        source=source,
        source_id=one.id,
        evidence=one.evidence,
        added_at=pen.now,
        slot=one.slot,
        object=one.object,
        negated=one.negated,
        source_fact_ids=one.source_fact_ids,
    )


def merge_into(pen: PersonaPen, entry: Entry, one: Reflection, because: Because) -> None:
    """The reflection becomes part of an entry, which takes the fuller wording and the larger trust."""
    if not entry.protected:
        merged = replace(
            entry,
            evidence=trust.merged(entry.evidence, one.evidence, pen.now),
            merged_from_ids=tuple(dict.fromkeys((*entry.merged_from_ids, one.id))),
            source_fact_ids=tuple(sorted({*entry.source_fact_ids, *one.source_fact_ids})),
        )
        pen.entry_weighed(merged, PROMOTE_MERGE, because)
        text = one.statement or one.text
        if len(text) > len(entry.text):
            pen.rewritten(reworded(merged, text, pen.now, PROMOTE_MERGE), PROMOTE_MERGE, because)
    pen.entered(one.id, MERGED, because, absorbed_into=entry.id)


def _correction(pen: PersonaPen, entry: Entry, one: Reflection) -> Correction:
    return Correction(
        old_text=entry.text,
        new_text=one.statement or one.text,
        entity=entry.entity,
        created_at=pen.now,
        reflection_id=one.id,
        entry_id=entry.id,
    )
