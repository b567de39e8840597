"""The sentences themselves, keyed by (string id, locale).

The server fills them in; a client may read the same table, for instance to find the boundary sentence
(see ``boundary``). Placeholders are words in braces. An id ending in ``_unnamed`` is the form for a human whose name
nobody configured, so that the sentence needs no stand-in that would have to be inflected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from memory.locale import DEFAULT_LOCALE

TEXTS: Mapping[str, Mapping[str, str]] = {
    # headers of /new_dialog, set between rulers by whoever lays the text out
    "long_term_header": {
        "zh": "{neko}的长期记忆",
        "zh-TW": "{neko}的長期記憶",
        "en": "{neko}'s long-term memory",
        "ja": "{neko}の長期記憶",
        "ko": "{neko}의 장기 기억",
        "ru": "Долговременная память: {neko}",
        "es": "Memoria a largo plazo de {neko}",
        "pt": "Memória de longo prazo de {neko}",
    },
    "inner_thoughts_header": {
        "zh": "{neko}的内心活动",
        "zh-TW": "{neko}的內心活動",
        "en": "{neko}'s inner thoughts",
        "ja": "{neko}の心の声",
        "ko": "{neko}의 속마음",
        "ru": "Внутренние мысли: {neko}",
        "es": "Pensamientos de {neko}",
        "pt": "Pensamentos de {neko}",
    },
    # one line; what follows its end is conversation. The words after {neko} must occur in no other sentence.
    "boundary": {
        "zh": "现在是{time}。在对话开始之前，{neko}正在心里默默回顾最近发生的事情。",
        "zh-TW": "現在是{time}。在對話開始之前，{neko}正在心裡默默回顧最近發生的事情。",
        "en": "It is now {time}. Before the conversation starts, {neko} is silently going over the recent events.",
        "ja": "今は{time}です。会話が始まる前に、{neko}は最近の出来事を心の中で静かに振り返っています。",
        "ko": "지금은 {time}입니다. 대화에 앞서 {neko}은(는) 최근에 있었던 일들을 속으로 조용히 되짚고 있습니다.",
        "ru": "Сейчас {time}. Перед началом разговора {neko} молча перебирает в мыслях недавние события.",
        "es": "Ahora es {time}. Antes de que empiece la conversación, {neko} repasa en silencio los hechos recientes.",
        "pt": "Agora é {time}. Antes de a conversa começar, {neko} repassa em silêncio os acontecimentos recentes.",
    },
    # how long ago the last conversation was
    "gap_elapsed": {
        "zh": "距离上次与{master}对话已经过去了{elapsed}。",
        "zh-TW": "距離上次與{master}對話已經過去了{elapsed}。",
        "en": "It has been {elapsed} since the last conversation with {master}.",
        "ja": "{master}との前回の会話から{elapsed}が経ちました。",
        "ko": "{master}와(과) 마지막으로 대화한 지 {elapsed}이 지났습니다.",
        "ru": "Время, прошедшее с последнего разговора ({master}): {elapsed}.",
        "es": "La última conversación con {master} fue hace {elapsed}.",
        "pt": "A última conversa com {master} foi há {elapsed}.",
    },
    "gap_elapsed_unnamed": {
        "zh": "距离上次与主人对话已经过去了{elapsed}。",
        "zh-TW": "距離上次與主人對話已經過去了{elapsed}。",
        "en": "It has been {elapsed} since the last conversation with the user.",
        "ja": "前回の会話から{elapsed}が経ちました。",
        "ko": "마지막으로 대화한 지 {elapsed}이 지났습니다.",
        "ru": "Время, прошедшее с последнего разговора: {elapsed}.",
        "es": "La última conversación fue hace {elapsed}.",
        "pt": "A última conversa foi há {elapsed}.",
    },
    "gap_now": {
        "zh": "当前时间是{time}。",
        "zh-TW": "目前時間是{time}。",
        "en": "The current time is {time}.",
        "ja": "現在の時刻は{time}です。",
        "ko": "현재 시각은 {time}입니다.",
        "ru": "Текущее время: {time}.",
        "es": "La hora actual es {time}.",
        "pt": "A hora atual é {time}.",
    },
    "gap_long": {
        "zh": "{neko}意识到已经很久没有和{master}说话了，想知道{master}这段时间过得怎么样。",
        "zh-TW": "{neko}意識到已經很久沒有和{master}說話了，想知道{master}這段時間過得怎麼樣。",
        "en": "{neko} notices how long it has been and wonders how {master} has been doing.",
        "ja": "{neko}は{master}とずいぶん長く話していないことに気づき、どう過ごしていたのか気になっています。",
        "ko": "{neko}은(는) {master}와(과) 오래 이야기하지 못했음을 깨닫고, 그동안 어떻게 지냈는지 궁금해합니다.",
        "ru": "{neko} замечает, что прошло много времени, и хочет знать, как дела ({master}).",
        "es": "{neko} nota que ha pasado mucho tiempo y se pregunta cómo le habrá ido a {master}.",
        "pt": "{neko} percebe que passou muito tempo e pergunta-se como terá estado {master}.",
    },
    "gap_long_unnamed": {
        "zh": "{neko}意识到已经很久没有和主人说话了，想知道主人这段时间过得怎么样。",
        "zh-TW": "{neko}意識到已經很久沒有和主人說話了，想知道主人這段時間過得怎麼樣。",
        "en": "{neko} notices how long it has been and wonders how the user has been doing.",
        "ja": "{neko}はずいぶん長く話していないことに気づき、相手がどう過ごしていたのか気になっています。",
        "ko": "{neko}은(는) 오랫동안 이야기하지 못했다는 것을 깨닫고, 그동안 상대가 어떻게 지냈는지 궁금해합니다.",
        "ru": "{neko} замечает, что прошло много времени, и хочет знать, как дела у собеседника.",
        "es": "{neko} nota que ha pasado mucho tiempo y se pregunta cómo le habrá ido a la otra persona.",
        "pt": "{neko} percebe que passou muito tempo e pergunta-se como terá estado a outra pessoa.",
    },
    "holiday": {
        "zh": "今天是{holiday}。",
        "zh-TW": "今天是{holiday}。",
        "en": "Today is {holiday}.",
        "ja": "今日は{holiday}です。",
        "ko": "오늘은 {holiday}입니다.",
        "ru": "Сегодня {holiday}.",
        "es": "Hoy es {holiday}.",
        "pt": "Hoje é {holiday}.",
    },
    # /get_recent_history
    "no_history": {
        "zh": "没有历史对话记录。",
        "zh-TW": "沒有歷史對話紀錄。",
        "en": "There is no conversation history yet.",
        "ja": "会話の履歴はまだありません。",
        "ko": "아직 대화 기록이 없습니다.",
        "ru": "Истории разговоров пока нет.",
        "es": "Todavía no hay historial de conversación.",
        "pt": "Ainda não há histórico de conversa.",
    },
    "history_intro": {
        "zh": "以下是{neko}最近的对话记录：",
        "zh-TW": "以下是{neko}最近的對話紀錄：",
        "en": "This is {neko}'s recent conversation history:",
        "ja": "以下は{neko}の最近の会話の履歴です：",
        "ko": "다음은 {neko}의 최근 대화 기록입니다:",
        "ru": "Недавняя история разговоров ({neko}):",
        "es": "Este es el historial reciente de conversación de {neko}:",
        "pt": "Este é o histórico recente de conversa de {neko}:",
    },
    # section headings of the persona block
    "about_master": {
        "zh": "关于{master}",
        "zh-TW": "關於{master}",
        "en": "About {master}",
        "ja": "{master}について",
        "ko": "{master}에 대하여",
        "ru": "О собеседнике ({master})",
        "es": "Sobre {master}",
        "pt": "Sobre {master}",
    },
    "about_master_unnamed": {
        "zh": "关于主人",
        "zh-TW": "關於主人",
        "en": "About the user",
        "ja": "相手について",
        "ko": "상대에 대하여",
        "ru": "О собеседнике",
        "es": "Sobre la otra persona",
        "pt": "Sobre a outra pessoa",
    },
    "about_neko": {
        "zh": "关于{neko}",
        "zh-TW": "關於{neko}",
        "en": "About {neko}",
        "ja": "{neko}について",
        "ko": "{neko}에 대하여",
        "ru": "О персонаже ({neko})",
        "es": "Sobre {neko}",
        "pt": "Sobre {neko}",
    },
    "relationship": {
        "zh": "关系动态",
        "zh-TW": "關係動態",
        "en": "Relationship dynamics",
        "ja": "二人の関係",
        "ko": "관계의 흐름",
        "ru": "Развитие отношений",
        "es": "Dinámica de la relación",
        "pt": "Dinâmica da relação",
    },
    "impressions_tentative": {
        "zh": "{neko}最近的印象（还不确定）",
        "zh-TW": "{neko}最近的印象（還不確定）",
        "en": "{neko}'s recent impressions (not certain yet)",
        "ja": "{neko}の最近の印象（まだ確かではない）",
        "ko": "{neko}의 최근 인상 (아직 확실하지 않음)",
        "ru": "Недавние впечатления (пока не точно): {neko}",
        "es": "Impresiones recientes de {neko} (aún no seguras)",
        "pt": "Impressões recentes de {neko} (ainda incertas)",
    },
    "impressions_certain": {
        "zh": "{neko}比较确定的印象",
        "zh-TW": "{neko}比較確定的印象",
        "en": "{neko}'s fairly certain impressions",
        "ja": "{neko}のかなり確かな印象",
        "ko": "{neko}의 꽤 확실한 인상",
        "ru": "Довольно уверенные впечатления: {neko}",
        "es": "Impresiones bastante seguras de {neko}",
        "pt": "Impressões bastante seguras de {neko}",
    },
    "not_to_raise": {
        "zh": "不要主动提起（记得，但最近提得太多）",
        "zh-TW": "不要主動提起（記得，但最近提得太多）",
        "en": "Not to be raised proactively (remembered, but mentioned too often lately)",
        "ja": "自分からは話題にしないこと（覚えているが、最近触れすぎている）",
        "ko": "먼저 꺼내지 말 것 (기억하지만 최근에 너무 자주 언급함)",
        "ru": "Не поднимать по своей инициативе (помнится, но упоминалось слишком часто)",
        "es": "No sacar por iniciativa propia (se recuerda, pero se mencionó demasiado últimamente)",
        "pt": "Não mencionar por iniciativa própria (lembrado, mas muito mencionado ultimamente)",
    },
    "past_begin": {
        "zh": "{neko}较早的记忆（不要主动提起）",
        "zh-TW": "{neko}較早的記憶（不要主動提起）",
        "en": "{neko}'s older memories (do not volunteer them)",
        "ja": "{neko}の少し前の記憶（自分からは話題にしない）",
        "ko": "{neko}의 지난 기억 (먼저 꺼내지 말 것)",
        "ru": "Более давние воспоминания (не упоминать первым): {neko}",
        "es": "Recuerdos más antiguos de {neko} (no mencionar por iniciativa propia)",
        "pt": "Memórias mais antigas de {neko} (não mencionar por iniciativa própria)",
    },
    "past_end": {
        "zh": "较早的记忆到此为止",
        "zh-TW": "較早的記憶到此為止",
        "en": "End of the older memories",
        "ja": "少し前の記憶はここまで",
        "ko": "지난 기억 끝",
        "ru": "Конец более давних воспоминаний",
        "es": "Fin de los recuerdos más antiguos",
        "pt": "Fim das memórias mais antigas",
    },
    # the memo that stands for compressed history: a prefix, and a mark for one made of excerpts
    "memo_prefix": {
        "zh": "先前对话的备忘录: ",
        "zh-TW": "先前對話的備忘錄: ",
        "en": "Memo from prior conversations: ",
        "ja": "以前の会話のメモ: ",
        "ko": "이전 대화의 메모: ",
        "ru": "Заметки из предыдущих разговоров: ",
        "es": "Notas de conversaciones previas: ",
        "pt": "Notas de conversas anteriores: ",
    },
    "memo_excerpts": {
        "zh": "（摘录）",
        "zh-TW": "（摘錄）",
        "en": "(excerpts)",
        "ja": "（抜粋）",
        "ko": "(발췌)",
        "ru": "(выдержки)",
        "es": "(extractos)",
        "pt": "(trechos)",
    },
    # /search_for_memory, which recalls nothing
    "search_query_header": {
        "zh": "{neko}尝试回忆",
        "zh-TW": "{neko}嘗試回憶",
        "en": "{neko} tries to recall",
        "ja": "{neko}が思い出そうとしていること",
        "ko": "{neko}이(가) 떠올리려는 것",
        "ru": "Попытка вспомнить: {neko}",
        "es": "{neko} intenta recordar",
        "pt": "{neko} tenta recordar",
    },
    "search_results_header": {
        "zh": "{neko}的相关记忆",
        "zh-TW": "{neko}的相關記憶",
        "en": "{neko}'s related memories",
        "ja": "{neko}の関連する記憶",
        "ko": "{neko}의 관련 기억",
        "ru": "Связанные воспоминания: {neko}",
        "es": "Recuerdos relacionados de {neko}",
        "pt": "Memórias relacionadas de {neko}",
    },
    "search_nothing": {
        "zh": "此处不提供语义记忆。",
        "zh-TW": "此處不提供語意記憶。",
        "en": "No semantic memory is available here.",
        "ja": "ここでは意味による記憶の検索は行われません。",
        "ko": "여기에서는 의미 기반 기억을 제공하지 않습니다.",
        "ru": "Смысловая память здесь недоступна.",
        "es": "Aquí no hay memoria semántica disponible.",
        "pt": "Não há memória semântica disponível aqui.",
    },
}

# Between two sentences of one paragraph.
_SENTENCE_GAP = {"zh": "", "zh-TW": "", "ja": ""}

_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")
_BREAKS = re.compile(r"\s+")


def template(string_id: str, locale: str) -> str:
    """The unfilled sentence; a locale we do not have gets the English one."""
    texts = TEXTS[string_id]
    return texts.get(locale, texts[DEFAULT_LOCALE])


def say(string_id: str, locale: str, **values: str) -> str:
    """The sentence with its placeholders filled in.

    Values are data: they are put in once, as they are, whatever braces or percent signs they hold. Runs of white
    space in them, line ends included, become one blank, so a name never starts a line of its own.
    """
    return _PLACEHOLDER.sub(lambda match: _BREAKS.sub(" ", values[match[1]]).strip(), template(string_id, locale))


def sentences(locale: str, *parts: str) -> str:
    """Several sentences as one paragraph, with or without blanks between them as the language wants it."""
    return _SENTENCE_GAP.get(locale, " ").join(parts)
