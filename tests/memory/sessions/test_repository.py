"""Only what speaks of a repository's state is taken out of a checkpoint."""

from __future__ import annotations

import pytest

from memory.sessions.repository import FALLBACK_ACTION, FALLBACK_SUMMARY, clean_items, clean_summary


@pytest.mark.parametrize(
    ("summary", "kept"),
    [
        (
            "Finished the parser. git status shows 3 modified files. Next is the printer.",
            "Finished the parser. Next is the printer.",
        ),
        ("Did A! There are uncommitted changes; next do B.", "Did A! next do B."),
        ("做完解析器。 未提交的改动还有两个文件。 下一步写测试。", "做完解析器。 下一步写测试。"),
        ("做完解析器。未提交的改动还有两个文件。", "做完解析器。"),
        ("Wrote staged rollout plan for payments", "Wrote staged rollout plan for payments"),
        ("On branch main, working tree clean", FALLBACK_SUMMARY),
        ("git status: dirty worktree", FALLBACK_SUMMARY),
        # What the reference misses.
        ("2 commits ahead of main", FALLBACK_SUMMARY),
        ("Ported the lexer.\nM src/a.ts\n?? b.ts", "Ported the lexer."),
        ("Ported the lexer.\n src/a.ts | 12 +++--", "Ported the lexer."),
        ("nothing to commit. Wrote docs.", "Wrote docs."),
        ("3 files changed in the refactoring; tests pass.", "tests pass."),
        # What has nothing to do with a repository.
        (
            "The release v2.0 uses 3.5 GB. It is staged for June.",
            "The release v2.0 uses 3.5 GB. It is staged for June.",
        ),
        ("We modified the plan.", "We modified the plan."),
    ],
)
def test_a_summary_keeps_its_other_sentences(summary: str, kept: str) -> None:
    assert clean_summary(summary) == (kept, kept != summary)


def test_an_emptied_list_says_what_to_do_instead() -> None:
    assert clean_items(["stage the staged changes"], FALLBACK_ACTION) == ((FALLBACK_ACTION,), True)
    assert clean_items(["untracked files remain", "write tests"], FALLBACK_ACTION) == (("write tests",), True)
    assert clean_items(["Modified files: a.ts"], None) == ((), True)
