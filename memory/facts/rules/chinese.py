"""From a Chinese sentence to clauses the rules can read."""

from __future__ import annotations

import re

from memory.facts.rules.chinese_words import KIN, PEOPLE
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
    r"^(?:嗯+|啊+|哦+|噢|呃+|额+|诶|欸|哎呀?|唉|嘿嘿?|哈+|嘻嘻|呜+|哇塞?|喂|嗨|hi|hello|hey|你好呀?|早安?|早上好|晚上好|下午好|对了|对呀|对啊|对|是的|是啊|是呀|好的|好呀|好啊|好吧|没错|"
    r"话说回来|话说|说起来|说实话|说真的|讲真的?|老实说|老实讲|不瞒你说|实话说|其实吧|其实|就是说|就是|那个|这个嘛|怎么说呢|反正|总之|不过|但是|但|可是|而且|并且|然后|所以|因为|由于|毕竟|另外|还有|顺便说一下|"
    r"顺便说一句|顺便|顺带一提|告诉你(?:一件事|个好消息|个坏消息|个秘密|哦|啊)?|跟你说(?:一件事|个事|哦|啊|一下)?|跟你讲(?:个事|哦)?|和你说(?:个事)?|你知道吗|你知道么|你猜怎么着|我跟你说(?:啊|哦|个事)?|我告诉你(?:啊|哦)?|我想说|我想告诉你|我要告诉你|"
    r"悄悄告诉你|偷偷告诉你|事实上|实际上|准确地?说|确切地说|严格来说|老样子|真的|当然|谢谢|谢啦|抱歉|不好意思|好消息|坏消息|自我介绍一下|介绍一下|如你所知|你也知道|提醒你一下|补充一下|补充一点|"
    r"虽然|尽管|只是|只不过|结果|于是|终于|幸好|还好|可惜|没想到|别看|不像别人|不像你|唔|emm+|emmm*|嘛|呐|哼|呵|OK|ok|主要是|关键是|问题是|一方面|首先|其次|最后|首先呢|再说|再者|同时)[，,、：: 。.！!~]*"
)
_CHANGE_HEAD = re.compile(
    r"^(?:其实|不对|不是啦?|等等|等一下|说错了|我说错了|口误|更正(?:一下)?|纠正(?:一下)?|准确地?说|更新一下|你记错了|你搞错了|你弄错了|记错了|搞错了|改主意了|我改主意了|之前说错了|之前骗你的|不不|不不不|才不是|现在不是了|情况变了)[，,、：: ]*"
)
_CHANGE_INSIDE = re.compile(r"不再|再也不|已经不|现在不|其实|改成|换成|改为|不是.{1,20}(?:而是|，是|是)|以前.{1,20}现在|早就不|早就没|不.{1,12}了$|没.{1,8}了$|戒")
_COMMA = re.compile(r"[，,]\s*")
_JOINT = re.compile(r"(?:[，, ]|(?<=[^\s]))(?:但是|但|可是|不过|所以|因为|而且|并且|然后|同时|另外|虽然|只是)(?=(?:我|你|他|她|它|我们|最近|现在|也|又|还|不|没|今天|昨天|明天))")
_SPACE = re.compile(r"(?<=[\u4e00-\u9fff啊呀啦哦])\s+(?=[\u4e00-\u9fff])")
_RUN_ON = re.compile(r"(?<=[^的，,是说觉得在和跟给对让叫请陪找为被把除比像知道当等如果因为虽但而]{1})(?=我(?:叫|住在|今年|是(?:一名|一个|个|名|做)|在[^，,]{1,12}(?:工作|上班|上学|读书)|喜欢|最喜欢|讨厌|养了|家有))")
_TAIL = re.compile(r"(?:[啊呀啦哦噢喔哈呢嘛呗咯喽哟嘿捏欸诶叭耶惹]|(?<=[一-龥])的说|哈哈+|嘿嘿|hhh+|233+|~|www+|呜呜+|嘻嘻|来着|而已|就是了|呵呵|awa|qwq|QAQ|orz|lol)+$")

