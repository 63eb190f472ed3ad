"""Merchants of Osaka: one deck is money, merchandise, insurance and points; ships sail when goods are bought."""

from __future__ import annotations

from kontor_games.engine.core.action import Event
from kontor_games.engine.core.chance import Left
from kontor_games.engine.core.game import Game

from .actions import ACTIONS
from .data import DATA, DATA_DIGEST, FACES, OPTIONS, SEATS
from .effects import apply
from .evaluate import evaluate, stand_in
from .events import EVENTS
from .flow import answered
from .notation import NOTATION
from .offer import OFFER, points, unseen
from .rules import candidates, turn, why_not
from .scoring import result
from .setup import setup
from .state import State
from .view import view


def left(state: State, gone: Left) -> tuple[State, tuple[Event, ...]]:
    """A seat that leaves changes nothing on the table: no card is known to it alone."""
    return state, ()


GAME: Game[State] = Game(
    id="osaka",
    title=DATA["title"],
    rules_version=2,
    data_digest=DATA_DIGEST,
    seats=SEATS,
    options=OPTIONS,
    actions=ACTIONS,
    events=EVENTS,
    notation=NOTATION,
    faces=FACES,
    setup=setup,
    turn=turn,
    why_not=why_not,
    candidates=candidates,
    apply=apply,
    chance=answered,
    left=left,
    stand_in=stand_in,
    result=result,
    view=view,
    evaluate=evaluate,
    offer=OFFER,
    points=points,
    unseen=unseen,
    exact=True,
)
