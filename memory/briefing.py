"""The text a new conversation starts from, composed from parts that are already known.

Pure: it reads no file, asks no clock and never fails over one odd row. The layout is the published one; three
decisions in it are ours.

- **Users' words stay whole.** Deleting every bracketed span, as companions have done, loses dates, asides and code.
  Only the connector's own ``[YYYYMMDD Ddd HH:MM]`` stamp is removed, and only from the character's messages.
- **A message cannot pose as something else.** Its line ends are kept, but a later line that looks like a speaker's
  (``<speaker> | …``) gets a broken bar ``¦``, a run of six or more ``=`` gets a zero-width space, and the boundary
  sentence is defused wherever it occurs outside its place (see ``strings/boundary``).
- **Speakers are told apart.** A display name that equals the character's, the human's or the system's label without
  belonging to them is marked with what it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory import tokens
from memory.facts.fact import ENTITIES, MASTER, NEKO, RELATIONSHIP, Fact
from memory.history.turn import AI, HUMAN, SYSTEM, without_stamp
from memory.people import Names
from memory.strings.boundary import ZERO_WIDTH_SPACE, boundary, defuse
from memory.strings.catalogue import say, sentences
from memory.strings.durations import elapsed

SYSTEM_LABEL = "SYSTEM_MESSAGE"
NEUTRAL_LABEL = "MESSAGE"       # for a row whose type nobody knows

GAP_HINT = 1_800                # seconds without conversation from which the pause is mentioned
GAP_LONG = 18_000               # … and from which the character wonders about it

_LINE_ENDS = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_RULER = re.compile(r"={6,}")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentLine:
    """One message of the recent history, as text."""

    kind: str                    # HUMAN, AI, SYSTEM, or whatever a file held
    text: str
    speaker: str | None = None   # display name, where it is known


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    """Everything a new conversation is told."""

    names: Names
    locale: str
    now: datetime                           # aware, local
    persona: str = ""                       # the rendered persona block, without a final line end
    fallback: str = ""                      # what stands in its place while there is none
    recent: Sequence[RecentLine] = ()       # oldest first, the memo included
    last_turn_at: datetime | None = None    # aware; the newest stored turn
    holiday: str | None = None              # today's, in the locale


def new_dialog(parts: Briefing) -> str:
    """The whole text. The boundary sentence is in it exactly once, right before the history lines."""
    neko, locale = parts.names.neko, parts.locale
    known = parts.persona or (f"{parts.fallback}\n" if parts.fallback else "")
    before = f"\n{header('long_term_header', neko, locale)}\n{known}"
    before += f"\n\n{header('inner_thoughts_header', neko, locale)}\n"
    after = "".join(f"{line}\n" for line in _dialog_lines(parts.recent, parts.names, locale))
    after += _gap_hint(parts)
    if parts.holiday:
        after += say("holiday", locale, holiday=parts.holiday)
    return f"{defuse(before)}{boundary(neko, parts.now, locale)}\n{defuse(after)}"


def recent_history(recent: Sequence[RecentLine], names: Names, locale: str) -> str:
    """The text of /get_recent_history: every message whole, stamps included; system messages without a speaker."""
    if not recent:
        return no_history(locale)
    labels = [_label(line, names, locale, unknown=_one_line(line.kind, 40) or NEUTRAL_LABEL) for line in recent]
    distinct = set(labels)
    lines = [say("history_intro", locale, neko=names.neko)]
    for line, label in zip(recent, labels, strict=True):
        body = message_body(line.text, names, distinct)
        lines.append(body if line.kind == SYSTEM else f"{label} | {body}")
    return "\n".join(lines)


def no_history(locale: str) -> str:
    """What an unknown character gets."""
    return say("no_history", locale)


def search_placeholder(query: str, names: Names, locale: str) -> str:
    """The text of the deprecated /search_for_memory, which recalls nothing."""
    asked = message_body(query, names)
    return (
        f"{header('search_query_header', names.neko, locale)}\n{asked}\n\n"
        f"{header('search_results_header', names.neko, locale)}\n{say('search_nothing', locale)}\n"
    )


def header(string_id: str, neko: str, locale: str) -> str:
    """A header between rulers, without line ends."""
    return f"======{_RULER.sub(_broken, say(string_id, locale, neko=neko))}======"


def facts_block(facts: Iterable[Fact], names: Names, locale: str, budget_tokens: int = 2_000) -> str:
    """The active facts as a persona block, for a character that has no persona yet; "" without facts.

    More important and newer facts come first. One that does not fit the budget is left out and the next ones are
    still tried. Replaced facts are left out. The same facts give the same bytes, whatever order they come in.
    """
    wanted = [fact for fact in facts if fact.superseded_by is None and fact.text.strip()]
    wanted.sort(key=lambda fact: (-fact.importance, -fact.created_at.timestamp(), fact.id))
    left = budget_tokens
    sections: defaultdict[str, list[str]] = defaultdict(list)
    for fact in wanted:
        if len(fact.text) > 4 * left:
            continue                    # a token is four characters at most; no need to look closer
        line = bullet(fact.text)
        cost = tokens.count(line)
        if cost <= left:
            left -= cost
            sections[fact.entity].append(line)
    order = [*ENTITIES, *sorted(sections.keys() - set(ENTITIES))]
    return "\n\n".join(
        "\n".join([entity_heading(entity, names, locale), *sections[entity]]) for entity in order if sections[entity]
    )


def bullet(text: str) -> str:
    """One remembered statement as a list item: always a single line, never a ruler or a boundary."""
    return f"- {defuse(_RULER.sub(_broken, _BLANKS.sub(' ', text).strip()))}"


def entity_heading(entity: str, names: Names, locale: str) -> str:
    """The heading of a section of the persona block, with its ``###``."""
    if entity == MASTER:
        return f"### {about_master('about_master', names, locale)}"
    if entity == NEKO:
        return f"### {say('about_neko', locale, neko=names.neko)}"
    if entity == RELATIONSHIP:
        return f"### {say('relationship', locale)}"
    return f"### {_one_line(entity, 80)}"