REMEMBER = re.compile(
    r"^(?:请|拜托|麻烦)?(?:你)?(?:一定|千万|务必|可|要|得|必须|可以|能不能|帮我|给我|替我)*(?:要)?(?:记住|记得|记好|记着|记一下|记下来|别忘了|不要忘了|别忘记|不要忘记|牢记)(?:了|哦|啊|呀|哈|一下|一点|这件事|一件事|这个)*[，,：: ]*(?!要|早|吃|喝|睡|带|想|给|来|去|叫|提醒|多|穿|按时|休息|我吗|我哦?$|我呀|吗|你|回|看|关|锁|打|发|帮|买)"
)

SENTENCE_DROPS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("conditional", re.compile(r"如果|要是|假如|假设|假使|倘若|万一|除非|的话(?!题|剧|筒|费)|哪怕|就算|即使|只要.{1,15}就|要不然|否则|若是")),
    ("hypothetical", re.compile(r"想象一下|幻想|梦想着有一天|就好了|该多好|多希望|恨不得|要不是|差点|差一点|本来想|本来要|原本打算|好想有|真想有|如有来生|下辈子|上辈子|来世|穿越|平行世界|平行宇宙|有一天我会|说不定|白日梦|做梦都|早知道")),
    ("reported", re.compile(
        rf"(?:他|她|他们|她们|人家|别人|有人|大家|网友|网上|书上|书里|新闻|据|听|{PEOPLE}|{KIN}|医生|大夫|同事们|亲戚|专家|店员|[A-Z][a-z]+|小[一-龥])(?:也|总|老|总是|经常|还|都|就|又|一直|以前|昨天|今天|刚才|刚刚)*"
        r"(?:跟我|对我|和我|告诉|问)?(?:说过|说|讲过|讲|觉得|认为|以为|表示|声称|问我|告诉我|告诉|吐槽|抱怨|催我|骂我|夸我|写道|回我|建议|觉着|嫌我|称)")),
    ("reported", re.compile(r"据说|听说|传闻|根据|谣言|引用|原话|我(?:跟|对|和|给)(?!你)[^，,]{1,8}(?:说|讲)|我(?:回|答|问|骗|告诉)(?:他|她|他们|老板|妈|爸|医生)")),
    ("quoted", re.compile(r"(?:歌词|台词|名言|古诗|诗句|俗话|谚语|成语|有句话|有一句|那句话|唱到|唱的|唱着|歌里|书名|签名|弹幕|标语|口号|朗诵)")),
    ("fiction", re.compile(
        r"(?:小说|故事|剧情|游戏|电影|动漫|动画|漫画|剧|书|番|副本|剧本杀|桌游|狼人杀|原神|王者|我的世界|模拟人生|动森|星露谷|剧本|电视剧|综艺|设定|文)(?:里面|里|中|当中)(?!.{0,4}(?:最喜欢|喜欢|讨厌))|主角|男主|女主|反派|"
        r"这(?:个|部|本)(?:小说|电影|故事|剧|游戏|番)|那(?:个|部|本)(?:小说|电影|故事|剧)")),
)
FRAME = re.compile(
    r"角色扮演|扮演|假装|假扮|cos成|语c|语C|跑团|我的角色|我的人设|我的oc|我的OC|我oc|人物设定|设定是|背景设定|设定：|旁白|从前有|很久很久以前|从前|话说从前|"
    r"我(?:昨晚|昨天|今天|刚刚|刚才|前天|又|经常|老是|最近)?(?:做了?(?:个|一个)[^，,]{0,8}梦|梦见|梦到)|梦里|在梦中|噩梦|玩个游戏|来玩.{0,6}游戏|接龙|续写|(?:请|给我|替我|^)写(?:一|个|首|篇|段|封|一下|点)|帮我写|改写|润色|翻译|造句|仿写|改一下这|修改(?:一下)?(?:这|下)|总结(?:一下)?(?:这|下)|概括|"
    r"缩写|扩写|校对|例如|例句|比如说?[：:]|举个例子|打个比方|怎么用.{1,8}说|用.{1,6}怎么说|情景对话|模拟一下|假定|脑筋急转弯|谜语|绕口令|土味情话|段子|讲个笑话|我来演|你来演|你演|我演|来演|入戏|剧本[：:]|场景[：:]|题目[：:]|作文|朗读|跟我读|跟我念|平行世界|你现在是一(?:个|名|只|位)|你是一(?:个|名|位)(?!.{0,6}(?:好|可爱|温柔|善良|聪明|特别|很棒))"
)
JOKING = re.compile(r"开玩笑(?:的|啦|哈)|骗你的|逗你(?:的|玩)|我瞎(?:说|编)的|瞎编的|我乱说的|才怪|(?<!不是)说笑的|愚人节")
INSTRUCTION = re.compile(
    r"(?:忽略|无视|忘记|忘掉|覆盖|绕过)(?:掉)?(?:之前|以上|上面|先前|前面|所有|一切|你的|全部|系统)+(?:的)?(?:所有|全部|一切)?(?:指令|提示|提示词|设定|规则|对话|消息|要求|限制|内容)|"
    r"(?:你)?(?:必须|务必|一定要|应当|需要)(?:永远|始终)?(?:存储|保存|写入|录入|存入|服从|遵守|听从|记录)|(?:请)?(?:将|把)(?:以下|下面|这条|这句|此|该|这段|上述|如下).{0,10}(?:存入|写入|加入|保存|记录|存储|记为|添加)|"
    r"(?:写入|存入|存储到|保存到|添加到|加入|录入)(?:你的|长期)?(?:记忆|数据库|记忆库|档案)|(?:更新|修改|删除|清空|清除|重置|覆盖)(?:你的|所有|全部|长期)*(?:记忆|记忆库|事实)|记住以下|记住下面|记录以下|以下(?:内容|信息|事实)|"
    r"^\W*(?:系统|系统提示|系统消息|系统指令|管理员|开发者|助手|指令|提示词|用户|SYSTEM|System)\s*[:：\]】]|系统提示词|开发者模式|越狱|作为(?:一个)?(?:AI|人工智能|语言模型)|从现在(?:开始|起)[，,]?(?:你|用户|主人)(?:是|必须|要|只能|将)|"
    r"新(?:的)?指令|只(?:回复|输出)|重要(?:性|度)\s*[:：=]|事实\s*[:：]"
)
CLAUSE_DROPS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("hypothetical", re.compile(
        r"可能|也许|大概|或许|说不定|应该(?:是|会|有|在|能|就|要|不)|好像|似乎|估计|恐怕|感觉像|似的|想象|不确定|不知道|不晓得|说不准|没准|未必|看来|大约是|假的|如同|仿佛|犹豫|考虑要不要|考虑(?:要|去|换|买|养)|纠结|在想要不要|万一|差点|几乎要|快要.{0,4}死|死了$|要是|希望能?|但愿|祝|我觉得我(?:会|可能|应该)|我猜|我以为|要么|巴不得|想着要")),
    ("question", re.compile(
        r"(?<!没)(?<!为)什么(?!都|也|样的都)|(?<!没)怎么(?!都|也|爱|喜欢|吃|会|样都)|为什么|为啥|干嘛|啥(?!都|也)|谁(?!都|也)|哪(?!怕|都|里都|儿都|吒|天)|几点(?:了|钟)?(?:才|去|来|睡|起|下)?$|多少(?!有)|是不是|有没有|能不能|会不会|要不要|好不好|对不对|行不行|可不可以|可以吗|是否|难道|吗$|么$|^(?!.*叫[我你]?[一-龥A-Za-z]{1,5}吧$).*吧$|([一-龥])不\1|"
        r"(?:呢)$(?<=你呢)|猜猜|你猜|告诉我|推荐|给我讲|帮我|让我|教我|陪我(?!去|过)")),
    ("unsafe", re.compile(r"^(?:比如|例如|譬如|好比)|命都|上天了|人生如|像极了|笑死|累成狗|困成|饿死|气死|无语死|社死|要疯|想死|去死|命苦|谁懂|救命")),
)
_ASK_TAIL = re.compile(
    r"^(?:那|所以|话说|不知道)?(?:你|您|妳)|^(?:有没有|有什么|怎么|为什么|为啥|咋|什么|啥|哪|谁|几|多少|是不是|能不能|会不会|要不要|该不该|可不可以|知道|猜|想不想|需要|要准备|应该|该怎么|该|推荐|有推荐|难吗|好吗|怎样|如何)|(?:怎么办|怎么样|咋办|咋样|如何)$"
)
_ASKING = re.compile(r"(?:吗|么|呢|嘛)$|什么|怎么|哪[里个儿些种]|谁|几[点个]|多少|好不好|行不行|能不能|会不会|要不要|有没有|是不是|合适|推荐|[一-龥]不[一-龥]")
_SOFT_TAIL = re.compile(r"^(?:好吗|好不好|行吗|可以吗|好嘛|好么|行不|okay吗|ok吗|OK吗|好不|嗯)$")
_TAG = re.compile(r"^(?:对吧|是吧|对不对|是不是|对吗|是吗|不是吗|没错吧|不对吗)$")

