"""Words that say nothing about a subject, by script and language. Already folded."""

from __future__ import annotations


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


ENGLISH = _listed(
    """
    a about above after again against all also am an and any are aren as at be because been before being below
    between both but by ca can cannot could couldn d did didn do does doesn doing don done down during each either
    else
    ever every few for from further get gets getting go goes going gonna got had hadn has hasn have haven having he
    her here hers herself him himself his how however i if in into is isn it its itself just let ll m ma may me might
    mightn mine more most much must mustn my myself neither no nor not now o of off oh ok okay on once one only onto
    or other our ours ourselves out over own per please quite rather re really s same shall shan she should shouldn so
    some someone something such t than that the their theirs them themselves then there these they thing things this
    those though through to too under until up upon us ve very wanna was wasn we well were weren what whatever when
    whenever where wherever whether which while who whoever whom whose why will with within without wo won would
    wouldn
    y yeah yes yet you your yours yourself yourselves
    arent cant couldnt didnt doesnt dont hadnt hasnt havent im isnt ive shouldnt thats wasnt werent whats wont wouldnt
    youre
    """
)

# Function words of other languages in Latin script. Two of them, and more of them than of English, name the language
# of a text, which then is stemmed by its own rules.
SPANISH = _listed(
    """
    al algo ante antes asi aun como con contra cual cuales cuando cuanto de del desde donde dos el ella ellas ellos en
    entre era eran es esa ese eso esta estaba estan estas este esto estos fue fueron ha habia hace hacia han hasta hay
    la las le les lo los mas me mi mis mucho muy nada ni nos nosotros o os otra otro para pero poco por porque que
    quien se sea ser si sin sobre son soy su sus tambien te tiene tu tus un una uno unos usted ya yo
    """
)
PORTUGUESE = _listed(
    """
    ao aos aquela aquele aquilo as ate com como da das de dela dele deles depois do dos e ela elas ele eles em entre
    era essa esse esta estao estava este eu foi foram ha isso isto ja la lhe lhes mais mas me meu meus minha minhas
    muito na nao nas nem no nos nosso numa o os ou para pela pelo por porque qual quando que quem se sem ser seu seus
    so sua suas tambem te tem tinha tu um uma umas voce voces
    """
)
FRENCH = _listed(
    """
    ai alors au aucun aussi autre aux avait avec avez avoir bien c ce cela ces cet cette chez comme d dans de des donc
    dont du elle elles en encore est et etait etre eu fait il ils j je l la le les leur leurs lui m ma mais me meme
    mes
    moi mon n ne nos notre nous on ont ou par pas plus pour qu quand que quel quelle qui s sa sans se ses si son sont
    sur t ta te tes toi ton tous tout tres tu un une vos votre vous y
    """
)
GERMAN = _listed(
    """
    aber als also am an auch auf aus bei bin bis bist da damit dann das dass dein deine dem den der des die dies diese
    dieser doch dort du durch ein eine einem einen einer eines er es euch fur hab habe haben hat hatte hier ich ihm
    ihn
    ihr ihre im in ist ja jede kann kein keine mein meine mich mir mit nach nicht noch nur ob oder ohne sehr sein
    seine
    sich sie sind so uber um und uns unser unter vom von vor wann war waren warum was weil wenn wer wie wieder wir
    wird
    wo zu zum zur
    """
)
ITALIAN = _listed(
    """
    a ad ai al alla alle anche avere aveva c che chi ci come con cosa cui da dal dalla dei del della delle di do
    dove e
    ed era erano gli ha hai hanno ho i il in io l la le lei li lo loro lui ma mi mia mio molto ne nel nella no noi non
    o per perche piu poi quale quando quello questa questo qui se sei si sia sono su sua suo ti tra tu tua tuo un una
    uno vi voi
    """
)
RUSSIAN = _listed(
    """
    а без был была были было быть в вам вас весь во вот все всего вы где да для до его ее если есть еще же за здесь и
    из или им их к как какая какие какой когда кто ли мне может мой моя мы на над нам нас не него нее нет ни них но ну
    о об он она они оно от очень по под при с сам свой своя себя со так также там тебя тем то того тоже той только том
    ты у уже что чего чем чтобы эта эти это этот я
    """
)
LATIN = {
    "spanish": SPANISH,
    "portuguese": PORTUGUESE,
    "french": FRENCH,
    "german": GERMAN,
    "italian": ITALIAN,
}

