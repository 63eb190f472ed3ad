"""What the rules refuse, with the reason a player reads."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kontor_games.engine import Action, Reason
from kontor_games.engine.errors import MalformedAction
from kontor_games.engine.games.yokohama import actions as a
from kontor_games.engine.games.yokohama.rules import reasons
from kontor_games.engine.games.yokohama.state import NONE

from .position import GAME, Position, order, rewarded

CASES: list[tuple[str, Callable[[], Position], Action, str]] = [
    ("keep", lambda: Position(2).set(stage="keep"), a.KeepOrder(0, 5), "you drew no such order"),
    ("agent", lambda: Position(2), a.UseAgent(0, 99), "there is no such area"),
    ("agent none", lambda: Position(2).assistants(0, bank=1), a.UseAgent(0, 1), "you have no unused agent"),
    ("agent alone", lambda: Position(2).player(0, agents=(1,)), a.UseAgent(0, 1), "you have no assistant there"),
    ("claim", lambda: Position(2), a.Claim(0, 7), "there is no such achievement"),
    ("claim twice", lambda: Position(2).set(claims=((0,), (), ())), a.Claim(0, 0), "you have claimed it already"),
    ("fulfil", lambda: Position(2), a.Fulfil(0, 1023), "you have no such order in hand"),
    ("goods", lambda: Position(2).player(0, orders=(order("order_33"),)), a.Fulfil(0, order("order_33")), "goods"),
    ("open", lambda: Position(2), a.OpenOrder(0, 0, 0), "that is not your starting order"),
    ("place", lambda: Position(2).placing(), a.Place(0, 10), "there is no such area"),
    ("deploy", lambda: Position(2).moving().president(0, "bank"), a.Deploy(0, 1), "your president is on the map"),
    ("walk", lambda: Position(2).moving(), a.Walk(0, 1), "your president is in hand: deploy it"),
    ("tram", lambda: Position(2).moving(), a.Tram(0, 1), "you do not own the Tram"),
    ("station", lambda: Position(2).moving(), a.ToStation(0), "you do not own the Station"),
    ("stay", lambda: Position(2).moving(), a.Done(0), "move your president or recall it"),
    ("mill", lambda: Position(2), a.SpinningMill(0), "you do not own the Spinning Mill"),
    ("silk", lambda: Position(2).owns(0, "spinning_mill").player(0, goods=(1, 0, 1, 1)), a.SpinningMill(0), "no silk"),
    ("fees", lambda: Position(2).owns(0, "university").player(0, yen=0), a.University(0), "you have too little money"),
    (
        "nobody",
        lambda: Position(2).owns(0, "university").player(0, warehouse=(0, 1, 1)),
        a.University(0),
        "no assistant",
    ),
    ("trade", lambda: Position(4).acting("chinatown", 2), a.Exchange(0, 99), "there is no such exchange"),
    ("poor", lambda: Position(4).player(0, yen=0).acting("chinatown", 2), a.Exchange(0, 0), "you cannot pay"),
    ("elsewhere", lambda: Position(4).acting("chinatown", 2), a.Donate(0, 0), "this is not the church"),
    ("no lab", lambda: Position(4).acting("chinatown", 2), a.Research(0, 0), "this is not a laboratory"),
    ("no port", lambda: Position(4).acting("chinatown", 2), a.TakeOrder(0, 0), "this is not a port"),
    ("nothing due", lambda: Position(4).acting("chinatown", 2), a.Pay(0, 0), "nothing is to pay"),
    ("gift", lambda: Position(4).acting("church", 3), a.Donate(0, 99), "there is no such donation"),
    ("faithless", lambda: Position(4).acting("church", 3), a.Worship(0, 99, 0), "there is no such space"),
    ("space", lambda: Position(4).player(0, imports=2).acting("customs_house", 3), a.Clear(0, 99, 0), "no such space"),
    (
        "source",
        lambda: Position(4).player(0, imports=2).acting("customs_house", 3),
        a.Clear(0, 0, 5),
        "the area or the hand",
    ),
    ("piece", lambda: Position(4).acting("employment_agency", 3), a.Hire(0, 3), "there is no such piece"),
    ("money", lambda: Position(4).player(0, yen=1).acting("employment_agency", 3), a.Hire(0, 1), "that costs ¥2"),
    ("slot", lambda: Position(4).acting("port_a", 3), a.TakeOrder(0, 60), "there is no card"),
    ("good", lambda: rewarded(any_good=2), a.ChooseGood(0, 4), "there is no such good"),
    ("must choose", lambda: rewarded(any_good=2), a.Done(0), "choose a good first"),
    ("lift", lambda: rewarded(move=3), a.Lift(0, 60), "there is no such area"),
    ("drop", lambda: rewarded(move=3), a.Drop(0, 1), "choose the assistant to move first"),
    ("later", lambda: Position(2), a.BuildHouse(0), "this is the phase before the main action"),
    ("space taken", lambda: Position(4).acting("bank", 4), a.BuildShop(0, 9), "there is no such space"),
    ("no house", lambda: Position(4).acting("bank", 4), a.BuildHouse(0), "you have no trading house in hand"),
]


@pytest.mark.parametrize(("position", "action", "reason"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_the_rules_refuse_with_a_reason(position: Callable[[], Position], action: Action, reason: str) -> None:
    said = GAME.why_not(position().s, action)
    assert said is not None and reason in said, said


def test_a_taken_space_is_refused_on_both_boards() -> None:
    x = Position(4).set(church=(1, *(NONE,) * 7)).acting("church", 5)
    assert x.why_not("worship 1 hand") == "that space is taken"
    y = Position(4).set(customs=(1, *(NONE,) * 7)).player(0, imports=2).acting("customs_house", 3)
    assert y.why_not("clear 1 hand") == "that space is taken"


def test_names_may_be_typed_loosely_and_mistakes_are_explained() -> None:
    x = Position(4).placing()
    cell = x.cell("silk_mill_1")
    for text in ("place Silk-Mill-1", "place silkmill1", f"place {GAME.view(x.s, 0, {})['areas'][cell]['cell']}"):
        assert GAME.notation.read(x.s, 0, text) == a.Place(0, cell)
    for text in ("place nowhere", "keep x", "open # 5", "claim z", "fulfil order_99", "hire king"):
        with pytest.raises(MalformedAction):
            GAME.notation.read(x.s, 0, text)


def test_every_sentence_of_the_rules_has_an_id_of_its_own() -> None:
    sentences = [value for value in vars(reasons).values() if isinstance(value, Reason)]
    assert len(sentences) > 90
    assert len({reason.id for reason in sentences}) == len(sentences) == len(set(sentences))
    for _, position, action, _ in CASES:
        assert isinstance(GAME.why_not(position().s, action), Reason)
    said = GAME.why_not(Position(4).player(0, yen=1).acting("employment_agency", 3).s, a.Hire(0, 1))
    assert isinstance(said, Reason) and (said.id, said.values) == ("piece_too_dear", {"price": 2, "yen": 1})