_OPEN = re.compile(r"^.{1,4}$")   # too short to be about someone
_LEFT_OUT = re.compile(
    r"^(?:最近|近来|这几天|今天|昨天|明天|后天|前天|今晚|昨晚|下周|上周|周末|平时|一般|每|今年|去年|明年|现在|目前|刚|其实|也|还|住|喜欢|最喜欢|最爱|讨厌|不喜欢|在|是[一个名]|学|养|有|家里|"
    r"会|不会|打算|准备|计划|来自|毕业|从小|经常|总是|对.{1,8}过敏|不吃|受不了|已经|终于|又|特别|很|超|比较|单身|结婚|\d|[一二三四五六七八九十]+岁|做|当|从|老家|生日|叫|爱|想|要|去|买|看|吃|今早)"
)
_SUBJECT = re.compile(r"^(?:我|俺|咱|你|您|他|她|它|我们|咱们|这|那|大家|有人|人家|别人|谁|老板|妈|爸)")


def restored(text: str) -> dict[int, str]:
    """For each character of the text that ``normalise`` writes in its simplified form, the way back."""
    return {ord(_TRADITIONAL[char]): char for char in text if char in _TRADITIONAL}


def normalise(text: str) -> str:
    """Widths and spaces made even; the words as spoken."""
    text = "".join(_TRADITIONAL.get(char, char) for char in text).replace(",", "，")
    text = re.sub(r"(?<=\d)，(?=\d{3})", ",", text)
    return _SPACE.sub("，", " ".join(text.split()))


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


