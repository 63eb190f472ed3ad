"""Hansa Teutonica: Big Box — five map sides, two to five players, all modules."""

from __future__ import annotations

from kontor_games.engine.core.game import Game

from .actions import ACTION_TYPES
from .data import DIGEST, FACES
from .evaluate import evaluate, stand_in
from .events import EVENT_TYPES
from .foresight import points
from .notation import NOTATION
from .offer import OFFER
from .rules import apply, candidates, chance, left, to_decide, why_not
from .scoring import result
from .setup import OPTIONS, setup, why_not_combination
from .state import State
from .unseen import unseen
from .view import view

GAME: Game[State] = Game(
    id="hansa",
    title="Hansa Teutonica",
    rules_version=2,
    data_digest=DIGEST,
    seats=(2, 3, 4, 5),
    options=OPTIONS,
    actions=ACTION_TYPES,
    events=EVENT_TYPES,
    notation=NOTATION,
    faces=FACES,
    setup=setup,
    turn=to_decide,
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
    why_not_combination=why_not_combination,
    exact=True,
)
