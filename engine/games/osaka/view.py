"""What one seat or a spectator sees."""

from __future__ import annotations

from typing import Any

from kontor_games.engine.core.value import Known

from .data import COLOUR, COLOURS, DATA, FACES, ICONS, PIECES, VALUE
from .insurance import sunk_colours
from .state import BUSY, COVER, FACE_BITS, INSURE, PHASES, TOKEN, State, owner, takeable, worth

BOARD = {
    "colours": list(COLOURS),
    "track": [{"id": space["id"], "name": space["name"], "kind": space["kind"]} for space in DATA["track"]],
}


def _card(face: int) -> dict[str, Any]:
    return {"card": FACES[face], "colour": COLOUR[face], "value": VALUE[face], "icons": ICONS[face]}


def _cards(faces: bytes) -> list[dict[str, Any]]:
    return [_card(face) for face in faces]


def _row(cards: bytes) -> list[dict[str, Any]]:
    return [{**_card(card & FACE_BITS), "reserved_by": owner(card)} for card in cards]


def shows_hand(state: State, viewer: int | None, seat: int) -> bool:
    """R14: one's own hand; starting hands while the match is being set up; all with the option."""
    return seat == viewer or state.options.show_hands == 1 or _is_setting_up(state)


def _is_setting_up(state: State) -> bool:
    # Every seat owns a token once set-up is over.
    return state.phase in (BUSY, TOKEN) and any(sum(player.tokens) == 0 for player in state.players)


def view(state: State, seat: int | None, known: Known) -> dict[str, Any]:
    """Everything public, and the own hand."""
    out_pieces = {owner(card) for card in state.market + state.farm}
    players = [
        {
            "seat": number,
            "piece": PIECES[number],
            "hand": _cards(player.hand) if shows_hand(state, seat, number) else None,
            "hand_count": len(player.hand),
            "goods": [{**_card(good), "insured": 0} for good in player.goods]
            + [{**_card(good), "insured": 1} for good in player.insured],
            "tokens": list(player.tokens),
            "vp": player.vp,
            "can_reserve": int(number not in out_pieces),
        }
        for number, player in enumerate(state.players)
    ]
    storm = state.phase in (INSURE, COVER)
    return {
        "board": BOARD,
        "options": {name: getattr(state.options, name) for name in state.options.__struct_fields__},
        "phase": PHASES[state.phase],
        "active": state.active,
        "first": state.first,
        "players": players,
        "market": _row(state.market),
        "farm": _row(state.farm),
        "price": worth(takeable(state.market, state.active if seat is None else seat)),
        "ships": list(state.ships),
        "sunk": sunk_colours(state.ships) if storm else [],
        "pile": state.pile[1] - state.pile[0],
        "discard": [state.discard.count(face) for face in range(len(FACES))],
        "laid": _cards(state.laid),
        "chosen": _cards(state.chosen),
        "due": max(0, state.due),
    }