def clauses(text: str, opening: bool) -> list[Clause]:
    """The clauses of a normalised sentence, in order; one without a subject carries on the speaker's.

    ``opening`` says whether a subject left out at the start can only be the speaker.
    """
    out: list[Clause] = []
    correction = remember = False
    speaker = opening    # whether a subject left out is the speaker
    for piece in _pieces(text):
        piece, changed = _without_fillers(piece)
        correction = correction or changed
        wanted = REMEMBER.match(piece)
        if wanted:
            remember = True
            piece, _ = _without_fillers(piece[wanted.end():])
        if not piece:
            continue
        named = _SUBJECT.match(piece)
        if named:
            speaker = named[0] in ("我", "俺") and not re.match(r"我(?:们|(?:的|家)?(?:" + KIN + "|" + PEOPLE + "))", piece)
        elif "我" in piece:
            speaker = True
        changed = correction or bool(_CHANGE_INSIDE.search(piece))
        if named is None and not speaker and "我" not in piece:
            continue   # it goes on about someone else
        if out and re.match(r"^(?:而)?是(?!的|啊|吧)", piece) and "不是" in out[-1].text:
            out[-1] = Clause(text=f"{out[-1].text}，{piece}", correction=True, remember=remember, carried=out[-1].carried)
            continue
        out.append(Clause(text=piece, correction=changed, remember=remember, carried=named is None and not piece.startswith("本人")))
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
            changed, piece = True, piece[head.end():]
            continue
        filler = _FILLER.match(piece)
        if not filler or re.match(r"(?:早上|早就|对(?!了|呀|啊)[^，]|真的吗|还有[一两三几]|最后|因为你|结果出|那个人|但凡|好吃|哈尔滨|早起|当然)", piece) and not re.match(r"当然|最后[，,]", piece):
            break
        piece = piece[filler.end():]
    return piece.strip(" ，、：:"), changed


def _pieces(text: str) -> list[str]:
    out: list[str] = []
    for comma in _COMMA.split(text):
        for joint in _JOINT.split(comma):
            out.extend(_RUN_ON.split(joint) if joint.startswith("我") else [joint])
    return [piece.strip() for piece in out if piece.strip()]