# Han characters that alone carry no subject (after folding to simplified forms).
HAN = frozenset(
    "的了是我你您他她它们在有和与及或就不没也都吗呢吧啊呀哦嗯哈嘛哇唉这那哪什么怎谁几多少为以于之其所被把让给对从到向"
    "会能可要想说过着地得很太更最还又再才只个些样种件次一请问吾汝么某此彼而且但并则因若如虽即使将曾经已"
)

# Pairs of characters that carry no subject, though one of the two might.
HAN_PAIRS = _listed(
    """
    什么 怎么 怎样 为何 如何 哪里 哪些 哪个 那里 那些 那个 这里 这些 这个 我们 你们 他们 她们 它们 自己 知道 记得 告诉
    时候 是否 可以 应该 能够 因为 所以 但是 不过 而且 然后 还是 或者 如果 虽然 已经 曾经 正在 一下 一些 一个 没有 不是
    就是 只是 都是 有些 有点 觉得 认为 真的 非常 特别 关于 请问 提到 说过 讲过 聊过 谈到 谈过 当时 之前 以前 以后 之后
    """
)

# Hiragana pairs that are grammar: endings, particles, auxiliaries.
KANA_PAIRS = _listed(
    """
    です ます した して てい てる いる いた いま ない った って から まで だっ たの のは のが のを のに ので には
    では とは
    でし まし しま しょ ょう ませ せん こと もの よう ため そう それ これ あれ どれ その この あの どの ここ そこ どこ
    とい いう という なに なん んで でも けど れる られ せる さん ちゃ くん くて さい ださ くだ たい たち など ほど
    だけ
    しか より ねえ だよ だね よね かな かし かも もう まだ とて ても たし たり んだ のだ なの なら なる なっ する
    すれ され
    ある あり あっ おり いつ いっ えて れて んな ごろ ころ とき とこ ころ はど はな にな にし とし をし がし もし
    きま りま
    """
)

# Hiragana that mostly stand alone, after a word.
PARTICLE_KANA = frozenset("がはをにでとものへや")

# Korean: whole words and, after particles are cut, word stems that carry no subject.
KOREAN = _listed(
    """
    그 저 이 것 거 게 수 때 등 및 더 또 나 너 내 네 제 저희 우리 그녀 그들 당신 누구 누가 뭐 무엇 무슨 어떤 어느
    어디 언제
    왜 어떻게 얼마 얼마나 몇 그리고 그런데 그래서 그러나 하지만 그래 네 예 아니 아니요 정말 진짜 너무 아주 매우
    조금 좀 잘
    다 모두 많이 이런 그런 저런 이것 그것 저것 여기 거기 저기 지금 있 없 하 되 같 보 주 안 못 은 는 가 를 을 에 의
    도 만 로
    했 한 할 해 하는 했던 하고 있는 있어 있었 있다 없는 없어 된 되는 있나 했나 했지 였 였지 이었 인 일 말 걸 건 데 듯
    """
)
KOREAN_PAIRS = _listed(
    """
    했어 어요 아요 니다 습니 입니 합니 해요 했습 했던 하는 하고 하게 하면 하지 해서 있어 있는 있었 었어 았어 였어
    었던 았던
    었다 았다 였다 이다 에서 으로 에게 한테 부터 까지 처럼 보다 라고 이라 네요 군요 거든 잖아 는데 은데 지만 려고
    러고 면서
    었지 았지 했지 던데 세요 게요 거야 이야 예요 에요 이에 나요 까요 을까 할까 었나 았나 했나 지요
    """
)

# Particles cut from the end of a Korean word, longest first.
PARTICLES = tuple(
    sorted(
        _listed(
            """
            에서는 에서도 에게서 한테서 으로는 으로도 이라고 이라는 이라도 이랑은 까지는 까지도 부터는 에게는 한테는
            에서의 으로서 으로써 이나마 에서 에게 한테 께서 으로 로서 로써 까지 부터 처럼 보다 만큼 마저 조차 밖에
            이나 이랑 하고 라고 라는 이란 에는 에도 와의 과의 와는 과는 로는 로도 은 는 이 가 을 를 에 의 도 만 로
            와 과 랑 나 야 아 께 란
            """
        ),
        key=lambda particle: (-len(particle), particle),
    )
)
