"""Many callers at once on one character; ``benchmarks/interleavings.py`` runs far more of the same."""

from __future__ import annotations

from pathlib import Path

from benchmarks.interleavings import interleave

RUNS = 40


async def test_concurrent_and_cancelled_callers_lose_double_and_halve_nothing(tmp_path: Path) -> None:
    tally = await interleave(tmp_path, range(RUNS))
    assert tally.faults == 0, f"see seeds {tally.seeds}: {tally}"
    # The runs did what they are for.
    assert tally.runs == RUNS
    assert tally.cancelled > RUNS
    assert tally.compressions > RUNS / 2
