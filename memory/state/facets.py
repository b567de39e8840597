"""Facet packs: under which headings the facts of a scope are kept and shown."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from memory.facts.sameness import normal

log = logging.getLogger(__name__)

PERSONAL = "personal"
NOTES = "notes"
_USUAL_CAP = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """One heading's worth of facts."""

    name: str
    cap: int                            # facts that may stand in it at once
    description: str
    group: str | None = None            # the heading; None: never shown in a list
    routes_from: tuple[str, ...] = ()   # classes of events that belong here
    write_protected: bool = False       # weaker evidence never replaces what stands here
    document_authority: bool = False    # only documents may write here


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """Facets in the order in which they are shown."""

    name: str
    facets: tuple[Facet, ...]

    def get(self, name: str) -> Facet | None:
        return next((facet for facet in self.facets if facet.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The pack that holds, and where it came from."""

    pack: Pack
    source: str                 # template, account or deployment-default
    template: str | None        # of the scope that was asked about
    own: bool                   # whether the account has a pack of its own


# name, cap, marks (P: write protected, D: documents alone write here), heading ("-": none), what is routed there;
# then what it is for. In the order in which they are shown.
_TABLES: Mapping[str, str] = {
    "personal": """
        followUps      10 -  Schedule   commitment          | What was promised or is still to come.
        relationships  10 -  People     person_note         | Who matters, and how they are connected.
        style           6 -  Style      style_preference    | Likes, dislikes and ways of being spoken to.
        goals           8 P  Projects   goal life_decision  | What is aimed for or decided.
        ongoing         8 -  Projects   experience          | What is going on at present.
        notes          30 -  Notes                          | What was written down on purpose.
        identity       15 PD -          personal_detail     | Who somebody is; known, and not listed.
    """,
    "project": """
        decisions      20 P  Decisions   decision           | What was decided.
        constraints    15 P  Constraints constraint         | What must hold or must not be.
        todos          20 -  Todos       todo               | What is to be done.
        openQuestions  15 -  Questions   question           | What nobody has answered yet.
        status         10 -  Status      status             | How far things are.
        notes          30 -  Notes                          | What was written down on purpose.
    """,
    "health": """
        medicalFacts   20 P  Medical     medical_fact       | Diagnoses and treatments.
        dietaryRules   15 P  Diet        dietary_rule       | What may and may not be eaten.
        fitnessGoals   10 P  Goals       fitness_goal       | What is trained for.
        plans           8 -  Plans       current_plan       | The plan that is being followed.
        preferences    10 -  Preferences preference         | What is liked and disliked.
        notes          30 -  Notes                          | What was written down on purpose.
    """,
    "learning": """
        knowledge      40 P  Knowledge   knowledge_claim    | What was learnt to be so.
        learningGoals  10 P  Goals       learning_goal      | What is to be learnt.
        openQuestions  20 -  Questions   open_question      | What is not understood yet.
        insights       20 -  Insights    insight            | What became clear.
        progress       10 -  Progress    progress           | How far the learning has come.
        notes          30 -  Notes                          | What was written down on purpose.
    """,
}


def _pack(name: str, table: str) -> Pack:
    return Pack(name=name, facets=tuple(_facet(*line.split("|")) for line in table.strip().splitlines()))


def _facet(row: str, description: str) -> Facet:
    name, cap, marks, group, *routes = row.split()
    return Facet(
        name=name,
        cap=int(cap),
        group=None if group == "-" else group,
        routes_from=tuple(routes),
        description=description.strip(),
        write_protected="P" in marks,
        document_authority="D" in marks,
    )


PACKS: Mapping[str, Pack] = {name: _pack(name, table) for name, table in _TABLES.items()}


def resolve(
    template: str | None, own: Mapping[str, Any] | None, caps: Mapping[str, int] = MappingProxyType({})
) -> Resolved:
    """The pack of a scope with that template, or of the account where there is none.

    A pack of the account's own goes first; one that is malformed counts as none. ``caps`` are the
    deployment's own, by the name of a facet.
    """
    pack = read_pack(own) if own is not None else None
    if pack is not None:
        return Resolved(pack=_capped(pack, caps), source="account", template=template, own=True)
    if own is not None:
        log.warning("a facet pack that an account was given is malformed and counts as none")
    if template is not None and template in PACKS:
        return Resolved(pack=_capped(PACKS[template], caps), source="template", template=template, own=False)
    return Resolved(pack=_capped(PACKS[PERSONAL], caps), source="deployment-default", template=None, own=False)


def _capped(pack: Pack, caps: Mapping[str, int]) -> Pack:
    if not caps:
        return pack
    return replace(pack, facets=tuple(replace(one, cap=caps.get(one.name, one.cap)) for one in pack.facets))


def read_pack(value: object) -> Pack | None:
    """A pack from JSON; None for anything that is none. What a facet leaves out takes its default."""
    if not isinstance(value, Mapping) or not isinstance(rows := value.get("facets"), Sequence) or isinstance(rows, str):
        return None
    facets: list[Facet] = []
    for row in rows:
        name = row.get("name") if isinstance(row, Mapping) else None
        if not isinstance(row, Mapping) or not isinstance(name, str) or not name.strip():
            return None
        if any(facet.name == name for facet in facets):
            return None
        cap, group, routes = row.get("cap"), row.get("displayGroup"), row.get("routesFrom")
        facets.append(
            Facet(
                name=name,
                cap=cap if isinstance(cap, int) and not isinstance(cap, bool) and cap > 0 else _USUAL_CAP,
                group=group if isinstance(group, str) and group else None,
                routes_from=tuple(one for one in routes if isinstance(one, str)) if isinstance(routes, list) else (),
                description=str(row.get("description") or ""),
                write_protected=row.get("writeProtected") is True,
                document_authority=row.get("documentAuthority") is True,
            )
        )
    if not facets:
        return None
    return Pack(name=str(value.get("name") or "custom"), facets=tuple(facets))


def fact_key(group: str, text: str) -> str:
    """16 hex digits that tell a shown fact: the same whatever its case and blanks."""
    told = f"{normal(group)}|{normal(text)}"
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]
