"""Which faces the cards have that nobody has seen."""

from __future__ import annotations

from collections import Counter

from kontor_games.engine.core.chance import Deal, Mix
from kontor_games.engine.core.game import Unseen
from kontor_games.engine.core.value import Known

from ..data import DECK
from ..state import FACE_BITS, State


def unseen(state: State, known: Known) -> Unseen:
    """One group: the pile, cards on their way from it, and victory points drawn from it.

    A state does not remember what went into the last shuffle, so that the group is not split by shuffles.
    """
    want = state.desk.want
    slots = [slot for player in state.players for slot in player.vp_unseen]
    seen = b"".join(player.hand + player.goods + player.insured + player.vp_cards for player in state.players)
    seen += bytes(card & FACE_BITS for card in state.market + state.farm) + state.discard + state.laid
    if isinstance(want, Mix):
        seen += bytes(want.faces)  # the slots of the pile do not exist before the shuffle
    else:
        slots += range(*state.pile)
    if isinstance(want, Deal):
        slots += [slot for slot, _ in want.cards]
    hidden = [slot for slot in slots if slot not in known]
    faces = Counter(DECK) - Counter(seen) - Counter(known[slot] for slot in slots if slot in known)
    return ((tuple(sorted(faces.elements())), tuple(sorted(hidden))),) if hidden else ()
