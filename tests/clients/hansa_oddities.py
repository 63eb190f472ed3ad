"""Positions of Hansa Teutonica that matches hardly ever come to, for whoever reads menus."""

from __future__ import annotations

from msgspec.structs import replace

from kontor_games.engine.games.hansa.data import PLACE_2, PLUS_3
from kontor_games.engine.games.hansa.state import PERMANENT, Bonus, Moving, Neutral, Promo, State
from tests.engine.hansa.position import full_route, levels, marker, position, say
from tests.engine.hansa.test_legality import rare_states


def odd_states() -> list[State]:
    """Prices of blocks, markers of all kinds, rare results of claims, pieces that come from the board, tributes."""
    block = Promo(0, marker("route_block"), 1)
    rows = {"arnheim": "0t 0t 1t 0m", "duisburg": "1t 0t"}
    markers = {"unused": tuple(range(9)), "used": (1, 2)}
    many = position(rows=rows, players={0: markers, 1: {"used": (0, 3, PLUS_3)}}, posts={"arnheim_duisburg:0": "1m"})
    poor = {"personal": (0, 0), "general": (0, 0)}
    lonely = {"arnheim_duisburg:0": "1t", "arnheim_kampen:0": "1t", "bremen_hamburg:0": "1m"}
    pair = position("base_3", seats=2, rows={"arnheim": "0t nt 0t"}, players={0: markers}, posts=lonely_neutrals())
    claim = position(
        posts=full_route("base_45", "coellen_warburg", "0t 0m 0t 0t"),
        rows={"coellen": "1t", "warburg": "0t"},
        players={0: {"unused": (0,), "levels": levels(privilege=3)}},
    )
    tribute = Promo(0, marker("office_tribute"), 1)
    taxed = position(posts=full_route("base_45", "arnheim_duisburg", "0t 0t 0t"), promos=(tribute,))
    full = {city.id: " ".join("1t" if not each.shape else "1m" for each in city.spaces) for city in pair.board.cities}
    return [
        *rare_states(),
        position(promos=(block,)),
        position(promos=(block, block)),
        *(position(display=(1, 2), players={0: {"unused": unused}}) for unused in (tuple(range(9)), (1, 1, 2), (3, 3))),
        replace(many, actions=0),
        position(players={0: poor}),
        claim,
        *(say(many, f"use {name}") for name in ("swap", "exchange", "develop", "route_block", "move_3")),
        *(say(state, f"claim {code}") for state, code in ((claim, "coe-war"), (gottingen(), "got-que"))),
        gottingen(),
        taxed,
        say(taxed, "claim arn-dui"),
        pair,
        say(pair, "use swap"),
        replace(pair, todo=(Moving(0, PERMANENT, 2),)),
        say(replace(pair, todo=(Moving(0, PERMANENT, 2),)), "lift arn-dui:1", "lift bre-ham:1"),
        replace(position("base_3", seats=2, rows=full, posts=neutral_route()), todo=(Neutral(0),)),
        replace(position("base_3", seats=2, posts=neutral_route(), promos=(tribute,)), todo=(Neutral(0),)),
        replace(position("britannia_45"), todo=(Bonus(0, PLACE_2, 1, placed=(1,)),)),
        say(position(posts=lonely, players={1: poor}), "displace arn-dui:1", "with trader", "pay trader"),
    ]


def lonely_neutrals() -> dict[str, str]:
    return {"arnheim_duisburg:0": "nt", "bremen_hamburg:0": "1t"}


def neutral_route() -> dict[str, str]:
    return full_route("base_3", "arnheim_duisburg", "nt nt nt")


def gottingen() -> State:
    return position(
        posts=full_route("base_45", "gottingen_quedlinburg", "0t 0m 0t"),
        rows={"gottingen": "1t"},
        players={0: {"unused": (0,), "levels": levels(privilege=3)}},
    )
