"""Facet packs: under which headings the facts of a scope are kept and shown."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.facts.sameness import normal

TEMPLATES = ("project", "personal", "health", "learning")
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


def _facet(
    name: str,
    cap: int,
    group: str | None,
    routes: str,
    description: str,
    *,
    protected: bool = False,
    document: bool = False,
) -> Facet:
    return Facet(
        name=name,
        cap=cap,
        group=group,
        routes_from=tuple(routes.split()),
        description=description,
        write_protected=protected,
        document_authority=document,
    )


_NOTES = _facet(NOTES, 30, "Notes", "", "What was written down on purpose.")

PACKS: Mapping[str, Pack] = {
    "personal": Pack(
        name="personal",
        facets=(
            _facet("followUps", 10, "Schedule", "commitment", "What was promised or is still to come."),
            _facet("relationships", 10, "People", "person_note", "Who matters, and how they are connected."),
            _facet("style", 6, "Style", "style_preference", "Likes, dislikes and ways of being spoken to."),
            _facet("goals", 8, "Projects", "goal life_decision", "What is aimed for or decided.", protected=True),
            _facet("ongoing", 8, "Projects", "experience", "What is going on at present."),
            _NOTES,
            _facet(
                "identity", 15, None, "personal_detail", "Who somebody is; known, and not listed.",
                protected=True, document=True,
            ),
        ),
    ),
    "project": Pack(
        name="project",
        facets=(
            _facet("decisions", 20, "Decisions", "decision", "What was decided.", protected=True),
            _facet("constraints", 15, "Constraints", "constraint", "What must hold or must not be.", protected=True),
            _facet("todos", 20, "Todos", "todo", "What is to be done."),
            _facet("openQuestions", 15, "Questions", "question", "What nobody has answered yet."),
            _facet("status", 10, "Status", "status", "How far things are."),
            _NOTES,
        ),
    ),
    "health": Pack(
        name="health",
        facets=(
            _facet("medicalFacts", 20, "Medical", "medical_fact", "Diagnoses and treatments.", protected=True),
            _facet("dietaryRules", 15, "Diet", "dietary_rule", "What may and may not be eaten.", protected=True),
            _facet("fitnessGoals", 10, "Goals", "fitness_goal", "What is trained for.", protected=True),
            _facet("plans", 8, "Plans", "current_plan", "The plan that is being followed."),
            _facet("preferences", 10, "Preferences", "preference", "What is liked and disliked."),
            _NOTES,
        ),
    ),
    "learning": Pack(
        name="learning",
        facets=(
            _facet("knowledge", 40, "Knowledge", "knowledge_claim", "What was learnt to be so.", protected=True),
            _facet("learningGoals", 10, "Goals", "learning_goal", "What is to be learnt.", protected=True),
            _facet("openQuestions", 20, "Questions", "open_question", "What is not understood yet."),
            _facet("insights", 20, "Insights", "insight", "What became clear."),
            _facet("progress", 10, "Progress", "progress", "How far the learning has come."),
            _NOTES,
        ),
    ),
}  # fmt: skip


def resolve(template: str | None, own: Mapping[str, Any] | None) -> Resolved:
    """The pack of a scope with that template, or of the account where there is none.

    A pack of the account's own goes first; one that is malformed counts as none.
    """
    pack = read_pack(own) if own is not None else None
    if pack is not None:
        return Resolved(pack=pack, source="account", template=template, own=True)
    if template is not None and template in PACKS:
        return Resolved(pack=PACKS[template], source="template", template=template, own=False)
    return Resolved(pack=PACKS[PERSONAL], source="deployment-default", template=None, own=False)


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
