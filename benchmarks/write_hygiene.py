"""How clean the facts are that the rules write.

``python -m benchmarks.write_hygiene [--half report] [--misses] [--model scripted]``

The labelled utterances lie in ``hygiene_set``; a hash of the id puts each into the half that was used for tuning or
into the half that is reported. Prints one JSON object: per half and language

- precision: drafts that say an expected or a permitted fact, of all drafts
- recall: expected facts that a draft says, of all expected facts
- junk: utterances that should teach nothing but did, of all that should teach nothing
- wrong_subject, wrong_language: how many drafts
- duplicates: repeats that were not recognised as the same statement, of all repeats
- with ``--model scripted`` also, under ``scripted_model``, what a scripted model's facts are like and what it costs
- contradictions: superseded statements that were recognised, of all; and standing ones that were left alone
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from benchmarks import model_hygiene
from memory.facts.rules.compare import contradicts, same_statement
from memory.facts.rules.draft import Draft
from memory.facts.rules.extract import extract
from memory.history.turn import HUMAN, Turn
from memory.people import Names

SET = Path(__file__).parent / "hygiene_set"
NAMES = Names(neko="Luna")
SAID = datetime(2026, 5, 7, 10, 30, tzinfo=timezone(timedelta(hours=8)))  # a Thursday

Record = Mapping[str, Any]


class _Noon:
    """A clock that stands still."""

    def now(self) -> datetime:
        return SAID

    def local(self, moment: datetime) -> datetime:
        return moment.replace(tzinfo=SAID.tzinfo)

    def monotonic(self) -> float:
        return 0.0


@dataclass
class Score:
    """Counts over one half of one language."""

    utterances: int = 0
    drafts: int = 0
    right: int = 0
    expected: int = 0
    found: int = 0
    silent: int = 0
    junk: int = 0
    wrong_subject: int = 0
    wrong_language: int = 0
    repeats: int = 0
    duplicates: int = 0
    superseded: int = 0
    resolved: int = 0
    standing: int = 0
    left_alone: int = 0
    misses: list[dict[str, Any]] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        return {
            "utterances": self.utterances,
            "drafts": self.drafts,
            "precision": _share(self.right, self.drafts),
            "recall": _share(self.found, self.expected),
            "junk": _share(self.junk, self.silent, nothing=0.0),
            "wrong_subject": self.wrong_subject,
            "wrong_language": self.wrong_language,
            "duplicates": _share(self.duplicates, self.repeats, nothing=0.0),
            "contradictions": _share(self.resolved, self.superseded),
            "standing_left_alone": _share(self.left_alone, self.standing),
        }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="How clean the facts are that the rules write.")
    parser.add_argument("--half", choices=("tune", "report", "both"), default="both")
    parser.add_argument("--misses", action="store_true", help="list what went wrong in the half used for tuning")
    parser.add_argument("--model", choices=("scripted",), help="also what a scripted model's facts are like")
    options = parser.parse_args(arguments)
    scores: dict[tuple[str, str], Score] = {}
    for record in records():
        half, language = half_of(record["id"]), record["id"][:2]
        judge(record, scores.setdefault((half, language), Score()))
    answer: dict[str, Any] = {}
    for (half, language), score in sorted(scores.items()):
        if options.half in (half, "both"):
            answer.setdefault(half, {})[language] = score.figures()
            if options.misses and half == "tune":
                answer[half][language]["misses"] = score.misses
    if options.model:
        answer["scripted_model"] = {
            half: model_hygiene.figures(
                [record for record in records() if half_of(record["id"]) == half],
                misses=options.misses and half == "tune",
            )
            for half in ("report", "tune")
            if options.half in (half, "both")
        }
    json.dump(answer, sys.stdout, ensure_ascii=False, indent=1)
    print()
    return 0


def records() -> Iterator[Record]:
    """Every labelled utterance."""
    for path in sorted(SET.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def half_of(record_id: str) -> str:
    """Whether the utterance was there to tune on or is there to be reported."""
    return "tune" if hashlib.sha256(record_id.encode()).digest()[0] % 2 else "report"


def drafts_of(text: str, record: Record) -> list[Draft]:
    """What the rules make of one message of the record's speaker."""
    turn = Turn(
        id=record["id"],
        row=1,
        kind=record.get("role", HUMAN),
        content=text,
        at=SAID,
        session="s",
        speaker=record.get("speaker"),
    )
    return extract(turn, NAMES, _Noon(), recalled=record.get("recalled", ()))[0]


def judge(record: Record, score: Score) -> None:
    """Add what became of one utterance to the score."""
    drafts = drafts_of(record["text"], record)
    expected, optional = record["facts"], record.get("optional", [])
    wanted = [*expected, *optional]
    right = [draft for draft in drafts if any(_says(draft, fact) for fact in wanted)]
    missed = [fact for fact in expected if not any(_says(draft, fact) for draft in drafts)]
    wrong = [draft for draft in drafts if draft not in right]
    score.utterances += 1
    score.drafts += len(drafts)
    score.right += len(right)
    score.expected += len(expected)
    score.found += len(expected) - len(missed)
    if not expected:
        score.silent += 1
        score.junk += bool(wrong)
    score.wrong_subject += sum(_other_subject(draft, record) for draft in wrong)
    score.wrong_language += sum(
        draft.language != record["language"] for draft in drafts if record["language"] != "mixed"
    )
    problems = [f"extra: {draft.slot}: {draft.text}" for draft in wrong]
    problems += [f"missed: {'+'.join(fact['keys'])}" for fact in missed]
    problems += _against_earlier(record, drafts, score)
    if problems:
        score.misses.append({"id": record["id"], "text": record["text"], "problems": problems})


def _against_earlier(record: Record, drafts: Sequence[Draft], score: Score) -> list[str]:
    problems = []
    earlier = drafts_of(record["earlier"], record) if "earlier" in record else []
    if record["kind"] == "repeat":
        score.repeats += 1
        again = len(drafts) > 1 or any(not _known(draft, earlier) for draft in drafts if "earlier" in record)
        score.duplicates += again
        problems += ["taken for new"] if again else []
    for key, named in (("superseded", record.get("supersedes")), ("standing", record.get("keeps"))):
        if named is None:
            continue
        olds = [old for old in earlier if all(word in old.text.casefold() for word in named)]
        replaced = any(contradicts(new, old) for new in drafts for old in olds)
        if key == "superseded":
            score.superseded += 1
            score.resolved += replaced
            problems += [] if replaced else ["not superseded"]
        else:
            score.standing += 1
            score.left_alone += not replaced
            problems += ["superseded by mistake"] if replaced else []
    return problems


def _known(draft: Draft, earlier: Sequence[Draft]) -> bool:
    return any(draft.text == old.text or same_statement(draft, old) for old in earlier)


def _says(draft: Draft, fact: Mapping[str, Any]) -> bool:
    text = draft.text.casefold()
    return (
        draft.entity == fact["entity"]
        and all(key in text for key in fact["keys"])
        and draft.negated == fact.get("negated", draft.negated)
    )


def _other_subject(draft: Draft, record: Record) -> bool:
    """Whether a wrong draft tells of the master what another said or is, or names the wrong entity for a fact."""
    if record["kind"] in ("third", "quote", "ai", "system") or "speaker" in record:
        return True
    text = draft.text.casefold()
    return any(draft.entity != fact["entity"] and all(key in text for key in fact["keys"]) for fact in record["facts"])


def _share(part: int, whole: int, *, nothing: float = 1.0) -> float:
    return round(part / whole, 4) if whole else nothing


if __name__ == "__main__":
    sys.exit(main())
