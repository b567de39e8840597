"""The file views of a space."""

from __future__ import annotations

from memory.clock import Clock
from memory.cursors import Cursors
from memory.facts.conflicts import Conflicts
from memory.facts.pairs import PendingPairs
from memory.facts.versions import Versions
from memory.facts.view import Facts, FactsArchive
from memory.forgotten import Forgotten
from memory.history.keys import Keys
from memory.history.recent import Recent, RecentMeta
from memory.persona.corrections import Corrections
from memory.persona.view import Persona
from memory.reflections.backoff import SynthesisBackoff
from memory.reflections.surfaced import SurfacedTopics
from memory.reflections.view import Reflections
from memory.scope_file import ScopeFile
from memory.sessions.view import Checkpoints
from memory.settings import Settings
from memory.store.view import FileView


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
        self.forgotten = Forgotten()
        self.versions = Versions(clock)
        self.conflicts = Conflicts(clock)
        self.checkpoints = Checkpoints(clock)
        self.scope = ScopeFile()

    def all(self) -> tuple[FileView, ...]:
        return tuple(view for view in vars(self).values() if isinstance(view, FileView))
