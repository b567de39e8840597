"""Looking a space over without opening it: every invariant of its files, told in sentences. Changes nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from memory.checks.database import check_database, database_seq
from memory.checks.finding import Finding, Level, Repair, name_of, names_of, some
from memory.checks.journal import JournalReader, Told
from memory.clock import Clock
from memory.facts.learn import CURSOR
from memory.settings import Settings
from memory.store import layout
from memory.store.events import Event
from memory.store.files import digest, read
from memory.store.segment import lines
from memory.store.sweep import files_below
from memory.store.view import FileView, Unreadable, parse_object
from memory.views import Views

_END = 2**62                     # a seq that no journal reaches
_ASIDES = (".corrupt-", ".unstamped-", "events.torn-")
_BESIDE_DATABASE = tuple(f"{layout.TURNS}{suffix}" for suffix in ("-wal", "-shm", "-journal"))
_SIDECARS = frozenset(
    {
        layout.EVENTS_APPLIED, layout.DEAD_LETTERS, "settings.json", "anti_repeat_corpus.json", "user_directives.json",
        "prompt_locale.json", "scoped_prompt_locales.json", "idempotency_keys.json", "scoped_tombstones.json",
        "facts_archive.json.last_attempt", "reflections_archive.json",
    }
)  # fmt: skip


class Checkup:
    """Everything there is to say about one directory. Changes nothing."""

    def __init__(self, directory: Path, settings: Settings, clock: Clock) -> None:
        self._directory = directory
        self._settings = settings
        self._clock = clock
        self._name = name_of(directory)
        self._folded = Views(settings, clock)
        self._reader = JournalReader(directory, self._fold)
        self._journal = self._reader.told
        self._present: dict[str, tuple[int, str]] = {}
        self._next: dict[str, tuple[int, str]] = {}
        self._stops: dict[str, int] = {}
        self._marks: dict[str, int] = {}

    def read_journal(self) -> Told:
        """What the journal holds, and where it is damaged."""
        for _ in (*self._stamps(), *self._reader.run()):
            pass
        return self._journal

    def run(self) -> Iterator[Finding]:
        """Look at everything, and tell what is not as it should be."""
        yield from self._modes()
        yield from self._stamps()
        for finding in self._reader.run():
            yield self._with_repair(finding)
        yield from self._views()
        yield from check_database(self._directory, self._journal)
        yield from self._outbox()
        yield from self._references()
        yield from self._strangers()

    def _found(self, code: str, level: Level, sentence: str, **more: Any) -> Finding:
        return Finding(space=self._name, code=code, level=level, sentence=sentence, **more)

    # modes

    def _modes(self) -> Iterator[Finding]:
        if os.name == "nt":
            return
        loose = [path for path in _tree(self._directory) if not path.is_symlink() and _others_may(path)]
        if loose:
            yield self._found(
                "modes", Level.WARNING,
                f"Others on this machine may look into {len(loose)} files or directories ({some(names_of(loose))}).",
                repair=Repair.MODES, path=self._directory,
            )  # fmt: skip
        links = [path for path in _tree(self._directory) if path.is_symlink()]
        if links:
            yield self._found("link", Level.WARNING, f"There are symbolic links here: {some(names_of(links))}.")

    # stamps

    def _stamps(self) -> Iterator[Finding]:
        data = read(self._directory / layout.VIEWS)
        if data is None:
            return
        try:
            value = parse_object(data)
            for file, entry in value.get("files", {}).items():
                if "sha256" in entry:
                    self._present[file] = int(entry["seq"]), str(entry["sha256"])
                if "next" in entry:
                    self._next[file] = int(entry["next"]["seq"]), str(entry["next"]["sha256"])
            self._marks = {str(name): int(seq) for name, seq in value.get("marks", {}).items()}
        except (Unreadable, AttributeError, KeyError, TypeError, ValueError):
            yield self._found(
                "stamps", Level.WARNING, f"{layout.VIEWS} is unreadable; the views are made again from the journal.",
                repair=Repair.OPEN,
            )  # fmt: skip

    def _with_repair(self, finding: Finding) -> Finding:
        """What stands behind a damage may be cut off once nothing of it is missing in the views and the rows."""
        if finding.code != "damaged" or not self._all_saved():
            return finding
        sentence = f"{finding.sentence} Everything behind it stands in the views, which can become events again."
        return replace(finding, sentence=sentence, repair=Repair.CUT_JOURNAL, path=self._directory)

    def _all_saved(self) -> bool:
        beyond = list(self._beyond())
        last = max((event.seq for event in beyond), default=0)
        if not all(last <= self._stop(view) < _END for view in self._folded.all()):
            return False
        row_seq = database_seq(self._directory)
        return all(event.seq <= row_seq for event in beyond if event.type.startswith("turns."))

    def _beyond(self) -> Iterator[Event]:
        """Events of ours behind the damage, as far as they can be read."""
        for path in [*(path for _, path in layout.segments(self._directory)), self._directory / layout.EVENTS]:
            for line in lines(read(path) or b""):
                if line.event is not None and line.event.seq > self._journal.seq:
                    yield line.event

    # views

    def _fold(self, event: Event) -> None:
        for view in self._folded.all():
            if event.seq <= self._stop(view):
                view.fold(event)

    def _stop(self, view: FileView) -> int:
        """How far the file of a view has come: it is compared with what the journal says up to there."""
        if view.file not in self._stops:
            data = read(self._directory / view.file)
            sha = digest([data]) if data is not None else ""
            known = filter(None, (self._present.get(view.file), self._next.get(view.file)))
            self._stops[view.file] = next((seq for seq, content in known if content == sha), _END)
        return self._stops[view.file]

    def _views(self) -> Iterator[Finding]:
        for view, loaded in zip(self._folded.all(), Views(self._settings, self._clock).all(), strict=True):
            data = read(self._directory / view.file)
            known = {sha for _, sha in filter(None, (self._present.get(view.file), self._next.get(view.file)))}
            if data is None:
                if known - {""}:
                    yield self._found(
                        "view_missing", Level.WARNING,
                        f"{view.file} is missing; it is made again from the journal.", repair=Repair.OPEN,
                    )  # fmt: skip
                continue
            try:
                loaded.read(data, self._clock)
            except Unreadable:
                yield self._found(
                    "view_unreadable", Level.WARNING,
                    f"{view.file} is unreadable; the next opening sets it aside and makes it again.",
                    repair=Repair.OPEN,
                )  # fmt: skip
                continue
            if digest([data]) not in known:
                yield self._unknown_content(view, bool(known))
            elif self._journal.damaged is None:
                yield from self._compare(view, loaded)
        highest = max((seq for seq, _ in self._present.values()), default=0)
        if highest > max(self._journal.seq, self._journal.beyond):
            yield self._found(
                "journal_short", Level.ERROR,
                f"The views have come to event {highest}, the journal ends at {self._journal.seq}: its end was lost. "
                "The next opening takes over what the views hold.",
                repair=Repair.OPEN,
            )  # fmt: skip

    def _unknown_content(self, view: FileView, stamped: bool) -> Finding:
        if not self._journal.seq:
            return self._found(
                "adoptable", Level.NOTE, f"{view.file} was written by another program; the next opening takes it over."
            )
        if stamped:
            return self._found(
                "edited", Level.NOTE, f"{view.file} was edited by somebody; the next opening takes the edit in."
            )
        return self._found(
            "unstamped", Level.WARNING,
            f"{view.file} is not known to be ours; the next opening sets it aside and makes it again.",
            repair=Repair.OPEN,
        )  # fmt: skip

    def _compare(self, view: FileView, loaded: FileView) -> Iterator[Finding]:
        there, made = b"".join(loaded.render()()), b"".join(view.render()())
        if there != made:
            differing = len(set(there.splitlines()) ^ set(made.splitlines()))
            yield self._found(
                "view_differs", Level.ERROR,
                f"{view.file} is not what the journal says ({differing} lines differ); it can be made again from it.",
                repair=Repair.REMAKE_VIEW, path=self._directory / view.file,
            )  # fmt: skip

    # owed work

    def _outbox(self) -> Iterator[Finding]:
        seen: dict[str, str] = {}
        unreadable = 0
        for raw in (read(self._directory / layout.OUTBOX) or b"").splitlines():
            if not raw.strip(b"\0 \r"):
                continue
            try:
                line = orjson.loads(raw)
                if line["status"] == "pending":
                    seen[line["op_id"]] = line["type"]
                elif line["status"] == "done":
                    seen.pop(line["op_id"], None)
            except (orjson.JSONDecodeError, KeyError, TypeError):
                unreadable += 1
        if unreadable:
            yield self._found(
                "outbox_lines", Level.NOTE, f"{unreadable} lines of {layout.OUTBOX} are unreadable and passed over."
            )
        finished = [op for op in seen if op in self._journal.done]
        if finished and self._marks.get("outbox", 0) >= self._journal.seq:
            yield self._found(
                "outbox_behind", Level.WARNING, f"{layout.OUTBOX} still lists {len(finished)} jobs that are done."
            )
        dead = sum(1 for line in (read(self._directory / layout.DEAD_LETTERS) or b"").splitlines() if line.strip())
        if dead:
            yield self._found(
                "dead_letters", Level.NOTE, f"{dead} jobs were given up; {layout.DEAD_LETTERS} tells which and why."
            )
        if "erase" in self._journal.owed.values():
            yield self._found(
                "erasing", Level.WARNING,
                "An erasing broke off before its end; the next start completes it, or run forget again.",
            )  # fmt: skip

    # what points where

    def _references(self) -> Iterator[Finding]:
        if self._journal.damaged is not None:
            return
        views = self._folded
        cursor, last = views.cursors.row(CURSOR), self._journal.last_row
        if cursor > last:
            yield self._found(
                "cursor", Level.ERROR,
                f"{layout.CURSORS} says that turns were read up to row {cursor}; there are rows up to {last} only.",
            )  # fmt: skip
        facts = {fact.id: fact for listed in (views.facts, views.facts_archive) for fact in listed}
        turns = {turn["id"] for turn in self._journal.turns.values()}
        lost = [
            fact.id for fact in facts.values()
            if fact.sources and not any(one in turns or one in views.forgotten.ids for one in fact.sources)
        ]  # fmt: skip
        if lost:
            yield self._found("sources", Level.NOTE, f"{len(lost)} facts name sources that are not here.")
        hanging = [
            fact.id for fact in facts.values()
            if fact.superseded_by and fact.superseded_by not in facts and fact.superseded_by not in views.forgotten.ids
        ]  # fmt: skip
        if hanging:
            yield self._found("superseded", Level.NOTE, f"{len(hanging)} facts gave way to facts that are not here.")

    # what else lies there

    def _strangers(self) -> Iterator[Finding]:
        known = {layout.EVENTS, layout.OUTBOX, layout.VIEWS, layout.TURNS, *_BESIDE_DATABASE, *_SIDECARS}
        known |= layout.CACHES
        known |= {view.file for view in self._folded.all()}
        known |= {path.name for _, path in layout.segments(self._directory)}
        asides, temporary, strange = [], [], []
        for path in files_below(self._directory):
            if path.name.endswith(layout.TEMPORARY):
                temporary.append(path)
            elif any(mark in path.name for mark in _ASIDES):
                asides.append(path)
            elif path.parent == self._directory and path.name not in known:
                strange.append(path)
        if temporary:
            yield self._found(
                "temporary", Level.WARNING, f"{len(temporary)} half-written files were left by a crash.",
                repair=Repair.TEMPORARY, path=self._directory,
            )  # fmt: skip
        if asides:
            yield self._found(
                "asides", Level.NOTE,
                f"{len(asides)} files were set aside because they could not be read ({some(names_of(asides))}); "
                "delete them once you do not miss anything.",
            )  # fmt: skip
        if strange:
            yield self._found(
                "strangers", Level.NOTE, f"{len(strange)} files of other programs are kept ({some(names_of(strange))})."
            )


def _others_may(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)


def _tree(directory: Path) -> Iterator[Path]:
    yield directory
    for path in sorted(directory.iterdir()):
        if path.is_dir() and not path.is_symlink():
            yield from _tree(path)
        else:
            yield path
