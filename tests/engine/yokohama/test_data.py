"""The data file: counts, provenance, and that reconstructed figures change without code."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kontor_games.engine import LocalMatch, view
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.errors import ConfigError
from kontor_games.engine.games.yokohama import build
from kontor_games.engine.games.yokohama.data import tables
from kontor_games.engine.games.yokohama.state import NEUTRAL, NONE, State

from .position import GAME, RAW, Position, T


def test_counts_of_components_agree_with_the_box() -> None:
    parts = RAW["components"]
    assert len(RAW["area_boards"]) == parts["area_boards"] and len(RAW["area_kinds"]) == parts["area_kinds"]
    assert len(T.tiles) == parts["building_tiles"] and T.base_tokens == parts["five_power_tokens"]
    assert len(T.technology_deck) == parts["technology_cards"]
    assert len({card.kind for card in T.technologies}) == parts["technology_kinds"]
    assert len(T.order_deck) == parts["order_cards"] and sum(T.agents) == parts["foreign_agents"]
    assert len(T.achievements) == parts["achievement_tiles"]
    assert len(T.tokens) - T.base_tokens == parts["mini_2_tokens"] and len(T.reward_tokens) == parts["mini_1_tokens"]


@pytest.mark.parametrize(("seats", "boards", "borders"), [(2, 10, 18), (3, 14, 28), (4, 18, 38)])
def test_layouts_are_inverted_pyramids_with_mutual_borders(seats: int, boards: int, borders: int) -> None:
    count = T.counts[seats]
    assert len(count.boards) == len(count.layout.cells) == boards
    pairs = {frozenset((a, b)) for a, row in enumerate(count.layout.next_to) for b in row}
    assert len(pairs) == borders
    for a, row in enumerate(count.layout.next_to):
        assert all(a in count.layout.next_to[b] for b in row)
        (r, c), places = count.layout.places[a], count.layout.places
        touching = [(r, c - 1), (r, c + 1), (r + 1, c - 1), (r + 1, c), (r - 1, c), (r - 1, c + 1)]
        assert sorted(row) == sorted(places.index(place) for place in touching if place in places)


def test_every_table_of_the_data_file_names_its_source() -> None:
    for name in ("area_kinds", "achievements", "technology_kinds", "technology_cards", "order_cards"):
        assert all(row["provenance"] for row in RAW[name]), name
    for name in ("building_tiles", "five_power_tokens", "foreign_agents", "laboratories", "ports"):
        assert all(row["provenance"] for row in RAW[name]), name


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_set_up_lays_out_what_the_player_count_asks_for(seats: int) -> None:
    x = Position(seats)
    count = T.counts[seats]
    assert sorted(x.s.cells) == sorted(count.boards)
    canal = [i for i, board in enumerate(x.s.cells) if T.boards[board].id == "canal"]
    assert [i for i, tile in enumerate(x.s.tiles) if tile == NONE] == canal
    assert [i for i, five in enumerate(x.s.fives) if five == NONE] == canal
    assert len(set(x.s.tiles)) == len(x.s.tiles) and len(set(x.s.fives)) == len(x.s.fives)
    assert [len(row) for row in x.s.labs] == [6, 6 if seats == 4 else 0]
    assert [len(row) for row in x.s.ports] == [6, 6 if seats > 2 else 0]
    neutral = (x.s.church + x.s.customs).count(NEUTRAL)
    assert neutral == (4 if seats == 2 else 0)
    assert [player.yen for player in x.s.players] == [3] + [4] * (seats - 1)
    assert [T.achievements[i].set for i in x.s.achievements] == ["A", "B", "C"]
    assert (x.s.tech_deck[1] - x.s.tech_deck[0]) == 30 - (12 if seats == 4 else 6)
    drawn = count.orders_removed + 6 * len(count.ports) + 2 * seats
    assert (x.s.order_deck[1] - x.s.order_deck[0]) == 36 - drawn


def test_mini_expansion_2_joins_its_tokens_to_the_others() -> None:
    found: set[int] = set()
    for number in range(12):
        state = LocalMatch(GAME, {"mini_2": True}, 4, bytes([number])).state
        found |= {token for token in state.fives if token >= T.base_tokens}
        plain = LocalMatch(GAME, {}, 4, bytes([number])).state
        assert max(plain.fives) < T.base_tokens
    assert len(found) == 5


def test_options_that_do_not_fit_are_refused() -> None:
    for options in ({"start": 3}, {"max_rounds": -1}, {"mini_1": 1}, {"nothing": True}):
        with pytest.raises(ConfigError):
            GAME.begin(options, 3, bytes(32))
    with pytest.raises(ConfigError):
        GAME.begin({}, 5, bytes(32))


def altered() -> dict[str, Any]:
    """Another game in the same box: other lengths, rewards, lists and prices."""
    raw = copy.deepcopy(RAW)
    raw["church"]["spaces"] = raw["church"]["spaces"][:6]
    raw["church"]["spaces"][0]["reward"] = {"points": 9, "warehouse": 1, "move": 1}
    raw["customs_house"]["spaces"] += [
        {"id": "customs_9", "index": 9, "imports": 4, "reward": {"points": 20}, "blocked_2p": False},
        {"id": "customs_10", "index": 10, "imports": 1, "reward": {"any_good": 3}, "blocked_2p": True},
    ]
    raw["laboratories"][0]["slot_surcharge"] = [0, 1, 2, 3]
    raw["laboratories"][1]["slot_surcharge"] = [0, 0, 0, 0, 0, 0, 1, 2]
    raw["ports"][0]["slot_level"] = [2, 3, 4]
    raw["ports"][1]["slot_level"] = [2, 2, 2, 2, 3, 3, 4, 4]
    raw["order_cards"] = [
        *raw["order_cards"][:30],
        {"id": "order_new", "country": "uk", "cost": {"tea": 1}, "reward": {"points": 1, "copper": 1, "any_good": 2}},
        *(dict(raw["order_cards"][0], id=f"order_copy_{i}") for i in range(6)),
    ]
    raw["technology_cards"] = raw["technology_cards"][3:]
    for card in raw["technology_cards"]:
        card["production"] += 1
    for tile in raw["building_tiles"]:
        tile["shops"] = tile["shops"][:3]
        tile["trading_house"] = {"points": 2, "move": 2}
    for chip in raw["five_power_tokens"]:
        chip["reward"] = {"yen": 1, "move": 1}
    raw["achievements"][0]["first_points"] = 25
    raw["mini_expansion_1"]["tokens"] = raw["mini_expansion_1"]["tokens"][:5]
    raw["mini_expansion_1"]["tokens_drawn"] = 2
    raw["chinatown"]["trades"].append({"id": "swap_tea", "give": {"tea": 2}, "get": {"fish": 1, "yen": 1}})
    return raw


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_reconstructed_figures_change_in_the_data_alone(seats: int) -> None:
    raw = altered()
    game = build(raw, b"\1" * 32)
    t = tables(raw)
    match: LocalMatch[State] = LocalMatch(game, {"max_rounds": 30, "mini_1": True}, seats, b"altered")
    stream = Stream("altered")
    while match.result is None:
        for _ in match.settle():
            pass
        if match.result is not None:
            break
        legal = match.legal()
        assert legal
        for action in legal:
            text = game.notation.say(match.state, action)
            assert game.notation.read(match.state, action.seat, text) == action
        match.play(legal[stream.below(len(legal))])
    s = match.state
    assert (len(s.church), len(s.customs)) == (6, 10)
    assert len(s.labs[0]) == 4 and len(s.ports[0]) == 3 and all(len(row) in (0, 3) for row in s.shops)
    assert len(t.order_deck) == 37 and len(t.orders) == 31  # six copies share a face
    shown = view(game, s, 0, match.known(0))
    assert len(shown["church"]["spaces"]) == 6 and len(shown["laboratories"][0]["slots"]) == 4
    assert game.evaluate(s, 0, {}) is not None
    assert len(GAME.faces) != len(game.faces)


def test_an_altered_reward_is_what_the_space_then_brings() -> None:
    x = Position(3, game=build(altered(), b"\1" * 32))
    x.acting("church", 4)
    x.do("worship 1 area")
    assert x.p().points[1] == 9
    assert [task.what for task in x.s.queue][:2] == ["hire", "move"]
