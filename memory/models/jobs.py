"""What models are asked to do: for each job the tier that does it, how long it may take and how much it may say."""

from __future__ import annotations

from dataclasses import dataclass

from memory.models.chat import Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One kind of question. A call is made once; it is asked again by the next round, ever more rarely."""

    name: str
    tier: Tier
    seconds: float              # at most 110
    max_tokens: int = 4096      # of the answer
    powerful: bool = False      # rests while what is held may not be weighed or rewritten


SUMMARISE = Job(name="summary", tier=Tier.SUMMARY, seconds=30.0, max_tokens=1_500)
EXTRACT = Job(name="extraction", tier=Tier.SUMMARY, seconds=60.0)
DISCLOSE = Job(name="disclosures", tier=Tier.SUMMARY, seconds=60.0, powerful=True)
SIGNAL = Job(name="signals", tier=Tier.SUMMARY, seconds=90.0, powerful=True)
RANK = Job(name="ranking", tier=Tier.SUMMARY, seconds=8.0, max_tokens=1_500, powerful=True)
SYNTHESIZE = Job(name="synthesis", tier=Tier.SUMMARY, seconds=110.0, max_tokens=1_500)
REWORD = Job(name="rewording", tier=Tier.SUMMARY, seconds=110.0, max_tokens=1_500)
FEEDBACK = Job(name="feedback", tier=Tier.SUMMARY, seconds=60.0, max_tokens=1_500)
REBUT = Job(name="rebuttal", tier=Tier.SUMMARY, seconds=90.0, max_tokens=1_500, powerful=True)
AVOID = Job(name="negative targets", tier=Tier.EMOTION, seconds=60.0, max_tokens=1_500, powerful=True)
DEDUP = Job(name="fact dedup", tier=Tier.SUMMARY, seconds=60.0, max_tokens=1_500, powerful=True)
RECHECK = Job(name="schema recheck", tier=Tier.SUMMARY, seconds=60.0, max_tokens=1_000)
PROMOTE = Job(name="promotion", tier=Tier.CORRECTION, seconds=90.0, max_tokens=1_500, powerful=True)
CORRECT = Job(name="corrections", tier=Tier.CORRECTION, seconds=110.0, powerful=True)
REFINE = Job(name="refinement", tier=Tier.CORRECTION, seconds=110.0, powerful=True)
REVIEW = Job(name="review", tier=Tier.CORRECTION, seconds=110.0)
REMIND = Job(name="daily reminders", tier=Tier.SUMMARY, seconds=60.0, max_tokens=600)
ANSWER = Job(name="answers", tier=Tier.CHAT, seconds=60.0, max_tokens=400)     # somebody waits for them
WORKING = Job(name="working memory", tier=Tier.SUMMARY, seconds=60.0, max_tokens=800)
CONTRADICT = Job(name="contradiction check", tier=Tier.SUMMARY, seconds=20.0, max_tokens=600)
DIGEST = Job(name="digest", tier=Tier.SUMMARY, seconds=110.0, max_tokens=3_000)
CONSOLIDATE = Job(name="fact consolidation", tier=Tier.SUMMARY, seconds=110.0, max_tokens=3_000)

JOBS = (
    SUMMARISE, EXTRACT, DISCLOSE, SIGNAL, RANK, SYNTHESIZE, REWORD, FEEDBACK, REBUT, AVOID, DEDUP, RECHECK, PROMOTE,
    CORRECT, REFINE, REVIEW, REMIND, CONTRADICT, WORKING, DIGEST, CONSOLIDATE,
)  # fmt: skip
