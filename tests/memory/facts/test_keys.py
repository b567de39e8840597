"""Canonical keys: the published vectors, every script, and that no two texts share a key by accident."""

from __future__ import annotations

import pytest

from memory.facts.keys import SLUG_LIMIT, canonical_key, derived_key, explicit_key, fingerprint
from memory.facts.slots import slot_in_key, slot_of

PREFERENCES = [
    ("我喜欢吃麦当劳的麦辣鸡翅", "preferences:brand-item:麦当劳:麦辣鸡翅"),
    ("[用户] 我喜欢吃麦当劳的麦辣鸡翅", "preferences:brand-item:麦当劳:麦辣鸡翅"),
    ("用户喜欢喝星巴克的拿铁", "preferences:brand-item:星巴克:拿铁"),
    ("我很喜欢麦当劳的薯条", "preferences:brand-item:麦当劳:薯条"),
    ("我爱吃肯德基的原味鸡，因为很香", "preferences:brand-item:肯德基:原味鸡"),
    ("我常吃麦当劳的麦辣鸡翅和薯条", "preferences:我常吃麦当劳的麦辣鸡翅和薯条"),
    ("I like the Big Mac from McDonald's", "preferences:brand-item:mcdonald's:bigmac"),
    ("I prefer nuggets and fries from Wendy's", "preferences:i-prefer-nuggets-and-fries-from-wendys"),
    ("User loves fries from Burger King", "preferences:brand-item:burgerking:fries"),
    ("I really enjoy an espresso from Blue Bottle because it is strong", "preferences:brand-item:bluebottle:espresso"),
    ("User prefers concise, direct replies.", "preferences:reply-style:concise:direct"),
    ("User wants brief answers and a straight to the point tone", "preferences:reply-style:concise:direct"),
    ("User wants brief and direct responses please", "preferences:reply-style:concise:direct"),
    ("Please keep responses technical", "preferences:reply-style:technical"),
    ("偏好简洁直接的回复", "preferences:reply-style:concise:direct"),
    ("希望简洁、直接", "preferences:reply-style:concise:direct"),
    ("回复要口语化，不端着", "preferences:reply-style:colloquial:grounded"),
    (
        "User prefers colloquial writing that stays grounded and non-salesy.",
        "preferences:reply-style:colloquial:grounded",
    ),
    ("简洁", "preferences:简洁"),
    ("Uses Bun over Node.", "preferences:tool-choice:bun:over:node"),
    ("I prefer pnpm instead of npm", "preferences:tool-choice:pnpm:over:npm"),
    ("User prefers ripgrep rather than grep!", "preferences:tool-choice:rg:over:grep"),
    ("I use neovim over vim", "preferences:tool-choice:neovim:over:vim"),
    ("prefers Claude over Cursor", "preferences:tool-choice:claude-code:over:cursor"),
    ("更喜欢用pnpm而不是npm", "preferences:tool-choice:pnpm:over:npm"),
    ("优先使用uv代替pip", "preferences:tool-choice:uv:over:pip"),
    ("用docker不用podman", "preferences:tool-choice:docker:over:podman"),
    ("I prefer tea over coffee", "preferences:i-prefer-tea-over-coffee"),
    ("I prefer Bun over Bun", "preferences:i-prefer-bun-over-bun"),
    ("Uses Bun over Node for scripts", "preferences:uses-bun-over-node-for-scripts"),
    ("I use Sony A7III for video work", "preferences:implicit-usage:sonya7iii"),
    ("User has a Fuji camera", "preferences:implicit-usage:fuji"),
    ("I'm learning Rust", "preferences:implicit-usage:rust"),
    ("我在用飞书来管理任务", "preferences:implicit-usage:飞书"),
    ("我买了一台佳能R5", "preferences:implicit-usage:佳能r5"),
    ("我喜欢玩塞尔达", "preferences:implicit-usage:塞尔达"),
    (
        "User prefers code changes to be committed and pushed immediately",
        "preferences:user-prefers-code-changes-to-be-committed-and-pushed-immediately",
    ),
    ("喜欢深色模式", "preferences:喜欢深色模式"),
    ("Предпочитаю тёмную тему", "preferences:предпочитаю-тёмную-тему"),
    ("日本語の設定が好き", "preferences:日本語の設定が好き"),
]
# Whole languages that a slug of Latin letters and Han alone would leave nothing of.
SCRIPTS = [
    "Предпочитаю тёмную тему", "Предпочитаю светлую тему", "다크 모드를 좋아해요", "라이트 모드를 좋아해요",
    "ダークモードがすき", "ライトモードがすき", "أفضل الوضع الداكن", "أفضل الوضع الفاتح", "אני אוהב תה", "मुझे चाय पसंद है",
    "मुझे कॉफ़ी पसंद है", "ฉันชอบชา", "Προτιμώ τσάι", "喜欢喝茶", "喜歡喝咖啡", "!!!", "???", "😀😀",
]  # fmt: skip


