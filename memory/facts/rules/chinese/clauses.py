"""From a Chinese sentence to clauses the rules can read."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.facts.rules.chinese.words import KIN, PEOPLE
from memory.facts.rules.clause import Clause

LONGEST_CLAUSE = 120


# Traditional characters of the words the rules look for; the values of statements stay as they were written.
_TRADITIONAL = dict(
    zip(
        "歡貓養過說愛嗎們個現實對這還會來時間後樣歲樂學習車電腦腦買賣讀書寫畫講話語國際園圖聽點開關門問題覺寶媽師醫護員業務職場館號頭臉髮討厭飯麵魚雞鳥龍馬廣東華兒女親戀從沒無為與處長難過傷緊張體週離婚貴請記憶幾麼氣機線經濟練營運動隻條雙總終於當裡裏樓廚藥檢查傳統應該較錯誤準備計畫劃決辭離換",
        "欢猫养过说爱吗们个现实对这还会来时间后样岁乐学习车电脑脑买卖读书写画讲话语国际园图听点开关门问题觉宝妈师医护员业务职场馆号头脸发讨厌饭面鱼鸡鸟龙马广东华儿女亲恋从没无为与处长难过伤紧张体周离婚贵请记忆几么气机线经济练营运动只条双总终于当里里楼厨药检查传统应该较错误准备计画划决辞离换",
        strict=True,
    )
)


_FILLER = re.compile(
    r"^(?:嗯+|啊+|哦+|噢|呃+|额+|诶|欸|哎呀?|唉|嘿嘿?|哈+|嘻嘻|呜+|哇塞?|喂|嗨|hi|hello|hey|你好呀?|"
    r"早安?|早上好|晚上好|下午好|对了|对呀|对啊|对|是的|是啊|是呀|好的|好呀|好啊|好吧|没错|"
    r"话说回来|话说|说起来|说实话|说真的|讲真的?|老实说|老实讲|不瞒你说|实话说|其实吧|其实|就是说|"
    r"就是|那个|这个嘛|怎么说呢|反正|总之|不过|但是|但|可是|而且|并且|然后|所以|因为|由于|毕竟|另外|"
    r"还有|顺便说一下|"
    r"顺便说一句|顺便|顺带一提|告诉你(?:一件事|个好消息|个坏消息|个秘密|哦|啊)?|跟你说(?:一件事|个事|"
    r"哦|啊|一下)?|跟你讲(?:个事|哦)?|和你说(?:个事)?|你知道吗|你知道么|你猜怎么着|我跟你说(?:啊|哦|"
    r"个事)?|我告诉你(?:啊|哦)?|我想说|我想告诉你|我要告诉你|"
    r"悄悄告诉你|偷偷告诉你|事实上|实际上|准确地?说|确切地说|严格来说|老样子|真的|当然|谢谢|谢啦|抱歉|"
    r"不好意思|好消息|坏消息|自我介绍一下|介绍一下|如你所知|你也知道|提醒你一下|补充一下|补充一点|"
    r"虽然|尽管|只是|只不过|结果|于是|终于|幸好|还好|可惜|没想到|别看|不像别人|不像你|唔|emm+|emmm*|"
    r"嘛|呐|哼|呵|OK|ok|主要是|关键是|问题是|一方面|首先|其次|最后|首先呢|再说|再者|同时)[，,、：: "
    r"。.！!~]*"
)


_CHANGE_HEAD = re.compile(
    r"^(?:其实|不对|不是啦?|等等|等一下|说错了|我说错了|口误|更正(?:一下)?|纠正(?:一下)?|准确地?说|"
    r"更新一下|你记错了|你搞错了|你弄错了|记错了|搞错了|改主意了|我改主意了|之前说错了|之前骗你的|"
    r"不不|不不不|才不是|现在不是了|情况变了)[，,、：: ]*"
)


_CHANGE_INSIDE = re.compile(
    r"不再|再也不|已经不|现在不|其实|改成|换成|改为|不是.{1,20}(?:而是|，是|是)|以前.{1,20}现在|"
    r"早就不|早就没|不.{1,12}了$|没.{1,8}了$|戒"
)


_COMMA = re.compile(r"[，,]\s*")


_JOINT = re.compile(
    r"(?:[，, ]|(?<=[^\s]))(?:但是|但|可是|不过|所以|因为|而且|并且|然后|同时|另外|虽然|只是)(?=(?:我|"
    r"你|他|她|它|我们|最近|现在|也|又|还|不|没|今天|昨天|明天))"
)


_SPACE = re.compile(r"(?<=[\u4e00-\u9fff啊呀啦哦])\s+(?=[\u4e00-\u9fff])")


_RUN_ON = re.compile(
    r"(?<=[^的，,是说觉得在和跟给对让叫请陪找为被把除比像知道当等如果因为虽但而]{1})(?=我(?:叫|住在|"
    r"今年|是(?:一名|一个|个|名|做)|在[^，,]{1,12}(?:工作|上班|上学|读书)|喜欢|最喜欢|讨厌|养了|"
    r"家有))"
)


_TAIL = re.compile(
    r"(?:[啊呀啦哦噢喔哈呢嘛呗咯喽哟嘿捏欸诶叭耶惹]|(?<=[一-龥])的说|哈哈+|嘿嘿|hhh+|233+|~|www+|"
    r"呜呜+|嘻嘻|来着|而已|就是了|呵呵|awa|qwq|QAQ|orz|lol)+$"
)


REMEMBER = re.compile(
    r"^(?:请|拜托|麻烦)?(?:你)?(?:一定|千万|务必|可|要|得|必须|可以|能不能|帮我|给我|"
    r"替我)*(?:要)?(?:记住|记得|记好|记着|记一下|记下来|别忘了|不要忘了|别忘记|不要忘记|牢记)(?:了|哦|"
    r"啊|呀|哈|一下|一点|这件事|一件事|这个)*[，,：: ]*(?!要|早|吃|喝|睡|带|想|给|来|去|叫|提醒|多|穿|"
    r"按时|休息|我吗|我哦?$|我呀|吗|你|回|看|关|锁|打|发|帮|买)"
)


_ASK_TAIL = re.compile(
    r"^(?:那|所以|话说|不知道)?(?:你|您|妳)|^(?:有没有|有什么|怎么|为什么|为啥|咋|什么|啥|哪|谁|几|"
    r"多少|是不是|能不能|会不会|要不要|该不该|可不可以|知道|猜|想不想|需要|要准备|应该|该怎么|该|推荐|"
    r"有推荐|难吗|好吗|怎样|如何)|(?:怎么办|怎么样|咋办|咋样|如何)$"
)


_ASKING = re.compile(
    r"(?:吗|么|呢|嘛)$|什么|怎么|哪[里个儿些种]|谁|几[点个]|多少|好不好|行不行|能不能|会不会|要不要|"
    r"有没有|是不是|合适|推荐|[一-龥]不[一-龥]"
)


_SOFT_TAIL = re.compile(r"^(?:好吗|好不好|行吗|可以吗|好嘛|好么|行不|okay吗|ok吗|OK吗|好不|嗯)$")


_TAG = re.compile(r"^(?:对吧|是吧|对不对|是不是|对吗|是吗|不是吗|没错吧|不对吗)$")


_OPEN = re.compile(r"^.{1,4}$")  # too short to be about someone


_LEFT_OUT = re.compile(
    r"^(?:最近|近来|这几天|今天|昨天|明天|后天|前天|今晚|昨晚|下周|上周|周末|平时|一般|每|今年|去年|"
    r"明年|现在|目前|刚|其实|也|还|住|喜欢|最喜欢|最爱|讨厌|不喜欢|在|是[一个名]|学|养|有|家里|"
    r"会|不会|打算|准备|计划|来自|毕业|从小|经常|总是|对.{1,8}过敏|不吃|受不了|已经|终于|又|特别|很|"
    r"超|比较|单身|结婚|\d|[一二三四五六七八九十]+岁|做|当|从|老家|生日|叫|爱|想|要|去|买|看|吃|今早)"
)


_SUBJECT = re.compile(r"^(?:我|俺|咱|你|您|他|她|它|我们|咱们|这|那|大家|有人|人家|别人|谁|老板|妈|爸)")


def restored(text: str) -> dict[int, str]:
    """For each character of the text that ``normalise`` writes in its simplified form, the way back."""
    return {ord(_TRADITIONAL[char]): char for char in text if char in _TRADITIONAL}


def normalise(text: str) -> str:
    """Widths and spaces made even; the words as spoken."""
    text = "".join(_TRADITIONAL.get(char, char) for char in text).replace(",", "，")
    text = re.sub(r"(?<=\d)，(?=\d{3})", ",", text)
    return before_condition(_SPACE.sub("，", " ".join(text.split())))


def split_asked(text: str) -> tuple[str, bool] | None:
    """Of a sentence that ends in a question, the part that was told before; and whether the question only softens it.

    None when all of it is asked.
    """
    pieces = [piece for piece in _COMMA.split(text) if piece]
    if len(pieces) < 2:
        soft = re.match(r"^(.*(?:叫我|记住|记得|别忘).*?)(?:好吗|好不好|行吗|可以吗|好嘛)$", text)
        return (soft[1], True) if soft else None
    if _SOFT_TAIL.match(pieces[-1]):
        return "，".join(pieces[:-1]), True
    if _TAG.match(pieces[-1]):
        return None
    for at in range(1, len(pieces)):
        if _ASK_TAIL.search(pieces[at]) or _ASKING.search(pieces[at]):
            return "，".join(pieces[:at]), False
    return None


_CONDITION = re.compile(r"^(?P<told>.+?)[，](?=(?:但|不过|所以|而)?(?:如果|要是|假如|万一|若是|倘若))")
_CONDITIONED = re.compile(r"会|就|想|要|可以|愿意|肯定|一定|才|便|能")


def before_condition(text: str) -> str:
    """What was told before a condition begins, where it does not hang on it: "我喜欢猫，如果…"."""
    match = _CONDITION.match(text)
    return match["told"] if match and not _CONDITIONED.search(match["told"]) else text


def clauses(text: str, opening: bool) -> list[Clause]:
    """The clauses of a normalised sentence, in order; one without a subject carries on the speaker's.

    ``opening`` says whether a subject left out at the start can only be the speaker.
    """
    out: list[Clause] = []
    correction = remember = False
    speaker = opening  # whether a subject left out is the speaker
    for piece in _pieces(text):
        if out and re.match(r"^(?:而|并|可)?不(?:是|叫)[^是]{1,12}$", piece) and "不是" not in out[-1].text:
            out[-1] = replace(out[-1], correction=True)  # "…, not X": the same statement, against what was thought
            continue
        piece, changed = _without_fillers(piece)
        correction = correction or changed
        wanted = REMEMBER.match(piece)
        if wanted:
            remember = True
            piece, _ = _without_fillers(piece[wanted.end() :])
        if not piece:
            continue
        named = _SUBJECT.match(piece)
        if named:
            speaker = named[0] in ("我", "俺") and not re.match(
                r"我(?:们|(?:的|家)?(?:" + KIN + "|" + PEOPLE + "))", piece
            )
        elif "我" in piece:
            speaker = True
        changed = correction or bool(_CHANGE_INSIDE.search(piece))
        if named is None and not speaker and "我" not in piece:
            continue  # it goes on about someone else
        if out and re.match(r"^(?:而)?是(?!的|啊|吧)", piece) and "不是" in out[-1].text:
            out[-1] = Clause(
                text=f"{out[-1].text}，{piece}", correction=True, remember=remember, carried=out[-1].carried
            )
            continue
        out.append(
            Clause(
                text=piece,
                correction=changed,
                remember=remember,
                carried=named is None and not piece.startswith("本人"),
            )
        )
        if named is None and "我" not in piece and not _OPEN.match(piece):
            speaker = speaker and _LEFT_OUT.match(piece) is not None
    return out


def without_tail(text: str) -> str:
    """The clause without particles and laughter at its end."""
    for _ in range(4):
        shorter = _TAIL.sub("", text.strip(" ，、：:~-"))
        if shorter == text or not shorter:
            break
        text = shorter
    return text


def _without_fillers(piece: str) -> tuple[str, bool]:
    changed = False
    for _ in range(6):
        head = _CHANGE_HEAD.match(piece)
        if head and not re.match(r"不是(?:我|一|很|那)|不对.{0,6}过敏|其实$", piece):
            changed, piece = True, piece[head.end() :]
            continue
        filler = _FILLER.match(piece)
        if not filler or (
            re.match(
                r"(?:早上|早就|对(?!了|呀|啊)[^，]|真的吗|还有[一两三几]|最后|因为你|结果出|那个人|但凡|好吃|"
                r"哈尔滨|早起|当然)",
                piece,
            )
            and not re.match(r"当然|最后[，,]", piece)
        ):
            break
        piece = piece[filler.end() :]
    return piece.strip(" ，、：:"), changed


def _pieces(text: str) -> list[str]:
    out: list[str] = []
    for comma in _COMMA.split(text):
        for joint in _JOINT.split(comma):
            out.extend(_RUN_ON.split(joint) if joint.startswith("我") else [joint])
    return [piece.strip() for piece in out if piece.strip()]
