"""English forms that no rule leads back to their word, and other spellings of one word."""

from __future__ import annotations

# word: its irregular forms
_FORMS = """
arise: arose arisen
awake: awoke awoken
bear: bore borne
beat: beaten
become: became
begin: began begun
bend: bent
bind: bound
bite: bit bitten
bleed: bled
blow: blew blown
break: broke broken
breed: bred
bring: brought
build: built
burn: burnt
buy: bought
catch: caught
choose: chose chosen
cling: clung
come: came
creep: crept
deal: dealt
dig: dug
draw: drew drawn
dream: dreamt
drink: drank drunk
drive: drove driven
eat: ate eaten
fall: fell fallen
feed: fed
feel: felt
fight: fought
find: found
flee: fled
fly: flew flown
forbid: forbade forbidden
forget: forgot forgotten
forgive: forgave forgiven
freeze: froze frozen
give: gave given
grow: grew grown
hang: hung
hear: heard
hide: hid hidden
hold: held
keep: kept
kneel: knelt
know: knew known
lay: laid
lead: led
lean: leant
leap: leapt
learn: learnt
leave: left
lend: lent
lie: lain lying
light: lit
lose: lost
make: made
mean: meant
meet: met
mistake: mistook mistaken
overcome: overcame
pay: paid
prove: proven
ride: rode ridden
ring: rang rung
rise: risen
run: ran
say: said
see: saw seen
seek: sought
sell: sold
send: sent
sew: sewn
shake: shook shaken
shine: shone
shoot: shot
show: shown
shrink: shrank shrunk
sing: sang sung
sink: sank sunk
sit: sat
sleep: slept
slide: slid
speak: spoke spoken
speed: sped
spend: spent
spin: spun
stand: stood
steal: stole stolen
stick: stuck
sting: stung
strike: struck
swear: swore sworn
sweep: swept
swim: swam swum
swing: swung
take: took taken
teach: taught
tear: tore torn
tell: told
think: thought
throw: threw thrown
understand: understood
wake: woke woken
wear: wore worn
weave: wove woven
weep: wept
win: won
withdraw: withdrew withdrawn
write: wrote written
child: children kid kids
person: people
man: men
woman: women
foot: feet
tooth: teeth
goose: geese
mouse: mice
wife: wives
knife: knives
wolf: wolves
good: better best
bad: worse worst
mother: mom mum mommy mummy moms mums
father: dad daddy dads
grandmother: grandma granny nana
grandfather: grandpa granddad
photo: photograph photographs pic pics picture pictures photos
television: tv
bicycle: bike bikes
refrigerator: fridge
mathematics: math maths
examination: exam exams
laboratory: lab
gym: gymnasium
vegetable: veggie veggies
favorite: favourite favourites favorites
color: colour colours colors
1: one
2: two
3: three
4: four
5: five
6: six
7: seven
8: eight
9: nine
10: ten
11: eleven
12: twelve
20: twenty
30: thirty
"""

WORD_OF = {
    form: word
    for line in _FORMS.split("\n")
    if line
    for word, forms in [line.split(": ")]
    for form in forms.split()
}
