"""The first state (§4): the same for two, three and four players."""

from __future__ import annotations

from kontor_games.engine.core.chance import Desk
from kontor_games.engine.core.game import OptionValue

from .data import DECK, FARM_CARDS, MARKET_CARDS, START
from .flow import FILL, FIRST, HAND
from .state import Options, Player, State


def setup(options: dict[str, OptionValue], seats: int, entropy: bytes) -> State:
    """All cards are to be shuffled; rows, hands and the first player follow by themselves."""
    desk, out = Desk().mix(faces=DECK)
    chosen = Options(
        refill_after_payout=int(options["refill_timing"] == "after_payout"),
        irreducible_payment=int(options["irreducible_payment"]),
        insure_only_sunk=int(options["insure_only_sunk_colours"]),
        show_hands=int(options["show_hands"]),
        tokens_to_end=int(options["tokens_to_end"]),
    )
    return State(
        desk,
        chosen,
        players=(Player(),) * seats,
        pile=(out[0], out[-1] + 1),
        ships=START,
        todo=((FILL, MARKET_CARDS, FARM_CARDS), *((HAND, seat) for seat in range(seats)), (FIRST,)),
    )
