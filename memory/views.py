"""The file views of a space."""

from __future__ import annotations

from memory.clock import Clock
from memory.cursors import Cursors
from memory.facts.conflicts import Conflicts
from memory.facts.pairs import PendingPairs
from memory.facts.retired import RetiredFacts
from memory.facts.versions import Versions
from memory.facts.view import Facts, FactsArchive
from memory.forgotten import Forgotten
from memory.history.event_notes import EventNotes
from memory.history.keys import Keys
from memory.history.recent import Recent, RecentMeta
from memory.history.withheld import WithheldTurns
from memory.persona.corrections import Corrections
from memory.persona.view import Persona
from memory.reflections.backoff import SynthesisBackoff
from memory.reflections.surfaced import SurfacedTopics
from memory.reflections.view import Reflections
from memory.scope_file import ScopeFile
from memory.sessions.handoffs import Handoffs
from memory.sessions.view import Checkpoints
from memory.settings import Settings
from memory.state.accounts import Accounts
from memory.state.answered import AnsweredWrites
from memory.state.card import CardFile
from memory.state.digest_runs import DigestRuns
from memory.state.digests import Digests
from memory.state.errands import Errands
from memory.state.reminders import Reminders
from memory.state.working_file import WorkingFile
from memory.store.view import FileView
from memory.tries import Tries


class Views:
    """The file views of a space. A second set serves to rebuild one of them from the journal."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.recent = Recent()
        self.recent_meta = RecentMeta()
        self.facts = Facts(clock)
        self.facts_archive = FactsArchive(clock)
        self.pending_pairs = PendingPairs(clock)
        self.reflections = Reflections(clock)
        self.surfaced = SurfacedTopics(clock)
        self.synthesis_backoff = SynthesisBackoff(clock)
        self.persona = Persona(clock)
        self.corrections = Corrections(clock)
        self.cursors = Cursors()
        self.keys = Keys(most=settings.keys_kept, seconds=settings.keys_age)
        self.retired = RetiredFacts(clock)
        self.forgotten = Forgotten(self.retired.covers)
        self.versions = Versions(clock)
        self.conflicts = Conflicts(clock)
        self.checkpoints = Checkpoints(clock)
        self.scope = ScopeFile()
        self.card = CardFile()
        self.withheld = WithheldTurns(clock)
        self.event_notes = EventNotes(clock)
        self.handoffs = Handoffs(clock)
        self.reminders = Reminders(clock)
        self.digests = Digests(clock)
        self.digest_runs = DigestRuns(clock)
        self.answered = AnsweredWrites(clock)
        self.accounts = Accounts(clock)
        self.tries = Tries(clock)
        self.errands = Errands()
        self.working = WorkingFile()

    def all(self) -> tuple[FileView, ...]:
        return tuple(view for view in vars(self).values() if isinstance(view, FileView))
