"""What seats see, and what plays for them: views, greedy bots, stand-ins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games.clients.text.boards.osaka import render
from kontor_games.engine import Action, LocalMatch, view
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.games.osaka.actions import Buy, Insure
from kontor_games.engine.games.osaka.state import State

from .position import GAME, at_random, cards, do, fleet, greedy, play, player, position

WORDS = json.loads(Path("clients/words/en/osaka.json").read_text(encoding="utf-8"))


def test_a_view_depends_on_other_hands_only_by_their_size() -> None:
    mine, theirs, other = player("r5 b3"), player("g2 g3"), player("y5 y5")
    for seat in (0, None):
        assert view(GAME, position(mine, theirs), seat, {}) == view(GAME, position(mine, other), seat, {})
    assert view(GAME, position(mine, theirs), 1, {}) != view(GAME, position(mine, other), 1, {})


def test_a_view_tells_everything_public_as_plain_data() -> None:
    state = position(
        player("r5 b3", goods="r2", insured="r5"), player(), market="r5:1 b2", farm="g3", discard=cards("y2 y2")
    )
    seen = view(GAME, state, 0, {})
    assert json.loads(json.dumps(seen)) == seen
    assert seen["market"][0] == {"card": "r5", "colour": 0, "value": 5, "icons": 0, "reserved_by": 1}
    assert (seen["price"], view(GAME, state, 1, {})["price"]) == (2, 7)
    assert [(good["card"], good["insured"]) for good in seen["players"][0]["goods"]] == [("r2", 0), ("r5", 1)]
    assert [each["can_reserve"] for each in seen["players"]] == [1, 0]
    assert seen["discard"][6] == 2 and seen["pile"] == 40


def test_a_view_shows_the_storm_and_what_is_being_laid() -> None:
    state = position(player("y5 r2", goods="r5"), player(), market="g2", ships=fleet(red=3, green=4))
    paying = view(GAME, do(state, "buy"), 1, {})
    assert (paying["phase"], paying["due"], paying["sunk"]) == ("pay", 2, [])
    storm = view(GAME, do(state, "buy", "pay y5", "insure r5"), 1, {})
    assert storm["sunk"] == [0] and [card["card"] for card in storm["chosen"]] == ["r5"]


def test_vp_cards_from_the_pile_are_nowhere_in_a_view() -> None:
    state = position(player("r2"), player(goods="b5", tokens={"blue": 3}), market="b2", ships=fleet(blue=4))
    after = do(state, "buy", "pay r2")
    assert after.players[1].vp_unseen == (1005,)
    assert "1005" not in json.dumps(view(GAME, after, 1, {}))


def plain(text: str, style: str) -> str:
    return text


def test_the_board_fits_eighty_columns_in_every_position_of_a_match() -> None:
    def fits(state: State) -> None:
        for seat in (*range(len(state.players)), None):
            lines = render(view(GAME, state, seat, {}), 80, plain)
            assert max(map(len, lines)) <= 80

    play(4, b"board", watch=[fits])
    play(2, b"board", watch=[fits], options={"show_hands": True})


def test_the_board_says_with_letters_what_colours_repeat() -> None:
    state = position(
        player("r5", goods="b3", insured="b5"), player("g2"), market="r5:1 b2", farm="g3", ships=fleet(red=3)
    )
    text = "\n".join(render(view(GAME, state, 0, {}), 80, plain))
    for part in ("1:r5[Pink]", "f1:g3", "<R>", "> White (you)", "[b5]", "hand 1: hidden", "Market costs 2 for you"):
        assert part in text, part
    painted = "\n".join(render(view(GAME, state, 0, {}), 80, lambda text, style: f"<{style}>{text}</>"))
    assert "<red>1:r5[Pink] </>" in painted


def test_the_board_names_players_and_marks_those_who_left() -> None:
    match = LocalMatch(GAME, {}, 2, b"left")
    match.leave(1)
    seen: dict[str, Any] = {**view(GAME, match.state, None, {}), "names": ["Anna", "Ben"]}
    text = "\n".join(render(seen, 80, plain))
    assert "Ben (left)" in text and "Anna" in text


def test_the_catalogue_words_every_event_reason_and_category() -> None:
    assert set(WORDS["events"]) == {cls.__name__ for cls in GAME.events}
    assert set(WORDS["reasons"]) == {"tokens", "standstill"} and set(WORDS["categories"]) == {"vp", "tokens"}
    assert len(WORDS["names"]["card"]) == len(GAME.faces)


def duel(seats: int, hero: int, seed: bytes) -> bool:
    """Whether a greedy player beats random ones."""

    def policy(legal: list[Action], state: State, stream: Stream) -> Action:
        return (greedy if state.seat == hero else at_random)(legal, state, stream)

    result = play(seats, seed, policy, watch=()).result
    return result is not None and result.winners == (hero,)


@pytest.mark.parametrize("seats", GAME.seats)
def test_greedy_beats_random_players_in_a_sample(seats: int) -> None:
    assert sum(duel(seats, number % seats, b"duel %d" % number) for number in range(8)) >= 7


@pytest.mark.long
@pytest.mark.parametrize("seats", GAME.seats)
def test_greedy_beats_random_players_nine_times_out_of_ten(seats: int) -> None:
    assert sum(duel(seats, number % seats, b"duel %d" % number) for number in range(200)) >= 180


def test_stand_ins_finish_a_match_after_any_ply() -> None:
    stream = Stream("leavers")
    for number in range(12):
        match = LocalMatch(GAME, {}, 3, b"leave %d" % number)
        while match.ply < 15 * number and match.turn is not None:
            if next(match.settle(), None) is None:
                match.play(at_random(match.legal(), match.state, stream))
        match.leave(0, 2)
        match.leave(1)
        assert sum(1 for _ in match.settle()) > 0 and match.result is not None
        assert match.result.reason == "tokens"


def test_a_seat_that_leaves_changes_nothing_but_who_is_gone() -> None:
    match = LocalMatch(GAME, {}, 2, b"gone")
    list(match.settle())
    before = match.state
    left, events = match.leave(1)
    assert left.faces == () and events == () and match.state.desk.gone == (1,)
    assert replace(match.state, desk=before.desk) == before


def test_the_stand_in_insures_what_is_worth_it_and_buys_when_it_pays() -> None:
    storm = position(player("y5 r2", goods="r5 r5"), player(), market="g2", ships=fleet(red=4, green=4))
    assert isinstance(GAME.stand_in(do(storm, "buy", "pay y5")), Insure)
    bargain = position(player("y5 r2"), player(), market="r2 r2", ships=fleet(red=3))
    assert isinstance(GAME.stand_in(bargain), Buy)


def test_evaluation_sees_that_a_purchase_ends_the_match() -> None:
    tokens = {"red": 3, "blue": 4}
    ahead = position(player("r2", tokens=tokens), player(), market="r2", ships=fleet(red=4))
    behind = replace(ahead, players=(ahead.players[0], replace(player(), vp_cards=cards("r2 r2 r2 r2"))))
    take = GAME.notation.read(ahead, 0, "take r2")
    for state, wise in ((ahead, Buy(0)), (behind, take)):
        assert greedy(list(GAME.candidates(state, {})), state, Stream("unused")) == wise
    over = do(replace(ahead, options=replace(ahead.options, refill_after_payout=1)), "buy", "pay r2")
    assert GAME.evaluate(over, 0, {}) > 0 > GAME.evaluate(over, 1, {})
