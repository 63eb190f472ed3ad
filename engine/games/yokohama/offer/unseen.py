"""Which faces the slots may have that a seat does not know.

Technologies are open once they have left their deck. Orders may lie in the deck, in the hands of others as starting
orders, or out of the game: those removed in set-up and those not kept. So there are more faces than slots.
"""

from __future__ import annotations

from collections import Counter

from kontor_games.engine.core.chance import Deal, Mix
from kontor_games.engine.core.game import Unseen
from kontor_games.engine.core.value import Known
from kontor_games.engine.games.yokohama.state import NONE, State
from kontor_games.engine.games.yokohama.tables import Tables


def unseen(t: Tables, s: State, known: Known) -> Unseen:
    """The technologies, then the orders, that this seat has not seen."""
    want = s.desk.want
    empty = want.out if isinstance(want, Mix) else ()
    seen = {*dict(s.desk.faces), *known, *empty}
    asked = [slot for slot, _ in want.cards] if isinstance(want, Deal) else []
    first_order = len(t.technology_deck)  # slots are given in the order of the two shuffles
    technologies = [slot for slot in asked if slot < first_order]
    orders = [slot for slot in asked if slot >= first_order]
    orders += [slot for player in s.players for slot in player.hidden if slot not in orders]
    return (
        *_group(_technologies(t, s), [*technologies, *range(*s.tech_deck)], seen),
        *_group(_orders(t, s, known), [*orders, *range(*s.order_deck)], seen),
    )


def _group(faces: tuple[int, ...], slots: list[int], seen: set[int]) -> Unseen:
    unknown = tuple(sorted(slot for slot in slots if slot not in seen))
    return ((faces, unknown),) if unknown else ()


def _technologies(t: Tables, s: State) -> tuple[int, ...]:
    out = Counter(face for lab in s.labs for face in lab)
    out.update(face for player in s.players for face in player.techs)
    return _left(t.technology_deck, out)


def _orders(t: Tables, s: State, known: Known) -> tuple[int, ...]:
    out = Counter(face for port in s.ports for face in port)
    for player in s.players:
        out.update((*player.orders, *player.done))
    for face in sorted({*known.values(), *dict(s.desk.faces).values()}):
        if t.order(face) is not None and not out[face]:  # else it has been delivered since
            out[face] = 1
    return _left(t.order_deck, out)


def _left(deck: tuple[int, ...], out: Counter[int]) -> tuple[int, ...]:
    """A deck without the cards that are out."""
    del out[NONE]
    return tuple(sorted((Counter(deck) - out).elements()))
