"""Recall and search: what is found, where, and what its score means."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.recallnest.nest import CONCISE, DEMO, OTHER, Nest

DOCKER = "Docker bot crash troubleshooting: check logs first with docker logs, then restart the container"
RESULT_FIELDS = {
    "id", "text", "category", "tier", "source", "scope", "score", "date", "boundary", "canonicalKey", "promotedFrom",
}  # fmt: skip


async def fill(nest: Nest) -> None:
    for text, category in (
        (DOCKER, "cases"),
        (CONCISE, "preferences"),
        ("The staging cluster runs in eu-west-1 with three nodes", "entities"),
        ("At task start, run search_memory before coding", "patterns"),
        ("User is a backend engineer in Berlin", "profile"),
        ("Deployed v2 of the billing service on Friday", "events"),
    ):
        await nest.store(text, category=category)


async def test_a_recall_has_the_published_fields(nest: Nest) -> None:
    await fill(nest)
    answer = await nest.post("/v1/recall", {"query": "Docker bot debugging", "scope": DEMO, "limit": 5})
    assert (answer["query"], answer["profile"], answer["totalMemories"]) == ("Docker bot debugging", "default", 6)
    first = answer["results"][0]
    assert first["text"] == DOCKER
    assert first.keys() >= RESULT_FIELDS
    assert (first["category"], first["date"], first["source"]) == ("cases", "2026-05-04", "manual")


async def test_a_search_shows_metadata_and_sources(nest: Nest) -> None:
    await fill(nest)
    answer = await nest.post("/v1/search", {"query": "search memory at task start", "profile": "fact-check"})
    assert (answer["count"], answer["profile"]) == (len(answer["results"]), "fact-check")
    first = answer["results"][0]
    assert first["sources"]["bm25"]["rank"] == 1
    assert first["timestamp"] == 1777881600000  # MORNING in milliseconds
    assert first["metadata"]["source"] == "manual"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Docker debugging", DOCKER),
        ("docker", DOCKER),
        ("billing service", "Deployed v2 of the billing service on Friday"),
        ("eu-west-1", "The staging cluster runs in eu-west-1 with three nodes"),
        ("run search_memory", "At task start, run search_memory before coding"),
        ("Berlin", "User is a backend engineer in Berlin"),
    ],
)
async def test_short_and_messy_questions_find_what_they_mean(nest: Nest, query: str, text: str) -> None:
    await fill(nest)
    assert (await nest.texts(query))[0] == text


async def test_chinese_is_found_by_its_words(nest: Nest) -> None:
    await nest.store("我喜欢吃麦当劳的麦辣鸡翅", category="preferences")
    await nest.store("Workflow: 恢复上下文", category="patterns")
    assert await nest.texts("麦当劳") == ["我喜欢吃麦当劳的麦辣鸡翅"]


async def test_scores_are_high_for_the_very_thing_and_low_for_what_is_unrelated(nest: Nest) -> None:
    await fill(nest)
    exact = await nest.post("/v1/recall", {"query": "staging cluster eu-west-1 three nodes", "scope": DEMO})
    assert exact["results"][0]["score"] >= 0.7
    assert all(row["score"] < 0.3 for row in exact["results"][1:])
    unrelated = await nest.post("/v1/recall", {"query": "zebra migration in Africa", "scope": DEMO})
    assert unrelated["results"] == []


async def test_a_least_score_leaves_out_what_is_lower(nest: Nest) -> None:
    await fill(nest)
    question = {"query": "staging cluster of the billing service", "scope": DEMO}
    scores = [row["score"] for row in (await nest.post("/v1/recall", question))["results"]]
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)
    kept = await nest.post("/v1/recall", {**question, "minScore": scores[0]})
    assert [row["score"] for row in kept["results"]] == scores[:1]
    assert (await nest.post("/v1/recall", {**question, "minScore": 0.99}))["results"] == []


async def test_a_category_filters_before_the_best_are_chosen(nest: Nest) -> None:
    for number in range(30):
        await nest.store(f"The deploy number {number} of the payments service went well")
    await nest.store("Deploy payments with the blue green script", category="patterns")
    found = await nest.post(
        "/v1/recall", {"query": "deploy payments", "scope": DEMO, "category": "patterns", "limit": 1}
    )
    assert [row["category"] for row in found["results"]] == ["patterns"]


async def test_the_same_question_gets_the_same_answer_however_often(nest: Nest) -> None:
    await fill(nest)
    question = {"query": "docker logs and the staging cluster", "scope": DEMO}
    first = await nest.post("/v1/recall", question)
    for _ in range(12):
        assert await nest.post("/v1/recall", question) == first
    assert (
        await nest.texts("zebra migration patterns in Africa")
        == ["At task start, run search_memory before coding"][:0]
    )


async def test_equal_scores_are_ordered_by_the_newer(nest: Nest) -> None:
    await nest.store("Ana deployed the parser", canonicalKey="a")
    nest.clock.advance(3600)
    await nest.store("Ana deployed the printer", canonicalKey="b")
    assert await nest.texts("Ana deployed") == ["Ana deployed the printer", "Ana deployed the parser"]


async def test_versions_that_were_replaced_are_not_found(nest: Nest) -> None:
    await nest.store("The database is MySQL", category="entities", canonicalKey="db")
    await nest.store("The database is Postgres", category="entities", canonicalKey="db")
    assert await nest.texts("database MySQL") == ["The database is Postgres"]


async def test_nearly_the_same_statements_do_not_crowd_out_others(nest: Nest) -> None:
    for number, end in enumerate(("", "!", "!!", " .", "?!")):
        await nest.store(f"The parser fails on empty input{end}", canonicalKey=f"k{number}")
    await nest.store("The lexer fails on empty input of the second kind")
    found = await nest.texts("parser fails on empty input", limit=2)
    assert "The lexer fails on empty input of the second kind" in found


async def test_durable_memories_come_before_equal_evidence(nest: Nest) -> None:
    await nest.evidence("The gateway listens on port 8080", scope=DEMO)
    await nest.store("The gateway listens on port 8080", category="entities")
    found = await nest.post("/v1/recall", {"query": "gateway port", "scope": DEMO})
    assert [row["boundary"]["layer"] for row in found["results"]] == ["durable", "evidence"]


# scopes


async def test_a_recall_without_a_scope_is_an_explained_400(nest: Nest) -> None:
    sentence = await nest.refused("/v1/recall", {"query": "Docker"})
    assert "api:/v1/recall requires a scope" in sentence
    assert "allScopes=true" in sentence


async def test_a_search_without_a_scope_is_of_all_scopes(nest: Nest) -> None:
    await nest.store("Docker in the demo", DEMO)
    await nest.store("Docker elsewhere", OTHER)
    answer = await nest.post("/v1/search", {"query": "docker"})
    assert {row["scope"] for row in answer["results"]} == {DEMO, OTHER}


async def test_scopes_are_isolated_unless_all_are_asked(nest: Nest) -> None:
    await nest.store("Docker in the demo", DEMO)
    await nest.store("Docker elsewhere", OTHER)
    assert await nest.texts("docker", DEMO) == ["Docker in the demo"]
    assert await nest.texts("docker", "project:none") == []
    assert len(await nest.texts("docker", None)) == 2


async def test_only_true_itself_asks_for_all_scopes(nest: Nest) -> None:
    await nest.store("Docker elsewhere", OTHER)
    answer = await nest.post("/v1/recall", {"query": "docker", "scope": DEMO, "allScopes": "true"})
    assert answer["results"] == []


async def test_a_session_is_a_scope_of_its_own(nest: Nest) -> None:
    await nest.store("Docker in this session", "session:s1")
    found = await nest.post("/v1/recall", {"query": "docker", "sessionId": "s1"})
    assert [row["scope"] for row in found["results"]] == ["session:s1"]


async def test_a_name_without_a_colon_means_its_family(nest: Nest) -> None:
    for scope in ("cc", "cc:a1", "cc:b2", "ccx", "ccx:a1"):
        await nest.store(f"Docker seen in {scope}", scope)
    found = await nest.post("/v1/search", {"query": "docker", "scope": "cc", "limit": 20})
    assert {row["scope"] for row in found["results"]} == {"cc", "cc:a1", "cc:b2"}
    exact = await nest.post("/v1/search", {"query": "docker", "scope": "cc:a1"})
    assert [row["scope"] for row in exact["results"]] == ["cc:a1"]


async def test_an_unknown_scope_is_answered_with_names_like_it(nest: Nest) -> None:
    await nest.store("The migration is done", "project:mini-migration")
    answer = await nest.post("/v1/recall", {"query": "migration", "scope": "migration:mini"})
    assert answer["results"] == []
    assert answer["hint"]["scopes"] == [{"scope": "project:mini-migration", "memories": 1}]


async def test_a_known_scope_without_hits_gets_no_hint(nest: Nest) -> None:
    await fill(nest)
    answer = await nest.post("/v1/recall", {"query": "zebra", "scope": DEMO})
    assert answer["results"] == []
    assert "hint" not in answer


# what a read may contain


@pytest.mark.parametrize(
    ("fields", "limit"),
    [({}, 5), ({"limit": 99}, 20), ({"limit": "3abc"}, 3), ({"limit": None}, 5), ({"limit": -4}, 1)],
)
async def test_a_limit_is_drawn_into_its_range(nest: Nest, fields: dict[str, Any], limit: int) -> None:
    for number in range(25):
        await nest.store(f"Event {number} of the parser")
    answer = await nest.post("/v1/recall", {"query": "parser", "scope": DEMO, **fields})
    assert len(answer["results"]) == limit


@pytest.mark.parametrize("query", [None, "", "   ", 5, ["x"]])
async def test_a_question_is_required(nest: Nest, query: object) -> None:
    assert await nest.refused("/v1/recall", {"query": query, "scope": DEMO}) == "query is required"


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("category", "bogus", "Expected 'profile' | 'preferences'"),
        ("profile", "bogus", "Unknown retrieval profile: bogus. Available: default, writing, debug, fact-check"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/recall", "/v1/search", "/v1/auto-recall"])
async def test_an_unknown_filter_is_refused_and_never_dropped(
    nest: Nest, path: str, field: str, value: str, said: str
) -> None:
    body = {"query": "x", "scope": DEMO, field: value}
    assert said in await nest.refused(path, body)


@pytest.mark.parametrize(
    ("name", "profile"),
    [
        ("Factcheck", "fact-check"), ("fact_check", "fact-check"), ("general", "default"), ("", "default"),
        (" DEBUG ", "debug"), ("writing", "writing"),
    ],
)  # fmt: skip
async def test_profiles_have_other_names(nest: Nest, name: str, profile: str) -> None:
    answer = await nest.post("/v1/recall", {"query": "x", "scope": DEMO, "profile": name})
    assert answer["profile"] == profile


async def test_punctuation_alone_finds_nothing(nest: Nest) -> None:
    await fill(nest)
    assert await nest.texts("?!…") == []


# auto-recall


async def test_a_task_starts_from_its_scope_and_a_search(nest: Nest) -> None:
    await fill(nest)
    answer = await nest.post("/v1/auto-recall", {"message": "docker  bot\ncrash", "scope": DEMO, "limit": 3})
    assert (answer["mode"], answer["query"], answer["resolvedScope"]) == ("resume+search", "docker bot crash", DEMO)
    assert answer["searchSkippedReason"] is None
    assert answer["results"][0]["text"] == DOCKER
    assert answer["count"] == len(answer["results"])
    assert answer["resume"]["recentCases"] == [DOCKER]


async def test_without_a_scope_only_the_start_is_given(nest: Nest) -> None:
    await fill(nest)
    answer = await nest.post("/v1/auto-recall", {"message": "docker"})
    assert (answer["mode"], answer["results"], answer["count"]) == ("resume-only", [], 0)
    assert answer["searchSkippedReason"].startswith("No explicit or inferred scope available")
    assert "resolvedScope" not in answer


async def test_all_scopes_widens_the_search_and_not_the_start(nest: Nest) -> None:
    await nest.store("Docker elsewhere", OTHER, category="entities")
    answer = await nest.post("/v1/auto-recall", {"message": "docker", "scope": DEMO, "allScopes": True})
    assert [row["scope"] for row in answer["results"]] == [OTHER]
    assert answer["resume"]["stableContext"] == []


@pytest.mark.parametrize("body", [{}, {"message": "   "}, {"message": 4}, {"query": " "}])
async def test_a_message_is_required(nest: Nest, body: dict[str, Any]) -> None:
    assert await nest.refused("/v1/auto-recall", body) == "message is required"


async def test_a_message_may_be_called_query(nest: Nest) -> None:
    assert (await nest.post("/v1/auto-recall", {"query": "alias", "scope": DEMO}))["query"] == "alias"


async def test_a_start_is_given_no_more_text_than_a_window_bears(nest: Nest) -> None:
    for number in range(6):
        await nest.store(f"parser {number} " + "word " * 2_000, canonicalKey=f"k{number}")
    answer = await nest.post("/v1/auto-recall", {"message": "parser", "scope": DEMO, "limit": 20})
    assert 1 <= answer["count"] < 6
    assert sum(len(row["text"]) for row in answer["results"]) <= 32_000


# stats and health


async def test_stats_count_what_can_be_found(nest: Nest) -> None:
    await fill(nest)
    await nest.evidence("Said in passing")
    await nest.store("User wants brief and direct responses please", category="preferences")
    answer = await nest.get("/v1/stats")
    assert answer == {
        "totalMemories": 7,
        "byScope": {DEMO: 6, "cc:a1b2c3d4": 1},
        "byCategory": {
            "cases": 1, "preferences": 1, "entities": 1, "patterns": 1, "profile": 1, "events": 2,
        },
        "earlierVersions": 1,
    }  # fmt: skip


async def test_health_says_how_much_there_is(nest: Nest) -> None:
    await fill(nest)
    answer = await nest.get("/v1/health")
    assert (answer["status"], answer["totalMemories"], answer["timestamp"]) == ("ok", 6, "2026-05-04T08:00:00.000Z")