def about_master(string_id: str, names: Names, locale: str, **values: str) -> str:
    """A sentence about the human, which has a form of its own while nobody configured a name."""
    if not names.master_is_named:
        return say(f"{string_id}_unnamed", locale, neko=names.neko, **values)
    return say(string_id, locale, master=names.master, neko=names.neko, **values)


def message_body(text: str, names: Names, labels: Iterable[str] = ()) -> str:
    """A message's text made safe to stand after a speaker's label; ``labels`` are further speakers to protect."""
    body = _RULER.sub(_broken, _LINE_ENDS.sub("\n", text).strip())
    if "\n" not in body or "|" not in body:
        return body
    protected = {_folded(label) for label in (names.master, names.neko, SYSTEM_LABEL, NEUTRAL_LABEL, *labels)}
    first, *rest = body.split("\n")
    return "\n".join([first, *(_no_speaker(line, protected) for line in rest)])


def unknown_settings(neko: str) -> str:
    """/get_settings of a character nobody knows; the same in every language."""
    return f"{neko}记得{{}}"


def legacy_settings(neko: str, sections: Mapping[str, Mapping[str, object]]) -> str:
    """/get_settings of a character without a persona, in the fixed form that predates languages."""
    lines: list[str] = []
    for title, entries in sections.items():
        shown = {key: value for key, value in entries.items() if value not in (None, "", [], {})}
        if shown:
            lines.append(f"关于{title}：")
            lines += [f"- {key}：{_listed(value)}" for key, value in shown.items()]
    return "\n".join([f"{neko}记得：", *lines]) if lines else f"{neko}记得：（暂无记录）"


def _dialog_lines(recent: Sequence[RecentLine], names: Names, locale: str) -> list[str]:
    labels = [_label(line, names, locale, unknown=NEUTRAL_LABEL) for line in recent]
    distinct = set(labels)
    lines: list[str] = []
    for line, label in zip(recent, labels, strict=True):
        text = without_stamp(line.text) if line.kind == AI else line.text
        lines.append(f"{label} | {message_body(text, names, distinct)}")
    return lines


def _gap_hint(parts: Briefing) -> str:
    if parts.last_turn_at is None:
        return ""
    seconds = (parts.now - parts.last_turn_at).total_seconds()
    if seconds < GAP_HINT:
        return ""
    names, locale = parts.names, parts.locale
    pause = about_master("gap_elapsed", names, locale, elapsed=elapsed(seconds, locale))
    if seconds < GAP_LONG:
        return f"{pause}\n"
    now = say("gap_now", locale, time=parts.now.strftime("%Y-%m-%d %H:%M"))
    return sentences(locale, now, pause, about_master("gap_long", names, locale)) + "\n"


def _label(line: RecentLine, names: Names, locale: str, *, unknown: str) -> str:
    """Who a line is said to be by. A given display name never takes another party's label."""
    master = names.master_in(locale)
    own = {HUMAN: master, AI: names.neko, SYSTEM: SYSTEM_LABEL}.get(line.kind, unknown)
    own = _one_line(own, 100) or NEUTRAL_LABEL
    given = _one_line(line.speaker or "", 100)
    if not given or line.kind == SYSTEM or _folded(given) == _folded(own):
        return own
    if line.kind == HUMAN and names.is_master(given):
        return own
    others = (names.neko, names.master, master, *names.neko_aliases, SYSTEM_LABEL, NEUTRAL_LABEL)
    taken = {_folded(label) for label in others}
    return f"{given} ({line.kind})" if _folded(given) in taken else given


def _no_speaker(line: str, protected: set[str]) -> str:
    label, bar, said = line.partition("|")
    return f"{label}¦{said}" if bar and _folded(label) in protected else line


def _folded(label: str) -> str:
    """A label as the eye compares it: without width, case, blanks or invisible characters."""
    visible = (char for char in unicodedata.normalize("NFKC", label) if unicodedata.category(char)[0] not in "CZ")
    return "".join(visible).casefold()


def _one_line(text: str, limit: int) -> str:
    """A label: one line, no bar, nothing invisible."""
    shown = (char for char in _BLANKS.sub(" ", text[: 4 * limit]) if unicodedata.category(char)[0] != "C")
    return "".join(shown).replace("|", "¦").strip()[:limit]


def _broken(match: re.Match[str]) -> str:
    run = match[0]
    return ZERO_WIDTH_SPACE.join(run[start : start + 3] for start in range(0, len(run), 3))


def _listed(value: object) -> str:
    if isinstance(value, list | tuple):
        return "、".join(str(item) for item in value)
    return str(value)
