"""The printed facts of Merchants of Osaka as tables indexed by face, colour and space."""

from __future__ import annotations

from typing import Any

from kontor_games.engine.core.data import load_data
from kontor_games.engine.core.game import Option

DATA, DATA_DIGEST = load_data("osaka")

COLOURS: tuple[str, ...] = tuple(colour["id"] for colour in DATA["colours"])
PIECES: tuple[str, ...] = tuple(piece["colour"] for piece in DATA["player_pieces"])  # by seat
SEATS = tuple(range(DATA["players"]["min"], DATA["players"]["max"] + 1))

# A face is a kind of card, and equal cards need no distinction: face = 3 × colour + rank of the value.
_RANKS = sorted({card["value"] for card in DATA["cards"]})
RANKS = len(_RANKS)
FACES: tuple[str, ...] = tuple(f"{colour[0]}{value}" for colour in COLOURS for value in _RANKS)
COLOUR: tuple[int, ...] = tuple(face // RANKS for face in range(len(FACES)))
VALUE: tuple[int, ...] = tuple(_RANKS[face % RANKS] for face in range(len(FACES)))
ICONS: tuple[int, ...] = tuple(DATA["insurance"]["icons_by_value"][str(value)] for value in VALUE)
DECK = bytes(sorted(FACES.index(f"{card['colour'][0]}{card['value']}") for card in DATA["cards"]))

# Payments are laid dearest card first, so that each payment is laid in one order only. Hands lie in that order too.
PAY_ORDER: tuple[int, ...] = tuple(sorted(range(len(FACES)), key=lambda face: (-VALUE[face], face)))
PAY_PLACE: tuple[int, ...] = tuple(PAY_ORDER.index(face) for face in range(len(FACES)))

_TRACK: list[dict[str, Any]] = DATA["track"]
SPACES: tuple[str, ...] = tuple(space["id"] for space in _TRACK)
IS_WAVES: tuple[bool, ...] = tuple(space["kind"] == "waves" for space in _TRACK)
EDO = SPACES.index("edo")
FROM_EDO_TO = SPACES.index(DATA["return_ships"]["from_goal_to"])
SUNK_TO = SPACES.index(DATA["return_ships"]["sunken_to"])
START = tuple(SPACES.index(ship["start_space"]) for ship in DATA["ships"])  # by colour

MARKET_CARDS: int = DATA["setup"]["market_cards"]
FARM_CARDS: int = DATA["setup"]["farm_cards"]
HAND_TOTAL: int = DATA["setup"]["start_hand_min_total"]
MARKET_DRAW: int = DATA["refill"]["market_draw"]
FARM_DRAW: int = DATA["refill"]["farm_draw"]
STEPS_ONE: int = DATA["movement"]["steps_for_one_card"]
STEPS_MORE: int = DATA["movement"]["steps_for_two_or_more_cards"]
POINTS_PER_VP: int = DATA["payout"]["points_per_vp_card"]

_OPTION_TEXTS = {
    "refill_timing": "Whether Market and Farm are refilled before or after the payout that a purchase causes.",
    "irreducible_payment": "A payment may not contain a card that is not needed to reach the price.",
    "insure_only_sunk_colours": "Only goods of colours whose ship is being wrecked may be insured.",
    "show_hands": "Everybody's hand is displayed; it could be followed from what happened anyway.",
    "tokens_to_end": "The match ends when somebody owns this many achievement tokens.",
}
OPTIONS = tuple(
    Option(option["id"], option["default"], tuple(option["allowed"]), _OPTION_TEXTS[option["id"]])
    for option in DATA["options"]
)
