"""The demo, from its first line to its last, as a person runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_server import demo
from memory_server.demo_conversation import TALKS

ROOT = Path(demo.__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the demo prints, run with a folder for temporary files that must be empty afterwards."""
    scratch = tmp_path_factory.mktemp("scratch")
    command = [
        sys.executable, "-c",
        "import sys, tempfile; tempfile.tempdir = sys.argv.pop(1)\n"
        "from memory_server.cli import main; main(sys.argv[1:])",
        str(scratch), "demo",
    ]
    # Wide, so that no line is broken inside what the tests look for.
    environment = os.environ | {"COLUMNS": "200"}
    ran = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert list(scratch.iterdir()) == []
    return ran.stdout


def test_the_sample_is_long_enough_and_in_two_languages() -> None:
    assert sum(2 * len(talk.exchanges) for talk in TALKS) >= 60
    assert {talk.language for talk in TALKS} == {"en", "zh"}


def test_every_message_of_the_sample_is_remembered(shown: str) -> None:
    total = sum(2 * len(talk.exchanges) for talk in TALKS)
    assert f"{total} messages sent, {total} remembered" in shown


# Words that only the fact's own turn brings, in either language.
@pytest.mark.parametrize("said", ["Hamburg", "花生", "oolong", "Lübeck", "March 14", "香菜"])
def test_what_alex_said_became_a_fact(shown: str, said: str) -> None:
    assert said in _part(shown, 2)


# A what-if, a game, another's taste, another's opinion, a question: never facts about Alex.
@pytest.mark.parametrize("said", ["lottery", "月亮上", "hates jazz", "become a doctor", "snow this year", "德语难"])
def test_what_was_not_meant_as_a_fact_became_none(shown: str, said: str) -> None:
    assert said not in _part(shown, 2)


def test_recall_finds_the_allergy_by_words_and_the_pottery_by_time_and_the_tea_by_both(shown: str) -> None:
    by_words, by_time, by_both = (_part(shown, 3).split(f"by {how}:")[1] for how in ("words", "time", "both"))
    assert "花生" in by_words
    assert "陶艺" in by_time
    assert "oolong" in by_both
    # The window leaves out what was said before the change of mind.
    assert "black coffee" not in by_both


def test_the_next_conversation_starts_from_what_was_said_last(shown: str) -> None:
    assert "晚安" in _part(shown, 4)


def _part(shown: str, number: int) -> str:
    """The lines between one numbered heading and the next."""
    begins, ends = f"─ {number}. ", "─ Done" if number == 4 else f"─ {number + 1}. "
    return shown.split(begins)[1].split(ends)[0]
