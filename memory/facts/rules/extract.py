"""Facts that a message states about its speaker, by rules: what is not certain yields nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from memory.clock import Clock
from memory.facts.fact import text_hash
from memory.facts.rules.chinese.find import CHINESE
from memory.facts.rules.clause import Clause, Finding, Telling, to_draft
from memory.facts.rules.clean import LONGEST_TURN, QUOTE_OPEN, Recalled, own_lines, plain, quotes_in, with_quotes
from memory.facts.rules.compare import contradicts, same_statement
from memory.facts.rules.draft import Draft, Drop
from memory.facts.rules.english.find import ENGLISH
from memory.facts.rules.foreign import foreign_quoted, foreign_statement
from memory.facts.rules.scene import playing
from memory.facts.rules.speech import MOST_SENTENCES, Sentence, sentences
from memory.facts.rules.stated import Heard, Stated, idle_reason, is_lasting
from memory.facts.rules.tongue import Tongue
from memory.history.turn import AI, HUMAN, Turn
from memory.people import Names

MOST_DRAFTS = 5
_TONGUES = {"en": ENGLISH, "zh": CHINESE}
_SOFT_SLOTS = ("name", "alias", "remember")
_SPEECH = re.compile(r"[。！？!?;；]|\b(?:i|i'm|you|my|we)\b|[我你]", re.IGNORECASE)
_TITLED = re.compile(
    rf"(?:\b(?:called|named|titled|song|movie|film|book|novel|show|game|album|series|reading|watching|read|watched)|"
    rf"叫做?|看|读|听|追|歌|书|电影|剧|小说|是)\s?{QUOTE_OPEN}",
    re.IGNORECASE,
)
_TWICE_ENDED = re.compile(r"([.!?][\"”])\.$")  # a title that brings its own full stop
_MOST_CLAUSES = 300  # of one turn
_LONGEST_SENTENCE = 600  # characters; longer runs without a mark are not speech
_SHORT = 12  # characters of a greeting, which changes nothing about who is spoken of
_LONGEST_TITLE = 60  # characters of a quotation that may still be a title or a name


def extract(
    turn: Turn, names: Names, clock: Clock, *, recalled: Collection[str] = (), earlier: Sequence[Turn] = ()
) -> tuple[list[Draft], list[Drop]]:
    """The facts of one turn, at most five, and what was left out for which reason.

    Only what the master says in their own voice counts. ``recalled`` are the texts that were shown in the
    conversation: a line that repeats one teaches nothing. ``earlier`` are the turns before it, oldest first: while
    they play a scene, nothing is true. Times are read from the moment the turn was said.
    """
    if turn.kind != HUMAN:
        return [], []
    heard = hear(turn, names, clock, Recalled(recalled), earlier=earlier)
    return heard.drafts, heard.drops


def hear(turn: Turn, names: Names, clock: Clock, recalled: Recalled, *, earlier: Sequence[Turn] = ()) -> Heard:
    """The same, with everything that was stated, also where no rule knows what it says.

    Of the character, whose word is taken for no fact, there are statements alone.
    """
    if turn.kind == HUMAN and turn.speaker is not None and not names.is_master(turn.speaker):
        return Heard()
    if turn.kind not in (HUMAN, AI):
        return Heard()
    if playing([*earlier, turn]):
        return Heard(drops=[Drop(reason="fiction", clause=text_hash(turn.text))])
    anchor = clock.local(turn.at) if turn.at.tzinfo is None else turn.at
    heard = turn.text[:LONGEST_TURN]
    if turn.kind == AI:
        names = Names(neko=names.master, master=names.neko)
    reading = _Reading(Telling(names=names, anchor=anchor, heard=heard), recalled)
    reading.read(heard)
    return Heard(drafts=reading.kept() if turn.kind == HUMAN else [], drops=reading.drops, stated=reading.stated)


class _Reading:
    """One pass over one turn."""

    def __init__(self, telling: Telling, recalled: Recalled) -> None:
        self.drops: list[Drop] = []
        self.stated: list[Stated] = []
        self._telling = telling
        self._recalled = recalled
        self._drafts: list[Draft] = []
        self._clauses = 0
        self._about_speaker = True  # so far this turn speaks of nobody else

    def read(self, text: str) -> None:
        lines, left_out = own_lines(text, self._recalled)
        for reason, line in left_out:
            self._drop(reason, line)
        for reason, disqualifies in (("instruction", "instruction"), ("fiction", "joking")):
            if any(getattr(tongue, disqualifies).search(line) for line in lines for tongue in _TONGUES.values()):
                for line in lines:
                    self._drop(reason, line)
                return
        self._sentences(lines)

    def kept(self) -> list[Draft]:
        """The drafts that stand at the end of the turn: what it took back is gone, the five weightiest remain."""
        standing: list[Draft] = []
        for draft in self._drafts:
            if any(same_statement(draft, other) for other in standing):
                self._drop("duplicate", draft.text)
                continue
            replaced = [other for other in standing if draft.single_valued and other.slot == draft.slot]
            if replaced and not draft.negated:
                taken_back = [
                    other for other in replaced if other.negated or (draft.correction and contradicts(draft, other))
                ]
                if taken_back:
                    draft = replace(draft, correction=True)
                standing = [other for other in standing if other not in taken_back]
            standing.append(draft)
        weightiest = sorted(standing, key=lambda draft: (-draft.importance, -draft.confidence))[:MOST_DRAFTS]
        for draft in standing:
            if draft not in weightiest:
                self._drop("limit", draft.text)
        return [draft for draft in standing if draft in weightiest]

    def _sentences(self, lines: list[str]) -> None:
        count, framed = 0, False
        for line in lines:
            bare, quotes = plain(line)
            for sentence in sentences(bare):
                count += 1
                tongue = _TONGUES.get(sentence.language or "")
                if count > MOST_SENTENCES:
                    self._drop("limit", sentence.text)
                    return
                if foreign := foreign_statement(sentence.text, asked=sentence.asked, sarcastic=sentence.sarcastic):
                    self._foreign(foreign, quotes)
                    continue
                if tongue is None:
                    continue
                framed = framed or bool(tongue.frame.search(sentence.text))
                if framed:
                    self._drop("fiction", sentence.text)
                elif with_quotes(sentence.text, quotes) in self._recalled:
                    self._drop("recalled", sentence.text)
                else:
                    self._sentence(sentence, tongue, quotes)

    def _sentence(self, sentence: Sentence, tongue: Tongue, quotes: list[str]) -> None:
        text, softened = tongue.normalise(sentence.text), False
        told = tongue.split_asked(text) if sentence.asked else (text, False)
        if told is not None:
            text, softened = told
        reason = _why_not(sentence, text, told is None, tongue)
        if reason is not None:
            self._drop(reason, text)
            return
        clauses = tongue.clauses(text, self._about_speaker)
        about_speaker = bool(tongue.first_person.search(text))
        aside = len(text) <= _SHORT and not tongue.other_person.search(text)
        self._about_speaker = about_speaker or (self._about_speaker and aside)
        for clause in clauses:
            self._clauses += 1
            if self._clauses > _MOST_CLAUSES:
                self._drop("limit", clause.text)
                return
            self._clause(replace(clause, asked=softened), sentence, tongue, quotes)

    def _clause(self, clause: Clause, sentence: Sentence, tongue: Tongue, quotes: list[str]) -> None:
        reason = _disqualified(clause, tongue, quotes)
        if reason is not None:
            self._drop(reason, clause.text)
            return
        found = tongue.find(clause, self._telling)
        if not clause.asked:
            self._state(clause, sentence, tongue, quotes, known=bool(found))
        for finding in found:
            if clause.asked and finding.slot not in _SOFT_SLOTS and not clause.remember:
                self._drop("question", clause.text)
                continue
            finding = replace(finding, text=finding.text.translate(tongue.restore(sentence.text)))
            self._drafts.append(to_draft(_unquoted(finding, quotes), clause, sentence.language or ""))

    def _state(
        self, clause: Clause, sentence: Sentence, tongue: Tongue, quotes: list[str], *, known: bool
    ) -> None:
        back = tongue.restore(sentence.text)
        self.stated.append(
            Stated(
                text=with_quotes(clause.text.translate(back), quotes),
                language=sentence.language or "",
                told=with_quotes(tongue.told(clause, self._telling.names).translate(back), quotes),
                known=known,
                idle=idle_reason(clause.text, tongue),
                lasting=is_lasting(clause.text, tongue),
            )
        )

    def _foreign(self, stated: Stated, quotes: list[str]) -> None:
        text = with_quotes(stated.text, quotes)
        if text in self._recalled:
            self._drop("recalled", text)
        elif not quotes_in(stated.text, quotes):
            self.stated.append(replace(stated, told=foreign_quoted(text, stated.language, self._telling.names)))

    def _drop(self, reason: str, text: str) -> None:
        self.drops.append(Drop(reason=reason, clause=text_hash(text)))


def _why_not(sentence: Sentence, text: str, asked: bool, tongue: Tongue) -> str | None:
    """Why nothing of the sentence counts; None where it may."""
    if len(sentence.text) > _LONGEST_SENTENCE:
        return "too_long"
    if sentence.sarcastic:
        return "sarcasm"
    if asked:
        return "question"
    return next((reason for reason, pattern in tongue.sentence_drops if pattern.search(text)), None)


def _disqualified(clause: Clause, tongue: Tongue, quotes: list[str]) -> str | None:
    """Why the clause does not count; None where it may."""
    if len(clause.text) > tongue.longest_clause:
        return "too_long"
    for reason, pattern in tongue.clause_drops:
        if pattern.search(clause.text):
            return reason
    inside = [] if _TITLED.search(clause.text) else quotes_in(clause.text, quotes)
    spoken = any(len(quote) > _LONGEST_TITLE or _SPEECH.search(quote) for quote in inside)
    return "quoted" if spoken else None


def _unquoted(finding: Finding, quotes: list[str]) -> Finding:
    """The finding with its quotations put back."""
    text = _TWICE_ENDED.sub(r"\1", with_quotes(finding.text, quotes))
    return replace(finding, text=text, value=with_quotes(finding.value, quotes))
