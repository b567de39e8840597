"""A process that is killed while it makes digests: one digest for each job, no note and no forgetting lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def test_whenever_the_process_is_killed_each_job_ends_as_one_digest_and_nothing_is_lost() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.digest_kills", "--kills", "8", "--seed", "7"],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = json.loads(ended.stdout)
    assert told["kills"] == 8
    assert told["during_digests"] > 0
    assert told["jobs"] > 0
    assert told["digests"] > 0
