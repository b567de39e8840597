"""What a preference is about, if that can be told: a brand's item, a style of reply, a choice of tools, a thing used.

Two statements with the same slot speak of the same preference, however they are worded. Where the
wording leaves a doubt (several items at once, a tool nobody knows) there is no slot.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

BRAND_ITEM, REPLY_STYLE, TOOL_CHOICE, USAGE = "brand-item", "reply-style", "tool-choice", "implicit-usage"

# Longer texts are no statement of one preference.
_LONGEST = 400

_ROLE = re.compile(r"^\s*\[(?:用户|助手)\]\s*")
_BLANKS = re.compile(r"\s+")
_FRONT = re.compile(r"^[\s\"'“”‘’「」『』.]+")
_BACK = re.compile(r"[\s\"'“”‘’「」『』.!?,;:。！？，；：]+$")


@dataclass(frozen=True, slots=True)
class Slot:
    """What a preference is about."""

    kind: str
    parts: tuple[str, ...]      # as they stand in the key

    @property
    def key(self) -> str:
        return f"preferences:{self.kind}:{':'.join(self.parts)}"


def slot_of(text: str) -> Slot | None:
    """The slot of a preference, or None."""
    said = unicodedata.normalize("NFKC", _BLANKS.sub(" ", _ROLE.sub("", text)).strip())
    if not said or len(said) > _LONGEST:
        return None
    return _brand_item(said) or _reply_style(said) or _tool_choice(said) or _usage(said)


def slot_in_key(key: str | None) -> Slot | None:
    """The slot that a derived key names, or None."""
    first, _, rest = (key or "").partition(":")
    kind, _, parts = rest.partition(":")
    if first != "preferences" or kind not in (BRAND_ITEM, REPLY_STYLE, TOOL_CHOICE, USAGE) or not parts:
        return None
    return Slot(kind, tuple(parts.split(":")))


def _token(text: str) -> str:
    """A part of a slot: without quotes, final punctuation and blanks, in lower case."""
    return _BLANKS.sub("", _BACK.sub("", _FRONT.sub("", text))).lower()


# an item of a brand

_CHINESE_ITEM = re.compile(
    r"(?:^|[\s。！？!?,，;；])(?:我|用户)?(?:很|更|还)?(?:喜欢|爱吃|偏爱|常吃|想吃)[吃喝用买]?"
    r"(?P<brand>[\u3400-\u9fffA-Za-z0-9&·'\-]{1,24}?)的(?P<items>[^。！？!?;；\n]{1,80})"
)
_ENGLISH_ITEM = re.compile(
    r"^(?:(?:i|(?:the )?user) )?(?:(?:really|still|also) )?(?:likes?|loves?|prefers?|enjoys?) "
    r"(?P<items>[A-Za-z0-9'’&\- ,]{1,80}?) from (?P<brand>[A-Za-z0-9'’&.\- ]{1,80})",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"因为|所以|但是|不过|\s+(?:if|when|while|because|but|since|although|after|before|whenever)\b", re.IGNORECASE
)
_CLAUSE_MARK = re.compile(r"[,，](?=\s*(?:因为|所以|但是|不过))")
_SEVERAL = re.compile(r"[、,，/&]|以及|及|与|和|\s+and\s+", re.IGNORECASE)
# "I like tea from time to time", "I prefer working from home".
_NO_BRANDS = frozenset({"timetotime", "nowon", "home", "here", "there", "scratch", "thestart", "thebeginning"})
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)


def _brand_item(said: str) -> Slot | None:
    found = _CHINESE_ITEM.search(said)
    if found is None:
        found = _ENGLISH_ITEM.match(said)
    if found is None:
        return None
    items = _one_item(found["items"])
    brand = _token(_CLAUSE.split(found["brand"], maxsplit=1)[0])
    if items is None or not brand or len(brand) > 40 or brand in _NO_BRANDS or found["items"].lower().startswith("to "):
        return None
    return Slot(BRAND_ITEM, (brand, items))


def _one_item(text: str) -> str | None:
    """The only item named, or None."""
    cut = _CLAUSE.split(_CLAUSE_MARK.sub(" ", text), maxsplit=1)[0]
    items = [item for part in _SEVERAL.split(cut) if (item := _token(_ARTICLE.sub("", part.strip())))]
    return items[0] if len(items) == 1 else None


# a style of reply

_TRAITS = {
    "concise": (r"\b(?:concise|brief|short)\b", "简洁|简短|短句|少废话|少空话|精炼"),
    "direct": (r"\b(?:direct|straight|straightforward)\b|\bto the point\b", "直说|直接|不绕弯|别绕弯|开门见山"),
    "colloquial": (r"\b(?:colloquial|conversational|casual)\b", "口语化|像聊天|像朋友聊天"),
    "grounded": (
        r"\b(?:grounded|non-?salesy|non-?hype)\b|\bavoid (?:sales language|hype)\b",
        "不浮夸|不鸡血|不说教|不营销|别太飘|不端着|别太端着",
    ),
    "technical": (r"\btechnical\b", "逻辑清晰|讲清楚|讲明白|技术向"),
}
_TRAIT_CUES = {
    trait: re.compile(f"{english}|{chinese}", re.IGNORECASE) for trait, (english, chinese) in _TRAITS.items()
}
_ABOUT_REPLIES = re.compile(
    r"\b(?:repl(?:y|ies)|responses?|respond(?:ing)?|writing|tone|voice|style)\b|回复|回答|语气|写作|表达|风格|措辞|说话",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:prefer(?:s|red)?|wants?|please|avoid|keep|need(?:s|ed)?)\b|偏好|喜欢|希望|请|要|不接受|避免|尽量|最好",
    re.IGNORECASE,
)


def _reply_style(said: str) -> Slot | None:
    traits = sorted(trait for trait, cue in _TRAIT_CUES.items() if cue.search(said))
    if not traits:
        return None
    if _ABOUT_REPLIES.search(said) or (len(traits) > 1 and _WISH.search(said)):
        return Slot(REPLY_STYLE, tuple(traits))
    return None


# a choice of tools

_ALIASES = {
    "bunjs": "bun", "node.js": "node", "nodejs": "node", "ripgrep": "rg", "claude": "claude-code",
    "claudecode": "claude-code", "vs-code": "vscode", "vscodeinsiders": "vscode", "nvim": "neovim",
}  # fmt: skip
_TOOLS = frozenset({
    "bun", "bunx", "node", "npm", "pnpm", "yarn", "npx", "uv", "pip", "python", "docker", "podman", "rg", "grep",
    "git", "claude-code", "codex", "gemini", "cursor", "vscode", "vim", "neovim",
})  # fmt: skip
_NAME = r"[A-Za-z0-9][A-Za-z0-9.+\-]{0,23}(?: code)?"
_ENGLISH_CHOICE = re.compile(
    rf"^(?:(?:i|(?:the )?user) )?(?:(?:really|always|usually|generally|mostly|still|also|now) )?"
    rf"(?:us(?:es?|ing)|prefer(?:s|red)?|pick(?:s|ed)?) (?P<wanted>{_NAME}) (?:over|instead of|rather than) "
    rf"(?P<other>{_NAME})[.!?。！？]*$",
    re.IGNORECASE,
)
_CHINESE_CHOICE = (
    re.compile(
        rf"(?:更喜欢|喜欢|偏好|倾向|优先)(?:使用|用)?\s*(?P<wanted>{_NAME})\s*"
        rf"(?:而不是|而非|不用|不选|代替|替代|优先于|胜过)\s*(?P<other>{_NAME})",
        re.IGNORECASE,
    ),
    re.compile(rf"(?:使用|用)\s*(?P<wanted>{_NAME})\s*(?:不用|代替|替代)\s*(?P<other>{_NAME})", re.IGNORECASE),
)


def _tool_choice(said: str) -> Slot | None:
    for pattern in (_ENGLISH_CHOICE, *_CHINESE_CHOICE):
        found = pattern.match(said) if pattern is _ENGLISH_CHOICE else pattern.search(said)
        if found is not None:
            wanted, other = _tool(found["wanted"]), _tool(found["other"])
            if wanted is not None and other is not None and wanted != other:
                return Slot(TOOL_CHOICE, (wanted, "over", other))
    return None


def _tool(text: str) -> str | None:
    name = _token(text)
    name = _ALIASES.get(name, name)
    return name if name in _TOOLS else None


# a thing used, had, enjoyed or learnt

_WHO = r"(?:i|(?:the )?user)"
_END = r"(?=\s+(?:for|to|in|at|on|as|which|because|since|every|when)\b|[.,;:!?。，；：！？]|$)"
_DEVICE = (
    r"(?:camera|phone|smartphone|laptop|tablet|computer|car|bike|bicycle|motorcycle|guitar|piano|monitor|keyboard|"
    r"mouse|watch|headphones?|speakers?|printer|console|drone|lens)"
)
_THING = r"(?P<thing>[^.,;:!?。，；：！？]{1,60}?)"
_ENGLISH_USE = (
    re.compile(
        rf"^{_WHO} (?:also )?(?:use[sd]?|using|am using|is using|(?:have|has) been using|works? with) {_THING}{_END}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^{_WHO} (?:also )?(?:have|has|owns?|bought|got) (?:an? |the )?{_THING}"
        rf"(?=\s+{_DEVICE}\b|[.,;:!?。，；：！？]|$)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^{_WHO} (?:enjoys?|loves?|really likes?) (?:to )?(?:(?:use|using) )?{_THING}{_END}", re.IGNORECASE
    ),
    re.compile(
        rf"^(?:i'm|i’m|i am|(?:the )?user is) (?:learning|studying|interested in|passionate about) {_THING}{_END}",
        re.IGNORECASE,
    ),
)
_HAN_END = r"(?=[\s.,;:!?。，；：！？]|$)"
_HAN_THING = r"(?P<thing>[^\s.,;:!?。，；：！？]{1,30}?)"
_CHINESE_USE = (
    re.compile(
        rf"(?:我|用户)(?:在|正在)?(?:使用|用){_HAN_THING}(?=来|做|进行|处理|开发|编辑|[\s.,;:!?。，；：！？]|$)"
    ),
    re.compile(rf"(?:我|用户)(?:有|买了|入了)(?:一)?[个台部套]?{_HAN_THING}{_HAN_END}"),
    re.compile(rf"(?:我|用户)很?(?:喜欢|爱|享受)[做玩学用]{_HAN_THING}{_HAN_END}"),
    re.compile(rf"(?:在学|正在学|在研究){_HAN_THING}{_HAN_END}"),
)
# Said of something that only the conversation names.
_PRONOUNS = frozenset({
    "it", "this", "that", "these", "those", "them", "they", "him", "her", "he", "she", "you", "me", "us", "we", "one",
    "ones", "everything", "anything", "nothing", "something", "both", "all", "some", "none", "which", "what",
    "它", "这", "那", "这个", "那个", "它们", "这些", "那些", "他", "她", "他们", "她们", "你", "什么",
})  # fmt: skip


def _usage(said: str) -> Slot | None:
    for pattern in (*_ENGLISH_USE, *_CHINESE_USE):
        found = pattern.search(said)
        if found is not None:
            thing = _token(found["thing"])
            if len(thing) >= 2 and thing not in _PRONOUNS:
                return Slot(USAGE, (thing,))
    return None
