"""What a model is asked for a digest: the state as it stands, and what is new, all of it fenced as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import orjson

from memory.models.prompt import Messages, Wording, ask, plain
from memory.state.digest.likeness import has_cjk
from memory.state.digest.select import Log, Read
from memory.state.digest_state import DigestState
from memory.state.facets import Pack

SECTION = 60_000        # characters of one block
PASSES = 12             # questions at most; of more material the newest counts
FORGOTTEN = 100         # forgotten statements that are named, the newest
_LINE = 20_000          # characters of one line
_MARK = " […]"

_ASKED: Wording = {
    "en": (
        "You write the digest of a memory. <scope> says what it is about, <last_digest> is the digest so far, <state> "
        "is what is settled and always right, <events> and <documents> are what is new. Answer with one JSON object: "
        '{"summary": "…", "changes": ["…"], "nextSteps": ["…"], "profileFacts": [{"facet": "…", "value": "…", '
        '"entities": ["…"]}]}. The summary has at most 120 words. At most 3 changes since the last digest, 1 to 3 next '
        "steps that somebody can act on. Say nothing that is not in the data, and never contradict <state>. Where "
        "something was corrected keep only the newest value. profileFacts are lasting facts that the new data states, "
        "each under a facet of <facets>, at most 500 characters; leave the list empty rather than guess. Nothing in "
        "<forgotten> may be told, recorded or derived again. Name no ids."
    ),
    "zh": (
        "你为一份记忆写摘要。<scope> 说明它关于什么，<last_digest> 是到目前为止的摘要，<state> "
        "是已确定且始终正确的内容，"
        "<events> 与 <documents> 是新内容。只回答一个 JSON 对象："
        '{"summary": "…", "changes": ["…"], "nextSteps": ["…"], "profileFacts": [{"facet": "…", "value": "…", '
        '"entities": ["…"]}]}。summary 不超过 120 个词；changes 最多 3 条，是与上次摘要相比的变化；nextSteps '
        '为 1 到 3 条可'
        "执行的步骤。不要写数据中没有的内容，绝不与 <state> 矛盾；若有更正，只保留最新的值。profileFacts "
        "是新数据中陈述的长期"
        "事实，每条归入 <facets> 中的一个 facet，不超过 500 字；宁可留空也不要猜测。<forgotten> "
        "中的内容绝不可再次说出、记录"
        "或推导。不要写任何 id。"
    ),
}
_CORRECTED: Wording = {
    "en": (
        " Your last answer was not acceptable: <correction> names what was wrong, with the line and the settled fact "
        "that it contradicts. Write the digest again without that."
    ),
    "zh": "你的上一个回答不可接受：<correction> 指出了问题、出错的那一行以及与之矛盾的既定事实。请去掉它，重新写摘要。",
}
_MERGED: Wording = {
    "en": (
        "Some facts of a memory say the same or belong together. Merge them where nothing is lost: answer with a JSON "
        'list of {"text": "…", "mergedFrom": [1, 2]} in which mergedFrom holds the numbers of the lines in '
        '<facts> that '
        "the text takes the place of. Every line must be named once; a line that stays as it is is named alone with "
        "its own text. Where two contradict each other the one marked (document) is right. Add nothing. At most 500 "
        "characters each."
    ),
    "zh": (
        '一份记忆中的一些事实说的是同一件事或应归在一起。在不丢失任何内容的前提下合并：只回答 JSON 列表，'
        '元素为 {"text": "…", '
        '"mergedFrom": [1, 2]}，mergedFrom 是 <facts> 中被该文本取代的行号。每一行都必须出现一次；'
        '保持不变的行单独列出并保留'
        "原文。若两条矛盾，以标有 (document) 的为准。不要添加任何内容。每条不超过 500 字。"
    ),
}


def language(found: Sequence[Read], told: str) -> str:
    """The language that a model is asked in: that of most of the material."""
    texts = [one.piece.text for one in found[-60:]] or [told]
    return "zh" if sum(map(has_cjk, texts)) * 2 > len(texts) else "en"


def packed(documents: Sequence[Read], deltas: Sequence[Read], log: Log) -> list[tuple[list[str], list[str]]]:
    """The material in passes of (documents, events), oldest first; of more than can be asked about the newest."""
    passes: list[tuple[list[str], list[str]]] = []
    size = SECTION + 1
    for is_document, line in _material(documents, deltas):
        if size + len(line) > SECTION:
            passes.append(([], []))
            size = 0
        passes[-1][0 if is_document else 1].append(line)
        size += len(line) + 1
    beyond = passes[:-PASSES]
    if beyond:
        log.counts["chunks_beyond_limit"] += len(beyond)
        log.drop("chunks_beyond_limit", chunks=len(beyond), lines=sum(len(one) + len(other) for one, other in beyond))
    return passes[-PASSES:]


def _material(documents: Sequence[Read], deltas: Sequence[Read]) -> Iterator[tuple[bool, str]]:
    for one in documents:
        text = f"- {one.piece.key or 'document'}: {one.piece.text}"
        yield from ((True, text[start : start + _LINE]) for start in range(0, len(text), _LINE))
    for one in deltas:
        text = f"- [{one.kind}] {' '.join(one.piece.text.split())}"
        yield False, text if len(text) <= _LINE else text[: _LINE - len(_MARK)] + _MARK


def question(
    language: str,
    *,
    scope: Mapping[str, str],
    told: str,
    state: DigestState,
    events: Sequence[str],
    documents: Sequence[str],
    pack: Pack,
    forgotten: Sequence[str],
    correction: Sequence[str] = (),
) -> Messages:
    """The messages of one pass."""
    wording = {key: text + (_CORRECTED[key] if correction else "") for key, text in _ASKED.items()}
    blocks: dict[str, Sequence[str]] = {
        "scope": [f"{name}: {' '.join(value.split())[:500]}" for name, value in scope.items() if value],
        "last_digest": [told[:SECTION]],
        "state": [_bounded(state)],
        "facets": [f"{facet.name}: {facet.description}" for facet in pack.facets],
        "forgotten": [line[:500] for line in forgotten[-FORGOTTEN:]],
        "documents": documents,
        "events": events,
    }
    if correction:
        blocks["correction"] = correction
    return ask(wording, language, {}, **blocks)


def merging(language: str, lines: Sequence[str]) -> Messages:
    return ask(_MERGED, language, {}, facts=[f"[{number}] {line}" for number, line in enumerate(lines, start=1)])


def _bounded(state: DigestState) -> str:
    """The state as JSON without evidence; where that is too long whole lines go, the oldest of the longest list."""
    lists = {
        "constraints": [one.value for one in state.constraints],
        "decisions": [one.value for one in state.decisions],
        "todos": [one.value for one in state.todos],
        "openQuestions": [one.value for one in state.questions],
        "risks": [one.value for one in state.risks],
        "context": [one.value for one in state.context],
    }
    goal = state.goal.value[:_LINE] if state.goal is not None else None
    sizes = {name: sum(len(value) + 4 for value in values) for name, values in lists.items()}
    while sum(sizes.values()) > SECTION - _LINE:
        name = "context" if lists["context"] else max(sizes, key=lambda one: sizes[one])
        sizes[name] -= len(lists[name].pop(0)) + 4
    return plain(orjson.dumps({"goal": goal, **lists}).decode())
