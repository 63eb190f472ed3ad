"""Positions of Merchants of Osaka built by hand, and playouts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from kontor_games.engine import Action, Event, LocalMatch, advance, load, why_not
from kontor_games.engine.core.chance import Deal, Dealt, Desk, Mix, Mixed
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.games.osaka.data import COLOURS, DECK, FACES
from kontor_games.engine.games.osaka.state import PIECE, TURN, Options, Player, State, in_hand_order

GAME = load("osaka")
STANDARD = Options(refill_after_payout=0, irreducible_payment=1, insure_only_sunk=1, show_hands=0, tokens_to_end=8)


def cards(text: str) -> bytes:
    """«r5 b3» as faces."""
    return bytes(FACES.index(card) for card in text.split())


def row(text: str) -> bytes:
    """«r5 b3:1» as cards of a row; the number is the seat whose piece lies on the card."""
    found = []
    for word in text.split():
        name, _, seat = word.partition(":")
        found.append(FACES.index(name) + (PIECE * (int(seat) + 1) if seat else 0))
    return bytes(found)


def fleet(**spaces: int) -> tuple[int, ...]:
    """Spaces of the ships by colour name."""
    return tuple(spaces.get(colour, 0) for colour in COLOURS)


def player(hand: str = "", goods: str = "", insured: str = "", tokens: Mapping[str, int] | None = None) -> Player:
    """What lies before a seat; one red token unless told otherwise."""
    owned = {"red": 1} if tokens is None else tokens
    return Player(
        in_hand_order(cards(hand)),
        bytes(sorted(cards(goods))),
        bytes(sorted(cards(insured))),
        tuple(owned.get(colour, 0) for colour in COLOURS),
    )


def position(
    *players: Player,
    market: str = "r2 b2 y2 g2 r3",
    farm: str = "b3 y3 g3",
    ships: tuple[int, ...] = (0, 0, 0, 0),
    pile: int = 40,
    discard: bytes = b"",
    active: int = 0,
    options: Options = STANDARD,
) -> State:
    """A turn about to be played. The pile is numbered from slot 1000, well away from what a shuffle makes."""
    return State(
        Desk(next_slot=2000),
        options,
        players,
        TURN,
        active,
        active,
        0,
        row(market),
        row(farm),
        discard,
        (1000, 1000 + pile),
        ships,
    )


def do(state: State, *texts: str, draws: str = "") -> State:
    """Play these actions for whoever is to decide, chance answering with `draws` and then with twos."""
    return story(state, *texts, draws=draws)[0]


def story(state: State, *texts: str, draws: str = "") -> tuple[State, list[Event]]:
    """Like `do`, with everything that happened."""
    happened: list[Event] = []
    stock = iter(cards(draws))
    for text in texts:
        action = GAME.notation.read(state, state.seat, text)
        reason = why_not(GAME, state, action)
        assert reason is None, f"{text}: {reason}"
        state, events = advance(GAME, state, action)
        happened += events
        state, events = answer(state, stock)
        happened += events
    return state, happened


def answer(state: State, stock: Iterator[int]) -> tuple[State, tuple[Event, ...]]:
    """Serve all open wants."""
    happened: tuple[Event, ...] = ()
    while state.desk.want is not None:
        want = state.desk.want
        if isinstance(want, Mix):
            state, events = advance(GAME, state, Mixed(want.r))
        else:
            assert isinstance(want, Deal)
            faces = tuple((slot, seat, next(stock, 0)) for slot, seat in want.cards)
            state, events = advance(GAME, state, Dealt(want.r, faces))
        happened += events
    return state, happened


def forbids(state: State, text: str) -> str:
    """The reason why this is not allowed; fails if it is."""
    reason = why_not(GAME, state, GAME.notation.read(state, state.seat, text))
    assert reason is not None, f"{text} should be refused"
    return reason


def says(state: State) -> list[str]:
    """The menu in notation."""
    return [GAME.notation.say(state, action) for action in GAME.candidates(state, {})]


def card_count(state: State) -> int:
    """All cards wherever they are: slots on their way to the table count with the want that opens them."""
    before = sum(
        len(p.hand) + len(p.goods) + len(p.insured) + len(p.vp_cards) + len(p.vp_unseen) for p in state.players
    )
    want = state.desk.want
    dealing = len(want.cards) if isinstance(want, Deal) else 0
    rows = len(state.market) + len(state.farm) + len(state.discard) + len(state.laid)
    return before + rows + dealing + state.pile[1] - state.pile[0]


def face_counts(state: State) -> list[int]:
    """How many cards of each face lie open or were seen."""
    seen = b"".join(p.hand + p.goods + p.insured + p.vp_cards for p in state.players)
    rows = bytes(card % PIECE for card in state.market + state.farm)
    return [(seen + rows + state.discard + state.laid).count(face) for face in range(len(FACES))]


def check_invariants(state: State) -> None:
    """What holds after every ply."""
    assert card_count(state) == len(DECK) == 108
    assert all(n <= DECK.count(face) for face, n in enumerate(face_counts(state)))
    pieces = [card // PIECE for card in state.market + state.farm if card >= PIECE]
    assert len(pieces) == len(set(pieces)) and all(piece <= len(state.players) for piece in pieces)
    slots = [slot for p in state.players for slot in p.vp_unseen]
    assert len(slots) == len(set(slots)) and not any(state.pile[0] <= slot < state.pile[1] for slot in slots)
    assert all(0 <= space <= 5 for space in state.ships)
    for each in state.players:
        assert each.hand == in_hand_order(each.hand)
        assert list(each.goods) == sorted(each.goods) and list(each.insured) == sorted(each.insured)


Policy = Callable[[list[Action], State, Stream], Action]


def at_random(legal: list[Action], state: State, stream: Stream) -> Action:
    return legal[stream.below(len(legal))]


def greedy(legal: list[Action], state: State, stream: Stream) -> Action:
    return max(legal, key=lambda action: GAME.evaluate(advance(GAME, state, action)[0], state.seat, {}))


def play(
    seats: int,
    seed: bytes,
    policy: Policy = at_random,
    options: Mapping[str, bool | int | str] | None = None,
    watch: Iterable[Callable[[State], None]] = (check_invariants,),
) -> LocalMatch[State]:
    """A whole match on one policy; the watchers see the state after every ply."""
    match = LocalMatch(GAME, options or {}, seats, seed)
    stream = Stream("policy", seed)
    while True:
        for _ in match.settle():
            for check in watch:
                check(match.state)
        if match.turn is None:
            return match
        match.play(policy(match.legal(), match.state, stream))
        for check in watch:
            check(match.state)
