"""Stalls: a mini game that uses everything the engine offers, so that generic code can be tested without a real game.

Cards of worth 1 to 6 lie in hidden hands. In a turn a seat plays a card (then takes a bonus), gives one to its
neighbour, buries one under the deck, shuffles its hand, or gambles. It ends at a number of points or of rounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from kontor_games.engine import Action, Event, Game, GameState, Known, Option, Result
from kontor_games.engine.core.chance import Chance, Dealt, Desk, Left, Rolled
from kontor_games.engine.core.game import OptionValue
from kontor_games.engine.core.notation import Notation, names
from kontor_games.engine.core.offer import Offer, Path
from kontor_games.engine.core.value import Face, Index, Slot

COPIES, FACES, HAND = 4, 6, 3
GOAL = 18
START, TURN, BONUS, OVER = range(4)


class State(GameState, frozen=True):
    rounds: int
    stage: int
    turn: int
    count: int  # turns taken
    deck: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    shuffled: tuple[int, ...]  # seats that have shuffled their hand


class Play(Action, tag="play", frozen=True):
    slot: Slot
    face: Face


class Bonus(Action, tag="bonus", frozen=True):
    kind: Index  # 0 a card, 1 a point


class Give(Action, tag="give", frozen=True):
    slot: Slot


class Bury(Action, tag="bury", frozen=True):
    slot: Slot


class Shuffle(Action, tag="shuffle", frozen=True):
    pass


class Gamble(Action, tag="gamble", frozen=True):
    pass


class Played(Event, tag="played", frozen=True):
    seat: int
    face: int


class Gained(Event, tag="gained", frozen=True):
    seat: int
    points: int


class Drew(Event, tag="drew", frozen=True):
    seat: int
    cards: int


class Gave(Event, tag="gave", frozen=True):
    seat: int
    to: int


class Buried(Event, tag="buried", frozen=True):
    seat: int


class Shuffled(Event, tag="shuffled", frozen=True):
    seat: int


class Went(Event, tag="went", frozen=True):
    seats: tuple[int, ...]


def setup(options: dict[str, OptionValue], seats: int, entropy: bytes) -> State:
    desk, deck = Desk().mix(faces=[n % FACES for n in range(COPIES * FACES)])
    rounds = options["rounds"]
    assert isinstance(rounds, int)
    empty: tuple[tuple[int, ...], ...] = ((),) * seats
    return State(desk, rounds, START, entropy[0] % seats, 0, deck, empty, (0,) * seats, ())


def turn(s: State) -> int | None:
    return None if s.stage == OVER else s.turn


def _neighbour(s: State) -> int:
    return (s.turn + 1) % len(s.hands)


def why_not(s: State, a: Action) -> str | None:
    if isinstance(a, Bonus):
        if s.stage != BONUS:
            return "the bonus follows a played card"
        return None if a.kind == 1 or (a.kind == 0 and s.deck) else "there is no such bonus now"
    if s.stage != TURN:
        return "take your bonus first"
    hand = s.hands[s.turn]
    if isinstance(a, Play | Give | Bury) and a.slot not in hand:
        return f"card {a.slot} is not in your hand"
    if isinstance(a, Play):
        known = s.desk.face(a.slot)
        if a.face >= FACES or (known is not None and known != a.face):
            return f"card {a.slot} does not show {a.face}"
        return None
    if isinstance(a, Give | Bury):
        return "keep one card" if len(hand) < 2 else None
    if isinstance(a, Shuffle):
        return "you have shuffled already" if s.turn in s.shuffled else None
    return None


def candidates(s: State, known: Known) -> Iterator[Action]:
    me = s.turn
    if s.stage == BONUS:
        yield Bonus(me, 0)
        yield Bonus(me, 1)
        return
    for slot in s.hands[me]:
        face = s.desk.face(slot, known)
        if face is not None:
            yield Play(me, slot, face)
        yield Give(me, slot)
        yield Bury(me, slot)
    yield Shuffle(me)
    yield Gamble(me)


def opens(s: State, a: Action) -> tuple[tuple[int, int], ...]:
    return ((a.slot, a.face),) if isinstance(a, Play) and s.desk.face(a.slot) is None else ()


def apply(s: State, a: Action) -> tuple[State, tuple[Event, ...]]:
    hand = s.hands[s.turn]
    if isinstance(a, Play):
        s = _with_hand(s, a.seat, tuple(slot for slot in hand if slot != a.slot))
        s = replace(_gain(s, s.turn, a.face + 1), stage=BONUS, desk=s.desk.forget([a.slot]))
        return s, (Played(a.seat, a.face), Gained(a.seat, a.face + 1))
    if isinstance(a, Bonus) and a.kind == 1:
        return _next(_gain(s, s.turn, 1)), (Gained(a.seat, 1),)
    if isinstance(a, Bonus):
        return _draw(replace(s, stage=TURN), s.turn, 1, finish=True), (Drew(a.seat, 1),)
    event: Event
    if isinstance(a, Give | Bury):
        rest = tuple(slot for slot in hand if slot != a.slot)
        to = _neighbour(s) if isinstance(a, Give) else None
        seen = s.desk.face(a.slot) is not None  # a card that everybody has seen needs no sealing
        desk, new = (s.desk, a.slot) if seen else s.desk.move(a.slot, s.turn, to)
        s = _with_hand(replace(s, desk=desk), s.turn, rest)
        if to is None:
            s, event = replace(s, deck=(*s.deck, new)), Buried(a.seat)
        else:
            s, event = _with_hand(s, to, (*s.hands[to], new)), Gave(a.seat, to)
        return (_next(s) if seen else s), (event,)
    if isinstance(a, Shuffle):
        hidden = tuple(slot for slot in hand if s.desk.face(slot) is None)
        shown = tuple(slot for slot in hand if slot not in hidden)
        if not hidden:
            return _next(s), ()
        desk, out = s.desk.mix(slots=hidden, own=s.turn)
        s = _with_hand(replace(s, desk=desk, shuffled=(*s.shuffled, s.turn)), s.turn, (*shown, *out))
        return s, (Shuffled(a.seat),)
    return replace(s, desk=s.desk.roll()), ()


def chance(s: State, answer: Chance) -> tuple[State, tuple[Event, ...]]:
    if isinstance(answer, Dealt):
        s = replace(s, desk=s.desk.show((slot, face) for slot, _, face in answer.cards if face is not None))
        if s.stage == START:
            missing = [seat for seat, hand in enumerate(s.hands) if len(hand) < HAND]
            return (_draw(s, missing[0], HAND, False) if missing else replace(s, stage=TURN)), ()
        return _next(s), ()
    if isinstance(answer, Rolled):
        points = answer.value[0] % 3
        return _next(_gain(s, s.turn, points)), (Gained(s.turn, points),)
    if s.stage == START:
        return _draw(s, 0, HAND, False), ()
    public = dict(s.desk.faces)
    kept = {slot for hand in s.hands for slot in hand} | set(s.deck)
    return _next(replace(s, desk=s.desk.forget(slot for slot in public if slot not in kept))), ()


def left(s: State, answer: Left) -> tuple[State, tuple[Event, ...]]:
    return s, (Went(answer.seats),)


def stand_in(s: State) -> Action:
    if s.stage == BONUS:
        return Bonus(s.turn, 1)
    shown = [(s.desk.face(slot), slot) for slot in s.hands[s.turn]]
    faces = [(face, slot) for face, slot in shown if face is not None]
    if faces:
        face, slot = max(faces)
        return Play(s.turn, slot, face)
    return Gamble(s.turn)


def _draw(s: State, seat: int, count: int, finish: bool) -> State:
    taken, deck = s.deck[:count], s.deck[count:]
    s = _with_hand(replace(s, deck=deck), seat, (*s.hands[seat], *taken))
    hidden = [slot for slot in taken if s.desk.face(slot) is None]
    if hidden:
        return replace(s, desk=s.desk.deal((slot, seat) for slot in hidden))
    return _next(s) if finish else s  # a card that everybody has seen needs no dealing


def _next(s: State) -> State:
    count = s.count + 1
    over = max(s.scores) >= GOAL or count >= s.rounds * len(s.hands)
    return replace(s, stage=OVER if over else TURN, turn=_neighbour(s), count=count)


def _gain(s: State, seat: int, points: int) -> State:
    return replace(s, scores=tuple(score + points * (n == seat) for n, score in enumerate(s.scores)))


def _with_hand(s: State, seat: int, hand: tuple[int, ...]) -> State:
    return replace(s, hands=tuple(hand if n == seat else old for n, old in enumerate(s.hands)))


def result(s: State) -> Result | None:
    if s.stage != OVER:
        return None
    best = max(s.scores)
    places = tuple(1 + sum(other > score for other in s.scores) for score in s.scores)
    winners = tuple(seat for seat, place in enumerate(places) if place == 1)
    return Result("points" if best >= GOAL else "rounds", winners, s.scores, places, (("points", s.scores),))


def view(s: State, seat: int | None, known: Known) -> dict[str, Any]:
    hands = [
        [s.desk.face(slot, known if n == seat else None) if n == seat else s.desk.face(slot) for slot in hand]
        for n, hand in enumerate(s.hands)
    ]
    return {"scores": list(s.scores), "hands": hands, "deck": len(s.deck), "turn": s.count}


def targets(s: State, path: Path) -> tuple[str, ...]:
    a = path[0]
    if isinstance(a, Play | Give | Bury):
        return (f"card:{a.slot}",)
    return (f"bonus:{a.kind}" if isinstance(a, Bonus) else "board",)


def evaluate(s: State, seat: int, known: Known) -> int:
    return s.scores[seat] * 10 - max(score for n, score in enumerate(s.scores) if n != seat)


FORMS = {
    Play: "play {slot:number} {face:card}",
    Bonus: "bonus {kind:bonus}",
    Give: "give {slot:number}",
    Bury: "bury {slot:number}",
    Shuffle: "shuffle",
    Gamble: "gamble",
}
CARDS = ("one", "two", "three", "four", "five", "six")
CATALOGUE = {
    "events": {
        "Played": "{seat:player} plays a {face:card}.",
        "Gained": "{seat:player} gains {points:one point|{points} points}.",
        "Drew": "{seat:player} draws {cards:a card|{cards} cards}.",
        "Gave": "{seat:player} gives a card to {to:player}.",
        "Buried": "{seat:player} buries a card.",
        "Shuffled": "{seat:player} shuffles the hand.",
        "Went": "{seats:player} left.",
    },
    "reasons": {"points": "Enough points.", "rounds": "All rounds are played."},
    "categories": {"points": "Points"},
    "names": {"card": list(CARDS)},
}
GAME: Game[State] = Game(
    id="toy",
    title="Stalls",
    rules_version=1,
    data_digest=bytes(32),
    seats=(2, 3, 4),
    options=(Option("rounds", 6, (2, 6), "How many turns each seat has at most."),),
    actions=(Play, Bonus, Give, Bury, Shuffle, Gamble),
    events=(Played, Gained, Drew, Gave, Buried, Shuffled, Went),
    notation=Notation(FORMS, {"card": names(*CARDS), "bonus": names("card", "point")}),
    faces=CARDS,
    setup=setup,
    turn=turn,
    why_not=why_not,
    candidates=candidates,
    apply=apply,
    chance=chance,
    left=left,
    stand_in=stand_in,
    result=result,
    view=view,
    evaluate=evaluate,
    offer=Offer(targets=targets),
    opens=opens,
)