@pytest.mark.parametrize(("text", "key"), PREFERENCES)
def test_a_preference_gets_the_published_key(text: str, key: str) -> None:
    assert canonical_key("preferences", text) == key


@pytest.mark.parametrize(
    ("category", "text", "title", "key"),
    [
        ("patterns", "…", "Cross-window continuity handoff", "patterns:cross-window-continuity-handoff"),
        ("cases", "…", "修复 Docker 崩溃：重启容器", "cases:修复-docker-崩溃-重启容器"),
        ("profile", "User's name is “Ana”", None, "profile:users-name-is-ana"),
        (
            "profile", "用户：在上海做后端开发，喜欢简洁的代码风格", None,
            "profile:用户-在上海做后端开发-喜欢简洁的代码风格",
        ),
        (
            "entities", "RecallNest is the shared memory layer for Claude Code, Codex, and Gemini CLI", None,
            "entities:recallnest-is-the-shared-memory-layer-for-claude-code-codex-and-gemini-cli",
        ),
    ],
)  # fmt: skip
def test_other_categories_get_a_slug_of_title_or_text(category: str, text: str, title: str | None, key: str) -> None:
    assert canonical_key(category, text, title=title) == key


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ("Project RecallNest Positioning!", "project-recallnest-positioning"),
        ("A__B--C", "a-b-c"),
        ("'quoted' \"key\"", "quoted-key"),
        ("user-reply-style", "user-reply-style"),
        ("Team : Style", "team:style"),
    ],
)
def test_a_given_key_becomes_a_slug(given: str, key: str) -> None:
    assert explicit_key(given) == key


def test_a_given_key_of_which_nothing_is_left_is_derived_instead() -> None:
    assert explicit_key("---") is None
    assert canonical_key("profile", "Likes tea", given="---") == "profile:likes-tea"


@pytest.mark.parametrize(("text", "_"), PREFERENCES)
def test_a_derived_key_given_back_stays_as_it_is(text: str, _: str) -> None:
    key = canonical_key("preferences", text)
    assert explicit_key(key) == key


def test_every_script_keeps_its_letters_and_no_two_texts_share_a_key() -> None:
    keys = {canonical_key("preferences", text) for text in SCRIPTS}
    assert len(keys) == len(SCRIPTS)
    assert "preferences:memory" not in keys


def test_a_text_without_a_letter_is_told_by_a_hash() -> None:
    assert canonical_key("preferences", "!!!").startswith("preferences:memory-")
    assert canonical_key("preferences", "!!!") != canonical_key("preferences", "???")


def test_two_long_texts_that_begin_alike_have_different_keys() -> None:
    start = "the payments service keeps its ledger in a table that is partitioned by month and archived " * 2
    one, other = (canonical_key("entities", f"{start[:140]} {end}") for end in ("in Dublin", "in Frankfurt"))
    assert one != other
    # category, colon, slug, hyphen, eight digits
    assert len(one) <= len("entities:") + SLUG_LIMIT + 9
    assert explicit_key(one) == one


def test_differences_of_width_and_case_make_no_other_key() -> None:
    assert canonical_key("entities", "ＡＢＣ Team") == canonical_key("entities", "abc team")


def test_texts_are_compared_without_blanks_and_capitals() -> None:
    assert fingerprint("User  prefers\nTea ") == fingerprint("user prefers tea")
    assert fingerprint("tea") != fingerprint("teas")


def test_pronouns_are_no_subject() -> None:
    assert slot_of("I use it for work") is None


def test_several_items_are_no_slot() -> None:
    assert slot_of("我喜欢麦当劳的薯条、可乐") is None


def test_idioms_with_from_are_no_brand() -> None:
    assert derived_key("preferences", "I like coffee from time to time")[1] is None


def test_the_slot_in_a_key_is_the_slot_of_its_text() -> None:
    slot = slot_of("Uses Bun over Node.")
    assert slot is not None
    assert slot_in_key(slot.key) == slot
    assert slot_in_key("user-reply-style") is None
