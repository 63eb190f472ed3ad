"""The Wandering Fair of Joban: shops on a growing field, dragons, secret tasks; two to four players."""

from __future__ import annotations

from kontor_games.engine.core.game import Game

from .actions import ACTIONS
from .data import DATA, DATA_DIGEST, FACES, OPTIONS
from .evaluate import evaluate, stand_in
from .events import EVENTS
from .notation import NOTATION
from .offer import OFFER
from .offer.foresight import points
from .play import apply, chance, left
from .rules import candidates, opens, turn, why_not
from .scoring import result
from .setup import setup
from .state import State
from .unseen import unseen
from .view import view

GAME: Game[State] = Game(
    id="joban",
    title=DATA["title"],
    rules_version=2,
    data_digest=DATA_DIGEST,
    seats=tuple(range(DATA["players"]["min"], DATA["players"]["max"] + 1)),
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
    chance=chance,
    left=left,
    stand_in=stand_in,
    result=result,
    view=view,
    evaluate=evaluate,
    offer=OFFER,
    points=points,
    unseen=unseen,
    opens=opens,
    exact=True,
)
